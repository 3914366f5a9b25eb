// Who hears a click at a point: "own" what is clicked or a part of it, "near" something around it, "far" only the page as a whole; "" nobody.
(x, y, listenersOf) => {
  const CLICKS = /^(click|auxclick|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend)$/;
  const MANY = 20; // kinds of events that only a library listens for, on behalf of all that is in its part
  const DRIVER = /_hitTargetInterceptor/; // the driver of the browser listens on the window for its own ends
  const typesOf = node => { const found = listenersOf(node); return Object.keys(found).filter(type => found[type].some(each => !DRIVER.test(String(each.listener)))); };
  const hears = node => { const types = typesOf(node); return types.some(type => CLICKS.test(type)) && types.length; };
  const parentOf = el => el.assignedSlot || el.parentElement || (el.getRootNode() && el.getRootNode().host) || null;
  let el = document.elementFromPoint(x, y);
  while (el && el.shadowRoot) { const inner = el.shadowRoot.elementFromPoint(x, y); if (!inner || inner === el) break; el = inner; }
  if (!el || /^i?frame$/.test(el.localName)) return "near"; // nobody can look there
  if (hears(el)) return "own";
  let far = [window, document, document.documentElement, document.body].some(node => node && hears(node));
  for (let up = parentOf(el); up && up !== document.body && up !== document.documentElement; up = parentOf(up)) {
    const types = hears(up);
    if (types && types < MANY) return "near";
    far = far || Boolean(types);
  }
  return far ? "far" : "";
}

// The link in an element, if nothing else in it can be used.
el => {
  const parts = Array.from(el.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=menuitem],[role=tab],[tabindex],[contenteditable]"));
  const seen = parts.filter(part => part.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && part.getBoundingClientRect().width > 0);
  return seen.length === 1 && seen[0].localName === "a" && /^https?:$/.test(seen[0].protocol) && !seen[0].hasAttribute("download") ? seen[0] : null;
}

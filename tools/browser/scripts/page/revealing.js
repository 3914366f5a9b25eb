// What shows a hidden part when it is used, if that is plain to see.
const revealers = new Map();
function revealerOf(hidden) {
  if (revealers.has(hidden)) return revealers.get(hidden);
  const found = findRevealer(hidden);
  const usable = found && found[0] && !isGone(found[0]) && found[0].getBoundingClientRect().width > 0 ? found : null;
  revealers.set(hidden, usable);
  return usable;
}
// What is only cut off is hidden if something turns to it; else it can be scrolled to.
function turnedTo(el) {
  const turner = turnerTo(el);
  if (turner) revealers.set(el, turner[0] ? turner : null);
  return Boolean(turner);
}
// A part that follows its opener: nothing else is with them, or their names say what they are.
const FOLDS = /accord|collaps|toggl|drop|menu|expand|fold|disclos|faq|sub-?nav|flyout|popover|summary|details|spoiler|more/i;
function belongs(before, hidden) {
  const role = attr(hidden, "role") || "";
  if (/dialog/.test(role) || hidden.localName === "dialog" || styleOf(hidden).position === "fixed") return false;
  const around = hidden.parentElement, classes = el => attr(el, "class") || "";
  const alone = around && around.childElementCount === 2 && around !== document.body;
  const pairs = /^(h[1-6]|dt)$/.test(before.localName) && styleOf(before).cursor === "pointer";
  return alone || pairs || /^(menu|listbox|group|tree)$/.test(role) || FOLDS.test(classes(before) + " " + classes(hidden) + " " + (around && around !== document.body ? classes(around) : ""));
}
// What the page's own style shows while the pointer is on something: ".message:hover .actions".
const SHOWING = ["display", "visibility", "opacity", "max-height", "height", "transform", "left", "clip-path"];
const MOST_RULES = 20000;
let hovering = null;
function hoverRules() {
  const found = [];
  let read = 0;
  const gather = rules => {
    for (const rule of rules) {
      if (read++ > MOST_RULES) return;
      if (rule.cssRules && rule.cssRules.length && !rule.selectorText) gather(rule.cssRules);
      else if (rule.selectorText && rule.selectorText.includes(":hover") && SHOWING.some(name => rule.style.getPropertyValue(name)))
        for (const each of rule.selectorText.split(",")) { const at = each.indexOf(":hover"); if (at > 0 && /[\s>+~]/.test(each[at + 6] || "")) found.push([each.slice(0, at).trim(), each.replace(/:hover/g, "").trim()]); }
    }
  };
  for (const sheet of document.styleSheets) try { gather(sheet.cssRules); } catch { /* of another site: nobody may read it */ }
  return found;
}
function pointedAtFor(hidden) {
  hovering = hovering || hoverRules();
  for (let part = hidden, up = 0; part && up < MOST_UP && (part === hidden || isGone(part) || isFaint(styleOf(part))); part = part.parentElement, up++)
    for (const [over, shown] of hovering) try {
      if (!part.matches(shown)) continue;
      const before = part.previousElementSibling, around = part.closest(over) || (before && before.matches(over) ? before : null);
      if (around && around !== part && !isGone(around)) return around;
    } catch { /* a selector that only the style sheet understands */ }
  return null;
}
function findRevealer(hidden) {
  if (hidden.localName === "details" || (hidden.parentElement && hidden.parentElement.localName === "details" && !hidden.parentElement.open)) {
    const details = hidden.localName === "details" ? hidden : hidden.parentElement;
    const summary = details.querySelector(":scope > summary");
    if (summary) return [summary, "click"];
  }
  const root = hidden.getRootNode();
  if (hidden.id) {
    const id = CSS.escape(hidden.id);
    const control = root.querySelector(`[aria-controls~="${id}"],[aria-owns~="${id}"],[data-target="#${id}"],[data-bs-target="#${id}"],a[href="#${id}"],[popovertarget="${id}"],[commandfor="${id}"]`);
    if (control) return [control, "click"];
  }
  const labelled = attr(hidden, "aria-labelledby");
  if (labelled) { const tab = byId(hidden, labelled.trim().split(/\s+/)[0]); if (tab && !hidden.contains(tab) && CONTROLS.has(roleOf(tab))) return [tab, "click"]; }
  const folded = hidden.parentElement && hidden.parentElement.closest('[aria-expanded="false"]');
  if (folded && folded !== hidden && folded.contains(hidden)) {
    const first = folded.firstElementChild;
    return [first && first !== hidden && !first.contains(hidden) && !isGone(first) ? first : folded, "click"];
  }
  const turner = referrerTo(hidden) || turnerTo(hidden);
  if (turner) return turner;
  const pointed = pointedAtFor(hidden);
  if (pointed) return [pointed, "hover"];
  const isUsable = el => el && (CONTROLS.has(roleOf(el)) || handled(el) || styleOf(el).cursor === "pointer");
  const before = hidden.previousElementSibling;
  if (before && !isGone(before) && belongs(before, hidden)) {
    const inner = isUsable(before) ? before : before.querySelector("button,summary,a,[role=button],[tabindex]");
    if (inner && isUsable(inner)) {
      const link = inner.localName === "a" && !/^(#|javascript:|$)/.test(attr(inner, "href") || "") && !attr(inner, "aria-expanded");
      const listed = hidden.parentElement && hidden.parentElement.localName === "li" && !inner.hasAttribute("aria-expanded") && !inner.hasAttribute("aria-haspopup") && !handled(inner) && inner.localName !== "button";
      return [inner, link || listed ? "hover" : "click"];
    }
    if (hidden.parentElement && /^(li|div|nav|span)$/.test(hidden.parentElement.localName) && /menu|drop|sub|tooltip|nav|flyout/i.test((attr(hidden, "class") || "") + (attr(hidden, "role") || "") + (attr(hidden.parentElement, "class") || ""))) return [before, "hover"];
    if (styleOf(before).cursor === "pointer") return [before, "click"];
  }
  return null;
}

el => { const find = el => {
  if (el.localName === "details") return el.querySelector(":scope > summary") || el;
  const TOGGLES = "[class*=toggle i],[class*=expand i],[class*=twist i],[class*=chevron i],[class*=caret i]";
  const shown = each => each.getBoundingClientRect().width > 0;
  // A branch that is clicked is chosen; a sign in it opens it.
  const area = each => { const rect = each.getBoundingClientRect(); return rect.width * rect.height; };
  const opening = item => {
    const marks = Array.from(item.querySelectorAll("*")).filter(each => !each.childElementCount && /^[▸▾▶▼►▷▽›⌄⌃▴▲+−–-]$/.test(each.textContent.trim()));
    const signs = Array.from((item.shadowRoot || item).querySelectorAll(TOGGLES)).concat(marks).filter(each => shown(each) && (item.shadowRoot || each.closest("[role=treeitem]") === item) && area(each) < 3000);
    return signs.sort((one, other) => area(one) - area(other))[0];
  };
  if (el.getAttribute("role") === "treeitem") return opening(el) || el;
  if (el.hasAttribute("aria-expanded") || el.localName === "summary") return el;
  const around = el.closest("[aria-expanded],summary");
  if (around && around.getAttribute("role") !== "treeitem") return around;
  const item = el.closest("[role=treeitem]");
  if (item) return opening(item) || item;
  const inner = el.querySelector("[aria-expanded],summary");
  const says = each => /^(expand|collapse|toggle)\b/i.test(each.getAttribute("aria-label") || each.title || each.textContent.trim());
  return inner || Array.from(el.querySelectorAll("button,[role=button],a")).find(says) || el;
}; const found = find(el); return found === el ? null : found; }

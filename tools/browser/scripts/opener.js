el => { const find = el => {
  if (el.localName === "details") return el.querySelector(":scope > summary") || el;
  if (el.hasAttribute("aria-expanded") || el.localName === "summary") return el;
  const around = el.closest("[aria-expanded],summary");
  if (around && around.getAttribute("role") !== "treeitem") return around;
  const item = el.closest("[role=treeitem]");
  if (item) return item.querySelector(":scope > .toggle, :scope > [class*=toggle], :scope > [class*=expand]") || item;
  const inner = el.querySelector("[aria-expanded],summary");
  const says = each => /^(expand|collapse|toggle)\b/i.test(each.getAttribute("aria-label") || each.title || each.textContent.trim());
  return inner || Array.from(el.querySelectorAll("button,[role=button],a")).find(says) || el;
}; const found = find(el); return found === el ? null : found; }

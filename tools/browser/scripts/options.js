(list) => {
  const squeeze = text => (text || "").replace(/\s+/g, " ").trim();
  const roots = [];
  const ids = [list.getAttribute("aria-controls"), list.getAttribute("aria-owns"), list.getAttribute("list")].filter(Boolean);
  for (const id of ids.join(" ").split(/\s+/)) { const el = id && list.getRootNode().getElementById(id); if (el) roots.push(el); }
  roots.push(list);
  if (list.nextElementSibling) roots.push(list.nextElementSibling);
  if (list.parentElement) roots.push(list.parentElement);
  roots.push(document.body);
  const seen = el => { const rect = el.getBoundingClientRect(); const style = getComputedStyle(el); return rect.width > 0 && rect.height > 0 && style.visibility !== "hidden"; };
  for (const root of roots) {
    const found = Array.from(root.querySelectorAll("[role=option],[role=menuitem],[role=menuitemradio],[role=treeitem]")).filter(seen);
    if (found.length) return found;
  }
  for (const root of roots.slice(0, -1)) {
    const found = Array.from(root.querySelectorAll("li,[class*=option],[class*=item]")).filter(el => el !== list && seen(el) && !el.querySelector("li,[class*=option],[class*=item]"));
    if (found.length) return found;
  }
  return [];
}

// The box that is drawn in an entry which says of itself that it can be checked; null if there is none, or several.
el => {
  if (!/^(treeitem|option|menuitemcheckbox|row)$/.test(el.getAttribute("role") || "")) return null;
  const isBox = each => { const rect = each.getBoundingClientRect(); return !each.childElementCount && !each.textContent.trim() && rect.width >= 8 && rect.width <= 28 && Math.abs(rect.width - rect.height) <= 6; };
  const own = each => each.closest("[role=treeitem],[role=option],[role=menuitemcheckbox],[role=row]") === el;
  const found = Array.from(el.querySelectorAll("[role=checkbox],input[type=checkbox],*")).filter(each => own(each) && (each.matches("[role=checkbox],input[type=checkbox]") || isBox(each)));
  const outer = found.filter(each => !found.some(other => other !== each && other.contains(each)));
  return outer.length === 1 ? outer[0] : null;
}

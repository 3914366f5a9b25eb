el => {
  if (el.localName === "input" && (el.type === "checkbox" || el.type === "radio")) return el.checked;
  for (const each of [el, el.querySelector("input[type=checkbox],input[type=radio],[aria-checked]")]) {
    if (!each) continue;
    if (each.localName === "input" && each.checked !== undefined && /checkbox|radio/.test(each.type)) return each.checked;
    for (const name of ["aria-checked", "aria-pressed", "aria-selected"]) {
      const said = each.getAttribute(name);
      if (said !== null) return said === "true";
    }
  }
  if (el.control && /checkbox|radio/.test(el.control.type)) return el.control.checked;
  return null;
}

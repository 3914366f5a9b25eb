el => {
  if (el.localName === "select") return Array.from(el.selectedOptions).map(option => option.label.trim()).join(", ");
  if (el.value !== undefined && /^(input|textarea)$/.test(el.localName)) return el.value;
  if (el.isContentEditable) return el.innerText;
  return el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow");
}

el => {
  if (el.localName === "input" || el.localName === "textarea") return el.type === "password" ? "" : el.value;
  if (el.localName === "select") return Array.from(el.selectedOptions).map(option => option.label.trim()).join(", ");
  if (el.localName === "img") return el.alt;
  return el.innerText === undefined ? el.textContent : el.innerText;
}

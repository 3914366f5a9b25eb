el => {
  if (el.localName === "input" || el.localName === "textarea") return el.type === "password" ? "" : el.value;
  if (el.localName === "select") return Array.from(el.selectedOptions).map(option => option.label.trim()).join(", ");
  if (el.localName === "img") return el.alt;
  const measure = el.localName === "progress" || el.localName === "meter" ? String(el.value) : el.getAttribute("aria-valuetext") || el.getAttribute("aria-valuenow");
  if (measure && !(el.innerText || "").trim()) return measure;
  return el.innerText === undefined ? el.textContent : el.innerText;
}

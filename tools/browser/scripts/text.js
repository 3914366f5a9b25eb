el => {
  if (el.localName === "input" || el.localName === "textarea") return el.type === "password" ? "" : /^(submit|button|reset)$/.test(el.type) ? el.value : el.value;
  if (el.localName === "select") return Array.from(el.selectedOptions).map(option => option.label.trim()).join(", ");
  if (el.localName === "img") return el.alt;
  return el.innerText === undefined ? el.textContent : el.innerText;
}

() => {
  const el = document.activeElement;
  if (el && el.selectionStart !== undefined && el.selectionStart !== null && el.selectionEnd > el.selectionStart && el.type !== "password") return el.value.slice(el.selectionStart, el.selectionEnd);
  return String(getSelection());
}

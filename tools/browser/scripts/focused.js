() => {
  let el = document.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  return el && el !== document.body && (el.isContentEditable || /^(input|textarea)$/.test(el.localName) || el.getAttribute("tabindex") !== null) ? el : null;
}

// Gives a field that was left the focus back, with the caret behind its text, unless something else has it.
el => {
  if (!el.isConnected || el.ownerDocument.activeElement !== el.ownerDocument.body) return;
  el.focus({ preventScroll: true });
  try { el.setSelectionRange(el.value.length, el.value.length); } catch { /* it has no caret */ }
}

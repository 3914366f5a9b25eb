// Gives a field the focus, with all that it holds selected: what is put in then replaces it. Says whether it can be seen, and has the focus.
el => {
  const rect = el.getBoundingClientRect();
  if (!rect.width || !rect.height || !el.checkVisibility({ visibilityProperty: true }) || el.closest("[inert]")) return false;
  el.focus();
  el.select();
  return document.activeElement === el;
}

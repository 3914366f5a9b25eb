// Who hears that a field is typed into, and that it is left: the field, anything around it, or the page as a whole.
// A plain field that nobody hears being typed into gets the focus at once, with all that it holds selected: what is put in then replaces it.
(tag, place, plain, listenersOf) => {
  const TYPING = /^(key(down|press|up)|(before)?input|textInput|composition\w+|focus|focusin|select|selectstart|selectionchange|DOM\w+)$/;
  const LEAVING = /^(blur|focusout|change|selectionchange|DOM\w+)$/;
  const field = document.getElementsByTagName(tag)[place];
  if (!field) return null;
  const around = [window];
  for (let node = field; node; node = node.assignedSlot || node.parentNode || node.host) around.push(node);
  const heard = new Set(around.flatMap(node => Object.keys(listenersOf(node))));
  const hears = types => Array.from(heard).some(type => types.test(type));
  const typing = hears(TYPING), rect = field.getBoundingClientRect();
  const seen = rect.width > 0 && rect.height > 0 && field.checkVisibility({ visibilityProperty: true });
  const taken = plain && !typing && seen && !field.closest("[inert]");
  if (taken) { field.focus(); field.select(); }
  return { typing, leaving: hears(LEAVING), taken: taken && document.activeElement === field };
}

// Who hears that a field is typed into, and that it is left: the field, anything around it, or the page as a whole.
(tag, place, listenersOf) => {
  const TYPING = /^(key(down|press|up)|(before)?input|textInput|composition\w+|focus|focusin|select|selectstart|selectionchange|DOM\w+)$/;
  const LEAVING = /^(blur|focusout|change|selectionchange|DOM\w+)$/;
  const field = document.getElementsByTagName(tag)[place];
  if (!field) return null;
  const around = [window];
  for (let node = field; node; node = node.assignedSlot || node.parentNode || node.host) around.push(node);
  const heard = new Set(around.flatMap(node => Object.keys(listenersOf(node))));
  const hears = types => Array.from(heard).some(type => types.test(type));
  return { typing: hears(TYPING), leaving: hears(LEAVING) };
}

el => {
  const list = el.closest("[role=listbox],[role=menu],ul,ol,[class*=dropdown],[class*=options]");
  if (!list) return null;
  const root = el.getRootNode();
  const id = list.id && CSS.escape(list.id);
  const named = id && root.querySelector(`[aria-controls~="${id}"],[aria-owns~="${id}"]`);
  return named || list.previousElementSibling || null;
}

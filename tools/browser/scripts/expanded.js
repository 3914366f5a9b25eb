// Whether something is open, as it says itself, or as the branch says whose sign it is; null if nobody says so.
el => {
  if (el.localName === "summary" && el.parentElement.localName === "details") return el.parentElement.open;
  if (el.localName === "details") return el.open;
  const item = el.closest("[role=treeitem]") || (el.getRootNode() instanceof ShadowRoot ? el.getRootNode().host : null);
  const said = el.getAttribute("aria-expanded") || (item ? item.getAttribute("aria-expanded") : null);
  return said === null ? null : said === "true";
}

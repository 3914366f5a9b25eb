// What an option says itself: the entries of a menu in it say that for themselves.
el => {
  const inner = Array.from(el.querySelectorAll("[role=menu],[role=group],[role=listbox],[role=tree],ul,ol"));
  const gather = node => node.nodeType === 3 ? node.nodeValue : node.nodeType !== 1 || inner.includes(node) ? " " : Array.from(node.childNodes).map(gather).join(" ");
  return (inner.length ? gather(el) : el.innerText || el.textContent || "").replace(/\s+/g, " ").trim();
}

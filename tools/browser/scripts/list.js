el => {
  const list = el.matches("ul,ol,dl,[role=list],[role=listbox],select,[role=menu],[role=tree],[role=feed]") ? el : el.querySelector("ul,ol,dl,[role=list],[role=listbox],select") || el.closest("ul,ol,[role=list]") || el;
  const squeeze = text => (text || "").replace(/\s+/g, " ").trim();
  if (list.localName === "select") return Array.from(list.options).map(option => squeeze(option.label));
  let items = Array.from(list.querySelectorAll("li,[role=listitem],[role=option],[role=treeitem],[role=menuitem],dt,dd"));
  if (!items.length) items = Array.from(list.children);
  return items.filter(item => item.getBoundingClientRect().height > 0).map(item => squeeze(item.innerText)).filter(Boolean);
}

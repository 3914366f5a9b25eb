// Select a quotation from what an element says, wherever its words are broken; false if it is not there.
(el, quote) => {
  const escape = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(quote.trim().split(/\s+/).map(escape).join("\\s+"), "i");
  if (el.value !== undefined && el.setSelectionRange) {
    const found = pattern.exec(el.value);
    if (!found) return false;
    el.focus();
    el.setSelectionRange(found.index, found.index + found[0].length);
    return true;
  }
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), nodes = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) { nodes.push([node, text.length]); text += node.nodeValue; }
  const found = pattern.exec(text);
  if (!found) return false;
  const place = at => { const [node, start] = nodes.filter(([, begin]) => begin <= at).pop(); return [node, at - start]; };
  const range = document.createRange(), [last, end] = place(found.index + found[0].length - 1);
  range.setStart(...place(found.index));
  range.setEnd(last, end + 1);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return true;
}

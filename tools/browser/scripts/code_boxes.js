// The boxes beside one that takes a single sign, from it on: together they take a code.
el => {
  if (el.localName !== "input" || el.maxLength !== 1) return [];
  let row = el.parentElement;
  while (row && row.querySelectorAll("input").length < 2) row = row.parentElement;
  const boxes = row ? Array.from(row.querySelectorAll("input")).filter(each => each.maxLength === 1 && each.getBoundingClientRect().width > 0) : [];
  return boxes.slice(boxes.indexOf(el));
}

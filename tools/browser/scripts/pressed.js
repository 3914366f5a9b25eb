// What is pressed to turn a box: the box, if the pointer reaches it, else its label.
el => {
  el.scrollIntoViewIfNeeded(true);
  const rect = el.getBoundingClientRect(), hit = el.getRootNode().elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
  return rect.width > 1 && hit === el ? el : (el.labels && el.labels[0]) || el.closest("label") || el;
}

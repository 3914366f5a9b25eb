([el, way, amount, share]) => {
  const root = document.scrollingElement || document.documentElement;
  const scrolls = each => each.scrollHeight > each.clientHeight + 2 || each.scrollWidth > each.clientWidth + 2;
  let box = el || root;
  if (el) { while (box && box !== document.body && !(scrolls(box) && /auto|scroll/.test(getComputedStyle(box).overflowY + getComputedStyle(box).overflowX))) box = box.parentElement; box = box && box !== document.body ? box : root; }
  const before = [box.scrollLeft, box.scrollTop];
  const step = amount || Math.round((way === "left" || way === "right" ? box.clientWidth : box.clientHeight) * share);
  const to = { up: [before[0], before[1] - step], down: [before[0], before[1] + step], left: [before[0] - step, before[1]], right: [before[0] + step, before[1]], top: [before[0], 0], bottom: [before[0], box.scrollHeight] }[way];
  box.scrollTo({ left: to[0], top: to[1], behavior: "instant" });
  return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve([before, [box.scrollLeft, box.scrollTop]]))));
}

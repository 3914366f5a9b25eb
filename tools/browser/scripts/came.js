// What is shown now and was not before; of things in one another that say the same, the innermost.
([now, before]) => {
  const known = new Set(before), came = now.filter(el => !known.has(el)), all = new Set(came);
  const says = el => el.textContent.trim();
  return came.filter(el => !(el.firstElementChild && all.has(el.firstElementChild) && says(el.firstElementChild) === says(el)));
}

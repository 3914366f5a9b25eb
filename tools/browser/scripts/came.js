// What is shown now and was not before. Of things that say the same, the innermost, and rather one that is an option.
([now, before]) => {
  const OPTION = "[role=option],[role=menuitem],li,[class*=option i],[class*=item i]";
  const known = new Set(before), came = now.filter(el => !known.has(el)), all = new Set(came);
  const says = el => el.textContent.trim();
  const inner = came.filter(el => !(el.firstElementChild && all.has(el.firstElementChild) && says(el.firstElementChild) === says(el)));
  const kept = new Map();
  for (const el of inner) {
    const same = kept.get(says(el)) || [], option = el.closest(OPTION);
    if (!same.length || (option && same.every(other => !other.closest(OPTION)))) kept.set(says(el), [el]);
    else if (Boolean(option) === Boolean(same[0].closest(OPTION)) && same.every(other => option === null || !other.closest(OPTION).contains(el))) same.push(el);
  }
  return Array.from(kept.values()).flat();
}

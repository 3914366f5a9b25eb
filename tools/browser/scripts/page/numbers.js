// Elements are numbered for as long as they live; changes of the document are counted.

const numbers = new WeakMap(), elements = new Map(), signs = new Map();
// What each entry of a list said when it was seen: pages use the same elements for other entries.
const entryTexts = new WeakMap();
let next = 1, changes = 0, changedAt = performance.now();
const watch = root => {
  try {
    new MutationObserver(() => { changes++; changedAt = performance.now(); }).observe(
      root, { subtree: true, childList: true, characterData: true, attributes: true });
  } catch { /* a document that cannot be watched counts as quiet */ }
};
watch(document);

const lastNumber = () => next - 1;
const numberOf = el => {
  let number = numbers.get(el);
  if (number === undefined) { number = next++; numbers.set(el, number); }
  if (!elements.has(number)) elements.set(number, el); // new, or put back into the page
  return number;
};

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
// Where each element was seen, and since when it has been seen there at every look.
const places = new Map();
const STILL_MS = 50; // three frames: longer than Playwright looks whether something moves
const isSameBox = (one, other) => one.every((part, at) => part === other[at]);
function notePlace(number, rect) {
  const known = places.get(number);
  if (!known || !isSameBox(known.rect, rect)) places.set(number, { rect, since: performance.now() });
}
// Whether an element is where it has been at every look for a while: then nobody need wait and see whether it moves.
const isStill = (number, rect) => { const known = places.get(number); return Boolean(known) && isSameBox(known.rect, rect) && performance.now() - known.since >= STILL_MS; };

const numberOf = el => {
  let number = numbers.get(el);
  if (number === undefined) { number = next++; numbers.set(el, number); }
  if (!elements.has(number)) elements.set(number, el); // new, or put back into the page
  return number;
};

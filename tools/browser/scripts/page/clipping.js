// What is cut off by a part around it, and what is not: a box cuts off only what is laid out in it.

// The window takes over how the root element treats what overflows, or else how the body does: that cuts off nothing.
const isWindow = el => el === document.documentElement || el === document.body && styleOf(document.documentElement).overflowX === "visible" && styleOf(document.documentElement).overflowY === "visible";
const MOVES = ["transform", "translate", "rotate", "scale", "perspective", "filter", "backdropFilter"];
const holdsFixed = style => MOVES.some(name => style[name] && style[name] !== "none") || /transform|perspective|filter/.test(style.willChange) || /paint|layout|strict|content/.test(style.contain);
// Whether something is laid out past a part that it stands in: fixed to the window, or to what is around that part.
function escapes(el, around) {
  const position = styleOf(el).position;
  if (position !== "fixed" && position !== "absolute") return false;
  for (let up = parentOf(el); up; up = parentOf(up)) {
    const style = styleOf(up);
    if (position === "absolute" && style.position !== "static" || holdsFixed(style)) return false;
    if (up === around) return true;
  }
  return true;
}
// Whether something is laid out past a part, by itself or with what it is in.
function isPast(el, around) {
  for (let up = el; up && up !== around; up = parentOf(up)) if (escapes(up, around)) return true;
  return false;
}

// Parts without a size that hide what overflows them, around what is being visited.
let flats = [];
const isFlat = (el, width, height) => (width <= 1 || height <= 1) && el instanceof HTMLElement && !isBoxless(el) && !isWindow(el) && styleOf(el).overflowX !== "visible";
// How far what is being visited was scrolled, by the window and by parts of the page.
let scrolledX = 0, scrolledY = 0;
const isUnreachable = rect => rect[0] + rect[2] + scrolledX <= 0 || rect[1] + rect[3] + scrolledY <= 0;

// A veil lies over the page; what is as large as the window and has nothing behind it is the page.
const veiling = new Map();
function veils(el) {
  if (!el || el === document.body || el === document.documentElement) return false;
  const style = styleOf(el);
  if (style.position !== "fixed" || style.display === "none") return false;
  if (!veiling.has(el)) { const rect = el.getBoundingClientRect(); veiling.set(el, rect.width >= innerWidth * 0.95 && rect.height >= innerHeight * 0.95 && hasBehind(el)); }
  return veiling.get(el);
}
function hasBehind(veil) {
  for (let branch = veil; branch.parentElement && branch !== document.body; branch = branch.parentElement)
    for (const other of branch.parentElement.children) if (other !== branch && isBehind(other, branch)) return true;
  return false;
}
const levelOf = style => parseInt(style.zIndex) || 0;
function isBehind(other, branch) {
  if (SKIPPED.has(other.localName) || isGone(other) || Math.max(other.offsetWidth, other.scrollWidth) <= 1 || Math.max(other.offsetHeight, other.scrollHeight) <= 1) return false;
  const style = styleOf(other), above = levelOf(style) - levelOf(styleOf(branch));
  if (style.position === "static") return true;
  return above < 0 || above === 0 && Boolean(branch.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING);
}

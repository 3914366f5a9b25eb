// How an element is used: where the pointer goes, and what keeps a click from all else.

function grip(el) {
  if (el.localName === "area") return pictureOf(el) || el;
  if (!el.labels || !el.labels.length) return el;
  const rect = box(el), style = getComputedStyle(el);
  const seen = !isGone(el) && !isFaint(style) && rect[2] > 1 && rect[3] > 1 && !isUnreachable(rect);
  styles.clear();
  return seen ? el : Array.from(el.labels).find(label => label.getBoundingClientRect().width > 1) || el;
}

const REACH = 40; // pixels into a long line
const MOST_INNER = 400;
// Where an element is itself: on the longest of its own texts, if its middle belongs to something in it.
function spotOn(el) {
  const parts = Array.from(el.querySelectorAll("a,button,input,select,textarea,li,tr,[role],[onclick],[tabindex]"));
  const listening = Array.from(el.querySelectorAll("*")).slice(0, MOST_INNER).filter(handled);
  const text = longestText(el, parts.concat(listening)) || longestText(el, parts); // its own words may listen for it
  const rect = el.getBoundingClientRect();
  return text && { x: text.left - rect.left + Math.min(text.width / 2, REACH), y: text.top - rect.top + text.height / 2 };
}
function longestText(el, inner) {
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  let best = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!squeeze(node.nodeValue) || inner.some(each => each.contains(node))) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getClientRects()[0];
    if (text && text.width > 0 && (!best || text.width > best.width)) best = text;
  }
  return best;
}
// Ready to be clicked in its middle: seen, usable, unmoved for two frames or longer, and nothing over it.
const under = (x, y) => { let el = document.elementFromPoint(x, y); while (el && el.shadowRoot) { const inner = el.shadowRoot.elementFromPoint(x, y); if (!inner || inner === el) break; el = inner; } return el; };
const isWithin = (inner, el) => { for (let up = inner; up; up = parentOf(up)) if (up === el) return true; return false; };
const FRAME_MS = 150; // a page that is not shown draws no frames
const frame = () => new Promise(resolve => { const late = later(resolve, FRAME_MS, false); requestAnimationFrame(() => { clearTimeout(late); resolve(true); }); });
async function isReady(el, number) {
  if (window !== top || el.matches(":disabled") || el.closest('[aria-disabled="true"]') || !el.checkVisibility(SEEN)) return false;
  el.scrollIntoViewIfNeeded(true);
  if (!isStill(number, box(el))) {
    await frame();
    const before = box(el);
    if (!await frame() || !isSameBox(before, box(el))) return false;
  }
  if (!el.isConnected || el.getClientRects().length !== 1) return false;
  const now = box(el), x = now[0] + now[2] / 2, y = now[1] + now[3] / 2;
  if (now[2] < 1 || now[3] < 1 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
  return isWithin(under(x, y), el);
}
// What is used by the browser itself, or by whoever made it a control; anything else is plain, whatever stands in it.
const USABLE = "a[href],area,button,input,select,textarea,option,summary,iframe,frame,canvas,video,audio,embed,object,[tabindex]";
const isUsable = el => el.matches(USABLE) || CONTROLS.has(roleOf(el)) || Boolean(el.control) || el.isContentEditable;
// Whether a click at a point of an element reaches a control: "plain" if not, "within" if what is around it was noted to listen.
function sortAt(el, x, y) {
  styles.clear();
  const hit = under(x, y), pointed = hit && styleOf(hit).cursor === "pointer";
  styles.clear();
  if (!hit || pointed || !isWithin(hit, el)) return "";
  let within = false;
  for (let up = hit; up && up !== document.body && up !== document.documentElement; up = parentOf(up)) {
    if (isUsable(up) && (up === hit || !up.hasAttribute("tabindex") || CONTROLS.has(roleOf(up)))) return "";
    if (handled(up)) { if (isWithin(up, el)) return ""; within = true; }
  }
  return within ? "within" : "plain";
}
const MOST_AIMS = 4; // at what is drawn anew meanwhile
const GUARDED_MS = 5000; // longer than a click may take
// From now on a click that does not arrive at the element arrives nowhere.
const CLICKS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
let guard = null;
function unguard() { if (guard) { for (const type of CLICKS) window.removeEventListener(type, guard.listen, true); clearTimeout(guard.end); guard = null; } }
const leadsOut = el => el.localName === "a" && /^[a-z]/.test(el.protocol || "") && !/^(https?|javascript|blob|data|about|file|ftp):$/.test(el.protocol);
function guardFor(el) {
  unguard();
  const made = { arrived: null, clicked: false, out: "", end: later(unguard, GUARDED_MS) };
  made.listen = event => {
    if (!event.isTrusted) return;
    const within = isWithin(event.composedPath()[0], el);
    if (made.arrived === null) made.arrived = within;
    // What moves away under the pressed button leaves the click to what is around it; what was removed by then has had its press.
    if (event.type === "click" && !made.clicked) { made.clicked = true; if (made.arrived && !within && el.isConnected) made.arrived = false; }
    if (!made.arrived) { event.preventDefault(); event.stopImmediatePropagation(); }
    // A link to a program of the system would open a dialog of the browser's own, which then keeps all input for itself.
    else if (event.type === "click" && (made.out = (event.composedPath().find(leadsOut) || {}).href)) event.preventDefault();
  };
  for (const type of CLICKS) window.addEventListener(type, made.listen, true);
  guard = made;
}
const kin = el => Array.from((el.getRootNode().isConnected ? el.getRootNode() : document).querySelectorAll(el.localName));

// The pass: every element that a person could speak of becomes a record, in the order of the document.

const MOST_NODES = 250000, MOST_RECORDS = 40000;
let records, visited, truncated;
// A record, as messages/pages.py reads it: what is empty at its end is left out.
const RECT = 2, SHOWN = 11;
function packed(given) {
  const row = [given.number, given.kind, given.rect, given.parent, given.name || "", given.affords || 0, given.href || "", given.weak || "",
    given.states || [], given.others || [], given.value || "", given.shown || 0, given.level || 0, given.about || "", given.colours || [], given.reveals || ""];
  while (row.length > 4) { const last = row[row.length - 1]; if (last && (last.length === undefined || last.length)) break; row.pop(); }
  return row;
}
const box = el => { const rect = el.getBoundingClientRect(); return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)]; };
const boxOfText = node => { const range = document.createRange(); range.selectNodeContents(node); const rect = range.getBoundingClientRect(); return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)]; };
function boxAround(el) {
  const parts = el.localName === "slot" ? Array.from(childrenOf(el)).filter(node => node.nodeType === 1 || isText(node)) : Array.from(el.children);
  const boxes = parts.map(part => part.nodeType === 1 ? box(part) : boxOfText(part)).filter(rect => rect[2] > 0 && rect[3] > 0);
  if (!boxes.length) return [0, 0, 0, 0];
  const left = Math.min(...boxes.map(rect => rect[0])), top = Math.min(...boxes.map(rect => rect[1]));
  return [left, top, Math.max(...boxes.map(rect => rect[0] + rect[2])) - left, Math.max(...boxes.map(rect => rect[1] + rect[3])) - top];
}
let coloured = true;
let clip = null; // where the part of the page that is being seen can be seen at all
const isFaint = style => style.opacity !== "1" && parseFloat(style.opacity) < 0.05;

// What is faint and has a field in its middle is faint only until it is used.
function showsField(el) {
  const rect = el.getBoundingClientRect();
  const hit = rect.width > 20 && rect.height > 10 ? under(rect.left + rect.width / 2, rect.top + rect.height / 2) : null;
  return Boolean(hit) && hit.matches("input,textarea,select") && isWithin(hit, el);
}

const ENTRY = new Set(["row", "listitem", "article", "option", "treeitem"]);
const isEntry = (el, role) => ENTRY.has(role) || !role && Boolean(el.className) && ((el.nextElementSibling || {}).className === el.className || (el.previousElementSibling || {}).className === el.className);

// Visit an element with what it is laid out in: what escapes a part is neither cut off by it nor scrolled with it.
function visit(el, parent, hiddenBy, pointer) {
  if (SKIPPED.has(el.localName) || visited++ > MOST_NODES || records.length > MOST_RECORDS) { truncated = truncated || !SKIPPED.has(el.localName); return; }
  const flatsAround = flats, clipAround = clip, scrolledAroundX = scrolledX, scrolledAroundY = scrolledY;
  const isScrolled = scrolledX !== scrollX || scrolledY !== scrollY;
  if (flats.length || isScrolled) { // else where it is laid out is not asked for: that is dear
    flats = flats.filter(flat => !escapes(el, flat));
    if (isScrolled && styleOf(el).position === "fixed") { scrolledX = scrollX; scrolledY = scrollY; }
  }
  visitPart(el, parent, hiddenBy, pointer);
  flats = flatsAround; clip = clipAround; scrolledX = scrolledAroundX; scrolledY = scrolledAroundY;
}
function visitPart(el, parent, hiddenBy, pointer) {
  const cutBy = flats.length ? flats[flats.length - 1] : null;
  if (el.localName === "area") { if (!hiddenBy && !cutBy) visitArea(el, parent); return; }
  const role = roleOf(el), tag = el.localName, control = CONTROLS.has(role);
  let unseen = hiddenBy || cutBy || (!el.checkVisibility(SEEN) && !isBoxless(el));
  if (unseen && !hiddenBy && !cutBy && control && el.checkVisibility(KEPT) && isTouched(el, role, box(el))) unseen = null; // laid over what is drawn
  if (unseen && !hiddenBy) {
    const style = styleOf(el);
    if (style.display === "none" || isFaint(style) && !/^(input|select|textarea)$/.test(tag) && !showsField(el)) hiddenBy = el;
  }
  if (clip && !unseen && isOutside(el.getBoundingClientRect(), clip) && !isPast(el, clip.by) && turnedTo(el)) unseen = hiddenBy = el; // a slide that was not turned to
  // The style of controls is not needed: what they are says what they are for.
  const style = control && !coloured ? null : styleOf(el);
  let at = parent;
  const cursor = style ? style.cursor : ""; // asked for once: it is one of the dearest questions
  const record = describe(el, role, tag, style, cursor, parent, unseen ? hiddenBy || cutBy || el : null, pointer);
  const overflows = overflow;
  if (record) { at = records.length; records.push(record); }
  if (!unseen && el.firstElementChild && isEntry(el, role)) entryTexts.set(el, el.textContent);
  if (record && !unseen && el.firstElementChild && el.childNodes.length > el.childElementCount && ownText(el) && el.querySelector("input,select,textarea,button,a")) visitTexts(el, at);
  if (tag === "select") { for (const option of el.options) visitOption(option, at, record); return; }
  if (tag === "svg" && !el.querySelector("[onclick],a,text,[tabindex],[role],rect,circle,polygon,ellipse")) return;
  if (tag === "iframe" || tag === "textarea" || tag === "canvas" || tag === "video") return;
  if (!el.firstElementChild && !el.shadowRoot && tag !== "slot") return; // what a slot shows is not in it
  const points = control || cursor === "pointer";
  const [, , width, height] = record ? record[RECT] : [0, 0, el.offsetWidth, el.offsetHeight];
  if (!hiddenBy && isFlat(el, width, height)) flats = flats.concat(el);
  if (overflows !== "visible" && !isWindow(el) && el !== document.body && !hiddenBy) {
    clip = clipBy(el, style);
    if (/auto|scroll/.test(overflows)) { scrolledX += el.scrollLeft; scrolledY += el.scrollTop; }
  }
  if (el.shadowRoot || tag === "slot" || tag === "details") {
    for (const child of childrenOf(el)) if (child.nodeType === 1) visit(child, at, hiddenBy || (tag === "details" && !el.open && child.localName !== "summary" ? child : null), points);
  } else for (let child = el.firstElementChild; child; child = child.nextElementSibling) visit(child, at, hiddenBy, points);
}
// A part of a picture that can be clicked has no box of its own: it is where its picture is.
const pictureOf = area => { const map = area.closest("map"); return map && map.name ? document.querySelector(`img[usemap="#${CSS.escape(map.name)}"]`) : null; };
function middleOf(area) {
  const numbers = (attr(area, "coords") || "").split(/[\s,]+/).map(Number).filter(number => !isNaN(number));
  const shape = (attr(area, "shape") || "rect").toLowerCase();
  if (shape.startsWith("circ") && numbers.length >= 3) return { x: numbers[0], y: numbers[1], reach: numbers[2] };
  const xs = numbers.filter((_, at) => at % 2 === 0), ys = numbers.filter((_, at) => at % 2 === 1);
  if (!xs.length || !ys.length) return null;
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return { x: (left + right) / 2, y: (top + bottom) / 2, reach: Math.min(right - left, bottom - top) / 2 };
}
function visitArea(el, parent) {
  const picture = pictureOf(el), middle = middleOf(el);
  if (!picture || !middle || isGone(picture)) return;
  const [x, y] = box(picture), name = nameOf(el, "link"), number = numberOf(el);
  signs.set(number, "area\n" + name);
  const rect = [Math.round(x + middle.x - middle.reach), Math.round(y + middle.y - middle.reach), Math.round(2 * middle.reach), Math.round(2 * middle.reach)];
  records.push(packed({ number, kind: "area", rect, parent, name, affords: CLICKABLE, href: el.href || "" }));
}
// Texts between controls are no elements, but things are told by them: "the field left of cm".
function visitTexts(el, parent) {
  for (const node of childrenOf(el)) {
    const text = node.nodeType === 3 ? squeeze(node.nodeValue.replace(PRIVATE, " ")) : "";
    if (!text || text.length > 80) continue;
    const rect = boxOfText(node);
    if (rect[2] > 0) records.push(packed({ number: -records.length, kind: "text", name: text, rect, parent, affords: RUN }));
  }
}
function visitOption(option, parent, list) {
  const name = cut(squeeze(option.label || option.textContent));
  const states = statesOf(option, "option");
  const group = option.parentElement.localName === "optgroup" ? squeeze(option.parentElement.label) : "";
  if (option.parentElement.disabled && !states.includes("disabled")) states.push("disabled");
  const number = numberOf(option);
  signs.set(number, "option\n" + name);
  records.push(packed({ number, kind: "option", name, value: option.value !== name ? squeeze(option.value) : "", states, rect: list ? list[RECT] : [0, 0, 0, 0], parent, affords: CLICKABLE, shown: list && list[SHOWN] || 0, about: group }));
}

// One element, described: its kind, what it goes by, what can be done with it.

let overflow = "visible"; // of the element that was described last
const SHAPES = new Set(["rect", "circle", "ellipse", "polygon", "path", "line", "text", "g"]);
function describe(el, role, tag, style, cursor, parent, unseen, pointer) {
  overflow = "visible";
  const shape = el instanceof SVGElement && tag !== "svg";
  if (shape && !SHAPES.has(tag)) return null;
  const control = CONTROLS.has(role);
  let rect = box(el), proxy = 0;
  if (!unseen && rect[2] === 0 && rect[3] === 0 && (el.firstElementChild || tag === "slot") && isBoxless(el)) rect = boxAround(el);
  let hidden = unseen;
  const small = rect[2] <= 1 || rect[3] <= 1;
  if (!hidden && role !== "option") {
    if (small && (control || !el.childElementCount)) hidden = el;
    if (isUnreachable(rect)) hidden = el;
  }
  if (hidden && (role === "checkbox" || role === "radio" || role === "switch" || role === "file") && el.labels) {
    // Boxes are often hidden behind what a label draws; a person uses the label.
    const label = Array.from(el.labels).find(each => !isGone(each) && each.getBoundingClientRect().width > 1);
    if (label) { hidden = null; rect = box(label); proxy = numberOf(label); }
  }
  const own = ownText(el), leaf = el.childElementCount === 0 && !el.shadowRoot;
  const acts = control || handled(el);
  const points = !control && cursor === "pointer" && !pointer || !control && own && leaf && cursor !== "pointer" && !shape && isLaidOver(el.parentElement);
  const used = acts || points || tag === "i" || tag === "svg" || tag === "img" || (!own && el.childElementCount === 0);
  const icon = !hidden && rect[2] > 0 && tag !== "input" && used && looksIconic(el, rect);
  const container = CONTAINERS.has(role);
  const drawn = leaf && !own && !control && rect[2] >= 4 && rect[3] >= 4 && (shape || isDrawn(el, style));
  const marked = isMarked(el);
  const tabs = marked && attr(el, "tabindex") !== null && el.tabIndex >= 0;
  overflow = !shape && !control && !leaf ? style.overflowY : "visible"; // asked for once, as it is dear
  const scrolls = overflow !== "visible" && canScroll(el, style);
  const floats = !hidden && !leaf && (role === "" || role === "region" || role === "complementary") && floatsAbove(el, style, rect);
  const labelled = !role && marked && (attr(el, "aria-label") || attr(el, "title"));
  if (!(role || floats || own || acts || points || icon || drawn || tabs || scrolls || labelled || el.draggable === true)) {
    // What holds several things together has no name, but says what belongs together.
    if (el.childElementCount < 2 && !el.shadowRoot || hidden || shape) return null;
    return packed({ number: numberOf(el), kind: "wrap", rect, parent, weak: weakWords(el, false) || squeeze(attr(el, "class")).toLowerCase() });
  }
  if (role === "paragraph" && !own && !el.childElementCount) return null;
  let kind = role;
  if (role === "paragraph" && !own && (!content(el) || el.querySelector("button,input,select,textarea,a"))) kind = "wrap";
  if (floats) kind = "dialog";
  if (!kind) kind = shape ? "shape" : icon && !own ? "icon" : own ? "text" : drawn ? "box" : "generic";
  const traits = { role, tag, marked, control, container, own, acts, points, pointer, tabs, icon, scrolls, floats, cursor };
  const { name, others } = namesFor(el, traits);
  const affords = affordsOf(el, traits);
  const states = marked || role !== "link" ? statesOf(el, role) : el === focused ? ["focused"] : [];
  const isCell = role === "cell" || role === "columnheader" || role === "rowheader";
  const level = role === "heading" ? parseInt(attr(el, "aria-level") || tag.slice(1)) || 2 : isCell ? columnOf(el) : 0;
  const number = numberOf(el);
  signs.set(number, kind + "\n" + name);
  notePlace(number, rect);
  let shown = 0, how = "";
  if (hidden) {
    shown = -1;
    const revealer = revealerOf(hidden);
    if (revealer) { shown = numberOf(revealer[0]); how = revealer[1]; }
  }
  const about = role === "label" && el.control ? String(numberOf(el.control)) : proxy ? "@" + proxy : "";
  const type = tag === "input" ? el.type : tag === "textarea" ? tag : "";
  let weak = weakWords(el, icon || (!name && (acts || points)));
  if (kind === "shape" || kind === "box" || !name && leaf && rect[2] > 0) weak = (weak + " " + shapeOf(el, tag, styleOf(el), rect)).trim();
  const href = tag === "a" ? hrefOf(el) : type ? "type:" + type : "";
  const seen = hidden || !coloured ? [] : coloursOf(el, style);
  return packed({ number, kind, rect, parent, name, affords, href, weak, states, others, value: valueOf(el, role), shown, level, about, colours: seen, reveals: how });
}
// A small part of nothing but short texts that is laid over the page: a menu, whatever its markup.
const MOST_ENTRIES = 30, LONGEST_ENTRY = 40;
function isLaidOver(el) {
  if (!el || el === document.body || el.childElementCount < 2 || el.childElementCount > MOST_ENTRIES) return false;
  const style = styleOf(el);
  if (style.position !== "absolute" && style.position !== "fixed" || ownText(el)) return false;
  const children = Array.from(el.children);
  return children.every(child => child.localName === children[0].localName && !child.childElementCount && child.textContent.trim() && child.textContent.length <= LONGEST_ENTRY);
}
// A leaf without a text that has something to be seen by, or at least is called something.
function isDrawn(el, style) {
  return Boolean(colourName(style.backgroundColor)) || style.backgroundImage !== "none" || Boolean(el.id) || Boolean(attr(el, "class")) || parseFloat(style.borderTopWidth) > 0;
}
function canScroll(el, style) {
  if (!/auto|scroll/.test(style.overflowY + style.overflowX) || el === document.body || el === document.documentElement) return false;
  return el.scrollHeight > el.clientHeight + 4 || el.scrollWidth > el.clientWidth + 4;
}
// What an element goes by: its name, and all else that it may be called.
function namesFor(el, { role, tag, marked, control, container, own, acts, points, tabs }) {
  let name = nameOf(el, role, marked);
  if (!name && !container && !FIELDS.has(role) && (own || acts || points || tabs)) name = content(el);
  if (role === "label" && el.control) name = labelText(el, el.control);
  const others = [];
  const also = text => { text = cut(squeeze(text)); if (text && text !== name && !others.includes(text)) others.push(text); };
  const isField = FIELDS.has(role);
  if (isField) for (const text of labelTexts(el)) also(text);
  if (marked) for (const given of ["placeholder", "aria-placeholder", "title", "alt", "data-placeholder"]) also(attr(el, given));
  if (control && role !== "textbox" && !isField) also(content(el));
  if (tag === "svg") { const title = el.querySelector("title"); if (title) also(title.textContent); }
  if (isField && (!name || name === attr(el, "placeholder") || name === attr(el, "title"))) {
    const near = besides(el);
    if (name) also(near); else name = near;
  }
  if (isField && !name) name = squeeze(attr(el, "placeholder"));
  if (!control && !container && own) also(labelBefore(el));
  if (role === "" && (acts || points) && el.childElementCount && isWidget(el)) also(besides(el));
  if (marked && role === "button" && attr(el, "aria-haspopup")) also(besides(el));
  if (marked && control) also(referenced(el, "aria-describedby"));
  return { name, others };
}
function affordsOf(el, { role, tag, marked, control, container, own, acts, points, pointer, tabs, icon, scrolls, floats, cursor }) {
  let affords = 0;
  if (acts || role === "label" && el.control) affords |= CLICKABLE;
  if (points || tabs || control || (pointer && (own || icon)) || cursor === "pointer") affords |= POINTED;
  const edits = role === "textbox" || role === "searchbox" || role === "spinbutton" || (role === "combobox" && tag === "input");
  if (edits || (isTextField(el) && role !== "")) affords |= EDITABLE;
  const pressed = role === "button" && attr(el, "aria-pressed") !== null;
  if (BOXES.has(role) || marked && (attr(el, "aria-checked") !== null || pressed)) affords |= CHECKABLE;
  if (role === "combobox" || role === "listbox" || marked && attr(el, "aria-haspopup") === "listbox") affords |= CHOOSABLE;
  if (container) affords |= CONTAINER;
  if (role === "file") affords |= FILE;
  if (role === "slider" || role === "spinbutton") affords |= RANGED;
  if (el.draggable === true && tag !== "img" && tag !== "a") affords |= DRAGGED;
  if (scrolls) affords |= SCROLLED;
  if (icon) affords |= ICON;
  if (role === "label" && el.control) affords |= LABEL;
  if (role === "date") affords |= TIMED_FIELD;
  if (role === "color") affords |= COLOUR;
  if (floats && isVeiled(el) || isModal(el, role, tag)) affords |= MODAL;
  return affords;
}
function isModal(el, role, tag) {
  if (role !== "dialog" && role !== "alertdialog") return false;
  return attr(el, "aria-modal") === "true" || (tag === "dialog" && el.open && el.matches(":modal")) || styleOf(el).position === "fixed";
}
// A box that is not drawn, but lies over what is drawn for it and takes the pointer.
function isTouched(el, role, rect) {
  if (!/^(checkbox|radio|switch|textbox|searchbox|spinbutton|combobox|slider)$/.test(role) || rect[2] < 10 || rect[3] < 10) return false;
  const at = el.getRootNode().elementFromPoint(rect[0] + rect[2] / 2, rect[1] + rect[3] / 2);
  return at === null || at === el;
}
// A part of the page that stands above the rest, as a dialog does that nobody has called one.
function floatsAbove(el, style, rect) {
  const laid = el.parentElement && el.parentElement.childElementCount === 1 && veils(el.parentElement); // on a veil of its own
  if (!laid && style.position !== "fixed" && !(style.position === "absolute" && parseInt(style.zIndex) > 0)) return false;
  if (rect[2] > innerWidth * 0.9 || rect[2] < 120 || rect[3] < 60 || rect[3] > innerHeight * 0.95) return false;
  if (!el.querySelector("button,a,input,[role=button]") || /^(nav|header|footer|ul|menu)$/.test(el.localName)) return false;
  return style.position === "fixed" ? rect[0] > 8 || isVeiled(el) : isVeiled(el);
}
function isVeiled(el) {
  for (let up = el.parentElement; up; up = up.parentElement) if (veils(up)) return true;
  return [el.previousElementSibling, el.nextElementSibling].some(veils);
}
function shapeOf(el, tag, style, rect) {
  if (tag === "circle" || tag === "ellipse") return tag === "circle" ? "circle dot" : "oval ellipse";
  if (tag === "polygon") return (attr(el, "points") || "").trim().split(/[\s,]+/).length === 6 ? "triangle" : "polygon";
  if (tag === "line" || tag === "path" || tag === "text") return tag === "line" ? "line" : "";
  const round = parseFloat(style.borderTopLeftRadius) || 0;
  if (style.borderTopLeftRadius.endsWith("%") ? round >= 45 : round >= Math.min(rect[2], rect[3]) * 0.45 && round > 3) return "circle dot";
  return Math.abs(rect[2] - rect[3]) < 4 ? "square rectangle" : "rectangle";
}
const hrefOf = link => { const href = attr(link, "href") || ""; return href[0] === "#" ? href : link.href; };
function columnOf(cell) {
  let column = 0;
  for (let before = cell.previousElementSibling; before; before = before.previousElementSibling) column += before.colSpan || 1;
  return column + 1;
}

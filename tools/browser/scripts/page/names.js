// What an element is called: by its labels, its content, or what stands beside it.

const isTextField = el => el.localName === "textarea" || (el.localName === "input" && TEXTUAL.has(el.type)) || el.isContentEditable;
function labelTexts(el) {
  const texts = [];
  if (el.labels) for (const label of el.labels) texts.push(labelText(label, el));
  // What says something itself is not called by what is said of the whole widget.
  if (!texts.some(Boolean) && (/^(input|select|textarea)$/.test(el.localName) || !content(el))) texts.push(hostLabel(el));
  return texts.filter(Boolean);
}
// What a widget of the page's own is called is said outside of it, and its field is inside.
function hostLabel(el) {
  const root = el.getRootNode(), host = root instanceof ShadowRoot ? root.host : null;
  if (!host || root.querySelectorAll(FIELD).length > 1) return "";
  const label = host.closest("label") || (host.id && host.getRootNode().querySelector(`label[for="${CSS.escape(host.id)}"]`));
  return squeeze(attr(host, "aria-label") || attr(host, "label")) || (label ? gathered(label, false) : "") || (/^(checkbox|radio|switch)$/.test(el.type || "") ? gathered(host, true) : "");
}
function labelText(label, control) {
  if (!label.contains(control)) return content(label);
  return gathered(label, false);
}
function referenced(el, name) {
  const ids = attr(el, name);
  if (!ids) return "";
  return cut(squeeze(ids.trim().split(/\s+/).map(id => { const other = byId(el, id); return other ? (attr(other, "aria-label") || content(other, true) || other.value || "") : ""; }).join(" ")));
}
// Whether a field stands in a row of several, under the head of its column.
function isColumn(el) {
  const row = el.closest("tr");
  if (!row || row.querySelector("th:not([scope=row]):not(:first-child)") || row.querySelectorAll("input:not([type=hidden]),select,textarea").length < 2) return false;
  const first = row.closest("table").querySelector("tr");
  return Boolean(first) && first !== row && first.querySelectorAll("th").length > 2;
}
const FIELD = "input:not([type=hidden]),select,textarea,[role=switch],[role=checkbox],[role=radio],[role=slider],[role=combobox],[role=textbox],[role=spinbutton]";
// The pointer of a whole row that can be clicked says nothing of what is in it.
const pointsItself = el => styleOf(el).cursor === "pointer" && !(el.parentElement && styleOf(el.parentElement).cursor === "pointer");
const onOneLine = (node, el) => { const one = node.getBoundingClientRect ? node.getBoundingClientRect() : null, other = el.getBoundingClientRect(); return !one || one.top < other.bottom && one.bottom > other.top; };
// The text that stands beside a field without any markup that says so.
function besides(el) {
  const hidden = isGone(el.parentElement || el); // what is hidden with it would be beside it
  const after = el.type === "checkbox" || el.type === "radio" || /^(checkbox|radio|switch)$/.test(attr(el, "role") || "");
  const plain = node => {
    if (!node) return "";
    if (node.nodeType === 3) return squeeze(node.nodeValue.replace(PRIVATE, " "));
    if (node.nodeType !== 1 || SKIPPED.has(node.localName) || isGone(node) && !hidden) return "";
    if (/^h[12]$/.test(node.localName) || pointsItself(node) || node.onclick) return null;
    if (node.matches("input,select,textarea,button,table,form,ul,ol,fieldset") || node.querySelector("input,select,textarea,button,table")) return null;
    return content(node);
  };
  const beside = (start, forward) => {
    for (let node = start, steps = 0; node && steps < 6; node = forward ? node.nextSibling : node.previousSibling, steps++) {
      const text = plain(node);
      if (text === null) return "";
      if (text && !/[\p{L}\p{N}]/u.test(text)) continue; // a mere sign, as before an amount
      if (text && text.length <= 80) return text;
      if (text) return "";
    }
    return "";
  };
  const over = el.nextElementSibling;
  if (!after && over && isTextField(el) && !isGone(over) && /^(span|div|label)$/.test(over.localName)) {
    // A label that is drawn into its field.
    const own = el.getBoundingClientRect(), other = over.getBoundingClientRect();
    if (other.left < own.right && other.right > own.left && other.top < own.bottom && other.bottom > own.top - 12 && other.width < own.width) { const said = plain(over); if (said && said.length <= 60) return said; }
  }
  let text = after ? beside(el.nextSibling, true) : "";
  text = text || beside(el.previousSibling, false);
  const row = after ? el.closest("tr,[role=row]") : null;
  if (row && row.querySelectorAll("input[type=radio],input[type=checkbox],[role=radio],[role=checkbox]").length > 1) return text; // a row of boxes is called so, and none of them
  if (isColumn(el)) return text; // its column says what it is called
  for (let up = el.parentElement, steps = 0; !text && up && steps < 3 && !/^(form|body|fieldset|table|section|main)$/.test(up.localName); up = up.parentElement, steps++) {
    if (up.querySelectorAll(FIELD).length > 1) break;
    const next = after && up.nextElementSibling; // what begins a new line is something else
    text = (after && (!next || onOneLine(next, el)) ? beside(up.nextSibling, true) : "") || beside(up.previousSibling, false);
  }
  if (!text) {
    const cell = el.closest("td,dd,[role=cell],[role=gridcell]");
    if (cell && cell.querySelectorAll("input:not([type=hidden]),select,textarea").length === 1) {
      const before = cell.previousElementSibling;
      if (before && !before.querySelector("input,select,textarea")) text = content(before);
      if (after && cell.nextElementSibling && !cell.nextElementSibling.querySelector("input,select,textarea")) text = content(cell.nextElementSibling) || text;
    }
  }
  return text && text.length <= 80 ? text : "";
}
// A label for something that is no field of the browser's: pages write it all the same.
function labelFor(el) {
  if (!el.id || el.labels) return "";
  const label = el.getRootNode().querySelector(`label[for="${CSS.escape(el.id)}"]`);
  return label ? content(label) : "";
}
// Something of the page's own that is used and has a label, as a list is; no entry among others.
const looks = el => el.localName + "." + (attr(el, "class") || "");
const isWidget = el => Boolean(el.previousElementSibling) && looks(el.previousElementSibling) !== looks(el) && (!el.nextElementSibling || looks(el.nextElementSibling) !== looks(el));

// What a value is called by the words before it: "Total: <b>5</b>", a term and its definition.
function labelBefore(el) {
  if (el.localName === "dd") { let term = el.previousElementSibling; while (term && term.localName === "dd") term = term.previousElementSibling; return term && term.localName === "dt" ? content(term) : ""; }
  let node = el.previousSibling;
  while (node && node.nodeType === 3 && !squeeze(node.nodeValue)) node = node.previousSibling;
  if (!node) return "";
  const text = node.nodeType === 3 ? squeeze(node.nodeValue) : node.nodeType === 1 && node.childElementCount === 0 && !isGone(node) ? content(node) : "";
  const last = text.split(/[.;!?\n]\s/).pop().trim();
  if (node.nodeType === 1 && attr(el, "class") && attr(el, "class") === attr(node, "class")) return ""; // two of a kind
  const plain = node.nodeType === 1 && /^(span|div|dt|label|strong|b|small|p)$/.test(node.localName) && !el.nextElementSibling && !node.previousElementSibling;
  return last && last.length <= 40 && (/[:=]$/.test(last) || plain) ? last.replace(/\s*[:=]$/, "") : "";
}
function nameOf(el, role, marked = true) {
  let name = "";
  if (marked) {
    name = referenced(el, "aria-labelledby") || cut(squeeze(attr(el, "aria-label")));
    if (name) return name;
  }
  const tag = el.localName;
  if (tag === "input" && /^(button|submit|reset)$/.test(el.type)) return cut(squeeze(el.value)) || squeeze(el.title) || (el.type === "submit" ? "Submit" : el.type === "reset" ? "Reset" : "");
  if (tag === "input" && el.type === "image") return squeeze(attr(el, "alt")) || squeeze(attr(el, "value")) || squeeze(el.title) || "Submit";
  if (FIELDS.has(role)) {
    const labels = labelTexts(el);
    if (labels.length) return cut(labels.join(" "));
  }
  if (FIELDS.has(role) || role === "radiogroup" || role === "group") { const said = labelFor(el); if (said) return cut(said); }
  if (tag === "img" || tag === "area") return cut(squeeze(attr(el, "alt")) || squeeze(attr(el, "title")));
  if (tag === "svg") { const title = el.querySelector(":scope > title"); return title ? squeeze(title.textContent) : squeeze(attr(el, "title")); }
  if (tag === "fieldset") { const legend = el.querySelector(":scope > legend"); if (legend) return content(legend); }
  if (tag === "table") { const caption = el.querySelector(":scope > caption"); if (caption) return content(caption); }
  if (tag === "figure") { const caption = el.querySelector("figcaption"); if (caption) return content(caption); }
  if (tag === "optgroup") return squeeze(el.label);
  if (tag === "option") return cut(squeeze(el.label || el.textContent));
  if (tag === "iframe" || tag === "frame") return squeeze(el.title) || squeeze(el.name);
  if (tag === "details") { const summary = el.querySelector(":scope > summary"); return summary ? content(summary) : ""; }
  if (NAMED_BY_CONTENT.has(role) && !(role === "listitem" && el.firstElementChild && !ownText(el) && (el.children.length > 6 || el.querySelector("a,button,input,select,textarea")))) { name = content(el); if (name) return name; }
  return marked ? cut(squeeze(attr(el, "title"))) : "";
}

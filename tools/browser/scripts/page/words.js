// Texts as people would read them, and the tree as it is shown: shadow roots and slots included.

const LONG = 200; // names are cut there
const ODD = /\s\s|[\n\t\r\u00a0\u200b\u00ad\ufeff]/;
const squeeze = text => !text ? "" : ODD.test(text) ? text.replace(/[\s\u200b\u00ad\ufeff]+/g, " ").trim() : text.trim();
const cut = text => text.length > LONG ? text.slice(0, LONG) : text;
const attr = (el, name) => el.getAttribute ? el.getAttribute(name) : null;
// Most elements have only attributes that say neither what they are called nor how they stand:
// to know that once is much cheaper than to ask for all the others.
const PLAIN = new Set("href id style target rel src srcset width height type value name for colspan rowspan loading decoding".split(" "));
const isMarked = el => {
  if (!el.attributes.length) return false;
  for (const name of el.getAttributeNames()) if (!PLAIN.has(name)) return true;
  return false;
};
const parentOf = el => el.assignedSlot || el.parentElement || (el.getRootNode() && el.getRootNode().host) || null;
const childrenOf = el => {
  if (el.shadowRoot) return el.shadowRoot.childNodes;
  if (el.localName === "slot") { const given = el.assignedNodes(); if (given.length) return given; }
  return el.childNodes;
};
const byId = (el, id) => { const root = el.getRootNode(); return root.getElementById ? root.getElementById(id) : document.getElementById(id); };
const styles = new Map();
const styleOf = el => { let style = styles.get(el); if (!style) { style = getComputedStyle(el); styles.set(el, style); } return style; };
const SEEN = { opacityProperty: true, visibilityProperty: true }, KEPT = { visibilityProperty: true };
// What is laid out by its contents alone has no box of its own, and is there all the same.
const isBoxless = el => styleOf(el).display === "contents";
const isGone = el => !el.checkVisibility(KEPT) && !isBoxless(el);

const PRIVATE = /[\ue000-\uf8ff]/g; // glyphs of icon fonts
const SKIPPED = new Set(["script", "style", "noscript", "template", "head", "meta", "link", "base", "source", "track", "param", "br", "wbr", "colgroup", "col", "datalist"]);
const hasParts = el => el.localName === "li" || /^(treeitem|menuitem|listitem)$/.test(attr(el, "role") || "");
const isPart = el => /^(ul|ol|menu)$/.test(el.localName) || /^(group|menu|list|tree)$/.test(attr(el, "role") || "");
const INLINE = /^(b|i|em|strong|a|mark|code|small|sup|sub|u|s|kbd|abbr|font|tt|span)$/; // unless the page styles them
function gather(el, out, depth, all) {
  const whole = depth === 0 && hasParts(el);
  for (const node of childrenOf(el)) {
    if (out.size > LONG * 2) return;
    if (node.nodeType === 3) { out.text += node.nodeValue; out.size += node.nodeValue.length; continue; }
    if (node.localName === "br") out.text += " ";
    if (node.nodeType !== 1 || SKIPPED.has(node.localName) || depth > 40) continue;
    if (whole && isPart(node)) continue; // an entry is not called by the entries in it
    if (!all && isGone(node)) continue;
    const marked = node.attributes.length > 0;
    if (marked && attr(node, "aria-hidden") === "true") continue;
    const label = marked ? attr(node, "aria-label") : null;
    if (label && squeeze(label)) { out.text += " " + label + " "; continue; }
    const tag = node.localName;
    if (tag === "img" || tag === "area") { out.text += " " + (attr(node, "alt") || "") + " "; continue; }
    if (tag === "svg") { const title = node.querySelector(":scope > title"); if (title) out.text += " " + title.textContent + " "; continue; }
    if (tag === "select" || tag === "textarea" || tag === "iframe") continue;
    if (tag === "input") { if (/^(button|submit|reset)$/.test(node.type)) out.text += " " + node.value + " "; continue; }
    const block = !INLINE.test(tag) || (!all && !/^inline$|^contents$/.test(styleOf(node).display));
    if (block) out.text += " ";
    gather(node, out, depth + 1, all);
    if (block) out.text += " ";
  }
}
const gathered = (el, all) => {
  const out = { text: "", size: 0 };
  gather(el, out, 0, all);
  return cut(squeeze(out.text.replace(PRIVATE, " ")));
};
const contents = new Map();
const content = (el, all) => {
  const known = contents.get(el);
  if (known !== undefined) return known;
  if (!el.firstElementChild && !el.shadowRoot && el.localName !== "slot") {
    const text = cut(squeeze(el.textContent.slice(0, LONG * 2).replace(PRIVATE, " ")));
    contents.set(el, text);
    return text;
  }
  const text = gathered(el, all);
  contents.set(el, text);
  return text;
};
const WRITTEN = /[^\s\ue000-\uf8ff\u200b]/;
const isText = node => node.nodeType === 3 && WRITTEN.test(node.nodeValue);
const ownText = el => {
  if (el.shadowRoot || el.localName === "slot") return Array.from(childrenOf(el)).some(isText);
  for (let node = el.firstChild; node; node = node.nextSibling) if (isText(node)) return true;
  return false;
};

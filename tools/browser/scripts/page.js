// One pass over a document: what a person would see and could use, as one JSON text.
//
// Evaluates to a registry that lives in a handle and nowhere else: nothing is written into the
// page. It numbers elements for as long as they live, so that a number never comes to mean a
// neighbour, and finds them again.
() => {
  const MOST_NODES = 250000, MOST_RECORDS = 40000, LONG = 200;
  const numbers = new WeakMap(), elements = new Map(), signs = new Map();
  let next = 1, changes = 0, changedAt = performance.now();
  const watch = root => {
    try {
      new MutationObserver(() => { changes++; changedAt = performance.now(); }).observe(
        root, { subtree: true, childList: true, characterData: true, attributes: true });
    } catch { /* a document that cannot be watched counts as quiet */ }
  };
  watch(document);

  const numberOf = el => {
    let number = numbers.get(el);
    if (number === undefined) { number = next++; numbers.set(el, number); elements.set(number, el); }
    return number;
  };

  // ------------------------------------------------------------ words

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
  function gather(el, out, depth, all) {
    const whole = depth === 0 && hasParts(el);
    for (const node of childrenOf(el)) {
      if (out.size > LONG * 2) return;
      if (node.nodeType === 3) { out.text += node.nodeValue; out.size += node.nodeValue.length; continue; }
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
      const block = !/^(b|i|em|strong|a|mark|code|small|sup|sub|u|s|kbd|abbr|font|tt|span)$/.test(tag) || (tag === "span" && !all && !/^inline$|^contents$/.test(styleOf(node).display));
      if (block) out.text += " ";
      gather(node, out, depth + 1, all);
      if (block) out.text += " ";
    }
  }
  const contents = new Map();
  const content = (el, all) => {
    const known = contents.get(el);
    if (known !== undefined) return known;
    if (!el.firstElementChild && !el.shadowRoot && el.localName !== "slot") {
      const text = cut(squeeze(el.textContent.slice(0, LONG * 2).replace(PRIVATE, " ")));
      contents.set(el, text);
      return text;
    }
    const out = { text: "", size: 0 };
    gather(el, out, 0, all);
    const text = cut(squeeze(out.text.replace(PRIVATE, " ")));
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

  // ------------------------------------------------------------ roles

  const ROLES = new Set(("button link checkbox radio switch textbox searchbox combobox listbox option menu menubar menuitem menuitemcheckbox menuitemradio " +
    "tab tablist tabpanel slider spinbutton tree treeitem grid row gridcell cell columnheader rowheader table list listitem dialog alertdialog alert status " +
    "heading img figure form search navigation banner contentinfo main complementary region group radiogroup toolbar progressbar meter tooltip article feed log scrollbar separator treegrid rowgroup").split(" "));
  const TEXTUAL = new Set(["text", "email", "tel", "url", "password", "number", "search", ""]);
  const TIMED = new Set(["date", "time", "datetime-local", "month", "week"]);
  const TAGS = {
    button: "button", summary: "button", select: "combobox", textarea: "textbox", option: "option", optgroup: "group", img: "img", svg: "img",
    h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", table: "table", tr: "row", td: "cell", th: "columnheader",
    ul: "list", ol: "list", menu: "list", dl: "list", li: "listitem", dt: "term", dd: "definition", dialog: "dialog", form: "form", fieldset: "group", nav: "navigation", header: "banner",
    footer: "contentinfo", main: "main", aside: "complementary", section: "region", article: "article", iframe: "iframe", frame: "iframe", canvas: "canvas", video: "video",
    audio: "audio", progress: "progressbar", meter: "meter", label: "label", legend: "legend", caption: "caption", figure: "figure", figcaption: "caption", details: "group",
    p: "paragraph", hr: "separator", output: "status", search: "search", blockquote: "paragraph", pre: "paragraph",
  };
  function roleOf(el) {
    const given = attr(el, "role");
    if (given) for (const role of given.trim().toLowerCase().split(/\s+/)) {
      if (ROLES.has(role)) return role === "gridcell" ? "cell" : role === "treegrid" || role === "grid" ? "table" : role;
      if (role === "none" || role === "presentation") return "";
    }
    const tag = el.localName;
    if (tag === "a" || tag === "area") return el.hasAttribute("href") ? "link" : "";
    if (tag === "input") {
      const type = el.type;
      if (type === "checkbox" || type === "radio") return type;
      if (type === "button" || type === "submit" || type === "reset" || type === "image") return "button";
      if (type === "range") return "slider";
      if (type === "number") return "spinbutton";
      if (type === "search") return "searchbox";
      if (type === "file" || type === "color") return type;
      if (type === "hidden") return "";
      if (TIMED.has(type)) return "date";
      return "textbox";
    }
    if (tag === "select") return el.multiple || el.size > 1 ? "listbox" : "combobox";
    if (tag === "summary") return el.parentElement && el.parentElement.localName === "details" ? "button" : "";
    if (tag === "th" && attr(el, "scope") === "row") return "rowheader";
    if ((tag === "header" || tag === "footer") && el.closest("article,section,main,aside,nav,dialog,[role=dialog]")) return "region";
    if (el.attributes.length && attr(el, "contenteditable") !== null && el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return "textbox";
    return TAGS[tag] || "";
  }
  const NAMED_BY_CONTENT = new Set("button link checkbox radio switch option menuitem menuitemcheckbox menuitemradio tab treeitem heading cell columnheader rowheader tooltip label legend caption paragraph term definition alert status listitem".split(" "));
  const FIELDS = new Set(["textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch", "file", "color", "date"]);
  const CONTROLS = new Set("button link checkbox radio switch textbox searchbox combobox listbox option menuitem menuitemcheckbox menuitemradio tab slider spinbutton treeitem file color date".split(" "));
  const CONTAINERS = new Set("row table list listitem dialog alertdialog form group radiogroup region navigation banner contentinfo main complementary search toolbar menu menubar tablist tabpanel tree article figure iframe rowgroup feed log alert status".split(" "));

  // ------------------------------------------------------------ names

  const isTextField = el => el.localName === "textarea" || (el.localName === "input" && TEXTUAL.has(el.type)) || el.isContentEditable;
  function labelTexts(el) {
    const texts = [];
    if (el.labels) for (const label of el.labels) texts.push(labelText(label, el));
    return texts.filter(Boolean);
  }
  function labelText(label, control) {
    if (!label.contains(control)) return content(label);
    const out = { text: "", size: 0 };
    gather(label, out, 0, false);
    return cut(squeeze(out.text.replace(PRIVATE, " ")));
  }
  function referenced(el, name) {
    const ids = attr(el, name);
    if (!ids) return "";
    return cut(squeeze(ids.trim().split(/\s+/).map(id => { const other = byId(el, id); return other ? (attr(other, "aria-label") || content(other, true) || other.value || "") : ""; }).join(" ")));
  }
  // The text that stands beside a field without any markup that says so.
  function besides(el) {
    const after = el.type === "checkbox" || el.type === "radio" || /^(checkbox|radio|switch)$/.test(attr(el, "role") || "");
    const plain = node => {
      if (!node) return "";
      if (node.nodeType === 3) return squeeze(node.nodeValue.replace(PRIVATE, " "));
      if (node.nodeType !== 1 || SKIPPED.has(node.localName) || isGone(node)) return "";
      if (/^h[12]$/.test(node.localName) || styleOf(node).cursor === "pointer" || node.onclick) return null;
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
    for (let up = el.parentElement, steps = 0; !text && up && steps < 3 && !/^(form|body|fieldset|table|section|main)$/.test(up.localName); up = up.parentElement, steps++) {
      const fields = up.querySelectorAll("input:not([type=hidden]),select,textarea");
      if (fields.length > 1) break;
      text = (after ? beside(up.nextSibling, true) : "") || beside(up.previousSibling, false);
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

  // ------------------------------------------------------------ looks

  const HUES = [[14, "red"], [45, "orange"], [68, "yellow"], [165, "green"], [198, "cyan"], [255, "blue"], [290, "purple"], [335, "pink"], [361, "red"]];
  const colours = new Map();
  function colourName(css) {
    if (!css) return "";
    let name = colours.get(css);
    if (name !== undefined) return name;
    const parts = css.match(/[\d.]+/g);
    name = "";
    if (parts && parts.length >= 3 && /^rgb/.test(css) && !(parts.length > 3 && parseFloat(parts[3]) < 0.15)) {
      const [r, g, b] = parts.slice(0, 3).map(part => parseFloat(part) / 255);
      const high = Math.max(r, g, b), low = Math.min(r, g, b), light = (high + low) / 2, chroma = high - low;
      const strength = chroma === 0 ? 0 : chroma / (1 - Math.abs(2 * light - 1));
      if (chroma < 0.09 || strength < 0.13) name = light > 0.94 ? "white" : light < 0.12 ? "black" : "gray";
      else {
        let hue = high === r ? ((g - b) / chroma) % 6 : high === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4;
        hue = (hue * 60 + 360) % 360;
        name = HUES.find(([limit]) => hue < limit)[1];
        if (light < 0.08) name = "black";
        else if (light > 0.96) name = "white";
        else if (name === "orange" && light < 0.38) name = "brown";
        else if (name === "red" && light > 0.7 && strength > 0.3) name = "pink";
        else if ((name === "blue" || name === "cyan") && light < 0.28 && strength > 0.4) name = "blue navy";
        if (name === "purple" && high === r && strength > 0.7 && light < 0.6) name = "purple magenta";
        if (name === "cyan" && light < 0.45) name = "cyan teal";
        if (name === "green" && light > 0.45 && hue < 100) name = "green lime";
      }
    }
    colours.set(css, name);
    return name;
  }
  function coloursOf(el, style) {
    const found = [];
    const add = name => { for (const each of name.split(" ")) if (each && !found.includes(each)) found.push(each); };
    if (el instanceof SVGElement && el.localName !== "svg") { add(colourName(style.fill)); if (style.stroke !== "none") add(colourName(style.stroke)); return found; }
    const ground = colourName(style.backgroundColor);
    add(ground);
    if (style.backgroundImage.startsWith("linear-gradient")) { const inner = style.backgroundImage.match(/rgba?\([^)]*\)/); if (inner) add(colourName(inner[0])); }
    const text = colourName(style.color);
    if (text && text !== "black" && !found.length) add(text);
    if (parseFloat(style.borderTopWidth) >= 2) { const edge = colourName(style.borderTopColor); if (edge !== "black" && edge !== "gray") add(edge); }
    return found;
  }
  const GENERIC = /^(fa|fas|far|fab|fal|fad|icon|icons|material|mdi|bi|glyphicon|svg|btn|ui|css|js|lg|md|sm|xs|xl|col|row|wrapper|container|inner|outer|box|item|el|solid|regular|outlined|rounded)$/;
  function weakWords(el, deep) {
    if (!deep && !el.id && !attr(el, "class") && !attr(el, "name") && !attr(el, "data-testid")) return "";
    const words = [];
    const add = text => { if (text && typeof text === "string") for (const word of text.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/)) if (word.length > 1 && word.length < 25 && !GENERIC.test(word) && words.length < 24) words.push(word.toLowerCase()); };
    const note = each => {
      add(each.id); add(attr(each, "name")); add(attr(each, "class")); add(attr(each, "data-icon")); add(attr(each, "data-testid")); add(attr(each, "data-original-title")); add(attr(each, "data-tooltip"));
      if (ICONIC.test(attr(each, "class") || "") && /^[a-z_ ]{3,30}$/.test(squeeze(each.textContent))) add(squeeze(each.textContent));
      if (each.localName === "use") add((attr(each, "href") || attr(each, "xlink:href") || "").replace(/^.*[#/]/, ""));
      if (each.localName === "img") add((attr(each, "src") || "").replace(/^data:.*$/, "").replace(/^.*\//, "").replace(/\.\w+$/, ""));
    };
    note(el);
    if (deep) for (const inner of Array.from(el.querySelectorAll("i,span,svg,use,img,path")).slice(0, 8)) note(inner);
    return words.join(" ");
  }
  const ICONIC = /(^|[\s_-])(icon|icons|fa|fas|far|fab|glyphicon|mdi|bi|material-icons|ico)([\s_-]|$)/;
  function looksIconic(el, rect) {
    if (rect[2] > 64 || rect[3] > 64) return false;
    const tag = el.localName;
    if (tag === "svg" || tag === "img" || (tag === "i" && !squeeze(el.textContent))) return true;
    const names = attr(el, "class");
    if (names && ICONIC.test(names)) return true;
    if (el.firstElementChild && el.querySelector("svg,img,i") && !content(el)) return true;
    const text = content(el);
    return text.length > 0 && text.length <= 2 && /[^\w\s]/.test(text);
  }
  const handled = el => {
    if (el.onclick || el.onmousedown || el.onpointerdown || el.onmouseup) return true;
    if (el.attributes.length) for (const name of el.getAttributeNames()) if (/^(on(click|mousedown|pointerdown|touchstart)|ng-click|data-ng-click|@click|v-on:click|jsaction|data-action|data-toggle|data-bs-toggle|hx-(get|post|put|delete)|phx-click|wire:click|x-on:click)/.test(name)) return true;
    for (const key of Object.keys(el)) if (key.startsWith("__reactProps")) { const props = el[key]; return Boolean(props && (props.onClick || props.onMouseDown || props.onPointerDown)); }
    return false;
  };
  const CLICKABLE = 1, EDITABLE = 2, CHECKABLE = 4, CHOOSABLE = 8, POINTED = 16, CONTAINER = 32, FILE = 64, RANGED = 128, DRAGGED = 256, SCROLLED = 512, ICON = 1024, LABEL = 2048, TIMED_FIELD = 4096, COLOUR = 8192, MODAL = 16384, RUN = 32768;

  let focused = null;
  const innermostFocus = () => { let el = document.activeElement; while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement; return el; };
  function statesOf(el, role) {
    const states = [];
    if (!el.attributes.length && !CONTROLS.has(role) && role !== "group") return states;
    const say = (condition, word) => { if (condition) states.push(word); };
    const aria = name => attr(el, "aria-" + name);
    const classes = attr(el, "class") || "";
    const disabled = el.disabled === true || aria("disabled") === "true" || (el.disabled === false && el.matches(":disabled")) || (classes && /(^|\s|-)disabled(\s|$)/.test(classes) && CONTROLS.has(role));
    say(disabled, "disabled");
    say(el.readOnly === true && isTextField(el) || aria("readonly") === "true", "readonly");
    if (role === "checkbox" || role === "radio" || role === "switch" || role === "menuitemcheckbox" || role === "menuitemradio" || aria("checked") !== null) {
      const checked = el.localName === "input" ? el.checked : aria("checked") === "true" || (aria("checked") === null && aria("pressed") === "true");
      states.push(checked ? "checked" : "unchecked");
      say(el.indeterminate || aria("checked") === "mixed", "mixed");
    }
    if (aria("pressed") !== null) states.push(aria("pressed") === "true" ? "pressed" : "unpressed");
    if (aria("expanded") !== null) states.push(aria("expanded") === "true" ? "expanded" : "collapsed");
    else if (el.localName === "summary" && el.parentElement.localName === "details") states.push(el.parentElement.open ? "expanded" : "collapsed");
    else if (el.localName === "details") states.push(el.open ? "expanded" : "collapsed");
    const chosen = aria("selected");
    if (el.localName === "option") states.push(el.selected ? "selected" : "unselected");
    else if (chosen !== null) states.push(chosen === "true" ? "selected" : "unselected");
    else if (aria("current") && aria("current") !== "false") states.push("selected", "current");
    else say(classes && /(^|\s)(active|selected|current)(\s|$)/.test(classes), "selected");
    say(el.required === true || aria("required") === "true", "required");
    say(aria("invalid") === "true", "invalid");
    if (isTextField(el)) say(!(el.value || (el.isContentEditable && el.textContent)), "empty");
    say(el === focused && el !== document.body, "focused");
    say(aria("haspopup") && aria("haspopup") !== "false", "popup");
    say(el.localName === "input" && el.type === "password", "password");
    return states;
  }
  function valueOf(el, role) {
    if (el.localName === "input") {
      if (el.type === "password") return el.value ? "\u2022\u2022\u2022" : "";
      if (el.type === "file") return Array.from(el.files || []).map(file => file.name).join(", ");
      return /^(checkbox|radio|hidden|submit|button|reset|image)$/.test(el.type) ? "" : el.value;
    }
    if (el.localName === "textarea") return cut(el.value);
    if (el.localName === "select") return Array.from(el.selectedOptions).map(option => squeeze(option.label)).join(", ");
    if (role === "slider" || role === "spinbutton" || role === "progressbar" || role === "meter") return attr(el, "aria-valuetext") || attr(el, "aria-valuenow") || (el.value !== undefined ? String(el.value) : "");
    if (role === "combobox" || role === "listbox") { const chosen = el.querySelector("[aria-selected=true]"); return chosen ? content(chosen) : el.value ? String(el.value) : role === "combobox" ? content(el) : ""; }
    if (el.isContentEditable && role === "textbox") return cut(squeeze(el.textContent));
    return "";
  }

  // What shows a hidden part when it is used, if that is plain to see.
  const revealers = new Map();
  function revealerOf(hidden) {
    if (revealers.has(hidden)) return revealers.get(hidden);
    const found = findRevealer(hidden);
    const usable = found && found[0] && !isGone(found[0]) && found[0].getBoundingClientRect().width > 0 ? found : null;
    revealers.set(hidden, usable);
    return usable;
  }
  // A part that follows its opener: nothing else is with them, or their names say what they are.
  const FOLDS = /accord|collaps|toggl|drop|menu|expand|fold|disclos|faq|sub-?nav|flyout|popover|summary|details|spoiler|more/i;
  function belongs(before, hidden) {
    const role = attr(hidden, "role") || "";
    if (/dialog/.test(role) || hidden.localName === "dialog" || styleOf(hidden).position === "fixed") return false;
    const around = hidden.parentElement, classes = el => attr(el, "class") || "";
    const alone = around && around.childElementCount === 2 && around !== document.body;
    const pairs = /^(h[1-6]|dt)$/.test(before.localName) && styleOf(before).cursor === "pointer";
    return alone || pairs || /^(menu|listbox|group|tree)$/.test(role) || FOLDS.test(classes(before) + " " + classes(hidden) + " " + (around && around !== document.body ? classes(around) : ""));
  }
  function findRevealer(hidden) {
    if (hidden.localName === "details" || (hidden.parentElement && hidden.parentElement.localName === "details" && !hidden.parentElement.open)) {
      const details = hidden.localName === "details" ? hidden : hidden.parentElement;
      const summary = details.querySelector(":scope > summary");
      if (summary) return [summary, "click"];
    }
    const root = hidden.getRootNode();
    if (hidden.id) {
      const id = CSS.escape(hidden.id);
      const control = root.querySelector(`[aria-controls~="${id}"],[aria-owns~="${id}"],[data-target="#${id}"],[data-bs-target="#${id}"],a[href="#${id}"],[popovertarget="${id}"],[commandfor="${id}"]`);
      if (control) return [control, "click"];
    }
    const labelled = attr(hidden, "aria-labelledby");
    if (labelled) { const tab = byId(hidden, labelled.trim().split(/\s+/)[0]); if (tab && !hidden.contains(tab) && CONTROLS.has(roleOf(tab))) return [tab, "click"]; }
    const folded = hidden.parentElement && hidden.parentElement.closest('[aria-expanded="false"]');
    if (folded && folded !== hidden && folded.contains(hidden)) {
      const first = folded.firstElementChild;
      return [first && first !== hidden && !first.contains(hidden) && !isGone(first) ? first : folded, "click"];
    }
    const isUsable = el => el && (CONTROLS.has(roleOf(el)) || handled(el) || styleOf(el).cursor === "pointer");
    const before = hidden.previousElementSibling;
    if (before && !isGone(before) && belongs(before, hidden)) {
      const inner = isUsable(before) ? before : before.querySelector("button,summary,a,[role=button],[tabindex]");
      if (inner && isUsable(inner)) {
        const link = inner.localName === "a" && !/^(#|javascript:|$)/.test(attr(inner, "href") || "") && !attr(inner, "aria-expanded");
        const listed = hidden.parentElement && hidden.parentElement.localName === "li" && !inner.hasAttribute("aria-expanded") && !inner.hasAttribute("aria-haspopup") && !handled(inner) && inner.localName !== "button";
        return [inner, link || listed ? "hover" : "click"];
      }
      if (hidden.parentElement && /^(li|div|nav|span)$/.test(hidden.parentElement.localName) && /menu|drop|sub|tooltip|nav|flyout/i.test((attr(hidden, "class") || "") + (attr(hidden, "role") || "") + (attr(hidden.parentElement, "class") || ""))) return [before, "hover"];
      if (styleOf(before).cursor === "pointer") return [before, "click"];
    }
    return null;
  }

  // ------------------------------------------------------------ the pass

  let records, visited, truncated;
  // A record, as messages/pages.py reads it: what is empty at its end is left out.
  const RECT = 2, SHOWN = 11;
  function packed(given) {
    const row = [given.number, given.kind, given.rect, given.parent, given.name || "", given.affords || 0, given.href || "", given.weak || "",
      given.states || [], given.others || [], given.value || "", given.shown || 0, given.level || 0, given.about || "", given.colours || []];
    while (row.length > 4) { const last = row[row.length - 1]; if (last && (last.length === undefined || last.length)) break; row.pop(); }
    return row;
  }
  const box = el => { const rect = el.getBoundingClientRect(); return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)]; };
  function boxAround(el) {
    const boxes = Array.from(el.children, box).filter(rect => rect[2] > 0 && rect[3] > 0);
    if (!boxes.length) return [0, 0, 0, 0];
    const left = Math.min(...boxes.map(rect => rect[0])), top = Math.min(...boxes.map(rect => rect[1]));
    return [left, top, Math.max(...boxes.map(rect => rect[0] + rect[2])) - left, Math.max(...boxes.map(rect => rect[1] + rect[3])) - top];
  }
  let scrolledX = 0, scrolledY = 0, coloured = true;
  const isUnreachable = rect => rect[0] + rect[2] + scrolledX <= 0 || rect[1] + rect[3] + scrolledY <= 0;
  const isFaint = style => style.opacity !== "1" && parseFloat(style.opacity) < 0.05;

  function visit(el, parent, hiddenBy, pointer) {
    if (SKIPPED.has(el.localName) || visited++ > MOST_NODES || records.length > MOST_RECORDS) { truncated = truncated || !SKIPPED.has(el.localName); return; }
    if (el.localName === "area") { if (!hiddenBy) visitArea(el, parent); return; }
    const role = roleOf(el), tag = el.localName, control = CONTROLS.has(role);
    let unseen = hiddenBy || (!el.checkVisibility(SEEN) && !isBoxless(el));
    if (unseen && !hiddenBy && control && el.checkVisibility(KEPT) && isTouched(el, role, box(el))) unseen = null; // laid over what is drawn
    if (unseen && !hiddenBy) {
      const style = styleOf(el);
      if (style.display === "none" || isFaint(style) && !/^(input|select|textarea)$/.test(tag)) hiddenBy = el;
    }
    // The style of controls is not needed: what they are says what they are for.
    const style = control && !coloured ? null : styleOf(el);
    let at = parent;
    const record = describe(el, role, tag, style, parent, unseen ? hiddenBy || el : null, pointer);
    if (record) { at = records.length; records.push(record); }
    if (record && !unseen && el.firstElementChild && el.childNodes.length > el.childElementCount && ownText(el) && el.querySelector("input,select,textarea,button,a")) visitTexts(el, at);
    if (tag === "select") { for (const option of el.options) visitOption(option, at, record); return; }
    if (tag === "svg" && !el.querySelector("[onclick],a,text,[data-rec],[tabindex],[role],rect,circle,polygon,ellipse")) return;
    if (tag === "iframe" || tag === "textarea" || tag === "canvas" || tag === "video") return;
    if (!el.firstElementChild && !el.shadowRoot) return;
    const points = control || style.cursor === "pointer";
    const [, , width, height] = record ? record[RECT] : [0, 0, el.offsetWidth, el.offsetHeight];
    if (!hiddenBy && (width <= 1 || height <= 1) && styleOf(el).overflowX !== "visible" && el instanceof HTMLElement && !isBoxless(el)) hiddenBy = el;
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
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = range.getBoundingClientRect();
      if (rects.width > 0) records.push(packed({ number: -records.length, kind: "text", name: text, rect: [Math.round(rects.left), Math.round(rects.top), Math.round(rects.width), Math.round(rects.height)], parent, affords: RUN }));
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

  const SHAPES = new Set(["rect", "circle", "ellipse", "polygon", "path", "line", "text", "g"]);
  function describe(el, role, tag, style, parent, unseen, pointer) {
    const shape = el instanceof SVGElement && tag !== "svg";
    if (shape && !SHAPES.has(tag)) return null;
    const control = CONTROLS.has(role);
    let rect = box(el), proxy = 0;
    if (!unseen && rect[2] === 0 && rect[3] === 0 && el.firstElementChild && isBoxless(el)) rect = boxAround(el);
    let hidden = unseen;
    const small = rect[2] <= 1 || rect[3] <= 1;
    if (!hidden && role !== "option") {
      if (small && (control || !el.childElementCount)) hidden = el;
      if (isUnreachable(rect)) hidden = el;
    }
    if (hidden && (role === "checkbox" || role === "radio" || role === "file") && el.labels) {
      // Boxes are often hidden behind what a label draws; a person uses the label.
      const label = Array.from(el.labels).find(each => !isGone(each) && each.getBoundingClientRect().width > 1);
      if (label) { hidden = null; rect = box(label); proxy = numberOf(label); }
    }
    const own = ownText(el);
    const acts = control || handled(el);
    const cursor = style ? style.cursor : "", points = !control && cursor === "pointer" && !pointer;
    const icon = !hidden && rect[2] > 0 && tag !== "input" && (acts || points || tag === "i" || tag === "svg" || tag === "img" || (!own && el.childElementCount === 0)) && looksIconic(el, rect);
    const container = CONTAINERS.has(role);
    const leaf = el.childElementCount === 0 && !el.shadowRoot;
    const drawn = leaf && !own && !control && rect[2] >= 4 && rect[3] >= 4 && (shape || Boolean(colourName(style.backgroundColor)) || style.backgroundImage !== "none" || Boolean(el.id) || Boolean(attr(el, "class")) || parseFloat(style.borderTopWidth) > 0);
    const marked = isMarked(el);
    const tabs = marked && attr(el, "tabindex") !== null && el.tabIndex >= 0;
    const scrolls = !shape && !control && !leaf && style.overflowY !== "visible" && /auto|scroll/.test(style.overflowY + style.overflowX) && (el.scrollHeight > el.clientHeight + 4 || el.scrollWidth > el.clientWidth + 4) && el !== document.body && el !== document.documentElement;
    const floats = !hidden && !leaf && (role === "" || role === "region" || role === "complementary") && floatsAbove(el, style, rect);
    const labelled = !role && marked && (attr(el, "aria-label") || attr(el, "title"));
    if (!(role || floats || own || acts || points || icon || drawn || tabs || scrolls || labelled || el.draggable === true)) {
      // What holds several things together has no name, but says what belongs together.
      if (el.childElementCount < 2 || hidden || shape) return null;
      return packed({ number: numberOf(el), kind: "wrap", rect, parent, weak: attr(el, "class") ? weakWords(el, false) : "" });
    }
    if (role === "paragraph" && !own && !el.childElementCount) return null;
    let kind = role;
    if (role === "paragraph" && !own && (!content(el) || el.querySelector("button,input,select,textarea,a"))) kind = "wrap";
    if (floats) kind = "dialog";
    if (!kind) kind = shape ? "shape" : icon && !own ? "icon" : own ? "text" : drawn ? "box" : "generic";
    let name = nameOf(el, role, marked);
    if (!name && !container && !FIELDS.has(role) && (own || acts || points || tabs)) name = content(el);
    if (role === "label" && el.control) name = labelText(el, el.control);
    const others = [];
    const also = text => { text = cut(squeeze(text)); if (text && text !== name && !others.includes(text)) others.push(text); };
    const isField = FIELDS.has(role);
    if (isField) for (const text of labelTexts(el)) also(text);
    if (marked) { also(attr(el, "placeholder")); also(attr(el, "aria-placeholder")); also(attr(el, "title")); also(attr(el, "alt")); also(attr(el, "data-placeholder")); }
    if (control && role !== "textbox" && !isField) also(content(el));
    if (tag === "svg") { const title = el.querySelector("title"); if (title) also(title.textContent); }
    if (isField && (!name || others.includes(name) || name === attr(el, "placeholder") || name === attr(el, "title"))) { const near = besides(el); if (near) { if (!name) name = near; else also(near); } }
    if (isField && !name) name = squeeze(attr(el, "placeholder"));
    if (!control && !container && own) { const before = labelBefore(el); if (before) also(before); }
    if (role === "" && (acts || points) && el.childElementCount && isWidget(el)) { const near = besides(el); if (near) also(near); }
    if (marked && role === "button" && attr(el, "aria-haspopup")) { const near = besides(el); if (near) also(near); }
    const described = marked && control && attr(el, "aria-describedby"); if (described) also(referenced(el, "aria-describedby"));
    let affords = 0;
    if (acts || role === "label") affords |= CLICKABLE;
    if (points || tabs || control || (pointer && (own || icon)) || cursor === "pointer") affords |= POINTED;
    if ((isTextField(el) && role !== "") || role === "textbox" || role === "searchbox" || role === "spinbutton" || (role === "combobox" && tag === "input")) affords |= EDITABLE;
    if (role === "checkbox" || role === "radio" || role === "switch" || role === "menuitemcheckbox" || role === "menuitemradio" || marked && (attr(el, "aria-checked") !== null || (role === "button" && attr(el, "aria-pressed") !== null))) affords |= CHECKABLE;
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
    if (floats && isVeiled(el)) affords |= MODAL;
    if ((role === "dialog" || role === "alertdialog") && (attr(el, "aria-modal") === "true" || (tag === "dialog" && el.open && el.matches(":modal")) || styleOf(el).position === "fixed")) affords |= MODAL;
    const states = marked || role !== "link" ? statesOf(el, role) : el === focused ? ["focused"] : [];
    const level = role === "heading" ? parseInt(attr(el, "aria-level") || tag.slice(1)) || 2 : role === "cell" || role === "columnheader" || role === "rowheader" ? columnOf(el) : 0;
    const number = numberOf(el);
    signs.set(number, kind + "\n" + name);
    let shown = 0, how = "";
    if (hidden) {
      shown = -1;
      const revealer = revealerOf(hidden);
      if (revealer) { shown = numberOf(revealer[0]); how = revealer[1]; }
    }
    const about = role === "label" && el.control ? String(numberOf(el.control)) : proxy ? "@" + proxy : how;
    const type = tag === "input" ? el.type : "";
    let weak = weakWords(el, icon || (!name && (acts || points)));
    if (kind === "shape" || kind === "box" || !name && leaf && rect[2] > 0) weak = (weak + " " + shapeOf(el, tag, styleOf(el), rect)).trim();
    const href = tag === "a" ? hrefOf(el) : type ? "type:" + type : "";
    const seen = hidden || !coloured ? [] : coloursOf(el, style);
    return packed({ number, kind, rect, parent, name, affords, href, weak, states, others, value: valueOf(el, role), shown, level, about, colours: seen });
  }
  // A box that is not drawn, but lies over what is drawn for it and takes the pointer.
  function isTouched(el, role, rect) {
    if (!/^(checkbox|radio|switch)$/.test(role) || rect[2] < 10 || rect[3] < 10) return false;
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
  function veils(el) {
    if (!el || el === document.body || el === document.documentElement) return false;
    const style = styleOf(el), rect = el.getBoundingClientRect();
    return style.position === "fixed" && style.display !== "none" && rect.width >= innerWidth * 0.95 && rect.height >= innerHeight * 0.95;
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

  function grip(el) {
    if (el.localName === "area") return pictureOf(el) || el;
    if (!el.labels || !el.labels.length) return el;
    const rect = box(el), style = getComputedStyle(el);
    const seen = !isGone(el) && parseFloat(style.opacity) > 0.05 && rect[2] > 1 && rect[3] > 1 && !isUnreachable(rect);
    styles.clear();
    return seen ? el : Array.from(el.labels).find(label => label.getBoundingClientRect().width > 1) || el;
  }

  // Where an element is itself: on its own text, if its middle belongs to something in it.
  function spotOn(el) {
    const rect = el.getBoundingClientRect();
    const inner = Array.from(el.querySelectorAll("a,button,input,select,textarea,li,tr,[role],[onclick],[tabindex]"));
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!squeeze(node.nodeValue) || inner.some(each => each.contains(node))) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getClientRects()[0];
      if (text && text.width > 0) return { x: text.left - rect.left + Math.min(text.width / 2, 40), y: text.top - rect.top + text.height / 2 };
    }
    return null;
  }
  // Ready to be clicked in its middle: seen, usable, unmoved for two frames, and nothing over it.
  const under = (x, y) => { let el = document.elementFromPoint(x, y); while (el && el.shadowRoot) { const inner = el.shadowRoot.elementFromPoint(x, y); if (!inner || inner === el) break; el = inner; } return el; };
  const isWithin = (inner, el) => { for (let up = inner; up; up = parentOf(up)) if (up === el) return true; return false; };
  const frame = () => new Promise(resolve => { const late = setTimeout(resolve, 150, false); requestAnimationFrame(() => { clearTimeout(late); resolve(true); }); });
  async function isReady(el) {
    if (window !== top || el.matches(":disabled") || el.closest('[aria-disabled="true"]') || !el.checkVisibility(SEEN)) return false;
    await frame();
    const before = box(el);
    if (!await frame() || !el.isConnected || el.getClientRects().length !== 1) return false;
    const now = box(el), x = now[0] + now[2] / 2, y = now[1] + now[3] / 2;
    if (before.some((part, at) => part !== now[at]) || now[2] < 1 || now[3] < 1 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return false;
    return isWithin(under(x, y), el);
  }
  // From now on a click that does not arrive at the element arrives nowhere.
  const CLICKS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
  let guard = null;
  function unguard() { if (guard) { for (const type of CLICKS) window.removeEventListener(type, guard.listen, true); clearTimeout(guard.end); guard = null; } }
  function guardFor(el) {
    unguard();
    const made = { arrived: null, end: setTimeout(unguard, 5000) };
    made.listen = event => {
      if (!event.isTrusted) return;
      if (made.arrived === null) made.arrived = isWithin(event.composedPath()[0], el);
      if (!made.arrived) { event.preventDefault(); event.stopImmediatePropagation(); }
    };
    for (const type of CLICKS) window.addEventListener(type, made.listen, true);
    guard = made;
  }
  const kin = el => Array.from((el.getRootNode().isConnected ? el.getRootNode() : document).querySelectorAll(el.localName));

  return {
    spot(number) {
      const el = elements.get(number);
      if (!el || !el.isConnected) return null;
      if (el.localName !== "area") return spotOn(el);
      const middle = middleOf(el);
      return middle && { x: middle.x, y: middle.y };
    },
    // What a page has drawn in place of an element: the only one with its kind and name.
    twin(number) {
      const gone = elements.get(number), sign = signs.get(number);
      if (!gone || !sign) return null;
      if (gone.isConnected) return gone;
      styles.clear(); contents.clear();
      const like = kin(gone).filter(el => { const role = roleOf(el); let name = nameOf(el, role); if (!name && !FIELDS.has(role)) name = content(el); return (role || "text") + "\n" + name === sign && el.getBoundingClientRect().width > 0; });
      styles.clear(); contents.clear();
      return like.length === 1 ? like[0] : null;
    },
    // The element that a click goes to, if it can be clicked at once; the click is guarded.
    async aim(number) {
      for (let tries = 0; tries < 4; tries++) {
        const el = this.take(number, true) || this.twin(number);
        if (!el || /^(select|option)$/.test(el.localName)) return null;
        if (!await isReady(el)) { if (el.isConnected) return null; continue; } // it was drawn anew
        if ((this.take(number, true) || this.twin(number)) !== el) continue;
        guardFor(el);
        return el;
      }
      return null;
    },
    // Whether the click has arrived, or no click came at all.
    arrived() { const arrived = !guard || guard.arrived !== false; unguard(); return arrived; },
    // Colours are looked at only where the words speak of them: they cost a third of the pass.
    snapshot(colours = true) {
      focused = innermostFocus(); coloured = colours; scrolledX = scrollX; scrolledY = scrollY;
      records = []; visited = 0; truncated = false;
      styles.clear(); contents.clear(); revealers.clear();
      for (const [number, el] of elements) if (!el.isConnected) { elements.delete(number); signs.delete(number); }
      if (document.documentElement) visit(document.body || document.documentElement, -1, null, false);
      const text = JSON.stringify({
        url: location.href, title: document.title, view: [innerWidth, innerHeight], size: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
        scroll: [Math.round(scrollX), Math.round(scrollY)], ready: document.readyState, quiet: Math.round(performance.now() - changedAt), changes, truncated, elements: records,
      });
      records = null; styles.clear(); contents.clear(); revealers.clear();
      return text;
    },
    numberOf,
    changes() { return changes; },
    waitForChange(since, most) {
      return new Promise(resolve => {
        const end = performance.now() + most;
        const look = () => { if (changes !== since || performance.now() >= end) resolve(changes); else setTimeout(look, 25); };
        look();
      });
    },
    // The element of a number, if it is still what it was when it was last seen; else null.
    // ``held`` asks for what a person would put the pointer on: the label of a box that is not seen.
    take(number, held) {
      const el = elements.get(number);
      if (!el || !el.isConnected) return null;
      styles.clear(); contents.clear();
      const role = roleOf(el), sign = signs.get(number) || "";
      const [kind, name] = sign.split("\n");
      const now = el.localName === "option" ? squeeze(el.label || el.textContent) : nameOf(el, role) || content(el);
      const same = !name || FIELDS.has(role) || now === name || !NAMED_BY_CONTENT.has(role) && role;
      styles.clear(); contents.clear();
      if (!(same || (now && now.startsWith(name.slice(0, LONG))))) return null;
      return held ? grip(el) : el;
    },
  };
}

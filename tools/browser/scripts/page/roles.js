// What an element is: its role, as given or as its tag has it.

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
  if (tag === "th" && headsRow(el)) return "rowheader";
  if ((tag === "header" || tag === "footer") && el.closest("article,section,main,aside,nav,dialog,[role=dialog]")) return "region";
  if (el.attributes.length && attr(el, "contenteditable") !== null && el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return "textbox";
  return TAGS[tag] || (isDrawnSlider(el) ? "slider" : "");
}
// The first of a row heads it, if the others of the row are plain cells.
function headsRow(th) {
  const scope = attr(th, "scope") || "";
  if (scope) return /^row/.test(scope);
  return !th.previousElementSibling && Boolean(th.nextElementSibling) && !th.closest("thead") && !th.parentElement.querySelector(":scope > th:not(:first-child)");
}
// A track with one handle, by what it is called: pages draw sliders without a word of what they are.
const SLIDES = /(^|[\s_-])(slider|rangeslider|range)([\s_-]|$)/i;
const HANDLES = "[class*=handle i],[class*=thumb i],[class*=knob i],[class*=grip i]";
function isDrawnSlider(el) {
  if (!el.firstElementChild || !el.attributes.length || !SLIDES.test((attr(el, "class") || "") + " " + el.id)) return false;
  const inner = el.querySelectorAll(HANDLES);
  return inner.length === 1 && el.childElementCount < 8 && !el.querySelector("input,img,a,li,button,[role=slider],[role=img]") && !Array.from(el.children).some(isDrawnSlider);
}
const NAMED_BY_CONTENT = new Set("button link checkbox radio switch option menuitem menuitemcheckbox menuitemradio tab treeitem heading cell columnheader rowheader tooltip label legend caption paragraph term definition alert status listitem".split(" "));
const FIELDS = new Set(["textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "checkbox", "radio", "switch", "file", "color", "date"]);
const BOXES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const CONTROLS = new Set("button link checkbox radio switch textbox searchbox combobox listbox option menuitem menuitemcheckbox menuitemradio tab slider spinbutton treeitem file color date".split(" "));
const CONTAINERS = new Set("row table list listitem dialog alertdialog form group radiogroup region navigation banner contentinfo main complementary search toolbar menu menubar tablist tabpanel tree article figure iframe rowgroup feed log alert status".split(" "));

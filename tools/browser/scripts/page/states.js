// How an element stands: checked, disabled, empty, the value it holds.

// What can be done with an element, as messages/pages.py has it.
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
  if (BOXES.has(role) || aria("checked") !== null) {
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

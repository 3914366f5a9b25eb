// Records what a user does to the page, in order, and tells the server of each thing at once.
//
// data-rec="NAME"    what the element is called; others are "?" and their tag
// data-rec-quiet     clicks and changes in it are not recorded (the page tells what came of them)
// data-rec-input     "value NAME=..." at every input, and no "change"
// data-rec-hover     "hover NAME" when the pointer enters it
// data-rec-go        on a form: let it be sent
// data-rec-keys      on the body: keys that are no printable characters are recorded
(() => {
  "use strict";
  const UNRECORDED = new Set([
    "text", "search", "email", "password", "tel", "url", "number", "date", "time", "month", "week",
    "datetime-local", "color", "range", "file", "hidden",
  ]);
  const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"]);
  let skipped = null; // the control whose label was just clicked, and when
  let skippedAt = -1;

  const pageName = () => {
    try {
      return window.top.location.pathname;
    } catch {
      return window.location.pathname;
    }
  };

  const rec = (line) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/events?page=${encodeURIComponent(pageName())}`, false);
    request.setRequestHeader("Content-Type", "text/plain; charset=utf-8");
    try {
      request.send(String(line).replace(/\r?\n/g, "\\n"));
    } catch {
      // The server is gone: nobody listens.
    }
  };
  window.rec = rec;

  const path = (event) => event.composedPath().filter((node) => node instanceof Element);
  const lineage = (element) => {
    const found = [];
    for (let node = element; node; node = node.parentNode || node.host) {
      if (node instanceof Element) found.push(node);
    }
    return found;
  };
  const isBackground = (element) => !element || element.matches("html, body");
  const nameIn = (elements) => {
    for (const element of elements) {
      if (element.hasAttribute("data-rec") && element.localName !== "form") {
        return element.getAttribute("data-rec");
      }
    }
    return `?${elements[0].localName}`;
  };
  const ownName = (element) => element.getAttribute("data-rec") || `?${element.localName}`;
  const isQuiet = (elements) => {
    for (const element of elements) {
      if (element.hasAttribute("data-rec-quiet")) return true;
      if (element.hasAttribute("data-rec")) return false;
    }
    return false;
  };
  const isText = (element) =>
    element.isContentEditable ||
    element.matches("textarea, select, option, optgroup") ||
    (element.localName === "input" && UNRECORDED.has(element.type));

  // The label that a click goes through on its way to a control elsewhere, if there is one.
  const labelOf = (elements) => {
    for (const element of elements) {
      if (element.localName === "label") {
        return element.control && !elements.includes(element.control) ? element : null;
      }
      if (element.matches("a[href], button, input, select, textarea")) return null;
    }
    return null;
  };
  const deepActive = () => {
    let active = document.activeElement;
    while (active && active.shadowRoot && active.shadowRoot.activeElement) {
      active = active.shadowRoot.activeElement;
    }
    return active;
  };
  // Enter in a field makes the browser click the form's first button.
  const isImplied = (event, elements) => {
    const active = deepActive();
    const button = elements[0];
    return (
      event.detail === 0 && active !== button && Boolean(button.form) && active &&
      active.form === button.form && active.localName === "input" && isText(active)
    );
  };

  const onClick = (event) => {
    if (!event.isTrusted) return;
    const elements = path(event);
    const before = skipped;
    skipped = null;
    if (isBackground(elements[0])) return;
    if (before && before === elements[0] && (event.detail === 0 || event.timeStamp === skippedAt)) {
      return;
    }
    if (isImplied(event, elements)) return;
    const label = labelOf(elements);
    if (label) {
      skipped = label.control;
      skippedAt = event.timeStamp;
      if (isQuiet(elements)) return;
      if (label.hasAttribute("data-rec")) {
        rec(`click ${label.getAttribute("data-rec")}`);
      } else if (!isText(label.control) && !isQuiet(lineage(label.control))) {
        rec(`click ${nameIn(lineage(label.control))}`);
      }
      return;
    }
    if (isText(elements[0]) || isQuiet(elements)) return;
    rec(`click ${nameIn(elements)}`);
  };

  const onOther = (event) => {
    if (!event.isTrusted) return;
    const elements = path(event);
    if (isBackground(elements[0]) || isQuiet(elements)) return;
    if (event.type === "dblclick" && isText(elements[0])) return;
    rec(`${event.type} ${nameIn(elements)}`);
  };

  const valueOf = (element) => {
    if (element.isContentEditable) return element.innerText.replace(/\u00a0/g, " ").trim();
    if (element.localName === "select") {
      return [...element.selectedOptions].map((option) => option.text.trim()).join("|");
    }
    if (element.type === "checkbox" || element.type === "radio") {
      return element.checked ? "on" : "off";
    }
    if (element.type === "file") return [...element.files].map((file) => file.name).join("|");
    return element.value;
  };

  const onInput = (event) => {
    const element = path(event)[0];
    const host = element.closest("[data-rec-input]");
    if (host) {
      rec(`value ${ownName(host)}=${valueOf(host)}`);
    } else if (element.isContentEditable) {
      rec(`input ${nameIn(lineage(element))}=${valueOf(element)}`);
    }
  };

  const onChange = (event) => {
    const element = path(event)[0];
    if (element.hasAttribute("data-rec-input") || isQuiet(lineage(element))) return;
    rec(`change ${nameIn(lineage(element))}=${valueOf(element)}`);
  };

  const onSubmit = (event) => {
    const form = path(event)[0];
    rec(`submit ${ownName(form)}`);
    if (!form.hasAttribute("data-rec-go")) event.preventDefault();
  };

  const onKey = (event) => {
    if (!event.isTrusted || !document.body || !document.body.hasAttribute("data-rec-keys")) return;
    const plain = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain || MODIFIERS.has(event.key)) return;
    const held = [
      event.ctrlKey && "Control", event.altKey && "Alt", event.shiftKey && "Shift",
      event.metaKey && "Meta",
    ].filter(Boolean);
    rec(`press ${[...held, event.key === " " ? "Space" : event.key].join("+")}`);
  };

  const onEnter = (event) => {
    const element = event.composedPath()[0];
    if (event.isTrusted && element instanceof Element && element.hasAttribute("data-rec-hover")) {
      rec(`hover ${ownName(element)}`);
    }
  };

  // These do not leave a shadow root by themselves.
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attach(options) {
    const root = attachShadow.call(this, options);
    root.addEventListener("change", onChange, true);
    root.addEventListener("submit", onSubmit, true);
    return root;
  };

  window.addEventListener("click", onClick, true);
  window.addEventListener("dblclick", onOther, true);
  window.addEventListener("contextmenu", onOther, true);
  window.addEventListener("input", onInput, true);
  window.addEventListener("change", onChange, true);
  window.addEventListener("submit", onSubmit, true);
  window.addEventListener("keydown", onKey, true);
  document.addEventListener("pointerenter", onEnter, true);
})();

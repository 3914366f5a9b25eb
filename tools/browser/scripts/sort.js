el => ({
  tag: el.localName, type: el.localName === "input" ? el.type : "", role: el.getAttribute("role") || (/slider|range/i.test(el.className + " " + el.id) && el.localName !== "input" && el.querySelectorAll("[class*=handle i],[class*=thumb i],[class*=knob i],[class*=grip i]").length === 1 ? "drawn slider" : ""),
  editable: el.isContentEditable, readonly: el.readOnly === true || el.getAttribute("aria-readonly") === "true",
  disabled: el.matches(":disabled") || el.getAttribute("aria-disabled") === "true",
  dated: el.localName === "input" && (/date|calendar|picker/i.test([el.className, el.id, el.name, el.getAttribute("aria-haspopup")].join(" ")) || /^[ymd]{1,4}[-./ ][ymd]{1,4}[-./ ][ymd]{1,4}$/i.test(el.placeholder) || Boolean(el.closest("[class*=datepicker i],[class*=date-picker i],[class*=date-editor i],[class*=picker i]"))),
  placeholder: el.placeholder || "",
  lists: el.getAttribute("aria-haspopup") === "listbox" || Boolean(el.getAttribute("aria-controls") || el.getAttribute("aria-owns")),
  focused: el.getRootNode().activeElement === el, single: el.localName === "input" && el.maxLength === 1,
  plain: (el.localName === "textarea" || el.localName === "input" && /^(text|search|email|url|tel|password)$/.test(el.type)) && !el.hasAttribute("list") && !el.hasAttribute("aria-autocomplete"),
  most: el.maxLength >= 0 ? el.maxLength : null, place: window === top ? Array.prototype.indexOf.call(document.getElementsByTagName(el.localName), el) : -1,
  tabs: el.tabIndex >= 0, popup: el.getAttribute("aria-haspopup") || "",
})

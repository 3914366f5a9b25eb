el => ({
  tag: el.localName, type: el.localName === "input" ? el.type : "", role: el.getAttribute("role") || (/slider|range/i.test(el.className + " " + el.id) && el.localName !== "input" && el.querySelectorAll("[class*=handle i],[class*=thumb i],[class*=knob i],[class*=grip i]").length === 1 ? "drawn slider" : ""),
  editable: el.isContentEditable, readonly: el.readOnly === true || el.getAttribute("aria-readonly") === "true",
  disabled: el.matches(":disabled") || el.getAttribute("aria-disabled") === "true",
  tabs: el.tabIndex >= 0, popup: el.getAttribute("aria-haspopup") || "",
})

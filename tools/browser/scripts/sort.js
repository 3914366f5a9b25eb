el => ({
  tag: el.localName, type: el.localName === "input" ? el.type : "", role: el.getAttribute("role") || "",
  editable: el.isContentEditable, readonly: el.readOnly === true || el.getAttribute("aria-readonly") === "true",
  disabled: el.matches(":disabled") || el.getAttribute("aria-disabled") === "true",
  tabs: el.tabIndex >= 0, popup: el.getAttribute("aria-haspopup") || "",
})

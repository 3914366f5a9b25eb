el => ({
  tag: el.localName, type: el.localName === "input" ? el.type : "", role: el.getAttribute("role") || "",
  editable: el.isContentEditable, readonly: el.readOnly === true || el.getAttribute("aria-readonly") === "true",
  disabled: el.matches(":disabled") || el.getAttribute("aria-disabled") === "true",
  now: el.getAttribute("aria-valuenow"), least: el.getAttribute("aria-valuemin"), most: el.getAttribute("aria-valuemax"),
  tabs: el.tabIndex >= 0, popup: el.getAttribute("aria-haspopup") || "",
})

(el, value) => {
  const kind = Object.getPrototypeOf(el);
  Object.getOwnPropertyDescriptor(kind, "value").set.call(el, value);
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

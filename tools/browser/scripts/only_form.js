// The form that has the focus, the only one that is shown, or, where a page has none, its only button
// that says it submits something.
() => {
  const focused = document.activeElement && document.activeElement.closest && document.activeElement.closest("form");
  if (focused) return focused;
  const shown = el => el.getBoundingClientRect().height > 0;
  const seen = Array.from(document.forms).filter(shown);
  if (seen.length) return seen.length === 1 ? seen[0] : null;
  const buttons = Array.from(document.querySelectorAll("button,[role=button],input[type=button],input[type=submit]"))
    .filter(el => shown(el) && /^\s*submit\b/i.test(el.innerText || el.value || el.getAttribute("aria-label") || ""));
  return buttons.length === 1 ? buttons[0] : null;
}

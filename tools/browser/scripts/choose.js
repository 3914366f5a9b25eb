// Chooses an option of a native list just as Playwright does it; in one that takes several, the others stay.
option => {
  const list = option.closest("select");
  option.selected = true;
  list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

// Leaves a field that holds a text for a moment, says what it holds then, and returns to it if it still holds the same.
// ``given``: whether it had the focus before, how long to wait, and the text that it must hold to be left; null if that is known.
async (el, [wasFocused, ms, expected]) => {
  // Without undoing what goes on in it: no list is open at it, and it was not put there to be filled in just now.
  const isLeavable = () => {
    if (wasFocused && !el.form) return false; // an entry that is edited in its place may be given up when it is left
    if (el.getAttribute("aria-expanded") === "true") return false;
    const rect = el.getBoundingClientRect();
    const below = document.elementFromPoint(rect.left + Math.min(rect.width / 2, 40), rect.bottom + 12);
    for (let up = below; up && up !== document.body && !up.contains(el); up = up.parentElement) {
      if (/^(absolute|fixed)$/.test(getComputedStyle(up).position) || /^(listbox|menu|list|option)$/.test(up.getAttribute("role") || "")) return false;
    }
    return true;
  };
  const before = value(el) || "";
  if (expected !== null && before !== expected) return { unlike: true, held: held(el) };
  if (!isLeavable()) return { stays: true, held: held(el) };
  el.blur();
  if (ms) await new Promise(resolve => setTimeout(resolve, ms));
  if (!el.isConnected) return { gone: true };
  const same = (value(el) || "") === before;
  if (same) refocus(el);
  return { same, secret: el.type === "password", held: held(el) };
}

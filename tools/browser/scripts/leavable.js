// Whether a field can be left for a moment without undoing what goes on in it: no list is open at it, and it was not put there to be filled in just now.
(el, wasFocused) => {
  if (wasFocused && !el.form) return false; // an entry that is edited in its place may be given up when it is left
  if (el.getAttribute("aria-expanded") === "true") return false;
  const rect = el.getBoundingClientRect();
  const below = document.elementFromPoint(rect.left + Math.min(rect.width / 2, 40), rect.bottom + 12);
  for (let up = below; up && up !== document.body && !up.contains(el); up = up.parentElement) {
    if (/^(absolute|fixed)$/.test(getComputedStyle(up).position) || /^(listbox|menu|list|option)$/.test(up.getAttribute("role") || "")) return false;
  }
  return true;
}

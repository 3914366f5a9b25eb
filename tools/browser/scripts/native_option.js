// What an option of a native list is called, and whether it can be chosen: "disabled", "ready", else only later; null for all else.
option => {
  const list = option.localName === "option" && option.closest("select");
  if (!list) return null;
  const label = option.label.trim();
  if (option.disabled || list.disabled) return { label, state: "disabled" };
  const rect = list.getBoundingClientRect(), seen = rect.width > 0 && rect.height > 0 && list.checkVisibility({ visibilityProperty: true });
  const usable = !option.matches(":disabled") && !list.matches(":disabled") && !list.closest("[aria-disabled=true],[inert]");
  return { label, state: seen && usable && window === top ? "ready" : "later" };
}

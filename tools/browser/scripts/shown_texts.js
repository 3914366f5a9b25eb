() => Array.from(document.querySelectorAll("body *")).filter(el => {
  if (el.childElementCount > 1 || !el.textContent.trim() || /^(script|style|option)$/.test(el.localName)) return false;
  const rect = el.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0 && getComputedStyle(el).visibility !== "hidden";
}).slice(0, 5000)

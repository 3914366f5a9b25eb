// What can be chosen in a part of the page that has no use of its own: what is clicked in it, how it
// is called, and, of a number between two buttons, which is which.
el => {
  const looks = node => node.matches("button,a[href],input,[role],[tabindex]") || getComputedStyle(node).cursor === "pointer";
  const usable = node => looks(node) || (node !== el && node.onclick);
  const shown = node => { const rect = node.getBoundingClientRect(); return rect.width > 0 && rect.height > 0 && getComputedStyle(node).visibility !== "hidden"; };
  const squeeze = text => (text || "").replace(/\s+/g, " ").trim();
  const called = node => squeeze(node.getAttribute("aria-label") || node.innerText || node.title || node.value);
  if (looks(el)) return { choices: [], names: [] };
  const choices = Array.from(el.querySelectorAll("*")).filter(node => shown(node) && usable(node) && !usable(node.parentElement));
  const is = (node, signs, words) => signs.includes(squeeze(node.innerText)) || words.test(`${node.getAttribute("aria-label") || ""} ${node.title} ${node.getAttribute("class") || ""}`);
  const one = found => found.length === 1 ? found[0] : null;
  return {
    choices, names: choices.map(called),
    more: one(choices.filter(node => is(node, ["+", "＋", "➕"], /\b(plus|inc|increase|increment|up|more)\b/i))),
    less: one(choices.filter(node => is(node, ["-", "−", "–", "➖"], /\b(minus|dec|decrease|decrement|down|less|fewer)\b/i))),
    number: one(Array.from(el.querySelectorAll("*")).filter(node => shown(node) && !node.childElementCount && /^-?\d+$/.test(squeeze(node.innerText) || node.value || ""))),
  };
}

() => {
  const months = "january february march april may june july august september october november december".split(" ");
  const seen = el => { const rect = el.getBoundingClientRect(); return rect.width > 0 && rect.height > 0 && getComputedStyle(el).visibility !== "hidden"; };
  const title = Array.from(document.querySelectorAll("body *")).filter(el => el.childElementCount <= 4 && seen(el) && el.textContent.length < 40).find(el => {
    const text = el.textContent.toLowerCase();
    return /\b(19|20)\d\d\b/.test(text) && months.some(month => new RegExp("\\b" + month.slice(0, 3) + "[a-z]*\\b").test(text));
  });
  if (!title) return null;
  const text = title.textContent.toLowerCase();
  const month = months.findIndex(name => new RegExp("\\b" + name.slice(0, 3) + "[a-z]*\\b").test(text)) + 1;
  const year = parseInt(text.match(/\b((19|20)\d\d)\b/)[1]);
  let box = title;
  const classes = el => [el.className, el.parentElement.className].join(" ").toLowerCase();
  const days = root => Array.from(root.querySelectorAll("td,[role=gridcell],button,a,span,div")).filter(el => seen(el) && /^\d{1,2}$/.test(el.textContent.trim()) && !el.querySelector("td,[role=gridcell],button,a") && !/week-?num|weeknumber/.test(classes(el)));
  while (box && days(box).length < 28) box = box.parentElement;
  if (!box) return null;
  const arrow = names => Array.from(box.querySelectorAll("button,a,[role=button],span,th,i")).filter(seen).find(el => names.test([el.getAttribute("aria-label"), el.title, el.getAttribute("class"), el.textContent.trim()].join(" ").toLowerCase()) && !/^\d+$/.test(el.textContent.trim()));
  // Days of the months around it stand before its first day and from the next first day on.
  const all = days(box), cells = all.filter(el => !all.includes(el.parentElement));
  const firsts = cells.map((el, at) => parseInt(el.textContent) === 1 ? at : -1).filter(at => at >= 0);
  const own = firsts.length ? cells.slice(firsts[0], firsts[1]) : cells;
  const usable = own.filter(el => !/disabled/.test(classes(el)) && !el.closest("[aria-disabled=true],:disabled"));
  return { month, year, back: arrow(/prev|previous|back|\u2039|\u2190|^<$|&lt;/), on: arrow(/next|forward|\u203a|\u2192|^>$|&gt;/), days: usable };
}

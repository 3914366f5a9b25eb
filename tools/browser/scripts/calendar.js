// The calendar that is open: which month it shows, its arrows, the cells of its days; null if there is none.
() => {
  const MOST_LEVELS = 7, FEWEST_DAYS = 28, MOST_DAYS = 62;
  const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
  const MONTH = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/, YEAR = /\b((?:19|20)\d\d)\b/;
  const seen = el => { const rect = el.getBoundingClientRect(); return rect.width > 0 && rect.height > 0 && getComputedStyle(el).visibility !== "hidden"; };
  // What a title says: months and years are often chosen in lists and fields of their own.
  const said = el => {
    if (el.localName === "select") return el.selectedOptions.length ? el.selectedOptions[0].label : "";
    if (el.localName === "input") return el.value;
    const parts = [];
    for (const node of el.childNodes) { if (node.nodeType === 3) parts.push(node.nodeValue); else if (node.nodeType === 1) parts.push(said(node)); }
    return parts.join(" ").replace(/\s+/g, " ").trim();
  };
  const classes = el => [el.getAttribute("class"), el.parentElement && el.parentElement.getAttribute("class")].join(" ").toLowerCase();
  const days = root => {
    const cells = Array.from(root.querySelectorAll("td,[role=gridcell],[role=option],button,a,span,div")).filter(el => seen(el) && /^\d{1,2}$/.test(el.textContent.trim()) && !/week-?num|weeknumber/.test(classes(el)));
    return cells.filter(el => !cells.some(other => other !== el && el.contains(other))); // the innermost, which get the click
  };
  const boxOf = title => {
    for (let box = title, level = 0; box && level < MOST_LEVELS && box !== document.body; box = box.parentElement, level++) {
      const count = days(box).length;
      if (count >= FEWEST_DAYS) return count <= MOST_DAYS ? box : null;
    }
    return null;
  };
  const titles = Array.from(document.querySelectorAll("body *")).filter(el => el.childElementCount <= 8 && seen(el) && el.textContent.length < 160);
  for (const title of titles) {
    const text = said(title).toLowerCase();
    if (text.length > 40 || !MONTH.test(text) || !YEAR.test(text)) continue;
    const box = boxOf(title);
    if (!box) continue;
    const called = el => [el.getAttribute("aria-label"), el.title, el.getAttribute("class"), el.textContent.trim()].join(" ").toLowerCase();
    const arrow = names => {
      const found = Array.from(box.querySelectorAll("button,a,[role=button],span,th,i,div")).filter(el => seen(el) && names.test(called(el)) && !/^\d+$/.test(el.textContent.trim()) && el.textContent.trim().length < 12 && !/disabled/.test(classes(el)));
      return found.find(el => !/year|super|double|«|»/.test(called(el))) || null; // a month at a time
    };
    // Days of the months around it stand before its first day and from the next first day on.
    const cells = days(box), firsts = cells.map((el, at) => parseInt(el.textContent) === 1 ? at : -1).filter(at => at >= 0);
    const own = firsts.length ? cells.slice(firsts[0], firsts[1]) : cells;
    const fields = Array.from(title.querySelectorAll("select,input")).filter(seen);
    return {
      monthField: fields.find(el => el.localName === "select" && MONTH.test(said(el).toLowerCase())) || null,
      yearField: fields.find(el => YEAR.test(said(el))) || null,
      month: months.indexOf(MONTH.exec(text)[1]) + 1, year: parseInt(YEAR.exec(text)[1]),
      back: arrow(/prev|previous|back|\u2039|\u2190|^<$|arrow-left|left/), on: arrow(/next|forward|\u203a|\u2192|^>$|arrow-right|right/),
      days: own.filter(el => !/disabled/.test(classes(el)) && !el.closest("[aria-disabled=true],:disabled")),
    };
  }
  return null;
}

// What the daemon calls.

const masked = text => squeeze(text).replace(/\d+(?:[.,:]\d+)*/g, "#");
// Whether the entry that an element is in still is the one that was seen; of its numbers some may have changed.
function isSameEntry(el) {
  let entry = el;
  while (entry && !entryTexts.has(entry)) entry = parentOf(entry);
  if (!entry || !entry.isConnected) return true;
  const before = entryTexts.get(entry), now = entry.textContent;
  if (squeeze(before) === squeeze(now)) return true;
  const others = Array.from(entry.parentElement ? entry.parentElement.children : []).filter(each => each !== entry && entryTexts.has(each));
  return masked(before) === masked(now) && !others.some(each => masked(entryTexts.get(each)) === masked(before));
}

const MOST_PREPARED = 2000; // elements: a pass of a few milliseconds
return {
  spot(number) {
    const el = elements.get(number);
    if (!el || !el.isConnected) return null;
    if (el.localName !== "area") return spotOn(el);
    const middle = middleOf(el);
    return middle && { x: middle.x, y: middle.y };
  },
  // What a page has drawn in place of an element: the only one with its kind and name, in an entry that says the same: never that of another row.
  twin(number) {
    const gone = elements.get(number), sign = signs.get(number);
    if (!gone || !sign) return null;
    const isHidden = gone.isConnected && gone.getBoundingClientRect().width === 0 && grip(gone) === gone;
    if (gone.isConnected && !isHidden) return this.take(number, false);
    styles.clear(); contents.clear();
    const like = kin(gone).filter(el => { const role = roleOf(el); let name = nameOf(el, role); if (!name && !FIELDS.has(role)) name = content(el); return (role || "text") + "\n" + name === sign && el.getBoundingClientRect().width > 0; });
    styles.clear(); contents.clear();
    const entry = el => { const around = el.closest("tr,li,article,[role=row],[role=listitem],[role=option]"); return around ? squeeze(around.textContent) : ""; };
    // Numbers in an entry may change, as prices do, if its words alone told it from all the others when it was seen.
    const words = el => masked(entry(el)), before = Array.from(elements.keys()).filter(each => signs.get(each) === sign).map(each => elements.get(each));
    const told = before.filter(el => words(el) === words(gone)).length === 1 ? words : entry;
    const same = entry(gone) ? like.filter(el => told(el) === told(gone)) : like;
    return same.length === 1 ? same[0] : isHidden ? this.take(number, false) : null;
  },
  // The element that a click goes to, if it can be clicked at once; the click is guarded.
  async aim(number) {
    for (let tries = 0; tries < MOST_AIMS; tries++) {
      const el = this.take(number, true) || this.twin(number);
      if (!el || /^(select|option)$/.test(el.localName)) return null;
      if (!await isReady(el, number)) { if (el.isConnected) return null; continue; } // it was drawn anew
      const [left, top, width, height] = box(el);
      if (sortAt(el, left + width / 2, top + height / 2)) return null; // it may be no control at all
      if ((this.take(number, true) || this.twin(number)) !== el) continue;
      guardFor(el);
      return el;
    }
    return null;
  },
  // Whether the click has arrived; null if no click came at all: the browser has kept it for itself; an address that is not opened.
  arrived() { const arrived = !guard || guard.out || guard.arrived; unguard(); return arrived; },
  // Colours are looked at only where the words speak of them: they cost a third of the pass.
  snapshot(colours = true) {
    focused = innermostFocus(); coloured = colours; scrolledX = scrollX; scrolledY = scrollY;
    records = []; visited = 0; truncated = false; flats = []; clip = null; veiling.clear();
    styles.clear(); contents.clear(); revealers.clear(); forgetTurners();
    for (const [number, el] of elements) if (!el.isConnected) { elements.delete(number); signs.delete(number); places.delete(number); }
    if (document.documentElement) visit(document.body || document.documentElement, -1, null, false);
    const text = JSON.stringify({
      url: location.href, title: document.title, view: [innerWidth, innerHeight], size: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
      scroll: [Math.round(scrollX), Math.round(scrollY)], ready: document.readyState, quiet: Math.round(performance.now() - changedAt), expected: expected(), truncated, elements: records, last: lastNumber(),
    });
    records = null; styles.clear(); contents.clear(); revealers.clear(); forgetTurners();
    return text;
  },
  // The first pass takes longest: what it needs is compiled then. A large page is not held up by it before somebody looks;
  // and where somebody has looked, nothing of what was bound by that may be taken for what it is now.
  prepare() { if (next === 1 && document.getElementsByTagName("*").length <= MOST_PREPARED) this.snapshot(false); },
  numberOf, sortAt,
  changes() { return changes; },
  waitForChange(since, most) {
    return new Promise(resolve => {
      const end = performance.now() + most;
      const look = () => { if (changes !== since || performance.now() >= end) resolve(changes); else later(look, 25); };
      look();
    });
  },
  // The element of a number, if it is still what it was when it was last seen; else null.
  // ``held`` asks for what a person would put the pointer on: the label of a box that is not seen.
  take(number, held) {
    const el = elements.get(number);
    if (!el || !el.isConnected) return null;
    styles.clear(); contents.clear();
    const role = roleOf(el), [, name] = (signs.get(number) || "").split("\n");
    const now = el.localName === "option" ? cut(squeeze(el.label || el.textContent)) : nameOf(el, role) || content(el);
    const same = !name || FIELDS.has(role) || now === name || !NAMED_BY_CONTENT.has(role) && role;
    styles.clear(); contents.clear();
    if (!same || !isSameEntry(el)) return null;
    return held ? grip(el) : el;
  },
};

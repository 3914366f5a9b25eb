// What is shown a part at a time, as slides, pages of rows and panels are, and what turns to the other parts.

const MOST_PARTS = 5000, MOST_UP = 4, MOST_UP_TO_TABS = 2;
const MOST_LOOKED_AT = 20000; // in one pass, for all that is hidden: pages with thousands of folded parts have no turners
const ONWARD = /^(next|forwards?|onwards?|right|older|[›»❯→⟩▶▸>]+)$/i, BACKWARD = /^(prev|previous|back|backwards?|left|newer|[‹«❮←⟨◀◂<]+)$/i;
const NUMBERED = /^((go to |show )?(slide|page|item|part|image|photo) )?(\d+)( of \d+)?$/i;
const series = new Map(); // of a parent, once in a pass
let lookedAt = 0;
function forgetTurners() { series.clear(); referring = hovering = null; lookedAt = 0; }

// What turns to a hidden part; "turn:3" where it must be used three times.
function turnerTo(hidden) {
  let part = hidden;
  while (part.parentElement && isGone(part.parentElement)) part = part.parentElement;
  const around = part.parentElement;
  if (!around || around.childElementCount < 2 || isStep(part)) return null;
  const parts = seriesIn(around, part), at = parts ? parts.places.get(part) : undefined;
  if (at === undefined || !parts.turners) return null;
  if (parts.moves) return [null, ""]; // who knows where it comes to rest
  const { first, shown, turners } = parts, page = Math.floor(at / shown), now = Math.floor(first / shown), steps = Math.abs(page - now);
  const step = page > now ? turners.onward : turners.backward;
  if (!steps) return null;
  if (step && (steps === 1 || !turners.each.length)) return [step, steps === 1 ? "click" : "turn:" + steps];
  return turners.each.length ? [turners.each[page], "click"] : null;
}
// The steps of a form are not leafed through: to go on there is to say that what was filled in is right.
const isStep = el => /^(form|fieldset|option)$/.test(el.localName) || !/^(tr|li)$/.test(el.localName) && el.closest("form");
// Parts are made alike: what is laid over the page, as a list that opens is, is no part among others.
const classesOf = el => (attr(el, "class") || "").split(/\s+/).filter(Boolean);
const isMadeLike = (one, other) => one.localName === other.localName && styleOf(one).position === styleOf(other).position && (!classesOf(one).length || !classesOf(other).length || classesOf(one).some(name => other.classList.contains(name)));
function seriesIn(around, part) {
  if (series.has(around)) return series.get(around);
  series.set(around, null);
  const parts = Array.from(around.children).filter(el => isMadeLike(part, el));
  if (parts.length < 2 || parts.length > MOST_PARTS) return null;
  const shown = parts.map(isTurnedTo), first = shown.indexOf(true), many = shown.filter(Boolean).length;
  // One part is shown, or some that follow each other: else it is filtered or folded, not leafed through.
  if (first < 0 || many === parts.length || shown.lastIndexOf(true) - first + 1 !== many) return null;
  const turners = turnersOf(around, parts, many, Math.floor(first / many));
  const found = { places: new Map(parts.map((el, at) => [el, at])), first, shown: many, turners, moves: hasMoved(around, parts) };
  series.set(around, found);
  return found;
}
const MOVING_MS = 1000, lastSeen = new WeakMap();
function hasMoved(around, parts) {
  const ends = [parts[0], parts[parts.length - 1]].map(el => el.getBoundingClientRect());
  const places = ends.map(rect => [rect.left + scrollX, rect.top + scrollY, rect.width]).join(), before = lastSeen.get(around);
  lastSeen.set(around, { places, at: performance.now() });
  const moved = Boolean(before) && before.places !== places && performance.now() - before.at < MOVING_MS;
  if (moved) changedAt = performance.now(); // no mutation tells of it: the page is not quiet before a look finds them in the same place
  return moved;
}
function isTurnedTo(part) {
  const clip = clipOf(part.parentElement);
  return !isGone(part) && !isFaint(styleOf(part)) && part.offsetWidth > 1 && !(clip && isOutside(part.getBoundingClientRect(), clip));
}
const STEPPING = /^(next|continue|back|previous|finish|proceed|go on)\b/i;
function turnersOf(around, parts, shown, now) {
  // The steps of something that is filled in have their own buttons to go on.
  const open = parts.find(isTurnedTo), own = open && shown === 1 ? Array.from(open.querySelectorAll("button,[role=button],input[type=button],input[type=submit]")) : [];
  if (own.some(el => STEPPING.test(squeeze(el.innerText || el.value)))) return null;
  for (let scope = around, up = 0; scope && scope !== document.documentElement && up < MOST_UP; scope = scope.parentElement, up++) {
    const usable = outside(scope, parts).filter(el => turns(el) && isBar(el, scope));
    const onward = only(usable, ONWARD), backward = only(usable, BACKWARD);
    const tabs = shown === 1 && up <= MOST_UP_TO_TABS ? usable.filter(el => isNextTo(el, scope, around, parts)) : [];
    const each = oneForEach(usable, Math.ceil(parts.length / shown), now, tabs);
    if (onward && backward || each.length) return { onward, backward, each };
  }
  return null;
}
function outside(scope, parts) {
  const found = [], left = new Set(parts);
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_ELEMENT, el => left.has(el) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  for (let el = walker.nextNode(); el && lookedAt < MOST_LOOKED_AT; el = walker.nextNode()) { lookedAt++; found.push(el); }
  return found;
}
// What turns parts stands beside them in a bar of its own: not in another part of the page, with much to read.
const MOST_READ = 40;
function isBar(el, scope) {
  let bar = el;
  while (bar.parentElement !== scope && bar.parentElement) bar = bar.parentElement;
  if (bar === el) return true;
  const texts = Array.from(bar.querySelectorAll("h1,h2,h3,h4,h5,h6,p,td,article,img,input:not([type=radio])"));
  return !texts.some(text => text.localName !== "p" || text.textContent.length > MOST_READ);
}
// Tabs stand just before what they turn, or behind it: else they may turn something else.
function isNextTo(el, scope, around, parts) {
  const branch = inner => { while (inner && inner.parentElement !== scope) inner = inner.parentElement; return inner; };
  const bar = branch(el), first = around === scope ? parts[0] : branch(around), last = around === scope ? parts[parts.length - 1] : first;
  return Boolean(bar) && (first.previousElementSibling === bar || last.nextElementSibling === bar);
}
function turns(el) {
  const role = roleOf(el), points = () => styleOf(el).cursor === "pointer" && styleOf(el.parentElement).cursor !== "pointer";
  return !FIELDS.has(role) && (CONTROLS.has(role) || handled(el) || points()) && !isGone(el) && !leadsAway(el);
}
const leadsAway = el => el.localName === "a" && !/^(#|javascript:|$)/.test(attr(el, "href") || "");
// By its first word, or by its class where it has none: "Next slide", "slick-next", "›".
const named = el => squeeze(attr(el, "aria-label") || content(el) || attr(el, "title"));
const signsOf = el => named(el) ? [named(el).split(" ")[0]] : (attr(el, "class") || "").split(/[\s_-]+/);
function only(usable, sign) {
  const found = usable.filter(el => signsOf(el).some(word => sign.test(word)));
  return found.length === 1 ? found[0] : null;
}
// As many in a row as there are parts: dots and numbers; and tabs, if the one that differs stands for what is shown.
function oneForEach(usable, count, now, tabs) {
  const rows = new Map();
  for (const el of usable) {
    const row = el.parentElement.childElementCount === 1 && el.parentElement.parentElement || el.parentElement;
    if (!only([el], ONWARD) && !only([el], BACKWARD)) rows.set(row, (rows.get(row) || []).concat(el));
  }
  const stands = row => {
    if (row.length !== count) return false;
    const told = row.filter(el => isTold(el, row));
    if (told.length && (told.length > 1 || told[0] !== row[now])) return false;
    return row.every((el, at) => { const name = named(el).match(NUMBERED); return name && Number(name[4]) === at + 1; }) || row.every(el => tabs.includes(el)) && (told.length === 1 || row.every(el => !named(el)));
  };
  const fitting = Array.from(rows.values()).filter(stands);
  return fitting.length === 1 ? fitting[0] : [];
}
function isTold(el, row) {
  if (/^(true|page|step|location)$/.test(attr(el, "aria-selected") || attr(el, "aria-current") || attr(el, "aria-pressed") || "")) return true;
  const looks = each => (attr(each, "class") || "") + (each.parentElement.childElementCount === 1 ? " " + (attr(each.parentElement, "class") || "") : "") + (each.disabled ? " disabled" : "");
  return row.length > 2 ? row.filter(each => looks(each) === looks(el)).length === 1 : looks(el).length > Math.min(...row.map(each => looks(each).length));
}

// What lies outside of the part of a box that is shown, where nobody can scroll to it.
const isOutside = (rect, clip) => rect.width > 0 && (rect.right <= clip.left + 1 || rect.left >= clip.right - 1 || rect.bottom <= clip.top + 1 || rect.top >= clip.bottom - 1);
const CLIPS = /hidden|clip/;
function clipBy(el, style) {
  const across = CLIPS.test(style.overflowX), down = CLIPS.test(style.overflowY);
  if (!across && !down) return null;
  const { left, right, top, bottom } = el.getBoundingClientRect();
  return { by: el, left: across ? left : -Infinity, right: across ? right : Infinity, top: down ? top : -Infinity, bottom: down ? bottom : Infinity };
}
function clipOf(el) {
  for (let up = el, most = MOST_UP; up && up !== document.body && most > 0; up = up.parentElement, most--) {
    const found = clipBy(up, styleOf(up));
    if (found) return found;
  }
  return null;
}

// What speaks of a part by the name that its page has given it: data-tab="dates", onclick="show('dates')".
const TELLING = ["tab", "tab-target", "target", "panel", "pane", "section", "show", "view", "toggle", "open", "page", "slide", "slide-to", "content", "controls"].map(name => "data-" + name);
const SPOILS = /remov|delet|hide|clos|submit|clear|reset|drop|buy|send/i;
let referring = null;
function referrerTo(hidden) {
  const keys = [hidden.id, ...Object.values(hidden.dataset || {})].filter(key => key && key.length < LONG);
  if (!keys.length) return null;
  referring = referring || references();
  const found = new Set(keys.flatMap(key => referring.get(key) || []).filter(el => el !== hidden && !hidden.contains(el) && turns(el)));
  return found.size === 1 ? [Array.from(found)[0], "click"] : null;
}
function references() {
  const found = new Map(), add = (key, el) => { if (key) found.set(key, (found.get(key) || []).concat(el)); };
  for (const el of document.querySelectorAll(TELLING.concat("onclick").map(name => `[${name}]`).join())) {
    for (const name of TELLING) add((attr(el, name) || "").replace(/^#/, ""), el);
    const called = attr(el, "onclick");
    if (called && !SPOILS.test(called)) for (const [, key] of called.matchAll(/["']#?([\w-]+)["']/g)) add(key, el);
  }
  return found;
}

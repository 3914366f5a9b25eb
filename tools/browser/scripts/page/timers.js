// What was noted of the timers of this document, if it was from its beginning; and a timer of our own, which nobody notes.
const timers = window.setTimeout[TIMERS_KEY] || null;
const later = timers ? timers.set : (...given) => setTimeout(...given);
// In how many milliseconds something is due by itself, a timer or the end of a movement; and how often something is repeated.
function expected() {
  if (!timers) return null;
  let [next, every] = timers.next();
  for (const each of document.getAnimations ? document.getAnimations() : []) {
    const end = each.playState === "running" && each.effect ? each.effect.getComputedTiming().endTime : Infinity;
    const left = Number(end) - Number(each.currentTime || 0);
    if (Number.isFinite(left)) next = next < 0 ? Math.max(0, left) : Math.min(next, Math.max(0, left));
  }
  return [Math.round(next), Math.round(every)];
}

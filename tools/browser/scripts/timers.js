// What a page has set to happen later, noted from its beginning: where nothing is, nothing need be waited for.
// The functions stay what they are for the page; only who knows the key can ask them what was noted.
key => {
  const due = new Map(), every = new Map(), set = window.setTimeout, MOST = 1000;
  const ms = given => Math.max(0, Number(given) || 0);
  const forget = now => { for (const [id, at] of due) if (at < now) due.delete(id); };
  const noted = {
    set: (...given) => Reflect.apply(set, window, given),
    // In how many milliseconds the next of them is due, and how often something is repeated; -1: nothing is, 0: too much to tell.
    next() {
      const now = performance.now();
      forget(now);
      return [due.size ? Math.max(0, Math.min(...due.values()) - now) : -1, every.size ? Math.min(...every.values()) : -1];
    },
  };
  const through = (name, note) => {
    window[name] = new Proxy(window[name], {
      apply(target, self, given) { const result = Reflect.apply(target, self, given); note(result, given); return result; },
      get(target, asked) { return asked === key ? noted : Reflect.get(target, asked); },
    });
  };
  through("setTimeout", (id, given) => {
    const now = performance.now();
    if (due.size >= MOST) forget(now);
    if (due.size < MOST) due.set(id, now + ms(given[1]));
  });
  through("setInterval", (id, given) => { if (every.size < MOST) every.set(id, ms(given[1])); });
  for (const name of ["clearTimeout", "clearInterval"]) through(name, (_, given) => { due.delete(given[0]); every.delete(given[0]); });
}

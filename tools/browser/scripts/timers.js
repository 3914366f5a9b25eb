// What a page has set to happen later, noted from its beginning: where nothing is, nothing need be waited for.
// The functions stay what they are for the page; only who knows the key can ask them what was noted.
key => {
  const due = new Map(), every = new Map(), MOST = 1000;
  const ms = given => Math.max(0, Number(given) || 0);
  const original = Object.fromEntries(["setTimeout", "requestAnimationFrame", "requestIdleCallback"].filter(name => window[name]).map(name => [name, window[name]]));
  const noted = {
    set: (...given) => Reflect.apply(original.setTimeout, window, given),
    // In how many milliseconds the next of them is due, and how often something is repeated; -1: nothing is. What is late is due now.
    next() {
      return [due.size ? Math.max(0, Math.min(...due.values()) - performance.now()) : -1, every.size ? Math.min(...every.values()) : -1];
    },
  };
  const through = (name, note) => {
    window[name] = new Proxy(window[name], {
      apply(target, self, given) { const result = Reflect.apply(target, self, given); note(result, given); return result; },
      get(target, asked) { return asked === key ? noted : Reflect.get(target, asked); },
    });
  };
  // A busy page calls late: something is due until a call of ours has come that was asked for in the same way, just after it.
  const note = (name, cancel, wait) => {
    if (!original[name]) return;
    through(name, (id, given) => {
      if (due.size >= MOST) return;
      const place = cancel + id;
      due.set(place, performance.now() + wait(given));
      Reflect.apply(original[name], window, [() => due.delete(place), ...given.slice(1, 2)]);
    });
    through(cancel, (_, given) => { due.delete(cancel + given[0]); every.delete(given[0]); });
  };
  note("setTimeout", "clearTimeout", given => ms(given[1]));
  note("requestAnimationFrame", "cancelAnimationFrame", () => 0);
  note("requestIdleCallback", "cancelIdleCallback", () => 0);
  through("setInterval", (id, given) => { if (every.size < MOST) every.set(id, ms(given[1])); });
  through("clearInterval", (_, given) => { due.delete("clearTimeout" + given[0]); every.delete(given[0]); });
}

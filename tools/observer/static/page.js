// Listens for changes, draws the graph, and shows the decision of a goal.
// All HTML comes from the server, which escapes it; data is only set as text.
"use strict";
(() => {
  const body = document.body;
  const pinned = body.dataset.command || ""; // the command of a permalink; else the latest
  const find = (selector, within = document) => within.querySelector(selector);
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // Messages to the person

  function showText(id, text) {
    const place = document.getElementById(id);
    place.textContent = text;
    place.hidden = !text;
  }

  const ENDED = "This session has ended. Open a new link.";
  let fading = 0;
  function notice(text) {
    showText("notice", text);
    clearTimeout(fading);
    fading = setTimeout(() => showText("notice", ""), 8000);
  }

  // Changes are collected: each part is renewed a few times a second at most

  const GAP = 150;
  const dirty = new Set();
  let waiting = 0;
  let settling = 0;

  function renew(...parts) {
    parts.forEach((part) => dirty.add(part));
    if (!waiting) waiting = setTimeout(flush, 20);
  }

  function flush() {
    for (const part of dirty) htmx.trigger(body, `${part}-changed`);
    dirty.clear();
    waiting = setTimeout(() => { waiting = 0; if (dirty.size) flush(); }, GAP);
  }

  const shownCommand = () => find("#story .head")?.dataset.command || "";

  function handleChange({ command, topic }) {
    const all = topic === "all";
    if (all || topic === "command") renew("list");
    if (all || ["question", "approval", "command"].includes(topic)) renew("people");
    const shown = pinned || shownCommand();
    if (all || command === shown || (!pinned && topic === "command")) {
      renew("command");
      // The journal is a moment behind the wire.
      clearTimeout(settling);
      settling = setTimeout(() => renew("command", "list"), 400);
    }
  }

  let source = null;
  function listen() {
    if (source || !find("#story")) return;
    source = new EventSource("/events");
    source.addEventListener("change", (event) => handleChange(JSON.parse(event.data)));
    source.addEventListener("daemon", (event) => {
      showText("banner", event.data === "up" ? "" : "The daemon does not answer. Trying again …");
    });
    source.addEventListener("open", () => {
      body.dataset.listening = "yes";
      renew("list", "people", "command"); // what changed before it listened was not handleChange
    });
    source.addEventListener("error", () => {
      delete body.dataset.listening;
      const ended = source.readyState === EventSource.CLOSED;
      showText("banner", ended ? ENDED : "Connecting again …");
    });
  }

  // A browser has few connections to one host: a hidden page closes its own.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && source) {
      source.close();
      source = null;
      delete body.dataset.listening;
    }
    if (!document.hidden) listen();
  });

  // While something runs, the time line grows.
  setInterval(() => {
    if (!document.hidden && find("#story .head[data-under-way]")) renew("command");
  }, 1000);

  // A part whose content is the same is not replaced.
  function isSame(target, response) {
    if (target.behestBefore !== undefined) return target.behestBefore === response;
    const parsed = document.createElement("template"); // what came with the page itself
    parsed.innerHTML = response;
    return parsed.innerHTML === target.innerHTML;
  }

  // A renewed part keeps typed text, scroll positions, opened details and the focus.
  const labelOf = (place) => [
    place.closest("#story") && find("#story .head")?.dataset.command,
    place.closest(".card")?.getAttribute("aria-labelledby"), place.className, place.localName,
  ].join("|");
  const keyOf = (place) => place?.id || place?.getAttribute("href") || "";
  const placesOf = (target) => [...target.querySelectorAll(".scroll, .commands, details")];

  let kept = null;
  function keep(target) {
    const active = target.contains(document.activeElement) ? document.activeElement : null;
    kept = {
      focus: keyOf(active),
      caret: active?.type === "text" ? active.selectionStart : null,
      typed: [...target.querySelectorAll("input[type=text][id]")]
        .filter((field) => field.value).map(({ id, value }) => ({ id, value })),
      places: new Map(placesOf(target).map((place) =>
        [labelOf(place), { top: place.scrollTop, isOpen: place.open }])),
    };
  }

  function restore(target) {
    if (!kept) return;
    const { focus, caret, typed, places } = kept;
    kept = null;
    for (const { id, value } of typed) {
      const field = document.getElementById(id);
      if (field) field.value = value;
    }
    for (const place of placesOf(target)) {
      const { top, isOpen } = places.get(labelOf(place)) || {};
      if (top) place.scrollTop = top;
      if (isOpen) place.open = true;
    }
    const active = focus && [...target.querySelectorAll("[id], [href]")].find((each) => keyOf(each) === focus);
    active?.focus?.({ preventScroll: true });
    if (active && caret !== null) active.setSelectionRange(caret, caret);
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr } = event.detail;
    if (xhr.status !== 200) return;
    if (isSame(target, xhr.response)) event.detail.shouldSwap = false;
    else keep(target);
    target.behestBefore = xhr.response;
  });

  // A click is ignored if its button appeared under a pointer that has not moved since.
  let hasAimed = true;
  document.addEventListener("pointermove", () => { hasAimed = true; });
  document.addEventListener("pointerdown", (event) => { // a finger does not move before it touches
    if (event.pointerType !== "mouse") hasAimed = true;
  }, true);
  document.addEventListener("click", (event) => {
    const isByKey = event.detail === 0;
    if (isByKey || hasAimed || !event.target.closest?.("#people button, .cancel button")) return;
    event.preventDefault();
    event.stopPropagation();
    notice("This has just moved. Look again, then click.");
  }, true);
  document.addEventListener("htmx:afterSwap", (event) => {
    restore(event.detail.target);
    if (event.detail.target.id === "people") hasAimed = false;
    if (event.detail.target.id === "story") showStory();
    if (event.detail.target.id === "list") markCurrent();
  });

  // If a part cannot be renewed, say why.
  document.addEventListener("htmx:responseError", ({ detail: { xhr, requestConfig } }) => {
    if (requestConfig.verb !== "get") return;
    if (xhr.status === 403) showText("banner", ENDED);
    if (xhr.status === 503) showText("banner", "The daemon does not answer. Trying again …");
  });

  // Acting: the server's answer is shown as it is. The card that was clicked may be gone by then, and
  // htmx tells nobody but the card, so the request itself is listened to.
  document.addEventListener("htmx:beforeSend", ({ detail: { xhr, requestConfig } }) => {
    if (requestConfig.verb !== "post") return;
    xhr.addEventListener("loadend", () => {
      notice(xhr.status ? xhr.responseText : "The observer does not answer.");
      renew("people", "command");
    });
  });

  // The graph

  const [WIDTH, HEIGHT, MANY, BROAD] = [172, 46, 24, 12];
  let graph = null;
  let drawn = ""; // the shape that is drawn: the command, its goals and what they wait for
  let chosen = "";

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const TONES = {
    success: "--good", running: "--busy", asking: "--warn", failed: "--bad", in_doubt: "--warn",
    partial: "--warn", waiting: "--idle", queued: "--idle", skipped: "--idle", cancelled: "--idle",
    planned: "--busy",
  };
  const soft = (status) => {
    const name = TONES[status] || "--bad";
    return colour(name === "--idle" ? "--raised" : `${name}-soft`);
  };
  const tone = (status) => colour(TONES[status] || "--bad");

  function styles() {
    const text = colour("--text");
    return [
      { selector: "node", style: {
        shape: "round-rectangle", width: WIDTH, height: HEIGHT, label: "data(label)", color: text,
        "background-color": (node) => soft(node.data("status")), "border-width": 1.5,
        "border-color": (node) => tone(node.data("status")),
        "font-family": "system-ui, sans-serif", "font-size": 12, "text-valign": "center",
        "text-halign": "center", "text-wrap": "wrap", "text-max-width": WIDTH - 8, "line-height": 1.3, "min-zoomed-font-size": 6,
      } },
      { selector: 'node[status = "running"]', style: {
        "border-width": 3 } },
      { selector: 'node[status = "asking"]', style: {
        "border-width": 3, "border-style": "double" } },
      { selector: 'node[status = "waiting"], node[status = "skipped"]', style: {
        "border-style": "dashed" } },
      { selector: "node:selected", style: {
        "outline-width": 3, "outline-color": colour("--accent"), "outline-offset": 2 } },
      { selector: "edge", style: {
        width: 1.5, "line-color": colour("--line"), "target-arrow-color": colour("--line"),
        "target-arrow-shape": "triangle", "arrow-scale": 0.9, "curve-style": "bezier" } },
    ];
  }

  const MARKS = { success: "✓", running: "▶", asking: "?", failed: "✗", in_doubt: "!", partial: "◐" };
  const label = (node) =>
    [`${MARKS[node.status] || ""} ${node.id}  ${node.does}`.trim(), node.took || node.words]
      .filter(Boolean).join("\n");
  const dataOf = (node) => ({ id: node.id, label: label(node), status: node.status });

  function elementsOf({ nodes, edges }) {
    return [
      ...nodes.map((node) => ({ data: dataOf(node) })),
      ...edges.map(([source, target]) => ({ data: { id: `${source}>${target}`, source, target } })),
    ];
  }

  // Connected goals are laid out by their dependencies; the others follow below in rows.
  function lay() {
    const joined = graph.edges().connectedNodes();
    const alone = graph.nodes().difference(joined);
    let top = 0;
    if (joined.nonempty()) {
      layJoined(joined);
      top = joined.boundingBox().y2 + 40;
    }
    const columns = Math.max(1, Math.round(Math.sqrt(alone.length / 2)));
    const left = joined.nonempty() ? joined.boundingBox().x1 + WIDTH / 2 : 0;
    alone.forEach((node, at) => {
      node.position({ x: left + (at % columns) * (WIDTH + 18), y: top + Math.floor(at / columns) * 62 });
    });
    fit();
  }

  function layJoined(joined) {
    const ranks = ranksOf(joined);
    const broad = Math.max(...ranks.map((rank) => rank.length));
    if (broad > BROAD) { layBlocks(ranks, broad); return; }
    joined.union(graph.edges())
      .layout({ name: "dagre", rankDir: direction(ranks.length, broad), nodeSep: 16, rankSep: 44,
        fit: false, animate: false })
      .run();
  }

  // Long ranks are folded into blocks, side by side.
  function layBlocks(ranks, broad) {
    const high = Math.ceil(Math.sqrt(broad));
    let left = 0;
    for (const rank of ranks) {
      const rows = Math.min(high, rank.length);
      const top = ((high - rows) / 2) * (HEIGHT + 16);
      rank.forEach((node, at) => node.position({
        x: left + Math.floor(at / rows) * (WIDTH + 16), y: top + (at % rows) * (HEIGHT + 16) }));
      left += Math.ceil(rank.length / rows) * (WIDTH + 16) + 60;
    }
  }

  // Groups goals by the length of the longest chain before them.
  function ranksOf(joined) {
    const known = new Map();
    const rank = (node) => {
      if (!known.has(node.id())) {
        known.set(node.id(), 0); // goals wait for earlier ones only: there is no ring
        known.set(node.id(), Math.max(-1, ...node.incomers("node").map(rank)) + 1);
      }
      return known.get(node.id());
    };
    const ranks = [];
    joined.forEach((node) => { (ranks[rank(node)] ||= []).push(node); });
    return ranks;
  }

  // From left to right or from top to bottom, whichever is shown larger.
  function direction(deep, broad) {
    const { clientWidth: wide, clientHeight: high } = find("#graph");
    const across = Math.min(wide / (deep * (WIDTH + 44)), high / (broad * (HEIGHT + 16)), 1);
    const down = Math.min(wide / (broad * (WIDTH + 16)), high / (deep * (HEIGHT + 44)), 1);
    return across >= down ? "LR" : "TB";
  }

  function fit() {
    graph.fit(undefined, 18);
    if (graph.zoom() > 1) { graph.zoom(1); graph.center(); }
  }

  function draw(data) {
    const began = performance.now();
    const shape = JSON.stringify([data.command, data.nodes.map((node) => node.id), data.edges]);
    if (graph && shape === drawn) {
      graph.batch(() => data.nodes.forEach((node) => graph.getElementById(node.id).data(dataOf(node))));
      return;
    }
    graph?.destroy();
    drawn = shape;
    find(".detail").classList.toggle("big", data.nodes.length > MANY);
    graph = cytoscape({
      container: find("#graph"), elements: elementsOf(data), style: styles(),
      layout: { name: "preset" }, selectionType: "single", boxSelectionEnabled: false,
      userZoomingEnabled: false, autoungrabify: true, minZoom: 0.05, maxZoom: 3,
    });
    graph.on("tap", "node", (event) => choose(event.target.id(), true));
    lay();
    graph.one("render", () => {
      body.dataset.drawn = String(Math.round(performance.now() - began)); // measured by the tests
      body.dataset.drawnNodes = String(data.nodes.length);
    });
  }

  // For tests and for the console.
  window.behestGraph = () => graph;

  // Content above the graph may have moved it: measure its place before it is used.
  find("#graph")?.addEventListener("pointerenter", () => graph?.resize());

  const ZOOMS = { in: 1.4, out: 1 / 1.4 };
  document.addEventListener("click", (event) => {
    const how = event.target.closest?.("[data-zoom]")?.dataset.zoom;
    if (!how || !graph) return;
    if (how === "fit") { fit(); return; }
    const { clientWidth, clientHeight } = find("#graph");
    const level = graph.zoom() * ZOOMS[how];
    graph.zoom({ level, renderedPosition: { x: clientWidth / 2, y: clientHeight / 2 } });
  });

  // The story and its decisions

  let shownId = "";

  function showStory() {
    const data = JSON.parse(find("#story [data-graph]")?.dataset.graph || "null");
    const panel = find(".graph");
    if (panel) panel.hidden = !data?.nodes.length;
    if (!data) return;
    if (data.command !== shownId) {
      if (shownId && location.hash) history.replaceState(null, "", location.pathname + location.search);
      shownId = data.command;
      chosen = "";
    }
    if (data.nodes.length) draw(data);
    const known = (goal) => data.nodes.some((node) => node.id === goal);
    choose([chosen, wantedGoal(), data.first].find(known) || "", false);
  }

  function wantedGoal() {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
  }

  window.addEventListener("hashchange", () => {
    if (document.getElementById(`node-${wantedGoal()}`)) choose(wantedGoal(), false);
  });

  function choose(goal, byHand) {
    chosen = goal;
    document.querySelectorAll("[data-goal]").forEach((button) => {
      button.setAttribute("aria-pressed", String(button.dataset.goal === goal));
    });
    graph?.nodes().forEach((node) => node[node.id() === goal ? "select" : "unselect"]());
    if (byHand) history.replaceState(null, "", `#${encodeURIComponent(goal)}`);
    const place = find("#decision");
    if (!goal) { place.replaceChildren(); delete place.behestBefore; return; }
    const query = new URLSearchParams({ id: shownId, goal });
    htmx.ajax("GET", `/fragment/decision?${query}`, { target: place, source: place });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-goal]");
    if (button) choose(button.dataset.goal, true);
  });

  // Arrow keys move between goals.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.matches?.("[data-goal]")) return;
    const buttons = [...document.querySelectorAll("[data-goal]")];
    buttons[buttons.indexOf(event.target) + step]?.focus();
    event.preventDefault();
  });

  function markCurrent() {
    const shown = pinned || shownCommand();
    document.querySelectorAll("#list a[data-command]").forEach((link) => {
      if (link.dataset.command === shown) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
  }

  // Themes

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const redraw = () => graph?.style(styles());
  dark.addEventListener("change", redraw);
  find("#theme").addEventListener("click", () => {
    const root = document.documentElement;
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    try { localStorage.setItem("behest-theme", root.dataset.theme); } catch { /* for now only */ }
    redraw();
  });

  let resizing = 0;
  window.addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(() => { if (graph) { graph.resize(); fit(); } }, 100);
  });

  if (still.matches) document.documentElement.classList.add("still");
  if (find("#story")) { showStory(); markCurrent(); listen(); }
})();

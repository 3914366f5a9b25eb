// Begins the task of a page by its seed, and tells what was asked for, and what came of it.
(() => {
  "use strict";
  const asked = new URLSearchParams(location.search);
  const tell = (kind, text) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/tell?key=${encodeURIComponent(asked.get("key"))}&kind=${kind}`, false);
    request.send(text);
  };
  addEventListener("load", () => {
    Math.seedrandom(asked.get("seed"));
    core.EPISODE_MAX_TIME = 1e9;
    core.endEpisode = (reward) => tell("reward", String(reward));
    core.startEpisodeReal();
    core.startEpisode = () => {};
    for (const id of ["reward-display", "click-canvas", "sync-task-cover"]) document.getElementById(id)?.remove();
    const said = core.getUtterance ? core.getUtterance() : document.getElementById("query").textContent;
    document.getElementById("query")?.replaceChildren(); // what is said is not a part of the page
    tell("said", (typeof said === "string" ? said : said.utterance).replace(/\s+/g, " ").trim());
  });
})();

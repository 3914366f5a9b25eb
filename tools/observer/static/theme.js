// Before anything is drawn: the theme that was chosen, else the system's.
"use strict";
try {
  const chosen = localStorage.getItem("behest-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch { /* no storage: the system's theme */ }

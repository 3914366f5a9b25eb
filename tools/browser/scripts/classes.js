el => [el, ...el.querySelectorAll("*")].slice(0, 6).some(each =>
  /(^|[\s_-])(checked|selected|active|on|is-on|enabled|toggled)([\s_-]|$)/.test(each.getAttribute("class") || ""))

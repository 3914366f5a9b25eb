el => [el, ...el.querySelectorAll("*")].slice(0, 6).some(each =>
  /(^|[\s_-])(checked|selected|active|toggled)(\s|$)|(^|\s)(is-)?on(\s|$)/.test(each.getAttribute("class") || ""))

el => {
  if (el.localName === "summary" && el.parentElement.localName === "details") return el.parentElement.open;
  if (el.localName === "details") return el.open;
  const said = el.getAttribute("aria-expanded");
  return said === null ? null : said === "true";
}

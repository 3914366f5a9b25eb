el => {
  const table = el.matches("table,[role=table],[role=grid],[role=treegrid]") ? el : el.closest("table,[role=table],[role=grid]") || el.querySelector("table,[role=table],[role=grid],[role=treegrid]");
  const squeeze = text => (text || "").replace(/\s+/g, " ").trim();
  const heldBy = field => /^(checkbox|radio)$/.test(field.type) ? (field.checked ? "yes" : "no") : field.type === "password" ? "" : field.value;
  const textOf = cell => { const field = cell.querySelector("input:not([type=hidden]),select,textarea"); const said = squeeze(cell.innerText); return said || (field ? heldBy(field) : ""); };
  if (!table) return null;
  const rows = Array.from(table.querySelectorAll("tr,[role=row]")).filter(row => row.closest("table,[role=table],[role=grid],[role=treegrid]") === table && row.getBoundingClientRect().height > 0);
  return rows.map(row => Array.from(row.querySelectorAll("th,td,[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]")).filter(cell => cell.closest("tr,[role=row]") === row)
    .map(cell => [textOf(cell), cell.localName === "th" && cell.scope !== "row" || cell.getAttribute("role") === "columnheader"]));
}

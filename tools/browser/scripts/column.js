// The column that a header is over: what its cells say, from the top, and which way the page says it is sorted.
el => {
  const squeeze = text => (text || "").replace(/\s+/g, " ").trim();
  const header = el.closest("th,[role=columnheader]") || el;
  const table = header.closest("table,[role=table],[role=grid],[role=treegrid]");
  const said = header.getAttribute("aria-sort") || "";
  if (!table) return { cells: null, said };
  const place = header.getBoundingClientRect(), middle = place.left + place.width / 2;
  const rows = Array.from(table.querySelectorAll("tr,[role=row]")).filter(row => row.closest("table,[role=table],[role=grid],[role=treegrid]") === table && row.getBoundingClientRect().height > 0);
  const cells = [];
  for (const row of rows) {
    const under = Array.from(row.querySelectorAll("td,[role=cell],[role=gridcell],[role=rowheader],th[scope=row]")).find(cell => { const at = cell.getBoundingClientRect(); return at.left <= middle && middle <= at.right && at.top >= place.bottom - 1; });
    if (under && under.colSpan !== row.cells?.length || under && row.cells?.length === 1) cells.push(squeeze(under.innerText));
  }
  return { cells, said };
}

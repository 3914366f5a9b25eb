el => {
  if (el.type === "file") return [el];
  if (el.control && el.control.type === "file") return [el.control];
  const own = el.querySelectorAll("input[type=file]");
  return Array.from(own.length ? own : (el.form || el.closest("form") || document).querySelectorAll("input[type=file]"));
}

el => {
  const form = el && (el.localName === "form" ? el : el.form || el.closest("form"));
  if (!form) return null;
  const own = Array.from(form.elements).filter(each => /^(submit|image)$/.test(each.type) && !each.disabled);
  return own[0] || form;
}

// The button beside a search field that stands in no form: there Enter may do nothing.
field => {
  if (field.form) return null;
  const around = field.parentElement;
  const buttons = Array.from(around ? around.querySelectorAll("button,[role=button],input[type=button],input[type=submit]") : []).filter(each => each.getBoundingClientRect().width > 0 && !each.disabled);
  const called = buttons.filter(each => /^(search|go|find|look up|🔍|⌕)/i.test((each.innerText || each.value || each.getAttribute("aria-label") || each.title || "").trim()));
  return called.length === 1 ? called[0] : null;
}

el => (
  el.getAttribute("aria-label")
  || (el.labels && el.labels[0] && el.labels[0].innerText)
  || el.innerText
  || (el.nextSibling && el.nextSibling.textContent)
  || el.value
  || ""
).trim()

() => Array.from(document.querySelectorAll("table,[role=table],[role=grid]")).filter(
  each => each.getBoundingClientRect().height > 0 && !each.parentElement.closest("table")
).length

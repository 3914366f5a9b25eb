el => Array.from(el.options).map((option, at) => [at, (option.label || option.textContent).replace(/\s+/g, " ").trim(), option.value, option.disabled])

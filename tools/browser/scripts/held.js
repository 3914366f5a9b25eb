// What a field holds, as it may be told: a password only by its length.
el => el.type === "password" ? "\u2022".repeat(el.value.length) : value(el) || ""

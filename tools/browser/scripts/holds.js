// What a field holds; of a password only whether it is the given one.
(el, text) => el.type === "password" ? el.value === text : value(el) || ""

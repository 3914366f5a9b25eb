"""Recipes as TOML, written for people to read and to edit."""

import json
from collections.abc import Iterator, Mapping, Sequence

from messages.message import Value
from messages.taught import Taught, TaughtStep


def as_toml(recipe: Taught) -> str:
    """Write a recipe.

    >>> step = TaughtStep("browser.type", roles={"target": "Month"}, params={"text": "{month}"})
    >>> print(as_toml(Taught("Report", (step,), values={"month": "May"})), end="")
    name = "Report"
    <BLANKLINE>
    [values]
    month = "May"
    <BLANKLINE>
    [[steps]]
    do = "browser.type"
    roles = { target = "Month" }
    params = { text = "{month}" }
    """
    lines = [f"name = {value_of(recipe.name)}"]
    if recipe.says:
        lines.append(f"says = {value_of(recipe.says)}")
    if recipe.asked:
        lines.append(f"asked = {value_of(recipe.asked)}  # said each time, and never kept")
    if recipe.values:
        lines += ["", "[values]"]
        lines += [f"{key_of(name)} = {value_of(value)}" for name, value in recipe.values.items()]
    for step in recipe.steps:
        lines += ["", "[[steps]]", *lines_of(step)]
    return "\n".join(lines) + "\n"


def lines_of(step: TaughtStep) -> Iterator[str]:
    yield f"do = {value_of(step.do)}"
    for name, table in (("roles", step.roles), ("params", step.params), ("takes", step.takes)):
        if table:
            yield f"{name} = {value_of(table)}"
    for name, text in (("words", step.words), ("object", step.object), ("scope", step.scope)):
        if text is not None:
            yield f"{name} = {value_of(text)}"
    if step.later:
        yield "later = true  # it is there only once the steps before it are done"


def value_of(value: Value | Mapping[str, Value]) -> str:
    """Write a value; texts are quoted as in JSON, which TOML reads."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key_of(name)} = {value_of(each)}" for name, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(value_of(each) for each in value)}]"
    raise ValueError("there is no way to write nothing at all in TOML")


def key_of(name: str) -> str:
    """Write a key, in quotes where it needs them."""
    is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if is_bare else json.dumps(name, ensure_ascii=False)

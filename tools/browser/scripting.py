"""What runs inside the page: functions in JavaScript, a file each, and the one that sees it."""

import json
import secrets
from functools import cache
from importlib.resources import files

# By this, and by nothing that a page could guess, the timers that were noted are asked for.
TIMERS_KEY = json.dumps(f"timers-{secrets.token_hex(8)}")

# What sees a page is one function, so that it can share what it has found out; each part of it
# may use the parts before it when the page is loaded, and all of them when it is called.
PARTS = (
    "timers",
    "numbers",
    "words",
    "roles",
    "names",
    "looks",
    "states",
    "clipping",
    "revealing",
    "turning",
    "seeing",
    "describing",
    "using",
    "registry",
)


@cache
def script(name: str) -> str:
    """Give the text of a function."""
    return (files(__package__) / "scripts" / f"{name}.js").read_text()


@cache
def page_script() -> str:
    """Give the function that makes the registry of a document.

    The registry lives in a handle and nowhere else: nothing is written into the page.
    """
    parts = "\n".join(script(f"page/{part}") for part in PARTS)
    return f"() => {{\nconst TIMERS_KEY = {TIMERS_KEY};\n{parts}}}"


@cache
def timers_script() -> str:
    """Give what notes the timers of a document, to be run before any script of its own."""
    return f"({script('timers')})({TIMERS_KEY})"


@cache
def script_with(name: str, *parts: str) -> str:
    """Give a function that calls others by the names of their files, each after those it uses.

    What is asked in one script costs one round trip.
    """
    given = "\n".join(f"const {part} = (\n{script(part)});" for part in parts)
    return f"(() => {{\n{given}\nreturn (\n{script(name)});\n}})()"

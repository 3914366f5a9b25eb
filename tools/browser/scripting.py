"""What runs inside the page: functions in JavaScript, a file each, and the one that sees it."""

from functools import cache
from importlib.resources import files

# What sees a page is one function, so that it can share what it has found out; each part of it
# may use the parts before it when the page is loaded, and all of them when it is called.
PARTS = (
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
    return f"() => {{\n{parts}}}"


@cache
def script_with(name: str, *parts: str) -> str:
    """Give a function that calls others by the names of their files, each after those it uses.

    What is asked in one script costs one round trip.
    """
    given = "\n".join(f"const {part} = (\n{script(part)});" for part in parts)
    return f"(() => {{\n{given}\nreturn (\n{script(name)});\n}})()"

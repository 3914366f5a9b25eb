"""What runs inside the page: functions in JavaScript, a file each."""

from functools import cache
from importlib.resources import files


@cache
def script(name: str) -> str:
    """Give the text of a function."""
    return (files("tools.browser") / "scripts" / f"{name}.js").read_text()

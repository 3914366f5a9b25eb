"""How Playwright scripts are written: chains of calls, their arguments, and names that are taken.

It takes Python apart and knows nothing of recipes. No script is ever run.
"""

import ast
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

SECOND = 1_000  # in milliseconds
LONGEST_WAIT = 3_600  # seconds
PAGE = re.compile(r"page\d*")
# Names that an exported script has for itself.
RESERVED = frozenset({"re", "os", "argparse", "called", "run", "main", "str", "self"})

# Reasons why a line has no step
UNKNOWN_CALL = "there is no step for this"
UNKNOWN_VALUE = "a value that is known only when the script runs"
PATTERN = "a pattern, and no plain text"


class Unreadable(Exception):
    """A line has no step; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Link:
    """One part of a chain: ``.first``, or with its call ``.get_by_role("row")``."""

    name: str
    call: ast.Call | None = None


Chain = tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """Lines that run one after another: those of a function, or of the module."""

    title: str
    line: int
    body: Sequence[ast.stmt]
    parameters: Mapping[str, str | None] = field(default_factory=dict)


def units_of(module: ast.Module) -> Iterator[Unit]:
    """Give the lines of a script outside of its functions, and each function."""
    yield Unit("the lines outside of functions", 1, module.body)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Unit(f"def {node.name}", node.lineno, node.body, parameters_of(node))


def named_text(statement: ast.stmt) -> tuple[str, str] | None:
    """Give the name and the text of ``NAME = "text"``."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Constant(str(text))):
            return name, text
        case _:
            return None


def parameters_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, str | None]:
    """Give what a function takes: with a text of its own, or by its name alone and without."""
    last = node.args.args[len(node.args.args) - len(node.args.defaults) :]
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(last, node.args.defaults, strict=True),
        *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
    ]
    found: dict[str, str | None] = {}
    for parameter, default in pairs:
        if default is None:
            found[parameter.arg] = None
        elif isinstance(default, ast.Constant) and isinstance(default.value, str):
            found[parameter.arg] = default.value
    return found


def root_and_chain(value: ast.expr) -> tuple[ast.expr, Chain]:
    """Take a chain of calls apart, from its end to what it begins with."""
    links: list[Link] = []
    while True:
        match value:
            case ast.Await(inner):
                value = inner
            case ast.Call(ast.Attribute(inner, name)):
                links.append(Link(name, value))
                value = inner
            case ast.Attribute(inner, name):
                links.append(Link(name))
                value = inner
            case _:
                return value, tuple(reversed(links))


def argument(call: ast.Call, position: int | None, *names: str) -> ast.expr | None:
    """Give an argument by its position or by one of its names; None if it is not there."""
    if position is not None and len(call.args) > position:
        return call.args[position]
    return next((each.value for each in call.keywords if each.arg in names), None)


def only_item(given: ast.expr | None) -> ast.expr | None:
    """Give the only one of a list; None if there are more, or none."""
    if isinstance(given, ast.List | ast.Tuple):
        return given.elts[0] if len(given.elts) == 1 else None
    return given


def ordinal_of_index(given: ast.expr | None) -> int:
    """Give the number in a row of an index: the second for 1, the last for -1."""
    match given:
        case ast.Constant(int(index)):
            return index + 1
        case ast.UnaryOp(ast.USub(), ast.Constant(1)):
            return -1
        case _:
            raise Unreadable(UNKNOWN_VALUE)


def seconds_in(given: ast.expr | None) -> float:
    match given:
        case ast.Constant(int(span) | float(span)) if 0 <= span <= LONGEST_WAIT * SECOND:
            return span / SECOND
        case _:
            raise Unreadable(UNKNOWN_VALUE)


def is_reserved(name: str) -> bool:
    """Tell whether a parameter of an exported script cannot have a name."""
    return keyword.iskeyword(name) or name in RESERVED or PAGE.fullmatch(name) is not None

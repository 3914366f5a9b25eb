"""What is wrong with settings, said so that it can be put right.

It is said where, what is allowed there, and what is near.

The shapes are those of the settings' own types; nothing about a setting is written here a second
time. A value that is wrong is not repeated unless it was to be one of a few words: it may be a key.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeAlias

from msgspec import inspect

from tools.screen import plain

Home: TypeAlias = tuple[str, str]  # a key, and the table that it belongs in

NEAR = 0.5  # half of a word must be right: `yb` is near to `by`
VERY_NEAR = 0.8  # what is as likely to be meant as the same word in another table
KINDS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
    dt.datetime: "a date",
    dt.date: "a date",
    dt.time: "a time",
}


def near(word: str, allowed: Iterable[str], least: float = NEAR) -> str | None:
    """Give the one of some words that a word is most like, if ``least`` of it is right."""
    by_folded = {name.casefold(): name for name in allowed}
    found = get_close_matches(word.casefold(), by_folded, 1, least)
    return by_folded[found[0]] if found else None


def suggestion(word: str, allowed: Iterable[str], least: float = NEAR) -> str:
    """Ask whether the nearest word was meant, where there is a near one."""
    found = near(word, allowed, least)
    return "" if found is None else f"did you mean `{found}`? "


def problems_of(value: object, settings: type) -> Iterator[str]:
    """Give what is wrong with the keys and the kinds of values of settings, in their order."""
    shape = inspect.type_info(settings)
    yield from wrong(value, shape, (), tuple(homes_of_keys(shape)))


def homes_of_keys(shape: inspect.Type, table: str = "") -> Iterator[Home]:
    """Give every key of fixed tables with the table that it stands in."""
    struct = struct_of(shape)
    for field in () if struct is None else struct.fields:
        if table:
            yield field.encode_name, table
        inner = f"{table}.{field.encode_name}" if table else field.encode_name
        yield from homes_of_keys(field.type, inner)


def struct_of(shape: inspect.Type) -> inspect.StructType | None:
    """Give the table that a value of this shape is, if it is one of fixed keys."""
    return next((one for one in alternatives(shape) if isinstance(one, inspect.StructType)), None)


def alternatives(shape: inspect.Type) -> tuple[inspect.Type, ...]:
    """Give what a value may be; that it may be left out is not said in TOML."""
    several = shape.types if isinstance(shape, inspect.UnionType) else (shape,)
    return tuple(one for one in several if not isinstance(one, inspect.NoneType))


def wrong(
    value: object,
    shape: inspect.Type,
    place: tuple[str, ...],
    homes: Sequence[Home],
) -> Iterator[str]:
    """Give what is wrong with a value, and with all that is in it."""
    fitting = next((one for one in alternatives(shape) if fits(value, one)), None)
    if fitting is None:
        yield f"`{dotted(place)}` {refusal(value, alternatives(shape))}"
    elif isinstance(fitting, inspect.StructType) and isinstance(value, dict):
        yield from wrong_keys(value, fitting, place, homes)
    elif isinstance(fitting, inspect.DictType) and isinstance(value, dict):
        for key, inner in value.items():
            yield from wrong(inner, fitting.value_type, (*place, key), homes)
    elif isinstance(value, list):
        for inner in value:
            yield from wrong(inner, item_of(fitting), place, homes)


def wrong_keys(
    table: Mapping[str, object],
    shape: inspect.StructType,
    place: tuple[str, ...],
    homes: Sequence[Home],
) -> Iterator[str]:
    """Give what is wrong with a table: keys it must not have, or must, and their values."""
    fields = {field.encode_name: field for field in shape.fields}
    where = f"in [{dotted(place)}]" if place else "outside of all tables"
    for key, value in table.items():
        if key in fields:
            yield from wrong(value, fields[key].type, (*place, key), homes)
        else:
            home = elsewhere(key, homes)
            meant = home + suggestion(key, fields, VERY_NEAR if home else NEAR)
            yield f"unknown key `{plain(key)}` {where}; {meant}allowed: {', '.join(fields)}"
    for name, field in fields.items():
        if field.required and name not in table:
            kinds = " or ".join(kind_of(one) for one in alternatives(field.type))
            yield f"`{name}` is missing {where}: it must be {kinds}"


def dotted(place: Sequence[str]) -> str:
    """Name a place as TOML does; nothing in it may run over the line, or the terminal."""
    return plain(".".join(place))


def elsewhere(key: str, homes: Sequence[Home]) -> str:
    """Say in which table a key belongs, where it stands in none that has it."""
    tables = [f"[{table}]" for name, table in homes if name == key]
    return f"it belongs in {' or '.join(tables)}; " if tables else ""


def refusal(value: object, allowed: tuple[inspect.Type, ...]) -> str:
    """Say what a value must be, and what it is instead."""
    literals = [one for one in allowed if isinstance(one, inspect.LiteralType)]
    words = [str(word) for one in literals for word in one.values]
    kinds = " or ".join(kind_of(one) for one in allowed)
    if isinstance(value, str) and words:
        return f"must not be {plain(value)!r}; {suggestion(value, words)}allowed: {kinds}"
    return f"must be {kinds}, not {KINDS.get(type(value), 'that')}"


def kind_of(shape: inspect.Type) -> str:
    """Say in words what a value of a shape is."""
    match shape:
        case inspect.LiteralType(values=values):
            return ", ".join(f'"{value}"' for value in values)
        case inspect.ListType() | inspect.VarTupleType():
            return f"a list, each of it {kind_of(item_of(shape))}"
        case inspect.StructType() | inspect.DictType():
            return "a table"
        case inspect.BoolType():
            return KINDS[bool]
        case inspect.IntType():
            return KINDS[int]
        case inspect.FloatType():
            return KINDS[float]
        case _:
            return KINDS[str]


def item_of(shape: inspect.Type) -> inspect.Type:
    """Give the shape of what is in a list."""
    if isinstance(shape, inspect.ListType | inspect.VarTupleType):
        return shape.item_type
    return inspect.AnyType()


def fits(value: object, shape: inspect.Type) -> bool:
    """Tell whether a value is of a kind; what is in it is not looked at."""
    match shape:
        case inspect.LiteralType(values=values):
            return isinstance(value, str | int) and value in values
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType():
            return isinstance(value, int) and not isinstance(value, bool)
        case inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case inspect.StrType():
            return isinstance(value, str)
        case inspect.StructType() | inspect.DictType():
            return isinstance(value, dict)
        case inspect.ListType() | inspect.VarTupleType():
            return isinstance(value, list)
        case _:
            return True

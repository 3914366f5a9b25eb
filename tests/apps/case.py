"""A sentence and what should come of it, as the tables of the applications say it."""

import tomllib
from typing import Any

import msgspec

from tests.apps.serving import HERE, Record

NAMES = ("flask_admin", "trac", "wagtail", "tiddlywiki", "node_red", "pgadmin")


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One sentence.

    ``added``, ``changed`` and ``removed`` are the whole difference that it makes to the data.
    ``shows``, ``hides`` and ``order`` are texts of the page it ends on, ``url`` is part of its
    address, ``answer`` part of what is told. ``refuse`` means that nothing may be done.
    ``approve`` says what a question for approval is answered.
    """

    say: str
    start: str
    signed_in: bool = True
    approve: bool = False
    refuse: bool = False
    added: list[dict[str, Any]] = []
    changed: dict[str, Record] = {}
    removed: list[str] = []
    shows: list[str] = []
    hides: list[str] = []
    order: list[str] = []
    url: str = ""
    answer: str = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences for an application; ``defaults`` are what it fills in by itself, by kind."""

    case: list[Case]
    defaults: dict[str, Record] = {}


def load_table(name: str) -> Table:
    """Read the sentences for an application."""
    with (HERE / f"{name}.toml").open("rb") as file:
        return msgspec.convert(tomllib.load(file), Table)

"""The little words that hold sentences together, as they are written in ``little.toml``.

They are the same whatever one can say; so they are read once, and belong to no table of phrases.
"""

from importlib.resources import files
from typing import Literal

from msgspec import toml

from messages.message import Data

Pairs = frozenset[tuple[str, str]]


class Verbs(Data, frozen=True):
    """Verbs whose forms no rule gives."""

    undoubled: frozenset[str]
    no_forms: frozenset[str]
    no_past: frozenset[str]


class Dates(Data, frozen=True):
    """Words of dates and times."""

    months: frozenset[str]
    days: frozenset[str]
    hours: frozenset[str]
    inside: frozenset[str]
    unended: frozenset[str]
    scheduling: frozenset[str]


class Spelling(Data, frozen=True):
    """Words that decide what a sign behind or before them means."""

    shortened: frozenset[str]
    numbering: frozenset[str]
    going_on: tuple[str, ...]


class Little(Data, frozen=True):
    """The whole table; it says itself what each list is for."""

    articles: frozenset[str]
    pointing: frozenset[str]
    quantifying: frozenset[str]
    referring: frozenset[str]
    verbless: frozenset[str]
    cells: frozenset[str]
    generic_nouns: frozenset[str]
    polite: frozenset[str]
    asking: frozenset[str]
    questioning: frozenset[str]
    inverted: frozenset[str]
    named_questions: frozenset[str]
    states: frozenset[str]
    stating: frozenset[str]
    pointed_at: frozenset[str]
    joints: frozenset[str]
    seeking: frozenset[str]
    stars: frozenset[str]
    sorting: frozenset[str]
    sorted_so: frozenset[str]
    answers: frozenset[str]
    answered: frozenset[str]
    done_as: frozenset[str]
    no_things: frozenset[str]
    found_first: frozenset[str]
    looked: frozenset[str]
    counted_up: frozenset[str]
    scrolling: frozenset[str]
    sequence: frozenset[str]
    follow: frozenset[str]
    empty: frozenset[str]
    courtesy: frozenset[str]
    keeping: frozenset[str]
    standing_for: frozenset[str]
    otherwise: frozenset[str]
    elsewhere: frozenset[str]
    closing: frozenset[str]
    never_used: frozenset[str]
    filed: frozenset[str]
    parts: frozenset[str]
    also_on_pages: frozenset[str]
    devices: frozenset[str]
    saying_secret: frozenset[str]
    on_page: frozenset[tuple[str, ...]]
    on_disk: frozenset[tuple[str, ...]]
    asked: tuple[tuple[str, ...], ...]
    measured: tuple[tuple[str, ...], ...]
    typed_into: frozenset[str]
    writing: frozenset[str]
    joining: frozenset[str]
    adding: frozenset[str]
    finishing: frozenset[tuple[str, ...]]
    listing: frozenset[str]
    turning: frozenset[str]
    turned: frozenset[str]
    replacing: Pairs
    within_names: frozenset[str]
    before_members: frozenset[str]
    not_members: frozenset[str]
    doing: frozenset[str]
    timing: frozenset[str]
    often: frozenset[str]
    put_off: frozenset[str]
    accepting: frozenset[str]
    half_kinds: frozenset[str]
    naming: frozenset[str]
    calling: frozenset[str]
    particles: frozenset[str]
    placing: frozenset[str]
    after_place: frozenset[str]
    folders: frozenset[str]
    tree: frozenset[str]
    and_below: frozenset[tuple[str, ...]]
    keys: frozenset[str]
    circumstance: frozenset[str]
    means: frozenset[str]
    never_where: frozenset[str]
    two_words: Pairs
    counted: frozenset[str]
    hurrying: frozenset[str]
    obliging: frozenset[str]
    spoken_to: frozenset[str]
    not_meant: frozenset[str]
    instead: frozenset[str]
    needed_pairs: Pairs
    orders: dict[str, Literal["before", "after"]]
    verbs: Verbs
    dates: Dates
    spelling: Spelling


LITTLE = toml.decode(files(__package__).joinpath("little.toml").read_bytes(), type=Little)

"""The table of words by which a model's help is bounded."""

from importlib.resources import files

import msgspec

from messages.message import Data


class Negation(Data, frozen=True):
    """Words that say what is not to be done, by how far they reach."""

    around: frozenset[str]
    onward: str


class NeverAsked(Data, frozen=True):
    """Patterns of what cannot be done here at all, and of what may be a secret."""

    conditions: str
    schedules: str
    secrets: str


class Polite(Data, frozen=True):
    openings: tuple[str, ...]


class Pronouns(Data, frozen=True):
    words: frozenset[str]


class NumberWords(Data, frozen=True):
    """How numbers are said."""

    cardinals: dict[str, int]
    scales: dict[str, int]
    fractions: dict[str, float]
    multiples: dict[str, float]
    durations: dict[str, float]


class Cautions(Data, frozen=True):
    """The whole table."""

    negation: Negation
    never_asked: NeverAsked
    polite: Polite
    pronouns: Pronouns
    numbers: NumberWords


CAUTIONS = msgspec.toml.decode(
    files(__package__).joinpath("cautions.toml").read_bytes(), type=Cautions
)

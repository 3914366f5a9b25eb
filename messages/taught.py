"""Recipes that a user has taught: steps as goals, with slots for the values that may be others.

A step says what is done and to what, in words: each time it runs, the words are bound anew.
"""

import re
from collections.abc import Mapping
from typing import Annotated, TypeAlias

import msgspec

from messages.goals import Scope
from messages.message import Data, Value

SLOT = re.compile(r"\{(\w+)\}")
# What would be read as more than a name, where a value stands among other words.
NO_NAME = re.compile(r"[\n\r\"“”,;{}]|\s(?:and|then)\s", re.IGNORECASE)
LONGEST_NAME = 80
MOST_STEPS = 200
DOMAIN, RUN = "recipes", "run"
NAME = "name"  # the parameter that says which recipe is to be run; no slot is called so

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]


class TaughtStep(Data, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One goal: ``do`` is its domain and verb. In its texts, ``{slot}`` stands for a value.

    It is there only ``later`` if the steps before it must be done for it to be seen at all.
    """

    do: str
    roles: Mapping[str, str] = {}
    params: Mapping[str, Value] = {}
    words: str | None = None
    object: str | None = None
    scope: Scope | None = None
    takes: Mapping[str, str] = {}
    later: bool = False

    def texts(self) -> tuple[str, ...]:
        """Give the texts that may have slots."""
        params = (value for value in self.params.values() if isinstance(value, str))
        return (*self.roles.values(), *params, self.words or "", self.object or "")

    def slots(self) -> tuple[str, ...]:
        """Name the slots of its texts."""
        return tuple(name for text in self.texts() for name in SLOT.findall(text))


class Taught(Data, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A recipe of a user's: the ``values`` are those that are used if no others are said.

    What is ``asked`` for has no such value, and must be said each time: a password is not kept.
    """

    name: Name
    steps: tuple[TaughtStep, ...]
    says: tuple[str, ...] = ()
    values: Mapping[str, str] = {}
    asked: tuple[str, ...] = ()

    def slots(self) -> tuple[str, ...]:
        """Name what may be said anew each time."""
        return (*self.values, *self.asked)

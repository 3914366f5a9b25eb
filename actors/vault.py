"""Secrets as references: what goes into a password field, or is written ``secret:NAME``.

From the moment it is read, a secret is a reference in everything that is sent, logged or kept. Only
the Executor asks for what it stands for, just before a tool is called, and it takes it out again of
all that the tool says.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec.structs import replace

from messages import wire
from messages.goals import GoalDraft, MetaGoal
from messages.message import Value

REFERENCE = re.compile(r"secret:([\w.~-]{1,100})")
SPOKEN = re.compile(r"pass ?(?:word|phrase|code)|\bpin\b|\bcv[vc]\b|\bsecret\b", re.IGNORECASE)
WITHHELD = "(withheld: it speaks of a secret)"
# The parameters whose value is what a person types.
TYPED = frozenset({"text", "value"})


class Vault(Protocol):
    """Where what references stand for is kept."""

    def keep(self, text: str) -> str:
        """Keep a text; give a reference to it, which lasts as long as the daemon does."""

    def reveal(self, name: str) -> str | None:
        """Give what the reference of this name stands for; None if nothing is known of it."""


def speaks_of_secret(text: str) -> bool:
    return SPOKEN.search(text) is not None


def loggable(text: str) -> str:
    """Give the words of a command as they may be written down: never with a password in them."""
    bare = REFERENCE.sub("", text)
    return WITHHELD if speaks_of_secret(bare) else text


def discreet(submit: wire.Submit, vault: Vault) -> wire.Submit:
    """Put references into the place of the secrets of drafted goals."""
    if submit.goals is None or not any(draft.roles for draft in submit.goals):
        return submit
    goals = tuple(discreet_draft(draft, vault) for draft in submit.goals)
    return replace(submit, goals=goals) if goals != submit.goals else submit


def discreet_draft(draft: GoalDraft, vault: Vault) -> GoalDraft:
    if not any(speaks_of_secret(words) for words in draft.roles.values()):
        return draft
    return replace(draft, params=hidden(draft.params, vault))


def discreet_goals(meta: MetaGoal, vault: Vault) -> MetaGoal:
    """Put references into the place of the secrets of goals."""
    goals = tuple(
        replace(goal, params=hidden(goal.params, vault))
        if any(speaks_of_secret(phrase.text) for phrase in goal.roles.values())
        else goal
        for goal in meta.goals
    )
    return replace(meta, goals=goals) if goals != meta.goals else meta


def hidden(params: Mapping[str, Value], vault: Vault) -> dict[str, Value]:
    return {
        name: vault.keep(value)
        if name in TYPED and isinstance(value, str) and not REFERENCE.fullmatch(value)
        else value
        for name, value in params.items()
    }


@dataclass(slots=True)
class Opened:
    """Arguments with what their references stand for; ``unknown`` if one stands for nothing."""

    arguments: Mapping[str, Value]
    used: Mapping[str, str] = field(default_factory=dict)
    unknown: str | None = None

    def masked(self, value: Any) -> Any:
        """Put the references back into what a tool says."""
        if not self.used:
            return value
        if isinstance(value, str):
            for text, reference in self.used.items():
                value = value.replace(text, reference)
            return value
        if isinstance(value, Mapping):
            return {key: self.masked(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.masked(each) for each in value]
        return value


def opened(arguments: Mapping[str, Value], vault: Vault) -> Opened:
    """Give the arguments that a tool gets: the only place where a secret is not a reference."""
    found: dict[str, Value] = {}
    used: dict[str, str] = {}
    for name, value in arguments.items():
        reference = REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if reference is None:
            continue
        text = vault.reveal(reference[1])
        if text is None:
            return Opened(arguments, unknown=reference[0])
        found[name] = text
        if text:
            used[text] = reference[0]
    return Opened({**arguments, **found}, used) if found else Opened(arguments)

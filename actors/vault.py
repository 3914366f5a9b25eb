"""Secrets as references: what goes into a password field, or is written ``secret:NAME``.

Once it is known what is typed where, a secret is a reference in everything that is sent, logged or
kept; until then, and where that is never understood, words that speak of one are withheld from the
log and the journal. Only the Executor asks for what it stands for, just before a tool is called,
and it takes it out again of all that the tool says.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec.structs import replace

from messages import wire
from messages.goals import GoalDraft, MetaGoal
from messages.message import Value

REFERENCE = re.compile(r"secret:([\w.~-]{1,100})")
SPOKEN = re.compile(
    r"pass[ _-]?(?:word|wort|wd|phrase|code)|\b(?:pwd|pin|cv[vc]|secret)\b"
    # A field goes by the name that it has on its page, in whatever language that is.
    r"|kennwort|mot de passe|contrase[nñ]a|\bsenha\b|wachtwoord|пароль|密[码碼]|パスワード",
    re.IGNORECASE,
)
WITHHELD = "(withheld: it speaks of a secret)"
KEPT, TYPED_HERE = "secret:", "secret:~"
# The parameters whose value is what a person types.
TYPED = frozenset({"text", "value"})
NOTHING: Mapping[str, Value] = {}


class Vault(Protocol):
    """Where what references stand for is kept."""

    def keep(self, text: str) -> str:
        """Keep a text; give a reference to it, which lasts as long as the daemon does."""

    def reveal(self, name: str) -> str | None:
        """Give what the reference of this name stands for; None if nothing is known of it."""


def needs_asking(arguments: Mapping[str, Value]) -> bool:
    """Tell whether what some reference stands for is kept elsewhere, under a name."""
    for value in arguments.values():  # of every action: nothing quicker was found
        if isinstance(value, str) and value.startswith(KEPT) and not value.startswith(TYPED_HERE):
            return True
    return False


def speaks_of_secret(text: str) -> bool:
    return SPOKEN.search(text) is not None


def loggable(text: str) -> str:
    """Give the words of a command as they may be written down: never with a password in them."""
    bare = REFERENCE.sub("", text)
    return WITHHELD if speaks_of_secret(bare) else text


def is_withheld(submit: wire.Submit) -> bool:
    """Tell whether some words of a command were not written down."""
    return WITHHELD in (submit.text, *(draft.words for draft in submit.goals or ()))


def writable(submit: wire.Submit) -> wire.Submit:
    """Give a command as it may be written down: without words that may have a secret in them."""
    if submit.text is not None:
        return replace(submit, text=loggable(submit.text))
    if not any(draft.words and speaks_of_secret(draft.words) for draft in submit.goals or ()):
        return submit
    goals = tuple(
        replace(draft, words=loggable(draft.words)) if draft.words else draft
        for draft in submit.goals or ()
    )
    return replace(submit, goals=goals)


def without_words(message: str) -> str:
    """Leave the words of a command out of what is said about them."""
    said, _, _ = message.partition(":")
    return f"{said.partition(chr(39))[0].strip()} {WITHHELD}"


def writable_end(finished: wire.Finished, submit: wire.Submit) -> wire.Finished:
    """Give an end as it may be written down: reasons quote the words that they are about."""
    if not is_withheld(writable(submit)):
        return finished
    results = tuple(
        result if result.message is None else replace(result, message=without_words(result.message))
        for result in finished.results
    )
    message = None if finished.message is None else without_words(finished.message)
    return replace(finished, results=results, message=message, suggestions=())


def discreet(submit: wire.Submit, vault: Vault) -> wire.Submit:
    """Put references into the place of the secrets of drafted goals."""
    if submit.goals is None:
        return submit
    goals = tuple(discreet_draft(draft, vault) for draft in submit.goals)
    return replace(submit, goals=goals) if goals != submit.goals else submit


def discreet_draft(draft: GoalDraft, vault: Vault) -> GoalDraft:
    said = (*draft.roles.values(), draft.words or "", draft.object or "")
    if TYPED.isdisjoint(draft.params) or not speak_of_secret(said, draft.params):
        return draft
    return replace(draft, params=hidden(draft.params, vault))


def speak_of_secret(said: Iterable[str], params: Mapping[str, Value]) -> bool:
    """Tell whether what is typed goes where a secret goes: by words, or by a selector."""
    named = (value for name, value in params.items() if name not in TYPED)
    return any(speaks_of_secret(each) for each in (*said, *named) if isinstance(each, str))


def discreet_goals(meta: MetaGoal, vault: Vault) -> MetaGoal:
    """Put references into the place of the secrets of goals."""
    goals = tuple(
        replace(goal, params=hidden(goal.params, vault))
        if not TYPED.isdisjoint(goal.params)
        and speak_of_secret([phrase.text for phrase in goal.roles.values()], goal.params)
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


def plain_texts(args: Mapping[str, Value], bound: Mapping[str, Value]) -> dict[str, str]:
    """Give what would be typed as it stands; what was bound is text, whatever it looks like."""
    texts = {name: value for name, value in {**args, **bound}.items() if name in TYPED}
    return {
        name: value
        for name, value in texts.items()
        if isinstance(value, str) and value and (name in bound or not REFERENCE.fullmatch(value))
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


def opened(
    arguments: Mapping[str, Value], vault: Vault, bound: Mapping[str, Value] = NOTHING
) -> Opened:
    """Give the arguments that a tool gets: the only place where a secret is not a reference.

    What was ``bound`` goes before what was planned, and is taken as it is.
    """
    found: dict[str, Value] = {}
    used: dict[str, str] = {}
    for name, value in arguments.items():
        reference = REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if reference is None or name in bound:
            continue
        text = vault.reveal(reference[1])
        if text is None:
            return Opened(arguments, unknown=reference[0])
        found[name] = text
        if text:
            used[text] = reference[0]
    given = {**arguments, **found, **bound} if found or bound else arguments
    return Opened(given, used)

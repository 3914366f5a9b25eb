"""Secrets as references: what goes into a password field, or is written ``secret:NAME``.

Once it is known what is typed where, a secret is a reference in everything that is sent, logged or
kept; until then, and where that is never understood, words that speak of one are withheld from the
log and the journal. Only the Executor asks for what it stands for, just before a tool is called,
and it takes it out again of all that the tool says.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from actors.language.words import ENGLISH, fold
from messages import wire
from messages.goals import GoalDraft, MetaGoal
from messages.message import Value, as_read

REFERENCE = re.compile(r"secret:([\w.~-]{1,100})")
SPOKEN = re.compile("|".join(ENGLISH.secrets.spoken), re.IGNORECASE)
PERHAPS = re.compile("|".join(ENGLISH.secrets.perhaps), re.IGNORECASE)
# A word that speaks of a secret, and what is written directly behind it.
SAID = re.compile(
    rf"(?P<word>{SPOKEN.pattern})s?(?:\s+(?:is|was))?[\s:=_-]+(?P<said>[^\s\"'/?&]+)", re.IGNORECASE
)
IN_QUERY = re.compile(r"[?&;#]([^=?&;#\s]+)=[^&;#\s]")
ENDING = re.compile(r"\.[a-z][a-z0-9]{0,4}$", re.IGNORECASE)
SIGNS = re.compile(r"[!@#$%^*=<>|\\€£§]")
# Numbers, years, dates and versions are no secrets.
COUNTING = re.compile(r"\d{1,3}|(?:19|20)\d\d(?:\d{4})?|v\d+|q[1-4]|[23]fa|\d+(?:st|nd|rd|th)")
# What is said of the model beside a reason quotes no words.
NOT_ASKED = re.compile(r"\(the model was not asked: [^']*\)$")
USERINFO = re.compile(r"://[^/?#\s:@]+:[^/?#\s@]+@")
WITHHELD = "(withheld: it speaks of a secret)"
KEPT, TYPED_HERE = "secret:", "secret:~"
# The parameters whose value is what a person types; those that may hold a secret.
STORED = frozenset({"schedule", "list"})  # domains whose texts stay on disk, and are shown again
TYPED = frozenset({"text", "value"})
SECRETIVE = TYPED | {
    "after", "command", "containing", "contains", "content", "item", "items", "new", "old",
    "password",
}  # fmt: skip
# All other parameters that rules have: they say what is done, where and how. What goes by any other
# name is hidden with the secret that it came with.
SHOWN = frozenset({
    "action", "amount", "answer", "app", "approves", "as", "ask", "at", "attribute", "before", "by",
    "case", "date", "deep", "depth", "direction", "duration", "empty", "ending", "entry",
    "excluding", "expects", "find", "format", "former", "from", "here", "hidden", "id", "keep",
    "keys", "kind", "larger", "last", "less", "level", "limit", "line", "lines", "list", "name",
    "number", "numeric", "object_type", "on", "only", "order", "other", "overwrite", "path",
    "pattern", "place", "platform", "prefix", "query", "quote", "reason", "relation", "replace",
    "seconds", "selector", "since", "size", "smaller", "state", "step", "stopped", "suffix",
    "target", "times", "title", "to", "type", "unique", "url", "user", "what", "which", "window",
})  # fmt: skip
HARMLESS: set[str] = set()
MOST_HARMLESS, LONGEST_HARMLESS = 4_000, 200
NOTHING: Mapping[str, Value] = {}
PAGES = "browser"


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
    return has_piece(text) and SPOKEN.search(text) is not None


def may_speak_of_secret(text: str) -> bool:
    """Tell whether words may speak of a secret, so that they are better not written down."""
    return has_piece(text) and bool(SPOKEN.search(text) or PERHAPS.search(text))


def has_piece(text: str) -> bool:
    """Tell whether the patterns of secret words have to be asked at all.

    They take some microseconds for each text, and every name and description is looked through;
    most of them many times. Those that were found harmless are remembered, and no others.
    """
    if text in HARMLESS:
        return False
    if not text.isascii():
        return True
    lower = text.lower()
    for piece in ENGLISH.secrets.pieces:
        if piece in lower:
            return True
    if len(text) <= LONGEST_HARMLESS:
        if len(HARMLESS) >= MOST_HARMLESS:
            HARMLESS.clear()
        HARMLESS.add(text)
    return False


def loggable(text: str) -> str:
    """Give the words of a command as they may be written down: never with a password in them."""
    bare = REFERENCE.sub("", text) if KEPT in text else text
    return WITHHELD if may_speak_of_secret(bare) else text


def shows_secret(value: Value) -> bool:
    """Tell whether a name, an address or a search seems to say a secret: it would be shown.

    >>> [shows_secret(name) for name in ("password-hunter2.txt", "passwords 2024.txt", "pins.txt")]
    [True, False, False]
    >>> shows_secret("https://example.com/?user=ada&password=x"), shows_secret("/?token=x")
    (True, False)
    """
    if not isinstance(value, str) or (not speaks_of_secret(value) and "=" not in value):
        return False
    bare = REFERENCE.sub("", value)
    if USERINFO.search(bare) or any(map(is_secret_key, IN_QUERY.findall(bare))):
        return True
    return any(looks_secret(found["word"], found["said"]) for found in SAID.finditer(bare))


def is_secret_key(key: str) -> bool:
    """Tell whether a value of an address is a secret by its name."""
    parts = re.split(r"[\W_]+", fold(key))
    named = ENGLISH.secrets.keys
    return speaks_of_secret(key) or not named.isdisjoint(parts) or "".join(parts) in named


def looks_secret(word: str, said: str) -> bool:
    """Tell whether what stands behind a word for a secret is written like one.

    That is: with a sign, or with a digit in it that counts nothing.
    """
    if SIGNS.search(said):
        return True
    pieces = [each for each in re.split(r"[\W_]+", fold(ENDING.sub("", said))) if each]
    if not any(map(str.isdigit, said)):
        return False
    if any(not each.isalpha() and not COUNTING.fullmatch(each) for each in pieces):
        return True
    unusual = any(each.isalpha() and each not in ENGLISH.secrets.ordinary for each in pieces)
    return unusual and fold(word) not in ENGLISH.secrets.doubtful


def is_withheld(submit: wire.Submit) -> bool:
    """Tell whether some words of a command were not written down."""
    if submit.text == WITHHELD:
        return True
    return any(
        WITHHELD in (draft.words, draft.object, *draft.roles.values(), *draft.params.values())
        for draft in submit.goals or ()
    )


def writable(submit: wire.Submit) -> wire.Submit:
    """Give a command as it may be written down: without words that may have a secret in them."""
    if submit.text is not None:
        return replace(submit, text=loggable(submit.text))
    goals = tuple(writable_draft(draft) for draft in submit.goals or ())
    return replace(submit, goals=goals) if goals != submit.goals else submit


def writable_draft(draft: GoalDraft) -> GoalDraft:
    """Give a goal as it may be written down: nearly always as it is."""
    words, params, roles = draft.words, draft.params, draft.roles
    if words is not None:
        draft = replace(draft, words=loggable(words))
    if is_showing("", draft.object):
        draft = replace(draft, object=WITHHELD)
    if is_any_showing(params):
        draft = replace(draft, params=without_secrets(params))
    if draft.domain != PAGES and is_any_showing(roles):  # a page's things have names of their own
        draft = replace(draft, roles=without_secrets(roles))
    return draft


V = TypeVar("V")


def without_secrets(values: Mapping[str, V]) -> dict[str, V | str]:
    """Leave out the values that would show a secret."""
    return {name: WITHHELD if is_showing(name, value) else value for name, value in values.items()}


def is_any_showing(values: Mapping[str, object]) -> bool:
    """Tell whether one of some values shows a secret."""
    for name, value in values.items():  # noqa: SIM110 - of every command: any() costs three times
        if is_showing(name, value):
            return True
    return False


def is_showing(name: str, value: object) -> bool:
    """Tell whether a value shows a secret; what is typed or written is hidden otherwise."""
    return isinstance(value, str) and name not in SECRETIVE and shows_secret(value)


def holds_secret(value: Value) -> bool:
    """Tell whether a text speaks of a secret by more than its name."""
    return isinstance(value, str) and speaks_of_secret(REFERENCE.sub("", value))


def showing_goals(meta: MetaGoal) -> bool:
    """Tell whether a goal has a secret where it would be logged, shown and kept."""
    for goal in meta.goals:
        roles = (
            {} if goal.domain == PAGES else {name: each.text for name, each in goal.roles.items()}
        )
        if any(is_showing(name, value) for name, value in (*goal.params.items(), *roles.items())):
            return True
        if goal.domain in STORED and any(map(holds_secret, goal.params.values())):
            return True
    return False


def without_words(message: str) -> str:
    """Leave the words of a command out of what is said about them."""
    said, _, _ = message.partition(":")
    remark = NOT_ASKED.search(message)
    bare = f"{said.partition(chr(39))[0].strip()} {WITHHELD}"
    return bare if remark is None else f"{bare} {remark[0]}"


def without_quotes(finished: wire.Finished) -> wire.Finished:
    """Give the end of a command with withheld words: reasons quote what they are about."""
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
    named_so = any(map(speaks_of_secret, draft.params))
    if draft.params.keys() <= SHOWN and not named_so:
        return draft
    if not named_so and not speak_of_secret(said, draft.params):
        return draft
    return replace(draft, params=hidden(draft.params, vault))


def speak_of_secret(said: Iterable[str], params: Mapping[str, Value]) -> bool:
    """Tell whether what is typed is a secret: by what it says itself, by words, or a selector."""
    return any(
        speaks_of_secret(each) for each in (*said, *params.values()) if isinstance(each, str)
    )


def discreet_goals(meta: MetaGoal, vault: Vault) -> MetaGoal:
    """Put references into the place of the secrets of goals."""
    goals = tuple(
        replace(goal, params=hidden(goal.params, vault))
        if not goal.params.keys() <= SHOWN
        and (
            any(map(speaks_of_secret, goal.params))
            or speak_of_secret([phrase.text for phrase in goal.roles.values()], goal.params)
        )
        else goal
        for goal in meta.goals
    )
    return replace(meta, goals=goals) if goals != meta.goals else meta


def hidden(params: Mapping[str, Value], vault: Vault) -> dict[str, Value]:
    return {
        name: vault.keep(value)
        if (name not in SHOWN or speaks_of_secret(name))
        and isinstance(value, str)
        and not REFERENCE.fullmatch(value)
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

    def are_in(self, value: Any) -> bool:
        """Tell whether a secret is in what a tool says."""
        return bool(self.masked(value) != as_read(value))

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

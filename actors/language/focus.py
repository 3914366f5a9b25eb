"""Focus: what a clause has found is meant by the pronouns of the next one.

"Find the mail by Ada and forward it to Bo" is one deed on one thing. That thing may not be on the
page yet, and a recipe knows how to get there; so the deed is said of the thing itself.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from messages.goals import GoalDraft, scopes

PAGES, USE, TARGET = "browser", "use", "target"


class FocusWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which a thing is found, and meant again, as in ``focus.toml``."""

    finding: tuple[str, ...]
    finding_verbs: frozenset[str]
    changing_verbs: frozenset[str]
    possessive: frozenset[str]
    pronouns: frozenset[str]
    pointing: frozenset[str]


@cache
def focus_words() -> FocusWords:
    return msgspec.toml.decode((files(__package__) / "focus.toml").read_bytes(), type=FocusWords)


def carry_focus(drafts: Sequence[GoalDraft]) -> tuple[GoalDraft, ...]:
    """Say a deed of the thing that was found for it, in the place of both.

    >>> found = GoalDraft("browser", "scroll_to", roles={"target": "mail by Ada"})
    >>> deed = GoalDraft("browser", "use", roles={"target": "forward it to Bo"}, scope="after:g0")
    >>> [draft.roles["target"] for draft in carry_focus([found, deed])]
    ['forward the mail by Ada to Bo']
    """
    if len(drafts) != len(("found", "deed")):
        return tuple(drafts)
    found, deed = drafts
    thing = thing_found(found)
    if thing is None or "after:g0" not in scopes(deed.scope) or deed.takes:
        return tuple(drafts)
    said = deed.roles.get(TARGET, "")
    if deed.verb in focus_words().changing_verbs:
        carried = field_of(said, thing)
    else:
        carried = with_thing(said, thing) if (deed.domain, deed.verb) == (PAGES, USE) else None
    if carried is None:
        return tuple(drafts)
    roles = {**deed.roles, TARGET: carried}
    return (msgspec.structs.replace(deed, roles=roles, scope="root"),)


def thing_found(draft: GoalDraft) -> str | None:
    """Give the words for what a clause finds; None if it does something else."""
    said = draft.roles.get(TARGET)
    if draft.domain != PAGES or said is None or draft.params:
        return None
    if draft.verb in focus_words().finding_verbs:
        return without_article(said)
    if draft.verb != USE:
        return None
    for lead in focus_words().finding:
        if said.casefold().startswith(f"{lead} "):
            return without_article(said[len(lead) :].strip())
    return None


def field_of(said: str, thing: str) -> str | None:
    """Give the field of a thing: "its height" of a plant is "height of" that plant."""
    whose, _, field = said.partition(" ")
    is_own = whose.casefold() in focus_words().possessive and bool(field.strip())
    return f"{field.strip()} of {thing}" if is_own else None


def with_thing(said: str, thing: str) -> str | None:
    """Put the words for a thing in the place of the pronoun for it; None if there is none.

    >>> with_thing("reply to it: I like it", "mail by Ada"), with_thing("reply: I like it", "mail")
    ('reply to the mail by Ada: I like it', None)
    """
    words = said.split()
    for at, word in enumerate(words):
        if at and (words[at - 1].endswith(":") or is_quoted(words, at)):
            return None  # from here on it is a text, and no words for things
        key = word.casefold().strip(",.:;")
        if at and key in focus_words().pointing and at + 1 < len(words):
            noun = words[at + 1].casefold().strip(",.:;")
            if noun in thing.casefold().split():
                return " ".join([*words[:at], "the", thing, *words[at + 2 :]])
        if at and key in focus_words().pronouns:
            end = word[len(word.rstrip(",.:;")) :]
            return " ".join([*words[:at], "the", f"{thing}{end}", *words[at + 1 :]])
    return None


def is_quoted(words: Sequence[str], at: int) -> bool:
    """Tell whether a word stands within quotes."""
    return sum(len(re.findall(r"[\"“”]", word)) for word in words[:at]) % 2 == 1


def without_article(said: str) -> str:
    return re.sub(r"^(?:the|my|a|an)\s+", "", said, flags=re.IGNORECASE)

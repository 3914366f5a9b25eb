"""Commands whose words only a world can tell apart: their verbs, and how they can be read.

In a text world that is everything that is said. Of files and applications it is what a fixed
phrase cannot say: "the newest invoice", "the text editor".
"""

from dataclasses import dataclass
from typing import Self

from actors.interpreter.words.splitting import Splitter, completed, fitting, splitter_for
from messages.goals import GoalDraft
from messages.interpreting import NotSplit
from messages.phrases import Parsed, ParsedCommand, Phrase
from messages.verbs import Verbs

PLAYED = "world"
BEFORE = frozenset({"it", "them", "person"})


@dataclass(frozen=True, slots=True)
class Commands:
    """The verbs of one domain; ``playing`` if it is a text world that is being played."""

    splitter: Splitter
    playing: bool = False

    @classmethod
    def of(cls, verbs: Verbs, *, playing: bool = False) -> Self:
        return cls(splitter_for(verbs), playing)

    def may_open(self, word: str) -> bool:
        """Tell whether a command may begin with this word; polite words may stand before a verb."""
        known = self.splitter.openers
        return word in known or word in self.splitter.lexicon.ignored

    def described(self, text: str, *, in_a_row: bool) -> str | None:
        """Give the verb of a command on one thing; ``in_a_row`` if its name alone won't do."""
        readings = self.splitter.split(text, suggests=False)
        fit = [] if isinstance(readings, NotSplit) else fitting(readings, self.splitter)
        if not fit or not is_one_thing(fit[0].direct):
            return None
        if fit[0].indirect is not None and not is_one_thing(fit[0].indirect):
            return None
        return fit[0].verb if tells_apart(fit[0].direct) or not in_a_row else None

    def verb_of(self, text: str, *, loosely: bool) -> str | None:
        """Give the verb of a command; ``loosely`` also if its form fits no rule."""
        readings = self.splitter.split(text, suggests=False)
        if isinstance(readings, NotSplit):
            return None
        fit = fitting(readings, self.splitter) or (list(readings) if loosely else [])
        return fit[0].verb if fit else None

    def refers_back(self, text: str) -> bool:
        """Tell whether a command speaks of "it" or "them"."""
        readings = self.splitter.split(text, suggests=False)
        if isinstance(readings, NotSplit):
            return False
        phrases = (phrase for each in readings for phrase in (each.direct, each.indirect))
        return any(phrase is not None and phrase.pronoun in BEFORE for phrase in phrases)

    def readings(self, draft: GoalDraft) -> tuple[ParsedCommand, ...] | NotSplit:
        """Give the ways to read a goal of this domain, all of its own verb."""
        if draft.words is not None:
            found = self.splitter.split(draft.words)
        else:
            found = completed(self.parsed(draft), self.splitter)
        if isinstance(found, NotSplit):
            return found
        verb = self.verb_named(draft.verb)
        own = tuple(reading for reading in found if reading.verb == verb)
        return own or NotSplit(f"{draft.words!r} is no command to {draft.verb}")

    def verb_named(self, name: str) -> str:
        """Give the verb that a name or alias stands for."""
        return next(iter(self.splitter.names.get(tuple(name.casefold().split()), ())), name)

    def parsed(self, draft: GoalDraft) -> Parsed:
        """Give the spans of a goal whose roles were stated one by one."""
        relation = draft.params.get("relation")
        return Parsed(
            intent_token=draft.verb,
            direct_span=draft.roles.get("direct"),
            relation_token=relation if isinstance(relation, str) else None,
            indirect_span=draft.roles.get("indirect"),
        )


def is_one_thing(phrase: Phrase | None) -> bool:
    """Tell whether words are for one thing, not for a set or for what was spoken of before."""
    if phrase is None or phrase.pronoun is not None or phrase.other:
        return False
    several = phrase.quantifier or phrase.members or phrase.excluding
    return not several and phrase.count in {None, 1}


def tells_apart(phrase: Phrase | None) -> bool:
    """Tell whether a thing is told by its place in a row, or by a measure."""
    return phrase is not None and phrase.head is not None and phrase.chooses()  # the oldest what?

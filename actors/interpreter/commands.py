"""Commands in a text world: its verbs, and the readings of what is said with them."""

from dataclasses import dataclass
from typing import Self

from actors.interpreter.words.splitting import Splitter, completed, fitting, splitter_for
from messages.goals import GoalDraft
from messages.interpreting import NotSplit
from messages.phrases import Parsed, ParsedCommand
from messages.verbs import Verbs

DOMAIN = "world"


@dataclass(frozen=True, slots=True)
class Commands:
    """The verbs of the text world; ``playing`` if there is one to play in."""

    splitter: Splitter
    playing: bool

    @classmethod
    def of(cls, verbs: Verbs, *, playing: bool) -> Self:
        return cls(splitter_for(verbs), playing)

    def verb_of(self, text: str, *, loosely: bool) -> str | None:
        """Give the verb of a command; ``loosely`` also if its form fits no rule."""
        readings = self.splitter.split(text)
        if isinstance(readings, NotSplit):
            return None
        fit = fitting(readings, self.splitter) or (list(readings) if loosely else [])
        return fit[0].verb if fit else None

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

"""What can be said around a sentence of the table: where, politely, and together with others.

Places, words of politeness and joints are tried on a sample: the barest sentence of every way to
say something that needs nothing before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import msgspec

from actors.interpreter.grammar.generating import (
    Generator,
    Prelude,
    Utterance,
    Variant,
    fillers,
    in_order,
    scoped,
)
from actors.interpreter.grammar.table import Compiled, Place
from messages.goals import GoalDraft, scopes

# Goals that take files from where they are: a place beside them is not so easily told.
DISTURBING = frozenset({"file.move", "file.copy", "file.rename", "file.delete"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Says the sentences of one table among other words."""

    generator: Generator

    @classmethod
    def of(cls, table: Compiled) -> "Surroundings":
        return cls(Generator(table, fillers()))

    @property
    def table(self) -> Compiled:
        return self.generator.table

    def sample(self) -> Iterator[Utterance]:
        """Give the barest sentence of every template that can be said by itself."""
        for frame in self.table.phrases.frame:
            for says in frame.says:
                first = next(self.generator.utterances(frame, says))
                if first.text == first.variant.text():
                    yield first

    # Places

    def placed(self) -> Iterator[Utterance]:
        """Say every place, behind and in front of sentences about files."""
        sentences = cycle(each for each in self.sample() if can_be_placed(each))
        for place in self.table.phrases.place:
            for where in self.places(place):
                yield self.at(next(sentences), place, where, leading=False)
                if where.words[0] in self.generator.fillers.in_front.openers:
                    yield self.at(next(sentences), place, where, leading=True)

    def places(self, place: Place) -> Iterator[Variant]:
        for says in place.says:
            yield from self.generator.variants(self.generator.compiled(says))

    def at(self, said: Utterance, place: Place, where: Variant, *, leading: bool) -> Utterance:
        """Say a sentence at a place."""
        text = in_front(where.text(), said.text) if leading else f"{said.text} {where.text()}"
        names = {filling.slot.name: str(filling.value) for filling in where.fillings}
        if "drive" in names:
            names["drive"] = names["drive"].rstrip(":").upper()
        if names:
            stated = scoped(said.drafts[0], place.scope.format_map(names))
            return replace(said, text=text, drafts=(stated,))
        prelude = self.generator.fillers.prelude["place"]
        stated = scoped(said.drafts[0], place.scope.format_map({"it": prelude.means}))
        text = f"{prelude.says}, and {text}"
        return replace(said, text=text, drafts=(prelude.draft(), stated))

    # Politeness

    def polite(self) -> Iterator[Utterance]:
        """Say all words that ask nicely or tell the order, around one sentence after another."""
        noise = self.table.phrases.noise
        sentences = cycle(each for each in self.sample() if self.begins_plainly(each))
        for words in noise.before:
            said = next(sentences)
            yield replace(said, text=f"{words} {said.text}")
        for words in noise.after:
            said = next(sentences)
            yield replace(said, text=f"{said.text} {words}")
        for words in (*noise.alone, *noise.order):
            said = next(sentences)
            yield replace(said, text=f"{words}, {said.text}")

    def begins_plainly(self, said: Utterance) -> bool:
        """Tell whether a sentence begins with a verb that is known to, and names nothing."""
        verb, *others = said.variant.words
        named = any(filling.words != filling.words.lower() for filling in said.variant.fillings)
        known = verb in self.table.phrases.marks.beginning
        ours = said.frame.goal != "browser.hand_over"  # nobody asks nicely for what they do
        return known and ours and len(others) > 1 and not named and not is_free(said)

    # Several clauses

    def joined(self) -> Iterator[Utterance]:
        """Say every sentence of the sample before and behind another one."""
        for said in self.sample():
            other = self.companion(said)
            behind = together(said.drafts, (other.draft(),))
            yield replace(said, text=f"{said.text} and then {other.says}", drafts=behind)
            first = self.before(said)
            drafts = together((first.draft(),), said.drafts)
            yield replace(said, text=f"{first.says}, then {said.text}", drafts=drafts)

    def companion(self, said: Utterance) -> Prelude:
        """Give a clause that has nothing to do with a sentence."""
        domains = {draft.domain for draft in said.drafts}
        others = self.generator.fillers.companion
        return next(each for each in others if each.draft().domain not in domains)

    def before(self, said: Utterance) -> Prelude:
        """Give a clause to say before a sentence: on a page, the way to it."""
        if all(draft.domain == "browser" for draft in said.drafts):
            return self.generator.fillers.page
        return self.companion(said)


def in_front(where: str, text: str) -> str:
    """Put a place first; the colon of a drive is as good as a comma."""
    return f"{where} {text}" if where.endswith(":") else f"{where}, {text}"


def can_be_placed(said: Utterance) -> bool:
    """Tell whether a sentence names a file that may be anywhere, and leaves it there."""
    named = any(filling.slot.type == "file" for filling in said.variant.fillings)
    return named and said.frame.placed and said.frame.goal not in DISTURBING


def is_free(said: Utterance) -> bool:
    """Tell whether a sentence ends in words of the speaker's own, to which more may belong."""
    fillings = said.variant.fillings
    return bool(fillings) and said.text.endswith(fillings[-1].words)


def together(first: Sequence[GoalDraft], second: Sequence[GoalDraft]) -> tuple[GoalDraft, ...]:
    """Put the goals of two clauses one after the other, as "then" does."""
    behind, *others = (shifted(draft, len(first)) for draft in second)
    waited = {scope for draft in first for scope in scopes(draft.scope)}
    last = [f"after:g{at}" for at in range(len(first)) if f"after:g{at}" not in waited]
    return in_order([*first, scoped(behind, *last), *others])


def shifted(draft: GoalDraft, by: int) -> GoalDraft:
    """Count goals on by those of a clause that comes first."""
    takes = {name: f"g{int(goal[1:]) + by}" for name, goal in draft.takes.items()}
    return scoped(msgspec.structs.replace(draft, takes=takes, scope="root"), *moved(draft, by))


def moved(draft: GoalDraft, by: int) -> Iterator[str]:
    """Give the scopes of a goal, with the goals that it waits for counted on."""
    for scope in scopes(draft.scope):
        kind, _, goal = scope.partition(":g")
        yield f"after:g{int(goal) + by}" if kind == "after" else scope

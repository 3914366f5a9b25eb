"""Words at the edges of a clause that say nothing about what is to be done, or only when.

"Could you please", "once it has loaded", "so that we can see it", "thanks": what is left without
them is the clause. A word that may belong to a name is left alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from actors.interpreter.grammar.context import Context, keys_of
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import HARD, Tok

LONGEST_ORDER = 5
PLAIN = 4  # "as the first step": so many words are no chance


@dataclass(slots=True)
class Noise:
    """Finds words that say nothing; ``opens`` tells whether a clause begins with them."""

    context: Context
    toks: list[Tok]
    opens: Callable[[int, int], bool]

    def skipped(self, start: int, end: int) -> tuple[int, str]:
        """Leave out words in front that say nothing, or only the order; say which order."""
        begin = start
        order = "after" if self.comes_first(start) else ""
        while start < end:
            length = self.length_at(start, end)
            if not length and (length := self.order_at(start, end)):
                which = self.toks[start + 1].key == "which"  # "after which" only goes on
                order = "" if which else LITTLE.orders.get(self.toks[start].key, order)
            length = length or self.obliging_at(begin, start, end)
            if not length or start + length >= end:
                break
            start += length
        return start, order

    def comes_first(self, start: int) -> bool:
        """Tell whether "but first" stands here: what follows comes before what was said."""
        return start > 0 and self.toks[start].key == "first" and self.toks[start - 1].key == "but"

    def length_at(self, start: int, end: int) -> int:
        """Give the length of words that say nothing and begin here."""
        table = self.context.table
        if self.context.begins_name(start):
            return 0
        if length := table.order.length_at(self.toks, start, end):
            return length
        before = table.before.length_at(self.toks, start, end)
        alone = 0 if before else table.alone.length_at(self.toks, start, end)
        if alone and not (start + alone < end and self.toks[start + alone].parted):
            return 0
        if before >= PLAIN:
            return before
        return 0 if not (before or alone) or self.is_needed(start, end) else before or alone

    def is_needed(self, start: int, end: int) -> bool:
        """Tell whether what looks like noise begins something: "next to X", "next tab"."""
        following = self.toks[start + 1].key if start + 1 < end else ""
        if (self.toks[start].key, following) in LITTLE.needed_pairs:
            return True
        if self.says_which(start, end) or self.is_liked(start, end):
            return True
        if following in self.context.table.frames or following in self.context.marks.leads:
            return False
        apart = start + 1 < end and self.toks[start + 1].parted
        return not apart and self.opens(start, end)

    def is_liked(self, start: int, end: int) -> bool:
        """Tell "like Slack Water" from "like click it": before a page, a name may be liked."""
        if self.toks[start].key != "like" or not self.context.on_page or start + 1 >= end:
            return False
        following = self.toks[start + 1]
        named = following.quoted is not None or following.capital
        return named and not following.parted and following.key not in self.context.table.frames

    def says_which(self, start: int, end: int) -> bool:
        """Tell "first box" from "first click it": what follows is a kind of things, and no verb."""
        if start + 1 >= end or self.toks[start].key not in self.context.lexicon.describing:
            return False
        following = self.toks[start + 1]
        if following.parted or following.key in self.context.table.frames:
            return False
        return self.context.lexicon.names_some_kind(following)

    def is_all(self, start: int, end: int) -> bool:
        """Tell whether a range says nothing but "hey", "many thanks" or "once it has loaded"."""
        if self.context.begins_name(start):
            return False
        table = self.context.table
        return (
            any(
                sayings.length_at(self.toks, start, end) == end - start
                for sayings in (table.order, table.before, table.alone)
            )
            or self.length_before(start - 1, end) == end - start
        )

    def order_at(self, start: int, end: int) -> int:
        """Give the length of words that only tell the order: "after having", "before you"."""
        sayings = self.context.table.ordering.sayings.get(self.toks[start].key, ())
        if not sayings or self.toks[start].quoted is not None:
            return 0
        near = self.toks[start : min(end, start + LONGEST_ORDER)]
        for saying in sayings:
            length = len(saying)
            if length < len(near) and all(
                token.key == word for token, word in zip(near, saying, strict=False)
            ):
                verb = near[length]
                spoken_to = saying[-1] in LITTLE.spoken_to
                if verb.verb or (spoken_to and verb.key in self.context.table.frames):
                    return length
        return 0

    def obliging_at(self, begin: int, start: int, end: int) -> int:
        """Give the length of "you", of "visitors should", or of the "to" of "please to click"."""
        if start + 1 >= end:
            return 0
        key, following = self.toks[start].key, self.toks[start + 1].key
        opens = following in self.context.table.frames
        match key:
            case "to" if opens and start > begin:
                return 0 if any(token.comma for token in self.toks[start + 1 : end]) else 1
            case "after" if start and self.toks[start - 1].key == "and":
                return 1 if following in self.context.marks.beginning else 0
            case "you":
                return 1 if opens or following in LITTLE.hurrying else 0
            case _:
                return self.told_to_at(start, end)

    def told_to_at(self, start: int, end: int) -> int:
        """Give the length of "visitors should" before a verb."""
        table = self.context.table
        if self.toks[start].key in table.frames:
            return 0
        for at in range(start + 1, min(start + 4, end - 1)):
            modal = self.toks[at].key
            if modal not in table.phrases.modals.known:
                continue
            bound = modal in LITTLE.obliging
            person = self.toks[at - 1].key in table.phrases.people.known
            if (bound or person) and self.toks[at + 1].key in table.frames:
                return at + 1 - start
        return 0

    # At the end

    def ends(self, start: int, end: int) -> Iterator[int]:
        """Give the ends of a clause with words that say nothing left out, then as it stands.

        What may be a tag may also be a selector: it is left out only where nothing else fits.
        """
        if is_tag(self.toks[end - 1]) and end - 1 > start:
            yield end
            yield from self.ends(start, end - 1)
            return
        if (reason := self.reason_in(start, end)) is not None:
            yield from self.ends(start, reason)
        shorter = end
        while shorter - 1 > start:
            length = self.length_before(start, shorter)
            if not length:
                break
            shorter -= length
        if shorter != end:
            yield shorter
        yield end

    def reason_in(self, start: int, end: int) -> int | None:
        """Find where a clause goes on to say why: "... so that it stays quiet"."""
        sayings = self.context.table.reasons
        for at in range(start + 2, end - 1):
            token = self.toks[at]
            if token.key not in sayings.sayings or token.quoted is not None or token.capital:
                continue
            restricted = keys_of(self.toks[at:end]) & self.context.marks.restricting
            if sayings.length_at(self.toks, at, end) > 1 and not restricted:
                return at
        return None

    def length_before(self, start: int, end: int) -> int:
        """Give the length of words that say nothing and end here."""
        last = self.toks[end - 1]
        if last.quoted is not None or (last.capital and self.context.begins_name(end - 1)):
            return 0
        for saying in self.context.table.after.sayings.get(last.key, ()):
            length = len(saying)
            if end - length > start and self.stands_before(saying, end):
                doubtful = length == 1 and saying[0] in self.context.marks.doubtful_ends
                if not doubtful or not self.is_in_name(start, end):
                    return length
        return 0

    def stands_before(self, saying: tuple[str, ...], end: int) -> bool:
        """Tell whether a saying, its last word first, stands before a place."""
        return all(
            self.toks[end - 1 - step].key == word and self.toks[end - 1 - step].quoted is None
            for step, word in enumerate(saying)
        )

    def is_in_name(self, start: int, end: int) -> bool:
        """Tell whether the last word seems to belong to a name in capitals: "click Buy now"."""
        if self.toks[end - 1].capital or self.toks[end - 2].key in self.context.marks.unending:
            return True
        if self.toks[end - 1].key == "instead":
            return False
        before = self.toks[end - 2]
        if self.context.lexicon.names_some_kind(before) and not before.capital:
            return False
        for index in range(end - 2, start, -1):
            token = self.toks[index]
            if token.quoted is not None or token.parted or token.key in self.context.marks.unending:
                return False
            if token.capital:
                return self.context.names_in_capitals
        return False


def is_tag(token: Tok) -> bool:
    """Tell whether a word is written like "#friday"."""
    return token.quoted is None and token.key[0] == "#" and token.key[1:].isalpha()


def is_leading(toks: list[Tok], start: int) -> bool:
    """Tell whether a sentence begins here."""
    return start == 0 or toks[start].parted == HARD

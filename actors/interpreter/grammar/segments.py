"""Cutting a text into clauses: where a verb begins something, and where "and" is part of a name.

The shortest clauses that all can be read are taken. What follows a comma or an "and" without a
verb of its own shares the one before it (``sharing``), is a member of a list, or part of a name
(``listing``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.listing import Lists
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.passing import Passing
from actors.interpreter.grammar.pieces import Piece
from actors.interpreter.grammar.readings import NO_GOAL, Clause, Nothing, Reading
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.sharing import Sharing

MAX_JOINED = 10
BARE = 2
FILLING = frozenset({"browser.type", "browser.set", "browser.select", "browser.check"})


@dataclass(slots=True)
class Segmenter:
    """Finds the clauses of one sentence."""

    reader: ClauseReader
    pieces: list[Piece]
    lists: Lists = field(init=False)
    passing: Passing = field(init=False)
    sharing: Sharing = field(init=False)
    _spans: dict[tuple[int, int], list[Clause] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lists = Lists(self.reader)
        self.passing = Passing(self.reader, self.pieces)
        self.sharing = Sharing(self.reader, self.pieces)

    @property
    def toks(self) -> list[Tok]:
        return self.reader.toks

    def clauses(self) -> list[Clause] | None:
        """Cut the text into the shortest clauses that all can be read; worked out from the end."""
        count = len(self.pieces)
        best: list[list[Clause] | None] = [None] * count + [[]]
        for first in range(count - 1, -1, -1):
            for last in self.ends_from(first):
                rest = best[last + 1]
                found = None if rest is None else self.span(first, last)
                if found is not None and rest is not None:
                    best[first] = [*found, *rest]
                    break
        return best[0]

    def readable(self) -> int:
        """Say how many pieces from the beginning can be read as whole clauses."""
        reached = {0}
        for first in range(len(self.pieces)):
            if first in reached:
                ends = [last for last in self.ends_from(first) if self.span(first, last)]
                reached.update(last + 1 for last in ends)
        return max(reached)

    def ends_from(self, first: int) -> Iterator[int]:
        """Give the pieces with which a clause may end; none reaches over the end of a sentence."""
        for last in range(first, min(len(self.pieces), first + MAX_JOINED)):
            if last > first and self.pieces[last].hard:
                return
            yield last

    def span(self, first: int, last: int) -> list[Clause] | None:
        """Read pieces that belong together."""
        key = (first, last)
        if key not in self._spans:
            self._spans[key] = self.single(first) if first == last else self.several(first, last)
        return self._spans[key]

    def single(self, index: int) -> list[Clause] | None:
        """Read one piece."""
        start, end = self.pieces[index].start, self.pieces[index].end
        if self.is_name_in_capitals(index):
            return None
        if self.passing.is_passed_over(index):
            return None if self.is_listed(index) else [Nothing(start, end)]
        if self.is_next_of_clicked(index):
            return None
        if self.finishes_form(index):
            used = self.reader.used(start, start + 1)  # "it" is the form
            return None if used is None else [replace(used, end=end)]
        found = self.reader.read(start, end)
        if found is None and self.passing.is_heading(index):
            return [Nothing(start, end)]
        if found is None or (isinstance(found, Reading) and found.words is not None):
            return (
                self.written_there(index)
                or self.run_on(start, end)
                or (None if found is None else [found])
            )
        if self.ends_a_name(index, found) or self.takes_back(index, found):
            return None
        if isinstance(found, Nothing) and (
            self.is_clicked_too(index) or self.is_member(index) or self.is_listed(index)
        ):
            return None
        if isinstance(found, Nothing) and self.is_told_after_colon(index):
            return None
        return self.lists.with_steps(found)

    def several(self, first: int, last: int) -> list[Clause] | None:
        """Read several pieces as one clause, or by one verb."""
        if self.is_clicked_too(first) or self.is_clicked_too(last):
            return None
        whole = self.reader.read(self.pieces[first].start, self.pieces[last].end)
        if isinstance(whole, Reading):
            if self.lists.has_steps(whole) or not self.lists.joined_slots(whole):
                return self.lists.with_steps(whole)
            return self.sharing.shared(first, last) or self.lists.listed(whole)
        if isinstance(whole, Nothing) and self.is_listed(first):
            return None
        return self.sharing.shared(first, last) or (None if whole is None else [whole])

    def written_there(self, index: int) -> list[Clause] | None:
        """Read "enter red shoes" behind a click on a field: it is what the field is told."""
        if not index or not self.clicks_field(index - 1):
            return None
        found = self.reader.bare(self.pieces[index].start, self.pieces[index].end)
        return [found] if isinstance(found, Reading) else None

    def clicks_field(self, index: int) -> bool:
        """Tell whether a piece clicks on something that one can write in."""
        found = self.reader.read(self.pieces[index].start, self.pieces[index].end)
        if not isinstance(found, Reading) or not self.is_click(index) or found.negated:
            return False
        return any(
            slot.kind == "role" and self.lists.lexicon.has_kind("field", self.toks, at, end)
            for slot, at, end in found.fit
        )

    def run_on(self, start: int, end: int) -> list[Clause] | None:
        """Read clauses that follow each other without a joint, each begun by its verb."""
        beginning = self.reader.context.marks.beginning
        for cut in range(start + 1, end):
            token = self.toks[cut]
            if token.key not in beginning or token.quoted is not None or token.capital:
                continue
            if self.toks[cut - 1].key in self.reader.context.marks.joined_before:
                continue  # "the search bar" begins nothing
            first = self.reader.read(start, cut)
            if not isinstance(first, Reading) or first.template is None or first.negated:
                continue
            rest = self.reader.read(cut, end)
            if isinstance(rest, Reading) and rest.template is not None:
                return [first, rest]
            if (further := self.run_on(cut, end)) is not None:
                return [first, *further]
        return None

    def is_told_after_colon(self, index: int) -> bool:
        """Tell whether a colon joins words to a clause: "create n.txt: hello" gives a content."""
        piece = self.pieces[index]
        if not index or piece.hard or not self.toks[piece.start].colon:
            return False
        before = self.pieces[index - 1]
        return isinstance(self.reader.read(before.start, before.end), Reading)

    def is_clicked_too(self, index: int) -> bool:
        """Tell whether the "next" of "click next, next, finish" is a button: bare among others."""
        piece = self.pieces[index]
        single = piece.end - piece.start == 1 and index and not piece.hard
        if not single or self.toks[piece.start].key not in self.reader.context.marks.noisy_names:
            return False
        following = self.passing.following(index)
        if following is None or following.hard:
            joined = bool(piece.words) and not piece.comma
            return joined and self.follows_click(index)
        if following.end - following.start > BARE:
            return False
        if self.toks[following.start].key in self.reader.context.marks.beginning:
            return False
        return self.follows_click(index)

    def is_member(self, index: int) -> bool:
        """Tell whether "and right" belongs to what stands before it: nobody ends a text so."""
        piece = self.pieces[index]
        if not index or not piece.is_plainly_joined():
            return False
        return self.toks[piece.start].key not in LITTLE.closing or self.goes_on_text(index)

    def goes_on_text(self, index: int) -> bool:
        """Tell whether a piece follows a text that is not quoted: then it may be part of it."""
        before = self.reader.read(self.pieces[index - 1].start, self.pieces[index - 1].end)
        if not isinstance(before, Reading) or not before.fit or before.negated:
            return False
        slot, at, _ = before.fit[-1]
        return slot.name == "content" and self.toks[at].quoted is None

    def is_listed(self, index: int) -> bool:
        """Tell whether a piece is one more of a list of names: "create folders alpha, team"."""
        piece = self.pieces[index]
        if not index or piece.hard or self.toks[piece.start].key in LITTLE.empty:
            return False
        if self.goes_on_text(index):
            return True
        for first in range(index - 1, max(-1, index - MAX_JOINED), -1):
            whole = self.reader.read(self.pieces[first].start, piece.end)
            if isinstance(whole, Reading) and not whole.negated and self.lists.joined_slots(whole):
                slot, _, end = whole.fit[self.lists.joined_slots(whole)[0]]
                listed = self.lists.listed(whole) if slot.kind == "param" else None
                return end == piece.end and listed is not None and len(listed) > 1
            if self.pieces[first].hard or self.pieces[first].words:
                return False  # behind "a and b" a list has ended
        return False

    def takes_back(self, index: int, found: Clause) -> bool:
        """Tell whether "not eggs" follows a text that it may as well be part of."""
        if not index or not isinstance(found, Reading) or found.frame is not NO_GOAL:
            return False
        before = self.reader.read(self.pieces[index - 1].start, self.pieces[index - 1].end)
        if not isinstance(before, Reading) or not before.fit:
            return False
        slot, at, end = before.fit[-1]
        written = slot.kind == "param" and slot.type in {"text", "content", "freecontent"}
        return written and not (end - at == 1 and self.toks[at].quoted is not None)

    # Where "and" is part of a name

    def is_name_in_capitals(self, index: int) -> bool:
        """Tell whether a piece is the rest of a name: "... and Close", "... and Go to Cart"."""
        piece = self.pieces[index]
        if not index or not piece.is_plainly_joined():
            return False
        if not (self.toks[piece.start].capital and self.reader.context.names_in_capitals):
            return False
        return all(
            (token.quoted is None and token.capital) or token.key in LITTLE.within_names
            for token in self.toks[piece.start + 1 : piece.end]
        )

    def is_next_of_clicked(self, index: int) -> bool:
        """Tell whether "then Mute" names the next thing to click: written as a name, and bare."""
        piece = self.pieces[index]
        if not index or piece.hard or not self.reader.context.begins_name(piece.start):
            return False
        words = self.toks[piece.start + 1 : piece.end]
        articles = self.lists.lexicon.articles
        if any(token.quoted is not None or token.key in articles for token in words):
            return False
        if words and self.toks[piece.start].key in self.reader.context.marks.beginning:
            return False
        return self.follows_click(index)

    def follows_click(self, index: int) -> bool:
        """Tell whether the nearest clause with a verb before a piece is a click by name."""
        for before in range(index - 1, -1, -1):
            if self.clicked(before, before) or self.clicked(before - 1, before):
                return True
            if self.is_click(before):
                return True
            piece = self.pieces[before]
            if piece.hard or self.reader.read(piece.start, piece.end) is not None:
                return False
        return False

    def is_click(self, index: int) -> bool:
        """Tell whether a piece clicks something, once or so often."""
        found = self.reader.read(self.pieces[index].start, self.pieces[index].end)
        return isinstance(found, Reading) and found.frame.goal == "browser.click"

    def ends_a_name(self, index: int, found: Clause) -> bool:
        """Tell whether "and continue" ends the name of what is clicked just before it."""
        piece = self.pieces[index]
        if not index or piece.words != {"and"} or not piece.is_plainly_joined():
            return False
        if not isinstance(found, Reading) or found.negated or self.has_object(found, piece):
            return False
        clicked = self.clicked(index - 1, index - 1)
        if clicked is None and not self.is_readable(index - 1):
            clicked = self.clicked(index - 2, index - 1)
        if clicked is None:
            return False
        slot, at, end = clicked.fit[-1]
        named = all(token.quoted is None for token in self.toks[at:end])
        kind = end - at > 1 and self.lists.lexicon.names_some_kind(self.toks[end - 1])
        return slot.kind == "role" and named and not kind

    def finishes_form(self, index: int) -> bool:
        """Tell whether "and create" is a deed of the page, behind what was put into a field of it.

        What the table reads anyway ("and save") needs no help.
        """
        piece = self.pieces[index]
        keys = tuple(token.key for token in self.toks[piece.start : piece.end])
        if not index or piece.hard or "and" not in piece.words or keys not in LITTLE.finishing:
            return False
        if any(token.quoted is not None for token in self.toks[piece.start : piece.end]):
            return False
        before = self.reader.read(self.pieces[index - 1].start, self.pieces[index - 1].end)
        if not isinstance(before, Reading) or before.negated:
            return False
        whole = self.reader.read(self.pieces[index - 1].start, piece.end)
        if isinstance(whole, Reading) and whole.fit and whole.fit[-1][2] < piece.end:
            return False  # the table has it as part of one deed: "... and confirm it"
        goal = before.frame.on_page or before.frame.goal
        return goal in FILLING and not self.is_readable(index)

    def is_readable(self, index: int) -> bool:
        """Tell whether a piece can be read as a clause of its own."""
        if index < 0:
            return False
        piece = self.pieces[index]
        return isinstance(self.reader.read(piece.start, piece.end), Reading)

    def clicked(self, first: int, last: int) -> Reading | None:
        """Read pieces as a clause whose things have names with "and", the first maybe its lead."""
        if first < 0:
            return None
        found = self.reader.read(self.pieces[first].start, self.pieces[last].end)
        if isinstance(found, Reading) and found.frame.joined == "name" and found.fit:
            return found
        return None

    def has_object(self, reading: Reading, piece: Piece) -> bool:
        """Tell whether a clause says more than its verb: a thing, a value, a place."""
        bare = piece.end - piece.start <= BARE
        return not bare or any(slot.type != "buttons" for slot, _, _ in reading.fit)

"""Pieces that are passed over: they greet, number, name what follows, or say why."""

from dataclasses import dataclass

from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.context import keys_of
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.pieces import Piece
from actors.interpreter.grammar.readings import Reading
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.table import Phrases
from actors.interpreter.grammar.templates import Matcher
from actors.language.words import RELATIONS

MAX_HEADING = 5
MAX_CALL = 3
MAX_LOOKS = 4


@dataclass(slots=True)
class Passing:
    """Finds the pieces of one sentence that ask for nothing because of where they stand."""

    reader: ClauseReader
    pieces: list[Piece]

    @property
    def toks(self) -> list[Tok]:
        return self.reader.toks

    @property
    def phrases(self) -> Phrases:
        return self.reader.context.table.phrases

    def following(self, index: int) -> Piece | None:
        return self.pieces[index + 1] if index + 1 < len(self.pieces) else None

    def is_passed_over(self, index: int) -> bool:
        """Tell whether a piece asks for nothing: it greets, numbers, or tells an end or a means."""
        piece, following = self.pieces[index], self.following(index)
        if following is not None and self.is_means(following):
            return not self.adds_no_name(following)
        if index and self.is_means(piece) and self.adds_no_name(piece):
            return True
        if index and not piece.hard and not piece.words and self.gives_reason(piece):
            return True
        if following is not None and self.only_looks(index) and self.is_done_behind(index):
            return True
        if piece.end - piece.start > MAX_CALL or self.toks[piece.start].quoted is not None:
            return False
        return self.signs(index) or (
            self.stands_apart(following) and (self.numbers(index) or self.calls(index))
        )

    def only_looks(self, index: int) -> bool:
        """Tell whether a piece only says how to look: "look through the list", "find and"."""
        piece, following = self.pieces[index], self.following(index)
        if self.toks[piece.start].quoted is not None:
            return False
        start, _ = self.reader.noise.skipped(piece.start, piece.end)
        first = self.toks[start].key
        if piece.end - start == 1 and first in LITTLE.seeking:
            return following is not None and following.is_plainly_joined()
        context = self.reader.context
        return any(
            Matcher(template, context.slots, self.toks, piece.end).match(start)
            for template in context.table.looking.get(first, ())
        )

    def is_done_behind(self, index: int) -> bool:
        """Tell whether something to do follows, and speaks of nothing that is found first."""
        for behind in range(index + 1, min(index + MAX_LOOKS, len(self.pieces))):
            following = self.pieces[behind]
            if keys_of(self.toks[following.start : following.end]) & LITTLE.found_first:
                return False
            if not self.only_looks(behind):
                found = self.reader.read(following.start, following.end)
                return isinstance(found, Reading) and not found.negated and is_on_page(found)
        return False

    def stands_apart(self, following: Piece | None) -> bool:
        """Tell whether a comma, a colon or the end of a sentence stands behind a piece."""
        if following is None or following.hard or following.comma:
            return True
        return self.toks[following.start].colon

    def is_means(self, piece: Piece) -> bool:
        """Tell whether "by clicking" begins here: what stands before it only tells the purpose."""
        first = self.toks[piece.start]
        following = self.toks[piece.start + 1] if piece.start + 1 < piece.end else first
        return first.key == "by" and following.verb and not piece.hard

    def adds_no_name(self, piece: Piece) -> bool:
        """Tell whether "by clicking on it" or "by clicking the button" adds nothing to say which.

        What stands before it names the thing then, and is what is asked for.
        """
        behind = self.toks[piece.start + 2 : piece.end]
        if not behind or any(token.quoted is not None or token.capital for token in behind):
            return False
        empty = LITTLE.articles | LITTLE.pointing | LITTLE.referring | LITTLE.generic_nouns
        skipped = 1 if behind[0].key in RELATIONS else 0  # "clicking on"
        return all(token.key in empty for token in behind[skipped:])

    def gives_reason(self, piece: Piece) -> bool:
        """Tell whether a piece only says why, or what comes of something."""
        context = self.reader.context
        length = context.table.reasons.length_at(self.toks, piece.start, piece.end)
        if not length or length == piece.end - piece.start:
            return False
        if keys_of(self.toks[piece.start : piece.end]) & context.marks.restricting:
            return False
        single = self.toks[piece.start].key == "so"
        return not single or self.reader.read(piece.start + length, piece.end) is None

    def numbers(self, index: int) -> bool:
        """Tell whether a piece only numbers a part: "Exercise 1."."""
        piece = self.pieces[index]
        first, last = self.toks[piece.start], self.toks[piece.end - 1]
        counted = last.key[:1].isdigit() or len(last.key) == 1
        if first.key not in self.phrases.parts.known or not counted or last is first:
            return False
        return piece.hard or not index or self.is_passed_over(index - 1)

    def calls(self, index: int) -> bool:
        """Tell whether a piece only speaks to somebody: "Dear Anna", "Grandpa", "class"."""
        piece = self.pieces[index]
        toks = self.toks[piece.start : piece.end]
        begins = piece.hard or not index
        if begins and toks[0].key in self.phrases.people.greetings and toks[-1].quoted is None:
            return len(toks) == 1 or self.is_no_order(piece.start, piece.end)
        apart = begins or piece.comma
        return apart and all(token.key in self.phrases.people.known for token in toks)

    def is_no_order(self, start: int, end: int) -> bool:
        """Tell whether a greeting greets: what follows is not read, or is only a name."""
        whole, found = self.reader.read(start, end), self.reader.read(start + 1, end)
        if isinstance(whole, Reading) and whole.start == start:
            return False  # "okay the dialog"
        if not isinstance(found, Reading):
            return found is None
        return sum(last - at for _, at, last in found.fit) == end - start - 1

    def signs(self, index: int) -> bool:
        """Tell whether a piece is the name under a letter: "Cheers, Ines"."""
        piece = self.pieces[index]
        if not index or piece.hard or index + 1 < len(self.pieces):
            return False
        before = self.pieces[index - 1]
        alone = self.reader.context.table.alone
        closed = alone.length_at(self.toks, before.start, before.end) == before.end - before.start
        names = all(token.capital for token in self.toks[piece.start : piece.end])
        return names and closed and before.hard

    def is_heading(self, index: int) -> bool:
        """Tell whether a piece only names what follows its colon, or follows such a name."""
        piece = self.pieces[index]
        outcomes = self.phrases.outcomes.known
        first = self.toks[piece.start]
        if index and first.colon and self.toks[self.pieces[index - 1].start].key in outcomes:
            return True
        if first.key in outcomes and piece.end - piece.start == 1:
            return True
        if self.leads_file(index):
            return False  # "in docs: delete a.txt" says where
        return piece.end - piece.start <= MAX_HEADING and self.comes_before_colon(index)

    def leads_file(self, index: int) -> bool:
        """Tell whether a piece says where the file is that the next one is about."""
        piece, following = self.pieces[index], self.following(index)
        if following is None or self.reader.placer.place_of(piece.start, piece.end) is None:
            return False
        found = self.reader.read(following.start, following.end)
        return isinstance(found, Reading) and not is_on_page(found)

    def comes_before_colon(self, index: int) -> bool:
        """Tell whether a colon ends this piece, or one that soon follows in the same sentence."""
        for following in self.pieces[index + 1 : index + MAX_CALL]:
            if self.toks[following.start].colon:
                return True
            if following.hard:
                return False
        return False


def is_on_page(reading: Reading) -> bool:
    """Tell whether a clause is about a page: a file would be where one has looked for it."""
    return all(goal.startswith("browser.") for goal in reading.frame.all_goals())

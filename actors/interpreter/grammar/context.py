"""What all who read a sentence share: the table, the tokens, and how capitals are to be taken."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from actors.interpreter.grammar.lexicon import Lexicon
from actors.interpreter.grammar.sentence import HARD, Sentence, Tok
from actors.interpreter.grammar.slots import Slots
from actors.interpreter.grammar.table import Compiled, Marks

# How much may be tried on one text: templates, and ranges to be read. What people say needs little
# more than half of it; it bounds the time of texts that nobody says.
FEWEST_TRIES = 450
TRIES_PER_WORD = 1
LONG = 64  # a range of so many words costs twice what a short one does


class TooInvolved(Exception):
    """A text that could be read in more ways than are tried."""


@dataclass(slots=True)
class Effort:
    """How much may still be tried on one text."""

    left: int

    @classmethod
    def on(cls, words: int) -> Self:
        return cls(FEWEST_TRIES + TRIES_PER_WORD * words)

    def spend(self, tries: int = 1) -> None:
        """Count what is tried; too much ends the reading of the text."""
        self.left -= tries
        if self.left < 0:
            raise TooInvolved

    def spend_on(self, words: int) -> None:
        """Count one thing that is tried on a range of words."""
        self.spend(1 + words // LONG)


@dataclass(slots=True)
class Noted:
    """What is noted of a text beside its goals.

    ``passed_over`` is what was said and became part of no goal, ``spans`` are the characters of
    the clause that each goal is from.
    """

    passed_over: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Context:
    """A sentence, and the table it is read by.

    ``names_in_capitals`` if a capital within the sentence shows a name: not all words have one.
    ``on_page`` if a web page is before the speaker; ``loose`` if words that no frame reads may be
    what that page calls something that can be done.
    """

    table: Compiled
    sentence: Sentence
    names_in_capitals: bool
    effort: Effort
    on_page: bool = False
    loose: bool = False
    noted: Noted = field(default_factory=Noted)

    @property
    def lexicon(self) -> Lexicon:
        return self.table.lexicon

    @property
    def slots(self) -> Slots:
        return self.table.slots

    @property
    def marks(self) -> Marks:
        return self.table.phrases.marks

    def over(self, toks: list[Tok]) -> "Context":
        """Give the same context with other tokens of the same text."""
        sentence = Sentence(self.sentence.text, toks)
        return replace(self, sentence=sentence)

    def is_capital(self, at: int) -> bool:
        """Tell whether a word is written as a name within a sentence."""
        token = self.sentence.toks[at]
        return token.capital and self.names_in_capitals and not token.parted

    def begins_name(self, at: int) -> bool:
        """Tell whether a capital here cannot come from the beginning of a sentence."""
        token = self.sentence.toks[at]
        if token.key == "i" or token.key.startswith("i'"):
            return False
        return bool(token.capital and at and token.parted != HARD and self.names_in_capitals)

    def spoken(self, at: int, end: int) -> str:
        """Give the words of a range; a quoted text without its marks."""
        first = self.sentence.toks[at]
        if end - at == 1 and first.quoted is not None:
            return first.quoted
        return self.sentence.said(at, end)

    def is_conditional(self, start: int, end: int) -> bool:
        """Tell whether a range holds a word that makes a condition."""
        return any(
            token.quoted is None and token.key in self.marks.conditional
            for token in self.sentence.toks[start:end]
        )


def keys_of(toks: Sequence[Tok]) -> set[str]:
    """Give the words of tokens, quoted text aside."""
    return {token.key for token in toks if token.quoted is None}

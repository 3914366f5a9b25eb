"""Cutting tokens into pieces: at punctuation, at joining words, and where an order turns."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import HARD, Tok


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of tokens between two joints, and how it is joined to the one before it.

    ``hard`` if a sentence or a line begins with it; ``words`` are the joining words before it.
    """

    start: int
    end: int
    hard: bool = False
    comma: bool = False
    words: frozenset[str] = frozenset()

    def is_plainly_joined(self) -> bool:
        """Tell whether nothing but an "and" stands before it."""
        plain = bool(self.words) and self.words <= LITTLE.adding
        return plain and not (self.comma or self.hard)


def pieces_of(toks: Sequence[Tok], openers: Container[str], *, capitals: bool) -> list[Piece]:
    """Cut tokens into pieces; a colon parts only what begins something."""
    pieces: list[Piece] = []
    start, joint, hard, comma = 0, set[str](), False, False
    for index, token in enumerate(toks):
        joins = token.quoted is None and token.key in LITTLE.joints
        joins = joins and not (capitals and stays(toks, index))
        parted = token.parted and (not token.colon or token.key in openers or token.line)
        if index > start and (parted or joins or turns_at(toks, index)):
            pieces.append(Piece(start, index, hard, comma, frozenset(joint)))
            start, joint, hard, comma = index, set(), False, False
        if index == start:
            hard = hard or token.parted == HARD
            comma = comma or token.comma
            if joins:
                joint.add(token.key)
                start = index + 1
    if start < len(toks):
        pieces.append(Piece(start, len(toks), hard, comma, frozenset(joint)))
    return pieces


def stays(toks: Sequence[Tok], index: int) -> bool:
    """Tell whether a joining word is capitalised within words, and so part of a name."""
    token = toks[index]
    return token.capital and not token.parted and index > 0 and toks[index - 1].capital


def turns_at(toks: Sequence[Tok], index: int) -> bool:
    """Tell whether "before clicking", "by clicking" or "instead of" begins here."""
    token = toks[index]
    if token.quoted is not None or index + 1 >= len(toks):
        return False
    following = toks[index + 1]
    if token.key in LITTLE.turning:
        return following.verb or following.key in LITTLE.turned
    if token.key == "by":
        return following.verb
    return (token.key, following.key) in LITTLE.replacing

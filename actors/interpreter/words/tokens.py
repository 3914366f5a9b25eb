"""Cutting a text into words, with quoted text held together."""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.language.tokens import scan
from actors.language.words import fold

ENDINGS = ".,;:!?…)"
BEGINNINGS = "(¿¡"


@dataclass(frozen=True, slots=True)
class Token:
    """One word as it is compared, or a quoted text as it stands, and where it was said."""

    word: str
    start: int
    end: int
    quoted: str | None = None
    comma: bool = False


def tokens_of(text: str) -> list[Token]:
    """Cut a text into tokens; punctuation at the edge of a word is not part of it."""
    found: list[Token] = []
    for begin, end, quoted in scan(text):
        if quoted is not None:
            found.append(Token(fold(quoted), begin, end, quoted))
            continue
        said = text[begin:end].lstrip(BEGINNINGS)
        start = end - len(said)
        trimmed = said.rstrip(ENDINGS)
        if trimmed:
            comma = said[len(trimmed) :].startswith((",", ";"))
            found.append(Token(fold(trimmed), start, start + len(trimmed), comma=comma))
        elif found:
            found[-1] = comma_after(found[-1])
    return found


def comma_after(token: Token) -> Token:
    return Token(token.word, token.start, token.end, token.quoted, comma=True)


def words_at(tokens: Sequence[Token], index: int, saying: Sequence[str]) -> bool:
    """Tell whether a saying stands at ``index``, unquoted."""
    end = index + len(saying)
    if index < 0 or end > len(tokens):
        return False
    for token, word in zip(tokens[index:end], saying, strict=True):  # asked often: no generator
        if token.word != word or token.quoted is not None:
            return False
    return True

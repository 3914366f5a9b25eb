"""Cutting a text into words, with quoted text held together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from actors.words import fold

# What is quoted is bounded, so that quotes which are never closed cost no more than that each.
TOKEN = re.compile(
    r'"(?P<double>[^"]{0,200})"|“(?P<curly>[^”]{0,200})”|«(?P<angle>[^»]{0,200})»'
    r"|(?<!\w)'(?P<single>(?:[^']|'(?=\w)){1,200})'(?!\w)|(?<!\w)‘(?P<high>[^’]{1,200})’(?!\w)"
    r"|(?P<word>[^\s\"“«]+)"
)
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
    for match in TOKEN.finditer(text):
        if match.lastgroup != "word":
            said = match[match.lastgroup or 0]
            found.append(Token(fold(said), match.start(), match.end(), said))
            continue
        said = match[0].lstrip(BEGINNINGS)
        start = match.end() - len(said)
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

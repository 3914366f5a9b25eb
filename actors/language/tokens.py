"""Words as they were said, one by one; what is in quotes stays together."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from actors.language.lexicon import Lexicon

# What is quoted is bounded, so that quotes which are never closed cost no more than that each.
TOKEN = re.compile(
    r'"(?P<double>[^"]{0,200})"|“(?P<curly>[^”]{0,200})”|«(?P<angle>[^»]{0,200})»'
    r"|(?<!\w)'(?P<single>(?:[^']|'(?=\w)){1,200})'(?!\w)|(?<!\w)‘(?P<high>[^’]{1,200})’(?!\w)"
    r"|(?P<word>[^\s\"“«]+|[\"“«])"
)


def scan(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Cut a text at spaces: where each piece stands, and what it quotes if it is in quotes."""
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or "word"
        yield match.start(), match.end(), None if kind == "word" else match[kind]


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it was said; ``quoted`` if it is a text in quotes."""

    text: str
    quoted: bool = False

    @property
    def key(self) -> str:
        return self.text if self.quoted else self.text.casefold().strip(",.;!?").replace("’", "'")


def tokens_of(text: str) -> tuple[Token, ...]:
    """Cut words apart; what is in quotes stays together."""
    return tuple(
        Token(text[start:end]) if quoted is None else Token(quoted, quoted=True)
        for start, end, quoted in scan(text)
    )


def name_of(tokens: Sequence[Token]) -> str:
    return " ".join(token.text.strip(",;") if not token.quoted else token.text for token in tokens)


def is_quoted(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 1 and tokens[0].quoted


def without_articles(tokens: tuple[Token, ...], words: Lexicon) -> tuple[Token, ...]:
    while len(tokens) > 1 and not tokens[0].quoted and tokens[0].key in words.articles:
        tokens = tokens[1:]
    return tokens


def matches_at(tokens: Sequence[Token], at: int, saying: tuple[str, ...]) -> bool:
    span = tokens[at : at + len(saying)]
    return len(span) == len(saying) and all(
        not token.quoted and token.key == word for token, word in zip(span, saying, strict=True)
    )

"""Words as they were said, one by one; what is in quotes stays together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from actors.target_resolver.page.lexicon import Lexicon

TOKEN = re.compile(
    r"\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|(?<!\w)['‘]([^'’]+(?:['’]\w[^'’]*)*)['’](?!\w)|(\S+)"
)


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
    found = []
    for match in TOKEN.finditer(text):
        quoted = next((part for part in match.groups()[:4] if part is not None), None)
        if quoted is not None:
            found.append(Token(quoted, quoted=True))
        else:
            found.append(Token(match[5]))
    return tuple(found)


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

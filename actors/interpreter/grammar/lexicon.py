"""The names that decide between readings, and what a word is by them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from actors.interpreter.grammar.keys import Keyboard
from actors.interpreter.grammar.sentence import Tok
from actors.language.words import is_plural, singular

HOST = re.compile(
    r"https?://\S+|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#]\S*)?"
    r"|[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+\.?(?::\d+)?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
# Options, drives, Windows paths and signs of grammar: what must be quoted to be a name.
ODD_NAME = re.compile(r"\s|^-|^[a-z]:|\\|[:?*<>|]$|^\(")


@dataclass(frozen=True)
class Lexicon:
    """The names that decide between readings, from the table and from this machine."""

    sites: Mapping[str, str]
    anchors: frozenset[str]
    endings: frozenset[str]
    hosts: frozenset[str]
    suffixes: Callable[[], frozenset[str]]
    grammatical: frozenset[str]
    describing: frozenset[str]
    measuring: frozenset[str]
    pronouns: frozenset[str]
    articles: frozenset[str]
    relations: frozenset[str]
    partitive: frozenset[str]
    labels: frozenset[str]
    never_after_label: frozenset[str]
    months: frozenset[str]
    numbers: Mapping[str, int]
    units: Mapping[str, float]
    programs: frozenset[str]
    deictic: frozenset[str]
    kinds: Mapping[str, frozenset[str]]
    values: Mapping[str, Mapping[tuple[str, ...], str]]
    keyboard: Keyboard

    def has_kind(self, kinds: str, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether words for a thing say that it is of one of these kinds."""
        known = self.kinds[kinds]
        for index in range(at, end):
            token = toks[index]
            if token.quoted is not None:
                continue
            word = token.key
            two = f"{word} {toks[index + 1].key}" if index + 1 < end else ""
            length = 2 if two in known or singular(two) in known else 1
            if length == 1 and word not in known and singular(word) not in known:
                continue
            after = index + length
            named = token.capital and after < end and (index > at or at > 0)
            if after >= end or (is_named_by(toks[after], self.relations) and not named):
                return True
            if index == at and is_plural(word):
                return True
        return False

    def head_end(self, toks: Sequence[Tok], at: int, end: int) -> int:
        """Give where the words end that name a thing itself: "the last row | of the table"."""
        for index in range(at + 1, end):
            token = toks[index]
            if token.key in self.partitive and token.quoted is None and not token.capital:
                return index
        return end

    def names_some_kind(self, token: Tok) -> bool:
        """Tell whether a word is one for a kind of things."""
        return token.quoted is None and self.is_some_kind(token.key)

    def is_some_kind(self, word: str) -> bool:
        """Tell whether a word, in small letters, is one for a kind of things."""
        return any(word in kinds or singular(word) in kinds for kinds in self.kinds.values())

    def is_article(self, token: Tok) -> bool:
        return token.quoted is None and token.key in self.articles

    def is_file(self, word: str) -> bool:
        """Tell whether a word looks like a file's name: its ending is a known one."""
        stem, dot, ending = word.rpartition(".")
        if not dot or "://" in word or word.startswith("www."):
            return False
        if not stem:
            return ending.isalpha()  # .gitignore
        if "/" not in stem and "." in stem and ending in {"rs", "sh", "app", "pl"}:
            return False  # docs.example.org is a host
        return ending in self.endings

    def is_address(self, word: str) -> bool:
        """Tell whether a word is a web address: a file's name is looked for first."""
        if HOST.fullmatch(word) is None:
            return False
        if "://" in word or word.startswith(("localhost", "[")):
            return True
        host = re.split(r"[/?#:]", word, maxsplit=1)[0].rstrip(".")
        if self.is_file(host):
            return "/" in word and not self.is_file(word)
        last = host.rpartition(".")[2]
        return last.isdecimal() or last in self.suffixes() or "/" in word or ":" in word

    def is_plain_name(self, word: str) -> bool:
        """Tell whether an unquoted word can be taken for a name as it stands."""
        if word in self.grammatical and len(word) > 1:
            return False
        return ODD_NAME.search(word) is None


def is_named_by(token: Tok, relations: frozenset[str]) -> bool:
    """Tell whether what follows a kind says which one: a name, a number, a relation."""
    return (
        token.quoted is not None
        or token.capital
        or token.key in relations
        or token.key[:1].isdigit()
    )

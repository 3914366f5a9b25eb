"""Selectors that a person spells out: "type hello into #email", "click .btn-primary".

They are values, not words for a thing: nothing is bound, the page has such an element or not.
"""

import re
from collections.abc import Callable

from actors.interpreter.grammar.little import LITTLE

NAME = r"-?[A-Za-z_][\w-]*"
ATTRIBUTE = r"\[[A-Za-z_][\w-]*(?:[~|^$*]?=(?:\"[^\"]*\"|'[^']*'|[^\]\"'\s]+))?\]"
# A bare element and a class look like a file ("input.txt"): an element needs an id or an attribute.
SELECTOR = re.compile(
    rf"(?:(?:[#.]{NAME}|{ATTRIBUTE})|{NAME}(?:#{NAME}|{ATTRIBUTE}))(?:[#.]{NAME}|{ATTRIBUTE})*"
)


def spelled_selector(words: str, is_kind: Callable[[str], bool]) -> str | None:
    """Give the selector that words spell out, with an article and a kind around it at most.

    >>> [spelled_selector(words, {"field"}.__contains__) for words in ("the #email field", ".a.b")]
    ['#email', '.a.b']
    >>> [spelled_selector(words, {"field"}.__contains__) for words in ("#42", "a.txt", "#a and #b")]
    [None, None, None]
    """
    rest = words.split()
    found = [word for word in rest if SELECTOR.fullmatch(word)]
    if len(found) != 1:
        return None
    rest.remove(found[0])
    others = (word.casefold() for word in rest)
    return found[0] if all(word in LITTLE.articles or is_kind(word) for word in others) else None

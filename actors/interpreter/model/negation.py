"""Which parts of a text say what is not to be done."""

import re

from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.words import Span, words_in

# "But" ends what was negated, except in "anything but".
BUT = r"(?<!thing )(?<!\ball )(?<!none )\bbut\b"
ENDS = re.compile(rf"[.!?…]+(?=\s|$)|\n|;|{BUT}", re.IGNORECASE)
JOINTS = re.compile(r",\s|\b(?:and|then|or)\b", re.IGNORECASE)
ONWARD = re.compile(CAUTIONS.negation.onward, re.IGNORECASE)


def negated_spans(plain: str) -> list[Span]:
    """Find the parts of a text, quotes blanked out, in which something is not to be done."""
    ends = [found.span() for found in ENDS.finditer(plain)]
    joints = [0, *(end for _, end in ends), *(found.end() for found in JOINTS.finditer(plain))]
    spans = [
        (max(joint for joint in joints if joint <= word.start), end_after(word.start, ends, plain))
        for word in words_in(plain)
        if denies(word.key)
    ]
    onward = (found.start() for found in ONWARD.finditer(plain))
    return [*spans, *((start, end_after(start, ends, plain)) for start in onward)]


def end_after(position: int, ends: list[Span], plain: str) -> int:
    """Give where the sentence of a position ends."""
    return min((start for start, _ in ends if start >= position), default=len(plain))


def denies(word: str) -> bool:
    """Tell whether a word says that something is not to be done.

    >>> denies("don't"), denies("notes")
    (True, False)
    """
    return word in CAUTIONS.negation.around or word.replace("’", "'").endswith("n't")

"""Cutting a text into pieces at its joints, with quoted text kept whole and literal."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

QUOTED = re.compile(r"\"([^\"]*)\"|“([^”]*)”|(?<!\w)'([^']*)'(?!\w)|‘([^’]*)’|`([^`]*)`")
JOINT = re.compile(
    r"\s*[;,\n]+\s*(?:and\s+then\s+|(?:and|then|but)\s+)?"
    r"|\s+and\s+then\s+|\s+(?:and|then|but)\s+|[.!?]+\s+",
    re.IGNORECASE,
)
APOSTROPHE = re.compile(r"(?<=\w)’(?=\w)")
# A quoted text stands in a clause as one word of this shape, so that nothing inside it is read.
HELD = re.compile("\ue000(\\d+)\ue001")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: its words with quotes held out, and where it stood."""

    text: str
    span: tuple[int, int]
    joint: str
    quotes: tuple[str, ...]

    def joined(self, other: "Piece") -> "Piece":
        """Put two neighbours together again, with what stood between them."""
        return replace(
            self, text=self.text + other.joint + other.text, span=(self.span[0], other.span[1])
        )

    def trimmed(self, before: tuple[str, ...], after: tuple[str, ...]) -> "Piece":
        """Take off words at both edges that say nothing about the goal."""
        text = self.text.strip().rstrip(".!?,; ")
        while (shorter := trim_once(text, before, after)) != text:
            text = shorter
        return replace(self, text=text)

    def without(self, words: tuple[str, ...]) -> "Piece | None":
        """Take one of these words off the beginning; None if none is there."""
        for word in words:
            if re.match(rf"{re.escape(word)}\b", self.text, re.IGNORECASE):
                return replace(self, text=self.text[len(word) :].lstrip(" ,"))
        return None

    def cuts(self) -> Iterator[tuple["Piece", "Piece"]]:
        """Cut in two at every space, the shortest beginning first."""
        for gap in re.finditer(r"\s*,\s*|\s+", self.text):
            head, tail = self.text[: gap.start()], self.text[gap.end() :]
            yield replace(self, text=head), replace(self, text=tail)

    def opener(self) -> str:
        """Give the first word, as templates know it."""
        return self.text.split(maxsplit=1)[0].casefold() if self.text.strip() else ""

    def restored(self, text: str) -> str:
        """Put quoted text back where it was held out, without its quotes."""
        return HELD.sub(lambda found: self.quotes[int(found[1])], text)

    def shown(self) -> str:
        """Give the piece as a person wrote it, more or less."""
        return HELD.sub(lambda found: f'"{self.quotes[int(found[1])]}"', self.text)


def trim_once(text: str, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """Take off one word of noise, if one is there and something else stays."""
    lowered = text.casefold()
    for word in before:
        if lowered.startswith((word + " ", word + ",")):
            return text[len(word) :].lstrip(" ,")
    for word in after:
        if lowered.endswith((" " + word, "," + word)):
            return text[: -len(word)].rstrip(" ,")
    return text


def pieces_of(text: str) -> list[Piece]:
    """Cut a text at every joint outside quotes."""
    quotes: list[str] = []

    def hold(found: re.Match[str]) -> str:
        quotes.append(next(group for group in found.groups() if group is not None))
        return f"\ue000{len(quotes) - 1}\ue001"

    plain = APOSTROPHE.sub("'", text.replace("\ue000", " ").replace("\ue001", " "))
    masked = QUOTED.sub(hold, plain)
    held = tuple(quotes)
    return [
        Piece(words, (original(start, masked, held), original(end, masked, held)), joint, held)
        for words, start, end, joint in split(masked)
    ]


def original(position: int, masked: str, quotes: tuple[str, ...]) -> int:
    """Find where a position of the masked text was in the original."""
    shift = 0
    for found in HELD.finditer(masked):
        if found.end() > position:
            break
        shift += len(quotes[int(found[1])]) + 2 - len(found[0])
    return position + shift


def split(masked: str) -> Iterator[tuple[str, int, int, str]]:
    """Give the parts between joints, each with its place and the joint before it."""
    start, joint = 0, ""
    for found in JOINT.finditer(masked):
        if masked[start : found.start()].strip():
            yield masked[start : found.start()], start, found.start(), joint
            joint = found[0]
        else:  # joints in a row are one
            joint += masked[start : found.end()]
        start = found.end()
    if masked[start:].strip():
        yield masked[start:], start, len(masked), joint

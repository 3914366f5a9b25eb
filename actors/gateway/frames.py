"""Cutting a stream of bytes into frames: one per line, none longer than the limit."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum


class Oversized(Enum):
    """Stands for a frame that was too long and was skipped."""

    FRAME = "frame"


@dataclass(slots=True)
class Frames:
    """Feeds on chunks, yields whole lines. A line over the limit is never held in memory."""

    limit: int
    _held: bytearray = field(default_factory=bytearray)
    _skipping: bool = False

    @property
    def held(self) -> int:
        """How much of a line that has not ended is in memory."""
        return len(self._held)

    def skip(self) -> None:
        """Let go of the line that has not ended; the rest of it is passed over."""
        self._held = bytearray()
        self._skipping = True

    def feed(self, chunk: bytes) -> Iterator[bytes | Oversized]:
        """Take a chunk; give every frame that it completes."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            frame = self._complete(line)
            if frame:
                yield frame
        if not self._skipping:
            self._held += rest
            if len(self._held) > self.limit:
                self.skip()
                yield Oversized.FRAME

    def _complete(self, line: bytes) -> bytes | Oversized | None:
        """End the frame that ``line`` is the last part of."""
        if self._skipping:
            self._skipping = False
            return None
        if self._held:
            line = bytes(self._held) + line
            self._held.clear()
        if len(line) > self.limit:
            return Oversized.FRAME
        return line.strip()

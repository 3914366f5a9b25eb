"""Answers that were believed, so that the same words cost nothing the second time."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from messages.message import Data


class CacheKey(Data, frozen=True):
    """What an answer depends on: the words to the letter, the rules as they were, the model."""

    text: str
    rules: str
    model: str


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(CacheKey).decode


class Cache(Protocol):
    """Where answers are kept. What comes out is checked again, whoever kept it."""

    def get(self, key: CacheKey) -> str | None: ...

    def put(self, key: CacheKey, answer: str) -> None: ...


@dataclass
class MemoryCache:
    """Keeps the answers used last, bounded by number and by size."""

    most: int = 1_000
    room: int = 8 << 20
    _answers: OrderedDict[CacheKey, str] = field(default_factory=OrderedDict)

    def get(self, key: CacheKey) -> str | None:
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def put(self, key: CacheKey, answer: str) -> None:
        self.drop(key)
        self._answers[key] = answer
        self.room -= weight(key, answer)
        while self._answers and (len(self._answers) > self.most or self.room < 0):
            self.drop(next(iter(self._answers)))

    def drop(self, key: CacheKey) -> None:
        """Forget one answer."""
        if (answer := self._answers.pop(key, None)) is not None:
            self.room += weight(key, answer)


@dataclass
class KeptCache:
    """Keeps answers in memory and, by ``keep``, where they outlast the daemon."""

    keep: Callable[[str, str], None]
    memory: MemoryCache = field(default_factory=MemoryCache)

    def load(self, answers: Mapping[str, str]) -> None:
        """Take in what was kept before; what cannot be read is left out."""
        for key, answer in answers.items():
            with suppress(msgspec.DecodeError):
                self.memory.put(_decode(key), answer)

    def get(self, key: CacheKey) -> str | None:
        return self.memory.get(key)

    def put(self, key: CacheKey, answer: str) -> None:
        self.memory.put(key, answer)
        self.keep(_encode(key).decode(), answer)

    def drop(self, key: CacheKey) -> None:
        """Forget one answer, until the daemon starts again."""
        self.memory.drop(key)


def weight(key: CacheKey, answer: str) -> int:
    """Estimate what an entry takes, in bytes; a character may take four."""
    return 4 * (len(key.text) + len(answer)) + 200

"""Where texts wait for the model: those that are alike share one request, few are asked at once.

The Interpreter goes on with other letters meanwhile. A letter that is kept here is answered, or
given up when the queue closes; a command that was cancelled costs an answer that nobody reads.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeAlias

import anyio
import anyio.abc

from actors.interpreter.grammar import Misunderstanding
from actors.interpreter.model import Answer, ModelReader, opinion_of
from actors.interpreter.model.eligibility import MAYBE_SECRET, reason_not_to_ask
from actors.interpreter.model.outcome import (
    Mode,
    Offline,
    Opinion,
    Outcome,
    annotate,
    settle,
    wants_model,
)
from actors.mailbox import Letter
from messages import interpreting
from messages.interpreting import Interpret, Interpretation
from messages.modelling import ModelFailed

Conclude: TypeAlias = Callable[[Interpret, Outcome, Offline], Interpretation]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A command that waits for the model, with what the grammar made of it."""

    letter: Letter[interpreting.Inbox]
    request: Interpret
    offline: Offline


@dataclass
class RequestQueue:
    """The texts that the model is being asked about; ``most`` of them, ``parallel`` at once."""

    reader: ModelReader
    mode: Mode
    parallel: int = 4
    most: int = 64
    _waiting: dict[str, deque[Waiting]] = field(default_factory=dict)
    _slots: anyio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._slots = anyio.Semaphore(self.parallel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give up every letter that is still here."""
        for waiting in self._waiting.values():
            for each in waiting:
                each.letter.give_up()
        self._waiting.clear()

    def take(self, entry: Waiting, tasks: anyio.abc.TaskGroup, conclude: Conclude) -> None:
        """Answer a letter at once if that can be, else keep it until the model has answered."""
        text, offline = entry.request.text or "", entry.offline
        if (alone := outcome_without_model(text, offline, self.mode)) is not None:
            self.tell(entry, alone, conclude)
        elif (opinion := self.at_once(text)) is not None:
            self.tell(entry, settle(text, offline, opinion, self.mode), conclude)
        else:
            self.keep(text, entry, tasks, conclude)

    def at_once(self, text: str) -> Opinion | None:
        """Give what can be said without a request: what is remembered, or that there is no room."""
        if text in self._waiting:
            return None
        if (recalled := self.reader.recall(text)) is not None:
            return recalled
        if len(self._waiting) >= self.most:
            busy = ModelFailed("busy", f"{self.most} texts wait for it already")
            self.reader.heard(text, (busy,))
            return self.reader.trace_failure(busy)
        return None

    def keep(
        self, text: str, entry: Waiting, tasks: anyio.abc.TaskGroup, conclude: Conclude
    ) -> None:
        """Keep a letter; the first with a text has the model asked about it."""
        kept = Waiting(entry.letter.keep(), entry.request, entry.offline)
        if text in self._waiting:
            self._waiting[text].append(kept)
        else:
            self._waiting[text] = deque([kept])
            tasks.start_soon(self.serve, text, conclude)

    async def serve(self, text: str, conclude: Conclude) -> None:
        """Have the model asked about a text, and answer everybody who waits for that."""
        async with self._slots:
            opinion = await self.reader.read(text)
        waiting = self._waiting[text]
        self.answer(waiting.popleft(), opinion, conclude)
        while waiting:
            self.answer(waiting.popleft(), opinion, conclude, shared=True)
        del self._waiting[text]

    def answer(
        self, entry: Waiting, opinion: Opinion, conclude: Conclude, *, shared: bool = False
    ) -> None:
        """Answer one of those who wait, under its own trace."""
        with entry.letter:
            if shared and not isinstance(opinion, ModelFailed):
                self.reader.trace_reuse()
            text = entry.request.text or ""
            self.tell(entry, settle(text, entry.offline, opinion, self.mode), conclude)

    def tell(self, entry: Waiting, outcome: Outcome, conclude: Conclude) -> None:
        """Answer a letter with what came of its text."""
        reply = conclude(entry.request, outcome, entry.offline)
        entry.letter.answer(entry.request, reply)


def outcome_without_model(text: str, offline: Offline, mode: Mode) -> Outcome | None:
    """Give what holds if the model is not to be asked about a text; None if it is."""
    if not wants_model(mode, offline):
        return offline.understanding
    reason = reason_not_to_ask(text, understood=offline.is_understood())
    return None if reason is None else leave_to_grammar(offline, reason)


def outcome_with_answers(
    text: str, offline: Offline, answers: Sequence[Answer], queue: RequestQueue
) -> Outcome:
    """Give what holds by what the model answered then, as a queue would have it now."""
    alone = outcome_without_model(text, offline, queue.mode)
    if alone is not None:
        return alone
    opinion = opinion_of(text, answers, queue.reader.brief.table)
    return settle(text, offline, opinion, queue.mode)


def leave_to_grammar(offline: Offline, reason: str) -> Outcome:
    """Give what the grammar made of a text that the model must not be asked about."""
    grammar = offline.understanding
    if isinstance(grammar, Misunderstanding) and reason == MAYBE_SECRET:
        return annotate(grammar, f"the model was not asked: {reason}")
    return grammar

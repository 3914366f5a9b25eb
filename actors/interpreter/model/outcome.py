"""Which of two understandings holds: the grammar's, or the model's. Pure."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, assert_never

from actors.interpreter.grammar import Doubt, Misunderstanding, Understanding
from actors.interpreter.model.validation import Refusal, Understood, Validation
from messages.explaining import DroppedReading
from messages.modelling import ModelFailed

Mode: TypeAlias = Literal["grammar", "model", "auto"]
Opinion: TypeAlias = Validation | ModelFailed
Outcome: TypeAlias = Understanding | Understood


@dataclass(frozen=True, slots=True)
class Offline:
    """What the grammar made of a text.

    ``left_to_page`` if it read none of its rows in some clause, and leaves that to the page: the
    page may have a control of that name. ``passed_over`` are its words that became part of no goal,
    ``spans`` the clauses of its goals, ``dropped`` the readings that were not taken.
    """

    understanding: Understanding
    left_to_page: bool = False
    passed_over: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    dropped: tuple[DroppedReading, ...] = ()

    def is_understood(self) -> bool:
        return isinstance(self.understanding, tuple) and not self.left_to_page


def wants_model(mode: Mode, offline: Offline) -> bool:
    """Tell whether the model is to be asked; what a person must be asked is not for a model."""
    if isinstance(offline.understanding, Doubt):
        return False
    return mode == "model" or (mode == "auto" and not offline.is_understood())


def settle(text: str, offline: Offline, opinion: Opinion, mode: Mode) -> Outcome:
    """Give the understanding that holds.

    Goals that were believed do. A model that could not be asked leaves it to the grammar; one that
    was asked and found nothing is reported, beside the grammar's own reason if there is one. In
    ``auto`` the page is looked at after the model, for what neither has understood.
    """
    grammar = offline.understanding
    match opinion:
        case Understood():
            return opinion
        case Refusal() | ModelFailed():
            note = note_of(opinion)
        case unknown:
            assert_never(unknown)
    if isinstance(grammar, Misunderstanding):
        return annotate(grammar, note)
    if isinstance(opinion, ModelFailed) or (mode == "auto" and offline.left_to_page):
        return grammar
    return Misunderstanding((0, len(text)), note)


def annotate(grammar: Misunderstanding, note: str) -> Misunderstanding:
    """Put what came of the model beside the grammar's own reason."""
    return replace(grammar, message=f"{grammar.message} ({note})")


def note_of(opinion: Refusal | ModelFailed) -> str:
    """Say what came of the model."""
    match opinion:
        case ModelFailed("refused" | "truncated" | "bad_answer", message):
            return f"the model was asked in vain: {message}"
        case ModelFailed(message=message):
            return f"the model could not be asked: {message}"
        case Refusal(reason, final=True):
            return f"the model was asked: {reason}"
        case Refusal(reason):
            return f"the model's answer was not believed: {reason}"

"""Which of two understandings holds: the grammar's, or the model's. Pure."""

from dataclasses import replace
from typing import Literal, TypeAlias, assert_never

from actors.interpreter.grammar import Doubt, Misunderstanding, Understanding
from actors.interpreter.model.validating import Refusal, Validation
from messages.modelling import ModelFailed

Mode: TypeAlias = Literal["grammar", "model", "auto"]
Opinion: TypeAlias = Validation | ModelFailed


def wants_model(mode: Mode, offline: Understanding) -> bool:
    """Tell whether the model is to be asked; what a person must be asked is not for a model."""
    if isinstance(offline, Doubt):
        return False
    return mode == "model" or (mode == "auto" and isinstance(offline, Misunderstanding))


def settled(text: str, offline: Understanding, opinion: Opinion) -> Understanding:
    """Give the understanding that holds.

    Goals that were believed do. A model that could not be asked leaves it to the grammar; one that
    was asked and found nothing is reported, beside the grammar's own reason if there is one.
    """
    match opinion:
        case tuple():
            return opinion
        case Refusal() | ModelFailed():
            note = note_of(opinion)
        case unknown:
            assert_never(unknown)
    if isinstance(offline, Misunderstanding):
        return replace(offline, message=f"{offline.message} ({note})")
    if isinstance(opinion, ModelFailed):
        return offline
    return Misunderstanding((0, len(text)), note)


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

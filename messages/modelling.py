"""The conversation with a language model: words and a schema out, an answer or a failure in."""

from typing import Literal, TypeAlias

from messages.message import Data, Message, Request

FailureReason: TypeAlias = Literal[
    "unreachable",
    "timed_out",
    "rate_limited",
    "bad_status",
    "refused",
    "truncated",
    "bad_answer",
    "busy",
    "crashed",
]


class Correction(Data, frozen=True):
    """An answer that was not accepted, and why: the model may answer once more."""

    answer: str
    reason: str


class Answered(Message, frozen=True):
    """What the model wrote, and what it cost. Nothing in it has been checked."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


class ModelFailed(Message, frozen=True):
    """No answer: why, for a program and for a person; ``transient`` if it may pass at once."""

    reason: FailureReason
    message: str
    retry_after: float | None = None
    transient: bool = False


class AskModel(Request[Answered | ModelFailed], frozen=True):
    """Have words understood. This is all that ever leaves for the model.

    ``instructions`` are made of our own tables, ``words`` are the user's, ``schema`` is the JSON
    Schema of an answer, as text.
    """

    instructions: str
    words: str
    schema: str
    correction: Correction | None = None

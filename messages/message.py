"""What every message has in common: it is immutable, tagged data without behaviour."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Generic, TypeAlias, TypeVar

import msgspec

R = TypeVar("R")

# Numbers that JSON libraries agree on: others could be read, but not written again.
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Scalar: TypeAlias = str | Whole | float | bool | None
Row: TypeAlias = Mapping[str, Scalar | Sequence[Scalar]]
Value: TypeAlias = Scalar | Sequence[Scalar | Row] | Row


def snake(name: str) -> str:
    """Turn a class name into its tag on the wire.

    >>> snake("ActionFinished")
    'action_finished'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A value inside messages. Messages form no cycles, so the collector may pass them by."""


class Message(Data, frozen=True, tag=snake):
    """Something one part tells another. A tagged union of these is a part's whole protocol."""


class Request(Message, Generic[R], frozen=True):
    """A message that must be answered with an ``R``."""

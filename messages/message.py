"""What every message has in common: it is immutable, tagged data without behaviour."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Generic, NoReturn, TypeAlias, TypeVar

import msgspec

R = TypeVar("R")
K = TypeVar("K")
V = TypeVar("V")

# Numbers that JSON libraries agree on: others could be read, but not written again.
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Scalar: TypeAlias = str | Whole | float | bool | None
Row: TypeAlias = Mapping[str, Scalar | Sequence[Scalar]]
Value: TypeAlias = Scalar | Sequence[Scalar | Row] | Row


class FrozenDict(dict[K, V]):
    """A mapping inside a message: nobody who was handed it can change it for the others."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("what is in a message cannot be changed; make a new one")

    def __reduce__(self) -> tuple[type, tuple[dict[K, V]]]:
        return FrozenDict, (dict(self),)

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


NESTED = frozenset({dict, list})
NOTHING: FrozenDict[Any, Any] = FrozenDict()


def frozen(value: Any) -> Any:
    """Give a value that cannot be changed, through and through.

    >>> frozen({"a": [1, {"b": [2]}]})
    {'a': (1, {'b': (2,)})}
    """
    kind = type(value)
    if kind is dict:
        if not value:
            return NOTHING
        if NESTED.isdisjoint(map(type, value.values())):
            return FrozenDict(value)  # nearly all are flat
        return FrozenDict({key: frozen(each) for key, each in value.items()})
    if kind is list:
        return tuple([frozen(each) for each in value])
    return value


def freeze(message: msgspec.Struct, *fields: str) -> None:
    """Freeze fields of a message that is being made."""
    for field in fields:
        value = getattr(message, field)
        if type(value) is not FrozenDict:
            msgspec.structs.force_setattr(message, field, frozen(value))


def as_read(value: Any) -> Any:
    """Give a value as it is read from bytes, where there are no tuples: so it equals itself then.

    >>> as_read(({"a": (1, 2)}, (3,)))
    [{'a': [1, 2]}, [3]]
    """
    kind = type(value)
    if kind is str or value is None:
        return value
    if isinstance(value, Mapping):
        return {key: as_read(each) for key, each in value.items()}
    if kind is tuple or kind is list:
        return [as_read(each) for each in value]
    return value


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

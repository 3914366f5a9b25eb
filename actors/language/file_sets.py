"""A set of files as words tell it, and how what is said of names becomes patterns."""

import re
from dataclasses import dataclass

from messages.message import Value

GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class FileSet:
    """A set of files as words tell it; a part that was not said is empty.

    ``patterns`` are names with wildcards, of which one in each group fits, ``kinds`` words such as
    "picture". ``since`` and ``before`` bound when they were changed, ``on`` is a day. ``only`` is
    the newest or the like, ``keep`` leaves it out, ``order`` is that of the first few. ``deep``
    says whether those in folders below count, ``depth`` how far down.
    """

    kind: str = ""
    patterns: tuple[tuple[str, ...], ...] = ()
    kinds: tuple[str, ...] = ()
    place: str = ""
    depth: int = 0
    deep: bool | None = None
    larger: str = ""
    smaller: str = ""
    since: str = ""
    before: str = ""
    on: str = ""
    contains: str = ""
    excluding: tuple[str, ...] = ()
    keep: str = ""
    is_empty: bool = False
    hidden: str = ""
    order: str = ""
    only: str = ""
    limit: int = 0

    @property
    def params(self) -> dict[str, Value]:
        """Give the set as parameters; what was not said is left out."""
        said: dict[str, Value] = {
            "kind": self.kind,
            "pattern": "&".join("|".join(group) for group in self.patterns),
            "type": "|".join(self.kinds),
            "larger": self.larger,
            "smaller": self.smaller,
            "since": self.since,
            "before": self.before,
            "on": self.on,
            "contains": self.contains,
            "excluding": "|".join(self.excluding),
            "keep": self.keep,
            "empty": self.is_empty,
            "hidden": self.hidden,
            "order": self.order,
            "only": self.only,
            "limit": self.limit,
            "depth": self.depth,
        }
        if self.deep is not None:
            said["deep"] = self.deep
        return {name: value for name, value in said.items() if value or name == "deep"}


def as_glob(name: str) -> str:
    return name


def as_ending(name: str) -> str:
    return name if GLOB.search(name) else f"*.{name.removeprefix('.')}"


def as_end(name: str) -> str:
    return name if GLOB.search(name) else f"*{name}"


def as_beginning(name: str) -> str:
    return name if GLOB.search(name) else f"{name}*"


def as_part(name: str) -> str:
    return name if GLOB.search(name) else f"*{name}*"

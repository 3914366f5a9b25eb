"""A chore: what is said, what is there before, and what must be so afterwards."""

from pathlib import Path
from typing import Any, Literal

import msgspec

FOLDER = Path(__file__).parent


class GivenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that is there before: its text, size or members of an archive; its age in days."""

    text: str = ""
    size: int = 0
    age: float = 0
    zip: dict[str, str] = {}


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How sound, player and clipboard are before."""

    volume: int = 50
    muted: bool = False
    player: Literal["Playing", "Paused", ""] = ""
    clipboard: str = "left over"


class Then(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be so afterwards. Whatever is not named here must be as it was.

    ``says`` and ``schedules`` hold fragments, in which ``|`` parts alternatives. ``later_by`` are
    the seconds by which the only schedule is put off; ``silent`` says that nothing at all changes.
    """

    moved: dict[str, str] = {}
    copied: dict[str, str] = {}
    gone: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    content: dict[str, str] = {}
    holds: dict[str, str] = {}
    archives: dict[str, tuple[str, ...]] = {}
    appears: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    says_not: tuple[str, ...] = ()
    in_order: tuple[str, ...] = ()
    volume: int | Literal["louder", "quieter"] | None = None
    muted: bool | None = None
    microphone_muted: bool | None = None
    player: str | None = None
    track: str | None = None
    clipboard: str | None = None
    notified: str | None = None
    schedules: tuple[tuple[str, ...], ...] | None = None
    later_by: int | None = None
    lists: dict[str, tuple[str, ...]] | None = None
    power: None = None
    silent: bool = False


class Chore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One chore. ``refused`` ones must not be done, and must leave all as it was.

    ``approve`` is what is answered when approval is asked for, which then must happen; ``either``
    allows it, and does not insist on being asked.
    """

    say: str | tuple[str, ...]
    given: dict[str, str | GivenFile] = {}
    machine: Machine = Machine()
    lists: dict[str, tuple[str, ...]] = {}
    scheduled: tuple[dict[str, Any], ...] = ()
    approve: bool | Literal["either"] | None = None
    refused: bool = False
    then: Then = Then()

    @property
    def sentences(self) -> tuple[str, ...]:
        return (self.say,) if isinstance(self.say, str) else self.say

    @property
    def name(self) -> str:
        return " / ".join(self.sentences)

    @property
    def must_not_be_done(self) -> bool:
        """Whether the right end is one without success."""
        return self.refused or self.approve is False


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    chore: tuple[Chore, ...]


def load_chores() -> dict[str, tuple[Chore, ...]]:
    """Read all groups, by name."""
    return {
        path.stem: msgspec.toml.decode(path.read_bytes(), type=Group).chore
        for path in sorted(FOLDER.glob("*.toml"))
    }

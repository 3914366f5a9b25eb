"""Secrets by name: from a file that only its owner can read, else from the desktop's keyring."""

import importlib
import os
import secrets
import stat
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec
import structlog

KEYRING_SERVICE = "behest"
LARGEST_FILE = 1 << 20
MOST_KEPT = 10_000
MOST_BYTES = 8 << 20

log = structlog.get_logger(actor="secrets")


@dataclass
class Secrets:
    """What ``secret:NAME`` stands for, and what was typed for password fields.

    The file is read when it is asked for, so that what is added to it is there at once.
    """

    path: Path | None = None
    _kept: OrderedDict[str, str] = field(default_factory=OrderedDict)
    _size: int = 0
    # What is gone on with after a crash must not find another's secret under an old number.
    _life: str = field(default_factory=lambda: secrets.token_hex(4))
    _numbers: Callable[[], int] = field(default_factory=lambda: count(1).__next__)

    def keep(self, text: str) -> str:
        """Keep a text in memory; give a reference to it. The oldest are forgotten.

        They are bounded in number, and by what they are long together.
        """
        name = f"~{self._life}.{self._numbers()}"
        self._kept[name] = text
        self._size += size_of(text)
        while len(self._kept) > MOST_KEPT or self._size > MOST_BYTES:
            _, forgotten = self._kept.popitem(last=False)
            self._size -= size_of(forgotten)
        return f"secret:{name}"

    def reveal(self, name: str) -> str | None:
        """Give what a name stands for; None if nothing is known of it."""
        if name.startswith("~"):
            return self._kept.get(name)
        return self._in_file(name) or in_keyring(name)

    def _in_file(self, name: str) -> str | None:
        if self.path is None:
            return None
        try:
            return read(self.path).get(name)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log.warning("secrets.unusable", path=str(self.path), reason=str(error))
            return None


def size_of(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def read(path: Path) -> dict[str, str]:
    """Read the file of secrets, if it is its owner's alone: ``NAME = "what it stands for"``."""
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise PermissionError("others may read it; chmod 600 it")
        data = file.read(LARGEST_FILE)
    try:
        return msgspec.toml.decode(data, type=dict[str, str])
    except msgspec.DecodeError:
        raise ValueError('every line must be NAME = "text"') from None


def in_keyring(name: str) -> str | None:
    """Look in the keyring, where the package ``keyring`` is installed and has one."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    try:
        found = keyring.get_password(KEYRING_SERVICE, name)
    except Exception as error:  # noqa: BLE001 - whatever a keyring of somebody else's raises
        log.warning("keyring.unusable", reason=type(error).__name__)
        return None
    return found if isinstance(found, str) else None

"""Named roots: the only folders files may be in, entered by handle so that no link leads out.

Every path is walked from its root's own directory handle, one component at a time, and no
symbolic link is followed on the way: what was checked is what is used.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from messages.executing import Refused
from messages.results import Code
from tools.text import printable

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
SHOWN_NAMES = 3
NEAR = 0.75  # of a name in another root: what is farther off is no hint


class Refusal(Exception):
    """Why a file operation does not happen. Caught where operations are run."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.outcome = Refused(code, message)


class Missing(Refusal):
    """A name that is not there, with those that are near it in its folder."""

    def __init__(self, name: str, path: str, hint: str) -> None:
        super().__init__(Code.TARGET_NOT_FOUND, f"{path} is not there{hint}")
        self.name, self.path, self.hint = name, path, hint


@dataclass(frozen=True, slots=True)
class Spot:
    """A name in a folder that is held open; an empty name is the folder itself."""

    folder: int
    name: str
    path: str

    def exists(self) -> bool:
        """Tell whether anything of this name is there, a dangling link included."""
        try:
            os.stat(self.name or ".", dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True


class Roots:
    """The roots by name; paths outside all of them are refused.

    What has a protected name is passed over where a search goes through folders. What is the
    daemon's ``own`` (its state, settings, secrets) is no file at all for whoever commands it.
    """

    def __init__(
        self,
        folders: Mapping[str, Path],
        protected: Iterable[str] = (),
        own: Iterable[Path] = (),
    ) -> None:
        self.protected = frozenset(name.casefold() for name in protected)
        self.folders = {name: Path(os.path.realpath(folder)) for name, folder in folders.items()}
        self.own = tuple(f"{path}/" for path in reachable(own, self.folders.values()))
        # Compared as texts: path objects took two thirds of the time to look at 10,000 files.
        inner_first = sorted(self.folders.values(), key=lambda root: -len(root.parts))
        self._starts = [(root, f"{str(root).rstrip('/')}/") for root in inner_first]

    def split(self, path: str) -> tuple[Path, list[str]]:
        """Find the innermost root that a path lies in, and the names that lead to it."""
        if "\0" in path:
            raise Refusal(Code.NOT_ALLOWED, "a path cannot contain a null character")
        whole = f"{os.path.normpath(path)}/"
        if whole.startswith(self.own):
            raise Refusal(Code.NOT_ALLOWED, f"{path} is one of Behest's own files")
        for root, start in self._starts:
            if whole.startswith(start):
                return root, [name for name in whole[len(start) :].split("/") if name]
        names = ", ".join(self.folders)
        raise Refusal(Code.OUTSIDE_ROOTS, f"{path} is outside the allowed folders ({names})")

    @contextmanager
    def spot(self, path: str) -> Iterator[Spot]:
        """Open the folder that holds ``path``, through nothing but real folders."""
        root, names = self.split(path)
        handle = os.open(root, DIRECTORY)
        try:
            way = str(root)
            for name in names[:-1]:
                way = os.path.join(way, name)
                inner = self._enter(handle, name, way)
                os.close(handle)
                handle = inner
            last = names[-1] if names else ""
            yield Spot(handle, last, os.path.join(way, last) if last else way)
        except Missing as gone:
            if gone.hint or not (elsewhere := self.near_elsewhere(gone.name, root)):
                raise
            raise Missing(gone.name, gone.path, f"; there is {elsewhere}") from None
        finally:
            os.close(handle)

    def near_elsewhere(self, name: str, apart: Path) -> str:
        """Say which names in the other roots are near one; what is hidden is not told."""
        found: list[str] = []
        for root_name, root in self.folders.items():
            with suppress(OSError):
                names = [] if root == apart else os.listdir(root)
                shown = [each for each in names if self.is_told(each, root)]
                by_stem = {each.rpartition(".")[0] or each: each for each in shown}
                near = get_close_matches(name, [*shown, *by_stem], n=1, cutoff=NEAR)
                found += [f"{printable(by_stem.get(each, each))!r} in {root_name}" for each in near]
        return " and ".join(found[:SHOWN_NAMES])

    def is_told(self, name: str, root: Path) -> bool:
        is_own = f"{root}/{name}/".startswith(self.own)
        return not (name.startswith(".") or name.casefold() in self.protected or is_own)

    @contextmanager
    def folder(self, path: str) -> Iterator[Spot]:
        """Open the folder that ``path`` itself is."""
        with self.spot(path) as spot:
            if not spot.name:
                yield spot
                return
            handle = self._enter(spot.folder, spot.name, spot.path)
            try:
                yield Spot(handle, "", spot.path)
            finally:
                os.close(handle)

    def _enter(self, handle: int, name: str, path: str) -> int:
        """Open a folder within an open folder."""
        try:
            return os.open(name, DIRECTORY, dir_fd=handle)
        except FileNotFoundError:
            raise missing(handle, name, path) from None
        except OSError as error:
            if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
                raise
            if is_link(handle, name):
                message = f"{path} is a symbolic link; links are not followed"
                raise Refusal(Code.OUTSIDE_ROOTS, message) from None
            raise Refusal(Code.WRONG_KIND, f"{path} is not a folder") from None


def reachable(own: Iterable[Path], roots: Iterable[Path]) -> Iterator[Path]:
    """Give the own files that lie in a root; one that a root lies in cannot be kept from it."""
    for path in (Path(os.path.realpath(each)) for each in own):
        is_around = any(root.is_relative_to(path) for root in roots)
        if not is_around and any(path.is_relative_to(root) for root in roots):
            yield path


def is_link(handle: int, name: str) -> bool:
    """Tell whether a name is a symbolic link."""
    try:
        os.readlink(name, dir_fd=handle)
    except OSError:
        return False
    return True


def missing(handle: int, name: str, path: str) -> Refusal:
    """Say that a name is not there, and which names are near it."""
    near = get_close_matches(
        name, [printable(other) for other in os.listdir(handle)], n=SHOWN_NAMES
    )
    hint = f"; there is {' and '.join(map(repr, near))}" if near else ""
    return Missing(name, path, hint)

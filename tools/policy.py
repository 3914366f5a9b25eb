"""Policy on files: which bound actions may go ahead. Checks for Capture, in their order.

They look at what an action would touch, by its words: a path outside the roots, or a name that is
protected, is refused before a tool is asked. The tools' own containment by directory handles
stays what really keeps files apart: a check sees names, not the disk.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from messages.capturing import BoundContext, Veto
from messages.results import Code

FILES, PAGES = "file_operation", "browser_control"
PLACES = {FILES: ("path", "to", "other", "as"), PAGES: ("path",)}
PROTECTED = (".ssh", ".gnupg", ".aws", ".kube", ".netrc", ".password-store", ".git")

Check = Callable[[BoundContext], Veto | None]


def policies(
    roots: Sequence[str], protected: Sequence[str] = PROTECTED
) -> Mapping[str, Sequence[Check]]:
    """Give the checks for actions with files, on pages as well: roots, then protected names."""
    checks = (within_roots(roots), no_protected_name(protected))
    return dict.fromkeys(PLACES, checks)


def within_roots(roots: Sequence[str]) -> Check:
    """Veto what lies outside every root."""
    folders = [PurePosixPath(root) for root in roots]

    def roots_check(context: BoundContext) -> Veto | None:
        for path in paths_of(context):
            if not any(path.is_relative_to(folder) for folder in folders):
                reason = f"{path} is outside the folders that files may be in"
                return Veto("roots", Code.OUTSIDE_ROOTS, reason)
        return None

    return roots_check


def no_protected_name(protected: Sequence[str]) -> Check:
    """Veto what has, or lies in something that has, a protected name."""
    names = frozenset(name.casefold() for name in protected)

    def protected_names(context: BoundContext) -> Veto | None:
        for path in spoken_paths(context):
            found = next((part for part in path.parts if part.casefold() in names), None)
            if found is not None:
                reason = f"{found!r} is a protected name; settings can free it"
                return Veto("protected_names", Code.NOT_ALLOWED, reason)
        return None

    return protected_names


def paths_of(context: BoundContext) -> Iterator[PurePosixPath]:
    """Give the absolute paths that an action is about; a bare name is no path yet."""
    return (path for path in spoken_paths(context) if path.is_absolute())


def spoken_paths(context: BoundContext) -> Iterator[PurePosixPath]:
    """Give all paths that an action is about, and the new name that it gives to something."""
    for name in PLACES.get(context.action.intent, ()):
        value = context.arguments.get(name)
        if isinstance(value, str):
            yield PurePosixPath(posixpath.normpath(value))

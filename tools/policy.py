"""Policy on files: which bound actions may go ahead. Checks for Capture, in their order.

They look at what an action would touch, by its words: a path outside the roots, or a name that is
protected, is refused before a tool is asked. The tools' own containment by directory handles
stays what really keeps files apart: a check sees names, not the disk.
"""

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence

from messages.capturing import BoundContext, Veto
from messages.results import Code

FILES, PAGES = "file_operation", "browser_control"
PLACES = {FILES: ("path", "to", "other", "as"), PAGES: ("path",)}
PROTECTED = (".ssh", ".gnupg", ".aws", ".kube", ".netrc", ".password-store", ".git")

Check = Callable[[BoundContext], Veto | None]


def policies(
    roots: Sequence[str], protected: Sequence[str] = PROTECTED, own: Sequence[str] = ()
) -> Mapping[str, Sequence[Check]]:
    """Give the checks for actions with files, on pages as well.

    They are asked for roots, for protected names, and for the daemon's ``own`` files.
    """
    checks = (within_roots(roots), no_protected_name(protected), no_own_file(own))
    return dict.fromkeys(PLACES, checks)


def within_roots(roots: Sequence[str]) -> Check:
    """Veto what lies outside every root."""
    folders = tuple(f"{posixpath.normpath(root).rstrip('/')}/" for root in roots)

    def roots_check(context: BoundContext) -> Veto | None:
        for path in spoken_paths(context):
            if path.startswith("/") and not f"{path}/".startswith(folders):
                reason = f"{path} is outside the folders that files may be in"
                return Veto("roots", Code.OUTSIDE_ROOTS, reason)
        return None

    return roots_check


def no_protected_name(protected: Sequence[str]) -> Check:
    """Veto what has, or lies in something that has, a protected name."""
    names = frozenset(name.casefold() for name in protected)

    def protected_names(context: BoundContext) -> Veto | None:
        for path in spoken_paths(context):
            found = next((part for part in path.split("/") if part.casefold() in names), None)
            if found is not None:
                reason = f"{found!r} is a protected name; settings can free it"
                return Veto("protected_names", Code.NOT_ALLOWED, reason)
        return None

    return protected_names


def no_own_file(own: Sequence[str]) -> Check:
    """Veto what touches a file of the daemon itself, or changes or copies a folder that has one."""
    files = tuple(f"{path.rstrip('/')}/" for path in own)

    def own_files(context: BoundContext) -> Veto | None:
        if not files:
            return None
        for path in spoken_paths(context):
            if f"{path}/".startswith(files):
                return Veto("own_files", Code.NOT_ALLOWED, f"{path} is one of Behest's own files")
        thing = context.arguments.get("path")
        if context.action.action_class == "observe" or not isinstance(thing, str):
            return None
        whole = f"{posixpath.normpath(thing)}/"
        inner = next((path for path in files if path.startswith(whole)), None)
        if inner is None:
            return None
        reason = f"{inner.rstrip('/')} is in it, which is one of Behest's own files"
        return Veto("own_files", Code.NOT_ALLOWED, reason)

    return own_files


def spoken_paths(context: BoundContext) -> Iterator[str]:
    """Give all paths that an action is about, and the new name that it gives to something.

    Plain texts: a path object for each of 10,000 files took a third of the time to bind them.
    """
    for name in PLACES.get(context.action.intent, ()):
        value = context.arguments.get(name)
        if isinstance(value, str):
            yield posixpath.normpath(value)

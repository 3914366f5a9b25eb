"""What lies in a folder, before and after, and what should.

A tree leads from a path to the file's bytes, or to nothing for a folder.
"""

import io
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from tests.chores.chore import Chore, GivenFile, Then

Content: TypeAlias = bytes | None
Tree: TypeAlias = dict[str, Content]
Check: TypeAlias = Callable[[Content], bool]
DAY = 86_400


def read_tree(root: Path) -> Tree:
    """Read all that is in a folder."""
    tree: Tree = {}
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        tree.update({str((here / name).relative_to(root)): None for name in folders})
        for name in files:
            tree[str((here / name).relative_to(root))] = (here / name).read_bytes()
    return tree


def clear_folder(root: Path) -> None:
    """Delete all that is in a folder."""
    for path in root.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def plant(root: Path, chore: Chore) -> None:
    """Put the files of a chore into its folder, and give them their ages."""
    for name, given in chore.given.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        file = GivenFile(text=given) if isinstance(given, str) else given
        path.write_bytes(bytes_of(file))
        if file.age:
            changed = path.stat().st_mtime - file.age * DAY
            os.utime(path, (changed, changed))


def bytes_of(file: GivenFile) -> bytes:
    if not file.zip:
        return file.text.encode().ljust(file.size, b"\0")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in file.zip.items():
            archive.writestr(name, text)
    return packed.getvalue()


def members_of(content: Content) -> list[str]:
    """List the names of the files in an archive, without their folders."""
    data = io.BytesIO(content or b"")
    names: list[str] = []
    if zipfile.is_zipfile(data):
        with zipfile.ZipFile(data) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
    else:
        data.seek(0)
        try:
            with tarfile.open(fileobj=data) as tar:
                names = [each.name for each in tar.getmembers() if each.isfile()]
        except tarfile.TarError:
            return []
    return sorted(PurePosixPath(name).name for name in names)


def carried(tree: Tree, source: str, target: str) -> Tree:
    """Give what a file or a folder (``name/``) becomes under another name."""
    if not source.endswith("/"):
        return {target: tree[source]}
    below = {path: content for path, content in tree.items() if path.startswith(source)}
    return {target + path[len(source) :]: content for path, content in below.items()}


def drop(tree: Tree, name: str) -> None:
    for path in [path for path in tree if path == name.rstrip("/") or is_below(path, name)]:
        del tree[path]


def is_below(path: str, name: str) -> bool:
    return name.endswith("/") and path.startswith(name)


def expected_checks(given: Tree, then: Then, expand: Callable[[str], str]) -> dict[str, Check]:
    """Give what each path must hold afterwards; a path that is missing here must not be there."""
    tree = dict(given)
    for source, target in then.copied.items():
        tree.update(carried(given, source, target))
    for source, target in then.moved.items():
        found = carried(tree, source, target)
        drop(tree, source)
        tree.update(found)
    for name in then.gone:
        drop(tree, name)
    checks: dict[str, Check] = {path: equals(content) for path, content in tree.items()}
    checks.update({path: equals(None) for path in then.folders})
    checks.update({path: has_text(text) for path, text in then.content.items()})
    checks.update({path: has_fragment(expand(text)) for path, text in then.holds.items()})
    checks.update({path: has_members(names) for path, names in then.archives.items()})
    for path in tuple(checks):
        for parent in PurePosixPath(path).parents:
            checks.setdefault(str(parent), equals(None))
    checks.pop(".", None)
    return checks


def equals(wanted: Content) -> Check:
    return lambda content: content == wanted


def has_text(text: str) -> Check:
    """Whether a line break ends the last line is left open."""
    wanted = text.encode().rstrip(b"\n")
    return lambda content: content is not None and content.rstrip(b"\n") == wanted


def has_fragment(fragment: str) -> Check:
    parts = [part.encode() for part in fragment.split("|")]
    return lambda content: content is not None and any(part in content for part in parts)


def has_members(names: tuple[str, ...]) -> Check:
    return lambda content: members_of(content) == sorted(names)


def differences(
    before: Tree, after: Tree, checks: Mapping[str, Check], appears: tuple[str, ...]
) -> tuple[list[str], list[str]]:
    """Give what was done though nobody asked for it, and what was asked for and not done."""
    strange, missing = [], []
    new = [path for path in after if path not in before and path not in checks]
    for glob in appears:
        found = next((path for path in new if fnmatch(path, glob)), None)
        if found is None:
            missing.append(f"no {glob}")
        else:
            new.remove(found)
    strange += [f"new: {path}" for path in new]
    for path in sorted(checks.keys() | before.keys()):
        kept = path in before and path in after and before[path] == after[path]
        unchanged = kept or (path not in before and path not in after)
        wanted = checks[path](after[path]) if path in checks and path in after else False
        if wanted or (path not in checks and path not in after):
            continue
        (missing if unchanged else strange).append(describe(path, after))
    return strange, missing


def describe(path: str, after: Tree) -> str:
    if path not in after:
        return f"not there: {path}"
    content = after[path]
    return f"{path}: {'a folder' if content is None else content[:80]!r}"

"""How a wheel is made of a checkout: its top-level folders become the one package ``behest``.

Installed side by side with anything else, top-level names like ``tools`` would be taken or stolen.
So the wheel has ``behest/actors``, ``behest/messages``, ``behest/tools`` and ``behest/run.py``, and
imports between them say ``behest`` first. Nothing else in them is changed: what cannot be moved
that way ends the build. An editable install has the checkout on its path as it is, and a
``behest.run`` for the program that is installed.
"""

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "behest"
PARTS = ("actors", "messages", "tools")
ROOT = "run.py"
NOT_SHIPPED = frozenset({"tools/wheel.py", "tools/setup.sh"})

INIT = (
    '"""Behest: a daemon that carries out plain-language commands. ``run`` puts it together."""\n'
)
MAIN = f"import sys\n\nfrom {PACKAGE}.run import main\n\nsys.exit(main())\n"
EDITABLE_RUN = 'from run import main\n\n__all__ = ["main"]\n'

FROM = re.compile(rb"from\s+")
NAMES_A_MODULE = re.compile(rf"(?:{'|'.join(PARTS)})(?:\.[a-z_0-9]*)+")


class Unmovable(ValueError):
    """A source says the name of a part in a way that is not true once it is installed."""


class WheelHook(BuildHookInterface[Any]):
    """Gives hatchling the files of the package from a folder where they stand as they will."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._staged = tempfile.TemporaryDirectory(prefix="behest-wheel-")
        package = Path(self._staged.name) / PACKAGE
        if version == "editable":
            stage_editable(package)
            build_data["force_include_editable"][str(package)] = PACKAGE
        else:
            stage(Path(self.root), package)
            build_data["force_include"][str(package)] = PACKAGE

    def finalize(self, *_: object) -> None:
        self._staged.cleanup()


def stage_editable(package: Path) -> None:
    """Write what an editable install has of the package: a way to the checkout's ``run``."""
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(INIT, encoding="utf-8")
    (package / "__main__.py").write_text(MAIN, encoding="utf-8")
    (package / ROOT).write_text(EDITABLE_RUN, encoding="utf-8")


def stage(checkout: Path, package: Path) -> None:
    """Write the package as it is installed."""
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(INIT, encoding="utf-8")
    (package / "__main__.py").write_text(MAIN, encoding="utf-8")
    (package / "py.typed").touch()
    for file in shipped_files(checkout):
        place = package / file
        place.parent.mkdir(parents=True, exist_ok=True)
        content = (checkout / file).read_bytes()
        place.write_bytes(rewrite_imports(content, str(file)) if file.suffix == ".py" else content)


def shipped_files(checkout: Path) -> Iterator[Path]:
    """Give the files of the parts, data and all, relative to the checkout."""
    yield Path(ROOT)
    for part in PARTS:
        for path in sorted((checkout / part).rglob("*")):
            file = path.relative_to(checkout)
            left_out = "__pycache__" in file.parts or file.as_posix() in NOT_SHIPPED
            if path.is_file() and not left_out:
                yield file


def rewrite_imports(source: bytes, name: str) -> bytes:
    """Give a source with imports from the parts turned into imports from the package.

    >>> rewrite_imports(b"from messages import wire", "a.py")
    b'from behest.messages import wire'
    >>> rewrite_imports(b"import tools.cli as cli", "a.py")
    b'import behest.tools.cli as cli'
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = [starts[line - 1] + column for line, column in find_part_names(source, name)]
    for place in sorted(places, reverse=True):
        behind = FROM.match(source, place)
        at = behind.end() if behind else place
        source = source[:at] + f"{PACKAGE}.".encode() + source[at:]
    return source


def find_part_names(source: bytes, name: str) -> Iterator[tuple[int, int]]:
    """Find where imports name a part; what names one in any other way is refused."""
    for node in ast.walk(ast.parse(source, name)):
        match node:
            case ast.ImportFrom(module=str(module), level=0) if is_part(module):
                yield node.lineno, node.col_offset
            case ast.Import(names=names):
                for alias in names:
                    if not is_part(alias.name):
                        continue
                    if alias.asname is None:
                        raise Unmovable(f"{name}:{node.lineno}: import it with `from`")
                    yield alias.lineno, alias.col_offset
            case ast.Constant(value=str(text)) if NAMES_A_MODULE.fullmatch(text):
                raise Unmovable(f"{name}:{node.lineno}: {text!r}: say it by `__package__`")
            case _:
                pass


def is_part(module: str) -> bool:
    """Tell whether a dotted name is in one of the parts.

    >>> is_part("tools.cli"), is_part("toolshed")
    (True, False)
    """
    return module.partition(".")[0] in (*PARTS, Path(ROOT).stem)

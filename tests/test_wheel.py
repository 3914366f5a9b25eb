"""Behest as others get it: a wheel of a clean copy, in an environment where there is nothing else.

Nothing comes from a network: what is needed lies in the folder of wheels that ``make setup`` fills.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon import PROJECT, Daemon, launched
from tools.wheel import NOT_SHIPPED, PARTS, Unmovable, rewrite_imports

WHEELS = Path(sys.prefix) / "wheels"
PATIENCE = 240.0
SAME_ORDER = {"PYTHONHASHSEED": "0"}  # sets are written as they come
pytestmark = pytest.mark.time_limit(300)

# A program of somebody else, who has Behest installed.
USES_THE_MESSAGES = """
import sys
from behest.messages import wire
print(wire.Submit("c1", text="mute the volume").text)
print(sorted({"actors", "messages", "tools", "run"} & set(sys.modules)))
"""
# Packages that need something which only an extra of the wheel brings.
EXTRAS = {
    "tools.bus": ["nats"],
    "tools.mcp": ["mcp", "mcp_types"],
    "tools.observer": ["starlette", "uvicorn"],
    "tools.top": ["textual", "rich"],
}
IMPORTS_EVERYTHING = """
import importlib, json, pkgutil, sys
import behest
EXTRAS = json.loads(sys.argv[1])
for module in pkgutil.walk_packages(behest.__path__, "behest."):
    if module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as missing:  # what only an extra brings
        name = module.name.removeprefix("behest.")
        parts = [part for part in EXTRAS if f"{name}.".startswith(f"{part}.")]
        needs = {each for part in parts for each in EXTRAS[part]}
        if missing.name.partition(".")[0] not in needs:
            raise
print(sorted({"actors", "messages", "tools", "run"} & set(sys.modules)))
"""


@dataclass(frozen=True)
class Installed:
    """An environment that has Behest's wheel, and what that needs."""

    wheel: Path
    folder: Path

    @property
    def metadata(self) -> str:
        """The folder in the wheel where it tells of itself."""
        return "-".join(self.wheel.name.split("-")[:2]) + ".dist-info"

    @property
    def python(self) -> str:
        return str(self.folder / "env" / "bin" / "python")

    @property
    def program(self) -> str:
        return str(self.folder / "env" / "bin" / "behest")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program there, in a folder that has no checkout of Behest."""
        return run(command, self.folder)


@pytest.fixture(scope="module")
def clean_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout without anything that git ignores, in an empty folder."""
    copy = tmp_path_factory.mktemp("clean") / "copy"
    ignored = [line.rstrip("/") for line in (PROJECT / ".gitignore").read_text().split()]
    shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns(".git", *ignored))
    return copy


@pytest.fixture(scope="module")
def installed(clean_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(clean_copy))
    (wheel,) = folder.glob("*.whl")
    there = Installed(wheel, folder)
    run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], folder, check=True)
    pip("--python", there.python, "install", str(wheel))
    return there


@pytest.fixture(scope="module")
def daemon(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("daemon")
    running = launched(
        folder,
        environment=SAME_ORDER,
        program=(installed.program,),
        python=installed.python,
    )
    try:
        yield running
    finally:
        running.stop()


def pip(*arguments: str) -> None:
    """Let pip do something with the folder of wheels alone, whatever it is configured to use."""
    assert WHEELS.is_dir(), f"{WHEELS} is missing: run `make setup`"
    whose, arguments = (
        (arguments[:2], arguments[2:]) if "--python" in arguments else ((), arguments)
    )
    command = [sys.executable, "-m", "pip", *whose, arguments[0], "--quiet", "--no-index"]
    command += ["--disable-pip-version-check", "--find-links", str(WHEELS), *arguments[1:]]
    ran = run(command, WHEELS, {"PIP_CONFIG_FILE": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"})
    assert ran.returncode == 0, ran.stderr


def run(
    command: "list[str] | tuple[str, ...]",
    folder: Path,
    more: Mapping[str, str] | None = None,
    *,
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(folder), **(more or {})}
    return subprocess.run(
        command,
        cwd=folder,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=check,
    )


def test_a_wheel_takes_one_name_in_a_shared_environment(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert tops == {"behest", installed.metadata}
    for name in (*PARTS, "run"):
        ran = installed.run(installed.python, "-c", f"import {name}")
        assert "ModuleNotFoundError" in ran.stderr


def test_a_wheel_has_every_file_of_the_parts(clean_copy: Path, installed: Installed) -> None:
    files = [path for part in PARTS for path in (clean_copy / part).rglob("*") if path.is_file()]
    wanted = {path.relative_to(clean_copy).as_posix() for path in files}
    with zipfile.ZipFile(installed.wheel) as wheel:
        packed = {name.removeprefix("behest/") for name in wheel.namelist()}
    assert wanted - packed == NOT_SHIPPED


def test_a_wheel_names_its_licence(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        metadata = wheel.read(f"{installed.metadata}/METADATA").decode()
        licence = wheel.read(f"{installed.metadata}/licenses/LICENSE").decode()
    assert "\nLicense-Expression: MIT\n" in metadata
    assert licence.startswith("MIT License")


def test_another_program_can_import_the_messages(installed: Installed) -> None:
    ran = installed.run(installed.python, "-c", USES_THE_MESSAGES)
    assert (ran.stdout, ran.stderr) == ("mute the volume\n[]\n", "")


def test_every_module_of_the_wheel_finds_what_it_imports(installed: Installed) -> None:
    ran = installed.run(installed.python, "-c", IMPORTS_EVERYTHING, json.dumps(EXTRAS))
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


@pytest.mark.parametrize("how", ["program", "module"])
def test_an_installed_behest_shows_its_help(installed: Installed, how: str) -> None:
    start = [installed.program] if how == "program" else [installed.python, "-m", "behest"]
    ran = installed.run(*start, "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "serve" in ran.stdout


def test_an_installed_daemon_understands_an_address(daemon: Daemon) -> None:
    events = daemon.connect().run("address", text="open example.invalid/path", mode="plan")
    (planned,) = [event for event in events if event["type"] == "planned"]
    assert events[-1]["status"] == "success", events[-1]
    assert "example.invalid/path" in str(planned)


def test_an_installed_daemon_carries_out_a_command(daemon: Daemon) -> None:
    finished = daemon.connect().run("file", text="write 'tea' to shopping.txt")[-1]
    assert finished["status"] == "success", finished
    assert (daemon.root / "shopping.txt").read_text().strip() == "tea"


def test_an_installed_daemon_says_of_itself_what_the_checkout_says(
    daemon: Daemon, tmp_path: Path
) -> None:
    checkout = launched(tmp_path, environment=SAME_ORDER)
    try:
        described = checkout.connect().ask(type="describe", id="d")
    finally:
        checkout.stop()
    assert daemon.connect().ask(type="describe", id="d") == described


# What the build changes in a source, and what it refuses


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("from tools import cli", "from behest.tools import cli"),
        (
            "from  actors.mailbox import (\n    a,\n)",
            "from  behest.actors.mailbox import (\n    a,\n)",
        ),
        ("import messages.wire as w, os", "import behest.messages.wire as w, os"),
        (
            "def f():\n    é = 1; from run import main",
            "def f():\n    é = 1; from behest.run import main",
        ),
        ("from .messages import wire", "from .messages import wire"),
        ("import toolshed\nfrom runs import x", "import toolshed\nfrom runs import x"),
        ("'from tools import cli'", "'from tools import cli'"),
        ("raise ValueError from messages", "raise ValueError from messages"),
    ],
)
def test_imports_from_the_parts_alone_are_rewritten(source: str, becomes: str) -> None:
    assert rewrite_imports(source.encode(), "a.py").decode() == becomes


@pytest.mark.parametrize(
    "source",
    [
        "import messages",
        "import os, tools.cli",
        "import_module('actors.mailbox')",
        "import_module(f'tools.browser.{name}')",
    ],
)
def test_a_part_named_in_a_way_that_cannot_be_moved_ends_the_build(source: str) -> None:
    with pytest.raises(Unmovable, match=r"a\.py:1"):
        rewrite_imports(source.encode(), "a.py")

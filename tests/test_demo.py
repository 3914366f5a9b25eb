"""The demo, as a new user runs it."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import PROJECT
from tools.browser.finding import is_found
from tools.settings import BrowserSettings


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder whose name leaves room for the names of a browser's sockets."""
    with tempfile.TemporaryDirectory(prefix="behest-") as name:
        yield Path(name)


@pytest.mark.skipif(not is_found(BrowserSettings()), reason="needs a browser")
def test_the_demo_ends_as_expected_and_leaves_one_picture_in_a_folder_of_its_own(
    short_path: Path,
) -> None:
    here, home, temporary = (short_path / name for name in ("here", "home", "t"))
    for folder in (here, home, temporary):
        folder.mkdir()
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}
    ran = subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "demo"],
        cwd=here,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "All as expected." in ran.stdout
    kept = re.search(r"The picture is kept: (.+)", ran.stdout)
    assert kept is not None
    left = [*here.rglob("*"), *temporary.rglob("*.png")]
    assert left == [Path(kept[1])]
    assert list(Path(kept[1]).parent.iterdir()) == left

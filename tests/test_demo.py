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


NEEDS_BROWSER = pytest.mark.skipif(not is_found(BrowserSettings()), reason="needs a browser")


def demo(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the demo as a new user does, in a home of its own."""
    for name in ("here", "home", "t"):
        (folder / name).mkdir()
    home, temporary = str(folder / "home"), str(folder / "t")
    return subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "demo", *arguments],
        cwd=folder / "here",
        env={"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": temporary},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


@NEEDS_BROWSER
def test_the_demo_tells_its_story_in_under_sixty_lines_and_leaves_nothing(short_path: Path) -> None:
    ran = demo(short_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "All as expected." in ran.stdout
    assert ran.stdout.count("\n") < 60
    assert "Which 'Add to cart' do you mean" in ran.stdout
    assert "said \"beside 'Evening basket'\"" in ran.stdout
    seen = re.findall(r"relation .* seen (.*)", ran.stdout)
    assert len(set(seen)) == len(seen) == 2, seen
    assert "there is 'Send order'" in ran.stdout
    assert not [*(short_path / "here").iterdir(), *(short_path / "t").iterdir()]


@NEEDS_BROWSER
def test_the_whole_demo_ends_as_expected_and_leaves_one_picture_in_a_folder_of_its_own(
    short_path: Path,
) -> None:
    ran = demo(short_path, "--all")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "All as expected." in ran.stdout
    kept = re.search(r"The picture is kept: (.+)", ran.stdout)
    assert kept is not None
    left = [*(short_path / "here").rglob("*"), *(short_path / "t").rglob("*.png")]
    assert left == [Path(kept[1])]
    assert list(Path(kept[1]).parent.iterdir()) == left

"""Doctor, through the command line: what works here, what to install, and nothing changed."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.daemon import PATIENCE, PROJECT, running_daemon


def doctor(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run doctor in a home of its own."""
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
    }
    return subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "doctor", *arguments],
        env={**surroundings, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def line(output: str, words: str) -> str:
    """Give the one line that speaks of something."""
    (found,) = [line for line in output.splitlines() if words in line]
    return found


def test_a_daemon_that_runs_is_found(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        ended = daemon.cli("doctor")
    assert ended.returncode == 0
    assert line(ended.stdout, "daemon at").startswith("ok")
    assert str(daemon.socket) in line(ended.stdout, "daemon at")


def test_a_daemon_that_does_not_run_is_no_fault_but_is_told_how_to_start(tmp_path: Path) -> None:
    ended = doctor(tmp_path)
    assert ended.returncode == 0
    assert line(ended.stdout, "daemon at").startswith("missing")
    assert "behest serve" in line(ended.stdout, "daemon at")


def test_what_is_not_installed_is_named_with_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    ended = doctor(tmp_path, environment={"PATH": str(tmp_path / "bin")})
    assert ended.returncode == 0
    assert line(ended.stdout, "audio.mute").startswith("missing")
    assert "pulseaudio-utils" in line(ended.stdout, "audio.mute")
    assert "browser" in line(ended.stdout, "desktop.open_address")
    assert "wmctrl" in line(ended.stdout, "apps.focus")
    assert line(ended.stdout, "files.create_folder").startswith("ok")


def test_what_is_installed_is_ok(tmp_path: Path) -> None:
    ended = doctor(tmp_path, environment={"BROWSER": "/bin/true"})
    assert line(ended.stdout, "audio.mute").startswith("ok")
    assert line(ended.stdout, "desktop.open_address").startswith("ok")
    assert line(ended.stdout, "system.time").startswith("ok")


def test_the_roots_of_the_settings_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    config = tmp_path / "b.toml"
    config.write_text(f"[roots]\nhere = '{tmp_path}/there'\ngone = '{tmp_path}/gone'\n")
    ended = doctor(tmp_path, "--config", str(config))
    assert line(ended.stdout, "root here").startswith("ok")
    assert line(ended.stdout, "root gone").startswith("missing")
    assert f"create {tmp_path}/gone" in line(ended.stdout, "root gone")


def test_looking_changes_nothing(tmp_path: Path) -> None:
    assert doctor(tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_bad_settings_are_bad_usage(tmp_path: Path) -> None:
    config = tmp_path / "b.toml"
    config.write_text("nonsense = 1")
    ended = doctor(tmp_path, "--config", str(config))
    assert ended.returncode == 2
    assert "nonsense" in ended.stderr
    assert ended.stdout == ""

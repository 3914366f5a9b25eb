"""Decisions that were recorded are made again, in other processes, and come out the same."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from actors.target_resolver.page import evidence
from run import decide_again
from tests.daemon import PROJECT, running_daemon
from tests.sessions import KEPT, in_a_world, on_files_and_pages
from tools.recordings import BadRecording, read_decisions
from tools.replaying import Change, compared


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Give files of decisions: on files, on pages, and in a text world."""
    folders = (
        on_files_and_pages(tmp_path_factory.mktemp("recorded")),
        in_a_world(tmp_path_factory.mktemp("played")),
    )
    return [path for folder in folders for path in sorted(folder.glob("*"))]


def replayed(files: list[Path], seed: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Replay files in a process of its own."""
    return subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "replay", *more, *map(str, files)],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("seed", ["1", "4711"])
def test_every_recorded_decision_comes_out_the_same_in_another_process(
    recorded: list[Path], seed: str
) -> None:
    done = replayed(recorded, seed, "--check")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert "all are the same" in done.stderr


def test_decisions_that_were_recorded_in_the_past_are_made_as_they_were() -> None:
    done = replayed(sorted(KEPT.glob("*.jsonl")), "1", "--diff")
    advice = "if it is meant to be so, record anew: python -m tests.sessions"
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{advice}"


def test_all_kinds_of_decisions_are_recorded(recorded: list[Path]) -> None:
    requests = [request for path in recorded for _, _, request, _ in read_decisions(path)]
    kinds = {type(request).__name__ for request in requests}
    assert kinds == {"Interpret", "MakePlans", "PlanReveal", "ReadChoice", "Resolve"}
    assert len(requests) > 100


def test_a_changed_weight_is_found_and_the_bindings_it_changes_are_named(
    recorded: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [path for path in recorded if "recorded" in str(path)]
    weights = evidence.weights()
    changed = replace(weights, which=[-each for each in weights.which])
    monkeypatch.setattr(evidence, "weights", lambda: changed)
    changes = [each for each in compared(files, decide_again) if isinstance(each, Change)]
    assert changes
    assert {each.kind for each in changes} == {"bound"}
    assert all(each.places and each.about for each in changes)
    monkeypatch.undo()
    assert [each for each in compared(files, decide_again) if each is not None] == []


def test_what_was_decided_otherwise_is_shown_before_and_after(
    recorded: list[Path], tmp_path: Path
) -> None:
    lines = recorded[0].read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if '"file.read"' in line or '"verb":"read"' in line)
    forged = tmp_path / "forged.jsonl"
    lines[at] = lines[at].replace('"verb":"read"', '"verb":"open"')
    forged.write_text("\n".join(lines) + "\n")
    done = replayed([forged], "1", "--diff")
    assert done.returncode == 1
    assert f"forged.jsonl:{at + 1}" in done.stdout
    assert '"open" -> "read"' in done.stdout
    as_data = [json.loads(line) for line in replayed([forged], "1", "--json").stdout.splitlines()]
    assert as_data
    assert {line["line"] for line in as_data} == {at + 1}


def test_nothing_that_speaks_of_a_secret_is_recorded(recorded: list[Path]) -> None:
    assert all("hunter2" not in path.read_text() for path in recorded)
    assert all(path.stat().st_mode & 0o077 == 0 for path in recorded)


def test_a_file_that_is_no_recording_is_refused_with_its_line(
    recorded: list[Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(recorded[0].read_text() + '{"type":"nothing"}\n')
    with pytest.raises(BadRecording, match=r"broken\.jsonl, line"):
        list(read_decisions(broken))
    done = replayed([broken], "1")
    assert (done.returncode, "line" in done.stderr) == (2, True)
    assert replayed([tmp_path / "none.jsonl"], "1").returncode == 2


def test_a_line_that_was_being_written_is_left_out(recorded: list[Path], tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(recorded[0].read_bytes()[:-20])
    assert list(read_decisions(torn))


def test_where_settings_want_none_nothing_is_recorded(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings="[replay]\nmegabytes = 0\n") as daemon:
        assert daemon.connect().run("a", text="what time is it")[-1]["status"] == "success"
    assert not (tmp_path / "state" / "decisions").exists()

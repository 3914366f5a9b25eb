"""What the journal tells of commands: which there were, and why they did what they did.

Everything is asked of a real daemon, and of another that comes after it.
"""

import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import PROJECT, Daemon, Event, Wire, running_daemon
from tests.terminal import at_terminal
from tools.history_view import moment

ASKING = '[approval]\nask = ["delete"]\n'
TIME = {"domain": "system", "verb": "get", "params": {"target": "time"}}


def said(wire: Wire, name: str, text: str, **more: object) -> Event:
    return wire.run(name, text=text, **more)[-1]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Give a daemon that knows some commands only from the one that was there before it."""
    folder = tmp_path_factory.mktemp("told")
    with running_daemon(folder, settings=ASKING) as before:
        wire = before.connect()
        said(wire, "made", "create a folder reports and inside it create summary.md")
        said(wire, "lost", "read sumary.md")
        said(wire, "merged", "open youtube and search nvidia", mode="plan")
        said(wire, "unheard", "frobnicate the wobble", session="other")
        for name in ("alpha.txt", "beta.txt"):
            (before.root / name).write_text(name)
        said(wire, "newest", "read the newest file")
        wire.run("goals", goals=[TIME])
        wire.submit("asked", text="delete the folder reports")
        wire.read_until(type="approval_needed")
        wire.send({"type": "approve", "id": "yes", "approval": "asked:a1", "allow": True})
        wire.read_until(type="finished")
        wire.send({"type": "undo", "id": "back", "command": "asked"})
        wire.read_until(type="finished")
    with running_daemon(folder, settings=ASKING) as after:
        yield after


def explained(daemon: Daemon, command: str) -> Event:
    reply = daemon.connect().ask(type="explain", id="why", command=command)
    assert reply["type"] == "explained", reply
    found: Event = reply["explanation"]
    return found


# Why


def test_each_goal_names_the_words_it_came_from_after_a_restart(told: Daemon) -> None:
    goals = explained(told, "made")["understood"]
    assert [(goal["words"], goal["span"]) for goal in goals] == [
        ("create a folder reports", [0, 23]),
        ("inside it create summary.md", [28, 55]),
    ]
    assert goals[1]["waits_for"] == ["g0"]


def test_goals_that_became_one_action_are_said_to_be_merged(told: Daemon) -> None:
    first, second = explained(told, "merged")["plans"]
    assert (first["merged"], second["merged"]) == (["g1"], ["g0"])
    assert first["actions"] == second["actions"]


def test_a_text_that_was_not_understood_is_told_with_what_would_have_worked(told: Daemon) -> None:
    why = explained(told, "unheard")
    assert (why["status"], why["code"]) == ("failed", "NOT_UNDERSTOOD")
    assert why["suggestions"]


def test_what_was_bound_is_told_with_its_runner_up_and_why_not_that(told: Daemon) -> None:
    (bound,) = explained(told, "newest")["bindings"]
    assert [each["name"] for each in bound["chosen"]] == ["beta.txt"]
    assert bound["runner_up"]["name"] == "alpha.txt"
    assert bound["why_not"]


def test_an_approval_is_told_with_who_ruled(told: Daemon) -> None:
    (approval,) = explained(told, "asked")["approvals"]
    assert (approval["kind"], approval["allowed"], approval["by"]) == ("delete", True, "person")


def test_an_undone_command_and_its_undo_name_each_other(told: Daemon) -> None:
    assert explained(told, "asked")["undone_by"] == "back"
    assert explained(told, "back")["undoes"] == "asked"


def test_effects_that_were_seen_are_told_with_their_facts(told: Daemon) -> None:
    first, _ = explained(told, "made")["actions"]
    assert (first["verified"], first["facts"], first["undoable"]) == (
        True,
        ["folder_created"],
        True,
    )


def test_the_times_of_the_stages_add_up_to_the_time_it_took(told: Daemon) -> None:
    why = explained(told, "made")
    stages = {each["stage"]: each["ms"] for each in why["times"]}
    assert {"understanding", "planning", "acting", "writing"} <= set(stages)
    took = (why["ended"] - why["accepted"]) * 1000
    assert sum(stages.values()) == pytest.approx(took, abs=2.0)


def test_a_command_of_goals_with_nothing_bound_has_no_records_of_its_own(told: Daemon) -> None:
    journal = told.home.parent / "state" / "journal.db"
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as connection:
        kept = {name for (name,) in connection.execute("SELECT command FROM records")}
    assert "goals" not in kept
    assert "made" in kept
    why = explained(told, "goals")
    assert (why["goals"], why["status"]) == (["system.get"], "success")


def test_without_an_id_the_last_command_is_explained(told: Daemon) -> None:
    reply = told.connect().ask(type="explain", id="why")
    assert reply["explanation"]["command"] == "back"


def test_a_command_that_nobody_knows_is_said_to_be_unknown(told: Daemon) -> None:
    reply = told.connect().ask(type="explain", id="why", command="nobody")
    assert (reply["type"], reply["code"], reply["id"]) == ("error", "UNKNOWN_COMMAND", "why")


def test_what_was_understood_outlives_a_daemon_that_was_killed(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        (daemon.root / "old.txt").write_text("old")
        wire = daemon.connect()
        wire.submit("dying", text="delete old.txt")
        wire.read_until(type="approval_needed")
        daemon.wait_for("approval.asked")
        journal = tmp_path / "state" / "journal.db"
        while not kept_of(journal, "dying"):
            wire.ask(type="status", id="s")  # what is asked is written with the next commit
        daemon.stop(signal.SIGKILL)
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        why = explained(daemon, "dying")
        assert why["understood"][0]["words"] == "delete old.txt"


def kept_of(journal: Path, command: str) -> list[Any]:
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT 1 FROM records WHERE command = ?", (command,)).fetchall()


def test_a_command_under_way_is_explained_as_far_as_it_came(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        (daemon.root / "old.txt").write_text("old")
        wire = daemon.connect()
        wire.submit("waiting", text="delete old.txt")
        wire.read_until(type="approval_needed")
        why = explained(daemon, "waiting")
        assert why["understood"][0]["words"] == "delete old.txt"
        assert "status" not in why
        assert "allowed" not in why["approvals"][0]


# Which


def history(daemon: Daemon, **wanted: object) -> list[str]:
    reply = daemon.connect().ask(type="history", id="which", **wanted)
    assert reply["type"] == "histories", reply
    return [each["command"] for each in reply["commands"]]


ALL = ["back", "asked", "goals", "newest", "unheard", "merged", "lost", "made"]


def test_history_is_newest_first_and_across_restarts(told: Daemon) -> None:
    assert history(told) == ALL


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"search": "FROBNICATE"}, ["unheard"]),
        ({"search": "system"}, ["goals"]),
        ({"search": "100%_"}, []),
        ({"session": "other"}, ["unheard"]),
        ({"status": "failed"}, ["unheard", "lost"]),
        ({"status": "running"}, []),
        ({"until": 1.0}, []),
        ({"since": 1.0, "limit": 2}, ["back", "asked"]),
    ],
)
def test_history_gives_only_what_is_wanted(
    told: Daemon, wanted: Mapping[str, object], found: list[str]
) -> None:
    assert history(told, **wanted) == found


def test_pages_of_history_join_to_all_of_it(told: Daemon) -> None:
    wire, found, cursor = told.connect(), list[str](), None
    while True:
        reply = wire.ask(type="history", id="which", limit=3, before=cursor)
        found += [each["command"] for each in reply["commands"]]
        cursor = reply["next"]
        if cursor is None:
            break
    assert found == ALL


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"status": "failed", "session": "other"}, ["unheard"]),
        ({"status": "failed", "session": "other", "search": "read"}, []),
        ({"status": "failed", "search": "read", "since": 1.0}, ["lost"]),
        ({"status": "success", "search": "SUMMARY", "until": 1.0}, []),
        ({"status": "success", "search": "SUMMARY", "since": 1.0, "limit": 1}, ["made"]),
    ],
)
def test_filters_of_history_hold_together(
    told: Daemon, wanted: Mapping[str, object], found: list[str]
) -> None:
    assert history(told, **wanted) == found


def test_commands_that_come_between_pages_neither_repeat_nor_hide_any(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        before = [f"c{number}" for number in range(9)]
        for name in before:
            wire.run(name, goals=[TIME])
        found, cursor = list[str](), None
        for number in range(20):
            reply = wire.ask(type="history", id="which", limit=2, before=cursor)
            found += [each["command"] for each in reply["commands"]]
            cursor = reply["next"]
            if cursor is None:
                break
            wire.run(f"new{number}", goals=[TIME])
        assert found == before[::-1]


def test_a_cursor_that_is_none_is_refused(told: Daemon) -> None:
    for cursor in ("x", "9" * 30, "1; DROP TABLE commands"):
        reply = told.connect().ask(type="history", id="which", before=cursor)
        assert (reply["type"], reply["code"]) == ("error", "BAD_REQUEST")


def test_a_row_of_history_tells_what_can_be_undone_and_what_was(told: Daemon) -> None:
    reply = told.connect().ask(type="history", id="which")
    rows = {each["command"]: each for each in reply["commands"]}
    assert (rows["made"]["actions"], rows["made"]["undoable"]) == (2, True)
    assert (rows["asked"]["undoable"], rows["asked"]["undone_by"]) == (False, "back")
    assert (rows["lost"]["code"], rows["lost"]["undoable"]) == ("TARGET_NOT_FOUND", False)
    assert (rows["merged"]["mode"], rows["merged"]["actions"]) == ("plan", 0)
    assert rows["goals"]["goals"] == ["system.get"]


def test_times_are_read_as_people_say_them() -> None:
    now = 1_795_000_000.0
    assert moment("90m", now) == now - 5_400
    assert moment("2d", now) == now - 172_800
    assert moment("2026-11-19", now) < moment("2026-11-19 12:00", now)
    with pytest.raises(ValueError, match="is no time"):
        moment("yesteryear", now)


@pytest.mark.parametrize("said", ["99999999999999w", f"{'9' * 5_000}d", "0001-01-01", ""])
def test_a_time_that_nobody_can_reckon_with_is_refused_with_the_reason(said: str) -> None:
    with pytest.raises(ValueError, match=r"is no time|is too long ago"):
        moment(said, 1_795_000_000.0)


# The command line


def test_history_is_a_line_for_each_command_and_json_on_request(told: Daemon) -> None:
    shown = told.cli("history", "--limit", "3")
    assert shown.returncode == 0
    assert "read the newest file" not in shown.stdout
    assert "delete the folder reports" in shown.stdout
    assert "--before" in shown.stdout
    lines = told.cli("history", "--json", "--status", "failed").stdout.splitlines()
    assert [json.loads(line)["command"] for line in lines] == ["unheard", "lost"]
    assert told.cli("history", "--since", "yesteryear").returncode == 2
    assert told.cli("history", "--since", "99999999999999w").returncode == 2
    refused = told.cli("history", "--status", "succes")
    assert refused.returncode == 2
    assert "did you mean `success`? allowed: queued, running, success, partial" in refused.stderr


def test_a_plan_is_shown_as_planned_and_not_as_done(told: Daemon) -> None:
    (row,) = [
        each
        for each in told.cli("history").stdout.splitlines()
        if "open youtube and search nvidia" in each
    ]
    assert "→" in row
    assert "✓" not in row
    assert "planned, nothing was done" in told.cli("history").stdout


def test_status_at_a_terminal_names_the_thing_that_waits_for_approval(told: Daemon) -> None:
    (told.root / "waits.txt").write_text("waits")
    assert told.cli("send", "--id", "waits", "--session", "w", "delete waits.txt").returncode == 3
    with at_terminal(told, "status", "waits") as terminal:
        assert terminal.end() == 0
    assert f"waits for approval, about to delete: {told.root}/waits.txt" in terminal.shown
    assert "behest approve waits:a1" in terminal.shown
    assert told.cli("cancel", "waits").returncode == 0


def test_the_run_of_a_recipe_is_told_by_its_name(told: Daemon) -> None:
    assert told.cli("run", "usual", "order", "basket=Morning").returncode == 1  # it was not taught
    assert "run usual order" in told.cli("history", "--limit", "1").stdout


@pytest.mark.parametrize("command", ["status", "cancel"])
def test_at_a_terminal_an_unknown_command_is_a_sentence(told: Daemon, command: str) -> None:
    with at_terminal(told, command, "nope") as terminal:
        assert terminal.end() == 1
    assert terminal.shown.startswith("behest: UNKNOWN_COMMAND: no command 'nope' is known")


def test_status_and_watch_are_for_people_on_a_terminal_and_json_elsewhere(told: Daemon) -> None:
    assert json.loads(told.cli("status").stdout)["health"]["pid"] == told.process.pid
    with at_terminal(told, "status") as terminal:
        terminal.wait_for(f"(pid {told.process.pid})")
    with at_terminal(told, "status", "--json") as terminal:
        terminal.wait_for('"health": {')
    with at_terminal(told, "watch", "--since", "0", "daemon.") as terminal:
        terminal.wait_for("daemon.ready")
        assert '"event"' not in terminal.shown
        terminal.interrupt()


OBEYED = "\x1b[2J\x9b2J\x1b]0;mine\x07"


def test_nothing_in_a_name_is_obeyed_by_a_terminal(tmp_path: Path) -> None:
    name = f"a{OBEYED}b"
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        (daemon.root / f"{name}.txt").write_text("x")
        wire = daemon.connect()
        wire.submit(name, text="delete the newest file", session=name)
        wire.read_until(type="approval_needed")
        shown = [
            daemon.cli(*words).stdout
            for words in (
                ("explain", name),
                ("explain", "--json"),
                ("history",),
                ("history", "--json"),
            )
        ]
        for words in (("status", name), ("status",)):
            with at_terminal(daemon, *words) as terminal:
                terminal.wait_for("behest approve")
                shown.append(terminal.shown)
        with at_terminal(daemon, "watch", "--since", "0", "approval.") as terminal:
            terminal.wait_for("approval.asked")
            shown.append(terminal.shown)
            terminal.interrupt()
        assert not any(sign in text for text in shown for sign in ("\x1b[2J", "\x9b", "\x07"))


# Flags and the end


def test_a_flag_allows_what_waits_for_approval_and_is_written_down_as_one(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        (daemon.root / "old.txt").write_text("old")
        ran = daemon.cli("send", "--yes", "--id", "flagged", "delete old.txt")
        assert ran.returncode == 0, ran.stderr
        assert not (daemon.root / "old.txt").exists()
        (approval,) = explained(daemon, "flagged")["approvals"]
        assert (approval["allowed"], approval["by"]) == (True, "flag")
    with sqlite3.connect(tmp_path / "state" / "journal.db") as connection:
        entries = [json.loads(body) for (body,) in connection.execute("SELECT body FROM entries")]
    assert [each["by"] for each in entries if each["kind"] == "ruled"] == ["flag"]


def test_a_flag_answers_no_question(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--world", "manor")) as daemon:
        ran = daemon.cli("send", "--yes", "take the envelope")
        assert ran.returncode == 3
        assert "answer with" in ran.stderr


def test_a_flag_is_no_other_person_where_others_must_approve(tmp_path: Path) -> None:
    settings = '[approval]\nask = ["delete"]\nby = "others"\n'
    with running_daemon(tmp_path, settings=settings) as daemon:
        (daemon.root / "old.txt").write_text("old")
        ran = daemon.cli("send", "--yes", "delete old.txt")
        assert ran.returncode != 0
        assert (daemon.root / "old.txt").exists()


def test_stop_ends_the_daemon_as_a_signal_does(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        assert daemon.cli("stop").returncode == 0
        assert daemon.process.wait(30) == 0
        assert {"daemon.stopping", "daemon.stopped"} <= {
            each["event"] for each in ended_log(daemon)
        }


def ended_log(daemon: Daemon) -> list[Event]:
    daemon.stop()
    return daemon.log()


def test_nobody_stops_the_daemon_over_tcp(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--tcp", "127.0.0.1:0")) as daemon:
        address = daemon.wait_for("door.opened")["tcp"]
        key = ("--token-file", str(tmp_path / "state" / "token"))
        ran = subprocess.run(
            [sys.executable, str(PROJECT / "run.py"), "stop", *("--tcp", address), *key],
            env=daemon.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 1
        assert json.loads(ran.stdout)["code"] == "NOT_ALLOWED"
        assert daemon.connect().ask(type="status", id="s")["health"]["pid"] == daemon.process.pid


def test_what_a_goal_gave_is_told_and_a_secret_is_not(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        (daemon.root / "note.txt").write_text("milk and bread")
        wire = daemon.connect()
        said(wire, "read", "read note.txt")
        said(wire, "hidden", 'write "my password is hunter2!" to secret.txt')
        assert "milk and bread" in explained(daemon, "read")["understood"][0]["gave"]
        assert "hunter2" not in json.dumps(explained(daemon, "hidden"))
        assert "  gave: {" in daemon.cli("explain", "read").stdout

"""The command line, as people and scripts use it: what it prints, and with what it exits."""

import errno
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import run
from tests.daemon import PATIENCE, PROJECT, Daemon, Event
from tests.gate import Gate, gated_daemon

TIME = {"domain": "system", "verb": "get", "params": {"target": "time"}}
UNKNOWN = {"domain": "audio", "verb": "sing"}
COMMANDS = ("serve", "send", "status", "cancel", "watch", "describe", "doctor", "demo")


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Gate]]:
    with gated_daemon(tmp_path_factory.mktemp("cli")) as started:
        yield started


@pytest.fixture
def daemon(gated: tuple[Daemon, Gate]) -> Daemon:
    return gated[0]


def started(daemon: Daemon, *arguments: str) -> subprocess.Popen[str]:
    """Start a client that is not waited for."""
    return subprocess.Popen(
        [sys.executable, str(PROJECT / "run.py"), *arguments],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        stdout=subprocess.PIPE,
        text=True,
    )


# Send, for a program


def test_send_json_prints_the_events_as_they_are_on_the_wire(daemon: Daemon) -> None:
    sent = daemon.cli("send", "--json", "--id", "json", "what time is it")
    events = [json.loads(line) for line in sent.stdout.splitlines()]
    assert sent.returncode == 0
    assert [event["type"] for event in events] == [
        *("accepted", "interpreted", "planned", "action_started", "action_finished", "finished"),
    ]
    assert {event["command"] for event in events} == {"json"}


@pytest.mark.parametrize("turned", ["\u202e", "\u2066", "\u200f", "\u061c", "\x9b"])
def test_json_has_nothing_that_turns_what_a_terminal_shows(daemon: Daemon, turned: str) -> None:
    sent = daemon.cli("send", "--json", "--plan", f'create a folder "a{turned}b"')
    assert turned not in sent.stdout
    interpreted = json.loads(sent.stdout.splitlines()[1])
    assert interpreted["meta"]["goals"][0]["params"]["name"] == f"a{turned}b"


def test_send_takes_goals_instead_of_words(daemon: Daemon) -> None:
    sent = daemon.cli("send", "--json", "--goals", json.dumps([TIME, TIME]))
    assert sent.returncode == 0
    assert len(json.loads(sent.stdout.splitlines()[-1])["results"]) == 2


def test_send_exits_1_when_the_command_failed(daemon: Daemon) -> None:
    assert daemon.cli("send", "frobnicate the sprockets").returncode == 1


def test_allow_partial_does_what_can_be_done_and_exits_1(daemon: Daemon) -> None:
    sent = daemon.cli("send", "--json", "--allow-partial", "--goals", json.dumps([UNKNOWN, TIME]))
    finished = json.loads(sent.stdout.splitlines()[-1])
    assert (sent.returncode, finished["status"]) == (1, "partial")
    assert [result["status"] for result in finished["results"]] == ["rule_not_found", "success"]


def test_the_same_id_twice_runs_once(daemon: Daemon) -> None:
    (daemon.root / "log.txt").write_text("")
    append = {"domain": "file", "verb": "append", "params": {"name": "log.txt", "content": "x"}}
    for _ in range(2):
        assert daemon.cli("send", "--id", "once", "--goals", json.dumps([append])).returncode == 0
    assert (daemon.root / "log.txt").read_text().count("x") == 1


def test_an_interrupted_send_cancels_its_command(gated: tuple[Daemon, Gate]) -> None:
    daemon, _ = gated
    with started(daemon, "send", "--json", "--id", "interrupted", "mute the volume") as client:
        assert client.stdout is not None
        while "action_started" not in client.stdout.readline():
            assert client.poll() is None
        client.send_signal(signal.SIGINT)
        finished = json.loads(client.stdout.readlines()[-1])
    assert (finished["type"], finished["status"]) == ("finished", "cancelled")
    assert client.returncode == 1


# Send, for a person


def test_send_shows_plain_lines_where_there_is_no_terminal(daemon: Daemon) -> None:
    sent = daemon.cli("send", "create a folder plain and inside it create lines.md")
    assert sent.returncode == 0
    assert "\x1b" not in sent.stdout
    lines = sent.stdout.splitlines()
    assert any(line.startswith("✓ g0 file.create") for line in lines)
    assert any(line.startswith("  ✓ g1 file.create") for line in lines)


def test_send_draws_a_live_tree_on_a_terminal(daemon: Daemon) -> None:
    shown = on_terminal(daemon, "send", "create a folder live and inside it create tree.md")
    up = "\x1b[2A\x1b[J"  # over the two lines of the tree drawn before
    assert shown.count(up) >= 4
    last = shown.rpartition(up)[2].splitlines()
    assert "✓" in last[0]
    assert "g0 file.create" in last[0]
    assert last[1].startswith("  ")
    assert "✓" in last[1]
    assert "g1 file.create" in last[1]
    assert "…" in shown


def on_terminal(daemon: Daemon, *arguments: str) -> str:
    """Run the command line on a pseudo terminal and give all it wrote there."""
    master, slave = pty.openpty()
    client = subprocess.Popen(
        [sys.executable, str(PROJECT / "run.py"), *arguments],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        stdout=slave,
    )
    os.close(slave)
    written = b"".join(iter(lambda: read_terminal(master), b""))
    os.close(master)
    assert client.wait(PATIENCE) == 0
    return written.decode()


def read_terminal(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError as error:
        if error.errno != errno.EIO:  # how Linux says that the other side has gone
            raise
        return b""


def test_send_tells_a_person_why_a_command_failed(daemon: Daemon) -> None:
    sent = daemon.cli("send", "--goals", json.dumps([UNKNOWN, TIME]))
    assert sent.returncode == 1
    assert "✗ g0 audio.sing" in sent.stdout
    assert "RULE_NOT_FOUND" in sent.stdout
    assert "– g1 system.get" in sent.stdout


def test_send_offers_phrasings_for_what_was_not_understood(daemon: Daemon) -> None:
    sent = daemon.cli("send", "unmoot the volume")
    assert "NOT_UNDERSTOOD" in sent.stdout
    assert "try: unmute the volume" in sent.stdout


@pytest.mark.parametrize("words", ["hi", "why", "   ", "Good morning!"])
def test_who_asks_for_nothing_is_told_what_behest_is(daemon: Daemon, words: str) -> None:
    sent = daemon.cli("send", words)
    assert sent.returncode == 1
    first, *tips = sent.stdout.splitlines()
    assert first.startswith("Behest carries out chores")
    assert len(tips) == 3
    for tip in tips:
        assert daemon.cli("send", "--plan", tip.removeprefix("  try: ")).returncode == 0


def test_help_offers_only_what_something_here_achieves(daemon: Daemon) -> None:
    described = daemon.connect().ask(type="describe", id="d")
    achieved = {each for tool in described["capabilities"] for each in tool["can_achieve"]}
    absent = {
        goal.partition(".")[0]: rule["achieves"]
        for goal, rule in described["rules"].items()
        if "{" not in rule["achieves"] and rule["achieves"] not in achieved
    }
    assert "media_play" not in achieved
    assert "media" in absent
    told = daemon.cli("send", "what can you do?").stdout
    assert "    file: " in told
    assert "media: " not in told


# Send --plan


def test_plan_shows_the_tree_and_changes_nothing_on_disk(daemon: Daemon) -> None:
    before = sorted(daemon.root.rglob("*"))
    sent = daemon.cli("send", "--plan", "create a folder dry and inside it create run.md")
    assert sent.returncode == 0
    assert "→ g0 file.create object_type=folder name=dry" in sent.stdout
    assert "  → g1 file.create object_type=file name=run.md" in sent.stdout
    assert sorted(daemon.root.rglob("*")) == before


def test_plan_as_json_carries_the_graph(daemon: Daemon) -> None:
    sent = daemon.cli("send", "--plan", "--json", "create a folder dry")
    events = [json.loads(line) for line in sent.stdout.splitlines()]
    (planned,) = [event for event in events if event["type"] == "planned"]
    assert list(planned["graph"]["nodes"]) == ["g0_create_1"]
    assert planned["layers"] == [["g0"]]


# The other commands


def answer(ran: subprocess.CompletedProcess[str]) -> Event:
    decoded: Event = json.loads(ran.stdout)
    return decoded


def test_status_shows_the_daemon(daemon: Daemon) -> None:
    ran = daemon.cli("status")
    assert ran.returncode == 0
    assert answer(ran)["health"]["pid"] == daemon.process.pid


def test_status_shows_a_command(daemon: Daemon) -> None:
    daemon.connect().run("asked for", goals=[TIME])
    ran = daemon.cli("status", "asked for")
    assert (ran.returncode, answer(ran)["status"]) == (0, "success")


@pytest.mark.parametrize("command", ["status", "cancel"])
def test_a_command_that_nobody_knows_exits_1(daemon: Daemon, command: str) -> None:
    ran = daemon.cli(command, "never heard of")
    assert (ran.returncode, answer(ran)["code"]) == (1, "UNKNOWN_COMMAND")


def test_cancel_stops_a_running_command(daemon: Daemon) -> None:
    client = daemon.connect()
    client.submit("stopped", goals=[{"domain": "audio", "verb": "mute"}])
    client.read_until(type="action_started")
    ran = daemon.cli("cancel", "stopped")
    assert ran.returncode == 0
    assert (answer(ran)["type"], answer(ran)["status"]) == ("finished", "cancelled")


def test_describe_prints_schema_rules_and_capabilities(daemon: Daemon) -> None:
    ran = daemon.cli("describe")
    assert ran.returncode == 0
    assert {"schema", "rules", "engines", "capabilities", "version"} <= set(answer(ran))


def test_watch_prints_the_trace_from_a_record_on_until_interrupted(daemon: Daemon) -> None:
    with started(daemon, "watch", "--since", "0", "daemon.", "command.") as watching:
        assert watching.stdout is not None
        first = json.loads(watching.stdout.readline())
        assert (first["event"], first["seq"]) == ("daemon.ready", 1)
        daemon.connect().run("watched", goals=[TIME])
        records = iter(watching.stdout.readline, "")
        seen = next(record for record in map(json.loads, records) if is_end_of(record, "watched"))
        assert seen["status"] == "success"
        watching.send_signal(signal.SIGINT)
    assert watching.returncode == 0


def is_end_of(record: Event, command: str) -> bool:
    return (record["event"], record["command_id"]) == ("command.finished", command)


def test_a_reader_that_leaves_early_costs_no_traceback(daemon: Daemon) -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "describe"],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )
    os.close(write)
    assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "arguments",
    [("status",), ("history",), ("explain", "--json"), ("describe",), ("phrases",)],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize(
    ("output", "told"),
    [(">&-", "standard output is closed"), (">/dev/full", "cannot write the output: No space")],
    ids=["closed", "full"],
)
def test_an_output_that_takes_nothing_is_one_complaint_and_exits_1(
    daemon: Daemon, arguments: tuple[str, ...], output: str, told: str
) -> None:
    assert daemon.cli("send", "what time is it").returncode == 0
    command = [sys.executable, str(PROJECT / "run.py"), *arguments]
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {output}', "sh", *command],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ran.returncode, len(ran.stderr.splitlines())) == (1, 1)
    assert ran.stderr.startswith(f"behest: {told}")


# Wrong use


@pytest.mark.parametrize(
    "arguments",
    [
        ("send",),
        ("send", "--goals", "not json"),
        ("send", "--goals", "[]"),
        ("send", "--goals", '[{"domain": "file"}]'),
        ("send", "--goals", "[]", "words too"),
        ("send", "--id", "x" * 201, "what time is it"),
    ],
    ids=["nothing to do", "bad json", "no goals", "bad goal", "goals and words", "long id"],
)
def test_a_submission_that_makes_no_sense_exits_2(
    daemon: Daemon, arguments: tuple[str, ...]
) -> None:
    ran = daemon.cli(*arguments)
    assert ran.returncode == 2
    assert ran.stderr.startswith("behest: ")
    assert ran.stdout == ""


@pytest.mark.parametrize("arguments", [(), ("shout",), ("send", "--loud", "x"), ("cancel",)])
def test_a_command_line_that_is_none_exits_2(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        run.main(arguments)
    assert exited.value.code == 2
    assert "usage: behest" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        run.main([command, "--help"])
    assert exited.value.code == 0
    assert f"usage: behest {command}" in capsys.readouterr().out


def test_the_help_of_run_is_one_usage_line_that_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["run", "--help"])
    assert "NAME [KEY=VALUE ...]" in " ".join(capsys.readouterr().out.split())


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["--help"])
    told = capsys.readouterr().out
    assert all(f"\n    {command}" in told for command in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [("send", "what time is it"), ("status",), ("watch",), ("describe",), ("cancel", "x")],
    ids=lambda arguments: arguments[0],
)
def test_without_a_daemon_a_client_exits_2_and_says_what_to_do(
    tmp_path: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.sock"
    assert run.main([arguments[0], "--socket", str(missing), *arguments[1:]]) == 2
    complaint = capsys.readouterr().err
    assert str(missing) in complaint
    assert "behest serve" in complaint
    assert "--socket PATH or BEHEST_SOCKET=PATH" in complaint


def test_replay_says_which_folder_it_looks_in_if_only_a_socket_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BEHEST_SOCKET", str(tmp_path / "s"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert run.main(["replay"]) == 2
    first = capsys.readouterr().err.splitlines()[0]
    assert str(tmp_path / "behest") in first
    assert "BEHEST_STATE=DIR" in first


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("[limits]\ndeadline = 'soon'\n", "`limits.deadline` must be a number, not a text"),
        ("colour = 'red'\n", "colour"),
        ("[engines.x]\nsearch = 'https://x.test/'\n", "{query}"),
        ("[limits\n", ""),
    ],
    ids=["wrong type", "unknown field", "bad template", "no toml"],
)
def test_settings_that_cannot_be_used_exit_2_and_name_file_and_field(
    tmp_path: Path, settings: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "behest.toml"
    config.write_text(settings)
    assert run.main(["serve", "--config", str(config), "--state", str(tmp_path / "state")]) == 2
    complaint = capsys.readouterr().err
    assert str(config) in complaint
    assert told in complaint


def test_a_settings_file_that_is_not_there_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.toml"
    assert run.main(["serve", "--config", str(missing)]) == 2
    assert str(missing) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("srve",), "unknown command `srve`; did you mean `serve`? allowed: serve, send, "),
        (("Doctor",), "unknown command `Doctor`; did you mean `doctor`? allowed: "),
        (("xyzzy",), "unknown command `xyzzy`; allowed: serve, "),
        (
            ("serve", "--sokcet", "/s"),
            "unknown flag `--sokcet`; did you mean `--socket`? allowed: ",
        ),
        (("serve", "--roots=a=/b"), "unknown flag `--roots`; did you mean `--root`? allowed: "),
        (("send", "--jsn", "hello"), "unknown flag `--jsn`; did you mean `--json`? allowed: "),
        (("status", "--everything"), "unknown flag `--everything`; allowed: --socket, --tcp, "),
    ],
)
def test_an_unknown_flag_or_command_is_told_what_is_near_and_what_is_allowed(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run.main(list(arguments))
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_root_without_a_name_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["serve", "--state", str(tmp_path / "state"), "--root", str(tmp_path)]) == 2
    assert "NAME=DIR" in capsys.readouterr().err

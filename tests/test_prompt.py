"""``send`` without words: a prompt on a real terminal, and sentences from a pipe."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import PATIENCE, PROJECT, Daemon, running_daemon
from tests.gate import Gate, gated_daemon
from tests.terminal import CLEAR, END, PREVIOUS, TAB, Terminal, at_terminal
from tools.prompting import KEPT_CHARACTERS, KEPT_LINES, History

MANOR = 'world = "manor"\n'
PROMPT = "> "


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Gate]]:
    with gated_daemon(tmp_path_factory.mktemp("prompt"), settings=MANOR) as started:
        yield started


@pytest.fixture
def daemon(gated: tuple[Daemon, Gate]) -> Daemon:
    return gated[0]


@pytest.fixture
def state(tmp_path: Path) -> dict[str, str]:
    return {"BEHEST_STATE": str(tmp_path / "state")}


def leave(terminal: Terminal) -> int:
    """Type the end of the input at a prompt that is there."""
    terminal.type(END)
    return terminal.end()


# The prompt


def test_a_prompt_says_which_session_it_is_for_and_ctrl_d_leaves(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", "--session", "mine", environment=state) as terminal:
        assert "session mine" in terminal.wait_for("leaves.")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


@pytest.mark.parametrize("word", ["exit", "Quit"])
def test_a_word_leaves_the_prompt_too(daemon: Daemon, state: dict[str, str], word: str) -> None:
    with at_terminal(daemon, "send", environment=state) as terminal:
        terminal.wait_for(PROMPT)
        terminal.say(word)
        assert terminal.end() == 0


def test_sentences_are_carried_out_in_the_session_one_after_another(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", "--session", "typed", environment=state) as terminal:
        for name in ("first", "second"):
            terminal.wait_for(f"\n{PROMPT}")
            terminal.say(f"create a folder {name}")
            terminal.wait_for("created: yes")
            assert (daemon.root / name).is_dir()
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0
    assert daemon.wait_for("command.accepted", session="typed")


def test_a_sentence_that_fails_leaves_the_prompt_standing(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("unmoot the volume")
        terminal.wait_for("try: unmute the volume")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


def test_a_question_is_answered_in_place(daemon: Daemon, state: dict[str, str]) -> None:
    with at_terminal(daemon, "send", "--session", "asked", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("examine the envelope")
        terminal.wait_for("which one (1-2)? ")
        terminal.say("the blue one")
        terminal.wait_for("violets")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


def test_a_question_may_be_left_open_without_leaving_the_prompt(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", "--session", "open", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("examine the envelope")
        terminal.wait_for("which one (1-2)? ")
        terminal.type(END)
        terminal.wait_for("behest answer")
        terminal.say("look")
        terminal.wait_for("Hall")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


def test_an_interrupt_stops_the_command_and_not_the_prompt(
    gated: tuple[Daemon, Gate], state: dict[str, str]
) -> None:
    daemon, _ = gated
    with at_terminal(daemon, "send", "--session", "stopped", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("mute the volume")
        terminal.wait_for("…")
        terminal.interrupt()
        terminal.wait_for("CANCELLED")
        terminal.wait_for(PROMPT)
        terminal.say("what time is it")
        terminal.wait_for("    time: ")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


def test_an_interrupt_at_a_question_stops_the_command_that_asks(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", "--session", "unasked", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("examine the envelope")
        terminal.wait_for("which one (1-2)? ")
        terminal.interrupt()
        terminal.wait_for("CANCELLED")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


def test_an_interrupt_at_the_prompt_clears_the_line(daemon: Daemon, state: dict[str, str]) -> None:
    with at_terminal(daemon, "send", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.type("create a folder unwanted")
        terminal.wait_for("unwanted")
        terminal.interrupt()
        terminal.wait_for(PROMPT)
        terminal.say("what time is it")
        terminal.wait_for("    time: ")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0
    assert not (daemon.root / "unwanted").exists()


def test_at_a_prompt_for_plans_nothing_is_done(daemon: Daemon, state: dict[str, str]) -> None:
    with at_terminal(daemon, "send", "--plan", environment=state) as terminal:
        assert "nothing is done" in terminal.wait_for("plan> ")
        terminal.say("create a folder imagined")
        terminal.wait_for("would do: create:folder:")
        terminal.wait_for("plan> ")
        assert leave(terminal) == 0
    assert not (daemon.root / "imagined").exists()


def test_help_shows_sentences_that_the_daemon_understands(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("help")
        shown = terminal.wait_for("Several at once").splitlines()[1:-1]
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0
    assert any(line.strip().startswith("browser") for line in shown)
    column = next(line.index("create a folder") for line in shown if "create a folder" in line)
    said = [line[column:] for line in shown]
    assert "create a folder reports" in said
    assert said.pop().startswith("look, inventory, examine")
    client = daemon.connect()
    for number, text in enumerate(said):
        *_, finished = client.run(f"help{number}", text=text, mode="plan")
        assert finished["code"] != "NOT_UNDERSTOOD", text


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("upl", "upload "), ("loca", "locate "), ("invent", "inventory "), ("pick u", "pick up ")],
    ids=["verb", "alias", "of the world", "two words"],
)
def test_tab_completes_verbs_and_aliases(
    daemon: Daemon, state: dict[str, str], typed: str, completed: str
) -> None:
    with at_terminal(daemon, "send", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.type(f"{typed}{TAB}'")
        terminal.wait_for(f"{completed}'")
        terminal.type(CLEAR)
        assert leave(terminal) == 0


# What was typed before


def test_what_was_typed_can_be_called_back_in_the_next_run(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", "--plan", environment=state) as terminal:
        terminal.wait_for("plan> ")
        terminal.say("create a folder remembered")
        terminal.wait_for("would do")
        terminal.wait_for("plan> ")
        leave(terminal)
    with at_terminal(daemon, "send", "--plan", environment=state) as terminal:
        terminal.wait_for("plan> ")
        terminal.type(PREVIOUS)
        terminal.wait_for("create a folder remembered")
        terminal.type("\n")
        terminal.wait_for("would do")
        terminal.wait_for("plan> ")
        assert leave(terminal) == 0


def test_the_history_is_its_owners_alone_and_holds_no_answers(
    daemon: Daemon, state: dict[str, str]
) -> None:
    with at_terminal(daemon, "send", "--session", "kept", environment=state) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("examine the envelope")
        terminal.wait_for("which one (1-2)? ")
        terminal.say("the green one")
        terminal.wait_for("✓")
        terminal.wait_for(f"\n{PROMPT}")
        terminal.type(PREVIOUS)
        assert "green" not in terminal.wait_for("examine the envelope")
        terminal.type(CLEAR)
        leave(terminal)
    kept = Path(state["BEHEST_STATE"]) / "sentences"
    assert kept.read_text() == "examine the envelope\n"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_history_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "sentences"
    path.touch(mode=0o644)
    History(path).add("look")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_history_keeps_the_latest_lines_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "sentences"
    path.write_text("".join(f"line {number}\n" for number in range(3 * KEPT_LINES)))
    history = History(path)
    history.load()
    assert len(path.read_text().splitlines()) == KEPT_LINES
    for number in range(2 * KEPT_LINES):
        history.add(f"more {number}")
    lines = path.read_text().splitlines()
    assert lines[-1] == f"more {2 * KEPT_LINES - 1}"
    assert len(lines) <= 2 * KEPT_LINES


@pytest.mark.parametrize("line", ["x" * (KEPT_CHARACTERS + 1), "a\x1b[2J", "a\udcff", "same"])
def test_a_history_has_no_use_for_repetitions_bulk_or_what_is_no_text(
    tmp_path: Path, line: str
) -> None:
    history = History(tmp_path / "sentences")
    history.add("same")
    history.add(line)
    assert history.path.read_text() == "same\n"


def test_two_prompts_keep_each_others_lines(tmp_path: Path) -> None:
    one, other = History(tmp_path / "sentences"), History(tmp_path / "sentences")
    one.add("look")
    other.add("take the note")
    one.add("drop it")
    assert one.path.read_text().splitlines() == ["look", "take the note", "drop it"]


def test_a_history_that_cannot_be_kept_keeps_nobody_from_typing(
    daemon: Daemon, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    nowhere = {"BEHEST_STATE": str(tmp_path / "file" / "state")}
    with at_terminal(daemon, "send", environment=nowhere) as terminal:
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("what time is it")
        terminal.wait_for("    time: ")
        terminal.wait_for(PROMPT)
        assert leave(terminal) == 0


# A daemon that is not there


def test_without_a_daemon_there_is_no_prompt_but_a_reason(
    daemon: Daemon, state: dict[str, str], tmp_path: Path
) -> None:
    missing = str(tmp_path / "missing.sock")
    with at_terminal(daemon, "send", "--socket", missing, environment=state) as terminal:
        assert terminal.end() == 2
    assert "no daemon at" in terminal.shown
    assert PROMPT not in terminal.shown


def test_a_daemon_that_has_gone_ends_the_prompt_with_a_reason(
    tmp_path: Path, state: dict[str, str]
) -> None:
    with (
        running_daemon(tmp_path) as mortal,
        at_terminal(mortal, "send", environment=state) as terminal,
    ):
        terminal.wait_for(f"\n{PROMPT}")
        mortal.stop()
        terminal.say("what time is it")
        terminal.wait_for("behest: no daemon at")
        assert terminal.end() == 2


def test_a_daemon_that_dies_in_the_middle_of_a_command_ends_the_prompt_with_a_reason(
    tmp_path: Path, state: dict[str, str]
) -> None:
    with (
        gated_daemon(tmp_path) as (mortal, _),
        at_terminal(mortal, "send", environment=state) as terminal,
    ):
        terminal.wait_for(f"\n{PROMPT}")
        terminal.say("mute the volume")
        terminal.wait_for("…")
        mortal.stop(signal.SIGKILL)
        terminal.wait_for("behest: the daemon hung up")
        assert terminal.end() == 2


# Sentences from a pipe


def piped(daemon: Daemon, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return daemon.cli("send", *arguments, input=text)


def test_sentences_of_a_pipe_are_carried_out_in_order(daemon: Daemon) -> None:
    sent = piped(daemon, 'write "one" to row.txt\n\nappend "two" to row.txt\nread row.txt\n')
    assert (sent.returncode, sent.stderr) == (0, "")
    assert PROMPT not in sent.stdout
    written = (daemon.root / "row.txt").read_text()
    assert 0 <= written.find("one") < written.find("two")


@pytest.mark.parametrize(
    ("sentences", "code"),
    [
        ("look\nwhat time is it", 0),
        ("frobnicate\nlook", 1),
        ("examine the envelope\nfrobnicate", 3),
    ],
    ids=["success", "failure", "question"],
)
def test_the_worst_sentence_of_a_pipe_gives_the_exit_code(
    daemon: Daemon, sentences: str, code: int
) -> None:
    assert piped(daemon, sentences, "--session", "worst").returncode == code


def test_a_sentence_that_fails_keeps_no_later_one_from_being_carried_out(daemon: Daemon) -> None:
    assert piped(daemon, "frobnicate\ncreate a folder later\n").returncode == 1
    assert (daemon.root / "later").is_dir()


def test_a_line_that_is_no_text_is_refused_and_the_others_are_carried_out(daemon: Daemon) -> None:
    ran = subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "send"],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        input=b"create a folder \xff\ncreate a folder legible\n",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 2
    assert b"not text in UTF-8" in ran.stderr
    assert (daemon.root / "legible").is_dir()


def test_plans_of_a_pipe_change_nothing(daemon: Daemon) -> None:
    sent = piped(daemon, "create a folder unreal\nlook\n", "--plan")
    assert sent.returncode == 0
    assert sent.stdout.count("→ g0") == 2
    assert not (daemon.root / "unreal").exists()


def test_a_pipe_with_json_gives_the_events_of_every_sentence(daemon: Daemon) -> None:
    sent = piped(daemon, "look\nwhat time is it\n", "--json")
    events = [json.loads(line) for line in sent.stdout.splitlines()]
    assert [event["type"] for event in events].count("finished") == 2


def test_an_id_cannot_name_the_sentences_of_a_pipe(daemon: Daemon) -> None:
    sent = piped(daemon, "create a folder numbered\n", "--id", "numbered")
    assert (sent.returncode, sent.stdout) == (2, "")
    assert not (daemon.root / "numbered").exists()


def test_an_interrupt_stops_the_sentence_that_runs_and_all_after_it(
    gated: tuple[Daemon, Gate],
) -> None:
    daemon, _ = gated
    with subprocess.Popen(
        [sys.executable, str(PROJECT / "run.py"), "send", "--session", "cut"],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write("mute the volume\ncreate a folder cut\n")
        client.stdin.flush()
        assert client.stdout.readline().startswith("…")
        client.send_signal(signal.SIGINT)
        shown, complaint = client.communicate(timeout=PATIENCE)
    assert "CANCELLED" in shown
    assert (client.returncode, complaint) == (1, "")
    assert not (daemon.root / "cut").exists()


def test_a_closed_input_is_nothing_to_do(daemon: Daemon) -> None:
    ran = subprocess.run(
        ["sh", "-c", 'exec "$0" "$1" send <&-', sys.executable, str(PROJECT / "run.py")],
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("behest: say what is to be done")


def test_a_pipe_without_a_daemon_exits_2(daemon: Daemon, tmp_path: Path) -> None:
    sent = piped(daemon, "look\n", "--socket", os.fspath(tmp_path / "missing.sock"))
    assert sent.returncode == 2
    assert "no daemon at" in sent.stderr

"""The journal: nothing is promised before it is on disk, and nothing on disk is forgotten."""

import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import msgspec
import pytest

from messages import journaling, wire
from messages.commanding import Admit
from messages.executing import Done, Outcome
from messages.journaling import (
    End,
    Ended,
    Intent,
    Keep,
    Kept,
    Note,
    NotTaken,
    Recall,
    Stopped,
    Stories,
    Take,
    Taken,
    TakenBefore,
    Told,
)
from messages.plans import PlannedAction
from messages.results import ActionResult, GoalResult
from tests.daemon import PROJECT, Daemon, Event, launched, running_daemon
from tests.gate import gated_daemon
from tests.keeping import (
    ImpatientJournal,
    journal_file,
    keeper,
    look,
    slow_journal,
    stories,
)
from tests.parts import MUTE, TIME, Args, Gate, Listener, clock, command, house, mute
from tools.journal import MIGRATIONS, BadJournal, JournalFile, Keeping, migrate, opened

GET_TIME = [{"domain": "system", "verb": "get", "params": {"target": "time"}}]
ODD_IDS = (
    "it's",
    'say "no"',
    "two\nlines\r\n",
    '{"type": "submit", "id": "x"}',
    '["$[0]"]',
    "'); DROP TABLE commands; --",
    "back\\slash \\u0000",
    "%s ? :id @id",
    " ",
    "naïve ☃ \U0001f600",
    "x" * 200,
    "a:q1",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("journal")) as running:
        yield running


def journal_of(daemon: Daemon) -> Path:
    return daemon.home.parent / "state" / "journal.db"


def submit(name: str, session: str = "default") -> wire.Submit:
    return wire.Submit(name, goals=(TIME,), session=session)


def finished(name: str, output: str = "") -> wire.Finished:
    return wire.Finished(name, "success", (GoalResult("g0", "success", output=output),))


ACTION = PlannedAction("g0_mute_1", "g0", "audio_control", "mute", {}, "actuate", "mute", "muted")


# Nothing is said before it is on disk


async def test_a_command_is_accepted_only_once_it_is_on_disk(tmp_path: Path) -> None:
    heard = Listener()
    with slow_journal(tmp_path / "journal.db") as store:
        async with house(clock(), journal=store) as actors, anyio.create_task_group() as tasks:
            actors.parts.gateway.switchboard.attach("c1", heard)
            tasks.start_soon(actors.orchestrator.ask, Admit(command(TIME).submit))
            await store.gate.reached()
            await anyio.wait_all_tasks_blocked()
            assert heard.events == []
            store.gate.let_through()
            assert (await heard.first(wire.Accepted)).command == "c1"


async def test_the_end_is_told_only_once_it_is_on_disk(tmp_path: Path) -> None:
    gate = Gate()
    with slow_journal(tmp_path / "journal.db") as store:
        async with house(clock(gate), journal=store) as actors:
            store.gate.let_through()
            heard = await actors.submit("c1", TIME)
            await store.gate.reached()
            await gate.somebody()
            gate.open()
            await store.gate.reached()
            await anyio.wait_all_tasks_blocked()
            assert heard.all(wire.ActionFinished)
            assert not heard.all(wire.Finished)
            store.gate.let_through()
            assert (await heard.finished()).status == "success"


async def test_nothing_happens_before_the_intent_is_on_disk(tmp_path: Path) -> None:
    tool = mute()
    with slow_journal(tmp_path / "journal.db") as store:
        async with house(tool, journal=store) as actors:
            store.gate.let_through()
            heard = await actors.submit("c1", MUTE)
            await store.gate.reached()
            await store.gate.reached()
            await anyio.wait_all_tasks_blocked()
            assert tool.calls == []
            store.gate.let_through(10)
            assert (await heard.finished()).status == "success"
    entries = stories(tmp_path / "journal.db")["c1"].entries
    assert [type(each).__name__ for each in entries] == ["Laid", "Intent", "Outcome"]
    assert len(tool.calls) == 1


async def test_what_comes_during_a_sync_shares_the_next_one(tmp_path: Path) -> None:
    replies: list[object] = []
    with slow_journal(tmp_path / "journal.db") as store:
        async with keeper(store) as journal, anyio.create_task_group() as tasks:

            async def take(number: int) -> None:
                name = f"c{number}"
                reply = await journal.ask(Take(name, submit(name)), within=20)
                replies.append(reply)

            tasks.start_soon(take, 0)
            await store.gate.reached()
            for number in range(1, 100):
                tasks.start_soon(take, number)
            await anyio.wait_all_tasks_blocked()
            assert replies == []
            store.gate.let_through(2)
        assert store.gate.commits == 2
    assert [str(reply) for reply in replies] == [str(Taken(f"c{each}")) for each in range(100)]


@dataclass
class Calls:
    """What a program asked of the system, in order: what it read and sent, and what was synced."""

    seen: list[str] = field(default_factory=list)
    _waiting: dict[str, str] = field(default_factory=dict)

    def read(self, trace: str) -> list[str]:
        for line in trace.splitlines():
            thread, _, call = line.partition(" ")
            if call.rstrip().endswith("<unfinished ...>"):
                self._waiting[thread] = call
                continue
            if resumed := re.search(r"<\.\.\. \w+ resumed>(.*)", call):
                call = self._waiting.pop(thread, "") + resumed[1]
            self.note(call)
        return self.seen

    def note(self, call: str) -> None:
        if "sync(" in call and "journal.db-wal" in call and call.endswith("= 0"):
            self.seen.append("synced")
        for word in ("submit", "accepted", "finished"):
            if f'\\"type\\":\\"{word}\\"' in call.replace(": ", ":"):
                self.seen.append(word)


@contextmanager
def traced(daemon: Daemon, output: Path) -> Iterator[None]:
    """Have the system calls of a daemon written down."""
    calls = "trace=fdatasync,fsync,sendto,sendmsg,write,recvfrom,recvmsg,read"
    options = ["-f", "-y", "-s", "65536", "-o", str(output), "-e", calls]
    tracer = subprocess.Popen(
        ["strace", *options, "-p", str(daemon.process.pid)], stderr=subprocess.PIPE
    )
    assert tracer.stderr is not None
    try:
        if b"attached" not in (first := tracer.stderr.readline()):
            pytest.skip(f"strace is not allowed here: {first.decode()}")
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.communicate(timeout=20)


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_the_disk_has_it_before_the_client_is_told(shared: Daemon, tmp_path: Path) -> None:
    client, trace = shared.connect(), tmp_path / "calls"
    client.run("untraced", goals=GET_TIME)
    with traced(shared, trace):
        client.run("traced", goals=GET_TIME)
    calls = Calls().read(trace.read_text())
    order = [call for at, call in enumerate(calls) if call != "synced" or calls[at - 1] != call]
    # The loop may come to send the first word only after the second sync: then both stand before.
    late = ["submit", "synced", "accepted", "finished"]
    assert order == ["submit", "synced", "accepted", "synced", "finished"] or (
        order == late and calls.count("synced") == 2  # one for each of the two commits
    )


# What is on disk


def test_rows_are_json_of_our_own_types_for_our_own_eyes(shared: Daemon) -> None:
    (shared.root / "old.txt").write_text("old")
    client = shared.connect()
    text = "create a folder reports and inside it create a file a.txt"
    client.run("c1", text=text)
    client.run("c2", text="delete old.txt")
    client.run("c3", goals=GET_TIME)
    path = journal_of(shared)
    for file in path.parent.glob("journal.db*"):
        assert file.stat().st_mode & 0o777 == 0o600
    told = stories(path)
    kinds = [type(entry).__name__ for entry in told["c1"].entries]
    assert kinds == ["Laid", "Intent", "Outcome", "Intent", "Outcome"]
    assert [type(entry).__name__ for entry in told["c2"].entries] == kinds[:3]
    assert told["c3"].entries == ()
    assert told["c1"].submit == wire.Submit("c1", text)
    assert all(story.finished is not None for story in told.values())
    assert look(path, "SELECT DISTINCT typeof(body) FROM entries") == [("text",)]


async def test_text_that_is_no_unicode_is_kept_as_far_as_it_is(tmp_path: Path) -> None:
    broken = "caf\udce9"
    with journal_file(tmp_path / "journal.db") as store:
        async with keeper(store) as journal:
            await journal.ask(Take("c1", submit("c1")))
            result = ActionResult("g0_mute_1", "success", output={broken: [broken]})
            assert await journal.ask(Keep("c1", journaling.Outcome(result))) == Kept()
            await journal.ask(End("c1", finished("c1", broken)))
            (story,) = (await journal.ask(Recall("c1"))).stories
    (outcome,) = story.entries
    assert isinstance(outcome, journaling.Outcome)
    assert outcome.result.output == {"caf?": ["caf?"]}
    assert story.finished == finished("c1", "caf?")


async def test_an_output_that_is_no_unicode_harms_no_command(tmp_path: Path) -> None:
    async def odd(_args: Args) -> Outcome:
        return Done("caf\udce9")

    with journal_file(tmp_path / "journal.db") as store:
        async with house(clock(odd), mute(), journal=store) as actors:
            heard = await actors.submit("c1", TIME)
            assert (await heard.finished()).results[0].output == "caf?"
            assert (await (await actors.run("c2", MUTE)).finished()).status == "success"


async def test_an_odd_id_is_an_id_like_any_other(tmp_path: Path) -> None:
    with journal_file(tmp_path / "journal.db") as store:
        async with keeper(store) as journal:
            for name in ODD_IDS:
                assert await journal.ask(Take(name, submit(name, name))) == Taken(name)
                await journal.ask(Keep(name, Told("", name, name)))
            for name in ODD_IDS:
                assert await journal.ask(End(name, finished(name))) == Ended(name, finished(name))
                (story,) = (await journal.ask(Recall(name))).stories
                assert story.submit.id == name
                assert story.entries == (Told("", name, name),)
                assert await journal.ask(Take(name, submit(name))) == TakenBefore(
                    name, finished(name)
                )
    assert len(look(tmp_path / "journal.db", "SELECT id FROM commands")) == len(ODD_IDS)


def test_odd_ids_run_once_also_after_a_restart(tmp_path: Path) -> None:
    goal = {"domain": "file", "verb": "append", "params": {"name": "ledger", "content": "x"}}
    ends: dict[str, Event] = {}
    with running_daemon(tmp_path) as daemon:
        (daemon.root / "ledger").touch()
        client = daemon.connect()
        for name in ODD_IDS:
            ends[name] = client.run(name, goals=[goal], session=name)[-1]
            assert ends[name]["status"] == "success"
    with running_daemon(tmp_path) as daemon:
        client = daemon.connect()
        for name in ODD_IDS:
            state, end = client.run(name, goals=[goal], session=name)
            assert (state["type"], state["command"], end) == ("state", name, ends[name])
        assert (daemon.root / "ledger").read_text().count("x") == len(ODD_IDS)


@pytest.mark.parametrize("name", ["", "x" * 201, "a\0b", "\0"])
def test_what_cannot_be_an_id_is_refused_by_name(shared: Daemon, name: str) -> None:
    reply = shared.connect().ask(type="submit", id=name, goals=GET_TIME)
    assert (reply["type"], reply["code"], reply["path"]) == ("error", "BAD_REQUEST", "$.id")


def test_an_id_that_ended_long_ago_gets_the_end_of_the_first(shared: Daemon) -> None:
    client = shared.connect()
    first = client.run("first", goals=GET_TIME)[-1]
    for batch in range(3):
        for number in range(400):
            client.submit(f"c{batch}-{number}", goals=GET_TIME, session=f"s{number}")
        for _ in range(400):
            client.read_until(type="finished")
    state = client.ask(type="status", id="s", command="first")
    assert (state["status"], client.read()) == ("success", first)  # it is in memory no more
    state, end = client.run("first", goals=GET_TIME)
    assert (state["status"], end) == ("success", first)


# What is kept, and for how long


async def fill(path: Path, count: int, output: str = "") -> None:
    """Keep commands with an entry each, the last of them without an end."""
    with journal_file(path) as store:
        async with keeper(store) as journal:
            for number in range(count):
                name = f"c{number}"
                await journal.tell(Take(name, submit(name)))
                await journal.tell(Note(name, Told("", "words", number)))
                if number < count - 1:
                    await journal.tell(End(name, finished(name, output)))
            await journal.ask(Recall("c0"), within=20)


async def tidied(path: Path, keeping: Keeping) -> set[str]:
    """Let a journal be tidied; name the commands that are left, which have their entries."""
    with journal_file(path, keeping) as store:
        async with keeper(store) as journal:
            while not store.tidy:
                await journal.ask(Recall("c0"), within=20)
    left = {name for (name,) in look(path, "SELECT id FROM commands")}
    assert left == {name for (name,) in look(path, "SELECT command FROM entries")}
    return left


async def test_what_ended_long_ago_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path, 6)
    long_ago = "UPDATE commands SET ended_at = ended_at - 7 * 86400 WHERE id IN ('c1', 'c3')"
    look(path, long_ago)
    assert await tidied(path, Keeping(days=8)) == {f"c{number}" for number in range(6)}
    assert await tidied(path, Keeping(days=6)) == {"c0", "c2", "c4", "c5"}


async def test_what_has_not_ended_is_never_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path, 6)
    look(path, "UPDATE commands SET taken_at = 0")
    assert await tidied(path, Keeping(days=0, megabytes=0)) == {"c5"}


async def test_of_a_large_journal_the_oldest_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path, 701, "x" * 2_000)
    before = path.stat().st_size
    left = await tidied(path, Keeping(megabytes=0.9))
    assert left == {f"c{number}" for number in range(701 - len(left), 701)}
    assert 100 < len(left) < 500
    assert path.stat().st_size < before


async def test_a_large_journal_is_tidied_though_the_clock_was_set_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path, 6)
    look(path, "UPDATE commands SET ended_at = ended_at + 365 * 86400 WHERE ended_at IS NOT NULL")
    assert await tidied(path, Keeping(megabytes=0)) == {"c5"}


async def test_what_is_too_long_for_one_text_is_written_row_by_row(tmp_path: Path) -> None:
    with journal_file(tmp_path / "journal.db") as store:
        store._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)  # noqa: SLF001 - as if 1 GB
        async with keeper(store) as journal:
            names = [f"c{number}" for number in range(10)]
            for name in names:
                assert await journal.ask(Take(name, submit(name))) == Taken(name)
            ends = [
                End(name, wire.Finished(name, "failed", message="x" * 50_000)) for name in names
            ]
            async with anyio.create_task_group() as tasks:
                for end in ends:
                    tasks.start_soon(journal.ask, end)
            assert await journal.ask(Take("later", submit("later"))) == Taken("later")
    assert all(
        story.finished is not None
        for name, story in stories(tmp_path / "journal.db").items()
        if name != "later"
    )


async def test_a_forgotten_command_takes_what_it_meant_with_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path, 3)
    await tidied(path, Keeping(days=0))
    with journal_file(path) as store:
        async with keeper(store) as journal:
            assert await journal.ask(Recall("c0")) == Stories((), "c0")
            assert await journal.ask(Take("c0", submit("c0"))) == Taken("c0")


# Schemas


def refused_start(folder: Path) -> str:
    """Start a daemon that must not start; give what it says."""
    command = [sys.executable, str(PROJECT / "run.py"), "serve"]
    command += ["--socket", str(folder / "s.sock"), "--state", str(folder / "state")]
    (folder / "work").mkdir()
    command += ["--root", f"work={folder / 'work'}"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 1
    return ended.stderr


def state_folder(folder: Path) -> Path:
    (folder / "state").mkdir()
    return folder / "state" / "journal.db"


def test_a_journal_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = state_folder(tmp_path)
    look(path, "CREATE TABLE commands (id)")
    look(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    complaint = refused_start(tmp_path)
    assert "later version of Behest (schema 99); update Behest" in complaint
    assert str(path) in complaint
    assert path.read_bytes() == before


@pytest.mark.parametrize("size", [1, 100, 5_000])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path, size: int) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"important" * size)
    with pytest.raises(BadJournal, match=r"journal\.db cannot be used: file is not a database"):
        opened(path)
    assert path.read_bytes() == b"important" * size
    assert [file.name for file in path.parent.iterdir()] == ["journal.db"]


PAGE = 4096


def cut_short(data: bytes) -> bytes:
    return data[: len(data) // 2]


def emptied(data: bytes) -> bytes:
    return data[:PAGE] + bytes(len(data) - PAGE)


def garbled(data: bytes) -> bytes:
    return data[: 2 * PAGE] + b"\xff" * (len(data) - 2 * PAGE)


def foreign(data: bytes) -> bytes:
    return b"important" * len(data)


DAMAGES: tuple[Callable[[bytes], bytes], ...] = (cut_short, emptied, garbled, foreign)


@pytest.mark.parametrize("damage", DAMAGES)
async def test_of_a_journal_that_is_damaged_it_is_said_what_to_do(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = state_folder(tmp_path)
    await fill(path, 20)
    path.write_bytes(damage(path.read_bytes()))
    before = path.read_bytes()
    complaint = refused_start(tmp_path)
    assert "Traceback" not in complaint
    assert f"{path} cannot be used: " in complaint
    assert f"move {path} away, with {path.name}-wal and {path.name}-shm" in complaint
    assert "would run again" in complaint
    assert "cannot be undone" in complaint
    assert path.read_bytes() == before


def damage_table(path: Path, table: str) -> None:
    """Spoil the page that a table begins with."""
    ((page,),) = look(path, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table)
    data = bytearray(path.read_bytes())
    data[(page - 1) * PAGE : page * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)


@pytest.mark.parametrize("table", ["commands", "entries"])
async def test_damage_to_what_is_under_way_is_noticed_before_anything_is_served(
    tmp_path: Path, table: str
) -> None:
    path = state_folder(tmp_path)
    with journal_file(path) as store:
        async with keeper(store) as journal:
            await journal.ask(Take("c1", submit("c1")))
            await journal.ask(Keep("c1", Stopped()))
    damage_table(path, table)
    with pytest.raises(BadJournal, match=r"move .* away"):
        opened(path)


async def test_damage_that_shows_later_refuses_commands_and_says_what_to_do(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    with journal_file(path) as store:
        async with keeper(store) as journal:
            await journal.ask(Take("c1", submit("c1")))
            await journal.ask(End("c1", finished("c1")))
    damage_table(path, "sqlite_autoindex_commands_1")
    with journal_file(path) as store:
        async with keeper(store) as journal:
            refused = await journal.ask(Take("c99", submit("c99")))
    assert isinstance(refused, NotTaken)
    assert f"move {path} away" in refused.reason


def test_a_folder_in_the_place_of_the_journal_is_named(tmp_path: Path) -> None:
    state_folder(tmp_path).mkdir()
    assert "journal.db cannot be used: unable to open database file" in refused_start(tmp_path)


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(BadJournal, match=r"state/journal\.db cannot be used"):
        opened(tmp_path / "state" / "journal.db")


def test_a_state_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    assert str(tmp_path / "state") in refused_start(tmp_path)


@pytest.mark.parametrize("before", ["no file", "an empty file", "an empty database"])
async def test_an_earlier_journal_is_brought_up_to_date(tmp_path: Path, before: str) -> None:
    path = tmp_path / "journal.db"
    if before == "an empty file":
        path.touch()
    if before == "an empty database":
        look(path, "PRAGMA application_id = 7")
    with journal_file(path) as store:
        async with keeper(store) as journal:
            assert await journal.ask(Take("c1", submit("c1"))) == Taken("c1")
    assert look(path, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert list(stories(path)) == ["c1"]


async def test_what_a_journal_of_the_first_version_holds_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        migrate(connection, 0, MIGRATIONS[:1])
    take = "INSERT INTO commands (id, session, taken_at, submit) VALUES ('c1', 's', 0, ?)"
    look(path, take, msgspec.json.encode(submit("c1")).decode())
    with journal_file(path) as store:
        async with keeper(store) as journal:
            await journal.ask(Take("u", submit("u"), undoes="c1"))
            told = (await journal.ask(Recall())).stories
    assert [(story.submit.id, story.undoes) for story in told] == [("c1", ""), ("u", "c1")]


# When the disk fails


def journal_health(daemon: Daemon) -> Event:
    health: Event = daemon.connect().ask(type="status", id="s")["health"]["journal"]
    return health


def test_the_status_tells_how_the_journal_does(shared: Daemon) -> None:
    shared.connect().run("healthy", goals=GET_TIME)
    health = journal_health(shared)
    assert (health["ok"], health["waiting"], health["reason"]) == (True, 0, None)
    assert health["bytes"] > 0


@contextmanager
def full_disk(daemon: Daemon) -> Iterator[None]:
    """Let no file of a daemon grow."""
    pid, limit = daemon.process.pid, resource.RLIMIT_FSIZE
    before = resource.prlimit(pid, limit, (1, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.prlimit(pid, limit, before)


def test_a_command_of_which_an_entry_cannot_be_read_is_in_doubt_and_told(tmp_path: Path) -> None:
    with gated_daemon(tmp_path) as (daemon, _):
        daemon.connect().submit("c1", text="mute the volume")
        daemon.wait_for("action.started")
        daemon.process.kill()
        daemon.process.wait()
    path = tmp_path / "state" / "journal.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE entries SET body = json_set(body, '$.of_another_version', 1)")
    with running_daemon(tmp_path) as daemon:
        client = daemon.connect()
        known, end = client.run("c1", text="mute the volume")
        assert (end["status"], end["code"]) == ("in_doubt", "CRASHED")
        del known


def test_what_only_the_journal_knows_can_be_asked_for(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        done = daemon.connect().run("done", goals=GET_TIME)[-1]
    with running_daemon(tmp_path) as daemon:
        client = daemon.connect()
        state = client.ask(type="status", id="s", command="done")
        assert (state["status"], state["results"]) == ("success", done["results"])
        assert client.read() == done
        client.send({"type": "cancel", "id": "k", "command": "done"})
        assert client.read_until(type="finished")[-1] == done
        client.send({"type": "status", "id": "s", "command": "never"})
        assert client.read_until(type="error")[-1]["code"] == "UNKNOWN_COMMAND"


def test_a_cancelled_command_that_was_never_taken_leaves_nothing_for_the_next_of_its_id(
    shared: Daemon,
) -> None:
    client = shared.connect()
    with full_disk(shared):
        client.submit("again", goals=GET_TIME)
        client.send({"type": "cancel", "id": "k", "command": "again"})
        assert client.read_until(type="error")[-1]["code"] == "NOT_DURABLE"
    client.run("again", goals=GET_TIME)
    entries = stories(journal_of(shared))["again"].entries
    assert not any(isinstance(entry, Stopped) for entry in entries)


def test_with_a_full_disk_nothing_new_is_taken_until_there_is_room(shared: Daemon) -> None:
    client = shared.connect()
    assert client.run("before", goals=GET_TIME)[-1]["status"] == "success"
    with full_disk(shared):
        refused = client.ask(type="submit", id="full", goals=GET_TIME)
        assert (refused["type"], refused["code"], refused["id"]) == ("error", "NOT_DURABLE", "full")
        health = journal_health(shared)
        assert not health["ok"]
        assert health["reason"] in refused["message"]
        known, end = client.run("before", goals=GET_TIME)
        assert (known["type"], end["status"]) == ("state", "success")
    assert "full" not in stories(journal_of(shared))
    assert client.run("full", goals=GET_TIME)[-1]["status"] == "success"
    assert journal_health(shared)["ok"]
    assert "full" in stories(journal_of(shared))


def test_reading_does_not_mend_a_full_disk(shared: Daemon) -> None:
    client = shared.connect()
    client.run("read", goals=GET_TIME)
    with full_disk(shared):
        client.ask(type="submit", id="unread", goals=GET_TIME)
        unknown = client.ask(type="undo", id="u", command="never")
        assert unknown["code"] == "UNKNOWN_COMMAND"  # read from the journal
        assert not journal_health(shared)["ok"]


def test_what_ended_while_the_disk_was_full_is_told_when_there_is_room(tmp_path: Path) -> None:
    with gated_daemon(tmp_path) as (daemon, gate):
        client = daemon.connect()
        client.submit("c1", text="mute the volume")
        daemon.wait_for("action.started")
        with full_disk(daemon):
            gate.let_one_pass()
            assert client.read_until(type="action_finished")[-1]["status"] == "success"
            while not (health := journal_health(daemon))["waiting"]:
                pass
            assert not health["ok"]
        assert client.read_until(type="finished")[-1]["status"] == "success"
        story = stories(tmp_path / "state" / "journal.db")["c1"]
        assert [type(each).__name__ for each in story.entries] == ["Laid", "Intent", "Outcome"]


def test_a_journal_that_was_removed_takes_nothing_more(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        client = daemon.connect()
        client.run("c1", goals=GET_TIME)
        (tmp_path / "state" / "journal.db").unlink()
        refused = client.ask(type="submit", id="c2", goals=GET_TIME)
        assert (refused["code"], refused["id"]) == ("NOT_DURABLE", "c2")
        assert "was removed" in refused["message"]
        assert not journal_health(daemon)["ok"]
    with running_daemon(tmp_path) as daemon:
        assert daemon.connect().run("c2", goals=GET_TIME)[-1]["status"] == "success"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Use a journal as another program that lets nobody else write."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


def test_while_another_uses_the_journal_a_command_waits(shared: Daemon) -> None:
    client = shared.connect()
    client.run("free", goals=GET_TIME)
    with locked(journal_of(shared)):
        client.submit("locked", goals=GET_TIME)
        assert client.ask(type="status", id="s")["type"] == "state"  # it is not accepted yet
    events = client.read_until(type="finished", command="locked")
    assert (events[0]["type"], events[-1]["status"]) == ("accepted", "success")


async def test_a_command_that_waited_too_long_is_refused_and_can_come_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with journal_file(path, kind=ImpatientJournal) as store:
        async with keeper(store) as journal:
            with locked(path):
                refused = await journal.ask(Take("c1", submit("c1")))
                assert isinstance(refused, NotTaken)
                assert "locked" in refused.reason
                assert store.health().reason == "database is locked"
            assert await journal.ask(Take("c1", submit("c1"))) == Taken("c1")
            assert store.health().ok


async def test_what_could_not_be_written_yet_is_part_of_what_is_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with journal_file(path, kind=ImpatientJournal) as store:
        async with keeper(store) as journal:
            await journal.ask(Take("c1", submit("c1")))
            await journal.ask(Take("c2", submit("c2")))
            with locked(path), anyio.CancelScope() as scope:
                async with anyio.create_task_group() as tasks:
                    await journal.tell(Note("c1", Told("", "words", 1)))
                    tasks.start_soon(journal.ask, End("c2", finished("c2")))
                    await anyio.wait_all_tasks_blocked()
                    (story,) = (await journal.ask(Recall())).stories
                    assert (story.submit.id, story.entries) == ("c1", (Told("", "words", 1),))
                    (ended,) = (await journal.ask(Recall("c2"))).stories
                    assert ended.finished == finished("c2")
                    scope.cancel()


async def test_an_end_that_cannot_be_read_costs_nobody_else_anything(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path, 2)
    look(path, "UPDATE commands SET finished = '{}' WHERE id = 'c0'")
    with journal_file(path) as store:
        async with keeper(store) as journal:
            refused = await journal.ask(Take("c0", submit("c0")))
            assert isinstance(refused, NotTaken)
            assert "cannot be read" in refused.reason
            assert (await journal.ask(Recall("c0"))).unreadable
            assert await journal.ask(Take("c9", submit("c9"))) == Taken("c9")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_journal_whose_thread_broke_says_so(tmp_path: Path) -> None:
    with journal_file(tmp_path / "journal.db") as store:
        nonsense = Keep("c1", Intent(ACTION, {"x": object()}))  # type: ignore[dict-item]
        store.put(nonsense, None)
        store.close()
        with pytest.raises(RuntimeError, match="has ended"):
            store.put(Recall(), None)


def test_two_daemons_do_not_share_a_journal(shared: Daemon) -> None:
    with pytest.raises(EOFError):
        launched(shared.home.parent)
    assert shared.connect().run("alone", goals=GET_TIME)[-1]["status"] == "success"


def test_a_journal_in_memory_needs_no_file() -> None:
    store = JournalFile(None, lambda *_: None)
    assert store.health().ok
    store.close()

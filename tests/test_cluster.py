"""Several processes on a bus: the same commands, whatever dies; ``make scale`` has more of it."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import msgspec
import pytest

from actors.cluster.brain import Intake, Mouth
from actors.mailbox import Mailbox
from messages import commanding
from messages.cluster import VERSION
from messages.goals import GoalDraft
from messages.journaling import End, Note, Recall, Stopped, Stories, Take, Taken, TakenBefore
from messages.wire import Finished, Submit
from run import open_journal
from tests.cluster import Cluster, running_cluster, until
from tests.daemon import Event, Wire
from tests.pages import PageServer
from tests.scale.kills import Fault, killed, under_faults
from tests.scale.load import Load
from tests.scale.rolling import rolling_restart
from tools.bus.sqlite import SqliteBus
from tools.shard_journal import Overtaken, ShardJournal

BUSES = {"embedded": 0, "one server": 1}
TIME: list[Event] = [{"domain": "system", "verb": "get", "params": {"target": "time"}}]


def say(wire: Wire, number: int, text: str) -> Event:
    """Send a sentence and give its end."""
    return wire.run(f"say-{number}", text=text)[-1]


# The same commands on both adapters


@pytest.mark.parametrize("servers", BUSES.values(), ids=BUSES.keys())
def test_files_are_worked_with_over_a_bus(tmp_path: Path, servers: int) -> None:
    with running_cluster(tmp_path / "c", servers=servers) as cluster:
        cluster.start("all", "one")
        wire = cluster.connect("one")
        sentences = (
            "create a folder trips and inside it create a file rome.txt",
            'write "see the forum" to trips/rome.txt',
            "read trips/rome.txt",
            "undo",
            "delete trips/rome.txt",
        )
        ends = [say(wire, number, text) for number, text in enumerate(sentences)]
        assert [end["status"] for end in ends] == ["success"] * len(sentences), ends
        assert "see the forum" in str(ends[2]["results"])
        assert not (cluster.root / "trips" / "rome.txt").exists()
        refused = say(wire, 9, "read trips/romw.txt")
        assert (refused["status"], refused["code"]) == ("failed", "TARGET_NOT_FOUND")
    assert cluster.errors() == ""


@pytest.mark.parametrize("servers", BUSES.values(), ids=BUSES.keys())
def test_a_text_world_is_played_over_a_bus(tmp_path: Path, servers: int) -> None:
    with running_cluster(tmp_path / "c", servers=servers) as cluster:
        cluster.start("all", "one", arguments=("--world", "manor"))
        wire = cluster.connect("one")
        wire.submit("asks", text="take the envelope")
        question = wire.read_until(type="question")[-1]
        wire.send({"type": "answer", "id": "a", "question": question["question"], "choice": 1})
        assert wire.read_until(type="finished")[-1]["status"] == "success"
        assert say(wire, 1, "drop it")["status"] == "success"
    assert cluster.errors() == ""


@pytest.mark.parametrize("servers", BUSES.values(), ids=BUSES.keys())
def test_a_page_is_worked_on_over_a_bus(tmp_path: Path, servers: int) -> None:
    with running_cluster(tmp_path / "c", servers=servers) as cluster, PageServer() as pages:
        cluster.start("all", "one")
        wire = cluster.connect("one", patience=60.0)
        assert say(wire, 1, f"go to {pages.address('dialog_aria')}")["status"] == "success"
        done = say(wire, 2, "Click New contact and type Dan in the Name field")
        assert done["status"] == "success", done
        assert pages.events("dialog_aria")[-1] == "value name=Dan"
    assert cluster.errors() == ""


# What dies


def test_nothing_is_lost_or_done_twice_though_every_role_is_killed(tmp_path: Path) -> None:
    faults = (
        Fault(0.6, "an executor killed", killed("hand-1")),
        Fault(1.4, "a brain killed", killed("brain-1")),
        Fault(2.2, "a gateway killed", killed("gate-1")),
    )
    verdict, _ = under_faults(tmp_path / "c", servers=1, commands=300, pace=100.0, faults=faults)
    assert verdict.is_good, verdict
    assert (verdict.success, verdict.in_doubt) == (300, 0)


@pytest.mark.scale
def test_all_roles_are_restarted_one_by_one_and_no_command_fails(tmp_path: Path) -> None:
    verdict = rolling_restart(tmp_path / "c", servers=1, commands=300, pace=25.0)
    assert verdict.is_good, verdict
    assert verdict.success == 300


@pytest.mark.scale
def test_a_brain_that_was_cut_off_and_comes_back_does_nothing_by_its_old_right(
    tmp_path: Path,
) -> None:
    with running_cluster(tmp_path / "c") as cluster:
        for role, name in (("gateway", "gate"), ("brain", "old"), ("executor", "hand")):
            cluster.start(role, name)
        load = Load([cluster.members["gate"].socket], 200, 100.0, sessions=8)
        load.prepare(cluster.root)
        old = cluster.members["old"]
        wire = cluster.connect("gate")
        assert wire.run("before", goals=TIME)[-1]["status"] == "success"
        old.process.send_signal(signal.SIGSTOP)
        cluster.start("brain", "new")
        load.run()  # the other has to take all shards over for this to end
        old.process.send_signal(signal.SIGCONT)
        old.wait_for("shard.left")
        assert wire.run("after", goals=TIME)[-1]["status"] == "success"
        verdict = load.verdict(cluster.root)
    assert verdict.is_good, verdict
    assert verdict.success == 200
    finished = [record for record in old.log() if record["event"] == "command.finished"]
    assert {record["command_id"] for record in finished} <= {"before", "after"}


@pytest.mark.scale
def test_an_executor_that_does_not_come_back_leaves_its_sessions_to_another(
    tmp_path: Path,
) -> None:
    with running_cluster(tmp_path / "c") as cluster:
        for role, name in (("gateway", "gate"), ("brain", "brain"), ("executor", "first")):
            cluster.start(role, name)
        wire = cluster.connect("gate", patience=60.0)
        assert wire.run("before", goals=TIME)[-1]["status"] == "success"
        cluster.kill("first")
        cluster.start("executor", "second")
        ended = wire.run("after", goals=TIME)[-1]
        assert ended["status"] == "success", ended


def test_a_session_is_tied_to_an_executor_by_its_label(tmp_path: Path) -> None:
    with running_cluster(tmp_path / "c") as cluster:
        cluster.start("gateway", "gate")
        cluster.start("brain", "brain")
        cluster.start("executor", "plain")
        cluster.start("executor", "sounding", "studio")
        cluster.wait_for_members("gate", "executor", 2)
        wire = cluster.connect("gate", patience=60.0)
        for number in range(6):
            about = {"session": f"s{number}", "label": "studio", "goals": TIME}
            assert wire.run(f"c{number}", **about)[-1]["status"] == "success"
        refused = wire.run("nowhere", session="else", label="cellar", goals=TIME)[-1]
        assert (refused["status"], refused["code"]) == ("failed", "NO_CAPABILITY")
        placed = [
            each for each in cluster.members["brain"].log() if each["event"] == "session.placed"
        ]
        assert {each["executor"] for each in placed} == {"sounding"}


@pytest.mark.scale
def test_a_schedule_fires_once_though_its_brain_is_killed(tmp_path: Path) -> None:
    with running_cluster(tmp_path / "c") as cluster:
        for role, name in (("gateway", "gate"), ("brain", "one"), ("executor", "hand")):
            cluster.start(role, name)
        (cluster.root / "list.txt").touch()
        wire = cluster.connect("gate", patience=60.0)
        said = say(wire, 1, 'in 3 seconds append "once" to list.txt')
        assert said["status"] == "success", said
        cluster.kill("one")
        cluster.start("brain", "two")
        assert until((cluster.root / "list.txt").read_text)
        cluster.restart("one")
        assert wire.run("later", goals=TIME)[-1]["status"] == "success"
        assert (cluster.root / "list.txt").read_text().count("once") == 1


def test_what_gateways_and_status_say_of_a_cluster(tmp_path: Path) -> None:
    with running_cluster(tmp_path / "c") as cluster:
        for role in ("gateway", "brain", "executor"):
            cluster.start(role, f"{role}-a")
        for role in ("gateway", "brain", "executor"):
            cluster.wait_for_members("gateway-a", role, 1)
        wire = cluster.connect("gateway-a")
        described = wire.ask(type="describe", id="d")
        assert "files.create_file" in {each["name"] for each in described["capabilities"]}
        unknown = wire.ask(type="status", id="u", command="never")
        assert unknown["code"] == "UNKNOWN_COMMAND"
        explained = wire.ask(type="explain", id="e")
        assert explained["code"] == "NO_CAPABILITY"


# The journal of a shard


@pytest.fixture
def boxes() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


async def opened(bus: SqliteBus, owner: str, boxes: ExitStack) -> ShardJournal:
    """Take a shard over."""
    inner = boxes.enter_context(open_journal(None))
    journal = ShardJournal(bus.log("shard-0"), owner, inner)
    await journal.open()
    return journal


async def answered(journal: ShardJournal, message: object) -> object:
    """Put a message and give what is answered, while the journal writes."""
    replies: list[object] = []
    came = anyio.Event()

    def take(_request: object, reply: object) -> None:
        replies.append(reply)
        came.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(journal.run)
        journal.put(message, take)  # type: ignore[arg-type]
        journal.flush()
        await came.wait()
        tasks.cancel_scope.cancel()
    return replies[0]


def submit(name: str) -> Submit:
    return Submit(name, goals=(GoalDraft("system", "get", {"target": "time"}),), session="s")


async def test_a_brain_knows_all_that_the_one_before_wrote_down(boxes: ExitStack) -> None:
    bus = await SqliteBus.open()
    first = await opened(bus, "first", boxes)
    assert isinstance(await answered(first, Take("a", submit("a"))), Taken)
    assert isinstance(await answered(first, Take("b", submit("b"))), Taken)
    await answered(first, End("b", Finished("b", "success")))
    second = await opened(bus, "second", boxes)
    assert second.epoch > first.epoch
    stories = await answered(second, Recall())
    assert isinstance(stories, Stories)
    assert [story.submit.id for story in stories.stories] == ["a"]
    assert isinstance(await answered(second, Take("b", submit("b"))), TakenBefore)
    await bus.close()


async def test_a_brain_whose_shard_was_taken_over_writes_nothing_more(boxes: ExitStack) -> None:
    bus = await SqliteBus.open()
    first = await opened(bus, "first", boxes)
    await answered(first, Take("a", submit("a")))
    second = await opened(bus, "second", boxes)
    with pytest.RaisesGroup(Overtaken):
        await answered(first, Take("late", submit("late")))
    assert isinstance(await answered(second, Take("late", submit("late"))), Taken)
    await bus.close()


async def test_an_excerpt_says_all_that_still_matters(
    monkeypatch: pytest.MonkeyPatch, boxes: ExitStack
) -> None:
    monkeypatch.setattr("tools.shard_journal.EXCERPT_AFTER", 5)
    monkeypatch.setattr("tools.shard_journal.KEPT_ENDED", 3)
    bus = await SqliteBus.open()
    first = await opened(bus, "first", boxes)
    await answered(first, Take("open", submit("open")))
    first.put(Note("open", Stopped()), None)
    for number in range(12):
        await answered(first, Take(f"c{number}", submit(f"c{number}")))
        await answered(first, End(f"c{number}", Finished(f"c{number}", "success")))
    entries, _ = await bus.log("shard-0").read()
    assert len(entries) < 20
    second = await opened(bus, "second", boxes)
    stories = await answered(second, Recall("open"))
    assert isinstance(stories, Stories)
    assert stories.stories[0].entries == (Stopped(),)
    assert isinstance(await answered(second, Take("c11", submit("c11"))), TakenBefore)
    assert isinstance(await answered(second, Take("c0", submit("c0"))), Taken)
    await bus.close()


async def test_what_is_of_a_later_version_is_left_to_those_who_know_it() -> None:
    bus = await SqliteBus.open()
    later = {"ask": "a", "answer_to": "gateway.g", "version": VERSION + 1, "message": {"new": 1}}
    await bus.send("brain.0", "later", msgspec.msgpack.encode(later))
    await bus.send("brain.0", "broken", b"\xc1")
    with Mailbox[commanding.Inbox]() as mailbox:
        intake = Intake(bus, 0, mailbox.address, Mouth(bus, 0))
        async with bus.deliveries("brain.0", "brains") as deliveries:
            await intake.take(await anext(deliveries))
            await intake.take(await anext(deliveries))
            again = await anext(deliveries)
            assert (msgspec.msgpack.decode(again.body), again.attempt) == (later, 2)
    assert [letter.body for letter in await bus.dead_letters()] == [b"\xc1"]
    await bus.close()


def test_embedded_is_for_one_process_only(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path, None)
    daemon = cluster.start("brain", "alone", wait=False)
    assert daemon.process.wait(20) == 2
    cluster.stop()
    assert "role is all" in cluster.errors()

"""Capture: what policy is asked before anything acts, and that its no is the end of it."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
import msgspec
import pytest
from structlog.testing import capture_logs

from actors.orchestrator.capture import Check, first_veto
from actors.orchestrator.places import Anchors, Tables
from actors.planner.tables import planner_rules
from messages import wire
from messages.capturing import BoundContext, Veto
from messages.executing import Perform
from messages.goals import GoalDraft
from messages.message import Value
from messages.plans import PlannedAction
from messages.results import Code
from messages.worlds import Thing
from run import compose
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.parts import (
    ANCHORS,
    MUTE,
    ROOT,
    FakeMachine,
    FakeReader,
    FakeScene,
    FakeTool,
    House,
    Listener,
    command,
    file,
    files,
    folder,
    folders,
    in_a_room,
    mute,
    only,
    planned,
    started,
)
from tools.logs import TraceLog, span_ids
from tools.policy import FILES, PROTECTED, no_protected_name, policies, within_roots
from tools.settings import Settings

if TYPE_CHECKING:
    from actors.orchestrator.state import Run
    from tools.worlds import Machine

SECRET = "do not tell"  # noqa: S105 - the content of a file that nobody may read


# Checks to ask


@dataclass
class Watchman:
    """A check that remembers what it was asked, and says no where it is told to."""

    name: str
    refuses: frozenset[str] = frozenset()
    code: Code = Code.NOT_ALLOWED
    asked: list[BoundContext] = field(default_factory=list)

    def __call__(self, context: BoundContext) -> Veto | None:
        self.asked.append(context)
        values = {str(value) for value in context.arguments.values()}
        if self.refuses & values or "everything" in self.refuses:
            return Veto(self.name, self.code, f"{self.name} says no")
        return None


def refusing(name: str, *what: str, code: Code = Code.NOT_ALLOWED) -> Watchman:
    return Watchman(name, frozenset(what or ("everything",)), code)


def guarded_command(
    policy: Mapping[str, Sequence[Check]], *goals: GoalDraft, **fields: object
) -> "Run":
    """Give a command that runs under this policy."""
    run = command(*goals, **fields)
    run.tables = Tables(planner_rules().with_aliases(), Anchors(ANCHORS, ROOT), policy)
    return run


@asynccontextmanager
async def guarded(
    policy: Mapping[str, Sequence[Check]],
    *tools: FakeTool,
    scenes: Mapping[str, FakeScene] | None = None,
) -> AsyncIterator[House]:
    """Run all actors under this policy for the length of a ``with`` block."""
    machine = FakeMachine(tools, scenes or {}, FakeReader(), ANCHORS, ROOT, policy)
    with ExitStack() as boxes, capture_logs():
        trace_log = TraceLog(lambda _line: None, span_ids())
        parts = compose(Settings(), cast("Machine", machine), trace_log, boxes)
        async with anyio.create_task_group() as tasks:
            for service in parts.services:
                tasks.start_soon(service)
            yield House(parts)
            tasks.cancel_scope.cancel()


# Order, and the first no


def context_of(**arguments: Value) -> BoundContext:
    action = msgspec.convert(
        {
            "action_id": "g0_read_1",
            "goal_id": "g0",
            "intent": FILES,
            "description": "read",
            "args": {},
            "action_class": "observe",
            "achieves": "read_file",
            "expected_effect": "file_read",
        },
        PlannedAction,
    )
    return BoundContext(action, arguments)


def test_checks_are_asked_in_their_declared_order() -> None:
    order: list[str] = []

    def noting(name: str) -> Check:
        def check(_context: BoundContext) -> Veto | None:
            order.append(name)
            return None

        return check

    assert first_veto([noting(name) for name in "cab"], context_of()) is None
    assert order == ["c", "a", "b"]


@pytest.mark.parametrize("position", [0, 1, 2])
def test_the_first_veto_stops_and_later_checks_are_not_asked(position: int) -> None:
    checks = [Watchman("yes") for _ in range(3)]
    checks[position] = refusing("no")
    veto = first_veto(checks, context_of())
    assert veto == Veto("no", Code.NOT_ALLOWED, "no says no")
    assert [len(check.asked) for check in checks] == [1] * (position + 1) + [0] * (2 - position)


def test_of_two_vetoes_the_first_decides() -> None:
    one, two = refusing("one"), refusing("two", code=Code.OUTSIDE_ROOTS)
    assert first_veto([one, two], context_of()) == Veto("one", Code.NOT_ALLOWED, "one says no")
    assert first_veto([two, one], context_of()) == Veto("two", Code.OUTSIDE_ROOTS, "two says no")


def test_without_checks_there_is_no_veto() -> None:
    assert first_veto((), context_of()) is None


# A command under policy


def test_a_veto_is_the_result_with_its_code_and_the_name_of_the_check() -> None:
    effects = planned(guarded_command({FILES: (refusing("guard"),)}, folder("a")))
    assert started(effects) == {}
    finished = only(wire.Finished, effects)
    assert (finished.status, finished.code) == ("failed", Code.NOT_ALLOWED)
    assert finished.message == "guard says no (guard)"


def test_an_action_that_is_vetoed_never_started() -> None:
    effects = planned(guarded_command({FILES: (refusing("guard"),)}, folder("a")))
    assert not [effect for effect in effects if isinstance(effect, wire.ActionStarted)]
    assert only(wire.Finished, effects).status == "failed"


def test_what_passes_every_check_is_started() -> None:
    guards = Watchman("one"), Watchman("two")
    effects = planned(guarded_command({FILES: guards}, folder("a")))
    assert list(started(effects)) == ["g0_create_1"]
    assert [len(guard.asked) for guard in guards] == [1, 1]


def test_a_check_is_asked_only_about_actions_of_its_intent() -> None:
    guard = refusing("guard")
    command = guarded_command({"audio_control": (guard,)}, folder("a"), MUTE, allow_partial=True)
    effects = planned(command)
    assert list(started(effects)) == ["g0_create_1"]
    assert [context.action.action_id for context in guard.asked] == ["g1_mute_1"]


def test_a_check_sees_the_arguments_that_the_tool_would_get() -> None:
    guard = Watchman("guard")
    effects = planned(guarded_command({FILES: (guard,)}, folder("a")))
    perform = only(Perform, effects)
    (context,) = guard.asked
    assert context.action == perform.action
    assert context.arguments == {**perform.action.args, **perform.bound}
    assert context.arguments["path"] == f"{ROOT}/a"


def test_a_veto_that_is_known_when_planning_stops_the_whole_command() -> None:
    guard = refusing("guard", f"{ROOT}/a")
    goals = folder("a"), file("b", "inside:a"), MUTE
    effects = planned(guarded_command({FILES: (guard,)}, *goals))
    assert list(started(effects)) == []
    assert only(wire.Finished, effects).code is Code.NOT_ALLOWED


def test_with_allow_partial_a_veto_skips_what_waits_for_the_action_and_nothing_else() -> None:
    guard = refusing("guard", f"{ROOT}/a")
    goals = folder("a"), file("b", "inside:a"), MUTE
    effects = planned(guarded_command({FILES: (guard,)}, *goals, allow_partial=True))
    assert list(started(effects)) == ["g2_mute_1"]


def test_a_veto_that_is_known_when_planning_is_said_in_mode_plan() -> None:
    guard = refusing("guard")
    effects = planned(guarded_command({FILES: (guard,)}, folder("a"), mode="plan"))
    finished = only(wire.Finished, effects)
    assert (finished.status, finished.code) == ("failed", Code.NOT_ALLOWED)
    assert finished.results[0].blocker == "guard"


async def test_a_tool_is_not_asked_about_what_was_vetoed() -> None:
    tool = folders()
    async with guarded({FILES: (refusing("guard"),)}, tool, mute()) as actors:
        heard = await actors.run("c1", folder("a"), MUTE, allow_partial=True)
    finished = await heard.finished()
    assert [result.code for result in finished.results] == [Code.NOT_ALLOWED, None]
    assert finished.status == "partial"
    assert tool.calls == []


async def test_a_check_that_breaks_lets_nothing_through() -> None:
    def broken(_context: BoundContext) -> Veto | None:
        raise RuntimeError("a defect")

    tool = folders()
    async with guarded({FILES: (broken,)}, tool, mute()) as actors:
        finished = await (await actors.run("c1", folder("a"))).finished()
        after = await (await actors.run("c2", MUTE)).finished()
    assert finished.code is Code.CRASHED
    assert tool.calls == []
    assert after.status == "success"


# After binding


REPORTS = FakeScene((Thing(f"{ROOT}/reports", "reports", "folder"),))


async def test_a_veto_on_what_was_bound_ends_the_command_and_frees_its_session() -> None:
    tool, guard = files(), refusing("guard", f"{ROOT}/reports/b")
    scenes = {FILES: REPORTS}
    async with guarded({FILES: (guard,)}, tool, mute(), scenes=scenes) as actors:
        heard = await actors.run("c1", file("b", "inside:reports"))
        after = await (await actors.run("c2", MUTE)).finished()
    finished = await heard.finished()
    assert (finished.status, finished.code) == ("failed", Code.NOT_ALLOWED)
    assert [event.target for event in heard.all(wire.Resolved)] == [f"{ROOT}/reports"]
    assert tool.calls == []
    assert after.status == "success"


async def test_a_check_sees_where_words_were_bound() -> None:
    guard = Watchman("guard")
    async with guarded({FILES: (guard,)}, files(), scenes={FILES: REPORTS}) as actors:
        await actors.run("c1", file("b", "inside:reports"))
    (context,) = guard.asked
    assert context.arguments["path"] == f"{ROOT}/reports/b"


SWORD, SHIELD = Thing("sword", "sword"), Thing("shield", "shield")
OLD = Thing("old", "sword", adjectives=("old",))
RUSTY = Thing("rusty", "sword", adjectives=("rusty",))


def take(words: str) -> GoalDraft:
    return GoalDraft("world", "take", roles={"direct": words})


def hands() -> FakeTool:
    return FakeTool("world_take", intent="world", name="hands")


async def taking(
    guard: Watchman, words: str, tool: FakeTool, *things: Thing, asks: bool = False
) -> Listener:
    """Take something under a guard, to the end or, where it ``asks``, to its question."""
    async with guarded({"world": (guard,)}, tool, scenes={"world": in_a_room(*things)}) as actors:
        heard = await actors.submit("c1", take(words))
        await heard.first(wire.Question if asks else wire.Finished)
    return heard


async def test_a_check_sees_what_was_bound() -> None:
    guard = Watchman("guard")
    await taking(guard, "sword", hands(), SWORD, SHIELD)
    (context,) = guard.asked
    assert context.binding.direct_target is not None
    assert context.binding.direct_target.id == "sword"
    assert context.arguments["direct"] == "sword"


@pytest.mark.parametrize(("words", "asks"), [("axe", False), ("sword", True)])
async def test_words_that_are_not_bound_are_no_matter_for_policy(words: str, asks: bool) -> None:  # noqa: FBT001
    guard, tool = refusing("guard"), hands()
    await taking(guard, words, tool, OLD, RUSTY, asks=asks)
    assert guard.asked == []
    assert tool.calls == []


async def test_a_veto_does_not_make_the_resolver_look_for_another_thing() -> None:
    guard, tool = refusing("guard", "rusty"), hands()
    heard = await taking(guard, "rusty sword", tool, SWORD, RUSTY)
    assert [event.target for event in heard.all(wire.Resolved)] == ["rusty"]
    assert heard.all(wire.Finished)[0].code is Code.NOT_ALLOWED
    assert tool.calls == []


@pytest.mark.parametrize("forbidden", ["sword", "shield"])
async def test_a_veto_on_one_member_of_a_set_means_that_nothing_happens(forbidden: str) -> None:
    guard, tool = refusing("guard", forbidden), hands()
    heard = await taking(guard, "the sword and the shield", tool, SWORD, SHIELD)
    (finished,) = heard.all(wire.Finished)
    assert (finished.status, finished.code) == ("failed", Code.NOT_ALLOWED)
    assert finished.message == f"{forbidden}: guard says no (guard)"
    assert heard.all(wire.ActionStarted) == []
    assert tool.calls == []


async def test_every_member_of_a_set_is_checked_before_any_acts() -> None:
    guard = Watchman("guard")
    asked_before: list[int] = []

    async def act(args: Mapping[str, Value]) -> Any:
        asked_before.append(len({str(each.arguments["direct"]) for each in guard.asked}))
        return await FakeTool("x").act(args)

    await taking(
        guard, "the sword and the shield", FakeTool("world_take", act, "world"), SWORD, SHIELD
    )
    assert asked_before == [2, 2]


# What keeps files apart


OUTSIDE = ("/etc/passwd", "/", "/root2/a", "/rootless", "/root/../etc/passwd", "/root/a/../../b")
WITHIN = ("/root", "/root/a", "/root/./a", "/root/a/../b", "/root//a", "/drive/x")


@pytest.mark.parametrize("place", ["path", "to"])
@pytest.mark.parametrize("path", OUTSIDE)
def test_what_lies_outside_every_root_is_vetoed(path: str, place: str) -> None:
    veto = within_roots(["/root", "/drive"])(context_of(**{place: path}))
    assert veto is not None
    assert (veto.check, veto.code) == ("roots", Code.OUTSIDE_ROOTS)


@pytest.mark.parametrize("path", WITHIN)
def test_what_lies_in_a_root_passes(path: str) -> None:
    assert within_roots(["/root", "/drive"])(context_of(path=path)) is None


def test_both_ends_of_a_move_must_lie_in_a_root() -> None:
    check = within_roots(["/root"])
    assert check(context_of(path="/root/a", to="/root/b")) is None
    assert check(context_of(path="/root/a", to="/tmp/b")) is not None
    assert check(context_of(path="/tmp/a", to="/root/b")) is not None


@pytest.mark.parametrize("name", PROTECTED)
@pytest.mark.parametrize("path", ["/root/{}", "/root/{}/id", "/root/a/{}/b", "/root/x/../{}"])
def test_a_protected_name_is_vetoed_wherever_it_stands(name: str, path: str) -> None:
    veto = no_protected_name(PROTECTED)(context_of(path=path.format(name)))
    assert veto is not None
    assert (veto.check, veto.code) == ("protected_names", Code.NOT_ALLOWED)
    assert name in veto.reason


@pytest.mark.parametrize("name", ["/root/.SSH/id", "/root/.Ssh", "/root/.GIT/config"])
def test_a_protected_name_is_vetoed_in_any_case(name: str) -> None:
    assert no_protected_name(PROTECTED)(context_of(path=name)) is not None


@pytest.mark.parametrize("name", ["/root/ssh", "/root/.sshd", "/root/a.git", "/root/.gitignore"])
def test_a_name_that_only_resembles_a_protected_one_passes(name: str) -> None:
    assert no_protected_name(PROTECTED)(context_of(path=name)) is None


def test_a_new_name_may_not_be_a_protected_one() -> None:
    assert no_protected_name(PROTECTED)(context_of(path="/root/a", to=".netrc")) is not None


def test_files_are_checked_for_roots_first() -> None:
    veto = first_veto(policies(["/root"])[FILES], context_of(path="/etc/.ssh/id"))
    assert veto is not None
    assert veto.check == "roots"


# Through a real daemon


def furnish(daemon: Daemon) -> None:
    """Put something into the root that nobody may touch, beside something that all may."""
    for name in (".ssh", "private", "deep/.git", "deep/plain"):
        (daemon.root / name).mkdir(parents=True)
        (daemon.root / name / "id").write_text(SECRET)
    (daemon.root / "notes.txt").write_text("hello")
    (daemon.root.parent / "outside.txt").write_text(SECRET)


def on_disk(daemon: Daemon) -> dict[str, str | None]:
    """Give every file of the root with its content, and every folder."""
    everything = sorted(daemon.root.parent.joinpath("work").rglob("*"))
    return {str(path): path.read_text() if path.is_file() else None for path in everything}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with the names that are protected by default."""
    with running_daemon(tmp_path_factory.mktemp("strict")) as daemon:
        furnish(daemon)
        yield daemon


@pytest.fixture
def client(strict: Daemon) -> Iterator[Wire]:
    connection = strict.connect()
    yield connection
    connection.close()


numbers = count(1)


def end_of(client: Wire, **fields: object) -> Event:
    """Run a command in a session of its own; give its end."""
    name = f"c{next(numbers)}"
    return client.run(name, session=name, **fields)[-1]


def file_goal(verb: str, scope: str = "root", **params: str) -> Event:
    return {"domain": "file", "verb": verb, "params": params, "scope": scope}


def new_file(name: str, scope: str = "root") -> Event:
    return file_goal("create", scope, object_type="file", name=name)


TEXTS = (
    "read .ssh/id",
    "read .SSH/id",
    "read ./.ssh//id",
    "read deep/../.ssh/id",
    "read deep/.git/id",
    "create notes.txt inside .ssh",
    "move notes.txt to .ssh",
    "rename notes.txt to .netrc",
    "rename .ssh to ssh",
    "delete the folder .ssh",
)


@pytest.mark.parametrize("text", TEXTS)
def test_words_for_a_protected_name_are_refused_and_nothing_is_touched(
    strict: Daemon, client: Wire, text: str
) -> None:
    before = on_disk(strict)
    finished = end_of(client, text=text)
    assert (finished["status"], finished["code"]) == ("failed", "NOT_ALLOWED")
    assert "(protected_names)" in finished["message"]
    assert on_disk(strict) == before


GOALS = (
    file_goal("read", name=".ssh/id"),
    file_goal("read", name="deep/plain/../.git/id"),
    file_goal("list", name=".ssh"),
    file_goal("find", pattern="*", name=".ssh"),
    file_goal("write", name=".ssh/id", content="mine"),
    file_goal("append", name=".ssh/id", content="mine"),
    file_goal("copy", name=".ssh/id", to="deep"),
    file_goal("copy", name="notes.txt", to=".ssh"),
    file_goal("move", name=".ssh/id", to="deep"),
    file_goal("rename", name="deep", to=".ssh"),
    file_goal("delete", name=".ssh"),
    new_file(".netrc"),
    new_file("id2", "inside:.ssh"),
)


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal['verb']}-{goal['params']}")
def test_goals_for_a_protected_name_are_refused_and_nothing_is_touched(
    strict: Daemon, client: Wire, goal: Event
) -> None:
    before = on_disk(strict)
    finished = end_of(client, goals=[goal])
    assert (finished["status"], finished["code"]) == ("failed", "NOT_ALLOWED")
    assert SECRET not in str(finished)
    assert on_disk(strict) == before


BEYOND = (
    "/etc/passwd",
    "//etc/passwd",
    "../outside.txt",
    "deep/../../outside.txt",
    "./../work/../outside.txt",
)


@pytest.mark.parametrize("name", BEYOND)
@pytest.mark.parametrize("verb", ["read", "delete", "list"])
def test_paths_that_lead_out_of_the_roots_are_refused_and_nothing_is_touched(
    strict: Daemon, client: Wire, verb: str, name: str
) -> None:
    finished = end_of(client, goals=[file_goal(verb, name=name)])
    assert (finished["status"], finished["code"]) == ("failed", "OUTSIDE_ROOTS")
    assert "(roots)" in finished["message"]
    assert (strict.root.parent / "outside.txt").read_text() == SECRET


@pytest.mark.parametrize("name", ["lnk/id", "far/outside.txt"])
def test_a_link_leads_neither_to_a_protected_name_nor_out(
    strict: Daemon, client: Wire, name: str
) -> None:
    for link, goal in (("lnk", ".ssh"), ("far", "..")):
        if not (strict.root / link).is_symlink():
            (strict.root / link).symlink_to(goal)
    finished = end_of(client, goals=[file_goal("read", name=name)])
    assert finished["status"] == "failed"
    assert SECRET not in str(finished)


def test_what_lies_in_a_protected_folder_is_not_found_from_above(client: Wire) -> None:
    finished = end_of(client, goals=[file_goal("find", pattern="id")])
    assert finished["status"] == "success"
    found = {Path(row["path"]).parent.name for row in finished["results"][0]["output"]}
    assert "plain" in found
    assert not found & {".ssh", ".git"}


@pytest.mark.parametrize("text", ["read the newest file", "delete the newest file"])
def test_what_is_told_by_its_age_is_checked_like_a_name(tmp_path: Path, text: str) -> None:
    with running_daemon(tmp_path) as daemon:
        newest = daemon.root / ".netrc"
        newest.write_text(SECRET)
        finished = end_of(daemon.connect(), text=text)
        assert finished["status"] == "failed"
        assert SECRET not in str(finished)
        assert newest.read_text() == SECRET


def test_no_action_that_was_vetoed_ever_started(strict: Daemon, client: Wire) -> None:
    name = f"c{next(numbers)}"
    events = client.run(name, text="read .ssh/id", session=name)
    assert "action_started" not in [event["type"] for event in events]
    strict.wait_for("command.finished", command_id=name)
    begun = [r for r in strict.log() if r["event"] == "action.started"]
    assert name not in [record.get("command_id") for record in begun]


def test_the_session_goes_on_after_a_veto(client: Wire) -> None:
    name = f"c{next(numbers)}"
    for each, text in enumerate(("create notes.txt inside .ssh", "read .ssh/id")):
        client.run(f"{name}.{each}", session=name, text=text)
    finished = client.run(f"{name}.end", session=name, text="read notes.txt")[-1]
    assert finished["status"] == "success"


def test_settings_say_which_names_are_protected(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings='protected = ["Private"]') as daemon:
        furnish(daemon)
        client = daemon.connect()
        refused = end_of(client, text="read private/id")
        assert (refused["code"], "(protected_names)" in refused["message"]) == ("NOT_ALLOWED", True)
        assert end_of(client, text="read .ssh/id")["status"] == "success"


def test_settings_can_free_every_name_but_not_what_is_outside(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings="protected = []") as daemon:
        furnish(daemon)
        client = daemon.connect()
        assert end_of(client, text="read .ssh/id")["status"] == "success"
        assert end_of(client, text="read ../outside.txt")["code"] == "OUTSIDE_ROOTS"


# The resolver has no part in it


def test_a_resolution_knows_no_policy(client: Wire) -> None:
    world = {"things": [{"id": "/etc/shadow", "name": ".ssh"}]}
    verbs = {"delete": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["world"]}}}
    found = client.ask(type="resolve", id="r", text="delete .ssh", verbs=verbs, world=world)
    assert (found["ok"], found["directTarget"]["id"]) == (True, "/etc/shadow")

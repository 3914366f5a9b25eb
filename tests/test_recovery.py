"""After a crash at any moment: nothing that was accepted is lost, and nothing is done twice.

What is decided about a command that comes back is tested on ``resume`` alone; whole lives, one
after another on the same journal, with all actors; the real thing with SIGKILL.
"""

import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import msgspec
import psutil
import pytest
from msgspec.structs import replace

from actors.executor import Executor
from actors.executor.turns import Turns
from actors.interpreter.scopes import resolve_scopes
from actors.mailbox import Unanswered
from actors.orchestrator.binding import naming
from actors.orchestrator.interrupting import tick
from actors.orchestrator.output_limit import MOST_OUTPUT
from actors.orchestrator.places import Anchors, Approvals, Tables
from actors.orchestrator.recovering import LOST, resume
from actors.orchestrator.runs import Effect, advance, begin, ruled
from actors.orchestrator.state import Run
from actors.orchestrator.undoing import undoing
from actors.planner.planning import Means, plan_all
from actors.planner.tables import planner_rules, search_engines
from messages import wire
from messages.commanding import (
    Admit,
    AnswerQuestion,
    ApproveAction,
    CancelCommand,
    Known,
    Report,
    Tick,
    TurnedAway,
    UndoCommand,
)
from messages.executing import (
    Check,
    Checked,
    Done,
    Look,
    Perform,
    Performed,
    Recovered,
    Refused,
    Surveyed,
    Unknown,
)
from messages.failures import Target
from messages.goals import GoalDraft
from messages.interpreting import Interpret, Interpreted
from messages.journaling import (
    MOST_LIVES,
    Entry,
    Intent,
    Laid,
    Meant,
    Note,
    Outcome,
    Recall,
    Resumed,
    Ruled,
    Story,
    Told,
)
from messages.message import Request, Scalar, Value
from messages.planning import MakePlans, PlansMade
from messages.plans import PlannedAction, WorldState
from messages.results import ActionResult, ActionStatus, Code
from messages.rules import Parameter
from messages.targets import Binding, Bound, Success
from messages.worlds import Thing
from tests.daemon import Daemon, Event, launched, running_daemon
from tests.keeping import journal_file, look, stories
from tests.parts import (
    ANCHORS,
    LOUDER,
    MUTE,
    ROOT,
    TIME,
    Act,
    FakeReader,
    FakeTool,
    Gate,
    House,
    Listener,
    all_capabilities,
    break_down,
    clock,
    command,
    crash,
    ended,
    everything,
    file,
    folder,
    goal,
    house,
    in_a_room,
    in_turn,
    louder,
    mute,
    only,
    started,
    succeed,
)
from tools.journal import Deliver, JournalFile
from tools.settings import ApprovalSettings, Settings

# A command that comes back, as a state machine


@dataclass
class Tale:
    """What the journal tells of a command, and how the command goes on from there."""

    goals: tuple[GoalDraft, ...]
    tables: Tables | None = None
    entries: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = self.command()
        laid = only(Note, spoken(self.first)).entry
        assert isinstance(laid, Laid)
        self.entries.append(laid)

    def command(self) -> Run:
        run = command(*self.goals)
        if self.tables is not None:
            run.tables = self.tables
        return run

    def action(self, name: str) -> PlannedAction:
        """Give an action by its name, also one for a member of a set."""
        node = self.first.nodes.get(name) or self.first.nodes[name.rpartition(".")[0]]
        return replace(node.action, action_id=name)

    def meant(self, name: str, *targets: str) -> "Tale":
        self.entries.append(Meant(name, success_of(*targets)))
        return self

    def began(self, *names: str, **bound: Value) -> "Tale":
        self.entries.extend(Intent(self.action(name), bound) for name in names)
        return self

    def did(
        self,
        *names: str,
        status: ActionStatus = "success",
        output: Value = None,
        transient: bool = False,
    ) -> "Tale":
        """Let actions begin and end."""
        self.began(*names)
        for name in names:
            code = None if status == "success" else Code.IO_FAILED
            result = ActionResult(name, status, code, output=output, verified=True)
            self.entries.append(Outcome(result, transient))
        return self

    def resumed(
        self, *, afresh: bool = True, under_way: frozenset[str] = frozenset()
    ) -> tuple[Run, Sequence[Effect]]:
        run = self.command()
        run.under_way = under_way
        return run, resume(run, Story(run.submit, tuple(self.entries)), afresh=afresh)


def spoken(run: Run) -> Sequence[Effect]:
    """Take a command up to the moment its plans are made; the words of a role are read as one."""
    begin(run)
    meta, warnings = resolve_scopes(run.submit.goals or (), planner_rules().verbs())
    goals = tuple(
        replace(goal, readings=tuple(naming(goal.verb, each) for each in goal.roles.values()))
        for goal in meta.goals
    )
    advance(run, Interpreted(run.id, replace(meta, goals=goals), warnings))
    request = only(MakePlans, advance(run, Surveyed(run.id, WorldState(), all_capabilities())))
    means = Means.of(planner_rules(), search_engines(), all_capabilities())
    return advance(run, PlansMade(run.id, plan_all(request.meta, request.world, means)))


def success_of(*targets: str) -> Success:
    bindings = tuple(Binding(Target(f"{ROOT}/{name}", name, "file")) for name in targets)
    return Success("direct", "delete", bindings)


def statuses(finished: wire.Finished) -> list[str]:
    return [result.status for result in finished.results]


def begun(effects: Sequence[Effect]) -> dict[str, bool]:
    """Give the actions that are handed over, and whether they may have been under way."""
    return {name: request.begun for name, request in started(effects).items()}


def after(draft: GoalDraft, *goals: int) -> GoalDraft:
    return replace(draft, scope=tuple(f"after:g{number}" for number in goals))


def test_a_command_of_which_nothing_is_known_begins() -> None:
    run = command(MUTE)
    assert resume(run, Story(run.submit), afresh=True) == [Interpret("c1", None, (MUTE,))]


def test_what_was_planned_and_never_started_starts() -> None:
    _, effects = Tale((MUTE, TIME)).resumed()
    assert begun(effects) == {"g0_mute_1": False, "g1_get_1": False}


def test_what_ended_is_not_run_again_and_what_waited_for_it_starts() -> None:
    _, effects = Tale((MUTE, after(LOUDER, 0), after(TIME, 1))).did("g0_mute_1").resumed()
    assert begun(effects) == {"g1_raise_1": False}


def test_what_was_under_way_is_handed_over_as_such() -> None:
    _, effects = Tale((MUTE, after(TIME, 0), LOUDER)).began("g0_mute_1").resumed()
    assert begun(effects) == {"g0_mute_1": True, "g2_raise_1": False}


def test_a_command_of_which_all_ended_only_has_to_say_so() -> None:
    _, effects = Tale((MUTE, LOUDER)).did("g0_mute_1", "g1_raise_1").resumed()
    assert only(wire.Finished, effects).status == "success"
    assert not started(effects)


def test_what_failed_stays_failed_and_what_waited_for_it_is_skipped() -> None:
    tale = Tale((LOUDER, after(MUTE, 0), after(TIME, 1), folder("a")))
    run, effects = tale.did("g0_raise_1", status="failed").resumed()
    assert begun(effects) == {"g3_create_1": False}
    finished = only(wire.Finished, ended(run, "g3_create_1"))
    assert statuses(finished) == ["failed", "skipped", "skipped", "success"]


def test_what_is_in_doubt_costs_only_what_waited_for_it() -> None:
    run, effects = Tale((LOUDER, after(MUTE, 0), folder("a"))).began("g0_raise_1").resumed()
    assert begun(effects) == {"g0_raise_1": True, "g2_create_1": False}
    ended(run, "g0_raise_1", "in_doubt")
    finished = only(wire.Finished, ended(run, "g2_create_1"))
    assert (finished.status, statuses(finished)) == ("in_doubt", ["in_doubt", "skipped", "success"])


def test_a_failure_that_may_pass_is_tried_again_if_that_is_safe() -> None:
    tale = Tale((MUTE,)).did("g0_mute_1", status="failed", transient=True)
    assert begun(tale.resumed()[1]) == {"g0_mute_1": False}
    tale = Tale((LOUDER,)).did("g0_raise_1", status="failed", transient=True)
    assert only(wire.Finished, tale.resumed()[1]).status == "failed"


def test_an_action_that_was_tried_again_and_is_under_way_has_not_ended() -> None:
    tale = Tale((MUTE,)).did("g0_mute_1", status="failed", transient=True).began("g0_mute_1")
    assert begun(tale.resumed()[1]) == {"g0_mute_1": True}


def test_an_intent_without_a_plan_is_in_doubt_and_nothing_else_is_done() -> None:
    tale = Tale((LOUDER, folder("a"))).began("g0_raise_1")
    run = tale.command()
    effects = resume(run, Story(run.submit, tuple(tale.entries[1:])), afresh=True)
    finished = only(wire.Finished, effects)
    assert (finished.status, finished.code) == ("in_doubt", Code.CRASHED)
    assert not started(effects)


def test_a_command_of_which_something_cannot_be_read_is_in_doubt() -> None:
    run = command(MUTE)
    (finished,) = resume(run, Story(run.submit, unreadable=True), afresh=True)
    assert isinstance(finished, wire.Finished)
    assert (finished.status, finished.code) == ("in_doubt", Code.CRASHED)


def test_a_command_that_takes_the_daemon_down_each_time_is_given_up() -> None:
    tale = Tale((MUTE,)).began("g0_mute_1")
    tale.entries += [Resumed()] * (MOST_LIVES - 1)
    _, effects = tale.resumed()
    assert begun(effects) == {"g0_mute_1": True}
    tale.entries.append(Resumed())
    _, (finished,) = tale.resumed()
    assert isinstance(finished, wire.Finished)
    assert (finished.status, finished.code) == ("in_doubt", Code.CRASHED)


def test_what_a_command_reads_is_bounded_as_a_whole() -> None:
    reads = [GoalDraft("file", "read", {"name": f"{number}.txt"}) for number in range(3)]
    run = command(*reads)
    effects, half = spoken(run), "x" * (MOST_OUTPUT // 2)
    for name in ("g0_read_1", "g1_read_1", "g2_read_1"):
        effects = advance(run, Performed(run.id, ActionResult(name, "success", output=half)))
    finished = only(wire.Finished, effects)
    assert statuses(finished) == ["success", "success", "failed"]
    assert finished.results[2].code is Code.TOO_LARGE


def test_what_may_have_happened_is_not_said_to_be_undone() -> None:
    begun_only = Tale((LOUDER,)).began("g0_raise_1")
    doubted = Tale((LOUDER,)).did("g0_raise_1", status="in_doubt")
    for tale in (begun_only, doubted):
        undone = undoing(Story(tale.first.submit, tuple(tale.entries)))
        assert "it may have happened" in undone.reason()


def test_the_output_of_an_ended_goal_feeds_a_later_one() -> None:
    write = GoalDraft("file", "write", {"name": "a.txt"}, scope="after:g0", takes={"content": "g0"})
    tale = Tale((MUTE, write)).did("g0_mute_1", output={"text": "hello"})
    (request,) = started(tale.resumed()[1]).values()
    assert {**request.action.args, **request.bound}["content"] == "hello"


def test_a_later_goal_goes_inside_what_an_ended_one_made() -> None:
    tale = Tale((folder("a", "inside:old"), file("b", "inside:a")))
    tale.did("g0_create_1", output={"path": f"{ROOT}/old/a"})
    (request,) = started(tale.resumed()[1]).values()
    assert request.bound["path"] == f"{ROOT}/old/a/b"


def test_only_the_first_try_after_a_crash_may_have_been_under_way() -> None:
    run, effects = Tale((MUTE,)).resumed(afresh=False, under_way=frozenset({"g0_mute_1"}))
    assert begun(effects) == {"g0_mute_1": True}
    ended(run, "g0_mute_1", "failed", transient=True)
    assert begun(tick(run)) == {"g0_mute_1": False}


def test_only_what_was_under_way_has_to_be_looked_into() -> None:
    tale = Tale((MUTE, LOUDER))
    _, effects = tale.resumed(afresh=False, under_way=frozenset({"g1_raise_1"}))
    assert begun(effects) == {"g0_mute_1": False, "g1_raise_1": True}


def test_what_a_person_forbade_is_not_asked_for_again() -> None:
    tale = Tale((goal("file.delete", name="a"), MUTE), asking())
    tale.entries.append(Ruled("g0_delete_1", "c1:a1", allow=False))
    run, effects = tale.resumed()
    assert not [effect for effect in effects if isinstance(effect, wire.ApprovalNeeded)]
    finished = only(wire.Finished, ended(run, "g1_mute_1"))
    assert [result.code for result in finished.results] == [Code.NOT_APPROVED, None]


# Sets


DELETE_ALL = GoalDraft("file", "delete", roles={"direct": "reports"})
WHOLE = "g0_delete_1"
THREE = ("a", "b", "c")


def asking() -> Tables:
    """Give tables by which to delete needs approval."""
    anchors, approvals = Anchors(ANCHORS, ROOT), Approvals(frozenset({"delete"}))
    return Tables(planner_rules().with_aliases(), anchors, {}, approvals)


def paths(effects: Sequence[Effect]) -> list[Value]:
    return [request.bound["path"] for request in started(effects).values()]


def test_a_set_goes_on_with_the_next_and_does_none_twice() -> None:
    tale = Tale((DELETE_ALL, after(MUTE, 0))).meant(WHOLE, *THREE).did(f"{WHOLE}.1")
    run, effects = tale.resumed()
    assert begun(effects) == {f"{WHOLE}.2": False}
    assert paths(effects) == [f"{ROOT}/b"]
    assert paths(ended(run, f"{WHOLE}.2")) == [f"{ROOT}/c"]
    assert list(started(ended(run, f"{WHOLE}.3"))) == ["g1_mute_1"]
    assert only(wire.Finished, ended(run, "g1_mute_1")).status == "success"


def test_a_member_that_was_under_way_is_handed_over_before_the_next() -> None:
    tale = Tale((DELETE_ALL,)).meant(WHOLE, *THREE).did(f"{WHOLE}.1")
    run, effects = tale.began(f"{WHOLE}.2", path=f"{ROOT}/b").resumed()
    assert begun(effects) == {f"{WHOLE}.2": True}
    assert list(started(ended(run, f"{WHOLE}.2"))) == [f"{WHOLE}.3"]


def test_a_set_with_a_member_in_doubt_does_no_more() -> None:
    tale = Tale((DELETE_ALL, after(MUTE, 0))).meant(WHOLE, *THREE).did(f"{WHOLE}.1")
    run, _ = tale.began(f"{WHOLE}.2").resumed()
    finished = only(wire.Finished, ended(run, f"{WHOLE}.2", "in_doubt"))
    assert (finished.status, statuses(finished)) == ("in_doubt", ["in_doubt", "skipped"])
    assert "1 of 3 were done" in str(finished.message)


def test_a_set_of_which_one_failed_does_no_more() -> None:
    tale = Tale((DELETE_ALL,)).meant(WHOLE, *THREE).did(f"{WHOLE}.1", output="gone")
    _, effects = tale.did(f"{WHOLE}.2", status="failed").resumed()
    finished = only(wire.Finished, effects)
    assert (finished.status, finished.results[0].output) == ("partial", ["gone"])
    assert not started(effects)


def test_a_set_of_which_all_are_done_is_done() -> None:
    tale = Tale((DELETE_ALL, after(MUTE, 0))).meant(WHOLE, *THREE)
    tale.did(*(f"{WHOLE}.{number}" for number in (1, 2, 3)), output="gone")
    run, effects = tale.resumed()
    assert list(started(effects)) == ["g1_mute_1"]
    finished = only(wire.Finished, ended(run, "g1_mute_1"))
    assert finished.results[0].output == ["gone"] * 3


def test_a_set_of_which_none_has_begun_is_bound_anew() -> None:
    _, effects = Tale((DELETE_ALL,)).meant(WHOLE, *THREE).resumed()
    assert only(Look, effects).action.action_id == WHOLE
    assert not started(effects)


def test_members_of_which_nobody_knows_any_more_are_in_doubt() -> None:
    tale = Tale((DELETE_ALL, after(MUTE, 0), LOUDER)).did(f"{WHOLE}.1")
    run, effects = tale.resumed()
    assert list(started(effects)) == ["g2_raise_1"]
    finished = only(wire.Finished, ended(run, "g2_raise_1"))
    assert statuses(finished) == ["in_doubt", "skipped", "success"]


def test_the_rest_of_a_set_that_was_allowed_is_not_asked_for_again() -> None:
    tale = Tale((DELETE_ALL,), asking()).meant(WHOLE, *THREE)
    tale.entries.append(Ruled(WHOLE, "c1:a1", allow=True))
    _, effects = tale.did(f"{WHOLE}.1").resumed()
    assert paths(effects) == [f"{ROOT}/b"]


# The approval of sets


def allowing(*targets: str) -> tuple[Run, Sequence[Effect]]:
    """Take a command on a set up to the moment a person is to allow it."""
    run = command(DELETE_ALL, after(MUTE, 0))
    run.tables = asking()
    spoken(run)
    check = only(Check, advance(run, Bound("c1", WHOLE, success_of(*targets))))
    assert len(check.bound) == len(targets)
    return run, advance(run, Checked("c1", WHOLE, marks=tuple(f"mark of {n}" for n in targets)))


def test_one_approval_names_all_members_of_a_set_and_none_acts_before() -> None:
    _, effects = allowing(*THREE)
    asked = only(wire.ApprovalNeeded, effects)
    assert [thing.id for thing in asked.targets] == [f"{ROOT}/{name}" for name in THREE]
    assert [thing.name for thing in asked.targets] == list(THREE)
    assert (asked.kind, asked.action) == ("delete", WHOLE)
    assert not started(effects)


def test_every_member_of_a_set_acts_once_it_is_allowed_and_none_is_asked_about_again() -> None:
    run, _ = allowing(*THREE)
    done: list[Value] = []
    effects = ruled(run, run.nodes[WHOLE], allow=True)
    for number in (1, 2, 3):
        assert not [effect for effect in effects if isinstance(effect, wire.ApprovalNeeded)]
        done += paths(effects)
        effects = ended(run, f"{WHOLE}.{number}")
    assert done == [f"{ROOT}/{name}" for name in THREE]
    assert list(started(effects)) == ["g1_mute_1"]


def test_every_member_of_a_set_acts_only_on_what_was_shown() -> None:
    run, _ = allowing(*THREE)
    effects = ruled(run, run.nodes[WHOLE], allow=True)
    for number, name in enumerate(THREE, start=1):
        assert only(Perform, effects).mark == f"mark of {name}"
        effects = ended(run, f"{WHOLE}.{number}")


def test_no_member_of_a_set_acts_if_it_is_forbidden() -> None:
    run, _ = allowing(*THREE)
    effects = ruled(run, run.nodes[WHOLE], allow=False)
    finished = only(wire.Finished, effects)
    assert (finished.code, statuses(finished)) == (Code.NOT_APPROVED, ["failed", "skipped"])
    assert not started(effects)


# Pages


OPEN, BACK = goal("browser.navigate", url="a.org"), goal("browser.back", "after:g0")
SCROLL, CLICK = goal("browser.scroll", "after:g0"), goal("browser.click", "after:g0", selector="#b")


def test_a_page_that_was_only_opened_is_opened_again() -> None:
    run, effects = Tale((OPEN, CLICK)).did("g0_navigate_1").resumed()
    assert begun(effects) == {"g0_navigate_1": False}
    assert begun(ended(run, "g0_navigate_1")) == {"g1_click_1": False}


def test_a_page_that_was_acted_on_is_not_had_again() -> None:
    tale = Tale((OPEN, BACK, after(CLICK, 1), MUTE)).did("g0_navigate_1", "g1_back_1")
    run, effects = tale.resumed()
    assert list(started(effects)) == ["g3_mute_1"]
    finished = only(wire.Finished, ended(run, "g3_mute_1"))
    assert statuses(finished) == ["success", "success", "failed", "success"]
    assert (finished.results[2].code, finished.results[2].message) == (Code.UNAVAILABLE, LOST)


def test_what_was_under_way_on_a_lost_page_is_in_doubt_and_the_page_is_left_alone() -> None:
    tale = Tale((OPEN, CLICK, after(SCROLL, 1))).did("g0_navigate_1").began("g1_click_1")
    run, effects = tale.resumed()
    assert begun(effects) == {"g1_click_1": True}
    finished = only(wire.Finished, ended(run, "g1_click_1", "in_doubt"))
    assert statuses(finished)[:2] == ["success", "in_doubt"]


def test_what_may_be_repeated_on_a_lost_page_waits_until_the_page_is_there_again() -> None:
    run, effects = Tale((OPEN, SCROLL)).did("g0_navigate_1").began("g1_scroll_1").resumed()
    assert begun(effects) == {"g0_navigate_1": False}
    assert begun(ended(run, "g0_navigate_1")) == {"g1_scroll_1": False}


def test_a_page_on_which_part_of_a_set_was_done_is_not_had_again() -> None:
    check = GoalDraft("browser", "check", roles={"target": "boxes"}, scope="after:g0")
    tale = Tale((OPEN, check)).did("g0_navigate_1").meant("g1_check_1", *THREE)
    _, effects = tale.did("g1_check_1.1").resumed()
    assert not started(effects)
    finished = only(wire.Finished, effects)
    assert statuses(finished) == ["success", "partial"]
    assert LOST in str(finished.results[1].message)


def test_pages_are_still_there_when_only_the_orchestrator_crashed() -> None:
    _, effects = (
        Tale((OPEN, BACK, after(SCROLL, 1))).did("g0_navigate_1", "g1_back_1").resumed(afresh=False)
    )
    assert begun(effects) == {"g2_scroll_1": False}


# One life after another


@asynccontextmanager
async def life(
    folder: Path,
    *tools: FakeTool,
    things: Sequence[Thing] = (),
    asks: bool = False,
    kind: type[JournalFile] = JournalFile,
) -> AsyncIterator[House]:
    """Run all actors until their sudden end."""
    scenes = {"world": in_a_room(*things)} if things else None
    settings = Settings(approval=ApprovalSettings(ask=("delete",) if asks else ()))
    with journal_file(folder / "journal.db", kind=kind) as store:
        async with house(*tools, scenes=scenes, journal=store, settings=settings) as actors:
            yield actors


def following(actors: House, name: str = "c1") -> Listener:
    """Hear of a command that comes back, from its first event."""
    heard = Listener()
    actors.parts.gateway.switchboard.attach(name, heard)
    return heard


async def test_commands_come_back_in_their_order_and_each_runs_once(tmp_path: Path) -> None:
    gate, level = Gate(), FakeTool("audio_set", intent="audio_control")
    levels = [50, 10, 40, 20]
    async with life(tmp_path, mute(gate), level) as actors:
        await actors.run("done", goal("audio.set", level=5))
        await actors.submit("c1", MUTE)
        for number in levels:
            await actors.submit(f"c{number}", goal("audio.set", level=number))
        await gate.somebody()
        assert len(level.calls) == 1
    again, level = mute(), FakeTool("audio_set", intent="audio_control")
    again.seen = False
    async with life(tmp_path, again, level) as actors:
        heard = following(actors, f"c{levels[-1]}")
        assert (await heard.finished()).status == "success"
    assert [call["level"] for call in level.calls] == levels


async def test_what_finished_is_told_again_and_not_done_again(tmp_path: Path) -> None:
    async with life(tmp_path, mute()) as actors:
        first = await (await actors.run("c1", MUTE)).finished()
    tool = mute()
    async with life(tmp_path, tool) as actors:
        answer = await actors.orchestrator.ask(Admit(command(MUTE).submit))
    assert isinstance(answer, Known)
    assert (answer.state.status, answer.finished) == ("success", first)
    assert tool.calls == []


async def interrupted(folder: Path, draft: GoalDraft, tool: FakeTool, gate: Gate) -> None:
    """End everything while an action is under way."""
    async with life(folder, tool) as actors:
        await actors.submit("c1", draft)
        await gate.somebody()


@pytest.mark.parametrize(("seen", "calls"), [(True, 0), (False, 1), (None, 1)])
async def test_what_is_safe_to_repeat_is_repeated_unless_its_effect_is_there(
    tmp_path: Path,
    seen: bool | None,  # noqa: FBT001
    calls: int,
) -> None:
    gate = Gate()
    await interrupted(tmp_path, MUTE, mute(gate), gate)
    tool = mute()
    tool.seen = seen
    async with life(tmp_path, tool) as actors:
        finished = await following(actors).finished()
    assert len(tool.calls) == calls
    assert statuses(finished) == ["failed" if seen is False else "success"]


@pytest.mark.parametrize(
    ("seen", "known"),
    [(True, "is there"), (None, "nobody could see")],
)
async def test_what_is_not_safe_to_repeat_is_in_doubt_with_what_is_known(
    tmp_path: Path,
    seen: bool | None,  # noqa: FBT001
    known: str,
) -> None:
    gate = Gate()
    await interrupted(tmp_path, LOUDER, louder(gate), gate)
    tool = louder()
    tool.seen = seen
    async with life(tmp_path, tool) as actors:
        finished = await following(actors).finished()
        assert (await (await actors.run("c2", LOUDER)).finished()).status == "success"
    assert (finished.status, finished.code) == ("in_doubt", Code.CRASHED)
    assert known in str(finished.message)
    assert len(tool.calls) == 1


async def test_what_nothing_here_can_do_any_more_may_have_happened(tmp_path: Path) -> None:
    gate = Gate()
    await interrupted(tmp_path, LOUDER, louder(gate), gate)
    async with life(tmp_path, clock()) as actors:
        finished = await following(actors).finished()
    assert (finished.status, finished.code) == ("in_doubt", Code.CRASHED)


async def test_a_page_is_not_asked_what_became_of_it(tmp_path: Path) -> None:
    gate = Gate()
    opener = FakeTool("browser_navigate", gate, "browser_control")
    async with with_pages(tmp_path, opener) as actors:
        await actors.submit("c1", goal("browser.navigate", url="a.org"))
        await gate.somebody()
    opener = FakeTool("browser_navigate", intent="browser_control")
    async with with_pages(tmp_path, opener) as actors:
        assert (await following(actors).finished()).status == "success"
    assert len(opener.calls) == 1


@dataclass
class AnyLane:
    """Lanes without end."""

    async def enter(self, lane: str) -> None: ...
    async def leave(self, lane: str) -> None: ...
    async def close(self) -> None: ...


@asynccontextmanager
async def with_pages(folder: Path, *tools: FakeTool) -> AsyncIterator[House]:
    """Run all actors with tools that work on pages."""
    with journal_file(folder / "journal.db") as store:
        lanes = {"browser_control": AnyLane()}
        async with house(*tools, journal=store, lanes=lanes) as actors:
            yield actors


# What a tool can tell by what it noted before

PLACE, NOTED = "/work/log.txt", {"here": {"size": 5}}


def noting(act: Act = succeed, recovered: Recovered = None) -> FakeTool:
    """Make a tool that is not safe to repeat and knows by its notes what became of its work."""
    tool = louder(act)
    tool.record, tool.recovered, tool.works_at = NOTED, recovered, (PLACE,)
    return tool


async def recovered_life(folder: Path, recovered: Recovered) -> tuple[FakeTool, wire.Finished]:
    """Interrupt an action, and go on with a tool that says this of it."""
    gate = Gate()
    await interrupted(folder, LOUDER, noting(gate), gate)
    tool = noting(recovered=recovered)
    async with life(folder, tool) as actors:
        return tool, await following(actors).finished()


async def test_what_a_tool_knows_to_have_happened_is_a_success_with_its_output_and_undo(
    tmp_path: Path,
) -> None:
    undo = (goal("audio.set", level=5),)
    tool, finished = await recovered_life(tmp_path, Done({"level": 9}, undo=undo))
    assert (finished.status, tool.calls) == ("success", [])
    (result,) = finished.results
    assert (result.output, result.verified) == ({"level": 9}, True)
    story = stories(tmp_path / "journal.db")["c1"]
    assert [entry.undo for entry in story.entries if isinstance(entry, Outcome)] == [undo]
    assert undoing(story).goals == undo
    assert undoing(story).left == ()


async def test_what_a_tool_knows_not_to_have_happened_is_done_once(tmp_path: Path) -> None:
    tool, finished = await recovered_life(tmp_path, None)
    assert (finished.status, len(tool.calls)) == ("success", 1)


async def test_what_a_tool_cannot_tell_is_in_doubt_and_it_is_said_why(tmp_path: Path) -> None:
    tool, finished = await recovered_life(tmp_path, Unknown("somebody else wrote to it"))
    assert (finished.status, finished.code, tool.calls) == ("in_doubt", Code.CRASHED, [])
    assert "somebody else wrote to it" in str(finished.message)


async def test_what_must_not_be_done_any_more_fails(tmp_path: Path) -> None:
    stale = Refused(Code.TARGET_STALE, "it is another one now; nothing was done")
    tool, finished = await recovered_life(tmp_path, stale)
    assert (finished.status, finished.code, tool.calls) == ("failed", Code.TARGET_STALE, [])


@pytest.mark.parametrize(
    ("recovered", "calls"), [(Done({"level": 9}), 1), (None, 2), (Unknown("who knows"), 1)]
)
async def test_after_a_crash_of_the_executor_a_tool_tells_as_after_a_kill(
    recovered: Recovered, calls: int
) -> None:
    gate, reader = Gate(), FakeReader()
    tool = noting(gate, recovered)
    async with house(tool, clock(), reader=reader) as actors:
        heard = await actors.submit("c1", LOUDER)
        await gate.somebody()
        gate.open()
        await crash(actors.executor, reader)
        finished = await heard.finished()
    assert finished.status == ("in_doubt" if isinstance(recovered, Unknown) else "success")
    assert len(tool.calls) <= calls


async def test_what_was_interrupted_is_seen_to_before_anything_new_in_its_place(
    tmp_path: Path,
) -> None:
    gate = Gate()
    first = noting(gate)
    await interrupted(tmp_path, LOUDER, first, gate)
    order: list[str] = []

    async def raise_volume(_args: Mapping[str, Value]) -> Done:
        order.append("interrupted")
        return Done()

    async def set_level(_args: Mapping[str, Value]) -> Done:
        order.append("new")
        return Done()

    level = FakeTool("audio_set", set_level, "audio_control", works_at=(PLACE,), record=NOTED)
    async with life(tmp_path, noting(raise_volume), level) as actors:
        heard = following(actors)
        await actors.run("c2", goal("audio.set", level=5), session="another")
        await heard.finished()
    assert order == ["interrupted", "new"]


async def test_of_actions_in_one_place_at_most_one_is_undecided(tmp_path: Path) -> None:
    gate = Gate()
    async with life(tmp_path, noting(gate)) as actors:
        heard = [await actors.submit(f"c{each}", LOUDER, session=f"s{each}") for each in range(5)]
        await gate.somebody()
        await actors.run("other", TIME)
        assert gate.arrived == 1
        gate.open()
        assert {(await each.finished()).status for each in heard} == {"success"}
    undecided: set[str] = set()
    rows = look(tmp_path / "journal.db", "SELECT command, body FROM entries ORDER BY seq")
    for name, body in rows:
        match msgspec.json.decode(body, type=Entry):
            case Intent():
                undecided.add(name)
            case Outcome():
                undecided.remove(name)
            case _:
                pass
        assert len(undecided) <= 1


async def test_actions_in_different_places_do_not_wait_for_each_other(tmp_path: Path) -> None:
    gate = Gate(opens_at=2)
    other = FakeTool("audio_mute", gate, "audio_control", works_at=("/work/x",), record=NOTED)
    async with life(tmp_path, noting(gate), other) as actors:
        first = await actors.submit("c1", LOUDER, session="a")
        second = await actors.submit("c2", MUTE, session="b")
        assert {(await each.finished()).status for each in (first, second)} == {"success"}


async def test_an_action_that_waits_for_its_turn_can_be_cancelled(tmp_path: Path) -> None:
    gate = Gate()
    async with life(tmp_path, noting(gate)) as actors:
        first = await actors.submit("c1", LOUDER, session="a")
        await gate.somebody()
        second = await actors.submit("c2", LOUDER, session="b")
        await second.first(wire.ActionStarted)
        await actors.cancel("c2")
        assert (await second.finished()).status == "cancelled"
        gate.open()
        assert (await first.finished()).status == "success"
        assert (await (await actors.run("c3", LOUDER)).finished()).status == "success"
    assert gate.arrived == 2


@pytest.mark.parametrize(
    ("recovered", "status"),
    [(Done(), "success"), (None, "failed"), (Unknown("who knows"), "in_doubt")],
)
async def test_of_a_tool_that_crashed_it_is_found_out_how_far_it_came(
    tmp_path: Path, recovered: Recovered, status: str
) -> None:
    async with life(tmp_path, noting(break_down, recovered)) as actors:
        assert (await (await actors.run("c1", LOUDER)).finished()).status == status


async def test_a_journal_from_before_such_notes_is_read(tmp_path: Path) -> None:
    gate = Gate()
    await interrupted(tmp_path, LOUDER, noting(gate), gate)
    look(tmp_path / "journal.db", "UPDATE entries SET body = json_remove(body, '$.before')")
    async with life(tmp_path, noting(recovered=Done())) as actors:
        finished = await following(actors).finished()
    assert finished.status == "in_doubt"
    assert "its effect is there now" in str(finished.message)


async def test_what_takes_the_daemon_down_each_time_is_not_taken_up_any_more(
    tmp_path: Path,
) -> None:
    gate = Gate()
    await interrupted(tmp_path, LOUDER, noting(gate), gate)
    lives = "INSERT INTO entries (command, at, body) VALUES ('c1', 0, '{\"kind\":\"resumed\"}')"
    for _ in range(MOST_LIVES):
        look(tmp_path / "journal.db", lives)
    tool = noting()
    async with life(tmp_path, tool) as actors:
        assert (await following(actors).finished()).status == "in_doubt"
    assert tool.calls == []


@pytest.mark.parametrize(
    ("one", "other", "wait"),
    [
        (("/a/b",), ("/a/b",), True),
        (("/a",), ("/a/b/c",), True),
        (("/a/b/c",), ("/a",), True),
        (("/a/b",), ("/a/bc",), False),
        (("/a/b", "/x"), ("/y", "/x/z"), True),
        (("/a/b",), ("/a/c",), False),
        ((), ("/a",), False),
    ],
)
async def test_who_works_in_the_same_place_waits(
    one: tuple[str, ...], other: tuple[str, ...], *, wait: bool
) -> None:
    turns = Turns()
    with turns.join(other) as second:
        with turns.join(one) as first:
            pass
        await second.come()
        with turns.join(one) as first, anyio.move_on_after(0) as patience:
            await first.come()
    assert patience.cancelled_caught is wait
    with turns.join(one) as first:
        await first.come()


# Questions and approvals

OLD = Thing("old", "sword", adjectives=("old",))
RUSTY = Thing("rusty", "sword", adjectives=("rusty",))
OAK = Thing("oak", "chest", "container", adjectives=("oak",))
IRON = Thing("iron", "chest", "container", adjectives=("iron",))
TAKE_SWORD = GoalDraft("world", "take", roles={"direct": "sword"})


def hands(verb: str = "take") -> FakeTool:
    return FakeTool(f"world_{verb}", intent="world", name="hands")


async def answer(actors: House, question: str, choice: int | str) -> Known | TurnedAway:
    return await actors.orchestrator.ask(AnswerQuestion(wire.Answer("a", question, choice)))


async def approve(actors: House, approval: str) -> Known | TurnedAway:
    request = wire.Approve("a", approval, allow=True)
    return await actors.orchestrator.ask(ApproveAction(request))


async def test_a_question_that_waited_is_asked_again_under_another_name(tmp_path: Path) -> None:
    async with life(tmp_path, hands(), things=(OLD, RUSTY)) as actors:
        before = await (await actors.submit("c1", TAKE_SWORD)).first(wire.Question)
    tool = hands()
    async with life(tmp_path, tool, things=(OLD, RUSTY)) as actors:
        heard = following(actors)
        asked = await heard.first(wire.Question)
        assert asked.options == before.options
        late = await answer(actors, before.question, 1)
        assert isinstance(late, TurnedAway)
        assert late.error.code is Code.UNKNOWN_QUESTION
        assert isinstance(await answer(actors, asked.question, 2), Known)
        assert (await heard.finished()).status == "success"
    assert [call["direct"] for call in tool.calls] == ["rusty"]


@pytest.mark.parametrize("choice", [1, "1", "the old sword", "old"])
async def test_an_answer_is_not_asked_for_again_and_means_the_same_thing(
    tmp_path: Path, choice: int | str
) -> None:
    put = GoalDraft("world", "put", words="put the sword in the chest")
    async with life(tmp_path, hands("put"), things=(OLD, RUSTY, OAK, IRON)) as actors:
        heard = await actors.submit("c1", put)
        first = await heard.first(wire.Question)
        assert [option.target.id for option in first.options] == ["old", "rusty"]
        await answer(actors, first.question, choice)
        second = await heard.first(wire.Question, role="indirect")
    tool = hands("put")
    async with life(tmp_path, tool, things=(IRON, OAK, RUSTY, OLD)) as actors:
        heard = following(actors)
        asked = await heard.first(wire.Question)
        assert (asked.role, len(asked.options)) == (second.role, 2)
        await answer(actors, asked.question, "the oak chest")
        await heard.finished()
        assert len(heard.all(wire.Question)) == 1
    assert [(call["direct"], call["indirect"]) for call in tool.calls] == [("old", "oak")]
    entries = stories(tmp_path / "journal.db")["c1"].entries
    assert [each.role for each in entries if isinstance(each, Told)] == ["direct", "indirect"]


async def test_an_approval_that_waited_waits_again_under_another_name(tmp_path: Path) -> None:
    delete, draft = FakeTool("delete_any", intent="file_operation"), goal("file.delete", name="a")
    async with life(tmp_path, delete, asks=True) as actors:
        before = await (await actors.submit("c1", draft)).first(wire.ApprovalNeeded)
    async with life(tmp_path, delete, asks=True) as actors:
        heard = following(actors)
        asked = await heard.first(wire.ApprovalNeeded)
        assert asked.arguments == before.arguments
        late = await approve(actors, before.approval)
        assert isinstance(late, TurnedAway)
        assert late.error.code is Code.UNKNOWN_APPROVAL
        assert delete.calls == []
        assert isinstance(await approve(actors, asked.approval), Known)
        assert (await heard.finished()).status == "success"
    assert len(delete.calls) == 1


# Crashes of one actor alone


class Unlucky(Listener):
    """A client to whom sending one kind of event fails, once; the Orchestrator crashes of it."""

    def __init__(self, kind: type[wire.CommandEvent]) -> None:
        super().__init__()
        self.kind: type[wire.CommandEvent] | None = kind

    def put(self, lines: bytes, *, soon: bool = False) -> None:
        known = len(self.events)
        super().put(lines, soon=soon)
        if self.kind is not None and any(isinstance(e, self.kind) for e in self.events[known:]):
            self.kind = None
            raise RuntimeError("a defect")


async def insisted(actors: House, name: str, *goals: GoalDraft) -> Listener:
    """Submit a command until that is answered, as a client does."""
    heard = following(actors, name)
    submit = replace(command(*goals).submit, id=name)
    while True:
        with suppress(Unanswered):
            await actors.orchestrator.ask(Admit(submit))
            return heard


EVENTS = [wire.Accepted, wire.Interpreted, wire.Planned, wire.ActionStarted, wire.ActionFinished]


@pytest.mark.parametrize("kind", [*EVENTS, wire.Finished])
async def test_wherever_the_orchestrator_crashes_all_go_on_and_nothing_is_done_twice(
    tmp_path: Path, kind: type[wire.CommandEvent]
) -> None:
    loud, quiet, unlucky = louder(), mute(), Unlucky(kind)
    async with life(tmp_path, loud, quiet) as actors:
        actors.parts.gateway.switchboard.attach("c1", unlucky)
        await actors.orchestrator.ask(Admit(command(LOUDER, after(MUTE, 0)).submit))
        waiting = await insisted(actors, "c2", MUTE)
        assert (await waiting.finished()).status == "success"
        ends = unlucky.all(wire.Finished)
        assert {end.status for end in ends} == {"success"}
    assert (len(loud.calls), len(quiet.calls)) == (1, 2)


async def test_what_is_under_way_while_the_orchestrator_crashes_is_joined(tmp_path: Path) -> None:
    """More is asked for than the Executor does at a time: of the last the journal knows nothing."""
    gate, unlucky, many = Gate(), Unlucky(wire.Accepted), Executor.parallel + 2
    tool = louder(gate)
    async with life(tmp_path, tool) as actors:
        heard = [following(actors, f"c{number}") for number in range(many)]
        for number in range(many):
            submit = replace(command(LOUDER).submit, id=f"c{number}", session=f"s{number}")
            await actors.orchestrator.ask(Admit(submit))
        for each in heard:
            await each.first(wire.ActionStarted)
        actors.parts.gateway.switchboard.attach("plan", unlucky)
        plan = replace(command(LOUDER).submit, id="plan", session="plan", mode="plan")
        await actors.orchestrator.ask(Admit(plan))
        assert (await unlucky.finished()).status == "success"
        gate.open()
        assert {(await each.finished()).status for each in heard} == {"success"}
    assert len(tool.calls) == many


async def replies_to(actors: House, *requests: Request[Any]) -> list[Any]:
    """Ask the Orchestrator several things at once."""
    replies: list[Any] = []

    async def ask(request: Request[Any]) -> None:
        replies.append(await actors.orchestrator.ask(request))

    async with anyio.create_task_group() as tasks:
        for request in requests:
            tasks.start_soon(ask, request)
    return replies


async def test_all_who_ask_at_once_for_what_ended_before_hear_how(tmp_path: Path) -> None:
    submit, tool = replace(command(MUTE).submit, id="c1"), mute()
    async with life(tmp_path, mute()) as actors:
        await (await insisted(actors, "c1", MUTE)).finished()
    others: list[Request[Any]] = [
        CancelCommand(wire.Cancel("cancel", "c1")),
        Report(wire.Status("status", "c1")),
        UndoCommand(wire.Undo("c1", "c1")),
    ]
    async with life(tmp_path, tool) as actors:
        replies = await replies_to(actors, Admit(submit), Admit(submit), *others)
    ends = [reply.finished for reply in replies if isinstance(reply, Known)]
    assert [end and end.status for end in ends] == ["success"] * 5
    assert tool.calls == []


async def test_all_who_ask_for_what_cannot_be_written_down_hear_that(tmp_path: Path) -> None:
    submit = replace(command(MUTE).submit, id="c1")
    cancel = CancelCommand(wire.Cancel("cancel", "c1"))
    async with life(tmp_path, mute(), kind=Clumsy) as actors:
        replies = await replies_to(actors, Admit(submit), Admit(submit), cancel)
    codes = [reply.error.code for reply in replies if isinstance(reply, TurnedAway)]
    assert codes == [Code.NOT_DURABLE] * 3


class Deaf(JournalFile):
    """A journal that never tells of one command."""

    def put(self, message: object, deliver: Deliver | None) -> None:
        if not isinstance(message, Recall) or not message.command_id:
            super().put(message, deliver)  # type: ignore[arg-type]


async def test_who_asks_while_the_orchestrator_crashes_is_told_so(tmp_path: Path) -> None:
    unlucky = Unlucky(wire.Accepted)
    async with life(tmp_path, mute(), kind=Deaf) as actors, anyio.create_task_group() as tasks:

        async def ask(request: Request[Any]) -> None:
            with pytest.raises(Unanswered):
                await actors.orchestrator.ask(request)

        tasks.start_soon(ask, Report(wire.Status("s", "long ago")))
        tasks.start_soon(ask, UndoCommand(wire.Undo("u", "long ago")))
        await anyio.wait_all_tasks_blocked()
        actors.parts.gateway.switchboard.attach("c1", unlucky)
        await actors.orchestrator.tell(Admit(command(MUTE).submit))


async def test_after_a_crash_of_the_orchestrator_a_try_is_a_real_one(tmp_path: Path) -> None:
    busy = Refused(Code.UNAVAILABLE, "busy", transient=True)
    tool, unlucky = mute(in_turn(busy, busy, Done())), Unlucky(wire.Planned)
    async with life(tmp_path, tool) as actors:
        actors.parts.gateway.switchboard.attach("c1", unlucky)
        await actors.orchestrator.ask(Admit(command(MUTE).submit))
        for attempt in (1, 2):
            await unlucky.first(wire.ActionStarted, attempt=attempt)
            while len(unlucky.all(wire.ActionFinished)) < attempt:
                await actors.health()
            for _ in range(attempt):
                await actors.orchestrator.tell(Tick(0.0))
        assert (await unlucky.finished()).status == "success"
    assert len(tool.calls) == 3


async def test_two_requests_for_one_action_are_one_action(tmp_path: Path) -> None:
    gate = Gate()
    tool = louder(gate)
    async with life(tmp_path, tool) as actors:
        await actors.submit("c0", MUTE, mode="plan")
        tale = Tale((LOUDER,))
        request = Perform("c1", tale.action("g0_raise_1"))
        replies = Replies()
        await actors.executor.tell(request, replies)
        await actors.executor.tell(replace(request, begun=True), replies)
        await gate.somebody()
        gate.open()
        while len(replies.results) < 2:
            await actors.health()
    assert [result.status for result in replies.results] == ["success", "success"]
    assert len(tool.calls) == 1


async def test_what_failed_in_passing_is_tried_again_by_whoever_asks_for_what_has_begun(
    tmp_path: Path,
) -> None:
    tool = mute(in_turn(Refused(Code.UNAVAILABLE, "busy", transient=True), Done()))
    async with life(tmp_path, tool) as actors:
        await actors.submit("c1", MUTE, mode="plan")
        action = replace(Tale((MUTE,)).action("g0_mute_1"), repeatable=True)
        request = Perform("c1", action, begun=True)
        ends = [(await actors.executor.ask(request)).result.status for _ in range(3)]
    assert ends == ["failed", "success", "success"]
    assert len(tool.calls) == 2


@dataclass
class Replies:
    """The way back of several requests."""

    results: list[ActionResult] = field(default_factory=list)

    def deliver(self, reply: object, _trace: object) -> None:
        self.results.append(reply.result)  # type: ignore[attr-defined]

    def give_up(self, request: object, trace: object) -> None:
        raise AssertionError(request)


async def test_what_nothing_can_do_after_a_crash_of_the_executor_is_in_doubt() -> None:
    gate, reader = Gate(), FakeReader()
    tool = louder(gate)
    async with house(tool, clock(), reader=reader) as actors:
        heard = await actors.submit("c1", LOUDER)
        await gate.somebody()
        tool.present = False
        await crash(actors.executor, reader)
        gate.open()
        assert (await heard.finished()).status == "in_doubt"


class Clumsy(JournalFile):
    """A journal that fails each kind of message once, before it is taken, and its actor with it."""

    failed: set[type]

    def put(self, message: object, deliver: Deliver | None) -> None:
        failed = self.__dict__.setdefault("failed", set())
        if type(message) not in failed:
            failed.add(type(message))
            raise RuntimeError("a defect")
        super().put(message, deliver)  # type: ignore[arg-type]


async def test_a_journal_that_crashes_loses_nothing_that_was_accepted(tmp_path: Path) -> None:
    loud = louder()
    async with life(tmp_path, loud, kind=Clumsy) as actors:
        refused = await actors.orchestrator.ask(Admit(command(LOUDER).submit))
        assert isinstance(refused, TurnedAway)
        assert refused.error.code is Code.NOT_DURABLE
        heard = await actors.submit("c1", LOUDER)  # its intent and its end fail once each
        assert (await heard.finished()).status == "success"
    assert len(loud.calls) == 1
    assert stories(tmp_path / "journal.db")["c1"].finished is not None


# Plans


def sample(parameter: Parameter) -> Scalar:
    """Give a value that a parameter accepts."""
    if parameter.default is not None:
        return parameter.default
    if parameter.allowed:
        return parameter.allowed[0]
    least = int(parameter.minimum or 1)
    values: dict[str, Scalar] = {"integer": least, "number": least, "flag": True}
    return values.get(parameter.type, "sample.txt")


def every_goal() -> Iterator[GoalDraft]:
    """Make a goal of each rule, with all its parameters."""
    for (domain, verb), rule in planner_rules().rules.items():
        values = {name: sample(parameter) for name, parameter in rule.params.items()}
        if rule.rehearses:
            values[rule.rehearses] = "mute the sound"  # it must be a command
        yield GoalDraft(domain, verb, values)


async def test_a_plan_of_any_rule_calls_no_tool_and_leaves_no_entry(tmp_path: Path) -> None:
    tools = everything()
    goals = list(every_goal())
    async with life(tmp_path, *tools, asks=True) as actors:
        for number, draft in enumerate(goals):
            heard = await actors.run(f"c{number}", draft, mode="plan")
            finished = heard.all(wire.Finished)[0]
            unspoken = planner_rules().rules[draft.domain, draft.verb].unspoken
            expected = ("failed", ["blocked"]) if unspoken else ("success", ["planned"])
            assert (finished.status, statuses(finished)) == expected, draft
            assert not heard.all(wire.ActionStarted)
        whole = await actors.run("all", *goals, mode="plan", allow_partial=True)
        assert whole.all(wire.Planned)
        assert not whole.all(wire.ActionStarted)
    assert [tool.name for tool in tools if tool.calls] == []
    told = stories(tmp_path / "journal.db")
    assert len(told) == len(goals) + 1
    assert not any(story.entries for story in told.values())


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


# The real thing


PACTL = """\
#!/bin/sh
echo "$1" >> "{folder}/asked"
case "$1" in
set-sink-mute) read -r _ < "{folder}/gate"; echo "$3" > "{folder}/muted" ;;
set-sink-volume) read -r _ < "{folder}/gate" ;;
get-sink-mute) if grep -q 1 "{folder}/muted"; then echo "Mute: yes"; else echo "Mute: no"; fi ;;
get-sink-volume) echo "Volume: 50%" ;;
esac
"""


@dataclass
class Sound:
    """A ``pactl`` that waits at a gate before it does anything, and what it was asked."""

    folder: Path

    def __post_init__(self) -> None:
        (self.folder / "programs").mkdir()
        program = self.folder / "programs" / "pactl"
        program.write_text(PACTL.format(folder=self.folder))
        program.chmod(0o755)
        (self.folder / "muted").write_text("0")
        (self.folder / "asked").touch()
        os.mkfifo(self.folder / "gate")
        self._gate = os.open(self.folder / "gate", os.O_RDWR)

    @property
    def environment(self) -> Mapping[str, str]:
        return {"PATH": f"{self.folder / 'programs'}{os.pathsep}{os.environ['PATH']}"}

    def let_one_pass(self) -> None:
        os.write(self._gate, b"\n")

    def count(self, what: str) -> int:
        return (self.folder / "asked").read_text().split().count(what)

    def close(self) -> None:
        os.close(self._gate)


@contextmanager
def sound(folder: Path) -> Iterator[Sound]:
    made = Sound(folder)
    try:
        yield made
    finally:
        made.close()


def killed(daemon: Daemon) -> None:
    """Kill a daemon, and then what it has started: nobody waits for that any more."""
    children = psutil.Process(daemon.process.pid).children(recursive=True)
    daemon.process.send_signal(signal.SIGKILL)
    daemon.stop()
    for child in children:
        with suppress(psutil.NoSuchProcess):  # some end by themselves when their daemon does
            child.kill()


def wired(draft: GoalDraft) -> Event:
    plain: Event = msgspec.to_builtins(draft)
    return plain


def test_a_killed_daemon_goes_on_where_it_stood(tmp_path: Path) -> None:
    dependent, independent = folder("never", "after:g0"), folder("made")
    with sound(tmp_path) as pactl:
        daemon = launched(tmp_path, environment=pactl.environment)
        client = daemon.connect()
        done = client.run("done", goals=[wired(folder("done"))])[-1]
        client.submit("safe", goals=[wired(MUTE)], session="a")
        client.submit("next", goals=[wired(folder("next"))], session="a")
        doubtful = [wired(each) for each in (LOUDER, dependent, independent)]
        client.submit("unsafe", goals=doubtful, session="b")
        daemon.wait_for("action.started", tool="audio.mute")
        daemon.wait_for("action.started", tool="audio.raise")
        daemon.wait_for("action.finished", command_id="unsafe", goal_id="g2")
        while pactl.count("set-sink-mute") + pactl.count("set-sink-volume") < 2:
            daemon.connect().ask(type="status", id="s")
        killed(daemon)
        with running_daemon(tmp_path, environment=pactl.environment) as daemon:
            client = daemon.connect()
            known, end = client.run("done", goals=[wired(folder("done"))])
            assert (known["type"], end) == ("state", done)
            client.submit("unsafe", goals=doubtful, session="b")
            client.submit("safe", goals=[wired(MUTE)], session="a")
            client.submit("next", goals=[wired(folder("next"))], session="a")
            while pactl.count("set-sink-mute") < 2:
                daemon.connect().ask(type="status", id="s")
            pactl.let_one_pass()
            ends: dict[str, Event] = {}
            while len(ends) < 3:
                if (event := client.read())["type"] == "finished":
                    ends[event["command"]] = event
        assert [ends[name]["status"] for name in ("safe", "next", "unsafe")] == [
            "success",
            "success",
            "in_doubt",
        ]
        results = [result["status"] for result in ends["unsafe"]["results"]]
        assert results == ["in_doubt", "skipped", "success"]
        assert list(ends).index("safe") < list(ends).index("next")
        assert pactl.count("set-sink-volume") == 1
        assert set(tree(tmp_path / "work")) == {"done", "next", "made"}


def test_what_a_killed_daemon_had_done_is_found_done(tmp_path: Path) -> None:
    with sound(tmp_path) as pactl:
        daemon = launched(tmp_path, environment=pactl.environment)
        daemon.connect().submit("safe", goals=[wired(MUTE)])
        daemon.wait_for("action.started")
        killed(daemon)
        (tmp_path / "muted").write_text("1")
        with running_daemon(tmp_path, environment=pactl.environment) as daemon:
            client = daemon.connect()
            events = client.run("safe", goals=[wired(MUTE)])
            assert (events[0]["type"], events[-1]["status"]) == ("state", "success")
            assert daemon.wait_for("action.found_done")["command_id"] == "safe"
            before = pactl.count("set-sink-mute")

            # Whoever comes back during a command hears how it stands, and then the rest.
            client.submit("later", goals=[wired(MUTE)])
            client.read_until(type="action_started")
            other = daemon.connect()
            other.submit("later", goals=[wired(MUTE)])
            state = other.read()
            assert (state["status"], list(state["graph"]["nodes"])) == ("running", ["g0_mute_1"])
            pactl.let_one_pass()
            rest = [event["type"] for event in other.read_until(type="finished")]
            assert rest == ["action_finished", "finished"]
            client.read_until(type="finished")

            # Nor does a plan of anything leave a trace.
            untouched = tree(daemon.root)
            for number, draft in enumerate(every_goal()):
                planned = client.run(f"plan {number}", goals=[wired(draft)], mode="plan")
                assert not [event for event in planned if event["type"].startswith("action")]
            assert tree(daemon.root) == untouched
        assert pactl.count("set-sink-mute") == before + 1 <= 2
        entries = "SELECT count(*) FROM entries WHERE command LIKE 'plan %'"
        assert look(tmp_path / "state" / "journal.db", entries) == [(0,)]

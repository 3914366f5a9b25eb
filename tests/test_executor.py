"""The Executor's promises: the one tool, the exact arguments, the effect that was seen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import msgspec
import pytest
from structlog.testing import capture_logs

from actors.executor.toolbox import resolve_tool, toolbox
from actors.mailbox import Address, Mailbox, Unanswered
from actors.supervisor import supervise
from messages import executing
from messages.executing import (
    Abort,
    Done,
    Look,
    Outcome,
    Perform,
    Performed,
    Refused,
    Seen,
    Survey,
    Watch,
    WorldSeen,
)
from messages.goals import GoalDraft
from messages.message import Message, Value
from messages.plans import Fact, PlannedAction, WorldState
from messages.results import Code
from messages.worlds import World
from tests.parts import (
    PATIENCE,
    Args,
    FakeReader,
    FakeTool,
    Gate,
    break_down,
    crash,
    executor_of,
    fail,
    in_turn,
    never_end,
    succeed,
)
from tests.running import running

WORLD = WorldState()


def action(achieves: str = "mute", /, **args: Value) -> PlannedAction:
    return PlannedAction(
        action_id="g0_mute_1",
        goal_id="g0",
        intent="system_query",
        description=achieves,
        args=args,
        action_class="actuate",
        achieves=achieves,
        expected_effect=f"{achieves}_done",
    )


def perform(achieves: str = "mute", command: str = "c1", /, **args: Value) -> Perform:
    return Perform(command, action(achieves, **args))


async def result_of(*tools: FakeTool, request: Perform | None = None) -> Performed:
    async with running(executor_of(*tools)) as executor:
        return await executor.ask(request or perform())


# Which tool


def chosen(*tools: FakeTool, world: WorldState = WORLD, **args: Value) -> str | None:
    tool = resolve_tool(action(**args), toolbox(tools), world)
    return None if tool is None else tool.name


def test_the_first_declared_tool_that_achieves_the_action_is_chosen() -> None:
    tools = [FakeTool("mute", name="one"), FakeTool("mute", name="two")]
    assert chosen(*tools) == "one"
    assert chosen(*reversed(tools)) == "two"


def test_a_tool_that_achieves_something_else_is_never_chosen() -> None:
    assert chosen(FakeTool("unmute")) is None


def test_a_tool_of_another_intent_is_never_chosen() -> None:
    assert chosen(FakeTool("mute", intent="file_operation"), FakeTool("mute", name="ours")) == (
        "ours"
    )


def test_a_tool_whose_requirements_do_not_hold_is_passed_over() -> None:
    needy = FakeTool("mute", name="needy", requires=frozenset({"browser_running"}))
    frugal = FakeTool("mute", name="frugal")
    assert chosen(needy, frugal) == "frugal"
    assert chosen(needy, frugal, world=WorldState(browser_running=True)) == "needy"


def test_requirements_are_filled_in_from_the_arguments() -> None:
    needy = FakeTool("mute", requires=frozenset({"app_running:{app}"}))
    world = WorldState(running_apps=frozenset({"firefox"}))
    assert chosen(needy, world=world, app="Firefox") == "fake"
    assert chosen(needy, world=world, app="gedit") is None


async def test_a_tool_that_is_not_available_is_no_capability() -> None:
    absent, present = FakeTool("mute", name="absent", present=False), FakeTool("mute")
    async with running(executor_of(absent, present)) as executor:
        surveyed = await executor.ask(Survey("c1"))
        await executor.ask(perform())
    assert surveyed.capabilities == (present.capability,)
    assert (absent.calls, present.calls) == ([], [{}])


async def test_what_nothing_can_do_is_refused() -> None:
    performed = await result_of(FakeTool("unmute"))
    assert (performed.result.status, performed.result.code) == ("failed", Code.NO_CAPABILITY)


# What it gets


async def test_the_tool_gets_what_was_planned_and_bound_and_nothing_else() -> None:
    tool = FakeTool("mute")
    request = Perform("c1", action(level=3), {"path": "/bound", "direct": "e1"})
    await result_of(tool, request=request)
    assert tool.calls == [{"level": 3, "path": "/bound", "direct": "e1"}]


# What came of it


async def test_an_effect_that_was_seen_is_verified() -> None:
    performed = await result_of(FakeTool("mute", in_turn(Done("quiet"))))
    assert performed.result.status == "success"
    assert performed.result.verified
    assert performed.result.output == "quiet"


async def test_an_effect_that_was_looked_for_and_is_missing_is_a_failure() -> None:
    performed = await result_of(FakeTool("mute", seen=False))
    assert (performed.result.status, performed.result.code) == ("failed", Code.EFFECT_MISSING)
    assert "mute_done" in str(performed.result.message)
    assert not performed.result.verified


@pytest.mark.parametrize("seen", [True, None, False])
async def test_what_would_undo_an_action_is_told_whether_or_not_its_effect_was_seen(
    seen: bool | None,  # noqa: FBT001
) -> None:
    undo = (GoalDraft("audio", "unmute"),)
    performed = await result_of(FakeTool("mute", in_turn(Done(undo=undo)), seen=seen))
    assert performed.undo == undo
    assert "undo" not in msgspec.to_builtins(performed.result)


async def test_what_was_refused_has_nothing_to_undo() -> None:
    refusal = Refused(Code.UNAVAILABLE, "busy")
    assert (await result_of(FakeTool("mute", in_turn(refusal)))).undo == ()


async def test_an_effect_that_cannot_be_seen_is_not_claimed() -> None:
    performed = await result_of(FakeTool("mute", seen=None))
    assert (performed.result.status, performed.result.verified) == ("success", False)


async def test_a_refusal_keeps_its_code_its_message_and_whether_it_may_pass() -> None:
    refusal = Refused(Code.UNAVAILABLE, "busy", transient=True)
    performed = await result_of(FakeTool("mute", in_turn(refusal)))
    assert (performed.result.status, performed.result.code) == ("failed", Code.UNAVAILABLE)
    assert (performed.result.message, performed.transient) == ("busy", True)


async def test_the_crash_of_a_tool_ends_its_action_alone() -> None:
    gate = Gate()
    async with (
        running(executor_of(FakeTool("mute", gate), FakeTool("break", break_down))) as actor,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(actor.ask, perform("mute"))
        await gate.somebody()
        performed = await actor.ask(perform("break"))
        gate.open()
    assert (performed.result.status, performed.result.code) == ("in_doubt", Code.CRASHED)
    assert "a defect" in str(performed.result.message)
    assert not performed.transient


async def test_an_action_whose_check_crashes_is_done_but_not_verified() -> None:
    class Blind(FakeTool):
        async def verify(self, args: Args, done: Done) -> bool | None:
            raise RuntimeError("a defect")

    with capture_logs():
        async with running(executor_of(Blind("look"), FakeTool("mute"))) as executor:
            result = (await executor.ask(perform("look"))).result
            assert (result.status, result.verified) == ("success", False)
            assert (await executor.ask(perform("mute"))).result.verified


SAFE = msgspec.structs.replace(action(), repeatable=True)
LOOKS = msgspec.structs.replace(action(), action_class="observe")


@pytest.mark.parametrize(
    ("what", "status"), [(SAFE, "failed"), (LOOKS, "failed"), (action(), "in_doubt")]
)
async def test_what_a_tool_broke_off_may_have_happened_unless_it_is_safe_to_repeat(
    what: PlannedAction, status: str
) -> None:
    slow = await result_of(FakeTool("mute", never_end), request=Perform("c1", what, timeout=0))
    assert (slow.result.status, slow.result.code) == (status, Code.TIMEOUT)
    assert slow.transient
    broken = await result_of(FakeTool("mute", break_down), request=Perform("c1", what))
    assert (broken.result.status, broken.result.code) == (status, Code.CRASHED)


async def test_a_tool_that_broke_off_before_it_acted_has_done_nothing() -> None:
    class Unsure(FakeTool):
        async def feasible(self, args: Args) -> Refused | None:
            await never_end(args)
            return None

    tool = Unsure("mute")
    performed = await result_of(tool, request=Perform("c1", action(), timeout=0))
    assert (performed.result.status, performed.result.code) == ("failed", Code.TIMEOUT)
    assert tool.calls == []


async def test_an_action_that_waits_for_a_free_place_has_not_begun_its_time() -> None:
    gate = Gate()
    tool = FakeTool("wait")
    async with (
        running(executor_of(FakeTool("mute", gate), tool, parallel=1)) as executor,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(executor.ask, perform("mute"))
        await gate.somebody()
        tasks.start_soon(executor.ask, perform("wait"))
        await anyio.wait_all_tasks_blocked()
        assert tool.calls == []
        gate.open()
    assert tool.calls == [{}]


async def test_a_glance_is_answered_like_any_action() -> None:
    tool = FakeTool("mute", glance=lambda args: Done(args["zone"]))
    performed = await result_of(tool, request=perform(zone="UTC"))
    assert (performed.result.status, performed.result.output) == ("success", "UTC")
    assert performed.result.verified


async def test_the_crash_of_a_glance_ends_its_action_alone() -> None:
    def crash(args: Args) -> Outcome:
        raise RuntimeError("a defect")

    async with running(executor_of(FakeTool("look", glance=crash), FakeTool("mute"))) as executor:
        assert (await executor.ask(perform("look"))).result.code == Code.CRASHED
        assert (await executor.ask(perform("mute"))).result.status == "success"


# Side by side, and stopping


async def test_actions_run_side_by_side() -> None:
    gate = Gate(opens_at=3)
    async with (
        running(executor_of(FakeTool("mute", gate))) as executor,
        anyio.create_task_group() as tasks,
    ):
        for _ in range(3):
            tasks.start_soon(executor.ask, perform())
    assert gate.arrived == 3


async def test_abort_stops_what_is_under_way_for_that_command_alone() -> None:
    gate, ends = Gate(), dict[str, Performed]()

    async def ask(command: str) -> None:
        ends[command] = await executor.ask(perform("mute", command))

    async with (
        running(executor_of(FakeTool("mute", gate))) as executor,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(ask, "c1")
        tasks.start_soon(ask, "c2")
        await anyio.wait_all_tasks_blocked()
        await executor.tell(Abort("c1"))
        await anyio.wait_all_tasks_blocked()
        assert ends.keys() == {"c1"}
        gate.open()
    assert (ends["c1"].result.status, ends["c1"].result.code) == ("cancelled", Code.CANCELLED)
    assert ends["c2"].result.status == "success"


async def test_an_action_aborted_before_it_began_never_begins() -> None:
    gate, tool, ends = Gate(), FakeTool("wait"), list[Performed]()

    async def ask() -> None:
        ends.append(await executor.ask(perform("wait", "c2")))

    async with (
        running(executor_of(FakeTool("mute", gate), tool, parallel=1)) as executor,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(executor.ask, perform())
        await gate.somebody()
        tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        await executor.tell(Abort("c2"))
        await anyio.wait_all_tasks_blocked()
        gate.open()
    assert ends[0].result.status == "cancelled"
    assert tool.calls == []


async def test_aborting_a_command_that_is_not_there_hurts_nobody() -> None:
    async with running(executor_of(FakeTool("mute"))) as executor:
        await executor.tell(Abort("never"))
        assert (await executor.ask(perform())).result.status == "success"


# What is true now


async def world_after(*tools: FakeTool, request: Perform | None = None) -> WorldState:
    async with running(executor_of(*tools)) as executor:
        await executor.ask(request or perform())
        return (await executor.ask(Survey("c1"))).world


async def test_success_is_recorded_as_a_fact_with_its_action_and_command() -> None:
    world = await world_after(FakeTool("mute"))
    assert world.recent_facts == (Fact("mute_done", "g0_mute_1", "c1"),)


async def test_what_a_tool_brought_about_is_recorded_too() -> None:
    tool = FakeTool("mute", in_turn(Done(effects=("app_running:Firefox", "browser_running"))))
    world = await world_after(tool)
    effects = [fact.effect for fact in world.recent_facts]
    assert effects == ["mute_done", "app_running:Firefox", "browser_running"]
    assert world.browser_running


@pytest.mark.parametrize(
    "tool",
    [
        FakeTool("mute", fail),
        FakeTool("mute", break_down),
        FakeTool("mute", seen=False),
        FakeTool("unmute"),
    ],
    ids=["refused", "crashed", "effect missing", "no capability"],
)
async def test_what_did_not_succeed_is_no_fact(tool: FakeTool) -> None:
    assert (await world_after(tool)).recent_facts == ()


async def test_an_action_that_timed_out_is_no_fact() -> None:
    request = Perform("c1", action(), timeout=0)
    world = await world_after(FakeTool("mute", never_end), request=request)
    assert world.recent_facts == ()


async def test_a_survey_looks_which_programs_run() -> None:
    reader = FakeReader(apps=frozenset({"firefox"}))
    async with running(executor_of(reader=reader)) as executor:
        survey = Survey("c1", frozenset({"app"}))
        assert (await executor.ask(survey)).world.running_apps == {"firefox"}
        reader.apps = frozenset()
        assert (await executor.ask(survey)).world.running_apps == frozenset()


async def test_a_survey_of_what_changes_only_by_us_looks_at_nothing() -> None:
    reader = FakeReader(apps=frozenset({"firefox"}))
    async with running(executor_of(reader=reader)) as executor:
        surveyed = await executor.ask(Survey("c1", frozenset({"file"})))
        assert surveyed.world.running_apps == frozenset()


async def test_a_look_that_crashes_costs_nobody_elses_work() -> None:
    gate = Gate()
    with capture_logs():
        reader = FakeReader(blind=True)
        async with (
            running(executor_of(FakeTool("mute", gate), reader=reader)) as executor,
            anyio.create_task_group() as tasks,
        ):
            results: list[str] = []

            async def act() -> None:
                results.append((await executor.ask(perform())).result.status)

            tasks.start_soon(act)
            await gate.somebody()
            surveyed = await executor.ask(Survey("c2", frozenset({"app"})))
            assert surveyed.world.running_apps == frozenset()
            gate.open()
    assert results == ["success"]


async def test_a_world_without_a_scene_has_nothing_in_it() -> None:
    async with running(executor_of()) as executor:
        seen = await executor.ask(Look("c1", action(), "inside", "/root"))
    assert seen == Seen("c1", "g0_mute_1", "inside", World())


class Lost(Message, frozen=True):
    """The news that a request was lost."""

    request: executing.Inbox


async def news(mailbox: Mailbox[WorldSeen | Lost]) -> WorldSeen | Lost:
    with anyio.fail_after(PATIENCE):
        letter = await anext(mailbox)
    return letter.message


async def test_a_watcher_is_told_the_world_at_once_and_whenever_it_changes() -> None:
    tool = FakeTool("mute", in_turn(Done(), Refused(Code.IO_FAILED, "no"), Done()))
    with Mailbox[WorldSeen | Lost]() as watcher:
        async with running(executor_of(tool)) as executor:
            await executor.tell(Watch(), watcher.returning(Lost))
            first = await news(watcher)
            for _ in range(3):
                await executor.ask(perform())
            changes = [await news(watcher), await news(watcher)]
    assert first == WorldSeen(WorldState(), (tool.capability,), frozenset({"app"}))
    facts = [len(seen.world.recent_facts) for seen in changes if isinstance(seen, WorldSeen)]
    assert facts == [1, 2]


async def test_a_watcher_hears_of_a_change_before_whoever_asked_for_it() -> None:
    with Mailbox[WorldSeen | Performed | Lost]() as asker:
        async with running(executor_of(FakeTool("mute"))) as executor:
            way_back = asker.returning(Lost)
            await executor.tell(Watch(), way_back)
            await executor.tell(perform(), way_back)
            kinds = []
            for _ in range(3):
                with await anext(asker) as message:
                    kinds.append(type(message))
    assert kinds == [WorldSeen, WorldSeen, Performed]


# When the executor itself crashes


@asynccontextmanager
async def supervised(
    *tools: FakeTool,
) -> AsyncIterator[tuple[Address[executing.Inbox], FakeReader]]:
    reader = FakeReader()
    with Mailbox[executing.Inbox]() as mailbox, capture_logs():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                supervise, "executor", lambda: executor_of(*tools, reader=reader), mailbox
            )
            yield mailbox.address, reader
            tasks.cancel_scope.cancel()


async def test_a_crash_of_the_executor_gives_up_what_was_under_way() -> None:
    gate = Gate()
    lost: list[Perform] = []

    async def ask() -> None:
        with pytest.raises(Unanswered):
            await executor.ask(perform())
        lost.append(perform())

    async with (
        supervised(FakeTool("mute", gate)) as (executor, reader),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(ask)
        await gate.somebody()
        await crash(executor, reader)
    assert lost == [perform()]


async def test_an_executor_that_crashed_serves_the_next_letter() -> None:
    async with supervised(FakeTool("mute", succeed)) as (executor, reader):
        await crash(executor, reader)
        assert (await executor.ask(Survey("c1"))).command_id == "c1"
        assert (await executor.ask(perform())).result.status == "success"


async def test_a_watcher_learns_that_the_executor_crashed() -> None:
    with Mailbox[WorldSeen | Lost]() as watcher:
        async with supervised() as (executor, reader):
            await executor.tell(Watch(), watcher.returning(Lost))
            assert isinstance(await news(watcher), WorldSeen)
            await crash(executor, reader)
            assert await news(watcher) == Lost(Watch())

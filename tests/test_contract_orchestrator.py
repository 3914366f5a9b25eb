"""The contract of the Goal Orchestrator, clause by clause: MetaGoal, PlanGraph, execution.

Decisions are tested on the state machine alone; what needs several at once, on all actors.
"""

import ast
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors import orchestrator
from actors.mailbox import Unanswered
from actors.orchestrator.interrupting import abandon, stop, tick
from actors.orchestrator.outcomes import graph_so_far
from actors.orchestrator.runs import MAX_ATTEMPTS, Effect, advance
from actors.orchestrator.state import Run
from actors.planner.tables import planner_rules
from messages import wire
from messages.commanding import (
    Admit,
    AnswerQuestion,
    Drain,
    Known,
    NoAnswer,
    OwnRequest,
    Tick,
    TurnedAway,
)
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
    Surveyed,
)
from messages.failures import Target
from messages.goals import Goal, GoalDraft, MetaGoal
from messages.interpreting import Interpret
from messages.message import Value
from messages.phrases import Phrase
from messages.planning import MakePlans, PlansMade
from messages.plans import PlanGraph, PlannedAction, WorldState
from messages.results import ActionResult, Code, GoalResult
from messages.rules import Parameter, Rule
from messages.targets import Binding, Bound, Failure, NotBound, Resolve, Success
from messages.worlds import Thing, World
from tests.parts import (
    LOUDER,
    MUTE,
    ROOT,
    TIME,
    FakeReader,
    FakeScene,
    FakeTool,
    Gate,
    House,
    Listener,
    all_capabilities,
    clock,
    command,
    crash,
    ended,
    everything,
    fail,
    file,
    files,
    folder,
    folders,
    goal,
    house,
    in_a_room,
    in_turn,
    louder,
    mute,
    never_end,
    only,
    planned,
    started,
    understood,
)

UNKNOWN = goal("audio.sing")
HIDDEN = Thing(f"{ROOT}/old", "old", "folder")
SHELF = Thing(f"{ROOT}/shelf", "shelf", "folder")


def chain(*scopes: str | tuple[str, ...]) -> tuple[GoalDraft, ...]:
    """Draft goals that differ in what they wait for alone."""
    return tuple(goal("system.get", scope, target="time") for scope in scopes)


def statuses(finished: wire.Finished) -> list[str]:
    return [result.status for result in finished.results]


def end_of(effects: Sequence[Effect]) -> wire.Finished:
    return only(wire.Finished, effects)


def graph_of(*goals: GoalDraft) -> PlanGraph:
    return only(wire.Planned, planned(command(*goals))).graph


# 1. MetaGoal to PlanGraph


def test_the_nodes_of_the_graph_are_the_planned_actions_by_id() -> None:
    graph = graph_of(folder("a"), MUTE)
    assert list(graph.nodes) == ["g0_create_1", "g1_mute_1"]
    assert graph.nodes["g0_create_1"].intent == "file_operation"


def test_adjacency_leads_from_each_parent_to_its_children() -> None:
    graph = graph_of(*chain("root", "after:g0", ("after:g0", "after:g1")))
    assert graph.adjacency == {
        "g0_get_1": ("g1_get_1", "g2_get_1"),
        "g1_get_1": ("g2_get_1",),
    }


def test_the_graph_of_goals_without_scopes_has_no_arrows() -> None:
    assert graph_of(folder("a"), folder("b"), MUTE).adjacency == {}


def test_dependencies_are_those_the_scopes_resolved_to_and_no_others() -> None:
    navigate, click = goal("browser.navigate", url="a.org"), goal("browser.click", selector="#b")
    assert graph_of(navigate, click).adjacency == {}


def test_a_goal_of_several_actions_passes_its_dependencies_to_each() -> None:
    several = goal("system.get", "after:g0", target=["time", "disk"])
    graph = graph_of(MUTE, several)
    assert graph.adjacency == {"g0_mute_1": ("g1_get_1", "g1_get_2")}


def test_a_goal_waits_for_every_action_of_a_goal_of_several() -> None:
    several = goal("system.get", target=["time", "disk"])
    graph = graph_of(several, goal("audio.mute", "after:g0"))
    assert graph.parents()["g1_mute_1"] == {"g0_get_1", "g0_get_2"}


def test_goals_merged_into_one_action_share_its_node() -> None:
    graph = graph_of(
        goal("browser.navigate", url="youtube.com"),
        goal("browser.search", "after:g0", query="nvidia"),
    )
    (action,) = graph.nodes.values()
    assert action.args["url"] == "https://youtube.com/results?search_query=nvidia"


def test_the_children_of_an_absorbed_goal_hang_on_the_action_that_took_it_in() -> None:
    graph = graph_of(
        goal("browser.navigate", url="youtube.com"),
        goal("browser.search", "after:g0", query="nvidia"),
        goal("browser.scroll", "after:g1"),
    )
    assert graph.adjacency == {"g1_search_1": ("g2_scroll_1",)}


def test_the_graph_holds_the_result_of_every_action_that_ran() -> None:
    run = command(*chain("root", "after:g0", "root"))
    planned(run)
    ended(run, "g2_get_1", "failed")
    ended(run, "g0_get_1", output="noon")
    ended(run, "g1_get_1")
    graph = graph_so_far(run)
    assert graph is not None
    results = {name: result.status for name, result in graph.results.items()}
    assert results == {"g0_get_1": "success", "g1_get_1": "success", "g2_get_1": "failed"}
    assert graph.results["g0_get_1"].output == "noon"


# 2. Layers


def test_the_dag_is_flattened_into_layers() -> None:
    event = only(wire.Planned, planned(command(*chain("root", "root", ("after:g0", "after:g1")))))
    assert event.layers == (("g0", "g1"), ("g2",))


def test_three_independent_goals_are_one_layer() -> None:
    event = only(wire.Planned, planned(command(folder("a"), folder("b"), MUTE)))
    assert event.layers == (("g0", "g1", "g2"),)


DAGS = st.integers(1, 8).flatmap(
    lambda count: st.tuples(
        *(st.sets(st.integers(0, index - 1)) if index else st.just(set()) for index in range(count))
    )
)


def of_dag(parents: Sequence[set[int]]) -> Run:
    """Give a command whose goals depend on each other like this."""
    return command(
        *chain(
            *(tuple(f"after:g{parent}" for parent in sorted(each)) or "root" for each in parents)
        )
    )


@given(DAGS)
def test_a_node_is_one_layer_below_the_lowest_of_its_parents(parents: list[set[int]]) -> None:
    event = only(wire.Planned, planned(of_dag(parents)))
    layer = {int(name[1:]): index for index, names in enumerate(event.layers) for name in names}
    assert sorted(layer) == list(range(len(parents)))
    for child, waits in enumerate(parents):
        assert layer[child] == 1 + max((layer[parent] for parent in waits), default=-1)


@given(DAGS, st.data())
def test_layers_and_countdown_order_agree(parents: list[set[int]], data: st.DataObject) -> None:
    run = of_dag(parents)
    effects = planned(run)
    layers = only(wire.Planned, effects).layers
    running = set(started(effects))
    assert running == {f"{name}_get_1" for name in layers[0]}
    done: set[int] = set()
    while running:
        action = data.draw(st.sampled_from(sorted(running)))
        running.remove(action)
        effects = ended(run, action)
        done.add(int(action[1 : action.index("_")]))
        released = {
            f"g{child}_get_1"
            for child, waits in enumerate(parents)
            if int(action[1 : action.index("_")]) in waits and waits <= done
        }
        assert set(started(effects)) == released
        running |= released
    assert len(done) == len(parents)
    assert end_of(effects).status == "success"


@given(DAGS, st.data())
def test_an_action_runs_exactly_if_all_its_ancestors_succeeded(
    parents: list[set[int]], data: st.DataObject
) -> None:
    run = of_dag(parents)
    effects = planned(run)
    ran = dict.fromkeys(started(effects), "")
    while running := [name for name, status in ran.items() if not status]:
        action = data.draw(st.sampled_from(running))
        ran[action] = data.draw(st.sampled_from(["success", "failed"]))
        effects = ended(run, action, "success" if ran[action] == "success" else "failed")
        ran |= dict.fromkeys(started(effects), "")
    for child, waits in enumerate(parents):
        met = all(ran.get(f"g{parent}_get_1") == "success" for parent in waits)
        assert (f"g{child}_get_1" in ran) == met
        assert end_of(effects).results[child].status == ran.get(f"g{child}_get_1", "skipped")


# 3. Planning is complete before anything runs


def test_a_command_begins_with_being_understood() -> None:
    run = command(MUTE)
    assert advance(run, NoAnswer(Interpret("c1", None, (MUTE,)))) == [
        Interpret("c1", None, (MUTE,))
    ]


def test_the_world_is_surveyed_for_the_domains_the_goals_speak_of() -> None:
    assert only(Survey, understood(command(MUTE, TIME))).domains == {"audio", "system"}


UNPLANNABLE = [
    pytest.param(UNKNOWN, "rule_not_found", "sing", id="unknown verb"),
    pytest.param(goal("audio.set"), "validation_failed", "level", id="missing parameter"),
    pytest.param(goal("audio.mute", hue=3), "validation_failed", "hue", id="unknown parameter"),
    pytest.param(goal("system.get", target="mood"), "blocked", "mood", id="disallowed value"),
    pytest.param(goal("audio.unmute"), "no_capability", "audio_unmute", id="no capability"),
    pytest.param(folder("x", "drive:z"), "blocked", "drive z", id="unmapped drive"),
]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(("culprit", "status", "reason"), UNPLANNABLE)
async def test_a_command_with_an_unplannable_goal_changes_nothing(
    culprit: GoalDraft, status: str, reason: str, place: int
) -> None:
    tools = folders(), mute(), clock()
    goals = [folder("a"), MUTE]
    goals.insert(place, culprit)
    async with house(*tools) as actors:
        heard = await actors.run("c1", *goals)
    finished = await heard.finished()
    assert [tool.calls for tool in tools] == [[], [], []]
    assert not heard.all(wire.ActionStarted)
    assert (finished.status, finished.code) == ("failed", Code(status.upper()))
    assert str(finished.message).startswith(f"g{place}: ")
    guilty = finished.results[place]
    assert (guilty.goal, guilty.status, guilty.code) == (f"g{place}", status, status.upper())
    assert reason in str(guilty.message).lower()


def test_the_goals_beside_an_unplannable_one_say_that_they_did_not_run() -> None:
    finished = end_of(planned(command(MUTE, UNKNOWN)))
    assert statuses(finished) == ["skipped", "rule_not_found"]
    assert finished.results[0].code == Code.NOT_PLANNED


def test_a_goal_that_can_be_done_in_part_runs_only_if_that_is_allowed() -> None:
    able = tuple(each for each in all_capabilities() if each.name != "system.get")
    able = (*able, clock().capability)
    both = goal("system.get", target=["time", "disk"])
    refused = end_of(planned(command(both), able))
    assert (refused.status, refused.code, statuses(refused)) == ("failed", "PARTIAL", ["partial"])
    run = command(both, allow_partial=True)
    assert list(started(planned(run, able))) == ["g0_get_1"]
    finished = end_of(ended(run, "g0_get_1"))
    assert (finished.status, statuses(finished)) == ("partial", ["partial"])


def test_with_allow_partial_the_goals_that_have_a_plan_run() -> None:
    run = command(MUTE, UNKNOWN, allow_partial=True)
    assert list(started(planned(run))) == ["g0_mute_1"]
    finished = end_of(ended(run, "g0_mute_1"))
    assert (finished.status, statuses(finished)) == ("partial", ["success", "rule_not_found"])


def test_with_allow_partial_whoever_waits_for_an_unplannable_goal_is_skipped() -> None:
    run = command(UNKNOWN, *chain("after:g0", "after:g1", "root"), allow_partial=True)
    assert list(started(planned(run))) == ["g3_get_1"]
    finished = end_of(ended(run, "g3_get_1"))
    assert statuses(finished) == ["rule_not_found", "skipped", "skipped", "success"]
    assert finished.results[2].message == "g0 cannot be carried out"


def test_with_allow_partial_a_command_without_any_plan_fails() -> None:
    finished = end_of(planned(command(UNKNOWN, UNKNOWN, allow_partial=True)))
    assert (finished.status, finished.code) == ("failed", Code.RULE_NOT_FOUND)


async def test_mode_plan_runs_nothing_and_gives_the_graph() -> None:
    tools = folders(), files()
    async with house(*tools) as actors:
        heard = await actors.run("c1", folder("a"), file("b", "inside:a"), mode="plan")
    (event,) = heard.all(wire.Planned)
    assert event.layers == (("g0",), ("g1",))
    assert [tool.calls for tool in tools] == [[], []]
    finished = await heard.finished()
    assert (finished.status, statuses(finished)) == ("success", ["planned", "planned"])


def test_mode_plan_refuses_what_a_run_would_refuse() -> None:
    finished = end_of(planned(command(MUTE, UNKNOWN, mode="plan")))
    assert (finished.status, finished.code) == ("failed", Code.RULE_NOT_FOUND)


def test_mode_plan_says_so_when_a_goal_was_left_out() -> None:
    effects = planned(command(MUTE, UNKNOWN, mode="plan", allow_partial=True))
    assert list(only(wire.Planned, effects).graph.nodes) == ["g0_mute_1"]
    finished = end_of(effects)
    assert (finished.status, statuses(finished)) == ("partial", ["planned", "rule_not_found"])


# 4. Injection of authoritative parameters

LANE = "default|"  # on pages, the lane that the Orchestrator assigned is one of them


async def received(tool: FakeTool, *goals: GoalDraft, scenes: FakeScene | None = None) -> Listener:
    """Run goals with one tool."""
    async with house(tool, scenes={tool.intent: scenes} if scenes else None) as actors:
        return await actors.run("c1", *goals)


async def test_the_selector_and_state_a_tool_gets_are_the_planned_ones() -> None:
    tool = FakeTool("browser_wait", intent="browser_control")
    await received(tool, goal("browser.wait", selector="#login", state="hidden"))
    assert tool.calls == [{"selector": "#login", "state": "hidden", "lane": LANE}]


async def test_a_state_that_was_not_said_is_the_rules_own() -> None:
    tool = FakeTool("browser_wait", intent="browser_control")
    await received(tool, goal("browser.wait", selector="login"))
    assert tool.calls == [{"selector": "login", "state": "visible", "lane": LANE}]


async def test_the_url_a_tool_gets_is_the_planned_one() -> None:
    tool = FakeTool("browser_navigate", intent="browser_control")
    await received(tool, goal("browser.navigate", url="a.org"))
    assert tool.calls == [{"url": "https://a.org", "lane": LANE}]


async def test_the_path_a_tool_gets_is_resolved_against_the_default_folder() -> None:
    tool = folders()
    await received(tool, folder("a/b"))
    assert tool.calls == [{"object_type": "folder", "name": "a/b", "path": f"{ROOT}/a/b"}]


async def test_the_path_on_a_drive_is_resolved_against_its_anchor() -> None:
    tool = folders()
    await received(tool, folder("a", "drive:D"))
    assert tool.calls[0]["path"] == "/drive/a"


WINDOWS = {
    "D:\\a.txt": "/drive/a.txt",
    "d:/sub/a.txt": "/drive/sub/a.txt",
    "D:\\sub\\deep\\a.txt": "/drive/sub/deep/a.txt",
    "sub\\a.txt": f"{ROOT}/sub/a.txt",
}


@pytest.mark.parametrize(("name", "path"), WINDOWS.items())
async def test_a_windows_path_is_an_anchor_and_folders(name: str, path: str) -> None:
    tool = files()
    await received(tool, file(name))
    assert [call["path"] for call in tool.calls] == [path]


@pytest.mark.parametrize("name", ["C:\\a.txt", "c:a.txt", "Z:/deep/a.txt"])
async def test_a_windows_path_on_a_drive_that_is_mapped_to_nothing_is_blocked(name: str) -> None:
    tool = files()
    finished = await (await received(tool, file(name))).finished()
    assert (finished.code, tool.calls) == (Code.BLOCKED, [])


async def test_what_is_moved_to_a_windows_path_goes_there_or_nowhere() -> None:
    tool = FakeTool("move_file", intent="file_operation")
    await received(tool, goal("file.move", name="a", to="D:\\old"))
    assert [call["to"] for call in tool.calls] == ["/drive/old"]
    refused = await (await received(tool, goal("file.move", name="a", to="C:\\old"))).finished()
    assert (refused.code, len(tool.calls)) == (Code.BLOCKED, 1)


@pytest.mark.parametrize("name", ["../a.txt", "/root/a.txt", "b/../../a.txt", "..\\a.txt"])
async def test_a_name_never_leads_out_of_the_place_that_was_said(name: str) -> None:
    tool = files()
    for scope in ("inside:documents", "drive:D"):
        finished = await (await received(tool, file(name, scope))).finished()
        assert finished.code == Code.BLOCKED
    assert tool.calls == []


@pytest.mark.parametrize("name", ["sub/b", "..", "D:\\b", "sub\\b"])
async def test_a_new_name_that_is_a_path_is_blocked(name: str) -> None:
    tool = FakeTool("rename_file", intent="file_operation")
    finished = await (await received(tool, goal("file.rename", name="a", to=name))).finished()
    assert (finished.code, tool.calls) == (Code.BLOCKED, [])


@pytest.mark.parametrize("target", ["a/b", "a\\b", "A/B"])
async def test_what_earlier_goals_made_is_found_by_its_path(target: str) -> None:
    tool = files()
    async with house(folders(), tool) as actors:
        heard = await actors.run(
            "c1", folder("a"), folder("b", "inside:a"), file("x", f"inside:{target}")
        )
    assert (await heard.finished()).status == "success"
    assert [call["path"] for call in tool.calls] == [f"{ROOT}/a/b/x"]


INHERITING = {
    "file.list": ("list_folder", {}),
    "file.open": ("open_file", {}),
    "file.find": ("find_files", {"pattern": "*.md"}),
    "file.delete": ("delete_folder", {"object_type": "folder"}),
}


@pytest.mark.parametrize(("verb", "tool_and_params"), INHERITING.items())
async def test_a_child_that_names_no_path_works_on_what_its_parent_made(
    verb: str, tool_and_params: tuple[str, dict[str, Value]]
) -> None:
    achieves, params = tool_and_params
    tool = FakeTool(achieves, intent="file_operation")
    async with house(folders(), tool) as actors:
        await actors.run("c1", folder("r5"), goal(verb, "after:g0", **params))
    assert [call["path"] for call in tool.calls] == [f"{ROOT}/r5"]


async def test_what_lists_after_a_new_file_lists_the_folder_it_is_in() -> None:
    tool = FakeTool("list_folder", intent="file_operation")
    async with house(files(), tool) as actors:
        await actors.run("c1", file("sub/x.md"), goal("file.list", "after:g0"))
    assert [call["path"] for call in tool.calls] == [f"{ROOT}/sub"]


async def test_the_path_in_a_named_folder_is_resolved_against_its_anchor() -> None:
    tool = folders()
    await received(tool, folder("a", "inside:Documents"))
    assert tool.calls[0]["path"] == f"{ROOT}/documents/a"


async def test_a_path_that_was_said_is_refused_and_never_passed_on() -> None:
    tool = folders()
    said = goal("file.create", object_type="folder", name="a", path="/elsewhere/a")
    heard = await received(tool, said)
    assert tool.calls == []
    assert (await heard.finished()).code == Code.VALIDATION_FAILED


async def test_a_bound_thing_supplies_the_parameter_its_rule_says_it_binds() -> None:
    tool = FakeTool("browser_click", intent="browser_control")
    button = Thing("e7", "Sign in", "button")
    said = GoalDraft("browser", "click", roles={"target": "Sign in"})
    heard = await received(tool, said, scenes=FakeScene((button,)))
    assert [event.target for event in heard.all(wire.Resolved)] == ["e7"]
    assert tool.calls == [{"selector": "e7", "lane": LANE}]


async def test_every_role_of_an_action_is_bound_before_it_acts() -> None:
    tool = FakeTool("world_put", intent="world")
    chest = Thing("t2", "chest", "container")
    room = in_a_room(Thing("t1", "apple"), chest)
    roles = {"direct": "apple", "indirect": "chest"}
    said = GoalDraft("world", "put", {"relation": "into"}, roles)
    heard = await received(tool, said, scenes=room)
    assert [event.role for event in heard.all(wire.Resolved)] == ["direct", "indirect"]
    assert tool.calls == [{"direct": "t1", "indirect": "t2", "relation": "in"}]


TWO_ANSWERS = (
    GoalDraft("file", "delete", {"name": "a.txt"}, {"direct": "b.txt"}),
    GoalDraft("browser", "click", {"selector": "#a"}, {"target": "the Beta button"}),
    GoalDraft("file", "move", {"name": "a.txt", "to": "old"}, {"indirect": "shelf"}),
    GoalDraft("app", "launch", {"name": "gimp"}, {"direct": "the text editor"}),
)


@pytest.mark.parametrize("drafted", TWO_ANSWERS, ids=lambda each: f"{each.domain}.{each.verb}")
async def test_a_value_and_words_for_the_same_parameter_are_refused(drafted: GoalDraft) -> None:
    tools = everything()
    scenes = {tool.intent: FakeScene((SHELF, HIDDEN)) for tool in tools}
    async with house(*tools, scenes=scenes) as actors:
        finished = await (await actors.run("c1", drafted)).finished()
    assert finished.code == Code.VALIDATION_FAILED
    assert not [call for tool in tools for call in tool.calls]


async def test_a_value_that_is_stated_and_taken_from_another_goal_is_refused() -> None:
    read = goal("file.read", name="a.txt")
    write = GoalDraft("file", "write", {"name": "b", "content": "x"}, takes={"content": "g0"})
    async with house(*everything()) as actors:
        finished = await (await actors.run("c1", read, write)).finished()
    assert finished.code == Code.VALIDATION_FAILED


async def test_a_failure_says_what_its_words_were_about() -> None:
    tool = FakeTool("world_take", intent="world")
    room = in_a_room(Thing("t1", "apple"))
    said = GoalDraft("world", "take", roles={"direct": "appel"})
    (result,) = (await (await received(tool, said, scenes=room)).finished()).results
    assert result.details is not None
    assert (result.details.span, result.details.near) == ("appel", ("apple",))


async def test_a_goal_that_is_blocked_names_its_blocker() -> None:
    said = goal("browser.scroll", direction="sideways")
    (result,) = (await (await received(folders(), said)).finished()).results
    assert (result.status, result.blocker) == ("blocked", "direction=sideways")


async def test_a_goal_of_which_a_part_cannot_be_had_names_what_is_unmet() -> None:
    said = goal("system.get", target=["time", "battery"])
    (result,) = (await (await received(clock(), said)).finished()).results
    assert result.status == "partial"
    assert len(result.unmet) == 1
    assert "battery" in result.unmet[0]


@pytest.mark.parametrize("source", ["g1", "g0", "g7", "the clock"])
async def test_a_value_that_comes_from_no_earlier_goal_is_refused(source: str) -> None:
    tool = files()
    made = GoalDraft(
        "file", "create", {"object_type": "file", "name": "x"}, takes={"content": source}
    )
    async with house(tool, clock()) as actors:
        finished = await (
            await actors.run("c1", made, goal("system.get", target="time"))
        ).finished()
    assert (finished.code, tool.calls) == (Code.VALIDATION_FAILED, [])


async def test_words_for_one_role_leave_the_value_of_the_other_as_planned() -> None:
    tool = FakeTool("move_file", intent="file_operation")
    on_shelf = msgspec.structs.replace(HIDDEN, location=SHELF.id)
    said = GoalDraft("file", "move", {"name": "old"}, {"indirect": "shelf"})
    heard = await received(tool, said, scenes=FakeScene((SHELF, on_shelf)))
    planned = only(wire.Planned, heard.all(wire.Planned)).graph.nodes["g0_move_1"].args
    assert [(call["path"], call["to"]) for call in tool.calls] == [(planned["path"], SHELF.id)]


async def test_the_executor_refuses_a_bound_value_that_would_replace_a_planned_one() -> None:
    tool = FakeTool("delete_file", intent="file_operation")
    action = PlannedAction(
        "g0_delete_1", "g0", "file_operation", "delete", {"path": "/root/a"}, "actuate",
        "delete_file", "file_deleted",
    )  # fmt: skip
    async with house(tool) as actors:
        performed = await actors.executor.ask(Perform("c1", action, {"path": "/root/b"}))
        again = await actors.executor.ask(Perform("c1", action, {"path": "/root/a"}))
    assert performed.result.status == "failed"
    assert performed.result.code == Code.CRASHED
    assert again.result.status == "success"
    assert tool.calls == [{"path": "/root/a"}]


async def test_words_that_mean_nothing_here_never_reach_a_tool() -> None:
    tool = FakeTool("world_take", intent="world")
    room = in_a_room(Thing("t1", "apple pie"))
    said = GoalDraft("world", "take", roles={"direct": "apple"})
    finished = await (await received(tool, said, scenes=room)).finished()
    assert (finished.status, finished.code) == ("failed", Code.TARGET_NOT_FOUND)
    assert tool.calls == []


def value_for(parameter: Parameter) -> st.SearchStrategy[Value]:
    """Draw a value that a parameter takes, most of the time."""
    if parameter.allowed:
        return st.sampled_from(parameter.allowed)
    match parameter.type:
        case "flag":
            return st.booleans()
        case "integer" | "number":
            return st.integers(int(parameter.minimum or 0), int(parameter.maximum or 9))
        case "text":
            return st.sampled_from(["a", "a.txt", "b/c", "old", "example.org", "youtube"])


@st.composite
def goals_of_any_rule(draw: st.DrawFn) -> GoalDraft:
    """Draw a goal of any verb or alias; now and then with a parameter it does not have."""
    (domain, verb), (_, rule) = draw(
        st.sampled_from(sorted(VERBS.items(), key=lambda each: each[0]))
    )
    params: dict[str, Value] = {}
    roles: dict[str, str] = {}
    spoken = draw(st.booleans())
    for name, parameter in rule.params.items():
        if parameter.role is not None and spoken:
            roles[parameter.role] = "old" if parameter.role == rule.roles[0] else "shelf"
        elif parameter.required or draw(st.booleans()):
            params[name] = draw(value_for(parameter))
    if draw(st.integers(0, 9)) == 0:
        params["extra"] = "never"
    scope = draw(st.sampled_from(["root", "inside:old", "inside:documents", "drive:d"]))
    return GoalDraft(domain, verb, params, roles, scope=scope)


# Those that ask wait for somebody who answers.
VERBS = {key: found for key, found in planner_rules().verbs().items() if not found[1].asks}


@settings(max_examples=60)
@given(goals_of_any_rule())
async def test_no_parameter_reaches_a_tool_that_was_neither_planned_nor_bound(
    drafted: GoalDraft,
) -> None:
    tools = everything()
    on_shelf = msgspec.structs.replace(HIDDEN, location=SHELF.id)
    scenes = {tool.intent: FakeScene((SHELF, on_shelf)) for tool in tools}
    async with house(*tools, scenes=scenes) as actors:
        heard = await actors.run("c1", drafted)
    calls = [call for tool in tools for call in tool.calls]
    graphs = [event.graph for event in heard.all(wire.Planned)]
    actions = [action for graph in graphs for action in graph.nodes.values()]
    assert len(calls) == len(actions)
    assert ("extra" in drafted.params) <= (not calls)
    _, rule = VERBS[drafted.domain, drafted.verb]
    bound = {event.role for event in heard.all(wire.Resolved)}
    for action, args in zip(actions, calls, strict=True):
        late = args.keys() - action.args.keys() - ({"lane"} if "page" in rule.shares else set())
        assert late <= names_bound_by(rule, bound)
        assert {name: args[name] for name in action.args} == dict(action.args)
        assert action.args.keys() <= rule.params.keys() | {"path", "url"}


def names_bound_by(rule: Rule, roles: set[str]) -> set[str]:
    """Name the parameters that binding these roles may add."""
    named = {name for name, parameter in rule.params.items() if parameter.role in roles}
    placed = "inside" in roles or any(rule.params[name].place for name in named)
    return named | roles - {"inside"} | ({"path"} if placed else set())


# 5. Execution: parallel, in the order of the graph


async def test_three_actions_that_wait_for_each_other_all_start() -> None:
    gate = Gate(opens_at=3)
    async with house(folders(gate), mute(gate)) as actors:
        heard = await actors.run("c1", folder("a"), folder("b"), MUTE)
    assert heard.all(wire.Planned)[0].layers == (("g0", "g1", "g2"),)
    assert (await heard.finished()).status == "success"
    assert gate.arrived == 3


async def test_a_slow_sibling_does_not_hold_up_the_layer_below() -> None:
    gate = Gate()
    async with house(folders(), files(), mute(gate)) as actors:
        heard = await actors.submit("c1", MUTE, folder("a"), file("b", "inside:a"))
        await heard.first(wire.ActionFinished, goal="g2", status="success")
        assert not [event for event in heard.all(wire.ActionFinished) if event.goal == "g0"]
        gate.open()
        assert (await heard.finished()).status == "success"


async def test_a_child_never_starts_before_its_parent_is_done() -> None:
    gate, tool = Gate(), files()
    async with house(folders(gate), tool) as actors:
        heard = await actors.submit("c1", folder("a"), file("b", "inside:a"))
        await gate.somebody()
        await anyio.wait_all_tasks_blocked()
        assert tool.calls == []
        gate.open()
        await heard.finished()
    assert len(tool.calls) == 1


async def test_a_child_of_two_waits_for_the_slower() -> None:
    gate, tool = Gate(), clock()
    late = goal("system.get", ("after:g0", "after:g1"), target="time")
    async with house(folders(), mute(gate), tool) as actors:
        heard = await actors.submit("c1", folder("a"), MUTE, late)
        await heard.first(wire.ActionFinished, goal="g0")
        assert tool.calls == []
        gate.open()
        assert (await heard.finished()).status == "success"
    assert len(tool.calls) == 1


async def test_the_events_of_a_command_come_in_the_order_of_its_life() -> None:
    async with house(mute()) as actors:
        heard = await actors.run("c1", MUTE)
    assert [type(event) for event in heard.events] == [
        wire.Accepted,
        wire.Interpreted,
        wire.Planned,
        wire.ActionStarted,
        wire.ActionFinished,
        wire.Finished,
    ]


async def test_the_same_id_twice_runs_once() -> None:
    tool = mute()
    async with house(tool) as actors:
        heard = await actors.run("c1", MUTE)
        answer = await actors.orchestrator.ask(Admit(command(MUTE).submit))
    assert isinstance(answer, Known)
    assert answer.finished == await heard.finished()
    assert len(tool.calls) == 1


# 6. Context propagation


async def test_what_is_inside_a_new_folder_inherits_its_resolved_path() -> None:
    tool = files()
    async with house(folders(), tool) as actors:
        await actors.run("c1", folder("a", "drive:d"), file("b", "inside:a"))
    assert tool.calls[0]["path"] == "/drive/a/b"


async def test_a_resolved_path_is_inherited_down_a_whole_chain() -> None:
    tool = folders()
    async with house(tool) as actors:
        await actors.run("c1", folder("a"), folder("b", "inside:a"), folder("c", "inside:b"))
    assert [call["path"] for call in tool.calls] == [f"{ROOT}/a", f"{ROOT}/a/b", f"{ROOT}/a/b/c"]


async def test_a_later_goal_means_by_a_name_what_an_earlier_one_made() -> None:
    tool = FakeTool("read_file", intent="file_operation")
    read = goal("file.read", "after:g0", name="b")
    async with house(files(), tool) as actors:
        await actors.run("c1", file("b", "drive:d"), read)
    assert tool.calls[0]["path"] == "/drive/b"


async def test_what_was_renamed_is_meant_by_its_new_name() -> None:
    rename = FakeTool("rename_file", intent="file_operation")
    read = FakeTool("read_file", intent="file_operation")
    async with house(rename, read) as actors:
        await actors.run(
            "c1",
            goal("file.rename", name="a.txt", to="b.txt"),
            goal("file.read", "after:g0", name="b.txt"),
        )
    assert read.calls[0]["path"] == f"{ROOT}/b.txt"


async def test_what_is_inside_a_renamed_folder_goes_under_its_new_name() -> None:
    rename, tool = FakeTool("rename_file", intent="file_operation"), files()
    async with house(rename, tool) as actors:
        await actors.run("c1", goal("file.rename", name="a", to="b"), file("c.txt", "inside:b"))
    assert tool.calls[0]["path"] == f"{ROOT}/b/c.txt"


async def test_a_folder_that_only_the_disk_knows_is_bound_when_the_goal_runs() -> None:
    tool, disk = files(), FakeScene((HIDDEN,))
    async with house(tool, scenes={"file_operation": disk}) as actors:
        heard = await actors.run("c1", file("b", "inside:old"))
    assert disk.looks == [ROOT]
    assert heard.all(wire.Resolved)[0].target == HIDDEN.id
    assert tool.calls == [{"object_type": "file", "name": "b", "path": f"{HIDDEN.id}/b"}]


async def test_a_folder_on_a_drive_is_looked_for_on_that_drive() -> None:
    disk = FakeScene((HIDDEN,))
    async with house(files(), scenes={"file_operation": disk}) as actors:
        await actors.run("c1", file("b", ("drive:d", "inside:old")))
    assert disk.looks == ["/drive"]


async def test_a_folder_that_is_not_there_is_not_found_and_never_the_root() -> None:
    tool = files()
    async with house(tool, scenes={"file_operation": FakeScene()}) as actors:
        finished = await (await actors.run("c1", file("b", "inside:old"))).finished()
    assert (finished.status, finished.code) == ("failed", Code.TARGET_NOT_FOUND)
    assert tool.calls == []


async def test_a_folder_whose_name_is_borne_twice_is_asked_about() -> None:
    tool, disk = files(), FakeScene((HIDDEN, Thing("/drive/old", "old", "folder")))
    async with house(tool, scenes={"file_operation": disk}) as actors:
        listener = await actors.submit("c1", file("b", "inside:old"))
        question = await listener.first(wire.Question)
        assert [option.target.id for option in question.options] == [HIDDEN.id, "/drive/old"]
        assert tool.calls == []
        await actors.orchestrator.ask(AnswerQuestion(wire.Answer("a", question.question, 2)))
        await listener.finished()
    assert [call["path"] for call in tool.calls] == ["/drive/old/b"]


async def test_a_folder_inside_one_bound_late_takes_the_path_its_tool_reported() -> None:
    tool = files()
    async with house(folders(), tool, scenes={"file_operation": FakeScene((HIDDEN,))}) as actors:
        await actors.run("c1", folder("a", "inside:old"), file("b", "inside:a"))
    assert tool.calls[0]["path"] == f"{HIDDEN.id}/a/b"


async def test_a_parent_that_reports_no_path_fails_its_child_and_nothing_else() -> None:
    silent, tool = folders(in_turn(Done())), files()
    disk = FakeScene((HIDDEN,))
    async with house(silent, tool, clock(), scenes={"file_operation": disk}) as actors:
        heard = await actors.run("c1", folder("a", "inside:old"), file("b", "inside:a"), TIME)
        finished = await heard.finished()
    assert tool.calls == []
    assert statuses(finished) == ["success", "failed", "success"]


async def test_the_next_command_is_planned_in_the_world_that_the_last_one_left() -> None:
    opener = FakeTool("browser_navigate", in_turn(Done(effects=("browser_running",))))
    opener.intent = "browser_control"
    needy = FakeTool("browser_scroll", intent="browser_control")
    needy.requires = frozenset({"browser_running"})
    async with house(opener, needy) as actors:
        early = await (await actors.run("c1", goal("browser.scroll"))).finished()
        await actors.run("c2", goal("browser.navigate", url="a.org"))
        late = await (await actors.run("c3", goal("browser.scroll"))).finished()
    assert (early.status, early.code, late.status) == ("failed", Code.BLOCKED, "success")


# 7. Failures


async def test_a_failure_skips_its_descendants_with_the_reason_and_siblings_go_on() -> None:
    goals = folder("a"), file("b", "inside:a"), goal("system.get", "after:g1", target="time"), MUTE
    async with house(folders(fail), files(), clock(), mute()) as actors:
        finished = await (await actors.run("c1", *goals)).finished()
    assert finished.status == "partial"
    assert statuses(finished) == ["failed", "skipped", "skipped", "success"]
    for skipped in finished.results[1:3]:
        assert skipped.code == Code.PARENT_FAILED
        assert skipped.message == "g0 failed: the disk is full"


async def test_a_command_of_which_nothing_succeeded_has_failed() -> None:
    async with house(folders(fail), files()) as actors:
        finished = await (await actors.run("c1", folder("a"), file("b", "inside:a"))).finished()
    assert (finished.status, finished.code) == ("failed", Code.IO_FAILED)
    assert finished.message == "the disk is full"


async def test_a_command_of_which_everything_succeeded_is_a_success_without_a_code() -> None:
    async with house(folders(), files()) as actors:
        finished = await (await actors.run("c1", folder("a"), file("b", "inside:a"))).finished()
    assert (finished.status, finished.code, finished.message) == ("success", None, None)
    assert finished.results[1] == GoalResult(
        "g1", "success", action="g1_create_1", output={"path": f"{ROOT}/a/b"}, verified=True
    )


async def test_a_goal_of_several_actions_has_one_result_with_all_outputs() -> None:
    tool = FakeTool("app_launch", in_turn(Done("one"), Done("two")), "app_control")
    async with house(tool) as actors:
        finished = await (await actors.run("c1", goal("app.launch", name=["x", "y"]))).finished()
    assert statuses(finished) == ["success"]
    assert finished.results[0].output == ["one", "two"]


def test_a_child_whose_other_parent_failed_first_is_skipped_once() -> None:
    run = command(*chain("root", "root", ("after:g0", "after:g1")))
    planned(run)
    assert not started(ended(run, "g1_get_1", "failed"))
    effects = ended(run, "g0_get_1")
    assert not started(effects)
    assert statuses(end_of(effects)) == ["success", "failed", "skipped"]


def test_nothing_of_a_command_happens_after_its_end() -> None:
    run = command(MUTE)
    planned(run)
    end_of(ended(run, "g0_mute_1"))
    assert not ended(run, "g0_mute_1")
    assert not stop(run, Code.CANCELLED)


# 8. Retries and timeouts


def test_a_transient_failure_of_what_is_safe_to_repeat_is_tried_again() -> None:
    run = command(MUTE)
    planned(run)
    assert not started(ended(run, "g0_mute_1", "failed", transient=True))
    effects = tick(run)
    assert list(started(effects)) == ["g0_mute_1"]
    assert only(wire.ActionStarted, effects).attempt == 2
    assert end_of(ended(run, "g0_mute_1")).status == "success"


def test_tries_are_limited() -> None:
    run = command(MUTE)
    effects, attempts = planned(run), 1
    while not any(isinstance(effect, wire.Finished) for effect in effects):
        effects = ended(run, "g0_mute_1", "failed", transient=True)
        while not effects or not (started(effects) or run.finished):
            effects = tick(run)
        attempts += bool(started(effects))
    assert attempts == MAX_ATTEMPTS
    assert end_of(effects).status == "failed"


@pytest.mark.parametrize(
    ("draft", "transient"), [(LOUDER, True), (MUTE, False)], ids=["unsafe", "lasting"]
)
def test_what_is_unsafe_or_lasting_is_not_tried_again(draft: GoalDraft, *, transient: bool) -> None:
    run = command(draft)
    (action,) = started(planned(run))
    assert end_of(ended(run, action, "failed", transient=transient)).status == "failed"


def test_a_retry_waits_longer_each_time() -> None:
    run = command(MUTE)
    planned(run)
    ended(run, "g0_mute_1", "failed", transient=True)
    assert started(tick(run))
    ended(run, "g0_mute_1", "failed", transient=True)
    assert not tick(run)
    assert started(tick(run))


async def test_a_retry_that_succeeds_is_a_success() -> None:
    busy = Refused(Code.UNAVAILABLE, "busy", transient=True)
    tool = mute(in_turn(busy, Done()))
    async with house(tool) as actors:
        heard = await actors.submit("c1", MUTE)
        await heard.first(wire.ActionFinished, status="failed")
        await actors.orchestrator.tell(Tick(0.0))
        assert (await heard.finished()).status == "success"
    assert len(tool.calls) == 2


def test_every_action_has_a_time_limit() -> None:
    (request,) = started(planned(command(MUTE))).values()
    assert 0 < request.timeout < float("inf")


async def pass_deadline(actors: House) -> None:
    """Let the time of everything under way be over."""
    await actors.orchestrator.tell(Tick(monotonic() + 10_000))


async def test_a_command_whose_deadline_passed_is_stopped() -> None:
    tool = clock()
    async with house(folders(), mute(never_end), tool) as actors:
        late = goal("system.get", "after:g1", target="time")
        heard = await actors.submit("c1", folder("a"), MUTE, late)
        await heard.first(wire.ActionFinished, goal="g0")
        await heard.first(wire.ActionStarted, goal="g1")
        await pass_deadline(actors)
        finished = await heard.finished()
    assert (finished.status, finished.code) == ("partial", Code.DEADLINE_PASSED)
    assert statuses(finished) == ["success", "cancelled", "cancelled"]
    assert tool.calls == []


async def test_what_does_not_stop_in_time_is_in_doubt() -> None:
    gate = Gate()

    async def stubborn(args: Mapping[str, Value]) -> Outcome:
        with anyio.CancelScope(shield=True):
            await gate(args)
        return Done()

    async with house(mute(stubborn)) as actors:
        heard = await actors.submit("c1", MUTE)
        await gate.somebody()
        await actors.cancel("c1")
        await pass_deadline(actors)
        finished = await heard.finished()
        gate.open()
    assert (finished.status, statuses(finished)) == ("in_doubt", ["in_doubt"])


# 9. Cancel at any moment


@pytest.mark.parametrize("moment", ["accepted", "understood", "surveyed"])
def test_a_command_cancelled_before_it_was_planned_never_runs(moment: str) -> None:
    run = command(MUTE, TIME)
    if moment != "accepted":
        understood(run)
    if moment == "surveyed":
        advance(run, Surveyed("c1", WorldState(), all_capabilities()))
    finished = end_of(stop(run, Code.CANCELLED))
    assert (finished.status, finished.code) == ("cancelled", Code.CANCELLED)
    assert set(statuses(finished)) <= {"cancelled"}
    assert not advance(run, PlansMade("c1", ()))


async def test_a_running_command_is_cancelled_and_what_was_done_stays() -> None:
    tool = clock()
    async with house(folders(), mute(never_end), tool) as actors:
        late = goal("system.get", "after:g1", target="time")
        heard = await actors.submit("c1", folder("a"), MUTE, late)
        await heard.first(wire.ActionFinished, goal="g0")
        await heard.first(wire.ActionStarted, goal="g1")
        await actors.cancel("c1")
        finished = await heard.finished()
    assert (finished.status, finished.code) == ("cancelled", Code.CANCELLED)
    assert statuses(finished) == ["success", "cancelled", "cancelled"]
    assert tool.calls == []


def test_a_command_cancelled_while_words_are_bound_does_not_act() -> None:
    run = command(file("b", "inside:old"))
    look = only(Look, planned(run))
    assert end_of(stop(run, Code.CANCELLED)).status == "cancelled"
    assert not advance(run, Seen("c1", look.action.action_id, look.role, World((HIDDEN,))))


def test_a_command_cancelled_between_two_tries_does_not_try_again() -> None:
    run = command(MUTE)
    planned(run)
    ended(run, "g0_mute_1", "failed", transient=True)
    assert end_of(stop(run, Code.CANCELLED)).status == "cancelled"
    assert not tick(run)


def test_an_action_that_ended_before_it_could_be_stopped_counts() -> None:
    run = command(MUTE)
    planned(run)
    assert stop(run, Code.CANCELLED) == [Abort("c1")]
    finished = end_of(ended(run, "g0_mute_1"))
    assert (finished.status, finished.code) == ("success", None)


def test_a_cancelled_command_tries_nothing_again() -> None:
    run = command(MUTE)
    planned(run)
    stop(run, Code.CANCELLED)
    assert end_of(ended(run, "g0_mute_1", "failed", transient=True)).status == "cancelled"


def test_a_command_that_may_finish_what_it_began_can_still_be_cancelled() -> None:
    run = command(MUTE)
    planned(run)
    assert stop(run, Code.SHUTTING_DOWN, abort=False) == []
    assert stop(run, Code.CANCELLED) == [Abort("c1")]


async def test_cancelling_a_command_that_ended_gives_its_end() -> None:
    async with house(mute()) as actors:
        heard = await actors.run("c1", MUTE)
        answer = await actors.cancel("c1")
    assert isinstance(answer, Known)
    assert answer.finished == await heard.finished()


async def test_cancelling_what_was_never_submitted_is_refused() -> None:
    async with house() as actors:
        answer = await actors.cancel("never")
    assert isinstance(answer, TurnedAway)
    assert answer.error.code == Code.UNKNOWN_COMMAND


async def test_cancelling_one_command_disturbs_no_other() -> None:
    gate = Gate()
    async with house(mute(never_end), folders(gate)) as actors:
        first = await actors.submit("c1", MUTE, session="one")
        second = await actors.submit("c2", folder("a"), session="two")
        await gate.somebody()
        await actors.cancel("c1")
        assert (await first.finished()).status == "cancelled"
        gate.open()
        assert (await second.finished()).status == "success"


async def test_shutting_down_lets_what_runs_finish_and_starts_nothing_more() -> None:
    gate, tool = Gate(), files()
    async with house(folders(gate), tool) as actors, anyio.create_task_group() as tasks:
        heard = await actors.submit("c1", folder("a"), file("b", "inside:a"))
        queued = await actors.submit("c2", folder("c"))
        await gate.somebody()
        tasks.start_soon(actors.orchestrator.ask, Drain())
        assert (await queued.finished()).code == Code.SHUTTING_DOWN
        late = await actors.orchestrator.ask(Admit(wire.Submit("c3", goals=(MUTE,))))
        gate.open()
        finished = await heard.finished()
    assert isinstance(late, TurnedAway)
    assert late.error.code == Code.SHUTTING_DOWN
    assert statuses(finished) == ["success", "cancelled"]
    assert tool.calls == []


# 10. Crashes of those who were asked


PURE_ASKS = [
    Interpret("c1", None, (MUTE,)),
    Survey("c1"),
    MakePlans("c1", MetaGoal("single", (Goal("g0", "audio", "mute"),)), WorldState(), ()),
]


@pytest.mark.parametrize("request_lost", PURE_ASKS, ids=lambda each: type(each).__name__)
def test_what_changes_nothing_is_asked_once_more_and_then_given_up(
    request_lost: OwnRequest,
) -> None:
    run = command(MUTE)
    assert advance(run, NoAnswer(request_lost)) == [request_lost]
    finished = end_of(advance(run, NoAnswer(request_lost)))
    assert (finished.status, finished.code) == ("failed", Code.CRASHED)


def test_one_crash_while_several_words_are_bound_repeats_every_lost_look() -> None:
    run = command(file("a", "inside:old"), file("b", "inside:old"))
    looks = [effect for effect in planned(run) if isinstance(effect, Look)]
    assert len(looks) == 2
    for look in looks:
        assert advance(run, NoAnswer(look)) == [look]


def test_words_that_cannot_be_bound_for_a_crash_fail_their_action_alone() -> None:
    run = command(MUTE, file("b", "inside:old"))
    look = only(Look, planned(run))
    advance(run, NoAnswer(look))
    effects = advance(run, NoAnswer(look))
    assert not any(isinstance(effect, wire.Finished) for effect in effects)
    finished = end_of(ended(run, "g0_mute_1"))
    assert (finished.status, statuses(finished)) == ("partial", ["success", "failed"])
    assert finished.results[1].code == Code.CRASHED


async def crash_while_under_way(tool: FakeTool, gate: Gate, draft: GoalDraft) -> wire.Finished:
    """Crash the executor while it performs a goal; let the next try, if any, go through."""
    reader = FakeReader()
    async with house(tool, clock(), reader=reader) as actors:
        heard = await actors.submit("c1", draft)
        await gate.somebody()
        await crash(actors.executor, reader)
        gate.open()
        return await heard.finished()


async def test_an_action_safe_to_repeat_is_repeated_after_a_crash_of_the_executor() -> None:
    gate = Gate()
    tool = mute(gate)
    tool.seen = None
    finished = await crash_while_under_way(tool, gate, MUTE)
    assert finished.status == "success"
    assert len(tool.calls) == 2


async def test_an_action_whose_effect_is_there_is_not_repeated_after_a_crash() -> None:
    gate = Gate()
    tool = mute(gate)
    finished = await crash_while_under_way(tool, gate, MUTE)
    assert finished.status == "success"
    assert len(tool.calls) == 1


async def test_an_action_not_safe_to_repeat_is_in_doubt_after_a_crash_of_the_executor() -> None:
    gate = Gate()
    tool = louder(gate)
    finished = await crash_while_under_way(tool, gate, LOUDER)
    assert (finished.status, finished.code) == ("in_doubt", Code.CRASHED)
    assert len(tool.calls) == 1


def in_doubt(run: Run, request: Perform) -> Sequence[Effect]:
    """Let the executor crash over an action, and its successor find out nothing about it."""
    (again,) = started(advance(run, NoAnswer(request))).values()
    assert again.begun
    doubt = ActionResult(request.action.action_id, "in_doubt", Code.CRASHED)
    return advance(run, Performed(run.id, doubt))


def test_whoever_waits_for_an_action_in_doubt_is_skipped() -> None:
    run = command(LOUDER, *chain("after:g0"))
    (request,) = started(planned(run)).values()
    finished = end_of(in_doubt(run, request))
    assert (finished.status, statuses(finished)) == ("in_doubt", ["in_doubt", "skipped"])


def test_a_command_with_one_action_in_doubt_is_in_doubt_whatever_else_succeeded() -> None:
    run = command(LOUDER, TIME)
    requests = started(planned(run))
    ended(run, "g1_get_1")
    finished = end_of(in_doubt(run, requests["g0_raise_1"]))
    assert (finished.status, statuses(finished)) == ("in_doubt", ["in_doubt", "success"])


def test_an_abandoned_command_says_what_it_does_not_know() -> None:
    run = command(MUTE, *chain("after:g0"))
    planned(run)
    stop(run, Code.CANCELLED)
    finished = end_of(abandon(run))
    assert (finished.status, statuses(finished)) == ("in_doubt", ["in_doubt", "cancelled"])


# 11. The orchestrator's own crash, and its manner


class Unlucky(Listener):
    """A client to whom sending one kind of event fails, once."""

    def __init__(self, kind: type[wire.CommandEvent]) -> None:
        super().__init__()
        self.kind: type[wire.CommandEvent] | None = kind

    def put(self, lines: bytes, *, soon: bool = False) -> None:
        known = len(self.events)
        super().put(lines, soon=soon)
        if self.kind is not None and any(isinstance(e, self.kind) for e in self.events[known:]):
            self.kind = None
            raise RuntimeError("a defect")


async def test_an_orchestrator_that_crashed_goes_on_with_what_it_left_unfinished() -> None:
    unlucky, gate = Unlucky(wire.Planned), Gate()
    quiet, loud = mute(), louder(gate)
    async with house(quiet, loud) as actors:
        other = await actors.submit("c0", LOUDER, session="other")
        await gate.somebody()
        actors.parts.gateway.switchboard.attach("c1", unlucky)
        await actors.orchestrator.ask(Admit(command(MUTE).submit))
        assert (await unlucky.finished()).status == "success"
        gate.open()
        assert (await other.finished()).status == "success"  # it was under way all the time
        assert (len(quiet.calls), len(loud.calls)) == (1, 1)
        assert (await (await actors.run("c2", MUTE)).finished()).status == "success"


async def test_whoever_waits_for_the_end_of_everything_learns_of_a_crash() -> None:
    unlucky, gate = Unlucky(wire.ActionFinished), Gate()
    learned: list[bool] = []

    async def drain() -> None:
        with suppress(Unanswered):
            await actors.orchestrator.ask(Drain(), within=2)
        learned.append(True)

    async with house(mute(gate)) as actors, anyio.create_task_group() as tasks:
        actors.parts.gateway.switchboard.attach("c1", unlucky)
        await actors.orchestrator.ask(Admit(command(MUTE).submit))
        await gate.somebody()
        tasks.start_soon(drain)
        await anyio.wait_all_tasks_blocked()
        gate.open()
        await unlucky.finished()
    assert learned == [True]


def test_the_orchestrator_switches_on_no_domain() -> None:
    package = Path(orchestrator.__file__).parent
    words = {domain for domain, _ in planner_rules().rules} - {"file", "world", "system"}
    words |= {rule.intent for rule in planner_rules().rules.values()}
    for module in sorted(package.glob("*.py")):
        quoted = {
            node.value
            for node in ast.walk(ast.parse(module.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not quoted & words, module.name


def test_a_binding_for_another_step_of_the_run_is_ignored() -> None:
    run = command(file("b", "inside:old"))
    look = only(Look, planned(run))
    sight = Seen("c1", look.action.action_id, "inside", World((HIDDEN,)))
    resolve = only(Resolve, advance(run, sight))
    assert resolve.query.readings[0].direct == Phrase("old")
    folder = Binding(Target(HIDDEN.id, "old", "folder"))
    bound = Bound("c1", look.action.action_id, Success("direct", "inside", (folder,)))
    assert started(advance(run, bound))
    assert not started(advance(run, bound))


def test_words_bound_to_nothing_end_their_action_with_the_resolvers_reason() -> None:
    run = command(file("b", "inside:old"))
    look = only(Look, planned(run))
    name = look.action.action_id
    refusal = NotBound("c1", name, Failure(Code.TARGET_NOT_FOUND, "no 'old' here"))
    finished = end_of(advance(run, refusal))
    assert (finished.code, finished.message) == (Code.TARGET_NOT_FOUND, "no 'old' here")

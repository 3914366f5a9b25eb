"""The planner's contract: guarantees, failure modes, violations, examples, and its rule table."""

import copy
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.planner import REMEMBERED, Planner
from actors.planner.planning import Means, plan_all
from actors.planner.tables import parse_engines, parse_rules, planner_rules, search_engines
from messages.effects import fill, holds
from messages.goals import Goal, MetaGoal, meta_type_of
from messages.message import Value
from messages.phrases import Phrase
from messages.planning import MakePlans
from messages.plans import (
    Plan,
    PlanGraph,
    PlannedAction,
    PlanResult,
    PlanStatus,
    ToolCapability,
    WorldState,
)
from messages.results import Code
from messages.rules import Rule, SearchEngine
from tests.running import running

TABLE = planner_rules()
ENGINES = search_engines()


def can(name: str, *achieves: str, requires: str = "", effects: str = "") -> ToolCapability:
    return ToolCapability(
        name, frozenset(achieves), frozenset(requires.split()), frozenset(effects.split())
    )


TOOLS = (
    can("desktop.open", "browser_navigate", "browser_search", effects="browser_running"),
    can("files.create_folder", "create_folder"),
    can("files.create_file", "create_file"),
    can("files.delete", "delete_folder", "delete_file", "delete_any"),
    can("apps.launch", "app_launch", effects="app_running:{name}"),
    can("apps.close", "app_close", requires="app_running:{name}", effects="app_closed:{name}"),
    can("apps.focus", "app_focus", requires="app_running:{name}"),
    can("system.time", "system_get:time"),
    can("system.disk", "system_get:disk"),
    can("pages.wait", "browser_wait"),
    can("pages.click", "browser_click"),
    can("pages.scroll", "browser_scroll"),
    can("audio.mute", "audio_mute"),
    can("audio.raise", "audio_raise"),
)
YOUTUBE_NVIDIA = "https://youtube.com/results?search_query=nvidia"


def goal(name: str, /, **params: Value) -> Goal:
    """Make a goal whose id is given when its MetaGoal is made."""
    domain, _, verb = name.partition(".")
    return Goal("", domain, verb, params)


def meta_goal(*goals: Goal, after: Mapping[int, tuple[int, ...]] | None = None) -> MetaGoal:
    dependencies = after or {}
    named = tuple(
        msgspec.structs.replace(goal, goal_id=f"g{index}") for index, goal in enumerate(goals)
    )
    return MetaGoal(meta_type_of(len(named), dependencies), named, dependencies)


def plan(
    *goals: Goal,
    after: Mapping[int, tuple[int, ...]] | None = None,
    world: WorldState | None = None,
    tools: tuple[ToolCapability, ...] = TOOLS,
) -> tuple[PlanResult, ...]:
    means = Means.of(TABLE, ENGINES, tools)
    return plan_all(meta_goal(*goals, after=after), world or WorldState(), means)


def plan_one(
    wanted: Goal, world: WorldState | None = None, tools: tuple[ToolCapability, ...] = TOOLS
) -> PlanResult:
    (result,) = plan(wanted, world=world, tools=tools)
    return result


def actions(result: PlanResult) -> tuple[PlannedAction, ...]:
    """Give the actions of a plan that there is."""
    assert result.plan is not None, result.reason
    return result.plan.actions


def action(result: PlanResult) -> PlannedAction:
    """Give the one action of a plan."""
    (only,) = actions(result)
    return only


def all_actions(results: tuple[PlanResult, ...]) -> list[str]:
    """Name every action of a command once, as its graph will."""
    plans = [result.plan for result in results if result.plan is not None]
    return list(dict.fromkeys(action.action_id for plan in plans for action in plan.actions))


OPEN_YOUTUBE = goal("browser.navigate", url="youtube.com")
SEARCH_NVIDIA = goal("browser.search", query="nvidia")


# The examples


def test_litmus_a_search_on_youtube_is_one_action() -> None:
    result = plan_one(goal("browser.search", platform="youtube", query="nvidia"))
    assert result.status == "success"
    assert result.plan is not None
    assert result.plan.total_actions == 1
    assert result.plan.goal_achieved_by == action(result).action_id
    assert action(result).args["url"] == YOUTUBE_NVIDIA
    assert action(result).expected_effect == "youtube_search_visible"


def test_navigate_is_planned_as_the_table_of_the_contract_says() -> None:
    planned = action(plan_one(goal("browser.navigate", url="google.com")))
    assert planned.action_id == "g0_navigate_1"
    assert planned.intent == "browser_control"
    assert planned.action_class == "actuate"
    assert planned.description == "navigate:google.com"
    assert planned.args == {"url": "https://google.com"}


def test_wait_is_planned_as_the_table_of_the_contract_says() -> None:
    planned = action(plan_one(goal("browser.wait", selector="#search")))
    assert (planned.intent, planned.action_class) == ("browser_control", "actuate")
    assert planned.description == "wait:#search:visible"
    assert planned.args == {"selector": "#search", "state": "visible"}


def test_looking_is_told_from_acting() -> None:
    assert action(plan_one(goal("system.get", target="time"))).action_class == "observe"


# G1 Merging happens here


def test_g1_open_youtube_and_search_nvidia_is_one_action() -> None:
    results = plan(OPEN_YOUTUBE, SEARCH_NVIDIA, after={1: (0,)})
    assert all_actions(results) == ["g1_search_1"]
    assert action(results[1]).args["url"] == YOUTUBE_NVIDIA
    assert action(results[1]).expected_effect == "youtube_search_visible"


def test_g1_the_absorbed_goal_names_the_action_that_achieves_it() -> None:
    opened, searched = plan(OPEN_YOUTUBE, SEARCH_NVIDIA, after={1: (0,)})
    assert (opened.goal_id, opened.status) == ("g0", "success")
    assert opened.plan == searched.plan


def test_g1_what_comes_after_the_merged_goals_hangs_on_their_one_action() -> None:
    click = goal("browser.click", selector="#first")
    results = plan(OPEN_YOUTUBE, SEARCH_NVIDIA, click, after={1: (0,), 2: (1,)})
    assert action(results[2]).depends_on == ("g1_search_1",)


def test_g1_the_merged_action_waits_for_what_the_absorbed_goal_waited_for() -> None:
    results = plan(goal("audio.mute"), OPEN_YOUTUBE, SEARCH_NVIDIA, after={1: (0,), 2: (1,)})
    assert action(results[2]).depends_on == ("g0_mute_1",)


@pytest.mark.parametrize("url", ["https://www.youtube.com/", "http://YouTube.com", "youtube.com/"])
def test_g1_a_front_page_is_recognised_however_it_is_written(url: str) -> None:
    results = plan(goal("browser.navigate", url=url), SEARCH_NVIDIA, after={1: (0,)})
    assert all_actions(results) == ["g1_search_1"]


@pytest.mark.parametrize("platform", ["youtube", "YouTube"])
def test_g1_a_search_that_names_the_very_site_is_merged(platform: str) -> None:
    search = goal("browser.search", query="nvidia", platform=platform)
    assert all_actions(plan(OPEN_YOUTUBE, search, after={1: (0,)})) == ["g1_search_1"]


def test_g1_an_alias_is_merged_like_its_verb() -> None:
    opened = goal("browser.goto", url="youtube.com")
    results = plan(opened, goal("browser.find", query="nvidia"), after={1: (0,)})
    assert all_actions(results) == ["g1_search_1"]


def test_nothing_is_merged_where_another_goal_needs_the_page() -> None:
    wait = goal("browser.wait", selector="#search")
    results = plan(OPEN_YOUTUBE, wait, SEARCH_NVIDIA, after={1: (0,), 2: (0,)})
    assert all_actions(results) == ["g0_navigate_1", "g1_wait_1", "g2_search_1"]
    assert action(results[2]).args["platform"] == "youtube"


def test_nothing_is_merged_where_the_search_is_on_another_site() -> None:
    search = goal("browser.search", query="nvidia", platform="google")
    results = plan(OPEN_YOUTUBE, search, after={1: (0,)})
    assert all_actions(results) == ["g0_navigate_1", "g1_search_1"]
    assert action(results[1]).args["url"] == "https://google.com/search?q=nvidia"


@pytest.mark.parametrize("url", ["youtube.com/feed", "youtube.com/?tab=2"])
def test_nothing_is_merged_where_the_page_is_not_a_front_page(url: str) -> None:
    results = plan(goal("browser.navigate", url=url), SEARCH_NVIDIA, after={1: (0,)})
    assert all_actions(results) == ["g0_navigate_1", "g1_search_1"]


@pytest.mark.parametrize("url", ["example.org", "https://example.org", "http://example.org/a"])
def test_a_search_after_opening_an_unknown_site_is_refused_never_made_elsewhere(url: str) -> None:
    opened, searched = plan(goal("browser.navigate", url=url), SEARCH_NVIDIA, after={1: (0,)})
    assert all_actions((opened,)) == ["g0_navigate_1"]
    assert (searched.status, searched.blocker) == ("blocked", "platform=example.org")


def test_nothing_is_merged_where_the_goals_do_not_depend_on_each_other() -> None:
    results = plan(OPEN_YOUTUBE, SEARCH_NVIDIA)
    assert all_actions(results) == ["g0_navigate_1", "g1_search_1"]


def test_an_absorbed_goal_is_validated_all_the_same() -> None:
    opened, _ = plan(
        goal("browser.navigate", url="youtube.com", colour="red"), SEARCH_NVIDIA, after={1: (0,)}
    )
    assert opened.status == "validation_failed"


# G2 Plan is minimal


@pytest.mark.parametrize(
    "wanted",
    [
        goal("browser.search", platform="youtube", query="nvidia"),
        goal("file.create", object_type="folder", name="a"),
        goal("app.launch", name="firefox"),
        goal("audio.mute"),
    ],
)
def test_g2_a_goal_of_one_thing_is_one_action(wanted: Goal) -> None:
    assert len(actions(plan_one(wanted))) == 1


def test_g2_a_list_that_names_a_thing_twice_asks_for_it_once() -> None:
    assert len(actions(plan_one(goal("system.get", target=["time", "time"])))) == 1


@pytest.mark.parametrize("after", [None, {1: (0,)}])
@pytest.mark.parametrize(
    "wanted", [OPEN_YOUTUBE, goal("audio.mute"), goal("app.launch", name="vlc")]
)
def test_g2_equal_goals_are_one_action(
    wanted: Goal, after: Mapping[int, tuple[int, ...]] | None
) -> None:
    first, second = plan(wanted, wanted, after=after)
    assert len(all_actions((first, second))) == 1
    assert first.plan == second.plan


@pytest.mark.parametrize("wanted", [goal("audio.raise"), goal("system.get", target="time")])
def test_g2_what_does_or_tells_more_the_second_time_is_done_twice(wanted: Goal) -> None:
    assert len(all_actions(plan(wanted, wanted, after={1: (0,)}))) == 2


def test_g2_equal_goals_with_another_in_between_are_two_actions() -> None:
    away = goal("browser.navigate", url="example.org")
    results = plan(OPEN_YOUTUBE, away, OPEN_YOUTUBE, after={1: (0,), 2: (1,)})
    assert len(all_actions(results)) == 3


def test_g2_whoever_waits_for_an_equal_goal_waits_for_the_one_action() -> None:
    mute = goal("audio.mute")
    results = plan(mute, mute, goal("audio.raise"), after={2: (1,)})
    assert action(results[2]).depends_on == ("g0_mute_1",)


def test_the_second_search_of_a_command_stays_with_its_site() -> None:
    again = goal("browser.search", query="amd")
    results = plan(OPEN_YOUTUBE, SEARCH_NVIDIA, again, after={1: (0,), 2: (1,)})
    assert all_actions(results) == ["g1_search_1", "g2_search_1"]
    assert str(action(results[2]).args["url"]).startswith("https://youtube.com/")


def test_g2_what_the_world_already_is_never_empties_a_plan() -> None:
    world = WorldState(browser_running=True, running_apps=frozenset({"firefox"}))
    assert len(actions(plan_one(goal("app.launch", name="firefox"), world))) == 1


# G3 Plan is executable


def test_g3_an_action_is_planned_only_if_some_capability_achieves_it() -> None:
    wanted = goal("audio.mute")
    assert action(plan_one(wanted)).achieves == "audio_mute"
    assert plan_one(wanted, tools=()).status == "no_capability"


def test_g3_of_several_capabilities_one_whose_needs_are_met_suffices() -> None:
    picky = can("other.mute", "audio_mute", requires="browser_running")
    assert plan_one(goal("audio.mute"), tools=(picky, *TOOLS)).status == "success"
    assert plan_one(goal("audio.mute"), tools=(picky,)).status == "blocked"


# G4 Dependencies are explicit


def test_g4_an_action_names_the_actions_it_waits_for() -> None:
    folder, mute = goal("file.create", object_type="folder", name="a"), goal("audio.mute")
    results = plan(folder, mute, goal("audio.raise"), after={2: (0, 1)})
    assert action(results[2]).depends_on == ("g0_create_1", "g1_mute_1")


def test_g4_independent_goals_wait_for_nothing() -> None:
    results = plan(goal("audio.mute"), goal("system.get", target="time"))
    assert [action(result).depends_on for result in results] == [(), ()]


def test_g4_what_waits_for_a_goal_waits_for_every_one_of_its_actions() -> None:
    both = goal("system.get", target=["time", "disk"])
    results = plan(both, goal("audio.mute"), after={1: (0,)})
    assert action(results[1]).depends_on == ("g0_get_1", "g0_get_2")


# G5 WorldState is unchanged, G6 deterministic


def test_g5_a_world_state_and_a_goal_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        WorldState().browser_running = True  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Goal("g0", "audio", "mute").verb = "unmute"  # type: ignore[misc]


def test_g5_planning_with_projection_leaves_the_snapshot_as_it_was() -> None:
    world = WorldState(running_apps=frozenset({"gimp"}))
    launch, focus = goal("app.launch", name="firefox"), goal("app.focus", name="firefox")
    plan(launch, focus, after={1: (0,)}, world=world)
    assert world == WorldState(running_apps=frozenset({"gimp"}))


SAME_EVERYWHERE = """
import sys, msgspec
from tests.test_contract_planner import OPEN_YOUTUBE, SEARCH_NVIDIA, goal, plan
results = plan(
    OPEN_YOUTUBE, SEARCH_NVIDIA, goal("app.close", name="a"), goal("file.creat", name="a"),
    goal("audio.mute", b="1", a="2"), after={1: (0,), 3: (0, 2)},
)
sys.stdout.buffer.write(msgspec.json.encode(results))
"""


def test_g6_another_process_gives_the_same_bytes() -> None:
    def planned(seed: str) -> bytes:
        return subprocess.run(
            [sys.executable, "-c", SAME_EVERYWHERE],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parent.parent,
            capture_output=True,
            check=True,
        ).stdout

    assert planned("1") == planned("2") != b""


# Failure modes


def test_an_unknown_verb_is_rule_not_found() -> None:
    result = plan_one(goal("file.frobnicate", name="a"))
    assert result.status == "rule_not_found"
    assert result.plan is None
    assert "file.frobnicate" in str(result.reason)


def test_an_unknown_domain_is_rule_not_found() -> None:
    assert plan_one(goal("toaster.create", name="a")).status == "rule_not_found"


def test_a_verb_near_a_known_one_is_named_and_never_taken() -> None:
    result = plan_one(goal("file.creat", object_type="folder", name="a"))
    assert result.status == "rule_not_found"
    assert "file.create" in str(result.reason)


def test_a_missing_required_parameter_is_validation_failed() -> None:
    result = plan_one(goal("browser.navigate"))
    assert (result.status, result.plan) == ("validation_failed", None)
    assert "url" in str(result.reason)


def test_an_unknown_parameter_is_validation_failed() -> None:
    result = plan_one(goal("audio.mute", colour="red"))
    assert result.status == "validation_failed"
    assert "colour" in str(result.reason)


def test_an_unknown_role_is_validation_failed() -> None:
    wanted = Goal("", "audio", "mute", roles={"target": Phrase("the speakers")})
    assert plan_one(wanted).status == "validation_failed"


@pytest.mark.parametrize("value", [None, 5, True, ["a"], {"a": 1}])
def test_a_parameter_of_another_type_is_validation_failed(value: Value) -> None:
    assert plan_one(goal("browser.navigate", url=value)).status == "validation_failed"


def test_a_required_parameter_is_met_by_the_role_that_binds_it() -> None:
    wanted = Goal("", "browser", "click", roles={"target": Phrase("Sign In")})
    planned = action(plan_one(wanted))
    assert planned.roles == {"target": Phrase("Sign In")}
    assert planned.args == {}
    assert planned.description == "click:Sign In"


def test_an_unknown_direction_is_blocked_and_names_the_blocker() -> None:
    result = plan_one(goal("browser.scroll", direction="sideways"))
    assert (result.status, result.plan) == ("blocked", None)
    assert result.blocker == "direction=sideways"
    assert "up, down, left, right" in str(result.reason)


@pytest.mark.parametrize("step", [0, 101, -10])
def test_a_number_out_of_range_is_blocked(step: int) -> None:
    result = plan_one(goal("audio.raise", step=step))
    assert (result.status, result.blocker) == ("blocked", f"step={step}")


BAD_ADDRESSES = ["file:///etc/passwd", "javascript:alert(1)", "mailto:a@b.c", "a b"]


@pytest.mark.parametrize("url", BAD_ADDRESSES)
def test_an_address_that_is_not_of_the_web_is_blocked(url: str) -> None:
    result = plan_one(goal("browser.navigate", url=url))
    assert (result.status, result.blocker) == ("blocked", f"url={url}")


def test_an_unknown_search_engine_is_blocked() -> None:
    result = plan_one(goal("browser.search", platform="altavista", query="a"))
    assert (result.status, result.blocker) == ("blocked", "platform=altavista")


def test_what_nothing_can_do_is_no_capability() -> None:
    result = plan_one(goal("audio.mute"), tools=())
    assert (result.status, result.plan) == ("no_capability", None)
    assert "audio_mute" in str(result.reason)


FOCUS = goal("app.focus", name="Firefox")


def test_blocked_by_the_world_an_app_that_is_not_running_cannot_be_focused() -> None:
    result = plan_one(FOCUS)
    assert (result.status, result.blocker) == ("blocked", "app_running:Firefox")


def test_an_app_that_is_running_can_be_focused() -> None:
    assert plan_one(FOCUS, WorldState(running_apps=frozenset({"firefox"}))).status == "success"


def test_an_app_that_an_earlier_goal_launches_can_be_focused() -> None:
    results = plan(goal("app.launch", name="firefox"), FOCUS, after={1: (0,)})
    assert [result.status for result in results] == ["success", "success"]


def test_the_launch_may_be_any_ancestor() -> None:
    launch, mute = goal("app.launch", name="firefox"), goal("audio.mute")
    results = plan(launch, mute, FOCUS, after={1: (0,), 2: (1,)})
    assert results[2].status == "success"


def test_a_launch_that_the_goal_does_not_wait_for_does_not_count() -> None:
    results = plan(goal("app.launch", name="firefox"), FOCUS)
    assert [result.status for result in results] == ["success", "blocked"]


def test_an_app_that_an_earlier_goal_closes_cannot_be_focused() -> None:
    world = WorldState(running_apps=frozenset({"firefox"}))
    results = plan(goal("app.close", name="firefox"), FOCUS, after={1: (0,)}, world=world)
    assert [result.status for result in results] == ["success", "blocked"]


def test_partial_some_of_a_list_can_be_done_and_the_unmet_part_is_named() -> None:
    result = plan_one(goal("system.get", target=["battery", "time"]))
    assert result.status == "partial"
    assert [action.args for action in actions(result)] == [{"target": "time"}]
    assert len(result.unmet) == 1
    assert "system_get:battery" in result.unmet[0]
    assert result.reason


def test_partial_by_the_world_only_running_apps_are_closed() -> None:
    world = WorldState(running_apps=frozenset({"gimp"}))
    result = plan_one(goal("app.close", name=["gimp", "firefox"]), world)
    assert result.status == "partial"
    assert [action.args["name"] for action in actions(result)] == ["gimp"]
    assert "firefox" in result.unmet[0]


def test_a_list_of_which_all_can_be_done_is_a_success_of_several_actions() -> None:
    result = plan_one(goal("system.get", target=["time", "disk"]))
    assert result.status == "success"
    assert [action.action_id for action in actions(result)] == ["g0_get_1", "g0_get_2"]


def test_a_list_of_which_nothing_can_be_done_is_no_part_of_a_success() -> None:
    assert plan_one(goal("system.get", target=["battery", "memory"])).status == "no_capability"


def test_a_list_with_a_value_that_is_not_allowed_is_blocked_as_a_whole() -> None:
    assert plan_one(goal("system.get", target=["time", "weather"])).status == "blocked"


@pytest.mark.parametrize(
    "wanted",
    [
        goal("system.get", target=[]),
        goal("file.create", object_type="folder", name=["a", "b"]),
        goal("system.get", target=[{"target": "time"}]),
    ],
)
def test_a_list_is_refused_where_none_is_meant(wanted: Goal) -> None:
    assert plan_one(wanted).status == "validation_failed"


def test_ambiguous_is_never_the_planners_answer() -> None:
    assert "ambiguous" not in get_args(PlanStatus)


# Order of validation


def test_the_rule_is_looked_up_before_parameters_are_looked_at() -> None:
    assert plan_one(goal("file.frobnicate"), tools=()).status == "rule_not_found"


def test_required_parameters_come_before_allowed_values() -> None:
    assert plan_one(goal("file.create", object_type="spaceship")).status == "validation_failed"


def test_allowed_values_come_before_capabilities() -> None:
    wanted = goal("browser.scroll", direction="sideways")
    assert plan_one(wanted, tools=()).status == "blocked"


def test_defaults_come_before_capabilities() -> None:
    result = plan_one(goal("file.delete", name="a"), tools=(can("files.delete", "delete_any"),))
    assert action(result).achieves == "delete_any"


def test_a_missing_capability_comes_before_what_the_world_prevents() -> None:
    assert plan_one(FOCUS, tools=()).status == "no_capability"


@pytest.mark.parametrize(
    ("name", "params", "expected"),
    [
        ("browser.wait", {"selector": "#a"}, {"selector": "#a", "state": "visible"}),
        ("browser.search", {"query": "a"}, {"query": "a", "platform": "google"}),
        ("audio.raise", {}, {"step": 10}),
        ("browser.scroll", {}, {"direction": "down"}),
    ],
)
def test_defaults_are_applied(name: str, params: dict[str, Value], expected: object) -> None:
    planned = action(plan_one(goal(name, **params)))
    assert {key: value for key, value in planned.args.items() if key != "url"} == expected


def test_what_is_stated_wins_over_the_default() -> None:
    assert action(plan_one(goal("audio.raise", step=25))).args == {"step": 25}


# Aliases


@pytest.mark.parametrize(
    ("name", "params", "achieves", "action_id"),
    [
        ("file.mkdir", {"name": "a"}, "create_folder", "g0_create_1"),
        ("file.make", {"object_type": "folder", "name": "a"}, "create_folder", "g0_create_1"),
        ("file.make", {"object_type": "file", "name": "a"}, "create_file", "g0_create_1"),
        ("file.rm", {"name": "a"}, "delete_any", "g0_delete_1"),
        ("file.rm", {"object_type": "file", "name": "a"}, "delete_file", "g0_delete_1"),
        ("system.launch", {"name": "firefox"}, "app_launch", "g0_launch_1"),
    ],
)
def test_an_alias_is_planned_as_its_verb(
    name: str, params: dict[str, Value], achieves: str, action_id: str
) -> None:
    planned = action(plan_one(goal(name, **params)))
    assert (planned.achieves, planned.action_id) == (achieves, action_id)


@pytest.mark.parametrize("verb", ["create", "delete"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_file_operations_of_the_contract_are_planned(verb: str, kind: str) -> None:
    planned = action(plan_one(goal(f"file.{verb}", object_type=kind, name="a")))
    assert planned.intent == "file_operation"
    assert planned.achieves == f"{verb}_{kind}"


# Arguments are authoritative


def test_a_resolved_path_becomes_an_argument() -> None:
    wanted = goal("file.create", object_type="folder", name="a")
    planned = action(plan_one(msgspec.structs.replace(wanted, resolved_path="/work/a")))
    assert planned.args == {"object_type": "folder", "name": "a", "path": "/work/a"}
    assert planned.description == "create:folder:/work/a"


def test_a_path_cannot_be_smuggled_in_as_a_parameter() -> None:
    wanted = goal("file.create", object_type="folder", name="a", path="/etc")
    assert plan_one(wanted).status == "validation_failed"


def test_a_selector_is_never_guessed() -> None:
    assert plan_one(goal("browser.click")).status == "validation_failed"


# Contract violations are refused by the constructors


def an_action(name: str, *depends_on: str) -> PlannedAction:
    return PlannedAction(name, "g0", "i", "d", {}, "observe", "x", "y", depends_on)


ONE = Plan((an_action("a"),), "a", 1)


def test_a_success_with_no_actions_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="needs a plan"):
        PlanResult("g0", "success")
    with pytest.raises(ValueError, match="no action of the plan"):
        Plan((), "a", 0)


def test_a_partial_with_no_actions_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="needs a plan"):
        PlanResult("g0", "partial", reason="r", unmet=("u",))


def test_a_plan_that_miscounts_its_actions_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="total_actions"):
        Plan((an_action("a"),), "a", 2)


def test_a_plan_achieved_by_no_action_of_its_own_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="goal_achieved_by"):
        Plan((an_action("a"),), "b", 1)


def test_a_plan_with_two_actions_of_one_id_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="not unique"):
        Plan((an_action("a"), an_action("a")), "a", 2)


@pytest.mark.parametrize(
    "circle", [(an_action("a", "a"),), (an_action("a", "b"), an_action("b", "a"))]
)
def test_a_plan_with_circular_dependencies_cannot_be_made(
    circle: tuple[PlannedAction, ...],
) -> None:
    with pytest.raises(ValueError, match="circle"):
        Plan(circle, "a", len(circle))


def test_a_graph_with_circular_dependencies_cannot_be_made() -> None:
    nodes = {"a": an_action("a"), "b": an_action("b")}
    with pytest.raises(ValueError, match="circle"):
        PlanGraph(nodes, {"a": ("b",), "b": ("a",)})


def test_a_graph_that_names_unknown_actions_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="do not exist"):
        PlanGraph({"a": an_action("a")}, {"a": ("b",)})


def test_a_failure_with_a_plan_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="cannot carry a plan"):
        PlanResult("g0", "no_capability", ONE, "r")


@pytest.mark.parametrize("status", ["rule_not_found", "validation_failed", "no_capability"])
def test_a_failure_without_a_reason_cannot_be_made(status: PlanStatus) -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        PlanResult("g0", status)


def test_a_blocked_result_without_its_blocker_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="blocker"):
        PlanResult("g0", "blocked", reason="r")


def test_a_partial_that_does_not_say_what_is_unmet_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="unmet"):
        PlanResult("g0", "partial", ONE, "r")
    with pytest.raises(ValueError, match="unmet"):
        PlanResult("g0", "success", ONE, unmet=("u",))


def test_a_violation_cannot_come_in_as_bytes_either() -> None:
    sent = msgspec.json.encode({"goal_id": "g0", "status": "success"})
    with pytest.raises(msgspec.ValidationError, match="needs a plan"):
        msgspec.json.decode(sent, type=PlanResult)


# The actor


async def test_the_planner_answers_with_one_result_per_goal_in_order() -> None:
    meta = meta_goal(goal("audio.mute"), goal("x.y"), goal("system.get", target="time"))
    async with running(Planner(TABLE, ENGINES)) as planner:
        answer = await planner.ask(MakePlans("c1", meta, WorldState(), TOOLS))
    assert answer.command_id == "c1"
    assert [(result.goal_id, result.status) for result in answer.results] == [
        ("g0", "success"),
        ("g1", "rule_not_found"),
        ("g2", "success"),
    ]


async def test_the_planner_goes_by_the_capabilities_of_each_request() -> None:
    meta = meta_goal(goal("audio.mute"))
    async with running(Planner(TABLE, ENGINES)) as planner:
        able = await planner.ask(MakePlans("c1", meta, WorldState(), TOOLS))
        unable = await planner.ask(MakePlans("c2", meta, WorldState(), ()))
    assert (able.results[0].status, unable.results[0].status) == ("success", "no_capability")


async def test_the_same_goals_are_planned_anew_in_another_world() -> None:
    meta = meta_goal(goal("app.close", name="firefox"))
    running_it = WorldState(running_apps=frozenset({"firefox"}))
    async with running(Planner(TABLE, ENGINES)) as planner:
        worlds = [WorldState(), running_it, WorldState()]
        answers = [await planner.ask(MakePlans("c1", meta, world, TOOLS)) for world in worlds]
    assert [answer.results[0].status for answer in answers] == ["blocked", "success", "blocked"]


async def test_plans_that_are_remembered_are_the_same_bytes_as_plans_made_anew() -> None:
    meta, world = meta_goal(goal("app.launch", name="firefox"), goal("audio.mute")), WorldState()
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(meta), type=MetaGoal)
    async with running(Planner(TABLE, ENGINES)) as planner:
        first = await planner.ask(MakePlans("c1", meta, world, TOOLS))
        second = await planner.ask(MakePlans("c2", again, world, TOOLS))
    async with running(Planner(TABLE, ENGINES)) as other:
        anew = await other.ask(MakePlans("c2", again, world, TOOLS))
    assert second.results is first.results
    assert msgspec.json.encode(second) == msgspec.json.encode(anew)


def test_the_same_goals_are_planned_for_an_undo_and_refused_otherwise() -> None:
    planner, world = Planner(TABLE, ENGINES), WorldState()
    tools = (*TOOLS, can("files.discard", "discard_unchanged"))
    meta = meta_goal(goal("file.discard", name="a", expects="0"))
    asked = [MakePlans("c1", meta, world, tools, undoes=undoes) for undoes in (True, False) * 2]
    results = [planner.made(request).results[0] for request in asked]
    assert [each.status for each in results] == ["success", "blocked"] * 2
    assert {each.code for each in results} == {None, Code.NOT_ALLOWED}


def test_what_only_undo_does_is_suggested_to_nobody() -> None:
    reason = plan_one(goal("file.untrahs")).reason
    assert reason is not None
    assert "untrash" not in reason


def test_values_that_python_takes_for_equal_are_planned_apart() -> None:
    planner, world = Planner(TABLE, ENGINES), WorldState()
    metas = [meta_goal(goal("audio.raise", percent=percent)) for percent in (1, True, 1.0)]
    made = [planner.made(MakePlans("c1", meta, world, TOOLS)).results for meta in metas]
    means = Means.of(TABLE, ENGINES, TOOLS)
    anew = [plan_all(meta, world, means) for meta in metas]
    assert msgspec.json.encode(made) == msgspec.json.encode(anew)


def test_only_so_many_short_plans_are_remembered() -> None:
    planner, world = Planner(TABLE, ENGINES), WorldState()
    for number in range(3 * REMEMBERED):
        meta = meta_goal(goal("app.launch", name=f"app{number}"))
        planner.made(MakePlans("c1", meta, world, TOOLS))
    many = meta_goal(goal("app.launch", name=[f"app{number}" for number in range(100)]))
    assert planner.made(MakePlans("c1", many, world, TOOLS)).is_short is False
    before = planner.remembered
    planner.made(MakePlans("c1", many, world, TOOLS))
    assert planner.remembered == before <= REMEMBERED


# The rule table and the search engines are data


ROW = """
[a.b]
intent = "i"
action_class = "actuate"
description = "d"
achieves = "x"
effect = "y"
"""


def test_a_verb_is_added_by_adding_a_row() -> None:
    table = parse_rules(ROW + "params.c = { required = true }")
    means = Means.of(table, {}, (can("t", "x"),))
    (result,) = plan_all(meta_goal(goal("a.b", c="d")), WorldState(), means)
    assert action(result).args == {"c": "d"}


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ('params.c = { required = true, default = "d" }', "both required and defaulted"),
        ('params.c = { default = "d", allowed = ["e"] }', "not one of e"),
        ('params.c = { default = 5, type = "integer", maximum = 4 }', "above 4"),
        ("params.c = { default = 5 }", "not a text"),
        ("aliases = { b = {} }", "a.b is taken"),
        ('aliases = { c = { d = "e" } }', "implies unknown"),
        ('absorbs = ["z"]', "absorbs unknown z"),
        ('creates = "c"', "no parameter"),
        ('params.c = { role = "target" }', "no role here"),
        ("unheard_of = 1", "unheard_of"),
    ],
)
def test_a_row_that_contradicts_itself_is_not_loaded(row: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_rules(ROW + row)


def test_an_alias_of_two_verbs_is_not_loaded() -> None:
    other = ROW.replace("[a.b]", "[a.c]")
    with pytest.raises(ValueError, match=r"a\.d is taken"):
        parse_rules(f"{ROW}aliases = {{ d = {{}} }}\n{other}aliases = {{ d = {{}} }}")


def test_a_row_without_an_intent_is_not_loaded() -> None:
    with pytest.raises(ValueError, match="intent"):
        parse_rules(ROW.replace('intent = "i"', ""))


@pytest.mark.parametrize("domain", ["browser", "file", "app", "system", "audio"])
def test_the_shipped_table_has_rows_of_every_domain(domain: str) -> None:
    assert any(key[0] == domain for key in TABLE.rules)


@pytest.mark.parametrize(
    ("platform", "url"),
    [
        ("youtube", "https://youtube.com/results?search_query=a+b%26c"),
        ("google", "https://google.com/search?q=a+b%26c"),
        ("bing", "https://bing.com/search?q=a+b%26c"),
        ("duckduckgo", "https://duckduckgo.com/?q=a+b%26c"),
        ("github", "https://github.com/search?q=a+b%26c"),
        ("wikipedia", "https://en.wikipedia.org/w/index.php?search=a+b%26c"),
        ("amazon", "https://amazon.com/s?k=a+b%26c"),
        ("maps", "https://google.com/maps/search/?api=1&query=a+b%26c"),
        ("stackoverflow", "https://stackoverflow.com/search?q=a+b%26c"),
    ],
)
def test_the_shipped_search_engines_have_an_address(platform: str, url: str) -> None:
    planned = action(plan_one(goal("browser.search", platform=platform, query="a b&c")))
    assert planned.args["url"] == url
    assert planned.expected_effect == f"{platform}_search_visible"


def test_a_site_with_a_search_template_that_a_user_adds_is_searched_and_merged() -> None:
    wiki = SearchEngine("https://wiki.example.org/?find={query}", ("wiki.example.org",))
    means = Means.of(TABLE, {**ENGINES, "wiki": wiki}, TOOLS)
    meta = meta_goal(
        goal("browser.navigate", url="wiki.example.org"), SEARCH_NVIDIA, after={1: (0,)}
    )
    results = plan_all(meta, WorldState(), means)
    assert all_actions(results) == ["g1_search_1"]
    assert action(results[1]).args["url"] == "https://wiki.example.org/?find=nvidia"


@pytest.mark.parametrize("search", ["https://a.org/?q=", "ftp://a.org/{query}"])
def test_a_search_template_without_a_place_for_the_words_or_off_the_web_is_not_loaded(
    search: str,
) -> None:
    with pytest.raises(ValueError, match="search template"):
        parse_engines(f'[a]\nsearch = "{search}"')


# Properties over arbitrary goals made from the real table


WORDS = st.sampled_from(["a", "firefox", "youtube", "https://www.youtube.com", "github.com/a", ""])
ODD = st.one_of(st.none(), st.booleans(), st.integers(-200, 200), st.lists(WORDS, max_size=3))


def values_of(rule: Rule, name: str) -> st.SearchStrategy[Value]:
    """Give values of a parameter: mostly ones that its row allows."""
    parameter = rule.params[name]
    allowed: st.SearchStrategy[Value] = WORDS
    if parameter.type in {"integer", "number"}:
        allowed = st.integers(1, 100)
    elif parameter.type == "flag":
        allowed = st.booleans()
    elif parameter.allowed:
        allowed = st.sampled_from(parameter.allowed)
    some = st.lists(allowed, max_size=3) if parameter.each else allowed
    return st.one_of(allowed, allowed, some, ODD)


@st.composite
def goals(draw: st.DrawFn, index: int) -> Goal:
    domain, verb = draw(st.sampled_from([*TABLE.rows, ("file", "frobnicate")]))
    row = TABLE.find(domain, verb)
    params: dict[str, Value] = draw(
        st.sampled_from([{}, {}, {}, {}, {}, {}, {"colour": "red"}]).map(dict)
    )
    roles: dict[str, Phrase] = {}
    if row is not None:
        for name in row.rule.params:
            if name in row.required or draw(st.booleans()):
                params[name] = draw(values_of(row.rule, name))
        roles = {role: Phrase("it") for role in row.rule.roles if draw(st.booleans())}
    path = draw(st.sampled_from([None, "/work/a"])) if domain == "file" else None
    return Goal(f"g{index}", domain, verb, params, roles, resolved_path=path)


@st.composite
def meta_goals(draw: st.DrawFn) -> MetaGoal:
    count = draw(st.integers(1, 5))
    dependencies = {
        child: tuple(sorted(parents))
        for child in range(1, count)
        if (parents := draw(st.sets(st.integers(0, child - 1), max_size=2)))
    }
    made = tuple(draw(goals(index)) for index in range(count))
    return MetaGoal(meta_type_of(count, dependencies), made, dependencies)


WORLDS = st.builds(WorldState, st.booleans(), running_apps=st.frozensets(WORDS, max_size=2))


def whatever_achieves(rule: Rule) -> ToolCapability:
    """Make a tool that can do all that a row may ask for."""
    templated = [name for name in rule.params if f"{{{name}}}" in rule.achieves]
    values = [{name: value} for name in templated for value in rule.params[name].allowed]
    return can(rule.achieves, *(fill(rule.achieves, value) for value in values or [{}]))


ABLE = tuple(whatever_achieves(rule) for rule in TABLE.rules.values())
TOOLBOXES = st.sampled_from([TOOLS, (*TOOLS, *ABLE), ABLE])


@given(meta_goals(), WORLDS, TOOLBOXES)
def test_g6_the_same_inputs_give_the_same_bytes(
    meta: MetaGoal, world: WorldState, tools: tuple[ToolCapability, ...]
) -> None:
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(meta), type=MetaGoal)
    once = plan_all(meta, world, Means.of(TABLE, ENGINES, tools))
    twice = plan_all(again, copy.deepcopy(world), Means.of(TABLE, ENGINES, copy.deepcopy(tools)))
    assert msgspec.json.encode(once) == msgspec.json.encode(twice)


@given(meta_goals(), WORLDS, TOOLBOXES)
def test_g5_planning_changes_none_of_its_inputs(
    meta: MetaGoal, world: WorldState, tools: tuple[ToolCapability, ...]
) -> None:
    before = copy.deepcopy((meta, world, tools))
    plan_all(meta, world, Means.of(TABLE, ENGINES, tools))
    assert (meta, world, tools) == before


@given(meta_goals(), WORLDS, TOOLBOXES)
def test_every_goal_gets_one_result_in_order(
    meta: MetaGoal, world: WorldState, tools: tuple[ToolCapability, ...]
) -> None:
    results = plan_all(meta, world, Means.of(TABLE, ENGINES, tools))
    assert [result.goal_id for result in results] == [goal.goal_id for goal in meta.goals]


@given(meta_goals(), WORLDS, TOOLBOXES)
def test_g3_every_planned_action_is_achieved_by_a_capability_that_was_given(
    meta: MetaGoal, world: WorldState, tools: tuple[ToolCapability, ...]
) -> None:
    for result in plan_all(meta, world, Means.of(TABLE, ENGINES, tools)):
        for planned in actions(result) if result.plan is not None else ():
            able = [tool for tool in tools if planned.achieves in tool.can_achieve]
            assert able
            if not meta.dependencies:
                assert any(
                    all(holds(fill(need, planned.args), world) for need in tool.requires)
                    for tool in able
                )


@given(meta_goals(), WORLDS, TOOLBOXES)
def test_arguments_hold_what_was_stated_defaulted_or_derived_and_nothing_else(
    meta: MetaGoal, world: WorldState, tools: tuple[ToolCapability, ...]
) -> None:
    by_id = {goal.goal_id: goal for goal in meta.goals}
    for result in plan_all(meta, world, Means.of(TABLE, ENGINES, tools)):
        for planned in actions(result) if result.plan is not None else ():
            wanted = by_id[planned.goal_id]
            row = TABLE.find(wanted.domain, wanted.verb)
            assert row is not None
            derived = {"path"} if wanted.resolved_path else set()
            derived |= {"url", "platform"} if row.rule.derive else set()
            stated = {**row.defaults, **row.implied, **wanted.params}
            assert planned.args.keys() <= stated.keys() | derived
            for name in planned.args.keys() - derived:
                given_value = stated[name]
                members = given_value if isinstance(given_value, list | tuple) else [given_value]
                assert planned.args[name] in members
            if wanted.resolved_path is not None:
                assert planned.args["path"] == wanted.resolved_path

"""The interpreter's contract, clause by clause: ids, scopes, dependencies, soft failures."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from actors.interpreter import Interpreter
from actors.interpreter.grammar import load_grammar
from actors.interpreter.scopes import plain_scope, resolve_scopes
from actors.planner.tables import planner_rules, search_engines
from messages.goals import Goal, GoalDraft, MetaGoal, MetaType, Scope, ScopeWarning, scopes
from messages.interpreting import Interpret, Interpretation, Interpreted, NotUnderstood
from tests.running import running
from tools.secrets import Secrets

TABLE = planner_rules()
VERBS = TABLE.verbs()


def draft(goal: str, scope: Scope = "root", /, **params: str) -> GoalDraft:
    domain, _, verb = goal.partition(".")
    return GoalDraft(domain, verb, params, scope=scope)


def folder(name: str, scope: Scope = "root") -> GoalDraft:
    return draft("file.create", scope, object_type="folder", name=name)


def resolve(*drafts: GoalDraft) -> tuple[MetaGoal, tuple[ScopeWarning, ...]]:
    return resolve_scopes(drafts, VERBS)


def dependencies(*drafts: GoalDraft) -> dict[int, tuple[int, ...]]:
    """Resolve drafts of which every scope holds."""
    meta, warnings = resolve(*drafts)
    assert warnings == ()
    return dict(meta.dependencies)


def only_warning(*drafts: GoalDraft) -> ScopeWarning:
    """Resolve drafts of which one scope is dropped, and no dependency is left."""
    meta, (warning,) = resolve(*drafts)
    assert meta.dependencies == {}
    assert warning.reason
    return warning


async def interpret(request: Interpret) -> Interpretation:
    """Ask a real Interpreter."""
    grammar = load_grammar(TABLE.rules, search_engines(), frozenset())
    async with running(Interpreter(grammar, VERBS, Secrets())) as interpreter:
        return await interpreter.ask(request)


async def understood(request: Interpret) -> Interpreted:
    answer = await interpret(request)
    assert isinstance(answer, Interpreted)
    return answer


# §1 Purpose


async def test_words_become_a_meta_goal() -> None:
    answer = await understood(Interpret("c1", text="create a folder reports"))
    assert answer.command_id == "c1"
    assert answer.meta.goals == (
        Goal("g0", "file", "create", {"object_type": "folder", "name": "reports"}),
    )


async def test_drafted_goals_become_a_meta_goal() -> None:
    answer = await understood(Interpret("c1", drafts=(folder("a"), folder("b", "after:g0"))))
    assert answer.meta.dependencies == {1: (0,)}
    assert answer.warnings == ()


async def test_words_that_mean_nothing_are_not_understood_and_make_no_goal() -> None:
    assert isinstance(await interpret(Interpret("c1", text="frobnicate")), NotUnderstood)


# §2 Parametric goals


def test_a_goal_keeps_its_domain_verb_params_object_and_roles() -> None:
    drafted = GoalDraft("browser", "click", {"button": 2}, {"target": "Sign In"}, object="title")
    meta, _ = resolve(drafted)
    (goal,) = meta.goals
    assert (goal.domain, goal.verb, goal.params, goal.object) == (
        "browser",
        "click",
        {"button": 2},
        "title",
    )
    assert goal.roles["target"].text == "Sign In"


def test_a_goal_without_a_scope_is_at_the_root() -> None:
    assert GoalDraft("audio", "mute").scope == "root"
    assert Goal("g0", "audio", "mute").scope == "root"


def test_a_goal_is_immutable() -> None:
    with pytest.raises(AttributeError):
        Goal("g0", "audio", "mute").verb = "unmute"  # type: ignore[misc]


@pytest.mark.parametrize(
    "name",
    ["browser.navigate", "browser.wait", "browser.click", "file.create", "system.launch", "a.b"],
)
def test_domain_and_verb_are_an_open_set(name: str) -> None:
    meta, warnings = resolve(draft(name))
    assert f"{meta.goals[0].domain}.{meta.goals[0].verb}" == name
    assert warnings == ()


# §3.1 Supported scopes


def test_root_is_independent() -> None:
    assert dependencies(draft("browser.navigate", "root"), draft("audio.mute", "root")) == {}


def test_after_a_verb_depends_on_the_goal_with_that_verb() -> None:
    assert dependencies(draft("browser.navigate"), draft("browser.wait", "after:navigate")) == {
        1: (0,)
    }


def test_after_an_id_depends_on_the_goal_with_that_id() -> None:
    assert dependencies(draft("audio.mute"), folder("a"), draft("audio.set", "after:g0")) == {
        2: (0,)
    }


def test_inside_a_target_depends_on_the_goal_that_creates_it() -> None:
    meta, warnings = resolve(folder("my_folder"), folder("deeper", "inside:my_folder"))
    assert meta.dependencies == {1: (0,)}
    assert meta.goals[1].inside_of == "g0"
    assert warnings == ()


def test_a_drive_is_a_base_anchor_and_no_dependency() -> None:
    meta, warnings = resolve(folder("a"), folder("b", "drive:C"))
    assert meta.dependencies == {}
    assert meta.goals[1].scope == "drive:C"
    assert warnings == ()


def test_a_goal_may_carry_several_scopes() -> None:
    meta, warnings = resolve(
        folder("a"), draft("audio.mute"), folder("b", ("inside:a", "after:mute", "drive:D"))
    )
    assert meta.dependencies == {2: (0, 1)}
    assert meta.goals[2].scope == ("inside:a", "after:mute", "drive:D")
    assert warnings == ()


def test_an_inside_that_no_goal_creates_is_an_anchor_for_later_and_no_dependency() -> None:
    meta, warnings = resolve(folder("a"), folder("b", "inside:documents"))
    assert meta.dependencies == {}
    assert meta.goals[1].scope == "inside:documents"
    assert meta.goals[1].inside_of is None
    assert warnings == ()


def test_submitted_goals_get_only_the_scopes_they_state() -> None:
    assert dependencies(draft("browser.navigate", url="a.org"), draft("browser.click")) == {}


# §3.2 Resolution algorithm


def test_ids_are_assigned_in_order() -> None:
    meta, _ = resolve(folder("a"), folder("b"), folder("c"))
    assert [goal.goal_id for goal in meta.goals] == ["g0", "g1", "g2"]


def test_of_several_goals_with_a_verb_the_first_wins() -> None:
    assert dependencies(
        draft("browser.navigate"),
        draft("browser.navigate"),
        draft("browser.wait", "after:navigate"),
    ) == {2: (0,)}


def test_a_verb_is_found_by_its_alias_and_by_the_name_of_its_rule() -> None:
    made = draft("file.mkdir", name="a")
    assert dependencies(made, draft("audio.mute", "after:mkdir")) == {1: (0,)}
    assert dependencies(made, draft("audio.mute", "after:create")) == {1: (0,)}


def test_an_unknown_verb_can_be_waited_for() -> None:
    assert dependencies(draft("x.frobnicate"), draft("audio.mute", "after:frobnicate")) == {1: (0,)}


def test_of_several_goals_that_create_a_target_the_first_wins() -> None:
    assert dependencies(folder("a"), folder("a"), folder("b", "inside:a")) == {2: (0,)}


@pytest.mark.parametrize("scope", ["inside:Plans/2026", "inside:plans/2026", "inside:2026"])
def test_a_target_is_found_by_its_path_by_its_last_name_and_in_any_case(scope: str) -> None:
    assert dependencies(folder("Plans/2026"), folder("b", scope)) == {1: (0,)}


def test_a_target_of_exactly_this_name_comes_before_one_whose_path_only_ends_in_it() -> None:
    assert dependencies(folder("old/docs"), folder("docs"), folder("b", "inside:docs")) == {2: (1,)}


def test_a_target_of_exactly_this_case_comes_before_one_of_another_case() -> None:
    assert dependencies(folder("Docs"), folder("docs"), folder("b", "inside:docs")) == {2: (1,)}


def test_what_only_reads_a_name_creates_no_target() -> None:
    assert dependencies(draft("file.list", name="a"), folder("b", "inside:a")) == {}


# §3.3 Graph validation


def test_a_forward_reference_by_id_is_dropped_as_an_error() -> None:
    warning = only_warning(draft("audio.mute", "after:g1"), folder("a"))
    assert (warning.goal_id, warning.scope, warning.severity) == ("g0", "after:g1", "error")


def test_a_forward_reference_by_verb_is_dropped_as_an_error() -> None:
    warning = only_warning(draft("browser.wait", "after:navigate"), draft("browser.navigate"))
    assert (warning.goal_id, warning.scope, warning.severity) == ("g0", "after:navigate", "error")


def test_a_forward_inside_is_no_dependency_and_stays_an_anchor_never_the_root() -> None:
    meta, (warning,) = resolve(folder("a", "inside:b"), folder("b"))
    assert meta.dependencies == {}
    assert meta.goals[0].scope == "inside:b"
    assert meta.goals[0].inside_of is None
    assert (warning.goal_id, warning.severity) == ("g0", "error")


@pytest.mark.parametrize("scope", ["after:g0", "after:mute"])
def test_a_self_reference_is_dropped_as_an_error(scope: str) -> None:
    warning = only_warning(draft("audio.mute", scope))
    assert (warning.goal_id, warning.scope, warning.severity) == ("g0", scope, "error")


def test_a_folder_inside_one_of_its_own_name_does_not_wait_for_itself() -> None:
    meta, _ = resolve(folder("a", "inside:a"))
    assert meta.dependencies == {}
    assert meta.goals[0].scope == "inside:a"


def test_of_two_goals_that_wait_for_each_other_only_the_later_waits() -> None:
    meta, (warning,) = resolve(draft("x.a", "after:g1"), draft("x.b", "after:g0"))
    assert meta.dependencies == {1: (0,)}
    assert warning.goal_id == "g0"


VERB_NAMES = st.sampled_from([*VERBS, ("x", "frobnicate"), ("", "")])
NAMES = st.sampled_from(["a", "b", "A", "a/b", "b/", "", "g0"])
TARGETS = st.one_of(
    NAMES,
    st.integers(-1, 7).map("g{}".format),
    st.sampled_from([verb for _, verb in VERBS]),
    st.text(max_size=4),
)
SCOPES = st.one_of(
    st.builds("{}:{}".format, st.sampled_from(["after", "inside", "drive", "root", "in"]), TARGETS),
    st.sampled_from(["root", "", ":", "after", "inside:", "drive:", "after: ", "ROOT", "{it}"]),
    st.text(max_size=8),
)
DRAFTS = st.builds(
    lambda key, params, scope: GoalDraft(key[0], key[1], params, scope=scope),
    VERB_NAMES,
    st.dictionaries(st.sampled_from(["name", "to", "url"]), NAMES, max_size=2),
    SCOPES | st.lists(SCOPES, max_size=4).map(tuple),
)


@given(st.lists(DRAFTS, min_size=1, max_size=6))
def test_whatever_the_scopes_say_the_graph_has_no_cycle_and_nothing_is_dropped_in_silence(
    drafts: list[GoalDraft],
) -> None:
    meta, warnings = resolve_scopes(drafts, VERBS)
    assert msgspec.json.decode(msgspec.json.encode(meta), type=MetaGoal) == meta
    for child, parents in meta.dependencies.items():
        assert parents
        assert all(parent < child for parent in parents)
    dropped = {(warning.goal_id, warning.scope) for warning in warnings}
    for drafted, goal in zip(drafts, meta.goals, strict=True):
        stated, kept = scopes(drafted.scope), scopes(goal.scope)
        plain = {scope: plain_scope(scope) for scope in stated}
        assert all(plain[scope] in kept or (goal.goal_id, scope) in dropped for scope in stated)
        assert set(kept) <= {*stated, *plain.values(), "root"}


# §4 Output


@pytest.mark.parametrize(
    ("drafts", "meta_type"),
    [
        ([folder("a")], "single"),
        ([folder("a"), folder("b")], "independent_multi"),
        ([folder("a"), folder("b", "inside:a")], "dependent_multi"),
        ([folder("a"), folder("b", "after:nothing")], "independent_multi"),
        ([folder("a", "drive:C"), folder("b", "drive:C")], "independent_multi"),
    ],
)
def test_the_meta_type_says_how_goals_hang_together(
    drafts: list[GoalDraft], meta_type: MetaType
) -> None:
    assert resolve(*drafts)[0].meta_type == meta_type


async def test_go_to_google_and_wait_for_the_search_box() -> None:
    answer = await understood(Interpret("c1", text="go to google and wait for the search box"))
    navigate, wait = answer.meta.goals
    assert answer.meta.meta_type == "dependent_multi"
    assert answer.meta.dependencies == {1: (0,)}
    assert (navigate.goal_id, navigate.domain, navigate.verb) == ("g0", "browser", "navigate")
    assert navigate.params == {"url": "google.com"}
    assert (wait.goal_id, wait.domain, wait.verb) == ("g1", "browser", "wait")
    assert wait.roles["target"].text == "search box"


async def test_the_example_drafted_as_the_contract_writes_it_gives_the_same_dependencies() -> None:
    drafts = (
        draft("browser.navigate", url="google.com"),
        draft("browser.wait", "after:navigate", selector="#search"),
    )
    answer = await understood(Interpret("c1", drafts=drafts))
    assert answer.meta.meta_type == "dependent_multi"
    assert answer.meta.dependencies == {1: (0,)}
    assert answer.meta.goals[1].scope == "after:navigate"


@pytest.mark.parametrize("parents", [(1,), (2,), (-1,), (0, 1)])
def test_a_meta_goal_refuses_a_dependency_on_anything_but_an_earlier_goal(
    parents: tuple[int, ...],
) -> None:
    goals = (Goal("g0", "a", "b"), Goal("g1", "a", "b"), Goal("g2", "a", "b"))
    with pytest.raises(ValueError, match="earlier goals"):
        MetaGoal("dependent_multi", goals, {1: parents})


def test_a_meta_goal_refuses_dependencies_of_a_goal_it_does_not_have() -> None:
    with pytest.raises(ValueError, match="earlier goals"):
        MetaGoal("single", (Goal("g0", "a", "b"),), {1: (0,)})


def test_a_meta_goal_refuses_ids_that_are_not_its_own() -> None:
    with pytest.raises(ValueError, match="must have the id g0"):
        MetaGoal("single", (Goal("g1", "a", "b"),))


def test_a_meta_goal_refuses_a_meta_type_that_its_dependencies_contradict() -> None:
    with pytest.raises(ValueError, match="are not single"):
        MetaGoal("single", (Goal("g0", "a", "b"), Goal("g1", "a", "b")))


def test_a_meta_goal_refuses_to_be_empty() -> None:
    with pytest.raises(ValueError, match="at least one goal"):
        MetaGoal("single", ())


# §5 Safety and errors


async def test_an_unknown_verb_is_accepted() -> None:
    answer = await understood(Interpret("c1", drafts=(draft("file.frobnicate"),)))
    assert answer.meta.goals[0].verb == "frobnicate"
    assert answer.warnings == ()


@pytest.mark.parametrize(
    "scope",
    [
        "after:nothing",
        "after:g7",
        "after:",
        "inside:",
        "drive:",
        "within:a",
        "root:a",
        "",
        "nonsense",
    ],
)
def test_an_invalid_scope_is_dropped_with_a_warning(scope: str) -> None:
    warning = only_warning(folder("a"), folder("b", scope))
    assert (warning.goal_id, warning.scope, warning.severity) == ("g1", scope, "warning")


@pytest.mark.parametrize("scope", ["AFTER:create", "after:Create", "After: G0", "INSIDE:a"])
def test_a_scope_may_be_written_in_letters_of_either_case(scope: str) -> None:
    meta, warnings = resolve(folder("a"), folder("b", scope))
    assert not warnings
    assert meta.dependencies == {1: (0,)}


@pytest.mark.parametrize(
    ("first", "scope"),
    [
        (folder("a"), "after:mkdir"),
        (folder("a"), "after:make"),
        (draft("file.mkdir"), "after:create"),
        (draft("browser.goto", url="a.org"), "after:navigate"),
        (draft("browser.navigate", url="a.org"), "after:visit"),
        (draft("browser.visit", url="a.org"), "after:goto"),
    ],
)
def test_after_finds_a_verb_by_any_of_its_names(first: GoalDraft, scope: str) -> None:
    meta, warnings = resolve(first, draft("audio.mute", scope))
    assert not warnings
    assert meta.dependencies == {1: (0,)}


def test_an_alias_that_means_more_is_not_found_where_that_is_not_meant() -> None:
    made = draft("file.create", object_type="file", name="a")
    _, (warning,) = resolve(made, draft("audio.mute", "after:mkdir"))
    assert warning.scope == "after:mkdir"


@pytest.mark.parametrize("scope", ["drive:D:", "drive: d :", "DRIVE:D"])
def test_a_drive_may_be_written_as_people_write_it(scope: str) -> None:
    meta, warnings = resolve(folder("a", scope))
    assert not warnings
    assert str(meta.goals[0].scope).casefold() == "drive:d"


def test_a_goal_whose_only_scope_was_dropped_is_at_the_root() -> None:
    meta, _ = resolve(folder("a", "nonsense"))
    assert meta.goals[0].scope == "root"


def test_a_dropped_scope_leaves_the_others_standing() -> None:
    meta, (warning,) = resolve(folder("a"), folder("b", ("nonsense", "inside:a")))
    assert meta.dependencies == {1: (0,)}
    assert meta.goals[1].scope == "inside:a"
    assert warning.scope == "nonsense"


async def test_what_was_dropped_is_said_in_the_answer_and_in_the_trace() -> None:
    drafts = (draft("audio.mute", "after:g1"), draft("audio.unmute", "nonsense"))
    with capture_logs() as records:
        answer = await understood(Interpret("c1", drafts=drafts))
    assert [(warning.scope, warning.severity) for warning in answer.warnings] == [
        ("after:g1", "error"),
        ("nonsense", "warning"),
    ]
    assert [
        (record["goal_id"], record["scope"], record["log_level"])
        for record in records
        if record["event"] == "scope.dropped"
    ] == [("g0", "after:g1", "error"), ("g1", "nonsense", "warning")]


# §6 What changed


@pytest.mark.parametrize("field", ["goal_type", "goal_id", "dependencies"])
def test_a_drafted_goal_can_state_neither_a_goal_type_nor_its_id_nor_its_dependencies(
    field: str,
) -> None:
    stated = {"domain": "file", "verb": "create", field: "g0"}
    with pytest.raises(msgspec.ValidationError, match=field):
        msgspec.convert(stated, type=GoalDraft)


# The table of contracts


def test_every_test_that_the_table_of_contracts_names_exists() -> None:
    tests = Path(__file__).parent
    table = (tests.parent / "docs" / "contracts.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+)::(test_\w+)`", table)
    assert named
    for module, name in named:
        assert f"def {name}(" in (tests / f"{module}.py").read_text(encoding="utf-8"), name

"""What of a model's answer is believed: pure decisions, with the rules that ship."""

import json
from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.interpreter.model.asked import not_to_be_asked
from actors.interpreter.model.cache import CacheKey, MemoryCache
from actors.interpreter.model.prompt import instructions
from actors.interpreter.model.schema import answer_schema
from actors.interpreter.model.validating import Refusal, Table, validated
from actors.planner.tables import planner_rules, search_engines
from messages.goals import GoalDraft
from tests.model_server import goal, goals, unsupported

RULES = planner_rules().rules
TABLE = Table(RULES, search_engines())


def believed(text: str, *stated: dict[str, object]) -> tuple[GoalDraft, ...]:
    """Give the goals of an answer that must be believed."""
    found = validated(text, goals(*stated), TABLE)
    assert isinstance(found, tuple), found
    return found


def refused(text: str, *stated: dict[str, object]) -> str:
    """Give the reason for which an answer must be refused."""
    found = validated(text, goals(*stated), TABLE)
    assert isinstance(found, Refusal), found
    return found.reason


# The user's own words


def test_a_value_is_taken_from_the_text_in_the_users_spelling() -> None:
    (draft,) = believed("bring up Firefox, please", goal("app.launch", name="firefox"))
    assert draft.params == {"name": "Firefox"}


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("bring up firefox", goal("app.launch", name="chromium")),
        ("get rid of summary.md", goal("file.delete", name="summary")),
        ("get rid of summary.md", goal("file.delete", name="/summary.md")),
        ("get rid of summary.md", goal("file.delete", name="../summary.md")),
        ("get rid of the final report", goal("file.delete", name="report final")),
        ("get rid of reports", goal("file.delete", name="report")),
        ("get rid of a-b", goal("file.delete", name="a_b")),
        ("get rid of it", goal("file.delete", name="it")),
        ("put up a folder", goal("file.create", object_type="folder", name="a folder")),
        ("hit the button", goal("browser.click", roles={"target": "the red button"})),
        ("bring up the site", goal("browser.navigate", url="https://evil.example")),
        ("hunt for nvidia", goal("browser.search", query="nvidia", platform="amazon")),
        ("make it louder", goal("audio.raise", step=90)),
        ("jot down 'x' in a.txt", goal("file.write", name="a.txt", content="x", overwrite=True)),
        ("put a.txt down", goal("file.create", "inside:secrets", object_type="file", name="a.txt")),
        ("put a.txt down", goal("file.create", "inside:it", object_type="file", name="a.txt")),
        ("put a.txt down", goal("file.create", "elsewhere", object_type="file", name="a.txt")),
    ],
)
def test_what_was_not_said_is_refused(text: str, stated: dict[str, object]) -> None:
    assert refused(text, stated)


@pytest.mark.parametrize("selector", ["#submit", "button.primary", "//button[1]"])
def test_a_selector_is_taken_only_as_it_was_typed(selector: str) -> None:
    (draft,) = believed(f"hit {selector}", goal("browser.click", selector=selector))
    assert draft.params == {"selector": selector}
    assert "not in the words" in refused("hit the button", goal("browser.click", selector=selector))


def test_plain_words_in_place_of_a_selector_are_words_for_a_thing() -> None:
    (draft,) = believed("hit Sign In", goal("browser.click", selector="Sign In"))
    assert (draft.params, draft.roles) == ({}, {"target": "Sign In"})


@pytest.mark.parametrize("url", ["youtube.com", "https://youtube.com", "youtube"])
def test_a_site_of_the_table_may_be_said_by_its_name(url: str) -> None:
    (draft,) = believed("take me to youtube", goal("browser.navigate", url=url))
    assert str(draft.params["url"]).startswith("youtube")


@pytest.mark.parametrize("text", ["volume fifty", "volume at 50%", "volume 50"])
def test_a_number_may_be_said_in_words_or_digits(text: str) -> None:
    assert believed(text, goal("audio.set", level=50))
    assert refused(text, goal("audio.set", level=51))


def test_quoted_text_is_kept_to_the_letter() -> None:
    text = 'jot down "Hello, World!" in notes.txt'
    stated = goal("file.write", name="notes.txt", content="Hello, World!")
    assert believed(text, stated)[0].params["content"] == "Hello, World!"


def test_what_only_can_be_meant_as_it_is_must_not_be_lost() -> None:
    text = "throw out a.txt and b.txt"
    assert "'b.txt'" in refused(text, goal("file.delete", name="a.txt"))


# The table


@pytest.mark.parametrize(
    "stated",
    [
        goal("shell.run", name="firefox"),
        goal("app.launch", nonsense="firefox"),
        goal("app.launch"),
        goal("app.launch", name=5),
        goal("app.launch", name="firefox", roles={"nonsense": "firefox"}),
        goal("audio.set", level=5000),
        goal("system.get", target="firefox"),
        goal("file.list", name=["firefox"]),
    ],
)
def test_what_the_table_does_not_have_is_refused(stated: dict[str, object]) -> None:
    assert refused("bring up firefox 5 5000", stated)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "open firefox",
        "{}",
        "[]",
        '{"answer": {"kind": "goals"}}',
        '{"answer": {"kind": "goals", "goals": []}}',
        '{"answer": {"kind": "shell", "run": "rm"}}',
        '{"answer": {"kind": "unsupported", "why": "because"}}',
        '{"answer": {"kind": "goals", "goals": [{"domain": "app", "verb": "list", "id": "g7"}]}}',
        '{"answer": {"kind": "goals", "goals": []}, "more": 1}',
    ],
)
def test_an_answer_of_another_form_is_refused(answer: str) -> None:
    found = validated("show the apps", answer, TABLE)
    assert isinstance(found, Refusal)
    assert not found.final


def test_a_model_can_say_that_nothing_is_supported() -> None:
    found = validated("sing a song", unsupported(), TABLE)
    assert found == Refusal("nothing of this is supported", final=True)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_and_no_answer_crash_the_check(text: str, said: str) -> None:
    validated(text, said, TABLE)
    validated(text, goals(goal("app.launch", said, name=said, roles={"direct": said})), TABLE)


@given(st.text(max_size=40), st.text(min_size=1, max_size=20))
def test_every_value_that_is_believed_stands_in_the_text(text: str, value: str) -> None:
    found = validated(text, goals(goal("app.launch", name=value)), TABLE)
    if isinstance(found, tuple):
        assert str(found[0].params["name"]) in text


# What is not to be done


@pytest.mark.parametrize(
    "text",
    [
        "don't open firefox",
        "don’t open firefox",
        "please do not open firefox",
        "never open firefox",
        "firefox should not be opened",
        "firefox, don't open it",
        "I'd rather you didn't open firefox",
        "open the calculator but don't open firefox",
        "open the calculator without opening firefox",
        "don't open the calculator and firefox",
        "open everything except firefox",
        "do anything but open firefox",
        "under no circumstances open firefox",
        "stop opening firefox",
        "don't even think of it; I mean firefox, not opening that is",
    ],
)
@pytest.mark.parametrize("verb", ["app.launch", "app.close", "app.focus"])
def test_what_is_negated_is_neither_opened_nor_closed(text: str, verb: str) -> None:
    assert refused(text, goal(verb, name="firefox"))
    assert refused(text, goal(verb, roles={"direct": "firefox"}))


def test_what_stands_beside_a_negation_can_be_done_if_it_is_named() -> None:
    text = "open calculator but don't open firefox"
    assert believed(text, goal("app.launch", name="calculator"))
    assert refused(text, goal("app.close", name="calculator"))


@pytest.mark.parametrize("text", ["don't mute", "do not mute the sound", "no muting"])
def test_a_goal_without_values_is_negated_by_its_name(text: str) -> None:
    assert refused(text, goal("audio.mute"))


def test_a_negation_in_quotes_negates_nothing() -> None:
    text = 'jot down "don\'t panic" in towel.txt'
    assert believed(text, goal("file.write", name="towel.txt", content="don't panic"))


@pytest.mark.parametrize("text", ["is firefox open?", "should I open firefox?"])
def test_a_question_changes_nothing(text: str) -> None:
    assert "question" in refused(text, goal("app.launch", name="firefox"))


def test_a_polite_question_is_a_command() -> None:
    assert believed("could you bring up firefox?", goal("app.launch", name="firefox"))


@pytest.mark.parametrize(
    "text",
    [
        "don't open firefox",
        "if it rains open firefox",
        "open firefox when I come home",
        "open firefox every day",
        "bring up firefox at 5 pm",
        "bring up firefox tomorrow",
        "x" * 5000,
        "a " * 500,
        "  ",
    ],
)
def test_what_cannot_be_done_here_is_not_even_asked_about(text: str) -> None:
    assert not_to_be_asked(text) is not None


# The order


def test_goals_on_the_same_page_keep_their_order_whatever_the_model_says() -> None:
    text = "hop to intranet.local and hit Sign In"
    stated = (
        goal("browser.navigate", url="intranet.local"),
        goal("browser.click", selector="Sign In"),
    )
    assert [draft.scope for draft in believed(text, *stated)] == ["root", ("after:g0",)]


def test_goals_on_files_keep_their_order_if_one_disturbs_them() -> None:
    text = "throw out a.txt and put b.txt there"
    stated = (
        goal("file.delete", name="a.txt"),
        goal("file.create", object_type="file", name="b.txt"),
    )
    assert [draft.scope for draft in believed(text, *stated)] == ["root", ("after:g0",)]


def test_a_folder_of_the_text_can_hold_a_file_of_it() -> None:
    text = "I need a folder Reports, with summary.md inside reports"
    stated = (
        goal("file.create", object_type="folder", name="Reports"),
        goal("file.create", "inside:Reports", object_type="file", name="summary.md"),
    )
    assert believed(text, *stated)[1].scope == ("inside:Reports",)


# The schema and the prompt


@cache
def schema() -> dict[str, object]:
    decoded: dict[str, object] = json.loads(answer_schema(RULES))
    return decoded


def members() -> dict[str, dict[str, object]]:
    """Give the union's members by the name of their rule."""
    answer = schema()["properties"]["answer"]["anyOf"][0]  # type: ignore[index]  # JSON
    found = {}
    for member in answer["properties"]["goals"]["items"]["anyOf"]:
        fields = member["properties"]
        found[f"{fields['domain']['enum'][0]}.{fields['verb']['enum'][0]}"] = fields
    return found


def test_the_schema_has_one_member_for_each_rule() -> None:
    assert list(members()) == [".".join(key) for key in RULES]


def test_a_verb_has_its_own_parameters_and_roles_and_no_others() -> None:
    create = members()["file.create"]
    assert list(create["params"]["properties"]) == ["object_type", "name", "content"]  # type: ignore[index]  # JSON
    assert "roles" not in create
    assert "params" not in members()["audio.mute"]


def objects(node: object) -> list[dict[str, object]]:
    """Give every object schema in a schema."""
    if isinstance(node, list):
        return [found for each in node for found in objects(each)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "object" else []
    return own + [found for each in node.values() for found in objects(each)]


def test_the_schema_is_strict() -> None:
    for each in objects(schema()):
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])  # type: ignore[call-overload]  # JSON


def test_the_prompt_is_the_template_and_the_table() -> None:
    prompt = instructions(RULES, search_engines())
    assert "{" not in prompt.replace('{"answer"', "").replace('{"kind"', "")
    for key in RULES:
        assert f"\n{'.'.join(key)}" in prompt


# The cache


def key(text: str, rules: str = "r", model: str = "m") -> CacheKey:
    return CacheKey(text, rules, model)


def test_other_words_other_rules_and_another_model_are_another_answer() -> None:
    cache = MemoryCache()
    cache.put(key("a"), "1")
    assert cache.get(key("a")) == "1"
    assert cache.get(key("A")) is None
    assert cache.get(key("a", rules="s")) is None
    assert cache.get(key("a", model="n")) is None


def test_the_cache_forgets_what_was_not_used_longest() -> None:
    cache = MemoryCache(most=2)
    cache.put(key("a"), "1")
    cache.put(key("b"), "2")
    cache.get(key("a"))
    cache.put(key("c"), "3")
    assert [cache.get(key(text)) for text in "abc"] == ["1", None, "3"]


def test_the_cache_is_bounded_by_size() -> None:
    cache = MemoryCache(room=1000)
    cache.put(key("a"), "x" * 10_000)
    assert cache.get(key("a")) is None
    cache.put(key("b"), "x")
    assert cache.get(key("b")) == "x"


def test_an_answer_survives_a_round_trip_through_bytes() -> None:
    decoded = msgspec.json.decode(msgspec.json.encode(key("a")), type=CacheKey)
    assert decoded == key("a")

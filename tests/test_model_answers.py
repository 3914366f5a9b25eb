"""What of a model's answer is believed: pure decisions, with the rules that ship."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.interpreter.model.answer import MAX_GOALS
from actors.interpreter.model.cache import CacheKey, MemoryCache
from actors.interpreter.model.eligibility import reason_not_to_ask
from actors.interpreter.model.goal_fields import Table
from actors.interpreter.model.source_text import SourceText
from actors.interpreter.model.validation import Refusal, Understood, validate_answer
from actors.interpreter.scopes import resolve_scopes
from actors.planner.tables import planner_rules, search_engines
from messages.goals import GoalDraft
from tests.model_server import goal, goals, unsupported

RULES = planner_rules().rules
TABLE = Table(RULES, search_engines())


def understood(text: str, *stated: dict[str, object]) -> Understood:
    """Give what is understood of an answer that must be believed."""
    found = validate_answer(text, goals(*stated), TABLE)
    assert isinstance(found, Understood), found
    return found


def believed(text: str, *stated: dict[str, object]) -> tuple[GoalDraft, ...]:
    """Give the goals of an answer that must be believed."""
    return understood(text, *stated).drafts


def dropped(text: str, *stated: dict[str, object]) -> dict[str, str]:
    """Give what was dropped of an answer that must be believed, with the reasons."""
    return {each.scope: each.reason for each in understood(text, *stated).warnings}


def refused(text: str, *stated: dict[str, object]) -> str:
    """Give the reason for which an answer must be refused."""
    found = validate_answer(text, goals(*stated), TABLE)
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
        ("bring up reddit", goal("browser.navigate", url="reddit.evil.example")),
        ("bring up reddit", goal("browser.navigate", url="reddit.com/r/python")),
        ("bring up the news", goal("browser.navigate", url="reddit.com")),
        ("key in hello", goal("browser.type", text="hello", selector="#email")),
        ("key in hello", goal("browser.type", text="hello", roles={"target": "the email"})),
        ("jot a poem into a.txt", goal("file.write", name="a.txt", content="Roses are red")),
        ("put up a.txt", goal("file.create", object_type="file", name="a.txt", content="Roses")),
        ("snap the page", goal("browser.screenshot", name="page.png")),
        ("what is here", goal("file.list", name="secrets")),
    ],
)
def test_what_was_not_said_is_refused(text: str, stated: dict[str, object]) -> None:
    assert refused(text, stated)


@pytest.mark.parametrize(
    ("text", "stated", "field"),
    [
        (
            "hunt for nvidia",
            goal("browser.search", query="nvidia", platform="amazon"),
            "params.platform",
        ),
        ("make it louder", goal("audio.raise", step=90), "params.step"),
        (
            "jot down 'x' in a.txt",
            goal("file.write", name="a.txt", content="x", overwrite=True),
            "params.overwrite",
        ),
        ("scroll on", goal("browser.scroll", amount=500), "params.amount"),
        ("hit OK", goal("browser.click", roles={"target": "OK"}, times=3), "params.times"),
    ],
)
def test_a_wrong_field_is_dropped_with_a_warning_where_what_remains_is_whole(
    text: str, stated: dict[str, object], field: str
) -> None:
    (draft,) = believed(text, stated)
    assert field.partition(".")[2] not in draft.params
    assert list(dropped(text, stated)) == [field]
    assert "not said" in dropped(text, stated)[field] or "words" in dropped(text, stated)[field]


@pytest.mark.parametrize("selector", ["#submit", "button.primary", "//button[1]"])
def test_a_selector_is_taken_only_as_it_was_typed(selector: str) -> None:
    (draft,) = believed(f"hit {selector}", goal("browser.click", selector=selector))
    assert draft.params == {"selector": selector}
    assert "not in the words" in refused("hit the button", goal("browser.click", selector=selector))


@pytest.mark.parametrize("selector", ["#submit", "OK", ".the button"])
def test_of_a_value_and_a_role_for_the_same_thing_the_role_wins(selector: str) -> None:
    stated = goal("browser.click", selector=selector, roles={"target": "the OK button"})
    (draft,) = believed("hit the OK button", stated)
    assert (draft.params, draft.roles) == ({}, {"target": "the OK button"})
    assert list(dropped("hit the OK button", stated)) == ["params.selector"]


def test_a_file_that_the_role_names_is_not_the_one_that_the_value_names() -> None:
    stated = goal("file.delete", name="a.txt", roles={"direct": "b.txt"})
    (draft,) = believed("throw out b.txt", stated)
    assert (draft.params, draft.roles) == ({}, {"direct": "b.txt"})


def test_a_role_that_was_not_said_is_dropped_where_a_value_says_it() -> None:
    stated = goal("file.delete", name="a.txt", roles={"direct": "the old file"})
    (draft,) = believed("throw out a.txt", stated)
    assert (draft.params, draft.roles) == ({"name": "a.txt"}, {})
    assert list(dropped("throw out a.txt", stated)) == ["roles.direct"]


def test_a_selector_that_was_spelled_out_stays_one_if_the_role_repeats_it() -> None:
    stated = goal("browser.click", selector="#ok", roles={"target": "#ok"})
    (draft,) = believed("hit #ok", stated)
    assert (draft.params, draft.roles) == ({"selector": "#ok"}, {})


def test_plain_words_in_place_of_a_selector_are_words_for_a_thing() -> None:
    (draft,) = believed("hit Sign In", goal("browser.click", selector="Sign In"))
    assert (draft.params, draft.roles) == ({}, {"target": "Sign In"})


@pytest.mark.parametrize("url", ["youtube.com", "https://youtube.com", "youtube"])
def test_a_site_of_the_table_may_be_said_by_its_name(url: str) -> None:
    (draft,) = believed("take me to youtube", goal("browser.navigate", url=url))
    assert str(draft.params["url"]).startswith("youtube")


@pytest.mark.parametrize(
    ("name", "host"),
    [("reddit", "reddit.com"), ("bbc", "bbc.com"), ("gmail", "mail.google.com")],
)
def test_an_address_is_taken_as_it_was_said(name: str, host: str) -> None:
    for url in (host, f"https://{host}", f"http://www.{host}/"):
        (draft,) = believed(f"take me to {host}", goal("browser.navigate", url=url))
        assert draft.params == {"url": host}


@pytest.mark.parametrize(
    ("name", "host"),
    [("reddit", "reddit.com"), ("bbc", "bbc.com"), ("gmail", "mail.google.com")],
)
def test_a_well_known_site_may_be_said_by_its_name(name: str, host: str) -> None:
    for url in (host, f"https://{host}", f"https://www.{host}/", host.upper()):
        (draft,) = believed(f"take me to {name.title()}", goal("browser.navigate", url=url))
        assert draft.params == {"url": host}


@pytest.mark.parametrize("text", ["volume fifty", "volume at 50%", "volume 50", "volume to half"])
def test_a_number_may_be_said_in_words_or_digits(text: str) -> None:
    assert believed(text, goal("audio.set", level=50))
    assert refused(text, goal("audio.set", level=51))


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("thirty two", 32),
        ("thirty-two", 32),
        ("a hundred and five", 105),
        ("one hundred twenty", 120),
        ("two thousand five hundred", 2500),
        ("1,000", 1000),
        ("5 thousand", 5000),
        ("two and a half", 2.5),
        ("three point one four", 3.14),
        ("a dozen", 12),
        ("a couple", 2),
        ("twice", 2),
        ("minus five", -5),
        ("1/4", 0.25),
        ("two minutes", 120),
        ("half an hour", 1800),
        ("1.5 h", 5400),
        ("an hour", 3600),
        ("90s", 90),
    ],
)
def test_a_number_is_the_same_in_any_notation(said: str, number: float) -> None:
    assert number in SourceText.of(f"make it {said} please").numbers()


@pytest.mark.parametrize(
    ("said", "number"),
    [("thirty two", 30), ("thirty two", 2), ("two three", 5), ("a hundred and five", 5)],
)
def test_a_part_of_a_number_was_not_said(said: str, number: float) -> None:
    assert number not in SourceText.of(f"make it {said} please").numbers()


def test_a_number_that_is_negated_was_not_said() -> None:
    assert refused("set the volume, but not to forty", goal("audio.set", level=40))


def test_a_number_in_a_text_to_be_typed_may_be_written_in_digits() -> None:
    stated = goal("browser.set", value="32", roles={"target": "the age"})
    assert believed("make the age thirty two", stated)[0].params == {"value": "32"}


def test_a_duration_is_used_though_its_number_is_another() -> None:
    assert believed("hold on for 3 minutes", goal("browser.wait_time", seconds=180))
    assert refused("hold on for 3 minutes", goal("browser.wait_time", seconds=3))


def test_quoted_text_is_kept_to_the_letter() -> None:
    text = 'jot down "Hello, World!" in notes.txt'
    stated = goal("file.write", name="notes.txt", content="Hello, World!")
    assert believed(text, stated)[0].params["content"] == "Hello, World!"


def test_what_only_can_be_meant_as_it_is_must_not_be_lost() -> None:
    text = "throw out a.txt and b.txt"
    assert "'b.txt'" in refused(text, goal("file.delete", name="a.txt"))


# What is the Planner's to refuse


@pytest.mark.parametrize(
    ("stated", "params"),
    [
        (goal("app.launch", nonsense="chromium"), {"nonsense": "chromium"}),
        (goal("app.launch"), {}),
        (goal("app.launch", name=5), {"name": 5}),
        (goal("audio.set", level="loud"), {"level": "loud"}),
        (goal("system.get", target="firefox"), {"target": "firefox"}),
        (goal("file.list", name=["a", "b"]), {"name": ("a", "b")}),
        (goal("browser.scroll", direction="sideways"), {"direction": "sideways"}),
    ],
)
def test_parameters_are_for_the_planner_to_validate(
    stated: dict[str, object], params: dict[str, object]
) -> None:
    (draft,) = believed("bring up firefox", stated)
    assert draft.params == params


def test_a_role_that_the_verb_has_not_is_for_the_planner_to_refuse() -> None:
    stated = goal("app.launch", name="firefox", roles={"nonsense": "firefox"})
    assert believed("bring up firefox", stated)[0].roles == {"nonsense": "firefox"}


@pytest.mark.parametrize(
    ("stated", "key"),
    [
        (goal("file.teleport", name="a.txt"), ("file", "teleport")),
        (goal("kitchen.brew"), ("kitchen", "brew")),
        ({"verb": "kitchen.brew"}, ("kitchen", "brew")),
        ({"unlisted": "kitchen.brew", "scope": []}, ("kitchen", "brew")),
        (goal("shell.run", name="a.txt"), ("shell", "run")),
    ],
)
def test_an_unknown_verb_passes(stated: dict[str, object], key: tuple[str, str]) -> None:
    (draft,) = believed("beam a.txt over", stated)
    assert (draft.domain, draft.verb) == key


def test_an_unknown_verb_has_no_values_that_were_not_said() -> None:
    stated = goal("kitchen.brew", what="coffee", cups=3, roles={"with": "sugar"})
    (draft,) = believed("brew coffee", stated)
    assert (draft.params, draft.roles) == ({"what": "coffee"}, {})
    assert set(dropped("brew coffee", stated)) == {"params.cups", "roles.with"}


@pytest.mark.parametrize("name", ["navigate", "", ".", "browser."])
def test_a_verb_without_a_domain_is_none(name: str) -> None:
    assert "domain.verb" in refused("go on", {"verb": name})


@pytest.mark.parametrize("name", ["system.launch", "app.start", "app.launch"])
def test_a_verb_may_be_stated_by_any_name_it_goes_by(name: str) -> None:
    assert refused("bring up firefox", goal(name, name="chromium"))
    assert (
        believed("bring up firefox", goal(name, name="firefox"))[0].verb
        == name[name.index(".") + 1 :]
    )


# The form of an answer


@pytest.mark.parametrize(
    "around",
    [
        "```json\n{}\n```",
        "```\n{}\n```",
        "Here it is:\n```json\n{}\n```\nDone.",
        "<think>hm</think>{}",
    ],
)
def test_an_answer_inside_a_code_fence_is_read(around: str) -> None:
    answer = around.replace("{}", goals(goal("app.launch", name="firefox")))
    assert isinstance(validate_answer("bring up firefox", answer, TABLE), Understood)


def test_more_goals_than_could_be_meant_are_refused() -> None:
    one = goal("app.launch", name="firefox")
    assert "too many" in refused("bring up firefox five times", *[one] * 6)
    assert "too many" in refused("bring up firefox " * 50, *[one] * (MAX_GOALS + 1))
    assert len(believed("bring up firefox " * 50, *[one] * MAX_GOALS)) == MAX_GOALS


def test_a_goal_may_be_stated_by_domain_and_verb_or_by_its_name() -> None:
    apart: dict[str, object] = {"domain": "app", "verb": "launch", "params": {"name": "firefox"}}
    joined: dict[str, object] = {
        "verb": "app.launch",
        "params": {"name": ["firefox"]},
        "takes": {},
        "scope": (),
    }
    assert believed("bring up firefox", apart) == believed("bring up firefox", joined)


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
    found = validate_answer("show the apps", answer, TABLE)
    assert isinstance(found, Refusal)
    assert not found.final


def test_a_model_can_say_that_nothing_is_supported() -> None:
    found = validate_answer("sing a song", unsupported(), TABLE)
    assert found == Refusal("nothing of this is supported", final=True)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_and_no_answer_crash_the_check(text: str, said: str) -> None:
    validate_answer(text, said, TABLE)
    validate_answer(text, goals(goal("app.launch", said, name=said, roles={"direct": said})), TABLE)


@given(st.text(max_size=40), st.text(min_size=1, max_size=20))
def test_every_value_that_is_believed_stands_in_the_text(text: str, value: str) -> None:
    found = validate_answer(text, goals(goal("app.launch", name=value)), TABLE)
    if isinstance(found, Understood) and "name" in found.drafts[0].params:
        assert str(found.drafts[0].params["name"]) in text


FREE_TEXT = st.text(alphabet="abgo0123456789 .:/-#\u0660é", max_size=12)
ANY_GOAL = st.fixed_dictionaries(
    {"verb": st.sampled_from(["file.create", "file.write", "browser.click", "mkdir", "x.y"])},
    optional={
        "params": st.dictionaries(
            st.sampled_from(["name", "content", "selector", "object_type", "odd"]),
            st.one_of(FREE_TEXT, st.none(), st.integers(), st.booleans(), st.lists(FREE_TEXT)),
        ),
        "roles": st.dictionaries(st.sampled_from(["target", "direct", "odd"]), FREE_TEXT),
        "takes": st.dictionaries(
            st.sampled_from(["content", "name", "odd"]),
            st.one_of(FREE_TEXT, st.sampled_from(["g0", "g1", "g2"])),
        ),
        "scope": st.lists(
            st.one_of(FREE_TEXT, st.sampled_from(["inside:a", "after:g0", "after:g1", "drive:C"]))
        ),
    },
)


@given(FREE_TEXT, st.lists(ANY_GOAL, min_size=1, max_size=4))
def test_whatever_is_believed_can_be_resolved_and_takes_only_from_before(
    text: str, stated: list[dict[str, object]]
) -> None:
    found = validate_answer(text, goals(*stated), TABLE)
    if isinstance(found, Refusal):
        return
    meta, _ = resolve_scopes(found.drafts, planner_rules().verbs())
    for draft, kept in zip(found.drafts, meta.goals, strict=True):
        assert dict(kept.takes) == dict(draft.takes)


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
    assert reason_not_to_ask(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "punch hunter2 in as my password",
        "frobnicate the PASSWORD hunter2",
        "my passphrase is hunter2, get me in",
        "whip the pin 4711 into that thing",
        'bung "hunter2" into "Passwort"',
        "get me in as ada, pwd hunter2",
        "sign me in as ada with hunter2",
        "log into the bank using hunter2",
        "unlock the vault with hunter2",
        "slap the api key sk-123 in there",
        "the one-time code is 123456, pop it in",
        "mes credentials: ada / hunter2",
        "my wifi key is hunter2, get me online",
        "pass: hunter2, user: ada",
        "ada:hunter2 for the login",
        "pass\u00adword hunter2".replace("\u00ad", "-"),
        "ｐａｓｓｗｏｒｄ hunter2",
    ],
)
@pytest.mark.parametrize("understood", [True, False])
def test_words_that_may_hold_a_secret_are_never_shown_to_a_model(
    text: str, *, understood: bool
) -> None:
    assert reason_not_to_ask(text, understood=understood) is not None


@pytest.mark.parametrize(
    "text", ["bring up firefox", "whip up a folder tokenizer", "hop to spinning.example"]
)
def test_words_that_hold_no_secret_may_be_shown(text: str) -> None:
    assert reason_not_to_ask(text) is None


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


@pytest.mark.parametrize("scope", ["beside:me", "AFTER:create", "after:frob", "after:g7", "x"])
def test_scopes_are_for_the_resolver_to_judge(scope: str) -> None:
    stated = goal("file.create", scope, object_type="file", name="a.txt")
    assert believed("put a.txt down", stated)[0].scope == (scope,)


@pytest.mark.parametrize("scope", ["inside:secrets", "inside:it", "drive:C", "INSIDE:secrets"])
def test_a_place_that_was_not_said_is_no_place(scope: str) -> None:
    stated = goal("file.create", scope, object_type="file", name="a.txt")
    found = understood("put a.txt down", stated)
    assert found.drafts[0].scope == (f"in:{scope.partition(':')[2]}",)
    assert [each.scope for each in found.warnings] == [scope]
    assert "not in the words" in found.objection


def test_it_is_the_folder_that_was_made_before() -> None:
    text = "I need a folder Reports and summary.md inside it"
    stated = (
        goal("file.create", object_type="folder", name="Reports"),
        goal("file.create", "inside:it", object_type="file", name="summary.md"),
    )
    assert believed(text, *stated)[1].scope == ("inside:g0",)


# What one goal gives to another


def test_a_value_may_be_what_an_earlier_goal_gives() -> None:
    stated = (
        goal("browser.read", what="title"),
        {**goal("file.write", name="t.txt", content=None), "takes": {"content": "g0"}},
    )
    drafts = believed("jot the title down in t.txt", *stated)
    assert drafts[1].takes == {"content": "g0"}
    assert drafts[1].scope == ("after:g0",)


def test_of_a_value_and_an_output_for_the_same_parameter_the_output_wins() -> None:
    stated = (
        goal("browser.read", what="title"),
        {**goal("file.write", name="t.txt", content="the title"), "takes": {"content": "g0"}},
    )
    drafts = believed("jot the title down in t.txt", *stated)
    assert drafts[1].params == {"name": "t.txt"}


@pytest.mark.parametrize("source", ["g1", "g2", "g9999999", "read", "g00", "g\u0660", "0", "{}"])
def test_nothing_can_be_taken_from_a_goal_that_is_not_earlier(source: str) -> None:
    stated = (
        goal("browser.read", what="title"),
        {**goal("file.create", object_type="file", name="t.txt"), "takes": {"content": source}},
    )
    assert "takes" in refused("jot the title down in t.txt", *stated)


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

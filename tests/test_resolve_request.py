"""``resolve``: words bound to the things of a world that came with them; nothing is touched."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from messages.wire import MAX_FRAME
from run import main
from tests.daemon import PATIENCE, PROJECT, Daemon, Event, Wire, running_daemon

MANOR = PROJECT / "tools" / "text_world" / "manor.toml"


def in_the_kitchen(name: str, called: str, **more: object) -> dict[str, Any]:
    return {"id": name, "name": called, "location": "kitchen", **more}


WORLD: Mapping[str, Any] = {
    "actor": "me",
    "things": [
        {"id": "kitchen", "name": "kitchen", "kind": "room"},
        in_the_kitchen("me", "you", kind="player"),
        in_the_kitchen("red", "red apple"),
        in_the_kitchen("green", "green apple"),
        in_the_kitchen("chest", "chest", kind="container", state=["open"]),
        {"id": "bob", "name": "Bob", "kind": "person"},
    ],
}
VERBS: Mapping[str, Any] = {
    "put": {
        "rules": {"directIndirect": {"acceptedRelations": ["in", "on"]}},
        "scopeProfile": {"direct": ["inventory", "room"], "indirect": ["room"]},
    },
    "take": {
        "rules": {"direct": {}},
        "aliases": ["pick up"],
        "scopeProfile": {"direct": ["room"]},
        "sets": ["direct"],
    },
    "look": {"rules": {"intransitive": {}}},
}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("resolve")) as running:
        yield running


@pytest.fixture
def client(daemon: Daemon) -> Iterator[Wire]:
    connection = daemon.connect()
    yield connection
    connection.close()


def request(**fields: object) -> dict[str, Any]:
    return {"type": "resolve", "id": "r", "verbs": VERBS, "world": WORLD, **fields}


def resolved(client: Wire, **fields: object) -> Event:
    """Ask for a resolution."""
    found = client.ask(**request(**fields))
    assert (found["type"], found["id"]) == ("resolution", "r"), found
    return found


def refused(client: Wire, **fields: object) -> Event:
    """Ask for what cannot be served; the connection lives on."""
    error = client.ask(**request(**fields))
    assert (error["type"], error["code"], error["id"]) == ("error", "BAD_REQUEST", "r"), error
    assert resolved(client, text="look")["ok"]
    return error


# From words


def test_words_are_bound_to_things(client: Wire) -> None:
    found = resolved(client, text="put the red apple into the chest")
    assert found["ok"] is True
    assert (found["verb"], found["ruleId"]) == ("put", "directIndirect")
    assert found["directTarget"] == {"id": "red", "name": "red apple", "kind": "thing"}
    assert found["indirectTarget"] == {"id": "chest", "name": "chest", "kind": "container"}
    assert (found["relationTokenRaw"], found["relationTokenCanonical"]) == ("into", "in")


def test_a_resolution_says_how_the_words_were_split(client: Wire) -> None:
    parsed = resolved(client, text="put the red apple into the chest")["parsed"]
    assert (parsed["intentToken"], parsed["verb"]) == ("put", "put")
    assert (parsed["directSpan"], parsed["indirectSpan"]) == ("the red apple", "the chest")
    assert (parsed["relationTokenRaw"], parsed["relationTokenCanonical"]) == ("into", "in")


def test_a_resolution_comes_with_its_phases(client: Wire) -> None:
    trace = resolved(client, text="take the red apple")["trace"]
    assert trace[0]["phase"] == "form"
    assert {"scope", "match", "bind"} <= {phase["phase"] for phase in trace}


def test_a_verb_without_things_binds_nothing_and_succeeds(client: Wire) -> None:
    found = resolved(client, text="look")
    assert (found["ok"], found["ruleId"], found["bindings"]) == (True, "intransitive", [{}])
    assert "directTarget" not in found


def test_a_verb_may_be_said_by_another_name(client: Wire) -> None:
    found = resolved(client, text="pick the red apple up")
    assert (found["verb"], found["directTarget"]["id"]) == ("take", "red")


def test_several_things_are_ambiguous_with_options_that_can_be_said(client: Wire) -> None:
    found = resolved(client, text="take apple")
    assert (found["ok"], found["code"]) == (False, "AMBIGUOUS_TARGET")
    assert found["message"] == "Which apple do you mean: red apple or green apple?"
    for option in found["options"]:
        again = resolved(client, text=f"take {option['text']}")
        assert again["directTarget"] == option["target"]


def test_a_set_is_a_list_of_bindings(client: Wire) -> None:
    found = resolved(client, text="take both apples")
    ids = [binding["directTarget"]["id"] for binding in found["bindings"]]
    assert (found["ok"], ids) == (True, ["red", "green"])
    assert "directTarget" not in found


FAILURES = {
    "put the red apple": "FORM_MISSING_INDIRECT",
    "put": "FORM_MISSING_DIRECT",
    "take": "FORM_MISSING_DIRECT",
    "look the chest": "FORM_DIRECT_NOT_SUPPORTED",
    "put the red apple under the chest": "FORM_UNSUPPORTED_RELATION",
    "take the sword": "TARGET_NOT_FOUND",
    "take bob": "TARGET_NOT_FOUND",
    "zap the apple": "NOT_UNDERSTOOD",
    "": "NOT_UNDERSTOOD",
    "   ": "NOT_UNDERSTOOD",
    "?!": "NOT_UNDERSTOOD",
}


@pytest.mark.parametrize(("text", "code"), FAILURES.items(), ids=FAILURES)
def test_what_cannot_be_bound_says_why(client: Wire, text: str, code: str) -> None:
    found = resolved(client, text=text)
    assert (found["ok"], found["code"]) == (False, code)
    assert found["message"]
    assert "bindings" not in found
    assert "directTarget" not in found


def test_a_failure_has_details_for_those_who_word_their_own_messages(client: Wire) -> None:
    found = resolved(client, text="take the sward")
    assert found["details"]["role"] == "direct"
    assert found["details"]["searched"] == ["room"]
    form = resolved(client, text="put the red apple under the chest")
    assert form["details"]["relation"] == "under"
    assert form["details"]["accepted"] == ["in", "on"]


# From words that a client split itself


def test_a_command_that_came_split_is_bound(client: Wire) -> None:
    parsed = {
        "intentToken": "put",
        "directSpan": "the red apple",
        "relationToken": "into",
        "indirectSpan": "chest",
        "normalizedInput": "put red apple into chest",
    }
    found = resolved(client, parsed=parsed)
    assert (found["directTarget"]["id"], found["indirectTarget"]["id"]) == ("red", "chest")
    assert (found["relationTokenRaw"], found["relationTokenCanonical"]) == ("into", "in")
    assert found["parsed"]["normalizedInput"] == "put red apple into chest"


def test_words_and_the_same_words_split_mean_the_same(client: Wire) -> None:
    whole = resolved(client, text="put green apple on chest")
    spans = {"directSpan": "green apple", "relationToken": "on", "indirectSpan": "chest"}
    parted = resolved(client, parsed={"intentToken": "put", **spans})
    for field in ("verb", "ruleId", "bindings", "relationTokenCanonical"):
        assert whole[field] == parted[field]


def test_a_span_is_not_split_further(client: Wire) -> None:
    spans = {"directSpan": "red apple in the chest"}
    found = resolved(client, parsed={"intentToken": "put", **spans})
    assert (found["ok"], found["code"]) == (False, "FORM_MISSING_INDIRECT")


def test_a_command_that_came_split_may_use_another_name_of_its_verb(client: Wire) -> None:
    found = resolved(client, parsed={"intentToken": "pick up", "directSpan": "red apple"})
    assert (found["verb"], found["directTarget"]["id"]) == ("take", "red")


@pytest.mark.parametrize("token", ["zap", "", "  "])
def test_a_command_that_came_split_with_an_unknown_verb_is_not_understood(
    client: Wire, token: str
) -> None:
    found = resolved(client, parsed={"intentToken": token})
    assert (found["ok"], found["code"]) == (False, "NOT_UNDERSTOOD")


BAD_PARSED: Mapping[str, tuple[Any, str]] = {
    "no verb": ({}, "$.parsed.intentToken"),
    "a field in another case": (
        {"intentToken": "take", "direct_span": "x"},
        "$.parsed.direct_span",
    ),
    "a number": ({"intentToken": 3}, "$.parsed.intentToken"),
    "a text": ("take apple", "$.parsed"),
}


@pytest.mark.parametrize(("parsed", "path"), BAD_PARSED.values(), ids=BAD_PARSED)
def test_a_malformed_split_is_refused_by_its_field(client: Wire, parsed: Any, path: str) -> None:
    assert refused(client, parsed=parsed)["path"] == path


def test_text_and_a_split_together_are_refused(client: Wire) -> None:
    error = refused(client, text="look", parsed={"intentToken": "look"})
    assert "`text`" in error["message"]


def test_neither_text_nor_a_split_is_refused(client: Wire) -> None:
    assert "`parsed`" in refused(client)["message"]


# Options


def test_options_change_what_words_may_mean(client: Wire) -> None:
    assert resolved(client, text="take it", options={"recent": {"it": "green"}})["ok"]
    one = resolved(client, text="take apple", options={"among": ["green"]})
    assert one["directTarget"]["id"] == "green"
    assert resolved(client, text="take apple", options={"strictness": "exact"})["code"] == (
        "TARGET_NOT_FOUND"
    )
    assert not resolved(client, text="take all", options={"compatibility": "v1"})["ok"]
    assert resolved(client, text="kindly look", options={"ignoreTokens": ["kindly"]})["ok"]
    pinned = resolved(client, text="take apple", options={"pinned": {"direct": {"apple": "red"}}})
    assert pinned["directTarget"]["id"] == "red"
    nowhere = resolved(client, text="take red apple", options={"actor": "bob"})
    assert nowhere["code"] == "TARGET_NOT_FOUND"


def test_a_request_may_name_relations_of_its_own(client: Wire) -> None:
    found = resolved(client, text="put red apple atop chest", options={"relations": {"atop": "on"}})
    assert (found["relationTokenRaw"], found["relationTokenCanonical"]) == ("atop", "on")


def test_what_one_request_bound_is_not_remembered_for_the_next(client: Wire) -> None:
    assert resolved(client, text="take the red apple")["ok"]
    assert resolved(client, text="take it")["code"] == "TARGET_NOT_FOUND"


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"strictness": "loose"}, "$.options.strictness"),
        ({"compatibility": "v0"}, "$.options.compatibility"),
        ({"nope": 1}, "$.options.nope"),
        ({"recent": {"it": 3}}, "$.options.recent.it"),
        ("exact", "$.options"),
    ],
)
def test_a_bad_option_is_refused_by_its_field(client: Wire, options: Any, path: str) -> None:
    assert refused(client, text="look", options=options)["path"] == path


# Declarations and worlds that cannot be used


DIRECT: Mapping[str, Any] = {"direct": {}}
BAD_VERBS: Mapping[str, tuple[Any, str]] = {
    "no rules": ({"rules": {}}, "rules"),
    "rules are missing": ({}, "rules"),
    "an unknown rule": ({"rules": {"weird": {}}}, "rules"),
    "no relations": ({"rules": {"directIndirect": {}}}, "rules.directIndirect.acceptedRelations"),
    "relations where none go": (
        {"rules": {"direct": {"acceptedRelations": ["in"]}}},
        "rules.direct",
    ),
    "an unknown field": ({"rules": DIRECT, "nope": 1}, "nope"),
    "an unknown precedence": ({"rules": DIRECT, "precedence": "last"}, "precedence"),
    "a depth that is no number": (
        {"rules": DIRECT, "scopeProfile": {"direct": [{"scope": "room", "depth": "deep"}]}},
        "scopeProfile.direct[0].depth",
    ),
    "a set of an unknown role": ({"rules": DIRECT, "sets": ["both"]}, "sets[0]"),
    "aliases that are no list": ({"rules": DIRECT, "aliases": "grab"}, "aliases"),
}


@pytest.mark.parametrize(("declared", "field"), BAD_VERBS.values(), ids=BAD_VERBS)
def test_a_bad_declaration_is_refused_by_verb_and_field(
    client: Wire, declared: Any, field: str
) -> None:
    error = refused(client, text="look", verbs={**VERBS, "grab": declared})
    assert "'grab'" in error["message"]
    assert error["path"] == f"$.verbs.grab.{field}"


@pytest.mark.parametrize("declared", [5, None, "direct", []])
def test_a_declaration_that_is_no_object_is_refused_by_its_verb(
    client: Wire, declared: Any
) -> None:
    error = refused(client, text="look", verbs={**VERBS, "grab": declared})
    assert "'grab'" in error["message"]
    assert error["path"] == "$.verbs.grab"


def test_a_verb_without_a_name_is_refused(client: Wire) -> None:
    assert (
        "name" in refused(client, text="look", verbs={**VERBS, " ": {"rules": DIRECT}})["message"]
    )


@pytest.mark.parametrize("verbs", [[], 3, "take", None])
def test_verbs_that_are_no_object_are_refused(client: Wire, verbs: Any) -> None:
    assert refused(client, text="look", verbs=verbs)["path"] == "$.verbs"


def test_without_verbs_nothing_is_understood(client: Wire) -> None:
    assert resolved(client, text="look", verbs={})["code"] == "NOT_UNDERSTOOD"


BAD_WORLDS: Mapping[str, tuple[Any, str, str]] = {
    "an actor who is not there": ({"actor": "nobody"}, "nobody", "$.world"),
    "a thing without a name": ({"things": [{"id": "a"}]}, "name", "$.world.things[0].name"),
    "an id twice": ({"things": [{"id": "a", "name": "a"}] * 2}, "'a'", "$.world"),
    "a scope of nothing": ({"scopes": {"here": ["gone"]}}, "gone", "$.world"),
    "an unknown field": ({"stuff": []}, "stuff", "$.world.stuff"),
    "no object": (3, "object", "$.world"),
}


@pytest.mark.parametrize(("world", "said", "path"), BAD_WORLDS.values(), ids=BAD_WORLDS)
def test_a_bad_world_is_refused_and_it_is_said_why(
    client: Wire, world: Any, said: str, path: str
) -> None:
    error = refused(client, text="look", world=world)
    assert said in error["message"]
    assert error["path"] == path


@pytest.mark.parametrize("field", ["verbs", "world"])
def test_what_is_needed_is_missed_by_name(client: Wire, field: str) -> None:
    frame = request(text="look")
    del frame[field]
    error = client.ask(**frame)
    assert (error["code"], error["path"]) == ("BAD_REQUEST", f"$.{field}")


def test_an_empty_world_is_a_world(client: Wire) -> None:
    assert resolved(client, text="look", world={})["ok"]
    assert resolved(client, text="take apple", world={})["code"] == "TARGET_NOT_FOUND"


# Size, number, and nothing touched


def test_a_world_near_the_limit_of_a_frame_is_served(client: Wire) -> None:
    things = [in_the_kitchen(f"t{number}", f"stone {number}") for number in range(16_500)]
    world = {**WORLD, "things": [*WORLD["things"], *things]}
    size = len(json.dumps(request(text="take the red apple", world=world)))
    assert MAX_FRAME * 0.9 < size <= MAX_FRAME
    assert resolved(client, text="take the red apple", world=world)["directTarget"]["id"] == "red"
    assert resolved(client, text="take stone 16499", world=world)["directTarget"]["id"] == "t16499"


def test_a_world_beyond_the_limit_is_refused_and_the_connection_lives(client: Wire) -> None:
    error = client.ask(**request(text="look", options={"actor": "x" * MAX_FRAME}))
    assert error["code"] == "FRAME_TOO_LARGE"
    assert resolved(client, text="look")["ok"]


def test_a_question_about_very_many_things_is_answered(client: Wire) -> None:
    things = [in_the_kitchen(f"p{number}", "pebble") for number in range(2_000)]
    world = {**WORLD, "things": [*WORLD["things"], *things]}
    found = resolved(client, text="take pebble", world=world)
    assert found["code"] == "AMBIGUOUS_TARGET"
    assert found["options"]


def test_many_requests_in_flight_are_all_answered_each_by_its_own_id(client: Wire) -> None:
    colours = ("red", "green")
    for number in range(500):
        text = f"take the {colours[number % 2]} apple"
        client.send(request(text=text) | {"id": f"r{number}"})
    answers = {}
    for _ in range(500):
        reply = client.read()
        answers[reply["id"]] = reply["directTarget"]["id"]
    assert answers == {f"r{number}": colours[number % 2] for number in range(500)}


def test_requests_and_commands_share_a_connection(client: Wire) -> None:
    client.submit("c1", text="what time is it")
    client.send(request(text="look"))
    kinds: set[str] = set()
    while not {"finished", "resolution"} <= kinds:
        kinds.add(client.read()["type"])


def test_a_client_that_closed_its_sending_side_still_gets_its_resolution(daemon: Daemon) -> None:
    answered = subprocess.run(
        [sys.executable, "-c", HALF_CLOSED, str(daemon.socket), json.dumps(request(text="look"))],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert json.loads(answered.stdout)["ok"] is True


HALF_CLOSED = """
import socket, sys
with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    connection.sendall(sys.argv[2].encode() + b"\\n")
    connection.shutdown(socket.SHUT_WR)
    print(connection.makefile().read())
"""


def test_a_resolution_touches_nothing_and_is_no_command(daemon: Daemon, client: Wire) -> None:
    before = sorted(daemon.root.rglob("*"))
    health = client.ask(type="status", id="s")["health"]
    assert resolved(client, text="take the red apple")["ok"]
    after = client.ask(type="status", id="s")["health"]
    assert (after["finished"], after["running"]) == (health["finished"], health["running"])
    assert sorted(daemon.root.rglob("*")) == before


def test_equal_requests_get_equal_answers(client: Wire) -> None:
    first, second = (resolved(client, text="take apple") for _ in range(2))
    assert first == second


# From the command line


@pytest.fixture
def world_file(tmp_path: Path) -> str:
    path = tmp_path / "world.json"
    path.write_text(json.dumps(WORLD))
    return str(path)


@pytest.fixture
def verbs_file(tmp_path: Path) -> str:
    path = tmp_path / "verbs.json"
    path.write_text(json.dumps(VERBS))
    return str(path)


@pytest.fixture
def here(world_file: str, verbs_file: str) -> tuple[str, ...]:
    return ("resolve", "--world", world_file, "--verbs", verbs_file)


Output = pytest.CaptureFixture[str]


def test_the_command_line_shows_what_words_mean(here: tuple[str, ...], capsys: Output) -> None:
    assert main([*here, "put", "the red apple", "in", "the chest"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines() == [
        "put (directIndirect)",
        "  direct: red apple (red)",
        "  in: chest (chest)",
    ]


def test_the_command_line_lists_what_could_be_meant(here: tuple[str, ...], capsys: Output) -> None:
    assert main([*here, "take apple"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("AMBIGUOUS_TARGET: Which apple")
    assert lines[1:] == ["  1. red apple (red)", "  2. green apple (green)"]


@pytest.mark.parametrize(
    ("text", "code"), [("take the red apple", 0), ("take apple", 1), ("zap", 1), ("look", 0)]
)
def test_the_command_line_gives_the_same_answer_as_the_daemon(
    here: tuple[str, ...], capsys: Output, client: Wire, text: str, code: int
) -> None:
    assert main([*here, "--json", text]) == code
    shown = json.loads(capsys.readouterr().out)
    assert {**shown, "id": "r"} == resolved(client, text=text)


def test_worlds_and_verbs_may_be_toml(tmp_path: Path, capsys: Output) -> None:
    world, verbs = tmp_path / "w.toml", tmp_path / "v.toml"
    world.write_text(
        'actor = "me"\n'
        '[[things]]\nid = "den"\nname = "den"\nkind = "room"\n'
        '[[things]]\nid = "me"\nname = "you"\nlocation = "den"\n'
        '[[things]]\nid = "cup"\nname = "tin cup"\nlocation = "den"\n'
    )
    verbs.write_text('[take.rules.direct]\n[take.scopeProfile]\ndirect = ["room"]\n')
    assert main(["resolve", "--world", str(world), "--verbs", str(verbs), "take the cup"]) == 0
    assert "tin cup (cup)" in capsys.readouterr().out


def test_verbs_may_stand_in_a_table_of_their_own(
    world_file: str, tmp_path: Path, capsys: Output
) -> None:
    verbs = tmp_path / "v.json"
    verbs.write_text(json.dumps({"verbs": VERBS}))
    assert main(["resolve", "--world", world_file, "--verbs", str(verbs), "take red apple"]) == 0
    assert "(red)" in capsys.readouterr().out


@pytest.mark.parametrize("world", [str(MANOR), "manor"])
def test_a_bundle_brings_its_own_verbs(world: str, capsys: Output) -> None:
    assert main(["resolve", "--world", world, "take", "the", "green", "envelope"]) == 0
    assert "envelope (green-envelope)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "found"),
    [("open the oak door", ["oak-door"]), ("take all", ["green-envelope", "note"])],
)
def test_a_bundle_has_the_scopes_that_it_has_when_it_is_played(
    capsys: Output, text: str, found: list[str]
) -> None:
    assert main(["resolve", "--world", str(MANOR), "--json", text]) == 0
    bindings = json.loads(capsys.readouterr().out)["bindings"]
    bound = {binding["directTarget"]["id"] for binding in bindings}
    assert bound.issuperset(found)
    assert not bound & {"hall-table", "coat-chest"}


def test_options_are_given_as_json(here: tuple[str, ...], capsys: Output) -> None:
    assert main([*here, "--options", '{"recent": {"it": "green"}}', "take it"]) == 0
    assert "(green)" in capsys.readouterr().out
    assert main([*here, "--options", '{"strictness": "exact"}', "take apple"]) == 1


# a name, what is in the world's file, what is in the verbs' file, what is said
USELESS: Mapping[str, tuple[str | bytes | None, str | bytes | None, str]] = {
    "no such world": (None, "{}", "No such file"),
    "no such verbs": ("{}", None, "No such file"),
    "a world cut short": ("{", "{}", "world.json"),
    "verbs cut short": ("{}", "{", "verbs.json"),
    "a world that is a list": ("[1]", "{}", "table"),
    "verbs that are a list": ("{}", "[1]", "table"),
    "verbs that are a number": ("{}", '{"verbs": 3}', "verbs"),
    "a world of another shape": ('{"things": [{"id": 1}]}', "{}", "things[0].id"),
    "a world without its actor": ('{"actor": "me"}', "{}", "'me'"),
    "bytes that are no text": (b"\xff\xfe", "{}", "world.json"),
    "far too deep": ('{"a":' * 100_000, "{}", "world.json"),
    "a bundle with a fault": ('{"name": "x", "world": {"actor": "me"}}', "{}", "'me'"),
}


@pytest.mark.parametrize(("world", "verbs", "said"), USELESS.values(), ids=USELESS)
def test_files_that_cannot_be_used_are_named_and_it_is_bad_usage(
    tmp_path: Path,
    capsys: Output,
    world: str | bytes | None,
    verbs: str | bytes | None,
    said: str,
) -> None:
    paths = {"world": tmp_path / "world.json", "verbs": tmp_path / "verbs.json"}
    for name, content in (("world", world), ("verbs", verbs)):
        if content is not None:
            data = content.encode() if isinstance(content, str) else content
            paths[name].write_bytes(data)
    given = ["--world", str(paths["world"]), "--verbs", str(paths["verbs"])]
    assert main(["resolve", *given, "take x"]) == 2
    complaint = capsys.readouterr()
    assert complaint.out == ""
    assert complaint.err.startswith("behest: ")
    assert said in complaint.err


def test_a_bad_declaration_is_bad_usage_and_names_verb_and_field(
    world_file: str, tmp_path: Path, capsys: Output
) -> None:
    verbs = tmp_path / "v.json"
    verbs.write_text('{"grab": {"rules": {}}}')
    assert main(["resolve", "--world", world_file, "--verbs", str(verbs), "grab x"]) == 2
    shown = capsys.readouterr()
    assert "'grab'" in shown.out + shown.err
    assert "rules" in shown.out + shown.err


def test_a_world_without_verbs_says_what_to_give(world_file: str, capsys: Output) -> None:
    assert main(["resolve", "--world", world_file, "take x"]) == 2
    assert "--verbs" in capsys.readouterr().err


@pytest.mark.parametrize("options", ["[", "[]", '{"strictness": "x"}', "exact"])
def test_bad_options_are_bad_usage(here: tuple[str, ...], capsys: Output, options: str) -> None:
    assert main([*here, "--options", options, "look"]) == 2
    assert "--options" in capsys.readouterr().err


def test_a_world_is_required(capsys: Output) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["resolve", "take x"])
    assert ended.value.code == 2
    assert "--world" in capsys.readouterr().err


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_words_that_are_no_text_are_refused_not_crashed_on(
    here: tuple[str, ...], capsys: Output, more: tuple[str, ...]
) -> None:
    assert main([*here, *more, "take \udcff"]) in {1, 2}


# One command after another


def typed(
    monkeypatch: pytest.MonkeyPatch, capsys: Output, arguments: tuple[str, ...], *lines: str
) -> tuple[int, list[str]]:
    """Type these lines; give the exit code and what was shown."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    code = main(arguments)
    return code, capsys.readouterr().out.splitlines()


def test_without_words_commands_are_read_one_after_another(
    here: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    lines = "take the red apple", "", "   ", "look"
    code, shown = typed(monkeypatch, capsys, here, *lines)
    assert code == 0
    assert shown == ["take (direct)", "  direct: red apple (red)", "look (intransitive)"]


def test_it_is_what_the_line_before_was_about(
    here: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    lines = "take the green apple", "zap", "take it", "put it in the chest"
    code, shown = typed(monkeypatch, capsys, (*here, "--json"), *lines)
    answers = [json.loads(line) for line in shown]
    assert code == 0
    assert [answer["ok"] for answer in answers] == [True, False, True, True]
    assert answers[3]["directTarget"]["id"] == "green"


def test_them_is_what_the_line_before_was_about(
    here: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    lines = "take both apples", "take them"
    _, shown = typed(monkeypatch, capsys, (*here, "--json"), *lines)
    first, second = (json.loads(line)["bindings"] for line in shown)
    assert first == second


def test_the_last_of_several_commands_gives_the_exit_code(
    here: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert typed(monkeypatch, capsys, here, "look", "zap")[0] == 1
    assert typed(monkeypatch, capsys, here, "zap", "look")[0] == 0
    assert typed(monkeypatch, capsys, here)[0] == 0


# As a program of its own


def program(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={"PATH": "", "HOME": "/nonexistent"},
    )


def test_resolve_needs_no_daemon_and_no_home(here: tuple[str, ...]) -> None:
    ended = program(*here, "--json", "take", "the", "red", "apple")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["directTarget"]["id"] == "red"


def test_the_exit_code_tells_success_failure_and_bad_usage(here: tuple[str, ...]) -> None:
    codes = [
        program(*here, "take red apple").returncode,
        program(*here, "take apple").returncode,
        program(*here, "--options", "[", "take apple").returncode,
    ]
    assert codes == [0, 1, 2]


def test_lines_of_a_pipe_are_answered_without_a_prompt(here: tuple[str, ...]) -> None:
    ended = program(*here, stdin="take the red apple\ntake it")
    assert ended.returncode == 0
    assert ended.stdout.count("red apple (red)") == 2
    assert ">" not in ended.stdout

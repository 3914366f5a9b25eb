"""The pages about worlds are true: their examples are run, their sessions are played."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from messages import failures, phrases, targets, verbs, worlds
from messages.results import Code
from messages.wire import Resolution, WireRequest
from run import main
from tests.daemon import PROJECT, Event, Wire, running_daemon
from tools.text_world import bundle

PAGE = PROJECT / "docs" / "worlds.md"
SESSION = PROJECT / "docs" / "session.md"
PROTOCOL = PROJECT / "docs" / "protocol.md"
LINK = re.compile(r"\]\(([^)#]*)#?([^)]*)\)")
FENCED = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> Iterator[tuple[str, str]]:
    """Give the name and the text of every block of a language."""
    for found, name, text in FENCED.findall(page.read_text("utf-8")):
        if found == language:
            yield name, text


def sayings(name: str) -> list[tuple[str, str, str]]:
    """Give the rows ``words -> what comes of them`` of the blocks of a name, with their options."""
    rows = []
    for _, text in (block for block in blocks(PAGE, "text") if block[0] == name):
        options = "{}"
        for line in text.splitlines():
            if line.startswith("# "):
                options = line.removeprefix("# ")
                continue
            words, arrow, outcome = line.partition(" -> ")
            assert arrow, line
            rows.append((words.strip(), options, outcome.strip()))
    assert rows
    return rows


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file that the page shows."""
    for language in ("json", "toml"):
        for name, text in blocks(PAGE, language):
            (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The page about worlds


@pytest.mark.parametrize(("words", "options", "outcome"), sayings("say"))
@pytest.mark.usefixtures("folder")
def test_words_mean_what_the_page_says(
    words: str, options: str, outcome: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ["--world", "world.json", "--verbs", "verbs.json"]
    code = main(["resolve", *files, "--json", "--options", options, words])
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if found["ok"] else 1)
    expected_code, _, message = outcome.partition(": ")
    if expected_code in Code.__members__:
        assert found.get("code") == expected_code
        assert found["message"] == (message or found["message"])
    else:
        assert bound(found) == outcome


def bound(found: dict[str, Any]) -> str:
    """Say in short what was bound."""
    pairs = []
    for binding in found.get("bindings", ()):
        direct, indirect = binding.get("directTarget"), binding.get("indirectTarget")
        words = [direct["id"]] if direct else []
        words += [found["relationTokenCanonical"], indirect["id"]] if indirect else []
        pairs.append(" ".join(words))
    return ", ".join(pairs) or "nothing to bind"


def commands() -> list[tuple[str, str]]:
    """Give every command of the page with what it prints."""
    found = []
    for _, text in blocks(PAGE, "console"):
        for part in text.removeprefix("$ ").split("\n$ "):
            command, _, output = part.partition("\n")
            found.append((command, output.strip()))
    assert found
    return found


@pytest.mark.parametrize(("command", "output"), commands())
@pytest.mark.usefixtures("folder")
def test_a_command_prints_what_the_page_shows(
    command: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "behest"
    main(arguments)
    printed = capsys.readouterr().out.strip()
    if "--json" in arguments:
        assert json.loads(printed) == json.loads(output)
    else:
        assert printed == output


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--verbs", "verbs.json", "take the apple"], 0),
        (["--verbs", "verbs.json", "take the spoon"], 1),
        (["--verbs", "bad.toml", "put the lamp in the chest"], 2),
        (["--verbs", "verbs.json", "--options", '{"strictness": "loose"}', "look"], 2),
        (["look"], 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_exit_codes_are_those_of_the_page(arguments: list[str], code: int) -> None:
    assert main(["resolve", "--world", "world.json", *arguments]) == code


def test_the_bundle_of_the_page_plays_as_the_page_says(folder: Path) -> None:
    with running_daemon(folder, arguments=("--world", str(folder / "cabin.toml"))) as daemon:
        wire = daemon.connect()
        for number, (words, _, outcome) in enumerate(sayings("play")):
            finished = wire.run(f"c{number}", text=words)[-1]
            assert told(finished) == outcome, words


def told(finished: Event) -> str:
    """Say in short how a command in a text world ended."""
    if finished["status"] != "success":
        return f"{finished['code']}: {finished['message']}"
    says: str = finished["results"][0]["output"]["says"]
    return says


STRUCTS: list[type[msgspec.Struct]] = [
    *(worlds.World, worlds.Thing, worlds.Exit, worlds.Hints, worlds.Metadata),
    *(verbs.VerbDeclaration, verbs.RuleForm, verbs.ScopeRef, verbs.ScopeProfile),
    *(targets.Options, targets.Recent, failures.Target, targets.Option, targets.Binding),
    *(failures.Details, targets.Phase, targets.Considered, Resolution),
    *(phrases.Phrase, phrases.ParsedCommand, phrases.Related, phrases.Superlative),
    *(bundle.Bundle, bundle.WorldVerb, bundle.Requirement),
    *(bundle.Effect, bundle.Move, bundle.Change),
]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_the_page_names_every_field(struct: type[msgspec.Struct]) -> None:
    named = set(re.findall(r"[`.](\w+)`", PAGE.read_text("utf-8")))
    fields = {field.encode_name for field in msgspec.structs.fields(struct)}
    assert fields - named == set()


def test_the_page_names_every_code_of_form_and_target_and_every_standard_verb() -> None:
    page = PAGE.read_text("utf-8")
    codes = [code for code in Code if code.startswith(("FORM_", "TARGET_", "AMBIGUOUS_"))]
    assert [name for name in (*codes, *bundle.standard_verbs()) if f"`{name}`" not in page] == []


def test_links_of_the_pages_lead_somewhere() -> None:
    for page in (PAGE, SESSION, PROTOCOL):
        for file, anchor in LINK.findall(page.read_text("utf-8")):
            there = page.parent / file if file else page
            assert there.exists(), file
            assert not anchor or anchor in anchors(there), f"{file}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


# The page about the wire


def test_the_resolve_of_the_protocol_page_is_answered_as_it_shows(tmp_path: Path) -> None:
    page = PROTOCOL.read_text("utf-8")
    asked = [text for _, text in blocks(PROTOCOL, "json") if text.startswith('{"type": "resolve"')]
    lines = [line for line in page.splitlines() if line.startswith('{"type":"resolution"')]
    shown_first, shown_second = map(json.loads, lines)
    request = json.loads(asked[0])
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        assert wire.ask(**request) == shown_first
        assert wire.ask(**{**request, "id": "r2", "text": "take the pear"}) == shown_second


def test_the_requests_of_the_protocol_page_are_requests_of_this_protocol() -> None:
    spaced = [text for _, text in blocks(PROTOCOL, "json") if text.startswith('{"type": "')]
    requests = [request for text in spaced for request in objects(text)]
    assert {request["type"] for request in requests} == {
        "answer",
        "approve",
        "auth",
        "resolve",
        "undo",
    }
    lines = [json.loads(line) for line in PROTOCOL.read_text("utf-8").splitlines() if whole(line)]
    for request in (*requests, *lines):
        msgspec.json.decode(json.dumps(request), type=WireRequest)


def whole(line: str) -> bool:
    """Tell whether a line is all of a ``submit``."""
    return line.startswith('{"type":"submit"') and line.endswith("}")


def objects(text: str) -> Iterator[Event]:
    """Give the JSON objects of a text, one after the other."""
    decoder = json.JSONDecoder()
    while text := text.strip():
        found, end = decoder.raw_decode(text)
        yield found
        text = text[end:]


# The session


def test_the_session_in_the_manor_goes_as_the_page_says(tmp_path: Path) -> None:
    steps = [line for name, text in blocks(SESSION, "text") for line in text.splitlines()]
    assert sum('"submit"' in line for line in steps) >= 20
    with running_daemon(tmp_path, arguments=("--world", "manor")) as daemon:
        wire, unread = daemon.connect(), list[Event]()
        for line in steps:
            if line.startswith("> "):
                wire.send(json.loads(line.removeprefix("> ")))
            else:
                expect(wire, unread, json.loads(line.removeprefix("< ")))


def expect(wire: Wire, unread: list[Event], essential: Event) -> None:
    """Read on to the next message of a type, and compare what the page shows of it.

    The next command of a session begins while the end of the one before is being written: what has
    come of other commands by then stays ``unread``.
    """
    about = {key: essential[key] for key in ("type", "command") if key in essential}
    found = next((event for event in unread if about.items() <= event.items()), None)
    if found is None:
        *passed, found = wire.read_until(**about)
        assert "error" not in {event["type"] for event in passed}
    else:
        passed, unread[:] = unread[: unread.index(found)], unread[unread.index(found) + 1 :]
    unread += [event for event in passed if event.get("command") != found.get("command")]
    assert shown(found, essential) == essential


def shown(whole: Any, essential: Any) -> Any:
    """Leave out of a message what the page does not show of it."""
    if isinstance(whole, dict) and isinstance(essential, dict):
        return {key: shown(whole.get(key), part) for key, part in essential.items()}
    if isinstance(whole, list) and isinstance(essential, list) and len(whole) == len(essential):
        return [shown(one, part) for one, part in zip(whole, essential, strict=True)]
    return whole

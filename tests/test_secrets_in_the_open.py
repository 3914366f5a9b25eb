"""Secrets where they would be shown: refused, or withheld from every line, entry and event."""

from collections.abc import Iterator

import pytest

from actors.planner.tables import planner_rules
from actors.vault import SECRETIVE, SHOWN, loggable, may_speak_of_secret, shows_secret
from tests.daemon import Daemon, Event, running_daemon
from tests.test_secrets import everything_written

HEADLESS = '[browser]\nmode = "headless"\n'
S = "Zork-91x"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("open")
    with running_daemon(folder, settings=HEADLESS) as running:
        (running.root / "a.txt").write_text("a")
        (running.root / f"password-{S}.txt").write_text("nothing")
        yield running


def browser(verb: str, **params: str) -> Event:
    return {"goals": [{"domain": "browser", "verb": verb, "params": params}]}


def file(verb: str, **params: str) -> Event:
    return {"goals": [{"domain": "file", "verb": verb, "params": params}]}


SAID: dict[str, Event] = {
    "in an address": {"text": f"go to http://127.0.0.1:9/?password={S}"},
    "in an address, later": {"text": f"go to http://127.0.0.1:9/?user=ada&api_key={S}"},
    "in a file's name": {"text": f"read the file password-{S}.txt"},
    "in a new name": {"text": f'rename a.txt to "password {S}.txt"'},
    "in short": {"text": f"enter pw {S}"},
    "in shorter": {"text": f"enter my pass {S}"},
    "in signing in": {"text": f"log in as ada with {S}"},
    "in signing me in": {"text": f"sign me in to the bank as ada using {S}"},
    "once": {"text": f"enter the OTP {S}"},
    "once, in words": {"text": f"enter the one-time code {S}"},
    "as a token": {"text": f"frobnicate the token {S}"},
    "as credentials": {"text": f"use the credentials ada/{S}"},
    "as an api key": {"text": f"remember the api key {S}"},
    "as a security code": {"text": f"frobnicate the security code {S}"},
    "as a passphrase": {"text": f"my passphrase is {S}"},
    "in a goal's address": browser("navigate", url=f"http://127.0.0.1:9/?password={S}"),
    "in a goal's search": browser("search", query=f"password {S}"),
    "in a goal's name": file("rename", name="a.txt", to=f"password {S}.txt"),
    "in a goal's role": {
        "goals": [{"domain": "file", "verb": "read", "roles": {"name": f"password-{S}.txt"}}]
    },
    "in a parameter that nobody knows": browser(
        "type", selector="#password", text="x", remark=f"{S}"
    ),
    "in nothing but such a parameter": browser("type", selector="#password", remark=f"{S}"),
}


@pytest.mark.parametrize("how", SAID)
def test_a_secret_is_in_no_event_no_line_and_no_journal(daemon: Daemon, how: str) -> None:
    wire = daemon.connect(60.0)
    wire.submit(how, session=how, **SAID[how])
    events = [wire.read()]
    while events[-1]["type"] not in {"question", "finished"}:
        events.append(wire.read())
    if events[-1]["type"] == "question":
        wire.send({"type": "cancel", "id": f"{how}.no", "command": how})
        events += wire.read_until(type="finished")
    assert S not in str(events)
    assert S not in everything_written(daemon)
    explained = wire.ask(type="explain", id=f"{how}.why", command=how)
    assert explained["type"] == "explained"
    assert S not in str(explained)
    assert S not in str(wire.ask(type="history", id=f"{how}.which"))
    assert events[-1]["status"] != "success"
    assert (daemon.root / "a.txt").read_text() == "a"


ORDINARY = (
    "password-list.txt",
    "passwords 2024.xlsx",
    "password-policy-2.pdf",
    "password reset v2.md",
    "pin-board-2.txt",
    "secret santa 2024.txt",
    "token ring 2.txt",
    "token-4711.txt",
    "boarding pass 12.pdf",
    "pw.txt",
    "https://example.com/?token=abc123",
    "https://example.com/reset-password?lang=en",
    "https://example.com/?q=password+manager",
)


@pytest.mark.parametrize("value", ORDINARY)
def test_what_is_only_about_secrets_is_not_refused(value: str) -> None:
    assert not shows_secret(value)


def test_files_with_such_words_in_their_names_are_worked_with(daemon: Daemon) -> None:
    wire = daemon.connect(60.0)
    for number, name in enumerate(("token ring.txt", "password-list.txt", "pin board 2.txt")):
        command = f"ordinary{number}"
        finished = wire.run(command, text=f'create a file "{name}"', session=command)[-1]
        assert finished["status"] == "success", finished
        assert (daemon.root / name).exists()


@pytest.mark.parametrize(
    "text",
    [
        "pass the salt",
        "pass it on to Ann",
        "go to example.com",
        "where is my boarding pass?",
        "move boarding-pass.pdf to travel",
        "print my ski pass",
    ],
)
def test_what_speaks_of_no_secret_is_logged(text: str) -> None:
    assert loggable(text) == text
    assert not may_speak_of_secret(text)


def test_every_parameter_of_a_rule_is_shown_or_may_be_secret() -> None:
    rules = planner_rules().with_aliases().values()
    known = {name for rule in rules for name in rule.params}
    assert known <= SHOWN | SECRETIVE
    assert not SHOWN & SECRETIVE

"""Secrets: a reference from the moment they are read, in logs, journal, events and errors."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors import vault
from messages.journaling import Laid
from tests.daemon import Daemon, Event, launched, running_daemon
from tests.keeping import stories
from tests.web import Web
from tools.journal import unpacked
from tools.secrets import MOST_BYTES, MOST_KEPT, Secrets

HEADLESS = '[browser]\nmode = "headless"\n'
PAGE = """<title>In</title><form onsubmit="document.title = 'sent ' + p.value; return false">
<label>Name <input id=n></label><label>Password <input type=password id=p></label>
<button>Sign in</button></form>"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("secrets")
    state = folder / "state"
    state.mkdir(mode=0o700)
    file = state / "secrets.toml"
    file.touch(mode=0o600)
    file.write_text('bank = "Plugh-0815"\nempty = ""\n')
    with running_daemon(folder, settings=HEADLESS) as running:
        yield running


def everything_written(daemon: Daemon) -> str:
    """Give all that the daemon has logged and kept."""
    journal = daemon.home.parent / "state" / "journal.db"
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as connection:
        rows = [
            *connection.execute("SELECT submit, finished FROM commands"),
            *connection.execute("SELECT body FROM entries"),
            *[unpacked(lines) for (lines,) in connection.execute("SELECT lines FROM records")],
        ]
    return f"{daemon.log()} {rows}"


def test_a_password_in_the_words_is_typed_and_written_down_nowhere(daemon: Daemon) -> None:
    with Web({"/": PAGE}) as web:
        wire = daemon.connect(60.0)
        wire.run("p1", text=f"go to {web.url('/')}", session="p")
        events = wire.run("p2", text="type Xyzzy-4711 into the password field", session="p")
        assert events[-1]["status"] == "success", events[-1]
        wire.run("p3", text="click Sign in", session="p")
        title = wire.run("p4", text="read the title", session="p")[-1]
    assert title["results"][0]["output"] == "sent Xyzzy-4711"  # it was typed indeed
    assert "Xyzzy" not in str(events)
    written = everything_written(daemon).replace(str(title["results"]), "")
    assert "Xyzzy" not in written.replace("sent Xyzzy-4711", "")


def test_a_password_in_goals_is_a_reference_at_once(daemon: Daemon) -> None:
    with Web({"/": PAGE}) as web:
        wire = daemon.connect(60.0)
        wire.run("q1", text=f"go to {web.url('/')}", session="q")
        goal = {
            "domain": "browser",
            "verb": "type",
            "params": {"text": "Frotz-1234"},
            "roles": {"target": "the password field"},
        }
        events = wire.run("q2", goals=[goal], session="q")
    assert events[-1]["status"] == "success", events[-1]
    assert "Frotz" not in str(events)
    assert "Frotz" not in everything_written(daemon)


SPOKEN: dict[str, Event] = {
    "not understood": {"text": "frobnicate the password Fnord-1"},
    "doubtful": {"text": "type Fnord-2 into the password field?"},
    "doubtful, too": {"text": "don't mute the volume and type Fnord-3 into the password field"},
    "in the words of a goal": {
        "goals": [
            {"domain": "browser", "verb": "type", "words": "type Fnord-4 into the password field"}
        ]
    },
    "in other spellings": {"text": "type Fnord-6 into the pass-word field"},
    "in short": {"text": "type Fnord-7 into pwd"},
    "in German": {"text": "type Fnord-8 into Kennwort"},
    "in the client's own words": {
        "goals": [
            {
                "domain": "browser",
                "verb": "type",
                "params": {"text": "Fnord-9"},
                "roles": {"target": "the field"},
                "object": "the password field",
            }
        ]
    },
    "by a selector": {
        "goals": [
            {
                "domain": "browser",
                "verb": "type",
                "params": {"text": "Fnord-5", "selector": "#password"},
            }
        ]
    },
}


@pytest.mark.parametrize("said", SPOKEN)
def test_a_password_is_written_down_nowhere_understood_or_not(daemon: Daemon, said: str) -> None:
    wire = daemon.connect(60.0)
    wire.submit(said, session=said, **SPOKEN[said])
    event = wire.read()
    while event["type"] not in {"question", "finished"}:
        event = wire.read()
    if event["type"] == "question":
        wire.send({"type": "cancel", "id": "k", "command": said})
        wire.read_until(type="finished")
    assert "Fnord" not in everything_written(daemon)


KEYED = PAGE.replace("Password", "Key")
UNSPOKEN: dict[str, Event] = {
    "by words": {"text": "type Fizmo-1 into the key field"},
    "by setting": {"text": "set the key field to Fizmo-1"},
    "by the focus": {"text": "click the key field and type Fizmo-1"},
    "by a role": {
        "goals": [
            {
                "domain": "browser",
                "verb": "type",
                "params": {"text": "Fizmo-1"},
                "roles": {"target": "the key field"},
            }
        ]
    },
    "by a selector": {
        "goals": [
            {"domain": "browser", "verb": "type", "params": {"text": "Fizmo-1", "selector": "#p"}}
        ]
    },
}


@pytest.mark.parametrize("said", UNSPOKEN)
def test_what_turns_out_to_go_into_a_password_field_is_written_down_no_more(
    daemon: Daemon, said: str
) -> None:
    name = f"u {said}"
    with Web({"/": KEYED}) as web:
        wire = daemon.connect(60.0)
        wire.run(f"{name} 0", text=f"go to {web.url('/')}", session=name)
        events = wire.run(name, session=name, **UNSPOKEN[said])
        state = wire.ask(type="status", id="s", command=name)
        wire.run(f"{name} 1", text="click Sign in", session=name)
        title = wire.run(f"{name} 2", text="read the title", session=name)[-1]
    assert events[-1]["status"] == "success", events[-1]
    assert title["results"][0]["output"] == "sent Fizmo-1"  # it was typed indeed
    known = [event["type"] for event in events].index("planned")
    assert "Fizmo" not in str([*events[known + 1 :], state])
    later = [record for record in daemon.log() if record.get("command_id") == name]
    assert "Fizmo" not in str([each for each in later if each["event"] != "command.accepted"])
    story = stories(daemon.home.parent / "state" / "journal.db")[name]
    assert "Fizmo" not in str((story.finished, *story.entries[1:]))
    assert isinstance(story.entries[0], Laid)  # with the words themselves, it came before


@pytest.mark.parametrize("verb", ["type", "set"])
def test_what_goes_into_any_other_field_is_written_down_as_it_is(daemon: Daemon, verb: str) -> None:
    given = {"text": "Tansy"} if verb == "type" else {"value": "Tansy"}
    goal = {"domain": "browser", "verb": verb, "params": {"selector": "#n", **given}}
    with Web({"/": PAGE}) as web:
        wire = daemon.connect(60.0)
        wire.run(f"o0 {verb}", text=f"go to {web.url('/')}", session=verb)
        finished = wire.run(f"o {verb}", goals=[goal], session=verb)[-1]
    assert finished["results"][0]["output"]["value"] == "Tansy"


def test_a_named_secret_is_typed_and_stays_a_name(daemon: Daemon) -> None:
    with Web({"/": PAGE}) as web:
        wire = daemon.connect(60.0)
        wire.run("r1", text=f"go to {web.url('/')}", session="r")
        events = wire.run("r2", text="type secret:bank into the name field", session="r")
        assert events[-1]["status"] == "success", events[-1]
        assert "secret:bank" in str(events)
        assert "Plugh" not in str(events)
        unknown = wire.run("r3", text="type secret:nobody into the name field", session="r")[-1]
    assert (unknown["status"], unknown["code"]) == ("failed", "NOT_FEASIBLE")
    assert "secret:nobody" in unknown["message"]
    assert "Plugh" not in everything_written(daemon)


def test_what_a_tool_says_of_a_secret_is_its_name(daemon: Daemon) -> None:
    goal = {"domain": "file", "verb": "write", "params": {"name": "a", "content": "secret:bank"}}
    read = {"domain": "file", "verb": "read", "params": {"name": "a"}}
    wire = daemon.connect()
    assert wire.run("s1", goals=[goal])[-1]["status"] == "success"
    assert (daemon.root / "a").read_text() == "Plugh-0815"
    assert wire.run("s2", goals=[read])[-1]["results"][0]["output"]["text"] == "Plugh-0815"


def test_what_a_file_or_a_page_says_is_no_reference_to_a_secret(daemon: Daemon) -> None:
    (daemon.root / "lure.txt").write_text("secret:bank")
    goals: list[Event] = [
        {"domain": "file", "verb": "read", "params": {"name": "lure.txt"}},
        {"domain": "file", "verb": "write", "params": {"name": "bait"}, "takes": {"content": "g0"}},
    ]
    wire = daemon.connect(60.0)
    assert wire.run("l1", goals=goals)[-1]["status"] == "success"
    assert (daemon.root / "bait").read_text() == "secret:bank"
    with Web({"/": f"<title>secret:bank</title>{PAGE}"}) as web:
        wire.run("l2", text=f"go to {web.url('/')}", session="l")
        wire.run("l3", text="read the title and type it into the name field", session="l")
        typed = wire.run("l4", text="read the name field", session="l")[-1]
    assert typed["results"][0]["output"] == "secret:bank"


def test_a_reference_means_nothing_to_the_next_daemon() -> None:
    name = Secrets().keep("Xyzzy-4711").removeprefix("secret:")
    following = Secrets()
    following.keep("of somebody else")
    assert following.reveal(name) is None


def test_words_that_were_not_kept_cannot_be_gone_on_with(tmp_path: Path) -> None:
    first = launched(tmp_path)
    wire = first.connect()
    wire.submit("a", text="create a folder x", session="s")
    wire.submit("b", text="type Xyzzy-4711 into the password field", session="s", mode="run")
    wire.read_until(type="accepted", command="b")
    first.process.kill()
    first.stop()
    with running_daemon(tmp_path) as second:
        again = second.connect()
        again.submit("b", text="type Xyzzy-4711 into the password field", session="s")
        finished = again.read_until(type="finished", command="b")[-1]
        assert finished["status"] in {"failed", "in_doubt"}
        assert finished["code"] != "CRASHED"
        assert "Xyzzy" not in everything_written(second)


@given(st.from_regex(vault.SPOKEN) | st.from_regex(vault.PERHAPS), st.text(max_size=10))
def test_every_text_that_speaks_of_a_secret_has_one_of_the_pieces(found: str, rest: str) -> None:
    for text in (found, found.upper(), found.title(), f"{rest} {found} {rest}"):
        if vault.SPOKEN.search(text) or vault.PERHAPS.search(text):
            assert vault.has_piece(text), text


def test_an_ordinary_text_has_none_of_the_pieces() -> None:
    for text in ("system:get:time", "Move the letter to the archive", "report-2024.txt"):
        assert not vault.has_piece(text)


def test_a_file_of_secrets_that_others_may_read_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "secrets.toml"
    path.write_text('bank = "x"\n')
    path.chmod(0o644)
    assert Secrets(path).reveal("bank") is None
    path.chmod(0o600)
    assert Secrets(path).reveal("bank") == "x"
    path.write_text("bank = 5\n")
    assert Secrets(path).reveal("bank") is None


def test_of_the_texts_that_are_kept_the_oldest_are_forgotten_when_they_are_long() -> None:
    secrets = Secrets()
    text = "é" * 500_000
    names = [secrets.keep(f"{text}{number}").removeprefix("secret:") for number in range(20)]
    known = [secrets.reveal(name) for name in names]
    assert known[-8:] == [f"{text}{number}" for number in range(12, 20)]
    assert known[:-8] == [None] * 12


def test_of_many_short_texts_the_oldest_are_forgotten_too() -> None:
    secrets = Secrets()
    names = [secrets.keep("x").removeprefix("secret:") for _ in range(MOST_KEPT + 1)]
    assert secrets.reveal(names[0]) is None
    assert secrets.reveal(names[1]) == "x"


def test_a_text_longer_than_all_that_is_kept_is_not_kept() -> None:
    secrets = Secrets()
    assert secrets.reveal(secrets.keep("x" * (MOST_BYTES + 1)).removeprefix("secret:")) is None
    assert secrets.reveal(secrets.keep("x" * MOST_BYTES).removeprefix("secret:")) is not None


def test_a_secret_is_in_no_list_of_processes(daemon: Daemon) -> None:
    arguments = Path(f"/proc/{daemon.process.pid}/cmdline").read_bytes()
    surroundings = Path(f"/proc/{daemon.process.pid}/environ").read_bytes()
    assert b"Plugh" not in arguments + surroundings


SAID_ON_A_PAGE = (
    "sign me in with the password Zork-1",
    "type my password Zork-1",
    "unlock with pin Zork-1",
    "send the password Zork-1 to Ann",
    "open the vault with Zork-1 as passphrase",
    'reply to Ann with "the password is Zork-1"',
    "change my password from Zork-1 to Zork-12",
    "my password is Zork-1. Click Sign in",
    "set the password to Zork-1?",
    "frobnicate the pin Zork-1",
    "click the password Zork-1",
    "search the web for password Zork-1",
    "hover over the pin Zork-1",
    "create a folder called password Zork-1",
    "go to http://ada:Zork-1@localhost/",
)


@pytest.mark.parametrize("number", range(len(SAID_ON_A_PAGE)))
def test_a_secret_is_in_no_event_and_no_line_whatever_is_made_of_the_words(
    daemon: Daemon, number: int
) -> None:
    session = f"said{number}"
    with Web({"/": PAGE}) as web:
        wire = daemon.connect(60.0)
        wire.run(f"{session}.at", text=f"go to {web.url('/')}", session=session)
        wire.submit(session, session=session, text=SAID_ON_A_PAGE[number])
        events = [wire.read()]
        while events[-1]["type"] not in {"question", "finished"}:
            events.append(wire.read())
        if events[-1]["type"] == "question":
            wire.send({"type": "cancel", "id": f"{session}.no", "command": session})
            wire.read_until(type="finished")
    assert "Zork" not in str(events)
    assert "Zork" not in everything_written(daemon)


@pytest.mark.parametrize(
    "text",
    [
        'create a file {name} with "my password is Zork-2"',
        'write "pin: Zork-2" to {name}',
        'append "the secret is Zork-2" to {name}',
    ],
)
def test_a_secret_that_is_written_to_a_file_is_written_nowhere_else(
    daemon: Daemon, text: str
) -> None:
    name = f"{text[:6].strip()}.txt"
    wire = daemon.connect(60.0)
    if text.startswith("append"):
        (daemon.root / name).write_text("")
    events = wire.run(name, text=text.format(name=name))
    assert events[-1]["status"] == "success", events[-1]
    assert "Zork-2" in (daemon.root / name).read_text()
    assert "Zork-2" not in str(events)
    assert "Zork-2" not in everything_written(daemon)

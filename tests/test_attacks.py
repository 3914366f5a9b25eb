"""Attacks on the machine through the daemon: files, programs, the log, bundles, settings.

Each of them must end with nothing touched and a clear code. Those on the socket itself are in
``test_attacks_wire``, those on the browser's hosts in ``test_attacks_web``.
"""

import gzip
import json
import os
import re
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.overheard import OFF as WITHOUT_BROWSER
from tests.overheard import overheard_daemon
from tools.settings import BadSettings, Settings, load
from tools.text_world.bundle import MAX_BYTES, BadBundle, load_bundle

Snapshot = dict[str, tuple[int, int, bytes | str]]
HIDDEN = "the secret that lies outside"
REFUSALS = {
    "OUTSIDE_ROOTS", "TARGET_NOT_FOUND", "NOT_ALLOWED", "WRONG_KIND", "IO_FAILED", "BLOCKED"
}  # fmt: skip

OFF = f"{WITHOUT_BROWSER}[door]\nclient_in_flight = 100_000\n"


# A daemon, its root, and what lies outside of it


@dataclass(frozen=True)
class Scene:
    """A daemon with one root full of traps, and a folder that it must never reach."""

    daemon: Daemon
    outside: Path

    @property
    def root(self) -> Path:
        return self.daemon.root

    def seen(self) -> tuple[Snapshot, Snapshot]:
        return snapshot(self.root), snapshot(self.outside)


def snapshot(folder: Path) -> Snapshot:
    """Give all that is in a folder: what it is, which one it is, and what it holds."""
    seen: Snapshot = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content: bytes | str = b""
        if stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        seen[str(path.relative_to(folder))] = (status.st_mode, status.st_ino, content)
    return seen


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("attacks")
    outside = folder / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(HIDDEN)
    environment = {"XDG_DATA_DIRS": "/nonexistent"}
    with running_daemon(folder, settings=OFF, environment=environment) as daemon:
        lay_traps(daemon.root, outside)
        yield Scene(daemon, outside)


def lay_traps(root: Path, outside: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "notes.txt").write_text("notes")
    (root / "plain.txt").write_text("plain")
    (root / "out").symlink_to(outside)
    (root / "link.txt").symlink_to(outside / "secret.txt")
    (root / "dangling").symlink_to(outside / "new.txt")
    (root / "loop").symlink_to(root / "loop")
    (root / "docs" / "up").symlink_to("../..")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket"))


@pytest.fixture
def client(scene: Scene) -> Iterator[Wire]:
    wire = scene.daemon.connect()
    yield wire
    wire.close()


def goal(verb: str, **params: Any) -> Event:
    return {"domain": "file", "verb": verb, "params": params}


def results_of(client: Wire, goals: list[Event], session: str | None = None) -> list[Event]:
    """Carry out goals, each as a command of its own, at once or in order; give their results."""
    names = [os.urandom(6).hex() for _ in goals]
    for name, each in zip(names, goals, strict=True):
        client.submit(name, goals=[each], session=session or name)
    ended: dict[str, Event] = {}
    while len(ended) < len(names):
        event = client.read()
        if event["type"] in {"finished", "error"}:
            ended[event.get("command") or event["id"]] = event
    return [
        (ended[name].get("results") or [ended[name]])[0]
        if ended[name]["type"] == "finished"
        else ended[name]
        for name in names
    ]


def every_way(path: str) -> list[Event]:
    """Give every way in which a path can be attacked by a goal."""
    return [
        goal("read", name=path),
        goal("write", name=path, content="pwned", overwrite=True),
        goal("append", name=path, content="pwned"),
        goal("create", object_type="file", name=path, content="pwned"),
        goal("create", object_type="folder", name=f"{path}/pwned"),
        goal("list", name=path),
        goal("find", name=path, pattern="*"),
        goal("delete", name=f"{path}/secret.txt"),
        goal("move", name=path, to="docs"),
        goal("move", name="plain.txt", to=path),
        goal("copy", name=path, to="docs"),
        goal("copy", name="plain.txt", to=path),
        goal("rename", name=f"{path}/secret.txt", to="pwned"),
        goal("rename", name="plain.txt", to=f"../{path}"),
    ]


# Paths

PATHS = {
    "parent": "../outside/secret.txt",
    "parent by a detour": "docs/../../outside/secret.txt",
    "parent behind a dot": "./.././outside/secret.txt",
    "parent of nothing": "none/../../outside/secret.txt",
    "parents beyond the top": "../" * 60 + "etc/passwd",
    "absolute": "{outside}/secret.txt",
    "absolute with two slashes": "/{outside}/secret.txt",
    "absolute through the root": "{root}/../outside/secret.txt",
    "a root's name as a prefix": "{root}-other/secret.txt",
    "through a link": "out/secret.txt",
    "a link and back": "out/../../outside/secret.txt",
    "through a relative link": "docs/up/outside/secret.txt",
    "through a link to itself": "loop/secret.txt",
    "below a file": "plain.txt/secret.txt",
    "below a pipe": "pipe/secret.txt",
    "a null": "plain.txt\0.png",
    "a null in a folder": "docs\0/../../outside/secret.txt",
    "the home of the user": "~/secret.txt",
    "the home of root": "~root/secret.txt",
    "a variable": "$HOME/secret.txt",
    "percent-encoded": "%2e%2e/outside/secret.txt",
    "encoded twice": "..%252foutside%252fsecret.txt/x",
    "an address": "file:///{outside}/secret.txt",
    "a drive": "C:/outside/secret.txt",
    "parents as Windows writes them": "..\\outside\\secret.txt",
    "a network share": "//server/outside/secret.txt",
    "the process": "/proc/self/root/{outside}/secret.txt",
    "its working folder": "/proc/self/cwd/run.py",
    "its descriptors": "/dev/fd/0",
    "dots of another script": "․․/outside/secret.txt",
    "wide dots": "．．/outside/secret.txt",
    "a dot and nothing": "..\u200b/outside/secret.txt",
    "dots with spaces": ".. /outside/secret.txt",
    "dots and more dots": ".../outside/secret.txt",
    "written backwards": "\u202etxt.terces/x",
    "a long name": "n" * 300 + "/x",
    "a long path": ("n" * 200 + "/") * 40 + "x",
    "many folders": "docs/" + "d/" * 20_000 + "x",
    "many dots": "./" * 50_000 + "../outside/secret.txt",
}


@pytest.mark.parametrize("attack", PATHS, ids=str)
def test_no_path_leads_out_of_the_root(scene: Scene, client: Wire, attack: str) -> None:
    path = PATHS[attack].format(outside=scene.outside, root=scene.root)
    before = scene.seen()
    for attempt, result in zip(every_way(path), results_of(client, every_way(path)), strict=True):
        assert (result["status"] == "blocked") == (result["code"] == "BLOCKED"), (attempt, result)
        assert result["status"] in {"failed", "blocked"}, (attempt, result)
        assert result["code"] in REFUSALS, (attempt, result)
        assert HIDDEN not in str(result)
    assert scene.seen() == before


@pytest.mark.parametrize("name", ["link.txt", "dangling", "loop", "pipe", "socket"])
def test_what_is_no_file_is_neither_read_nor_written(scene: Scene, client: Wire, name: str) -> None:
    before = scene.seen()
    attempts = [
        goal("read", name=name),
        goal("write", name=name, content="pwned", overwrite=True),
        goal("append", name=name, content="pwned"),
        goal("create", object_type="file", name=name, content="pwned"),
        goal("copy", name=name, to="docs"),
        goal("list", name=name),
    ]
    for attempt, result in zip(attempts, results_of(client, attempts), strict=True):
        assert result["code"] in REFUSALS | {"ALREADY_EXISTS"}, (attempt, result)
        assert HIDDEN not in str(result)
    assert scene.seen() == before


ODD_NAMES = [
    *("．．／outside／secret.txt", "a\u2215..\u2215b", "x.", "x ", " x"),
    *("...", "-rf", "--help", "*", "?", "a;b", "a|b", "$(id)", "`id`", "a\nb", "a\rb", "a\tb"),
    *("\x1b]0;pwned\x07", "\u202etxt.exe", "\ufeffx", "e\u0301", "é", "ﬁ", "CON", "nul.txt", "~"),
    *("~root", "$HOME", "%00", "&#46;&#46;", "a\u2028b", "\x7f", "😀" * 60),
]


def test_an_odd_name_is_a_name_in_the_root_and_nothing_else(scene: Scene, client: Wire) -> None:
    outside, before = snapshot(scene.outside), set(os.listdir(scene.root))
    goals = [goal("create", object_type="file", name=name, content="x") for name in ODD_NAMES]
    results = results_of(client, goals)
    assert [result["status"] for result in results] == ["success"] * len(ODD_NAMES)
    assert set(os.listdir(scene.root)) - before == set(ODD_NAMES)
    assert snapshot(scene.outside) == outside
    for name in ODD_NAMES:
        (scene.root / name).unlink()


def test_a_second_name_of_a_file_outside_is_no_way_to_change_it(scene: Scene, client: Wire) -> None:
    os.link(scene.outside / "secret.txt", scene.root / "hard.txt")
    before = snapshot(scene.outside)
    appended, written = results_of(
        client,
        [
            goal("append", name="hard.txt", content="pwned"),
            goal("write", name="hard.txt", content="own", overwrite=True),
        ],
        session="in order",
    )
    assert appended["code"] == "NOT_ALLOWED"
    assert written["status"] == "success"
    assert (scene.root / "hard.txt").read_text() == "own"
    assert snapshot(scene.outside) == before
    (scene.root / "hard.txt").unlink()


# Links that are swapped in while the daemon works

SWAPPED_ATTEMPTS = 2_000


@contextmanager
def swapping(place: Path, trap: Path) -> Iterator[list[int]]:
    """Put a trap in the place of something, and take it away again, as fast as can be."""
    away, over, swaps = place.with_name(f"{place.name}.away"), threading.Event(), [0]

    def swap() -> None:
        while not over.is_set():
            os.rename(place, away)
            os.rename(trap, place)
            os.rename(place, trap)
            os.rename(away, place)
            swaps[0] += 1

    def swap_on() -> None:
        while not over.is_set():
            with suppress(OSError):  # the daemon moved something, as it was told
                swap()

    thread = threading.Thread(target=swap_on, daemon=True)
    thread.start()
    try:
        yield swaps
    finally:
        over.set()
        thread.join()


def test_a_link_swapped_in_for_a_folder_never_leads_out(scene: Scene, client: Wire) -> None:
    spot, trap = scene.root / "spot", scene.root / "trap"
    spot.mkdir()
    trap.symlink_to(scene.outside)
    before = snapshot(scene.outside)
    ways = [
        goal("write", name="spot/new.txt", content="pwned", overwrite=True),
        goal("create", object_type="folder", name="spot/folder"),
        goal("write", name="spot/secret.txt", content="pwned", overwrite=True),
        goal("append", name="spot/secret.txt", content="pwned"),
        goal("read", name="spot/secret.txt"),
        goal("copy", name="plain.txt", to="spot"),
        goal("list", name="spot"),
        goal("find", name="spot", pattern="s*"),
    ]
    goals = [ways[number % len(ways)] for number in range(SWAPPED_ATTEMPTS)]
    with swapping(spot, trap) as swaps:
        results = results_of(client, goals)
    assert swaps[0] > 0
    assert snapshot(scene.outside) == before
    assert HIDDEN not in str(results)
    known = {*REFUSALS, "ALREADY_EXISTS", "CHANGED_SINCE", "EFFECT_MISSING", None}
    assert {result["code"] for result in results} <= known


def test_a_link_swapped_in_for_a_file_is_neither_read_nor_written(
    scene: Scene, client: Wire
) -> None:
    file, trap = scene.root / "swapped.txt", scene.root / "swapped.trap"
    file.write_text("own")
    trap.symlink_to(scene.outside / "secret.txt")
    before = snapshot(scene.outside)
    ways = [
        goal("append", name="swapped.txt", content="pwned"),
        goal("read", name="swapped.txt"),
        goal("copy", name="swapped.txt", to="docs"),
        goal("list", name="swapped.txt"),
    ]
    with swapping(file, trap) as swaps:
        results = results_of(client, [ways[n % len(ways)] for n in range(SWAPPED_ATTEMPTS // 2)])
    assert swaps[0] > 0
    assert snapshot(scene.outside) == before
    assert HIDDEN not in str(results)
    assert (scene.root / "docs" / "swapped.txt").read_text().startswith("own")


# Programs

PROGRAM_NAMES = [
    *("sh", "/bin/sh", "../../bin/sh", "touch {marker}", "; touch {marker}", "& touch {marker}"),
    *("| touch {marker}", "$(touch {marker})", "`touch {marker}`", "editor; touch {marker}"),
    *("editor\ntouch {marker}", "editor\0", "editor && touch {marker}", "-c", "--help", "-"),
    *("LD_PRELOAD={marker} editor", "PATH=. editor", "env", "editor {marker}", "EDITOR\u200b"),
    *("edıtor", "", " ", "editor ", "%u", "file:///bin/sh", "x" * 10_000, "editor.desktop/../sh"),
]


def test_only_a_name_on_the_list_starts_a_program(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = script(tmp_path / "editor", f"touch {marker}")
    settings = f"{OFF}[apps]\neditor = {json.dumps([str(program)])}\n"
    with running_daemon(
        tmp_path, settings=settings, environment={"XDG_DATA_DIRS": "/nonexistent"}
    ) as daemon:
        attempts = [
            {"domain": "app", "verb": verb, "params": {"name": name.format(marker=marker)}}
            for verb in ("launch", "close", "focus")
            for name in PROGRAM_NAMES
        ]
        for attempt, result in zip(attempts, results_of(daemon.connect(), attempts), strict=True):
            assert result["status"] != "success", (attempt, result)
            assert result["code"], (attempt, result)
        assert psutil.Process(daemon.process.pid).children(recursive=True) == []
    assert not marker.exists()


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_the_arguments_of_a_listed_program_reach_it_as_they_are(tmp_path: Path) -> None:
    marker, heard = tmp_path / "marker", tmp_path / "heard"
    os.mkfifo(heard)
    arguments = ["-rf", "--", f"; touch {marker}", f"$(touch {marker})", "a\nb", "*", "~", "A=1"]
    program = script(tmp_path / "show", f'printf "%s|" "$@" > {heard}')
    settings = f"{OFF}[apps]\nshow = {json.dumps([str(program), *arguments])}\n"
    ear = os.open(heard, os.O_RDWR)
    with running_daemon(tmp_path, settings=settings) as daemon:
        assert daemon.connect().run("show", text="launch show")[-1]["status"] == "success"
        assert os.read(ear, 10_000).decode().split("|") == [*arguments, ""]
    os.close(ear)
    assert not marker.exists()


def test_who_can_write_files_cannot_choose_programs_by_it(tmp_path: Path) -> None:
    """The folders of desktop entries and of programs lie within a root here."""
    marker = tmp_path / "marker"
    listed = tmp_path / "work" / "tool.sh"
    environment = {
        "XDG_DATA_HOME": str(tmp_path / "work" / "data"),
        "XDG_DATA_DIRS": "/nonexistent",
    }
    settings = f"{OFF}[apps]\ntool = {json.dumps([str(listed)])}\n"
    with running_daemon(tmp_path, settings=settings, environment=environment) as daemon:
        script(listed, "true")
        entry = f"[Desktop Entry]\nType=Application\nName=Evil\nExec=touch {marker}\n"
        client = daemon.connect()
        planted = results_of(
            client,
            [
                goal("create", object_type="folder", name="data"),
                goal("create", object_type="folder", name="data/applications"),
                goal("write", name="data/applications/evil.desktop", content=entry),
                goal("write", name="tool.sh", content=f"#!/bin/sh\ntouch {marker}", overwrite=True),
            ],
            session="in order",
        )
        assert [result["status"] for result in planted] == ["success"] * 4
        evil = client.run("evil", text="launch evil")[-1]["results"][0]
        tool = client.run("tool", text="launch tool")[-1]["results"][0]
    assert evil["code"] == "TARGET_NOT_FOUND"
    assert tool["code"] == "NOT_ALLOWED"
    assert not marker.exists()


def test_a_pipe_among_the_desktop_entries_holds_nobody_up(tmp_path: Path) -> None:
    entries = tmp_path / "home" / "data" / "applications"
    entries.mkdir(parents=True)
    os.mkfifo(entries / "trap.desktop")
    with running_daemon(tmp_path, settings=OFF) as daemon:
        ended = daemon.connect().run("list", text="list the installed applications")[-1]
    assert ended["status"] == "success"


# The log

FORGED = '{"ts":"1970","level":"info","event":"forged","seq":1}'
POISON = [
    f"x\n{FORGED}\n",
    f"x\r\n{FORGED}\r\n",
    f'x"}}\n{FORGED}',
    f"\u2028{FORGED}\u2029",
    f"\x85{FORGED}\x0b\x0c",
    "\x1b[2J\x1b]0;pwned\x07\x1b[31m",
    "\x9b2J\x9d0;pwned\x9c",
    "\x00\x01\x7f\x08\x08\x08",
    "\\u000a\\n\\",
    "\u202e\u2066",
    "\ud83d\ude00",
]
NAMES_OF_EVENTS = re.compile(r"[a-z_]+(\.[a-z_]+)+")
OBEYED = re.compile(rb"[\x00-\x1f]|\xc2[\x80-\x9f]")


def test_every_line_of_the_log_stays_one_object_whatever_is_said(tmp_path: Path) -> None:
    with overheard_daemon(tmp_path, keeps=True) as daemon:
        for number, poison in enumerate(POISON):
            with suppress(OSError, ValueError):  # no such name on disk
                (daemon.root / poison).write_text("x")
            client = daemon.connect()
            for request in poisoned(f"{number} {poison}"[:200], poison):
                client.send(request)
            client.send({"type": "status", "id": "fence"})
            client.read_until(id="fence")
            client.run(f"last {number}", goals=[goal("list")])
            client.close()
    records = [json.loads(line) for line in daemon.lines]
    assert all(isinstance(record, dict) for record in records)
    assert [r for r in records if not NAMES_OF_EVENTS.fullmatch(r["event"])] == []
    assert [line for line in daemon.lines if OBEYED.search(line.removesuffix(b"\n"))] == []
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert daemon.crashes == []


def poisoned(name: str, poison: str) -> list[Event]:
    """Put something into every text that ends up in the log."""
    draft = {"domain": "file", "verb": "create", "params": {"object_type": "file", "name": poison}}
    return [
        {"type": "submit", "id": f"{name}t"[:200], "text": poison},
        {"type": "submit", "id": f"{name}g"[:200], "goals": [draft], "mode": "plan"},
        {"type": "submit", "id": f"{name}d"[:200], "goals": [{"domain": poison, "verb": poison}]},
        {"type": "submit", "id": f"{name}s"[:200], "text": "what time is it", "session": poison},
        {"type": "cancel", "id": poison, "command": poison},
        {"type": "answer", "id": poison, "question": poison, "choice": poison},
        {"type": "subscribe", "id": poison, "events": [poison]},
        {"type": poison, "id": poison},
    ]


# Bundles

BOMBS = {
    "keys of many parts": ("a." * 60_000 + "a = 1", ".toml"),
    "a header of many parts": ("[" + "a." * 60_000 + "a]\nx = 1", ".toml"),
    "deep lists": ("a = " + "[" * 100_000, ".toml"),
    "deep tables": ("a = " + "{a = " * 100_000, ".toml"),
    "deep JSON": ('{"world": ' + "[" * 100_000, ".json"),
    "a long number": ("a = " + "9" * 100_000, ".toml"),
    "a long number in JSON": ('{"name": ' + "9" * 100_000 + "}", ".json"),
    "a large text": ("name = '" + "x" * MAX_BYTES + "'", ".toml"),
    "no names": ("[world]\nthings = [" + "{}," * 50_000 + "]\n", ".toml"),
    "a chain of things": (
        "name = 'x'\n[world]\nactor = 't0'\n"
        + "".join(
            f"[[world.things]]\nid = 't{n}'\nname = 'x'\nlocation = 't{n + 1}'\n"
            for n in range(3_000)
        ),
        ".toml",
    ),
    "a ring of verbs": ("name = 'x'\nverbs.a.like = 'b'\nverbs.b.like = 'a'", ".toml"),
    "halves of characters": ('{"name": "\\ud800"}', ".json"),
    "gaps in gaps": (
        "name = 'x'\n[verbs.a]\nrules.direct = {}\nsays = '" + "{" * 9_999 + "'",
        ".toml",
    ),
}


@pytest.mark.parametrize("bomb", BOMBS, ids=str)
def test_a_bundle_made_to_overwhelm_is_refused_with_little_work(tmp_path: Path, bomb: str) -> None:
    content, suffix = BOMBS[bomb]
    path = tmp_path / f"bomb{suffix}"
    path.write_text(content)
    before = time.process_time()
    with pytest.raises(BadBundle) as refusal:
        load_bundle(path)
    # Work, not time: those that overwhelmed took minutes.
    assert time.process_time() - before < 5
    assert len(str(refusal.value)) < 1_000


def test_a_file_that_is_no_bundle_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "zipped.toml").write_bytes(gzip.compress(b"a = 1\n" * 10_000_000))
    with (tmp_path / "sparse.toml").open("wb") as sparse:
        sparse.truncate(1 << 34)
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("zipped.toml", "sparse.toml", "zero.toml", "pipe.json"):
        with pytest.raises(BadBundle):
            load_bundle(tmp_path / name)


def test_a_daemon_with_a_bomb_for_a_world_says_so_in_one_line(scene: Scene, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.toml"
    bomb.write_text("a." * 60_000 + "a = 1")
    ended = scene.daemon.cli("serve", "--world", str(bomb), "--state", str(tmp_path / "state"))
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"behest: {bomb}: ")
    assert ended.stderr.count("\n") == 1


# Settings

WRONG: list[str] = [
    *("1", "-1", "1.5", "nan", "inf", "true", "''", "'x'", "[]", "['x']", "[1]", "[[]]", "{}"),
    *("{x = 1}", "{x = 'x'}", "{x = []}", "{x = ['']}", "{'' = 'x'}", "1979-05-27", "'\\u0000'"),
    *('"\\u0000"', '["\\u0000"]', '{x = "\\u0000"}', "9" * 400, "1e400", "[" * 2_000),
]


def fields_of(struct: type, prefix: str = "") -> Iterator[str]:
    """Name every field of the settings, those of their tables too."""
    for each in msgspec.structs.fields(struct):
        yield f"{prefix}{each.encode_name}"
    if struct is Settings:
        for name in ("limits", "browser", "model"):
            kind = {each.name: each.type for each in msgspec.structs.fields(Settings)}[name]
            inner = kind if isinstance(kind, type) else next(iter(kind.__args__))
            yield from fields_of(inner, f"{name}.")


@pytest.mark.parametrize("name", list(fields_of(Settings)))
def test_a_setting_of_a_wrong_type_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / "behest.toml"
    problems: list[str] = []
    model = "model.name = 'm'\n" if name.startswith("model.") and name != "model.name" else ""
    for value in WRONG:
        path.write_text(f"{model}{name} = {value}\n")
        try:
            load(str(path))
        except BadSettings as problem:
            problems.append(str(problem))
    assert len(problems) >= len(WRONG) // 2
    assert [each for each in problems if not each.startswith(f"{path}: ") or "\n" in each] == []


UNSAFE = [
    "[browser]\ndeny = ['http://evil.com/']",
    "[browser]\ndeny = ['evil.com:8080']",
    "[browser]\ndeny = ['*evil.com']",
    "[browser]\ndeny = ['.evil.com']",
    "[browser]\ndeny = ['user@evil.com']",
    "[browser]\ndeny = ['evil.com/x']",
    "[browser]\nallow = ['']",
    "[browser]\nallow = [' ']",
    "[roots]\nwork = ''",
    "[limits]\nin_flight = 0",
    "[limits]\ndeadline = nan",
    "[limits]\nstop_grace = -1.0",
]


@pytest.mark.parametrize("text", UNSAFE)
def test_a_setting_that_would_mean_less_than_it_says_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "behest.toml"
    path.write_text(text)
    with pytest.raises(BadSettings):
        load(str(path))


@pytest.mark.parametrize(
    "host",
    ["*", "evil.com", "*.evil.com", "EVIL.com.", "::1", "[::1]", "127.1", "straße.de", "a_b"],
)
def test_a_host_can_be_set_in_every_usual_way(tmp_path: Path, host: str) -> None:
    path = tmp_path / "behest.toml"
    path.write_text(f"[browser]\ndeny = ['{host}']")
    assert load(str(path)).browser.deny == (host,)

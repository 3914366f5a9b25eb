"""Every verb that changes files, under ``kill -9``: what is told is what is on the disk.

Each session works in a folder of its own, one command after the other, and keeps a model of what
should be there: files and folders by their paths. All sessions also add the same line to one file,
so that nothing but the disk and the journal can tell whose line it is.
"""

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.daemon import Daemon, Event, Wire, launched

SESSIONS = 8
MOST_EVENTS = 120
SHARED, LINE = "same.txt", "the same line"
BOX = "box"
LONGEST = 300
SETTINGS = '[browser]\nmode = "off"\n'

Folder = Mapping[str, str | None]  # what files hold, by their paths; None for a folder


@dataclass(frozen=True)
class Step:
    """One command: what is sent, and what the session's folder holds once it is done."""

    frame: Event
    after: Folder
    shared: bool = False


@dataclass
class Session:
    """A folder, its model, and the command that is under way in it."""

    name: str
    random: Random
    holds: Folder = field(default_factory=lambda: {BOX: None})
    number: int = 0
    under_way: Step | None = None
    undoable: tuple[str, Folder] | None = None

    def next_step(self) -> Step:
        """Choose a command that can be done."""
        self.number += 1
        verbs: list[Callable[[], Iterator[Step]]] = [
            *(self.create, self.write, self.append, self.append_shared),
            *(self.bring, self.rename, self.delete, self.undo),
        ]
        while True:
            for step in self.random.choice(verbs)():
                self.under_way = step
                return step

    # What can be done

    def create(self) -> Iterator[Step]:
        name = f"n{self.number}"
        kind = self.random.choice(("file", "folder"))
        content = {"content": name} if kind == "file" else {}
        after = {**self.holds, name: name if kind == "file" else None}
        yield self.step("create", name, after, object_type=kind, **content)

    def write(self) -> Iterator[Step]:
        name = self.random.choice([f"n{self.number}", *self.files()])
        text = self.random.choice(("short", "long" * 5_000))
        after = {**self.holds, name: text}
        yield self.step("write", name, after, content=text, overwrite=True)

    def append(self) -> Iterator[Step]:
        for name in self.one_of(self.files()):
            held = self.holds[name] or ""
            start = "" if not held or held.endswith("\n") else "\n"
            text = self.random.choice(("a line", "many\n" * 5_000))
            added = f"{held}{start}{text}" + ("" if text.endswith("\n") else "\n")
            yield self.step("append", name, {**self.holds, name: added}, content=text)

    def append_shared(self) -> Iterator[Step]:
        yield Step(self.frame("append", SHARED, content=LINE), self.holds, shared=True)

    def bring(self) -> Iterator[Step]:
        free = [name for name in self.tops() if f"{BOX}/{name}" not in self.holds]
        for name in self.one_of(free):
            verb = self.random.choice(("copy", "move"))
            brought = {f"{BOX}/{path}": held for path, held in inside(self.holds, name).items()}
            kept = self.holds if verb == "copy" else without(self.holds, name)
            yield self.step(verb, name, {**kept, **brought}, to=f"{self.name}/{BOX}")

    def rename(self) -> Iterator[Step]:
        for name in self.one_of(self.tops()):
            new = f"r{self.number}"
            renamed = {
                new + path[len(name) :]: held for path, held in inside(self.holds, name).items()
            }
            yield self.step("rename", name, {**without(self.holds, name), **renamed}, to=new)

    def delete(self) -> Iterator[Step]:
        for name in self.one_of([*self.tops(), *self.files()]):
            yield self.step("delete", name, without(self.holds, name))

    def undo(self) -> Iterator[Step]:
        if self.undoable is not None:
            command, before = self.undoable
            yield Step({"type": "undo", "id": self.id, "command": command}, before)

    # What it is made of

    @property
    def id(self) -> str:
        return f"{self.name}-{self.number}"

    def step(self, verb: str, name: str, after: Folder, **params: object) -> Step:
        return Step(self.frame(verb, f"{self.name}/{name}", **params), after)

    def frame(self, verb: str, name: str, **params: object) -> Event:
        goal = {"domain": "file", "verb": verb, "params": {"name": name, **params}}
        return {"type": "submit", "id": self.id, "session": self.name, "goals": [goal]}

    def one_of(self, names: list[str]) -> list[str]:
        return [self.random.choice(names)] if names else []

    def files(self) -> list[str]:
        return [name for name, held in self.holds.items() if held is not None]

    def tops(self) -> list[str]:
        return [name for name in self.holds if "/" not in name and name != BOX]

    def ended(self, *, done: bool) -> None:
        """Take the result of the command under way into the model."""
        assert self.under_way is not None
        step, self.under_way = self.under_way, None
        was_undo = step.frame["type"] == "undo"
        changed = done and not step.shared and step.after != self.holds
        self.undoable = (step.frame["id"], self.holds) if changed and not was_undo else None
        if done:
            self.holds = step.after


def inside(holds: Folder, name: str) -> dict[str, str | None]:
    """Give a thing and all that is in it."""
    return {path: held for path, held in holds.items() if is_inside(path, name)}


def without(holds: Folder, name: str) -> dict[str, str | None]:
    """Give all but a thing and what is in it."""
    return {path: held for path, held in holds.items() if not is_inside(path, name)}


def is_inside(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}/")


def on_disk(folder: Path) -> Folder:
    """Give what is in a folder, as a model has it."""
    paths = sorted(folder.rglob("*"))
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_text() for path in paths
    }


@dataclass
class Counts:
    """What came of it all."""

    kills: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)
    untrue: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def problems(self) -> list[str]:
        """Give all that must not be: nobody else is at work here, so nothing is in doubt."""
        found = {"untrue": self.untrue, "in doubt": self.doubts}
        return [f"{name}: {some[:5]}" for name, some in found.items() if some]


@dataclass
class Kills:
    """Rounds of commands, each ended by a kill, on one state folder."""

    folder: Path
    random: Random
    counts: Counts = field(default_factory=Counts)
    sessions: dict[str, Session] = field(default_factory=dict)
    shared: int = 0

    def run(self, kills: int) -> Counts:
        """Kill a daemon again and again while commands run, then let all end, and compare."""
        work = self.folder / "work"
        for number in range(SESSIONS):
            name = f"s{number}"
            (work / name / BOX).mkdir(parents=True)
            self.sessions[name] = Session(name, Random(self.random.random()))  # noqa: S311
        (work / SHARED).touch()
        for _ in range(kills):
            self.round(self.random.randrange(1, MOST_EVENTS))
            self.counts.kills += 1
        self.finish_all()
        for session in self.sessions.values():
            self.compare(session, "at the end")
        if (work / SHARED).read_text() != f"{LINE}\n" * self.shared:
            self.counts.untrue.append(SHARED)
        return self.counts

    def round(self, events: int) -> None:
        """Let a daemon work until it has told so many events, and kill it."""
        daemon = self.start()
        wire = daemon.connect()
        for session in self.sessions.values():
            wire.send((session.under_way or session.next_step()).frame)
        for _ in range(events):
            if (free := self.hear(wire)) is not None:
                wire.send(free.next_step().frame)
        daemon.stop(signal.SIGKILL)

    def finish_all(self) -> None:
        """Let a daemon that nothing happens to end what is left."""
        daemon = self.start()
        wire = daemon.connect()
        left = [session for session in self.sessions.values() if session.under_way]
        for session in left:
            assert session.under_way is not None
            wire.send(session.under_way.frame)
        while any(session.under_way for session in left):
            self.hear(wire)
        daemon.stop()

    def start(self) -> Daemon:
        return launched(self.folder, settings=SETTINGS)

    def hear(self, wire: Wire) -> Session | None:
        """Note an event; give the session whose command has ended by it."""
        event = wire.read()
        name = str(event.get("command") or event.get("id") or "").partition("-")[0]
        session = self.sessions.get(name)
        step = None if session is None else session.under_way
        if session is None or step is None or event["type"] not in {"finished", "error"}:
            return None
        if (event.get("command") or event.get("id")) != step.frame["id"]:
            return None
        status = str(event.get("status", event.get("code")))
        self.counts.statuses[status] += 1
        self.counts.verbs[verb_of(step)] += 1
        if status == "in_doubt":
            self.counts.doubts.append(f"{step.frame['id']} {event.get('message')}")
        elif status != "success":
            self.counts.untrue.append(f"{step.frame} {event}"[:LONGEST])
        self.shared += step.shared and status == "success"
        session.ended(done=status == "success")
        if status == "in_doubt":
            session.holds = self.seen_of(session)
        self.compare(session, str(step.frame["id"]))
        return session

    def compare(self, session: Session, when: str) -> None:
        """See whether the folder of a session holds what its model does."""
        if (seen := self.seen_of(session)) != session.holds:
            different = f"{when}: {set(seen.items()) ^ set(session.holds.items())}"
            self.counts.untrue.append(different[:LONGEST])
            session.holds, session.undoable = seen, None

    def seen_of(self, session: Session) -> Folder:
        return on_disk(self.folder / "work" / session.name)


def verb_of(step: Step) -> str:
    return "undo" if step.frame["type"] == "undo" else str(step.frame["goals"][0]["verb"])

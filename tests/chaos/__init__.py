"""Chaos: a daemon that is killed, crashed, starved and left alone, and a checker that counts.

Every command appends its id to a file, which is all that the checker believes: an id that is twice
in it ran twice, and one that was told ``accepted`` and never ``finished`` was lost. The journal is
not asked.
"""

import resource
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.chaos.verbs import Kills
from tests.daemon import Daemon, Event, Wire, launched

SESSIONS = 12
FAULTS = ("kill", "crash", "vanish", "full")
LEDGER = "ledger.txt"
SMALL_FILE = 200_000
MANY = 1_000_000
ONE_DOUBT_IN = 200


@dataclass
class Fate:
    """What the checker was told of one command, and what it has reason to expect."""

    effects: tuple[str, ...]
    session: str
    accepted: bool = False
    finished: Event | None = None
    faults: int = 0


@dataclass
class Tally:
    """What came of it all."""

    rounds: int = 0
    commands: int = 0
    accepted: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)
    unjustified: list[str] = field(default_factory=list)

    def problems(self) -> list[str]:
        """Give all that must not be."""
        return [
            f"{name}: {found[:5]}"
            for name in ("lost", "twice", "untrue", "unjustified")
            if (found := getattr(self, name))
        ]


@dataclass
class Chaos:
    """Rounds of commands and faults on one state folder."""

    folder: Path
    random: Random
    fates: dict[str, Fate] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    number: int = 0
    must_not: set[str] = field(default_factory=set)
    again: list[str] = field(default_factory=list)

    @property
    def ledger(self) -> Path:
        return self.folder / "work" / LEDGER

    def run(self, rounds: int, faults: Sequence[str] = FAULTS) -> Tally:
        """Go through rounds, each with a fault, and count."""
        (self.folder / "work" / "made").mkdir(parents=True, exist_ok=True)
        self.ledger.touch()
        for number in range(rounds):
            self.round(faults[number % len(faults)])
        self.finish_all()
        self.count()
        return self.tally

    def start(self, *, unsteady: bool = False) -> Daemon:
        """Start a daemon on the state that the last one left."""
        program = ("-m", "tests.chaos.unsteady", str(self.random.random())) if unsteady else None
        return launched(self.folder, settings=SETTINGS, program=program)

    def round(self, fault: str) -> None:
        """Send commands, let a fault happen at some moment, and end the daemon."""
        self.tally.rounds += 1
        daemon = self.start(unsteady=fault == "crash")
        wire = daemon.connect()
        for command in (*self.unfinished(), *self.new_commands()):
            self.submit(wire, command)
        moment = self.random.randrange(400)
        if fault == "crash":
            for command in self.unfinished():
                self.fates[command].faults += 1
        try:
            self.hear_all(wire, moment)
            self.strike(fault, daemon, wire)
        except (EOFError, OSError):
            pass  # the daemon gave up: that is a fault as well
        finally:
            for command in self.unfinished():
                self.fates[command].faults += 1
            daemon.stop(signal.SIGKILL)

    def strike(self, fault: str, daemon: Daemon, wire: Wire) -> None:
        """Let the fault happen; what does not end the daemon is followed by more work."""
        match fault:
            case "kill":
                daemon.process.send_signal(signal.SIGKILL)
            case "vanish":
                wire.close()
            case "full":
                self.fill_disk(daemon, wire)
            case _:
                self.hear_all(wire)

    def fill_disk(self, daemon: Daemon, wire: Wire) -> None:
        """Let no file grow; after a while there is room again, and all goes on by itself."""
        pid, limit = daemon.process.pid, resource.RLIMIT_FSIZE
        before = resource.prlimit(pid, limit, (SMALL_FILE, resource.RLIM_INFINITY))
        new = self.new_commands()
        for command in new:
            self.submit(wire, command)
        while any(command in self.fates and not self.fates[command].accepted for command in new):
            self.hear(wire.read())
        resource.prlimit(pid, limit, before)
        self.hear_all(wire)

    def hear_all(self, wire: Wire, most: int = MANY) -> None:
        """Read until every command has ended; one that was not answered is sent again."""
        for _ in range(most):
            if not self.unfinished():
                break
            for command in self.again:
                self.submit(wire, command)
            self.again.clear()
            self.hear(wire.read())

    def new_commands(self) -> list[str]:
        """Make commands: each appends its id, some in two steps, beside what may be repeated."""
        made = []
        for _ in range(self.random.randrange(5, 40)):
            self.number += 1
            command = f"c{self.number}"
            steps = self.random.choice((1, 1, 2, 3))
            effects = tuple(f"{command}.{step}" for step in range(steps))
            session = f"s{self.random.randrange(SESSIONS)}"
            self.fates[command] = Fate(effects, session)
            made.append(command)
        self.tally.commands += len(made)
        return made

    def unfinished(self) -> list[str]:
        """Name the commands whose end is not known, and that were not refused."""
        return [name for name, fate in self.fates.items() if fate.finished is None]

    def submit(self, wire: Wire, command: str) -> None:
        fate = self.fates[command]
        goals: list[dict[str, object]] = []
        for number, effect in enumerate(fate.effects):
            scope = f"after:g{number - 1}" if number else "root"
            append = {"name": LEDGER, "content": effect}
            goals.append({"domain": "file", "verb": "append", "params": append, "scope": scope})
        folder = {"object_type": "folder", "name": f"made/{command}"}
        if len(fate.effects) > 1:
            goals.append({"domain": "file", "verb": "create", "params": folder})
        wire.submit(command, goals=goals, session=fate.session)

    def hear(self, event: Event) -> None:
        """Note what is told of a command."""
        command = str(event.get("command") or event.get("id") or "")
        fate = self.fates.get(command)
        if fate is None:
            return
        match event["type"]:
            case "accepted":
                fate.accepted = True
            case "finished":
                fate.accepted = True
                fate.finished = event
            case "error":
                self.tally.refused[event["code"]] += 1
                if event["code"] == "CRASHED":
                    self.again.append(command)
                if not fate.accepted and event["code"] == "NOT_DURABLE":
                    del self.fates[command]  # nothing of it may ever happen
                    self.must_not.update(fate.effects)
            case _:
                pass

    def finish_all(self) -> None:
        """Let a daemon that nothing happens to end what is left."""
        daemon = self.start()
        wire = daemon.connect(60.0)
        for command in self.unfinished():
            self.submit(wire, command)
        self.hear_all(wire)
        daemon.stop()

    def count(self) -> None:
        """Compare what was told with what is in the file."""
        tally, written = self.tally, Counter(self.ledger.read_text().split())
        tally.twice = [effect for effect, times in written.items() if times > 1]
        tally.untrue = [effect for effect in self.must_not if effect in written]
        for command, fate in self.fates.items():
            tally.accepted += fate.accepted
            if fate.finished is None:
                tally.lost.append(command)
                continue
            status = fate.finished["status"]
            tally.statuses[status] += 1
            there = [effect in written for effect in fate.effects]
            steps = [result["status"] for result in fate.finished["results"]][: len(there)]
            doubtful = "in_doubt" in steps or not steps
            if any(is_untrue(step, seen=seen) for step, seen in zip(steps, there, strict=False)):
                tally.untrue.append(command)
            if (status == "in_doubt") != doubtful or (doubtful and not fate.faults):
                tally.unjustified.append(command)


def is_untrue(status: str, *, seen: bool) -> bool:
    """Tell whether what was said of a step is not what is in the file."""
    return status != "in_doubt" and (status == "success") is not seen


SETTINGS = '[browser]\nmode = "off"\n'


def main(rounds: int, seed: int, folder: Path) -> int:
    """Run chaos and print what came of it."""
    chaos = Chaos(folder, Random(seed))  # noqa: S311 - faults, not secrets
    tally = chaos.run(rounds)
    ended = ", ".join(f"{status} {count}" for status, count in sorted(tally.statuses.items()))
    refused = ", ".join(f"{code} {count}" for code, count in tally.refused.items()) or "none"
    print(f"{tally.rounds} faults (seed {seed}), {tally.commands} commands, {tally.accepted} taken")
    print(f"ended: {ended}; refused: {refused}")
    print(
        f"lost {len(tally.lost)}, run twice {len(tally.twice)}, told untruly {len(tally.untrue)}, "
        f"doubts without reason {len(tally.unjustified)}"
    )
    problems = tally.problems()
    if tally.statuses["in_doubt"] * ONE_DOUBT_IN > tally.accepted:
        problems.append(f"more than one command in {ONE_DOUBT_IN} is in doubt")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def kill_all_verbs(kills: int, seed: int, folder: Path) -> int:
    """Kill a daemon that carries out all verbs on files, and print what came of it."""
    counts = Kills(folder, Random(seed)).run(kills)  # noqa: S311 - faults, not secrets
    verbs = ", ".join(f"{verb} {count}" for verb, count in sorted(counts.verbs.items()))
    ended = ", ".join(f"{status} {count}" for status, count in sorted(counts.statuses.items()))
    print(f"{counts.kills} kills (seed {seed}), {counts.verbs.total()} commands: {verbs}")
    print(f"ended: {ended}; in doubt {len(counts.doubts)}, told untruly {len(counts.untrue)}")
    for problem in counts.problems():
        print(problem, file=sys.stderr)
    return 1 if counts.problems() else 0

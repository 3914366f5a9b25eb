"""Worn tables: bundles of text worlds, the rule table and settings files; part of ``make fuzz``.

Each is a right one with a few lines, values or bytes changed. It must load, or be refused by the
error that is meant for it, and with little work.
"""

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from actors.interpreter.commands import PLAYED
from actors.planner.tables import bundled, parse_rules, planner_rules
from tests.framing import ODD_TEXTS
from tests.test_settings import WHOLE
from tools.settings import BadSettings, load, roots_of, socket_path, state_path
from tools.text_world import TextWorld
from tools.text_world import bundle as worlds
from tools.text_world.rules import world_rules

BUDGET = 2.0  # seconds of CPU: the largest takes a hundredth of it
SHOWN = 300
BROWSER = """
[browser]
mode = "headless"
allow = ["*.example.org", "127.0.0.1"]
deny = ["evil.example.org"]
lanes = 4
width = 800
"""
# A small world, so that many can be tried.
HOUSE = """
name = "house"
title = "A house"
[verbs.ring]
aliases = ["sound"]
rules.direct = {}
scopeProfile.direct = ["room", { scope = "inventory", depth = 2 }]
requires = [{ who = "direct", kind = ["bell"], message = "{direct} is no bell." }]
effects = [{ state = { who = "direct", add = ["rung"], remove = ["still"] } }]
says = "{actor} rings {direct}."
[verbs.hide]
like = "put"
[world]
actor = "you"
[[world.things]]
id = "hall"
name = "hall"
kind = "room"
exits = { north = "garden", south = { to = "garden", door = "door" } }
[[world.things]]
id = "garden"
name = "garden"
kind = "room"
[[world.things]]
id = "you"
name = "you"
kind = "person"
location = "hall"
[[world.things]]
id = "door"
name = "door"
state = ["closed"]
location = "hall"
[[world.things]]
id = "bell"
name = "silver bell"
kind = "bell"
adjectives = ["silver"]
location = "you"
relation = "in"
measures = { size = 2.5 }
attributes = { loud = true }
metadata.resolution = { disambiguationLabel = "the bell", interchangeable = false }
"""
VALUES = [
    *("1", "-1", "0", "1.5", "nan", "inf", "-inf", "1e400", "9" * 30, "9" * 5_000, "0x10", "true"),
    *(
        "''",
        "'x'",
        "[]",
        "['x']",
        "[1]",
        "[[]]",
        "{}",
        "{x = 1}",
        "{x = {}}",
        "1979-05-27",
        "07:32:00",
    ),
    *(
        "[" * 500,
        "{a = " * 300,
        "'''",
        '"""',
        '"\\u0000"',
        '"\\ud800"',
        "'{direct}'",
        "'{'",
        "'{}'",
    ),
]
BITS = [b"\xff", b"\0", b"=", b"[", b"]]", b"{", b"}", b'"', b"'", b"#", b".", b"\n", b"\r", b"\\"]
VALUE = re.compile(r"(=\s*)([^\n]*)")
QUOTED = re.compile(r"\"[^\"\n]*\"")


# Wear


def worn(text: str, chance: Random) -> bytes:
    """Change a few lines, values or bytes of a table."""
    for _ in range(chance.choice([1, 1, 2, 3])):
        text = chance.choice([in_a_line, in_a_value, in_a_value, in_a_text])(text, chance)
    data = text.encode(errors="surrogateescape")
    if chance.random() < 0.3:
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.randrange(40))
        data = data[:at] + chance.choice([b"", chance.choice(BITS), data[at:to] * 2]) + data[to:]
    return data


def in_a_line(text: str, chance: Random) -> str:
    """Leave a line out, say it twice, or say it elsewhere."""
    lines = text.split("\n")
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case _:
            lines[at], lines[to] = lines[to], lines[at]
    return "\n".join(lines)


def in_a_value(text: str, chance: Random) -> str:
    """Put something else behind an equals sign."""
    found = list(VALUE.finditer(text))
    if not found:
        return text
    at = chance.choice(found)
    return f"{text[: at.start(2)]}{chance.choice(VALUES)}{text[at.end(2) :]}"


def in_a_text(text: str, chance: Random) -> str:
    """Put another text between quotation marks."""
    found = list(QUOTED.finditer(text))
    if not found:
        return text
    at = chance.choice(found)
    other = chance.choice([chance.choice(ODD_TEXTS), chance.choice(found)[0].strip('"')])
    escaped = other.translate({34: '\\"', 92: "\\\\", **{n: f"\\u{n:04x}" for n in range(32)}})
    return f'{text[: at.start()]}"{escaped}"{text[at.end() :]}'


# What must hold


@dataclass(frozen=True)
class Kind:
    """Tables of one kind: right ones, what loads them, and what a refusal is."""

    right: tuple[str, ...]
    load: Callable[[Path], object]
    refusal: type[Exception]


def load_world(path: Path) -> None:
    """Load a bundle, and open its world; what loads must be fit to be played."""
    bundle = worlds.load_bundle(path)
    planner_rules().extended(PLAYED, world_rules(bundle.verbs))
    TextWorld.of(bundle).tools()


def load_rules(path: Path) -> None:
    parse_rules(path.read_text(errors="replace"))


def load_settings(path: Path) -> None:
    """Load settings as far as the daemon does before it touches anything."""
    settings = load(str(path))
    state = state_path(None, settings, {})
    socket_path(None, settings, {}, state)
    roots_of(settings, {})


def kinds() -> Mapping[str, Kind]:
    rules = bundled("rules.toml")
    parts = tuple(part for part in re.split(r"\n(?=\[file\.|\[audio\.|\[app\.)", rules) if part)
    return {
        "bundles": Kind((HOUSE,), load_world, worlds.BadBundle),
        "rules": Kind(parts[1:], load_rules, ValueError),
        "settings": Kind((WHOLE, WHOLE + BROWSER), load_settings, BadSettings),
    }


@dataclass
class Run:
    """What a run over one kind has found so far."""

    kind: Kind
    tried: int = 0
    loaded: int = 0
    slowest: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def take(self, data: bytes, path: Path) -> None:
        """Try a table."""
        path.write_bytes(data)
        before = time.process_time()
        self.tried += 1
        try:
            self.kind.load(path)
            self.loaded += 1
        except self.kind.refusal:
            pass
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            self.wrong.append(f"{error!r} for {data!r}")
        took = time.process_time() - before
        self.slowest = max(self.slowest, took)
        if took > BUDGET:
            self.wrong.append(f"{took:.1f} s of CPU for {data!r}")

    def report(self, name: str) -> str:
        figures = (
            f"{self.tried:,} tried, {self.loaded:,} loaded, slowest {self.slowest * 1000:.0f} ms"
        )
        lines = [f"{name}: {figures}, wrong: {len(self.wrong)}"]
        return "\n".join([*lines, *(f"  {problem[:SHOWN]}" for problem in self.wrong[:10])])


def fuzz(seed: int, count: int, seconds: float) -> Mapping[str, Run]:
    """Try so many tables of each kind, for so long at most."""
    runs: dict[str, Run] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "worn.toml"
        for name, kind in kinds().items():
            chance = Random(f"{seed} {name}")  # noqa: S311 - the same tables in every run
            run = runs[name] = Run(kind)
            end = time.monotonic() + seconds
            while run.tried < count and time.monotonic() < end:
                run.take(worn(chance.choice(kind.right), chance), path)
    return runs


def main() -> int:
    """Run, and fail if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each kind, at most")
    asked = parser.parse_args()
    runs = fuzz(asked.seed, asked.count, asked.seconds)
    for name, run in runs.items():
        print(run.report(name))
    return 1 if any(run.wrong for run in runs.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

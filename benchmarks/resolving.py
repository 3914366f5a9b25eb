"""Binding words to one of many things, cold: the world is new to the engine every time.

The peer is what others do with such a list: a rapidfuzz scan over the names for the nearest ones.
"""

import time
from collections.abc import Callable, Iterator
from functools import cache

from rapidfuzz import fuzz, process

from actors.interpreter.words.splitting import splitter_for
from actors.target_resolver.engine import resolve
from benchmarks.measuring import Budget, Figure
from messages.interpreting import NotSplit
from messages.targets import Query, Success
from messages.verbs import load_verbs
from messages.worlds import Thing, World
from tools.memory import settle_memory

VERBS = load_verbs(
    {"take": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["room", "inventory"]}}}
)
ADJECTIVES = ("red", "old", "brass", "tiny", "round", "broken", "green", "heavy", "cold", "silver")
ONSETS = ("b", "ch", "d", "fl", "gr", "k", "l", "pr", "st", "tr")
RHYMES = ("ake", "and", "ell", "ick", "ing", "ock", "oon", "ope", "ump", "urn")
ENDS = ("", "er", "let", "ling", "ton", "wick", "ard", "ock", "ish", "um")
MANY, MORE = 1_000, 10_000


def nouns() -> list[str]:
    """Make a thousand nouns that nobody has a list of."""
    return [onset + rhyme + end for onset in ONSETS for rhyme in RHYMES for end in ENDS]


@cache
def world(count: int) -> World:
    """Make a room full of things, each with a name, an alias, a keyword and an adjective."""
    known = nouns()
    things = [Thing("room", "room", "room"), Thing("me", "you", "player", location="room")]
    for number in range(count):
        noun = known[number % len(known)]
        adjective = ADJECTIVES[number // len(known) % len(ADJECTIVES)]
        things.append(
            Thing(
                id=f"t{number}",
                name=f"{adjective} {noun}",
                aliases=(f"{noun} of room {number}",),
                keywords=(noun,),
                adjectives=(adjective,),
                location="room",
            )
        )
    return World(tuple(things), "me")


@cache
def query(count: int) -> Query:
    """Ask for a thing in the middle, by its name."""
    wanted = world(count).things[count // 2 + 2]
    readings = splitter_for(VERBS).split(f"take the {wanted.name}")
    assert not isinstance(readings, NotSplit)
    asking = Query(readings, VERBS, world(count))
    outcome = resolve(asking).outcome
    assert isinstance(outcome, Success)
    assert outcome.bindings[0].direct_target is not None
    assert outcome.bindings[0].direct_target.id == wanted.id
    return asking


def timed(work: Callable[[], object], times: int) -> float:
    """Give the CPU time of some work, in microseconds each."""
    before = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - before) / times * 1e6


def cost_of(count: int) -> Callable[[], float]:
    asking = query(count)
    return lambda: timed(lambda: resolve(asking), max(5, 20_000 // count))


def peer_of(count: int) -> Callable[[], float]:
    things = world(count).things
    wanted = things[count // 2 + 2].name

    def scan() -> object:
        names = [thing.name for thing in things]
        return process.extract(wanted, names, scorer=fuzz.WRatio, limit=5)

    return lambda: timed(scan, max(5, 20_000 // count))


def figures() -> Iterator[Figure]:
    """Measure few, many and very many things; the last against the many as well."""
    settle_memory()  # the collector is set as the daemon sets it
    few, many, more = 10, MANY, MORE
    yield Figure(
        "a resolution among 10: CPU (peer: rapidfuzz)", "us", Budget(60.0, "cost")
    ).measure(cost_of(few), peer_of(few))
    yield Figure("among 10,000: CPU (peer: rapidfuzz)", "us", Budget(8_000.0, "cost")).measure(
        cost_of(more), peer_of(more)
    )
    yield Figure("among 10,000, against 1,000", "us", Budget(12.0)).measure(
        cost_of(more), cost_of(many)
    )

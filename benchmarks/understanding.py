"""From a text to its MetaGoal: what the Interpreter does for a command that is said in words.

Measured over all sentences of the corpora. The peer is hassil, which matches a sentence against
templates (``peer.yaml``): one intent a sentence, so that it is asked only what it can express.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from statistics import quantiles
from typing import Protocol

from actors.interpreter import Interpreter
from actors.interpreter.commands import PLAYED, Commands
from actors.interpreter.grammar import DESCRIBED, load_grammar
from actors.language.words import fold
from actors.planner.tables import planner_rules, search_engines
from benchmarks.measuring import Budget, Figure, Remark
from benchmarks.yardstick import REFERENCE_MS, mix
from messages.goals import GoalDraft
from messages.interpreting import Interpret, Interpretation
from tests.sentences import CORPORA, Entry, entries
from tools.logs import TraceLog, configure, span_ids
from tools.secrets import Secrets
from tools.text_world.bundle import standard_verbs
from tools.text_world.rules import world_rules

ANCHORS = frozenset({"desktop", "documents", "downloads", "pictures", "music", "videos"})
REPEATS = 5
BUDGET = 250.0
TEMPLATES = Path(__file__).parent / "peer.yaml"
MISSING = """hassil, the peer, is not installed and its figures are left out. To get it:
    .venv/bin/python -m pip install --constraint constraints.txt --editable ".[bench]\""""
# What a sentence is about, by the first of these that its goal has.
MAIN = ("target", "name", "url", "query", "text", "keys", "pattern", "level", "seconds", "what")
ARTICLES = frozenset({"the", "a", "an", "my", "this", "on", "to"})


@cache
def sentences() -> tuple[Entry, ...]:
    """Read all sentences of the corpora."""
    return tuple(entry for name in CORPORA for entry in entries(name))


@cache
def interpreter() -> Interpreter:
    """Make an Interpreter as the daemon has it, with its log lines going nowhere."""
    configure(TraceLog(lambda _line: None, span_ids()))
    table = planner_rules().extended(PLAYED, world_rules(standard_verbs()))
    spoken = {domain: Commands.of(table.spoken(domain)) for domain in (PLAYED, *DESCRIBED)}
    grammar = load_grammar(table.rules, search_engines(), ANCHORS, spoken)
    return Interpreter(grammar, table.verbs(), Secrets())


def understood(text: str) -> Interpretation:
    return interpreter().interpret(Interpret("c", text=text))


def cost(work: Callable[[], object]) -> float:
    """Give the CPU time of some work, in microseconds."""
    before = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - before) / 1000


def in_turns(*works: Callable[[], object]) -> list[float]:
    """Give the least that each of some works costs, all measured in turns."""
    rounds = [[cost(work) for work in works] for _ in range(REPEATS)]
    return [min(each) for each in zip(*rounds, strict=True)]


# Who understands what


def is_right(entry: Entry) -> bool:
    """Tell whether we make the right goals of a sentence, or refuse what must be refused."""
    found = interpreter().grammar.parse(entry.text)
    return found == entry.drafts if entry.drafts else not isinstance(found, tuple)


class Found(Protocol):
    """What the peer makes of a sentence."""

    @property
    def intent(self) -> "Named": ...

    @property
    def entities(self) -> Mapping[str, "Slot"]: ...


class Named(Protocol):
    @property
    def name(self) -> str: ...


class Slot(Protocol):
    @property
    def value(self) -> object: ...


@dataclass(frozen=True)
class Peer:
    """hassil with its templates."""

    recognize: Callable[[str], Found | None]

    def is_right(self, entry: Entry) -> bool:
        """Tell generously whether a sentence was recognised: its intent, and its main slot."""
        found = self.recognize(entry.text)
        if found is None or len(entry.drafts) != 1:
            return found is None and not entry.drafts
        draft = entry.drafts[0]
        same = found.intent.name == f"{draft.domain}.{draft.verb}"
        return same and has_main_slot(draft, found.entities)


def peer() -> Peer | None:
    """Load the peer, if it is installed."""
    if find_spec("hassil") is None:
        return None
    from hassil import Intents, recognize  # noqa: PLC0415

    return Peer(partial(recognize, intents=Intents.from_files([TEMPLATES])))


def has_main_slot(draft: GoalDraft, entities: Mapping[str, Slot]) -> bool:
    """Tell whether what a goal is about stands in the slots, wherever its place was put."""
    stated = {**draft.params, **draft.roles}
    main = next((name for name in MAIN if name in stated), None)
    if main is None:
        return True
    said = Counter[str]()
    for slot in entities.values():
        said += words(slot.value)
    return words(stated[main]) <= said


def words(value: object) -> Counter[str]:
    """Count the words of a value; articles, quotation marks and punctuation do not count."""
    plain = "".join(each if each.isalnum() else " " for each in fold(str(value)))
    return Counter(word for word in plain.split() if word not in ARTICLES)


# The figures


def figures() -> Iterator[Figure | Remark]:
    """Measure what understanding costs; then cost and coverage beside the peer."""
    # All in turns: what is remembered of the last few texts helps none of them the next time.
    works: list[Callable[[], object]] = [partial(understood, each.text) for each in sentences()]
    *costs, yardstick = in_turns(*works, mix)  # the least of each, so the least of the yardstick
    figure = Figure("a command understood: CPU", "us", Budget(BUDGET, "cost"), costs)
    figure.paces.append(yardstick / REFERENCE_MS / 1000)
    yield figure
    yield Remark("one in ten takes longer than", f"{quantiles(costs, n=10)[-1]:.1f} us")
    rival = peer()
    if rival is None:
        yield Remark(MISSING, kept=False)
    else:
        yield from beside(rival)


def beside(rival: Peer) -> Iterator[Figure | Remark]:
    """Measure both on what the peer understands, and count what each understands."""
    shared = [entry for entry in sentences() if entry.drafts and rival.is_right(entry)]
    both = [
        in_turns(partial(understood, entry.text), partial(rival.recognize, entry.text))
        for entry in shared
    ]
    ours, theirs = zip(*both, strict=True)
    name = f"the {len(shared)} that hassil understands: CPU"
    yield Figure(name, "us", Budget(1.0), list(ours), list(theirs))
    yield coverage("right goals", [entry for entry in sentences() if entry.drafts], rival)
    yield coverage("of one goal", [each for each in sentences() if len(each.drafts) == 1], rival)
    yield coverage("rightly refused", [each for each in sentences() if not each.drafts], rival)


def coverage(name: str, asked: Sequence[Entry], rival: Peer) -> Remark:
    """Count the right answers of both."""
    ours, theirs = sum(map(is_right, asked)), sum(map(rival.is_right, asked))
    return Remark(f"{name}, of {len(asked)}", f"{ours}, hassil {theirs}")

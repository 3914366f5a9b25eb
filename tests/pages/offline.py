"""Cases of recorded pages, understood and bound without a browser or a daemon."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from actors.interpreter import Interpreter
from actors.interpreter.commands import PLAYED, Commands
from actors.interpreter.grammar import DESCRIBED, load_grammar
from actors.planner.tables import RuleTable, planner_rules, search_engines
from actors.target_resolver.page.binding import PageFinding, resolve_on_page
from messages.goals import Goal
from messages.interpreting import Interpret, Interpreted
from messages.targets import Query
from messages.verbs import VerbDeclaration
from messages.worlds import World
from tests.pages import Case, cases
from tests.pages.recording import Recording, recordings_file, recordings_in
from tools.secrets import Secrets

TOUCHING = frozenset({"click", "dblclick", "contextmenu", "hover", "submit"})
CHANGING = frozenset({"value", "change", "input"})


@dataclass(frozen=True)
class Recorded:
    """A case with the page it is about and the only goal that its words mean there."""

    case: Case
    recording: Recording
    goal: Goal

    @property
    def marks(self) -> frozenset[str]:
        """Give the page's own names for what must be touched, where they name elements."""
        known = {mark for marks in self.recording.marks for mark in marks.values()}
        found = set()
        for event in self.case.events:
            kind, _, rest = event.partition(" ")
            if kind in TOUCHING:
                found.add(rest)
            elif kind in CHANGING:
                found.add(rest.partition("=")[0])
        return frozenset(found & known)

    def bind(self) -> PageFinding:
        """Bind the words of the goal on the page as it was recorded."""
        declared = declarations(self.goal)
        query = Query(self.goal.readings, declared, World(), page=self.recording.page)
        return resolve_on_page(query, self.recording.page)


@cache
def rules() -> RuleTable:
    return planner_rules()


@cache
def interpreter() -> Interpreter:
    """Give an Interpreter as a daemon without a text world has it."""
    table = rules()
    spoken = {
        domain: Commands.of(table.spoken(domain), playing=False) for domain in (PLAYED, *DESCRIBED)
    }
    grammar = load_grammar(table.rules, search_engines(), frozenset({"work"}), spoken)
    return Interpreter(grammar, table.verbs(), Secrets())


def declarations(goal: Goal) -> Mapping[str, VerbDeclaration]:
    known = rules().with_aliases()
    found = {}
    for reading in goal.readings:
        rule = known.get((goal.domain, reading.verb))
        if rule is not None and rule.targets is not None:
            found[reading.verb] = rule.targets
    return found


def only_goal(text: str) -> Goal | None:
    """Give the one goal on a page that a sentence means; None if it means others or several."""
    understood = interpreter().interpret(Interpret("recorded", text=text, on_page=True))
    if not isinstance(understood, Interpreted) or len(understood.meta.goals) != 1:
        return None
    goal = understood.meta.goals[0]
    return goal if goal.domain == "browser" and goal.readings else None


def recorded_cases(folder: Path) -> Iterator[Recorded]:
    """Give the cases of a folder that are about one thing on a recorded page."""
    recordings = recordings_in(recordings_file(folder))
    for case in cases(folder):
        recording, goal = recordings.get(case.page), only_goal(case.text)
        if recording is not None and goal is not None:
            yield Recorded(case, recording, goal)

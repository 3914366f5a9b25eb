"""Makes recorded decisions again, by the very functions that actors decide with.

Nothing is asked, looked at or done: all that a decision depends on stands in what was recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from actors.interpreter import Interpreter, choice
from actors.interpreter.grammar import Grammar
from actors.interpreter.model import NO_ANSWER, Brief, ModelReader
from actors.interpreter.model.outcome import Mode
from actors.interpreter.model.request_queue import RequestQueue
from actors.planner import Planner
from actors.planner.tables import RuleTable
from actors.target_resolver import TargetResolver
from actors.vault import Vault
from messages.interpreting import Interpret, Interpretation, ReadChoice
from messages.modelling import AskModel, ModelFailed
from messages.planning import MakePlans, PlanReveal, PlansMade
from messages.replaying import Decided, Decision, InterpretWith, PlanCourseWith
from messages.rules import SearchEngine
from messages.targets import Resolve
from messages.taught import Taught


class NoModel:
    """Stands where a model would be asked: in a replay nobody is."""

    name = "none"

    async def ask(self, _request: AskModel) -> ModelFailed:
        """Say that there is no answer."""
        return NO_ANSWER


@dataclass(frozen=True)
class RecipesThen:
    """The recipes that a user had taught when a command was understood."""

    known: Mapping[str, Taught]

    def recipes(self) -> Mapping[str, Taught]:
        """Give them, each by the key of its name."""
        return self.known


@dataclass
class Deciders:
    """Those who decide, in one setting: the rules of a machine, and its search engines."""

    table: RuleTable
    engines: Mapping[str, SearchEngine]
    grammar: Grammar
    vault: Vault
    _planner: Planner = field(init=False)
    _resolver: TargetResolver = field(default_factory=TargetResolver)
    _interpreters: dict[Mode, Interpreter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._planner = Planner(self.table, self.engines)

    def decide(self, request: Decision) -> Decided:
        """Make a decision again."""
        match request:
            case Interpret():
                return self.interpret(InterpretWith(request))
            case InterpretWith():
                return self.interpret(request)
            case ReadChoice():
                return choice(request, self.interpreter("grammar").said_again(request))
            case MakePlans():
                return PlansMade(request.command_id, self._planner.made(request).results)
            case PlanCourseWith():
                self._planner.see(request.world, request.capabilities)
                return self._planner.course(request.request)
            case PlanReveal():
                return self._planner.revealing(request)
            case Resolve():
                return self._resolver.resolved(request)
            case unknown:
                assert_never(unknown)

    def interpret(self, request: InterpretWith) -> Interpretation:
        """Understand a command with the recipes and the answers of then."""
        self.grammar.cookbook = RecipesThen(request.recipes)
        return self.interpreter(request.mode).interpret_answered(request.request, request.answers)

    def interpreter(self, mode: Mode) -> Interpreter:
        """Give the Interpreter for a mode; each is made once."""
        if mode not in self._interpreters:
            brief = Brief.of(self.table.rules, self.engines)
            queue = None if mode == "grammar" else RequestQueue(ModelReader(NoModel(), brief), mode)
            verbs = self.table.verbs()
            self._interpreters[mode] = Interpreter(self.grammar, verbs, self.vault, queue)
        return self._interpreters[mode]

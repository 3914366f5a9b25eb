"""Interpreter: words, or goals that a client drafted itself, become a MetaGoal.

The only authority for dependencies. An unknown verb passes (the Planner refuses it by name);
a clause that does not parse is answered as not understood. It never touches the world.
"""

from dataclasses import dataclass, field

from actors.interpreter.grammar import Grammar, Misunderstanding
from actors.interpreter.scopes import Lookup, resolve_scopes
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Mailbox
from messages import interpreting
from messages.goals import GoalDraft
from messages.interpreting import Interpret, Interpretation, Interpreted, NotUnderstood


@dataclass
class Interpreter:
    """Understands by grammar; ``lookup`` finds the rule of a verb or alias."""

    grammar: Grammar
    lookup: Lookup
    log: ActorLogger = field(default_factory=lambda: logger_of("interpreter"))

    async def run(self, mailbox: Mailbox[interpreting.Inbox]) -> None:
        async for letter in mailbox:
            with letter as request:
                letter.answer(request, self.interpret(request))

    def interpret(self, request: Interpret) -> Interpretation:
        """Understand one command."""
        if request.text is None:
            return self.order(request, request.drafts)
        match self.grammar.parse(request.text):
            case Misunderstanding(span, message, suggestions):
                self.log.info("text.not_understood", span=span, reason=message)
                return NotUnderstood(request.command_id, span, message, suggestions)
            case drafts:
                return self.order(request, drafts)

    def order(self, request: Interpret, drafts: tuple[GoalDraft, ...]) -> Interpreted:
        """Resolve the scopes of drafted goals, and trace what had to be dropped."""
        meta, warnings = resolve_scopes(drafts, self.lookup)
        for warning in warnings:
            say = self.log.error if warning.severity == "error" else self.log.warning
            say(
                "scope.dropped", goal_id=warning.goal_id, scope=warning.scope, reason=warning.reason
            )
        self.log.info(
            "command.interpreted",
            meta_type=meta.meta_type,
            goals=[f"{goal.domain}.{goal.verb}" for goal in meta.goals],
            dependencies=meta.dependencies,
        )
        return Interpreted(request.command_id, meta, warnings)

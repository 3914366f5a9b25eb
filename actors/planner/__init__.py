"""Planner: a whole MetaGoal in, one checked plan (or reason) per goal out.

It owns the rule table and merging. It never picks targets, resolves dependencies, asks,
executes or looks at the world: all it knows of it stands in the request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from actors.logger import ActorLogger, logger_of
from actors.mailbox import Mailbox
from actors.planner.planning import Means, plan_all
from actors.planner.tables import RuleTable
from messages import planning
from messages.plans import PlanResult, ToolCapability
from messages.rules import SearchEngine


@dataclass
class Planner:
    """Plans from its tables; remembers only the index of the latest capabilities."""

    table: RuleTable
    engines: Mapping[str, SearchEngine]
    log: ActorLogger = field(default_factory=lambda: logger_of("planner"))
    _capabilities: tuple[ToolCapability, ...] = ()
    _means: Means | None = field(default=None)

    async def run(self, mailbox: Mailbox[planning.Inbox]) -> None:
        while await mailbox.more():
            for letter in mailbox:
                with letter as request:
                    results = plan_all(
                        request.meta, request.world, self.means(request.capabilities)
                    )
                    self.log.info("plans.made", plans=[summary(result) for result in results])
                    letter.answer(request, planning.PlansMade(request.command_id, results))

    def means(self, capabilities: tuple[ToolCapability, ...]) -> Means:
        """Index the capabilities, unless they are the very ones of the last time."""
        if self._means is None or self._capabilities is not capabilities:
            self._capabilities = capabilities
            self._means = Means.of(self.table, self.engines, capabilities)
        return self._means


def summary(result: PlanResult) -> dict[str, object]:
    """Put one result into the few words that a log line needs."""
    if result.plan is not None:
        actions = [action.description for action in result.plan.actions]
        return {"goal": result.goal_id, "status": result.status, "actions": actions}
    return {"goal": result.goal_id, "status": result.status, "reason": result.reason}

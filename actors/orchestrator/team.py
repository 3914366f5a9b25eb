"""Those whom the Orchestrator asks, and which of them serves which request."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from actors.mailbox import Recipient, WayBack
from messages import executing, interpreting, journaling, planning, targets

Route: TypeAlias = tuple[Recipient[Any], WayBack | None]


@dataclass(frozen=True, slots=True)
class Team:
    """The addresses of those whom the Orchestrator asks."""

    interpreter: Recipient[interpreting.Inbox]
    planner: Recipient[planning.Inbox]
    resolver: Recipient[targets.Inbox]
    executor: Recipient[executing.Inbox]
    journal: Recipient[journaling.Inbox]


def routes(team: Team, back: WayBack, lasting: WayBack) -> dict[type, Route]:
    """Say for each request who serves it, and where its answer goes; an abort has none.

    That a command has ended is true for a successor, too: its way back is a ``lasting`` one.
    """
    return {
        interpreting.Interpret: (team.interpreter, back),
        interpreting.ReadChoice: (team.interpreter, back),
        planning.MakePlans: (team.planner, back),
        planning.PlanReveal: (team.planner, back),
        planning.PlanCourse: (team.planner, back),
        targets.Resolve: (team.resolver, back),
        journaling.Take: (team.journal, back),
        journaling.End: (team.journal, lasting),
        journaling.Note: (team.journal, None),
        journaling.Recall: (team.journal, back),
        executing.Survey: (team.executor, back),
        executing.Watch: (team.executor, back),
        executing.Look: (team.executor, back),
        executing.Check: (team.executor, back),
        executing.Perform: (team.executor, back),
        executing.Abort: (team.executor, None),
        executing.Leave: (team.executor, None),
    }

"""A daemon whose actors crash by chance: ``python -m tests.chaos.unsteady SEED serve ...``."""

import sys
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import run
from actors import planner, supervisor
from actors.executor import Executor
from actors.interpreter import Interpreter
from actors.journal import Journal
from actors.orchestrator import Orchestrator
from actors.planner.planning import plan_all

ONE_IN = 150
PATIENT = 1_000_000


def unsteady(work: Callable[..., Any], chance: Random) -> Callable[..., Any]:
    """Let some work fail now and then, before it has done anything."""

    def crash_or(*args: Any, **more: Any) -> Any:
        if chance.randrange(ONE_IN) == 0:
            raise RuntimeError("chaos")
        return work(*args, **more)

    return crash_or


def main() -> int:
    chance = Random(sys.argv[1])  # noqa: S311 - crashes, not secrets
    for actor in (Orchestrator, Executor, Interpreter, Journal):
        actor.handle = unsteady(actor.handle, chance)  # type: ignore[method-assign]
    planner.plan_all = unsteady(plan_all, chance)  # type: ignore[attr-defined]
    supervisor.supervise = partial(supervisor.supervise, restarts=PATIENT)
    return run.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())

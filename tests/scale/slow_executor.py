"""An executor whose one tool takes a tenth of a second, and does two things at a time.

All else is that of a real executor: its actor, its journal and its side of the bus.
"""

import sys
from dataclasses import replace

import anyio

import run
from benchmarks.graph import NoApps, Target
from messages.executing import Done, Outcome
from tools import cli
from tools.pictures import Pictures
from tools.tool import Tool
from tools.worlds import Machine

AT_A_TIME, SECONDS = 2, 0.1
lay_ground = run.lay_ground
places: list[anyio.CapacityLimiter] = []


async def take_time(_params: Target) -> Outcome:
    """Take a place, if there is one, and keep it for a while."""
    if not places:
        places.append(anyio.CapacityLimiter(AT_A_TIME))
    async with places[0]:
        await anyio.sleep(SECONDS)
    return Done("done")


SLOW = Tool(
    name="slow",
    intent="system_query",
    achieves=frozenset({"system_get:time"}),
    params=Target,
    act=take_time,
)


def slow_ground(options: cli.Serving, pictures: Pictures | None = None) -> run.Ground:
    return replace(lay_ground(options, pictures), machine=Machine((SLOW,), {}, NoApps(), {}, "/"))


if __name__ == "__main__":
    run.lay_ground = slow_ground
    sys.exit(run.main())

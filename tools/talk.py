"""Talk about Behest itself: help, stopping, saying something again."""

from collections.abc import Callable, Mapping, Sequence

import anyio.to_thread

from messages.executing import Done, Outcome, Refused
from messages.message import Row
from messages.results import Code
from tools.tool import AnyTool, Params, Tool

INTENT = "talk"
EXAMPLES = 3
MOST_OWN = 50
NOTHING_STOPPED = "nothing is under way that could be stopped"
NOTHING_SAID = "nothing was said before in this session that could be done again"


class Nothing(Params, frozen=True):
    """No parameters."""


class Stopped(Params, frozen=True):
    stopped: str = ""


def talk_tools(
    examples: Callable[[], Mapping[str, Sequence[str]]],
    own_words: Callable[[], Sequence[str]] = tuple,
) -> tuple[AnyTool, ...]:
    """Declare the tools; ``examples`` are sentences that work here, by the goal they are for.

    ``own_words`` are what a user has taught.
    """

    async def give_help(_params: Nothing) -> Outcome:
        taught = own_words()[:MOST_OWN]
        own: list[Row] = [{"about": "your own words", "say": "; ".join(taught)}] if taught else []
        found = await anyio.to_thread.run_sync(examples)  # it looks which programs are there
        return Done([*own, *topics(found)], changed=False)

    return (
        Tool("talk.help", INTENT, frozenset({"talk_help"}), Nothing, give_help),
        Tool("talk.stop", INTENT, frozenset({"talk_stop"}), Stopped, tell_stopped),
        Tool("talk.repeat", INTENT, frozenset({"talk_repeat"}), Nothing, tell_unrepeated),
    )


def topics(examples: Mapping[str, Sequence[str]]) -> list[Row]:
    """Give a few sentences for each domain."""
    found: dict[str, list[str]] = {}
    for goal, sentences in examples.items():
        some = found.setdefault(goal.partition(".")[0], [])
        if len(some) < EXAMPLES and sentences:
            some.append(sentences[0])
    return [{"about": domain, "say": "; ".join(some)} for domain, some in found.items()]


async def tell_stopped(params: Stopped) -> Outcome:
    if not params.stopped:
        return Refused(Code.NOT_FEASIBLE, NOTHING_STOPPED)
    return Done({"stopped": params.stopped}, changed=False)


async def tell_unrepeated(_params: Nothing) -> Outcome:
    return Refused(Code.NOT_FEASIBLE, NOTHING_SAID)

"""What is done for a command while it waits for its turn in its session.

Goals that come as goals mean the same at any time, so they are understood at once, and planned in
the world as it is then. Many wait together, and whoever understands and plans them takes them all
in one turn; at their own turn each would cost four trips through the event loop. A plan is used
only if the world is still the one it was made in.

Words are read at their turn: what they mean may depend on what happened before, and to read them
costs far more than the trips do.
"""

from collections.abc import Sequence

from actors.language.taught import is_call
from actors.orchestrator.runs import Effect, advance, begin, plans_wanted, understood
from actors.orchestrator.state import Prepared, Run
from messages import commanding
from messages.executing import Surveyed, WorldSeen
from messages.interpreting import Interpreted
from messages.planning import MakePlans, PlansMade


def begin_ahead(run: Run) -> Sequence[Effect]:
    """Have a command understood that waits, if it means the same now as at its turn."""
    goals = run.submit.goals
    if run.submit.text is not None or goals is None or any(map(is_call, goals)):
        return ()
    run.prepared = Prepared()
    return begin(run)


def prepare(run: Run, message: commanding.Answer, seen: WorldSeen | None) -> Sequence[Effect]:
    """Keep for its turn what was answered; have plans made of what was understood."""
    prepared = run.prepared
    assert prepared is not None
    if isinstance(message, PlansMade):
        prepared.plans = message
        return ()
    prepared.reading = message
    if seen is None or not isinstance(message, Interpreted):
        return ()
    if not seen.live.isdisjoint([goal.domain for goal in message.meta.goals]):
        return ()  # what changes by itself is looked at in its turn
    prepared.seen = seen
    prepared.placement, request = plans_wanted(run, message.meta, sight_of(run, seen))
    return (request,)


def take_turn(run: Run, seen: WorldSeen | None) -> Sequence[Effect]:
    """Go on with a command whose turn has come from where it is.

    What is still on its way is taken when it comes. Plans for another world are made anew, and
    those that were asked for are dropped when they come.
    """
    prepared, run.prepared = run.prepared, None
    assert prepared is not None
    if prepared.reading is None:
        return ()
    if not isinstance(prepared.reading, Interpreted):
        return advance(run, prepared.reading)
    event, survey = understood(run, prepared.reading)
    placement = prepared.placement
    if placement is None or prepared.seen is not seen:
        run.outdated = prepared.seen is not None and prepared.plans is None
        return event, survey
    run.understood, run.later = placement.meta, placement.later
    return event, *(() if prepared.plans is None else advance(run, prepared.plans))


def is_outdated(run: Run, message: commanding.Answer) -> bool:
    """Tell whether an answer, or that there is none, is about plans for a world gone by."""
    asked = message.request if isinstance(message, commanding.NoAnswer) else message
    outdated = run.outdated and isinstance(asked, PlansMade | MakePlans)
    run.outdated = run.outdated and not outdated
    return outdated


def sight_of(run: Run, seen: WorldSeen) -> Surveyed:
    return Surveyed(run.id, seen.world, seen.capabilities)

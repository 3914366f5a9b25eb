"""A text with readings of different effect: a person is asked before anything is planned."""

from collections.abc import Sequence

from actors.orchestrator.binding import QUESTION_SECONDS, option_chosen
from actors.orchestrator.outcomes import finish
from actors.orchestrator.state import Doubted, Run
from messages import wire
from messages.failures import Target
from messages.interpreting import Doubtful, Interpret
from messages.results import Code
from messages.targets import Option

KIND = "reading"
WORDS = "words"
YES, NO = frozenset({"yes", "y", "yes please"}), frozenset({"no", "n", "no thanks"})
PLACES = ({"first", "the first", "the first one"}, {"second", "the second", "the second one"})
NEITHER = frozenset({"cancel", "never mind", "nevermind", "neither", "none", "stop", "forget it"})


def put(run: Run, message: Doubtful, ticks: int) -> wire.Question:
    """Ask which way a text is meant; the command waits for the answer."""
    options = tuple(
        Option(number, way.text, Target(str(number), way.text, KIND))
        for number, way in enumerate(message.ways, start=1)
    )
    event = wire.Question(
        command=run.id,
        question=run.new_id("q"),
        goal="",
        action="",
        role=WORDS,
        message=message.message,
        options=options,
        seconds=QUESTION_SECONDS,
    )
    run.doubt = Doubted(event, message.ways, message.polar, ticks)
    run.retrying += 1
    if run.due is not None:
        run.due += QUESTION_SECONDS
    return event


def told(run: Run, choice: int | str) -> Sequence[Interpret | wire.CommandEvent] | None:
    """Go on with the way that was chosen; None if the answer is none of those on offer."""
    assert run.doubt is not None
    if str(choice).strip().casefold() in NEITHER:
        forget(run)
        return finish(run, "cancelled", Code.CANCELLED, "nothing was done")
    chosen = option_chosen(run.doubt.event.options, choice) or by_place(str(choice))
    if chosen is None and run.doubt.polar:
        chosen = by_yes_or_no(str(choice))
    if chosen is None or int(chosen) > len(run.doubt.ways):
        return None
    drafts = run.doubt.ways[int(chosen) - 1].drafts
    forget(run)
    if not drafts:
        return finish(run, "cancelled", Code.CANCELLED, "nothing was to be done, and nothing was")
    return [Interpret(run.id, None, drafts)]


def by_place(answer: str) -> str | None:
    """Read "the first one"."""
    said = answer.strip().casefold()
    found = (str(number) for number, words in enumerate(PLACES, start=1) if said in words)
    return next(found, None)


def by_yes_or_no(answer: str) -> str | None:
    """Read "yes" as the first way, and "no" as the second."""
    said = answer.strip().casefold()
    return "1" if said in YES else "2" if said in NO else None


def left_open(run: Run, reason: str) -> Sequence[wire.CommandEvent]:
    """End a command whose question will not be answered."""
    assert run.doubt is not None
    message = f"{reason}: {run.doubt.event.message}"
    forget(run)
    return finish(run, "failed", Code.NOT_UNDERSTOOD, message)


def forget(run: Run) -> None:
    run.doubt = None
    run.retrying -= 1

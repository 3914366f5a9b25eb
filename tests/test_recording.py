"""Which decisions are handed on to be kept: of which commands, when, and with what."""

from dataclasses import dataclass, field
from typing import Any

from actors.mailbox import Mailbox
from actors.recording import MOST_HELD, Overheard, Recording
from messages import interpreting, journaling, wire
from messages.goals import Goal, GoalDraft, MetaGoal
from messages.interpreting import (
    Alternative,
    Doubtful,
    Interpret,
    Interpretation,
    Interpreted,
    ReadChoice,
)
from messages.journaling import End
from messages.modelling import Answered
from messages.planning import CoursePlanned, MakePlans, PlanCourse, PlansMade
from messages.plans import ToolCapability, WorldState
from messages.replaying import Decision, InterpretWith, PlanCourseWith
from messages.taught import Taught, TaughtStep
from messages.trace import Trace, current

TIME = Goal("g0", "system", "get", {"target": "time"})
CLICK = Goal("g0", "browser", "click")
TOOLS = (ToolCapability("t", frozenset({"i"})),)


@dataclass
class Kept:
    """Keeps what it is handed."""

    decisions: list[tuple[Decision, Any]] = field(default_factory=list)

    def record(self, request: Decision, reply: Any) -> None:
        self.decisions.append((request, reply))

    @property
    def commands(self) -> list[str]:
        return [request.command_id for request, _ in self.decisions]


@dataclass
class Heard:
    """A way back that notes what came by it."""

    replies: list[object] = field(default_factory=list)

    def deliver(self, reply: Any, trace: Trace) -> None:
        self.replies.append(reply)

    def give_up(self, request: Any, trace: Trace) -> None:
        self.replies.append(None)


def understood(name: str, goal: Goal = TIME) -> Interpreted:
    return Interpreted(name, MetaGoal("single", (goal,)))


def say(recording: Recording, name: str, text: str, reply: Interpretation | None = None) -> None:
    recording.note(Interpret(name, text=text), reply or understood(name))


def plans_for(name: str) -> tuple[MakePlans, PlansMade]:
    request = MakePlans(name, MetaGoal("single", (TIME,)), WorldState(), TOOLS)
    return request, PlansMade(name, ())


def test_what_follows_a_command_that_speaks_of_a_secret_is_not_kept_either() -> None:
    kept = Kept()
    recording = Recording(kept)
    draft = GoalDraft("file", "create", {"name": "Xyzzy-4711"})
    doubt = Doubtful("a", "which?", (Alternative("a", (draft,)), Alternative("b", ())))
    say(recording, "a", "type the password Xyzzy-4711", doubt)
    recording.note(Interpret("a", None, (draft,)), understood("a"))
    recording.note(*plans_for("a"))
    assert kept.commands == []


def test_an_answer_that_speaks_of_a_secret_ends_the_recording_of_its_command() -> None:
    kept = Kept()
    recording = Recording(kept)
    say(recording, "a", "take it")
    request = ReadChoice("a", "q", "direct", "the one with password Xyzzy-4711", {})
    recording.note(request, interpreting.Chosen("a", "q", ()))
    recording.note(*plans_for("a"))
    assert [type(request) for request, _ in kept.decisions] == [Interpret]


def test_what_is_said_about_a_page_is_kept_only_when_its_command_has_ended() -> None:
    kept = Kept()
    recording = Recording(kept)
    say(recording, "a", "click it", understood("a", CLICK))
    recording.note(*plans_for("a"))
    assert kept.commands == []
    recording.end("a")
    assert kept.commands == ["a", "a"]
    recording.note(*plans_for("a"))
    assert kept.commands == ["a", "a"]


async def test_the_end_of_a_command_is_heard_on_its_way_to_the_journal() -> None:
    kept = Kept()
    recording = Recording(kept)
    say(recording, "a", "click it", understood("a", CLICK))
    with Mailbox[journaling.Inbox]() as mailbox:
        journal = Overheard(mailbox.address, recording)
        assert journal.told(End("a", wire.Finished("a", "success", ())), Heard())
    assert kept.commands == ["a"]


def test_what_is_held_back_is_bounded_and_the_oldest_command_goes() -> None:
    kept = Kept()
    recording = Recording(kept)
    for name in ("a", "b"):
        say(recording, name, "click it", understood(name, CLICK))
        for _ in range(MOST_HELD // 2):
            recording.note(*plans_for(name))
    recording.end("a")
    assert kept.commands == []
    recording.end("b")
    assert kept.commands == ["b"] * (1 + MOST_HELD // 2)


def test_a_rehearsal_belongs_to_its_command() -> None:
    kept = Kept()
    recording = Recording(kept)
    say(recording, "a", "every day at 8 read it")
    recording.note(*plans_for("a\x00g0"))
    recording.note(*plans_for("b\x00g0"))
    assert kept.commands == ["a", "a\x00g0"]


def test_a_course_is_kept_with_the_world_that_the_planner_saw_last_whoever_asked() -> None:
    kept = Kept()
    recording = Recording(kept)
    say(recording, "a", "add a boat")
    course = PlanCourse("a", "g0_use_1", CLICK), CoursePlanned("a", "g0_use_1")
    recording.note(*course)
    assert kept.commands == ["a"]
    recording.note(*plans_for("somebody else's"))
    recording.note(*course)
    assert kept.decisions[-1][0] == PlanCourseWith(course[0], WorldState(), TOOLS)


async def test_after_the_planner_gave_a_request_up_nobody_knows_what_it_saw() -> None:
    kept, back = Kept(), Heard()
    recording = Recording(kept)
    recording.note(*plans_for("a"))
    with Mailbox[Any]() as mailbox:
        planner = Overheard(mailbox.address, recording)
        await planner.tell(plans_for("a")[0], back)
    assert back.replies == [None]
    assert recording.latest is None


async def test_an_answer_reaches_whoever_asked_and_is_kept() -> None:
    kept, back = Kept(), Heard()
    recording = Recording(kept)
    with Mailbox[interpreting.Inbox]() as mailbox:
        words = Overheard(mailbox.address, recording)
        await words.tell(Interpret("a", text="what time is it"), back)
        letter = await anext(mailbox)
        assert isinstance(letter.message, Interpret)
        letter.answer(letter.message, understood("a"))
    assert back.replies == [understood("a")]
    assert kept.commands == ["a"]
    assert current.get() is not None


def test_recipes_are_kept_with_a_command_but_none_that_speaks_of_a_secret() -> None:
    kept = Kept()
    own = Taught("usual order", (TaughtStep("file.list"),))
    bank = Taught("bank", (TaughtStep("browser.type", {"target": "the password field"}),))
    recipes = {"usual order": own, "bank": bank}
    recording = Recording(kept, recipes=lambda: recipes)
    say(recording, "a", "do the usual order")
    say(recording, "b", "do the bank with losung Xyzzy-4711")
    recording.note(
        Interpret("c", None, (GoalDraft("recipes", "run", {"name": "bank"}),)), understood("c")
    )
    assert kept.commands == ["a"]
    request = kept.decisions[0][0]
    assert isinstance(request, InterpretWith)
    assert request.recipes == {"usual order": own}


def test_what_a_model_answered_is_kept_unless_it_speaks_of_a_secret() -> None:
    kept = Kept()
    recording = Recording(kept, "auto")
    recording.hear("whip it", (Answered("{}"),))
    say(recording, "a", "whip it")
    recording.hear("whip her", (Answered('{"password": "x"}'),))
    say(recording, "b", "whip her")
    assert [request for request, _ in kept.decisions] == [
        InterpretWith(Interpret("a", text="whip it"), "auto", (Answered("{}"),))
    ]

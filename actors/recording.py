"""Has decisions recorded on their way back to whoever asked, without anybody noticing.

Nothing that speaks of a secret is recorded, nor the rest of a command that does. What is said about
pages is held back until the command has ended: only then is it known what of it was a secret. Goals
of a client with no words to bind are not recorded either: they leave little to decide, and may come
by the thousand.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from actors.language.taught import is_call, read_call
from actors.mailbox import Recipient, WayBack
from actors.vault import REFERENCE, WITHHELD, may_speak_of_secret
from messages.interpreting import Interpret, Interpretation, Interpreted, ReadChoice
from messages.journaling import End
from messages.message import Message, Request
from messages.modelling import Answered, ModelFailed
from messages.planning import MakePlans, PlanCourse, PlanReveal
from messages.plans import ToolCapability, WorldState
from messages.replaying import Decision, InterpretWith, PlanCourseWith
from messages.targets import Resolve
from messages.taught import Taught
from messages.trace import Trace

M = TypeVar("M", bound=Message)
R = TypeVar("R")
Asked: TypeAlias = Interpret | ReadChoice | MakePlans | PlanReveal | PlanCourse | Resolve
Recipes: TypeAlias = Mapping[str, Taught]

PAGES = "browser"
MOST_COMMANDS = 10_000
MOST_HELD = 500  # decisions that are held back, of all commands together
MOST_GOALS = 1_000  # to look through more of them for secrets would hold others up
MOST_TEXTS = 1_000  # that a model has answered


class Recorder(Protocol):
    """Keeps decisions."""

    def record(self, request: Decision, reply: Any) -> None:
        """Keep a request and its answer."""


@dataclass
class Recording:
    """Which decisions are recorded, with all that they depended on.

    A command is recorded from its interpretation to its end; ``withheld`` are those that spoke of a
    secret. ``latest`` is what the Planner saw last: courses are planned with that.
    """

    recorder: Recorder
    mode: Literal["grammar", "model", "auto"] = "grammar"
    recipes: Callable[[], Recipes] = dict
    answers: OrderedDict[str, tuple[Answered | ModelFailed, ...]] = field(
        default_factory=OrderedDict
    )
    commands: OrderedDict[str, None] = field(default_factory=OrderedDict)
    withheld: OrderedDict[str, None] = field(default_factory=OrderedDict)
    held: OrderedDict[str, list[tuple[Decision, Any]]] = field(default_factory=OrderedDict)
    latest: tuple[WorldState, tuple[ToolCapability, ...]] | None = None
    _count: int = 0
    _sorted: tuple[Recipes, Recipes, Recipes] = ({}, {}, {})

    def note(self, request: Asked, reply: Any) -> None:
        """Have a decision recorded, if it is of a command that is."""
        command = own_command(request.command_id)
        match request:
            case Interpret():
                self.note_understood(command, request, reply)
                return
            case MakePlans():
                self.latest = (request.world, request.capabilities)
            case ReadChoice() if is_secretive(request.text):
                self.withhold(command)
            case _:
                pass
        if command in self.commands and (whole := self.with_all_known(request)) is not None:
            self.put(command, whole, reply)

    def note_understood(self, command: str, request: Interpret, reply: Interpretation) -> None:
        """Begin to record a command, unless it speaks of a secret."""
        if command in self.withheld:
            return
        if not self.may_be_kept(request, reply):
            self.withhold(command)
            return
        self.commands[command] = None
        if is_about_page(reply):
            self.held.setdefault(command, [])
        if len(self.commands) > MOST_COMMANDS:
            self.drop(next(iter(self.commands)))
        self.put(command, self.informed(request), reply)

    def may_be_kept(self, request: Interpret, reply: Interpretation) -> bool:
        """Tell whether nothing that was said or understood may be a secret."""
        if len(request.drafts) > MOST_GOALS or not has_words(request):
            return False
        recipes, _, secretive = self.sorted_recipes()
        if secretive and self.asks_for(secretive, request):
            return False
        # What tables alone understand says nothing that was not said.
        understood = () if self.mode == "grammar" and not recipes else reply
        answers = self.answers.get(request.text or "", ())
        told = (request.text or "", request.drafts, understood, answers)
        return not any(map(is_secretive, texts_in(msgspec.to_builtins(told))))

    def asks_for(self, recipes: Recipes, request: Interpret) -> bool:
        """Tell whether a command asks for one of some recipes."""
        if request.text is None:
            return any(map(is_call, request.drafts))
        return read_call(request.text, recipes) is not None

    def sorted_recipes(self) -> tuple[Recipes, Recipes, Recipes]:
        """Give all recipes, those that may be kept, and those that speak of a secret."""
        recipes = self.recipes()
        if recipes is not self._sorted[0]:
            secretive = {key: each for key, each in recipes.items() if speaks_of_any(each)}
            kept = {key: each for key, each in recipes.items() if key not in secretive}
            self._sorted = (recipes, kept, secretive)
        return self._sorted

    def informed(self, request: Interpret) -> Decision:
        """Give a request with what was known beside the tables, if there is anything."""
        _, recipes, _ = self.sorted_recipes()
        if self.mode == "grammar" and not recipes:
            return request
        return InterpretWith(request, self.mode, self.answers.get(request.text or "", ()), recipes)

    def with_all_known(self, request: Asked) -> Decision | None:
        """Give a request with all that it depends on; None if that is not known."""
        if not isinstance(request, PlanCourse):
            return request
        return None if self.latest is None else PlanCourseWith(request, *self.latest)

    def put(self, command: str, request: Decision, reply: Any) -> None:
        """Have a decision recorded: at once, or when its command has ended."""
        held = self.held.get(command)
        if held is None:
            self.recorder.record(request, reply)
            return
        held.append((request, reply))
        self._count += 1
        while self._count > MOST_HELD:
            self.drop(next(iter(self.held)))

    def hear(self, text: str, answers: tuple[Answered | ModelFailed, ...]) -> None:
        """Note what a model answered to a text: its interpretation is about to come."""
        self.answers[text] = answers
        self.answers.move_to_end(text)
        if len(self.answers) > MOST_TEXTS:
            self.answers.popitem(last=False)

    def end(self, command: str) -> None:
        """Write what was held back of a command."""
        for request, reply in self.held.get(command, ()):
            self.recorder.record(request, reply)
        self.drop(command)
        self.withheld.pop(command, None)

    def withhold(self, command: str) -> None:
        """Record nothing of a command any more."""
        self.drop(command)
        self.withheld[command] = None
        if len(self.withheld) > MOST_COMMANDS:
            self.withheld.popitem(last=False)

    def drop(self, command: str) -> None:
        self.commands.pop(command, None)
        self._count -= len(self.held.pop(command, ()))

    def lose(self, request: Asked) -> None:
        """Note that a request was given up: what its actor had seen may be gone with it."""
        if isinstance(request, MakePlans | PlanReveal | PlanCourse):
            self.latest = None


def has_words(request: Interpret) -> bool:
    """Tell whether anything of a command is to be understood or bound."""
    drafts = request.drafts
    return request.text is not None or any(each.roles or is_call(each) for each in drafts)


def own_command(command: str) -> str:
    """Give the command that something belongs to; a rehearsal's is the one that it is for."""
    return command.partition("\x00")[0]


def is_about_page(reply: Interpretation) -> bool:
    return not isinstance(reply, Interpreted) or any(
        goal.domain == PAGES for goal in reply.meta.goals
    )


def is_secretive(text: str) -> bool:
    """Tell whether a text may speak of a secret, or refers to one."""
    return may_speak_of_secret(text) or WITHHELD in text or REFERENCE.search(text) is not None


def speaks_of_any(recipe: Taught) -> bool:
    return any(map(is_secretive, texts_in(msgspec.to_builtins(recipe))))


def texts_in(value: Any) -> Iterator[str]:
    """Give all texts in a value, and the names of its parameters."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value.get("params", ())
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_in(each)


@dataclass(slots=True)
class Passing:
    """The way back of a request that is recorded when it is answered."""

    way_back: WayBack
    recording: Recording
    request: Any

    def deliver(self, reply: Any, trace: Trace) -> None:
        self.recording.note(self.request, reply)
        self.way_back.deliver(reply, trace)

    def give_up(self, request: Any, trace: Trace) -> None:
        self.recording.lose(self.request)
        self.way_back.give_up(request, trace)


@dataclass(frozen=True, slots=True)
class Overheard(Generic[M]):
    """The address of an actor whose decisions are recorded, or of who hears of a command's end."""

    address: Recipient[M]
    recording: Recording

    def told(self, message: M, way_back: WayBack | None = None) -> bool:
        if not self.address.told(message, self.passing(message, way_back)):
            return False
        self.note_end(message)
        return True

    async def tell(self, message: M, way_back: WayBack | None = None) -> None:
        await self.address.tell(message, self.passing(message, way_back))
        self.note_end(message)

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R:
        return await self.address.ask(request, within=within)

    def passing(self, message: M, way_back: WayBack | None) -> WayBack | None:
        """Give the way back by which the answer to a message comes."""
        if way_back is None or not isinstance(message, Asked):
            return way_back
        return Passing(way_back, self.recording, message)

    def note_end(self, message: M) -> None:
        if isinstance(message, End):
            self.recording.end(message.command_id)

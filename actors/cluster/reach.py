"""The executors, as the Orchestrator of a shard sends to them.

The commands of a session go to one executor, where its pages and files are; which one is written
down, so that another brain finds it, and so is who is asked to change something, before it is. A
question that is not answered is asked again of the same executor: it knows what it has done. If it
is dead, what may be repeated is asked of another, and of what may have happened it is said that
nobody knows.
"""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import Any, TypeVar

import anyio
import anyio.abc
import msgspec

from actors.cluster.bus import Bus, Conflict, Held, TooLarge, Unavailable
from actors.cluster.envelopes import (
    PLACES,
    encode,
    executor_address,
    key_of,
    read_place,
    read_reported,
)
from actors.cluster.presence import Presence
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address, Unanswered, WayBack
from messages import executing, journaling
from messages.cluster import Beat, ForExecutor, Forget, FromExecutor, Place, ToExecutor
from messages.executing import (
    Abort,
    Check,
    Leave,
    Look,
    Muster,
    Mustered,
    Perform,
    Performed,
    Survey,
    Surveyed,
    Watch,
)
from messages.journaling import Intent, Keep, Kept, Note, Outcome
from messages.message import Request
from messages.plans import ToolCapability, WorldState
from messages.results import ActionResult, Code
from messages.trace import NOWHERE, Trace, current

R = TypeVar("R")
ASK_AGAIN_SECONDS, LOOK_SECONDS = 8.0, 0.5
NOBODY_SECONDS = 8.0
DIED = "the executor that did this is gone; it may or may not have happened"
NOBODY = "no executor is there that could do this{}"


@dataclass(frozen=True, slots=True)
class Home:
    """Where the commands of a session are to be carried out."""

    session: str = ""
    label: str = ""


@dataclass(slots=True)
class Asked:
    """A question on its way to an executor."""

    message: ForExecutor
    way_back: WayBack | None
    trace: Trace
    since: float
    began_before: bool = False
    place: Place | None = None
    life: str = ""
    sent: float = 0.0
    sending: bool = True
    aborted: bool = False


@dataclass
class Widened:
    """The way back of a survey: what is done here can be done, too."""

    way_back: WayBack
    own: tuple[ToolCapability, ...]

    def deliver(self, reply: Surveyed, trace: Trace) -> None:
        able = (*reply.capabilities, *self.own)
        self.way_back.deliver(msgspec.structs.replace(reply, capabilities=able), trace)

    def give_up(self, request: Any, trace: Trace) -> None:
        self.way_back.give_up(request, trace)


@dataclass
class Reach:
    """The executors, and what was asked of them; what Behest does to itself is done at home."""

    bus: Bus
    shard: int
    epoch: int
    presence: Presence
    home_of: Callable[[str], Home]
    asked_executor: Callable[[str, str], str]
    is_owner: Callable[[], bool]
    journal: Address[journaling.Inbox]
    home: Address[executing.Inbox]
    home_intents: frozenset[str]
    home_capabilities: tuple[ToolCapability, ...] = ()
    log: ActorLogger = field(default_factory=lambda: logger_of("reach"))
    asked: dict[str, Asked] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    used: dict[str, set[Place]] = field(default_factory=dict)
    tasks: anyio.abc.TaskGroup | None = None
    _numbers: Any = field(default_factory=count)

    @property
    def address(self) -> str:
        return f"unit.{self.shard}.{self.epoch}"

    async def run(self) -> None:
        """Hear what executors answer, and look after what they do not."""
        async with anyio.create_task_group() as self.tasks:
            self.tasks.start_soon(self.look_after)
            async with self.bus.hear(self.address) as answers:
                async for body in answers:
                    await self.take(body)

    # As a recipient

    def told(self, message: executing.Inbox, way_back: WayBack | None = None) -> bool:
        """Take a request; it is sent as soon as may be."""
        match message:
            case Watch():
                return True  # each session has a world of its own: it is looked at when need be
            case Muster():
                if way_back is not None:
                    way_back.deliver(self.mustered(), NOWHERE)
                return True
            case Perform(action=action) | Check(action=action) | Look(action=action) if (
                action.intent in self.home_intents
            ):
                return self.home.told(message, way_back)
            case Leave(intent=intent) if intent in self.home_intents:
                return self.home.told(message, way_back)
            case Survey() if way_back is not None:
                way_back = Widened(way_back, self.home_capabilities)
        if isinstance(message, Abort):
            self.abort_unsent(message.command_id)
        began_before = isinstance(message, Perform) and message.begun
        if isinstance(message, Perform) and acts(message):
            message = msgspec.structs.replace(message, begun=True)
        ask = f"{self.shard}-{self.epoch}-{next(self._numbers)}"
        asked = Asked(message, way_back, current.get(), monotonic(), began_before)
        if way_back is not None:
            self.asked[ask] = asked
        if self.tasks is not None:
            self.tasks.start_soon(self.send, ask, asked)
        return True

    async def tell(self, message: executing.Inbox, way_back: WayBack | None = None) -> None:
        self.told(message, way_back)

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R:  # noqa: ARG002
        if isinstance(request, Muster):
            return self.mustered()  # type: ignore[return-value]  # what a Muster is answered by
        raise Unanswered(request)

    def mustered(self) -> Mustered:
        """Name the actions that were asked for and are not answered yet."""
        performs = (asked.message for asked in self.asked.values())
        return Mustered(
            frozenset(
                (each.command_id, each.action.action_id)
                for each in performs
                if isinstance(each, Perform)
            )
        )

    def forget(self, command: str) -> None:
        """Let executors forget a command that has ended."""
        for place in self.used.pop(command, ()):
            if self.tasks is not None:
                self.tasks.start_soon(self.send_to, place, f"end-{command}", Forget(command))

    def abort_unsent(self, command: str) -> None:
        """Have what is still on its way aborted behind it, and not before."""
        for asked in self.asked.values():
            if asked.message.command_id == command and (asked.sending or asked.place is None):
                asked.aborted = True

    # Sending

    async def send(self, ask: str, asked: Asked) -> None:
        """Send a question to the executor of its session, as soon as there is one."""
        asked.sending = True
        try:
            if not self.is_owner():
                asked.since = monotonic()  # it is sent once the lease is renewed, or never
                return
            place = await self.place_of(asked)
            if place is not None and self.is_elsewhere(asked, place):
                self.asked.pop(ask, None)
                self.answer(asked, doubtful(asked.message))
            elif place is not None and await self.has_kept_intent(asked, place):
                asked.place, asked.sent = place, monotonic()
                asked.life = self.presence.life_of("executor", place.executor)
                self.used.setdefault(asked.message.command_id, set()).add(place)
                await self.send_to(place, ask, asked.message)
                if asked.aborted:
                    await self.send_to(place, ask, Abort(asked.message.command_id))
        except Unanswered:
            asked.since = monotonic()  # the journal has crashed, and is back soon
        except Unavailable as error:
            self.log.warning("bus.not_sent", error=str(error))
        except TooLarge:
            self.asked.pop(ask, None)
            self.answer(asked, None)
        finally:
            asked.sending = False

    async def has_kept_intent(self, asked: Asked, place: Place) -> bool:
        """Have it written down which executor is asked to change something, before it is asked.

        Whoever owns the shard next then knows where it may have happened; and whoever does not own
        it any more cannot write, so that nothing is asked for by an old right.
        """
        message = asked.message
        if not isinstance(message, Perform) or not acts(message) or asked.place == place:
            return True
        intent = Intent(message.action, message.bound, executor=executor_id(place))
        keep = Keep(message.command_id, intent)
        reply = await self.journal.ask(keep, within=math.inf)
        asked.since = monotonic()
        return isinstance(reply, Kept)

    async def send_to(self, place: Place, ask: str, message: ForExecutor) -> None:
        """Send something to an executor, by the right that this shard's owner has just now."""
        if not self.is_owner():
            return
        session = self.home_of(message.command_id).session
        envelope = ToExecutor(
            ask, self.address, self.shard, self.epoch, session, message, journal=place.journal
        )
        name = f"{ask}-{next(self._numbers)}"
        await self.bus.send(executor_address(place.executor), name, encode(envelope))

    def is_elsewhere(self, asked: Asked, place: Place) -> bool:
        """Tell whether something may have been done at another place than this, and only once."""
        if is_repeatable(asked.message):
            return False
        before = self.place_before(asked)
        if before is None:  # a place that was found by this owner is not where others have asked
            return asked.began_before and place.epoch == self.epoch
        return not is_same(before, place)

    def place_before(self, asked: Asked) -> Place | None:
        """Give the executor that was asked for an action, by this owner or one before."""
        message = asked.message
        if asked.place is not None or not asked.began_before or not isinstance(message, Perform):
            return asked.place
        executor = self.asked_executor(message.command_id, message.action.action_id)
        name, _, journal = executor.partition(".")
        return Place(name, self.epoch, journal) if name else None

    async def place_of(self, asked: Asked) -> Place | None:
        """Give the executor that was asked before, or that of the session.

        Each gives way to another once it is surely gone; until then it may be about to come back,
        and it knows what it has done. What may be repeated goes with its session.
        """
        before = None if is_repeatable(asked.message) else self.place_before(asked)
        if before is not None:
            if self.is_there(before):
                return before
            if not self.is_gone(before):
                return None
        home = self.home_of(asked.message.command_id)
        known = self.places.get(home.session)
        if known is not None and self.is_there(known, home.label):
            return known
        key = key_of(home.session)
        held = await self.bus.get(PLACES, key)
        if held is not None:
            place = read_place(held.value)
            if self.is_there(place, home.label) or isinstance(asked.message, Abort | Leave):
                self.places[home.session] = place
                return place
            if not self.is_there(place) and not self.is_gone(place):
                return None
        return await self.new_place(home, key, held)

    async def new_place(self, home: Home, key: str, held: Held | None) -> Place | None:
        """Choose an executor for a session, and write it down."""
        chosen = self.chosen(home)
        if chosen is None:
            return None
        place = Place(chosen, self.epoch, self.presence.journal_of("executor", chosen))
        try:
            if held is None:
                await self.bus.create(PLACES, key, encode(place))
            else:
                await self.bus.update(PLACES, key, encode(place), held.revision)
        except Conflict:
            return None  # somebody else has chosen just now: look again
        self.places[home.session] = place
        self.log.info("session.placed", session=home.session, executor=chosen)
        return place

    def is_there(self, place: Place, label: str = "") -> bool:
        """Tell whether an executor lives, and has the label that is asked for."""
        if self.has_other_journal(place):
            return False
        for beat in self.presence.living("executor"):
            if beat.name == place.executor:
                return not label or label in beat.labels
        return False

    def is_gone(self, place: Place) -> bool:
        """Tell whether an executor, or what it knew, is surely gone."""
        return self.has_other_journal(place) or self.presence.is_gone("executor", place.executor)

    def has_other_journal(self, place: Place) -> bool:
        """Tell whether one of the same name is there that does not know what was done."""
        journal = self.presence.journal_of("executor", place.executor)
        return bool(journal and place.journal and journal != place.journal)

    def chosen(self, home: Home) -> str | None:
        """Choose the executor that has least to do."""
        loads = Counter(place.executor for place in self.places.values())
        beats = [beat for beat in self.presence.living("executor") if fits(beat, home)]
        best = min(beats, key=lambda beat: (loads[beat.name], beat.load), default=None)
        return None if best is None else best.name

    # What comes back

    async def take(self, body: bytes) -> None:
        """Take an answer; a long one is fetched."""
        try:
            reported = read_reported(body)
            if reported.blob and (found := await self.bus.get_blob(reported.blob)) is not None:
                reported = read_reported(found)
        except (msgspec.DecodeError, Unavailable) as error:
            self.log.warning("bus.unreadable", error=str(error))
            return  # it is asked for again
        if (asked := self.asked.pop(reported.ask, None)) is not None:
            if isinstance(reply := reported.reply, Performed) and acts(asked.message):
                await self.journal.tell(Note(reply.command_id, outcome_of(reply)))
            self.answer(asked, reply)

    def answer(self, asked: Asked, reply: FromExecutor | None) -> None:
        if asked.way_back is None:
            return
        if reply is None:
            asked.way_back.give_up(asked.message, asked.trace)
        else:
            asked.way_back.deliver(reply, asked.trace)

    async def look_after(self) -> None:
        """Ask again what is not answered; find out what nobody will answer any more."""
        while True:
            await anyio.sleep(LOOK_SECONDS)
            now = monotonic()
            for ask, asked in list(self.asked.items()):
                if asked.sending:
                    continue
                if asked.place is None:
                    self.find_somebody(ask, asked, now)
                elif not self.is_there(asked.place):
                    self.leave_dead(ask, asked, asked.place)
                elif self.is_to_be_asked_again(asked, asked.place, now) and self.tasks is not None:
                    self.tasks.start_soon(self.send, ask, asked)

    def is_to_be_asked_again(self, asked: Asked, place: Place, now: float) -> bool:
        """Tell whether a question is quiet for long, or its executor was born again since."""
        reborn = asked.life != self.presence.life_of("executor", place.executor)
        return reborn or now - asked.sent > ASK_AGAIN_SECONDS

    def find_somebody(self, ask: str, asked: Asked, now: float) -> None:
        """Look for an executor once more; after a while, say that there is none."""
        if now - asked.since <= NOBODY_SECONDS:
            if self.tasks is not None:
                self.tasks.start_soon(self.send, ask, asked)
            return
        del self.asked[ask]
        if asked.began_before and acts(asked.message):
            self.answer(asked, doubtful(asked.message))
            return
        label = self.home_of(asked.message.command_id).label
        reason = NOBODY.format(f" with the label {label!r}" if label else "")
        self.answer(asked, refused_by_nobody(asked.message, reason))

    def leave_dead(self, ask: str, asked: Asked, place: Place) -> None:
        """See to a question whose executor is dead: ask another, unless it may have happened."""
        message = asked.message
        self.log.warning("executor.dead", executor=place.executor, command_id=message.command_id)
        if isinstance(message, Perform) and not is_repeatable(message):
            del self.asked[ask]
            self.answer(asked, doubtful(message))
            return
        asked.place, asked.since, asked.began_before = None, monotonic(), True
        if self.tasks is not None:
            self.tasks.start_soon(self.send, ask, asked)


def fits(beat: Beat, home: Home) -> bool:
    """Tell whether an executor may be given a session."""
    return not beat.draining and (not home.label or home.label in beat.labels)


def is_same(one: Place, other: Place) -> bool:
    """Tell whether two places are one executor, as far as it is known."""
    are_known = bool(one.journal and other.journal)
    return one.executor == other.executor and not (are_known and one.journal != other.journal)


def executor_id(place: Place) -> str:
    """Name an executor and its journal."""
    return f"{place.executor}.{place.journal}"


def acts(message: ForExecutor) -> bool:
    """Tell whether a request may have changed something."""
    return isinstance(message, Perform) and message.action.action_class != "observe"


def outcome_of(performed: Performed) -> Outcome:
    """Give what came of an action as it is written down."""
    return Outcome(
        performed.result,
        performed.transient,
        performed.facts,
        performed.undo,
        performed.changed,
        performed.lasting,
    )


def is_repeatable(message: ForExecutor) -> bool:
    """Tell whether something can be asked of another executor, whatever became of it."""
    if not isinstance(message, Perform):
        return True
    return message.action.action_class == "observe" or message.action.repeatable


def doubtful(message: ForExecutor) -> FromExecutor | None:
    """Say that nobody knows what became of an action."""
    if not isinstance(message, Perform):
        return None
    result = ActionResult(message.action.action_id, "in_doubt", Code.CRASHED, DIED)
    return Performed(message.command_id, result)


def refused_by_nobody(message: ForExecutor, reason: str) -> FromExecutor | None:
    """Say that nobody is there to do what was asked."""
    match message:
        case Survey(command_id):
            return Surveyed(command_id, WorldState(), ())
        case Perform(command_id, action):
            result = ActionResult(action.action_id, "failed", Code.NO_CAPABILITY, reason)
            return Performed(command_id, result, changed=False)
        case _:
            return None

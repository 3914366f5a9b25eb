"""The Executor's conversation: look at the world, act on it, say what was seen."""

from collections.abc import Mapping
from typing import TypeAlias

from messages.goals import GoalDraft
from messages.message import Data, Message, Request, Value
from messages.pages import Page
from messages.plans import PlannedAction, ToolCapability, WorldState
from messages.results import ActionResult, Code
from messages.worlds import World


class Done(Data, frozen=True, tag=True):
    """A tool did its work. ``effects`` are the facts it brought about.

    ``undo`` are the goals that, carried out in this order, put things back as they were before;
    there are none where nothing was ``changed``, or where that cannot be done: ``lasting`` then
    says why, if the tool knows.
    """

    output: Value = None
    effects: tuple[str, ...] = ()
    undo: tuple[GoalDraft, ...] = ()
    changed: bool = True
    lasting: str = ""


class Refused(Data, frozen=True, tag=True):
    """A tool did not do its work. ``transient`` means the same call may work later.

    ``effects`` are the facts that it found all the same, such as that the browser has ended.
    """

    code: Code
    message: str
    transient: bool = False
    effects: tuple[str, ...] = ()


Outcome: TypeAlias = Done | Refused


class Unknown(Data, frozen=True, tag=True):
    """What became of interrupted work cannot be told, for this ``reason``."""

    reason: str


# What became of interrupted work. Refused: nothing was done, and nothing must be done any more.
# None: nothing was done, or it was taken back, so that it can safely be done now.
Recovered: TypeAlias = Done | Refused | Unknown | None


class Surveyed(Message, frozen=True):
    """The world as it is now, and what can be done in it."""

    command_id: str
    world: WorldState
    capabilities: tuple[ToolCapability, ...]


class Survey(Request[Surveyed], frozen=True):
    """Look at the parts of the world that these domains depend on."""

    command_id: str
    domains: frozenset[str] = frozenset()


class WorldSeen(Message, frozen=True):
    """The world as last seen. ``live`` domains change by themselves: for them, ask anew."""

    world: WorldState
    capabilities: tuple[ToolCapability, ...]
    live: frozenset[str]


class Watch(Request[WorldSeen], frozen=True):
    """Say what the world is like, now and whenever that changes."""


class Performed(Message, frozen=True):
    """An action ended; ``transient`` failures may be tried again.

    ``undo`` is what its tool says would put things back, also where its effect was not seen:
    something may have happened. It ``changed`` something, or may have; ``lasting`` says why that
    cannot be undone. ``shown`` are its arguments as they may be shown, where some turned out to be
    secret.
    """

    command_id: str
    result: ActionResult
    transient: bool = False
    undo: tuple[GoalDraft, ...] = ()
    facts: tuple[str, ...] = ()
    shown: Mapping[str, Value] | None = None
    changed: bool = True
    lasting: str = ""


class Marked(Data, frozen=True):
    """An action that waits, and the mark of the thing that it was approved for."""

    action: PlannedAction
    bound: Mapping[str, Value]
    mark: str


class Perform(Request[Performed], frozen=True):
    """Run one action with its planned arguments and what was bound, and nothing else.

    ``begun`` if it may have been under way before: if it was, it is done only if that is safe and
    its effect is not there. With a ``mark``, it is done only to what still has it. ``beside`` are
    other actions of its command that were marked: what it changes itself is marked anew for them.
    """

    command_id: str
    action: PlannedAction
    bound: Mapping[str, Value] = {}
    timeout: float = 60.0
    begun: bool = False
    mark: str = ""
    beside: tuple[Marked, ...] = ()


class Checked(Message, frozen=True):
    """Whether an action could be done to all of what was bound; ``refused`` says why not.

    By the ``marks`` it can be seen later whether the things are still as they are now. It ``sends``
    if doing it would send off what a person has put in. ``shown`` are the arguments as they may be
    shown, where some turned out to be secret.
    """

    command_id: str
    action_id: str
    refused: Refused | None = None
    marks: tuple[str, ...] = ()
    sends: bool = False
    shown: Mapping[str, Value] | None = None


class Check(Request[Checked], frozen=True):
    """Tell, without any effect, whether an action can be done to each of several bindings."""

    command_id: str
    action: PlannedAction
    bound: tuple[Mapping[str, Value], ...]


class Seen(Message, frozen=True):
    """The things that were there when the Executor looked, or why it could not."""

    command_id: str
    action_id: str
    role: str
    world: World = World()
    refused: Refused | None = None
    page: Page | None = None


class Look(Request[Seen], frozen=True):
    """List the things that the words of an action may mean, such as the folders in a folder.

    ``within`` is that folder, or the lane whose page is looked at; ``again`` if nothing was found
    there just before.
    """

    command_id: str
    action: PlannedAction
    role: str
    within: str = ""
    again: bool = False


class Mustered(Message, frozen=True):
    """What is under way: commands and their actions."""

    jobs: frozenset[tuple[str, str]]


class Muster(Request[Mustered], frozen=True):
    """Name the actions that are under way; all that was asked for before has begun by then."""


class Leave(Message, frozen=True):
    """A branch of a command has ended: its lane is free."""

    command_id: str
    intent: str
    lane: str


class Abort(Message, frozen=True):
    """Stop whatever is under way for this command, where it can be stopped."""

    command_id: str


Inbox: TypeAlias = Survey | Watch | Muster | Perform | Check | Look | Leave | Abort

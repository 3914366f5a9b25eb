"""A course: how a chore that names its result is done in steps, each in one of several ways.

It is planned from the words alone; which way is taken, and from which stage on, the page decides.
"""

from messages.goals import Goal
from messages.message import Data
from messages.plans import PlannedAction


class Way(Data, frozen=True):
    """One way to do a step: a goal of its own, whose words are bound on the page."""

    goal: Goal
    action: PlannedAction


class Step(Data, frozen=True):
    """One thing to do, as a person would call it, and the ways to do it, the best first."""

    says: str
    ways: tuple[Way, ...]
    optional: bool = False


class Stage(Data, frozen=True):
    """Steps that are done on one page, if all of them can be bound there.

    A stage ``needs`` another to have been done before it, or ``one_of`` some. What it ``leaves`` is
    what stays half done if the course ends behind it. The last stage ``ends`` the course. One that
    stands ``alone`` is only done first: it is for what the page shows already. A page must be
    ``about`` one of some things, by its title or its main headings, where these are named; a
    stage without steps is done if it is.
    """

    name: str
    steps: tuple[Step, ...]
    needs: str = ""
    leaves: str = ""
    ends: bool = False
    alone: bool = False
    about: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()


class Course(Data, frozen=True):
    """The stages of a recipe, the first one first; each is done once at most.

    What is said of the thing that is shown already has the stage ``done`` that would open it.
    ``things`` are the ways to call the thing it is about. What is to be done at last is the
    ``finish``: "... and publish it".
    """

    recipe: str
    stages: tuple[Stage, ...]
    done: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    finish: str = ""

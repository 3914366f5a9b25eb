"""Where a decision belongs: the command, goal and action it was made for, and its span.

The context variable lives here because both ends need it: mailboxes carry a trace from
actor to actor (context variables do not cross a mailbox), the log stamps it on every line.
"""

from contextvars import ContextVar

from messages.message import Data


class Trace(Data, frozen=True):
    """The place of a decision in its command's story."""

    command_id: str = ""
    goal_id: str = ""
    action_id: str = ""
    span_id: str = ""


NOWHERE = Trace()
current: ContextVar[Trace] = ContextVar("trace", default=NOWHERE)

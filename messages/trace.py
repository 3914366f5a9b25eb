"""Where a decision belongs: the command it was made for, and the span it follows from.

The context variable lives here because both ends need it: mailboxes carry a trace from
actor to actor (context variables do not cross a mailbox), the log stamps it on every line.
"""

from contextvars import ContextVar

from messages.message import Data


class Trace(Data, frozen=True):
    """The place of a decision in its command's story."""

    command_id: str = ""
    span_id: str = ""


NOWHERE = Trace()
current: ContextVar[Trace] = ContextVar("trace", default=NOWHERE)

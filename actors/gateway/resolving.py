"""Serving ``resolve``: from the words, by the Interpreter and the TargetResolver, to an answer.

Nothing is touched: the verbs and the world come with the request.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from actors.mailbox import Address
from messages import interpreting, targets, wire
from messages.failures import Details
from messages.interpreting import NotSplit, Split, SplitWords
from messages.phrases import ParsedCommand
from messages.results import Code
from messages.targets import Bound, Failure, NotBound, Phase, Query, Resolve, Success
from messages.trace import Trace
from messages.verbs import BadDeclaration, Verbs, load_verbs


class Client(Protocol):
    """Whom to answer."""

    def reply(self, message: wire.WireReply) -> None: ...

    def served(self) -> None:
        """Note that nothing more is to come for this request."""


@dataclass(frozen=True, slots=True)
class Readers:
    """Those who read words and bind them."""

    interpreter: Address[interpreting.Inbox]
    resolver: Address[targets.Inbox]


def declared(request: wire.Resolve) -> Verbs | wire.Error:
    """Load the verbs of a request, or say which of them is wrong, and where."""
    try:
        return load_verbs(request.verbs)
    except BadDeclaration as problem:
        path = f"$.verbs.{problem.verb}{problem.path.removeprefix('$')}"
        return wire.Error(Code.BAD_REQUEST, str(problem), request.id, path)
    except UnicodeDecodeError:
        return wire.Error(Code.BAD_JSON, "not a JSON object in UTF-8", request.id, "$.verbs")


@dataclass(slots=True)
class Resolving:
    """The way back for both halves of a ``resolve``: words split, then things bound."""

    client: Client
    readers: Readers
    request: wire.Resolve
    verbs: Verbs
    readings: tuple[ParsedCommand, ...] = ()

    async def begin(self) -> None:
        request = self.request
        asking = SplitWords(self.verbs, request.options, request.text, request.parsed)
        await self.readers.interpreter.tell(asking, self)

    def deliver(self, reply: Split | NotSplit | Bound | NotBound, trace: Trace) -> None:  # noqa: ARG002
        match reply:
            case Split(readings):
                self.readings = readings
                query = Query(readings, self.verbs, self.request.world, self.request.options)
                if not self.readers.resolver.told(Resolve("", "", query), self):
                    self.answer(wire.busy(self.request.id, "try again in a second"))
            case NotSplit(message, near):
                self.answer(not_split(self.request.id, message, near))
            case Bound(_, _, found, phases, number) | NotBound(_, _, found, phases, number):
                parsed = self.readings[number] if self.readings else None
                self.answer(resolution(self.request.id, found, phases, parsed))

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        message = "this request could not be answered; it may be sent again"
        self.answer(wire.Error(Code.CRASHED, message, self.request.id))

    def answer(self, message: wire.WireReply) -> None:
        self.client.reply(message)
        self.client.served()


def not_split(request: str, message: str, near: tuple[str, ...]) -> wire.Resolution:
    """Say that the words begin with no verb that is declared."""
    details = Details(near=near)
    return wire.Resolution(
        request, ok=False, code=Code.NOT_UNDERSTOOD, message=message, details=details
    )


def resolution(
    request: str,
    outcome: Success | Failure,
    phases: tuple[Phase, ...],
    parsed: ParsedCommand | None,
) -> wire.Resolution:
    """Put what the engine found into the words of the wire."""
    if isinstance(outcome, Failure):
        return wire.Resolution(
            request,
            ok=False,
            code=outcome.code,
            message=outcome.message,
            details=outcome.details,
            options=outcome.options,
            parsed=parsed,
            trace=phases,
        )
    first = outcome.bindings[0]
    alone = len(outcome.bindings) == 1
    return wire.Resolution(
        request,
        ok=True,
        verb=outcome.verb,
        rule_id=outcome.rule_id,
        direct_target=first.direct_target if alone else None,
        indirect_target=first.indirect_target,
        bindings=outcome.bindings,
        relation_token_raw=outcome.relation_token_raw,
        relation_token_canonical=outcome.relation_token_canonical,
        parsed=parsed,
        trace=phases,
    )

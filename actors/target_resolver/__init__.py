"""TargetResolver: the words of a command and a world as it is now, to exactly one thing or none.

Pure and read-only: the world comes with the request. It never guesses: a near miss is named in
the message and not taken, and equal matches are all offered.
"""

import hashlib
from dataclasses import dataclass, field

import msgspec

from actors.logger import ActorLogger, logger_of
from actors.mailbox import Mailbox
from actors.target_resolver.engine import resolve
from messages import targets
from messages.targets import Bound, Failure, NotBound, Query, Resolution, Resolve, Success

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


@dataclass
class TargetResolver:
    """Keeps nothing between requests."""

    log: ActorLogger = field(default_factory=lambda: logger_of("target_resolver"))

    async def run(self, mailbox: Mailbox[targets.Inbox]) -> None:
        while await mailbox.more():
            with mailbox.turn as letters:
                for letter in letters:
                    request = letter.message
                    letter.answer(request, self.resolved(request))

    def resolved(self, request: Resolve) -> Resolution:
        """Resolve one request, and trace how."""
        finding = resolve(request.query)
        outcome, readings = finding.outcome, request.query.readings
        self.log.info(
            "target.resolved",
            **concerned(request),
            words=readings[finding.reading].normalized_input if readings else "",
            **searched(request.query),
            phases=msgspec.to_builtins(finding.phases),
            outcome=summary(outcome),
        )
        about = (request.command_id, request.action_id)
        if isinstance(outcome, Success):
            return Bound(*about, outcome, finding.phases, finding.reading)
        return NotBound(*about, outcome, finding.phases, finding.reading)


def concerned(request: Resolve) -> dict[str, object]:
    """Say which command, goal and action a resolution is for; a mere request has none."""
    ids = {name: getattr(request, name) for name in ("command_id", "goal_id", "action_id")}
    return {name: value for name, value in ids.items() if value}


def searched(query: Query) -> dict[str, object]:
    """Say how much was searched, and in which snapshot."""
    if query.page is not None:
        return {"searched": query.page.count, "snapshot": query.page.digest}
    digest = hashlib.blake2b(_encode(query.world), digest_size=8).hexdigest()
    return {"searched": len(query.world.things), "snapshot": digest}


def summary(outcome: Success | Failure) -> str | list[str]:
    """Say in a word what came of it."""
    if isinstance(outcome, Failure):
        return outcome.code
    return [
        thing.id
        for binding in outcome.bindings
        for thing in (binding.direct_target, binding.indirect_target)
        if thing is not None
    ]

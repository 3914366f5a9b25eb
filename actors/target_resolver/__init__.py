"""TargetResolver: the words of a command and a world as it is now, to exactly one thing or none.

Pure and read-only: the world comes with the request. It never guesses: a near miss is named in
the message and not taken, and equal matches are all offered.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import msgspec

from actors.logger import ActorLogger, logger_of
from actors.mailbox import Mailbox
from actors.target_resolver.engine import Finding, resolve
from actors.vault import loggable
from messages import targets
from messages.phrases import ParsedCommand
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
        began = perf_counter()
        finding = resolve(request.query)
        ms = round((perf_counter() - began) * 1000, 3)
        outcome, readings = finding.outcome, request.query.readings
        self.log.info(
            "target.resolved",
            **concerned(request),
            words=readings[finding.reading].normalized_input if readings else "",
            **searched(request.query),
            phases=msgspec.to_builtins(finding.phases),
            outcome=summary(outcome),
            **beside(finding, readings),
            ms=ms,
        )
        about = (request.command_id, request.action_id)
        if isinstance(outcome, Success):
            return Bound(*about, outcome, finding.phases, finding.reading)
        return NotBound(*about, outcome, finding.phases, finding.reading)


def beside(finding: Finding, readings: Sequence[ParsedCommand]) -> dict[str, object]:
    """Say which names were nearly said, and which other readings of the words were not taken."""
    found: dict[str, object] = {}
    if isinstance(finding.outcome, Failure) and finding.outcome.details.near:
        found["near"] = [loggable(name) for name in finding.outcome.details.near]
    if finding.others:
        found["readings"] = [
            {"words": loggable(split_words(readings[each.reading])), "why": why_not(each, finding)}
            for each in finding.others
        ]
    return found


def split_words(parsed: ParsedCommand) -> str:
    """Show how words were split into a verb, the things and what relates them."""
    things = (parsed.direct_span, parsed.relation_token_raw, parsed.indirect_span)
    return " | ".join(filter(None, (parsed.verb, *things)))


def why_not(other: Finding, chosen: Finding) -> str:
    """Say why a reading was not taken."""
    if isinstance(other.outcome, Failure):
        return loggable(other.outcome.message)
    if other.outcome == chosen.outcome:
        return "it means the same things"
    return "another reading says more exactly what is there"


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

"""TargetResolver: the words for one thing and the candidates at hand, to exactly one or none.

Pure and read-only: candidates come with the request. It never guesses: a near miss is named in
the message and not taken, and two equal matches are both offered.
"""

from dataclasses import dataclass, field
from difflib import get_close_matches

from actors.logger import ActorLogger, logger_of
from actors.mailbox import Mailbox
from messages import targets
from messages.results import Code
from messages.targets import Bound, Candidate, NotBound, Resolution, Resolve

SHOWN = 20


@dataclass
class TargetResolver:
    """Keeps nothing between requests."""

    log: ActorLogger = field(default_factory=lambda: logger_of("target_resolver"))

    async def run(self, mailbox: Mailbox[targets.Inbox]) -> None:
        async for letter in mailbox:
            with letter as request:
                resolution = resolve(request)
                self.log.info(
                    "target.resolved",
                    action_id=request.action_id,
                    role=request.role,
                    phrase=request.phrase.text,
                    candidates=[candidate.name for candidate in request.candidates[:SHOWN]],
                    searched=len(request.candidates),
                    outcome=resolution.target.id
                    if isinstance(resolution, Bound)
                    else resolution.code,
                )
                letter.answer(request, resolution)


def resolve(request: Resolve) -> Resolution:
    """Bind the phrase to the one candidate it names: a name as written beats one in other case."""
    wanted = request.phrase.text.strip()
    exact = [candidate for candidate in request.candidates if wanted in names(candidate)]
    folded = [
        candidate
        for candidate in request.candidates
        if wanted.casefold() in {name.casefold() for name in names(candidate)}
    ]
    match exact or folded:
        case [target]:
            return Bound(request.command_id, request.action_id, request.role, target)
        case []:
            return not_bound(request, Code.TARGET_NOT_FOUND, not_found(wanted, request), ())
        case several:
            options = " or ".join(candidate.id for candidate in several)
            message = f"which {wanted} do you mean: {options}?"
            return not_bound(request, Code.AMBIGUOUS_TARGET, message, tuple(several))


def names(candidate: Candidate) -> tuple[str, ...]:
    return (candidate.name, *candidate.aliases)


def not_bound(
    request: Resolve, code: Code, message: str, options: tuple[Candidate, ...]
) -> NotBound:
    return NotBound(request.command_id, request.action_id, request.role, code, message, options)


def not_found(wanted: str, request: Resolve) -> str:
    """Say what was looked for and which names are near."""
    known = sorted({name for candidate in request.candidates for name in names(candidate)})
    near = get_close_matches(wanted, known, n=3)
    hint = f"; there is {' and '.join(map(repr, near))}" if near else ""
    return f"no {wanted!r} among the {len(known)} names here{hint}"

"""The trace of a binding on a page: what was decided for a role, among which elements, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from msgspec.structs import replace

from actors.language.describing import Description
from actors.target_resolver.page.finder import Choice, Finder
from actors.target_resolver.page.reasons import add_place, rule_clues, said_ordinal
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import Seen, Sight, name_for
from actors.target_resolver.page.telling import region
from actors.target_resolver.tracing import SHOWN
from messages.failures import Target
from messages.targets import Clue, Considered, Failure, Phase
from messages.verbs import Role

COMPARED = 2  # of those that were dropped, how many are told clue by clue


def phase_of(
    role: Role,
    outcome: str,
    things: Sequence[Seen],
    choice: Choice | None = None,
    others: Sequence[Considered] = (),
) -> Phase:
    """Write down what was matched for a role, and what was dropped: ``others``."""
    points = {} if choice is None else {fit.seen.at: fit.score for fit in choice.fits}
    reasons = () if choice is None else reasons_of(choice.what)
    kept = [
        considered(
            seen,
            points.get(seen.at, 0),
            reasons,
            clues=(Clue(outcome),) if choice is None else rule_clues(choice.what, seen),
        )
        for seen in things[:SHOWN]
    ]
    listed = (*kept, *others)[:SHOWN]
    return Phase("match", outcome, role, candidates=listed)


def considered(
    seen: Seen,
    score: int,
    reasons: tuple[str, ...] = (),
    dropped: str | None = None,
    clues: tuple[Clue, ...] = (),
) -> Considered:
    """Write down one element, by its place among those seen; ``on_page`` says where that is."""
    return Considered(str(seen.at), name_for(seen), "", seen.frame, score, reasons, dropped, clues)


def reasons_of(what: Description) -> tuple[str, ...]:
    """Say what a reading of the words takes a thing for."""
    said = (
        f"called {what.name!r}" if what.name else "",
        f"kind {what.kind.word!r}" if what.kind is not None else "",
        said_ordinal(what.ordinal) if what.ordinal is not None else "",
        f"{what.relation} something" if what.relation is not None else "",
        "on a side" if what.side is not None else "",
        f"{what.measure[1]} by {what.measure[0]}" if what.measure is not None else "",
        "all of them" if what.every else "",
    )
    return tuple(filter(None, said))


@dataclass
class TracedFinder(Finder):
    """A finder that remembers what each reading was compared with, for the trace."""

    matched: dict[int, list[Fit]] = field(default_factory=dict)

    def matching(self, what: Description, *, hidden: bool) -> list[Fit]:
        fits = super().matching(what, hidden=hidden)
        if not hidden:
            self.matched[id(what)] = fits
        return fits


def runners_up(finder: Finder, choice: Choice) -> tuple[Considered, ...]:
    """Give what the words may mean as well, the best first, and why it was dropped."""
    known = finder.matched.get(id(choice.what)) if isinstance(finder, TracedFinder) else None
    matched = finder.matching(choice.what, hidden=False) if known is None else known
    kept = {fit.seen.at for fit in choice.fits}
    fits = (fit for fit in matched if fit.seen.at not in kept)
    best = nlargest(SHOWN, fits, key=lambda fit: (fit.score, -fit.seen.at))
    return tuple(
        considered(
            fit.seen,
            fit.score,
            dropped=why_dropped(fit, choice),
            clues=rule_clues(choice.what, fit.seen) if number < COMPARED else (),
        )
        for number, fit in enumerate(best)
    )


def why_dropped(fit: Fit, choice: Choice) -> str:
    """Say why an element that goes by the words is not meant."""
    what = choice.what
    if fit.score < choice.score:
        return "a better match was found"
    if what.relations or what.side is not None:
        return "it is not where it was said to be"
    if what.ordinal is not None:
        return f"not {said_ordinal(what.ordinal)}"
    if what.measure is not None:
        return f"not the {what.measure[1]} by {what.measure[0]}"
    return "it belongs to another match, or is further away"


def unusable(finder: Finder, text: str) -> tuple[Considered, ...]:
    """Give what is called as was said, where nothing could be bound, and why it was dropped."""
    anything = Finder(finder.sight, among=finder.among, name_cache=finder.name_cache)
    called = anything.named(text, quoted=True)[:SHOWN]
    return tuple(
        considered(
            seen,
            points,
            dropped="the verb cannot be done with it" if seen.visible else "it cannot be seen",
        )
        for seen, points in called
    )


def on_page(sight: Sight, phase: Phase) -> Phase:
    """Fill in where the candidates of a phase are, and the ids by which they are bound."""
    listed = []
    for each in phase.candidates:
        seen = sight.seen[int(each.id)]
        clues = tuple(add_place(clue, sight, seen) for clue in each.clues)
        where = region(sight, seen)
        listed.append(replace(each, id=sight.target(seen).id, scope=where, clues=clues))
    return replace(phase, candidates=tuple(listed))


def phases_of(
    sight: Sight, match: Phase, found: Sequence[Target] | Failure, *, offered: bool
) -> list[Phase]:
    """Tell the phases of one role, in order; they end where the binding failed."""
    role = match.role
    scopes = ("offered",) if offered else searched(sight)
    match = on_page(sight, match)
    phases = [Phase("scope", "searched", role, scopes=scopes), match]
    kept = [each for each in match.candidates if each.dropped is None]
    if isinstance(found, Failure) and not kept:
        return phases
    if not isinstance(found, Failure):
        ids = {target.id for target in found}
        phases.append(Phase("select", f"{len(found)} of {max(len(kept), len(found))}", role))
        remain = "one remains" if len(ids) == 1 else "all are meant"
        return [*phases, Phase("disambiguate", remain, role)]
    phases.append(Phase("select", f"{len(kept)} of {len(match.candidates)}", role))
    if found.options:
        return [*phases, Phase("disambiguate", f"{len(found.options)} remain", role)]
    return [*phases, Phase("disambiguate", "one remains", role), Phase("bind", found.code, role)]


def searched(sight: Sight) -> tuple[str, ...]:
    """Name the parts of a page that are searched, in their order."""
    frames = ("frame",) if len(sight.page.frames) > 1 else ()
    return (*(("dialog",) if sight.modal >= 0 else ()), "view", "page", *frames)

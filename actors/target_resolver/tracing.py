"""The trace of a resolution: one record for each phase, the same on every world."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from messages.failures import Target
from messages.targets import Binding, Considered, Phase
from messages.verbs import RuleKey

SHOWN = 20  # candidates of one phase


def bind_phase(rule: RuleKey, bindings: Sequence[Binding], phases: Iterable[Phase]) -> Phase:
    """List what was bound, as it was weighed before: twenty at most, and how many there are."""
    weighed = {
        candidate.id: candidate
        for phase in phases
        for candidate in phase.candidates
        if candidate.dropped is None
    }
    targets = [
        target
        for binding in bindings
        for target in (binding.direct_target, binding.indirect_target)
        if target is not None
    ]
    if not targets:
        return Phase("bind", "nothing to bind", rule=rule)
    bound = {target.id: weighed.get(target.id) or unweighed(target) for target in targets}
    listed = tuple(bound.values())[:SHOWN]
    return Phase("bind", f"{len(bindings)} bound", rule=rule, candidates=listed)


def unweighed(target: Target) -> Considered:
    """Write down what was bound without being compared with others."""
    return Considered(target.id, target.name, "", 0, 0)


def selection(
    matched: Sequence[Considered], kept: Iterable[str], why: str
) -> tuple[Considered, ...]:
    """Tell the candidates that were kept from those that were dropped; none if all were kept."""
    ids = set(kept)
    left = [candidate for candidate in matched if candidate.id in ids]
    dropped = [replace(each, dropped=why) for each in matched if each.id not in ids]
    return (*left, *dropped)[:SHOWN] if dropped else ()

"""Capture: ordered checks over a bound action, before anything acts. The first veto stops it.

The checks are policy, and are handed in; the mechanism knows none of them. They see what would
be done to which things, and say nothing, or why not. The resolver never calls them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from messages.capturing import BoundContext, Veto

Check: TypeAlias = Callable[[BoundContext], Veto | None]
Policy: TypeAlias = Mapping[str, Sequence[Check]]


def first_veto(checks: Sequence[Check], context: BoundContext) -> Veto | None:
    """Ask the checks in their order; the first veto decides."""
    for check in checks:
        veto = check(context)
        if veto is not None:
            return veto
    return None

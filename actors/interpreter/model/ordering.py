"""The order of goals that a model stated. It is not trusted for it.

Its own ``after:`` scopes may add to the natural order, never take away.
"""

from collections.abc import Sequence

import msgspec

from actors.interpreter.model.schema import Rules
from actors.interpreter.ordering import Order, are_disturbed
from messages.goals import GoalDraft, scopes


def in_order(drafts: Sequence[GoalDraft], rules: Rules) -> tuple[GoalDraft, ...]:
    """Let each goal wait for the latest one before it that acts on the same thing."""
    goals = [(draft.domain, draft.verb) for draft in drafts]
    order = Order(rules, are_disturbed(goals, rules))
    return tuple(waiting(draft, order.parents(draft)) for draft in drafts)


def waiting(draft: GoalDraft, before: set[int]) -> GoalDraft:
    """Give a goal with the ones it waits for among its scopes."""
    own = [scope for scope in scopes(draft.scope) if scope != "root"]
    stated = (*own, *(f"after:g{index}" for index in sorted(before)))
    return msgspec.structs.replace(draft, scope=tuple(dict.fromkeys(stated)) or "root")

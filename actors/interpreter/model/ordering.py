"""The natural order of goals: those that act on the same thing keep the order they were said in.

A model is not trusted for it. Its own ``after:`` scopes may add to this, never take away.
"""

from collections.abc import Sequence

import msgspec

from actors.interpreter.model.schema import Rules
from messages.goals import GoalDraft, scopes
from messages.rules import Rule

FILES = "files"


def in_order(drafts: Sequence[GoalDraft], rules: Rules) -> tuple[GoalDraft, ...]:
    """Let each goal wait for the latest one before it that acts on the same thing."""
    latest: dict[str, int] = {}
    disturbing = any(disturbs(draft, rules[draft.domain, draft.verb]) for draft in drafts)
    ordered = []
    for index, draft in enumerate(drafts):
        things = shared(draft, rules[draft.domain, draft.verb])
        if disturbing and draft.domain == "file":
            things.append(FILES)
        before = {latest[thing] for thing in things if thing in latest}
        latest.update(dict.fromkeys(things, index))
        ordered.append(waiting(draft, before))
    return tuple(ordered)


def disturbs(draft: GoalDraft, rule: Rule) -> bool:
    """Tell whether a goal does more to files than to make a new one."""
    return draft.domain == "file" and rule.action_class == "actuate" and draft.verb != "create"


def shared(draft: GoalDraft, rule: Rule) -> list[str]:
    """Name what a goal acts on."""
    values = {**dict.fromkeys(rule.params, ""), **draft.params}
    return [thing.format_map(values) for thing in rule.shares]


def waiting(draft: GoalDraft, before: set[int]) -> GoalDraft:
    """Give a goal with the ones it waits for among its scopes."""
    own = [scope for scope in scopes(draft.scope) if scope != "root"]
    stated = (*own, *(f"after:g{index}" for index in sorted(before)))
    return msgspec.structs.replace(draft, scope=tuple(dict.fromkeys(stated)) or "root")

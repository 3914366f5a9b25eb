"""What the log says of a text that was understood: which words became which goals.

The words themselves stand in the text that was accepted. What may speak of a secret is withheld.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from actors.vault import PAGES, SECRETIVE, WITHHELD, loggable
from messages.explaining import DroppedReading
from messages.goals import Goal, MetaGoal
from messages.interpreting import Alternative
from messages.message import Value

Record: TypeAlias = dict[str, Any]

NOTHING = frozenset[str]()
LONGEST = 500  # characters of a value that are told


def understood_goals(meta: MetaGoal, text: str, spans: Sequence[tuple[int, int]]) -> list[Record]:
    """Describe the goals of a text, each with the words it is from.

    ``spans`` are the clauses of the goals, where there is one for each; else all words are shared.
    """
    whole = (0, len(text))
    places = spans if len(spans) == len(meta.goals) else [whole] * len(meta.goals)
    is_withheld = loggable(text) == WITHHELD
    return [
        described(goal, meta.parents(index), "" if is_withheld else text, place)
        for index, (goal, place) in enumerate(zip(meta.goals, places, strict=True))
    ]


def described(goal: Goal, parents: Sequence[int], text: str, span: tuple[int, int]) -> Record:
    """Describe one goal by the place of its words; without a text they are withheld."""
    about: Record = {"goal": goal.goal_id, "does": f"{goal.domain}.{goal.verb}"}
    if text:
        roles = {name: loggable(phrase.text) for name, phrase in goal.roles.items()}
        # What is typed on a page may yet turn out to go into a password field.
        hidden = SECRETIVE if goal.domain == PAGES else NOTHING
        told: Record = {
            "span": span,
            "params": {
                name: shown(value) for name, value in goal.params.items() if name not in hidden
            },
            "roles": roles or read_roles(goal),
            "takes": goal.takes,
        }
        about.update((name, value) for name, value in told.items() if value)
    if parents:
        about["waits_for"] = [f"g{parent}" for parent in parents]
    return about


def read_roles(goal: Goal) -> Mapping[str, str]:
    """Give the words for things by their roles, as they are best split."""
    best = goal.readings[0] if goal.readings else None
    if best is None:
        return {}
    spans = {"direct": best.direct_span, "indirect": best.indirect_span}
    return {role: loggable(words) for role, words in spans.items() if words}


def shown(value: Value) -> Value:
    """Give a value as it may be written down; of a long text its beginning."""
    if not isinstance(value, str):
        return value
    text = loggable(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def dropped_readings(dropped: Sequence[DroppedReading]) -> list[Record]:
    """Describe the readings that were not taken."""
    return [msgspec.to_builtins(each) for each in dropped]


def way_told(way: Alternative) -> Record:
    """Describe one of the ways in which a text can be meant."""
    return {"words": way.text, "goals": [f"{each.domain}.{each.verb}" for each in way.drafts]}

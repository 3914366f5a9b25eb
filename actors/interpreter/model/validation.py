"""What of a model's answer is believed: goals in the user's own words.

Pure. The model is never trusted for a value, a selector, an id or an order: values are taken from
where they stand in the text, the order follows from what goals act on, and scopes go through the
same resolution as everybody's. One goal that cannot be believed refuses the whole answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from actors.interpreter.model.answer import (
    MAX_GOALS,
    SAID,
    ModelAnswer,
    ModelGoal,
    Unsupported,
    json_in,
)
from actors.interpreter.model.goal_fields import GoalReader, Table, Unbelieved, cropped
from actors.interpreter.model.ordering import in_order
from actors.interpreter.model.source_text import Literal, SourceText
from actors.language.words import fold
from messages.goals import GoalDraft, ScopeWarning

_decode = msgspec.json.Decoder(ModelAnswer).decode


@dataclass(frozen=True, slots=True)
class Understood:
    """Goals that are believed, with what was dropped of them.

    ``objection`` if one of them cannot be carried out as it stands: the model may say it better.
    """

    drafts: tuple[GoalDraft, ...]
    warnings: tuple[ScopeWarning, ...] = ()
    objection: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is not believed, and why; ``final`` if asking again could not help."""

    reason: str
    final: bool = False


Validation: TypeAlias = Understood | Refusal


def validate_answer(text: str, answer: str, table: Table) -> Validation:
    """Turn an answer about a text into goals, or say why it is refused."""
    try:
        decoded = _decode(json_in(answer)).answer
    except (msgspec.DecodeError, RecursionError) as error:
        return Refusal(f"the answer is not of the form: {error}")
    if isinstance(decoded, Unsupported):
        return Refusal(SAID[decoded.why], final=True)
    if not decoded.goals:
        return Refusal("there are no goals in it")
    source = SourceText.of(text)
    most = min(MAX_GOALS, len(source.words))
    if len(decoded.goals) > most:
        return Refusal(f"{len(decoded.goals)} goals are too many; at most {most} can be meant")
    try:
        return read_goals(decoded.goals, source, table)
    except Unbelieved as problem:
        return Refusal(str(problem))


def read_goals(goals: Sequence[ModelGoal], source: SourceText, table: Table) -> Understood:
    """Read every goal of an answer."""
    drafts: list[GoalDraft] = []
    warnings: list[ScopeWarning] = []
    objections: list[str] = []
    for index, goal in enumerate(goals):
        reader = GoalReader(goal, index, source, table, drafts)
        drafts.append(reader.draft())
        warnings += reader.warnings
        objections += [reader.objection] if reader.objection else []
    if all((draft.domain, draft.verb) in table.names for draft in drafts):
        check_nothing_is_lost(source, drafts)
    return Understood(in_order(drafts, table.names), tuple(warnings), "; ".join(objections))


def check_nothing_is_lost(source: SourceText, drafts: list[GoalDraft]) -> None:
    """Refuse goals that leave out a quoted text, an address, a file or a number that was said."""
    values = list(everything(drafts))
    used = fold(" ".join(map(str, values)))
    numbers = {float(each) for each in values if isinstance(each, int | float)}
    for literal in source.literals():
        if not is_used(literal, used, numbers):
            raise Unbelieved(f"{cropped(literal.text)} was said, and no goal has it")


def is_used(literal: Literal, used: str, numbers: set[float]) -> bool:
    """Tell whether a literal is among what goals have; a number in any notation."""
    return fold(literal.text) in used or not numbers.isdisjoint(literal.values)


def everything(drafts: list[GoalDraft]) -> Iterator[object]:
    """Give all values, roles and scopes of goals."""
    for draft in drafts:
        for value in draft.params.values():
            yield from value if isinstance(value, tuple) else (value,)
        yield from draft.roles.values()
        yield from (draft.scope,) if isinstance(draft.scope, str) else draft.scope

"""Recipes that a user has taught: how they are asked for in words, and the goals they come to.

"Do the Friday report for March" names a recipe and gives it a value. Values only ever fill slots:
what a value says is never read as a command.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

import msgspec

from actors.language.chores import slots_in
from actors.language.words import key_of
from messages.goals import GoalDraft, Scope, scopes, shift_goal_id
from messages.message import Value
from messages.taught import DOMAIN, NAME, NO_NAME, RUN, SLOT, Taught, TaughtStep

MOST_CALLS = 5  # recipes that run recipes
AFTER = re.compile(r"after:g(\d+)")
GOAL = re.compile(r"g(\d+)")
NO_QUOTED = re.compile(r"[\n\r\"“”]")
QUOTED_SLOT = re.compile(r'"\{\w+\}"')
PAGES = "browser"
MOST_EXPANDED = 500


class TaughtWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which recipes are asked for, as in ``taught.toml``."""

    leading: tuple[str, ...]
    articles: frozenset[str]
    trailing: frozenset[str]
    giving: tuple[str, ...]
    months: frozenset[str]
    weekdays: frozenset[str]
    filling: frozenset[str]
    closing: frozenset[str]


@cache
def taught_words() -> TaughtWords:
    return msgspec.toml.decode((files(__package__) / "taught.toml").read_bytes(), type=TaughtWords)


class Cookbook(Protocol):
    """Where the recipes of a user are kept."""

    def recipes(self) -> Mapping[str, Taught]:
        """Give them, each by the key of its name."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A recipe is asked for, and it cannot be said with which values."""

    message: str


def recipe_key(name: str) -> str:
    """Write the name of a recipe in the one way in which it is compared.

    >>> recipe_key("The Friday-report")
    'friday report'
    """
    return key_of(recipe_name(name))


def recipe_name(said: str) -> str:
    """Give a name without the article before it: "the Friday report"."""
    words = said.strip(" \"'").split()
    is_led = len(words) > 1 and words[0].casefold() in taught_words().articles
    return " ".join(words[1:] if is_led else words)


# Asked for in words


def read_call(text: str, recipes: Mapping[str, Taught]) -> GoalDraft | Unclear | None:
    """Read a text that asks for a recipe; None if it is about none.

    >>> report = Taught("Friday report", (TaughtStep("browser.reload"),), values={"month": "May"})
    >>> call = read_call("do the friday report for March", {"friday report": report})
    >>> dict(call.params)
    {'name': 'Friday report', 'month': 'March'}
    """
    said = text.strip().rstrip(".!").strip()
    for recipe in recipes.values():
        if (slots := slots_in(said, recipe.says)) is not None:
            return GoalDraft(DOMAIN, RUN, {NAME: recipe.name, **slots})
    rest = behind_lead(said)
    found = None if rest is None else longest_named(rest, recipes)
    if found is None:
        return None
    recipe, behind = found
    values = values_behind(behind, recipe)
    if values is None or isinstance(values, Unclear):
        return values
    return GoalDraft(DOMAIN, RUN, {NAME: recipe.name, **values})


def behind_lead(said: str) -> str | None:
    """Give what stands behind "do the", "please run my"; None if it does not begin so."""
    words = said.split()
    words = words[1:] if words and words[0].casefold() == "please" else words
    for lead in sorted(taught_words().leading, key=len, reverse=True):
        count = len(lead.split())
        if [word.casefold() for word in words[:count]] == lead.split():
            rest = words[count:]
            if rest and rest[0].casefold() in taught_words().articles:
                rest = rest[1:]
            return " ".join(rest)
    return None


def longest_named(said: str, recipes: Mapping[str, Taught]) -> tuple[Taught, str] | None:
    """Find the recipe whose name a text begins with, and what stands behind it."""
    words = said.split()
    for count in range(len(words), 0, -1):
        recipe = recipes.get(recipe_key(" ".join(words[:count]).rstrip(",")))
        if recipe is not None:
            rest = words[count:]
            while rest and rest[-1].casefold() in taught_words().trailing:
                rest = rest[:-1]
            return recipe, " ".join(rest)
    return None


def values_behind(said: str, recipe: Taught) -> dict[str, Value] | Unclear | None:
    """Read the values that are said behind the name of a recipe: "for March", "with price 12"."""
    if not said:
        return {}
    named = named_slots(recipe)
    pattern = slot_pattern(named)
    found = [] if pattern is None else list(pattern.finditer(f" {said}"))
    head = said if not found else f" {said}"[: found[0].start()].strip(" ,")
    values: dict[str, Value] = {}
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(said) + 1
        value = f" {said}"[match.end() : end].strip(" ,")
        if not value:
            return Unclear(f"no value is said for {match['slot']!r}")
        values[named[key_of(match["slot"])]] = bare(value)
    if not head:
        return values
    leads = [lead for lead in taught_words().giving if head.casefold().startswith(f"{lead} ")]
    if not leads:
        # What is not understood is not dropped: a time, for one, would be done now.
        return Unclear(f"{head!r} is not understood here") if found else None
    value = bare(head[len(leads[0]) :].strip())
    slot = slot_for(value, recipe, frozenset(values))
    return slot if isinstance(slot, Unclear) else {slot: value, **values}


def named_slots(recipe: Taught) -> dict[str, str]:
    """Give the slots by the words that stand for them."""
    return {key_of(name.replace("_", " ")): name for name in recipe.slots()}


def slot_pattern(named: Mapping[str, str]) -> re.Pattern[str] | None:
    """Make a pattern that finds where a slot is named in a text."""
    if not named:
        return None
    longest = sorted(named, key=len, reverse=True)
    spoken = "|".join(r"[\s_]+".join(map(re.escape, name.split())) for name in longest)
    return re.compile(
        rf"(?:\s*,\s*|\s+)(?:(?:with|and|using|the|a|an|as)\s+)*(?P<slot>{spoken})"
        r"(?:\s*[=:]\s*|\s+(?:(?:is|as|to|of)\s+)?)",
        re.IGNORECASE,
    )


def slot_for(value: str, recipe: Taught, taken: frozenset[str]) -> str | Unclear:
    """Say which slot a value is for that was said without one: the only one, or one like it."""
    free = [name for name in recipe.values if name not in taken]  # a secret is said by its name
    if len(free) == 1:
        return free[0]
    alike = [name for name in free if sort_of(recipe.values.get(name, "")) == sort_of(value)]
    if len(alike) == 1:
        return alike[0]
    if not free:
        return Unclear(f"{recipe.name!r} takes no value; it is done without {value!r}")
    told = ", ".join(name.replace("_", " ") for name in free)
    return Unclear(f"{value!r} could be any of: {told}; say with {free[0].replace('_', ' ')} ...")


def sort_of(value: str) -> str:
    """Say what sort of value a text is: a month, a number, an address, or only a text."""
    key = value.strip().casefold()
    if key in taught_words().months:
        return "month"
    if key in taught_words().weekdays:
        return "weekday"
    if re.fullmatch(r"[^\w\s]?\d[\d.,]*\s?[^\w\s]?", key):
        return "number"
    if re.fullmatch(r"\S+@\S+\.\w+", key):
        return "mail"
    if re.fullmatch(r"\w{3,5}://\S+", key):
        return "address"
    return "date" if re.search(r"\d", key) and re.search(r"[-./:]|\d{4}", key) else "text"


def bare(value: str) -> str:
    """Leave out the quotes around a value."""
    quotes = {'"': '"', "'": "'", "“": "”"}
    is_quoted = len(value) > 1 and quotes.get(value[0]) == value[-1]
    return value[1:-1] if is_quoted else value


# Goals


@dataclass(frozen=True, slots=True)
class Expansion:
    """The goals of a command with its recipes in full, and those that are bound together."""

    drafts: tuple[GoalDraft, ...]
    together: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()


def is_call(draft: GoalDraft) -> bool:
    """Tell whether a goal asks for a recipe."""
    return (draft.domain, draft.verb) == (DOMAIN, RUN)


def expand(drafts: Sequence[GoalDraft], recipes: Mapping[str, Taught]) -> Expansion | Unclear:
    """Put the steps of recipes in the place of the goals that ask for them."""
    made: list[GoalDraft] = []
    groups: list[tuple[int, ...]] = []
    names: list[str] = []
    ends: list[int] = []  # by the number of a goal as it was said: its last one now
    for draft in drafts:
        if not is_call(draft):
            made.append(renumber_goal(draft, ends))
            ends.append(len(made) - 1)
            continue
        steps = steps_of(draft, recipes, MOST_CALLS)
        if isinstance(steps, Unclear):
            return steps
        start = len(made)
        for at, (_, goal) in enumerate(steps):
            own = list(scopes(goal.scope)) if goal.scope != "root" else []
            before = list(waits(draft, ends)) if at == 0 else [f"after:g{start + at - 1}"]
            scope = tuple(dict.fromkeys((*before, *own))) or "root"
            made.append(with_shifted_takes(msgspec.structs.replace(goal, scope=scope), start))
        ends.append(len(made) - 1)
        names.append(str(draft.params.get(NAME)))
        groups += [tuple(start + each for each in group) for group in groups_of_steps(steps)]
    return Expansion(tuple(made), tuple(groups), tuple(names))


Steps = Sequence[tuple[TaughtStep, GoalDraft]]


def steps_of(
    call: GoalDraft, recipes: Mapping[str, Taught], calls: int
) -> list[tuple[TaughtStep, GoalDraft]] | Unclear:
    """Give the steps of a recipe with its values; a step may ask for another recipe."""
    name = str(call.params.get(NAME, ""))
    recipe = recipes.get(recipe_key(name))
    if recipe is None:
        known = ", ".join(sorted(each.name for each in recipes.values())) or "none yet"
        return Unclear(f"no recipe is called {name!r}; there are: {known}")
    if not calls:
        return Unclear(f"{recipe.name!r} runs itself, or too many others")
    values = values_for(recipe, call.params)
    if isinstance(values, Unclear):
        return values
    found: list[tuple[TaughtStep, GoalDraft]] = []
    ends: list[int] = []  # by the number of a step as it is written: its last goal
    for step in recipe.steps:
        goal = goal_of_step(step, values)
        if isinstance(goal, Unclear):
            return goal
        if not is_call(goal):
            found.append((step, renumber_goal(goal, ends)))
            ends.append(len(found) - 1)
            continue
        inner = steps_of(goal, recipes, calls - 1)
        if isinstance(inner, Unclear):
            return inner
        found += [(each, with_shifted_takes(own, len(found))) for each, own in inner]
        ends.append(len(found) - 1)
        if len(found) > MOST_EXPANDED:
            return Unclear(f"{recipe.name!r} comes to more than {MOST_EXPANDED} steps")
    return found


def values_for(recipe: Taught, params: Mapping[str, Value]) -> dict[str, str] | Unclear:
    """Give every slot of a recipe its value: the one that was said, or the one that is kept."""
    given = {name: value for name, value in params.items() if name != NAME}
    unknown = [name for name in given if name not in recipe.slots()]
    if unknown:
        known = ", ".join(recipe.slots()) or "none"
        return Unclear(f"{recipe.name!r} has no value {unknown[0]!r}; it has: {known}")
    missing = [name for name in recipe.asked if name not in given]
    if missing:
        return Unclear(f"{recipe.name!r} needs a value for {missing[0]!r}: with {missing[0]} ...")
    if not all(type(value) in {str, int, float} for value in given.values()):
        return Unclear("a value of a recipe is a text or a number")
    return {**recipe.values, **{name: str(value) for name, value in given.items()}}


def goal_of_step(step: TaughtStep, values: Mapping[str, str]) -> GoalDraft | Unclear:
    """Make the goal of a step, with values in its slots."""
    for text in (*step.roles.values(), step.words or ""):
        # Between quotes a value is a name, whatever it says; only quotes would end it.
        forbidden = NO_QUOTED if QUOTED_SLOT.fullmatch(text) else NO_NAME
        for slot in SLOT.findall(text):
            if forbidden.search(values.get(slot, "")) is not None:
                return Unclear(f"{values[slot]!r} cannot name something on the page ({slot})")
    domain, _, verb = step.do.partition(".")
    params = {
        name: fill_slots(value, values) if isinstance(value, str) else value
        for name, value in step.params.items()
    }
    roles = {name: fill_slots(text, values) for name, text in step.roles.items()}
    words = None if step.words is None else fill_slots(step.words, values)
    thing = None if step.object is None else fill_slots(step.object, values)
    scope = "root" if step.scope is None else step.scope
    return GoalDraft(domain, verb, params, roles, words, thing, scope, step.takes)


def fill_slots(text: str, values: Mapping[str, str]) -> str:
    """Put values into the slots of a text; what stands in braces and is no slot stays."""
    return SLOT.sub(lambda slot: values.get(slot[1], slot[0]), text)


def groups_of_steps(steps: Steps) -> Iterator[tuple[int, ...]]:
    """Name the steps that are all bound before the first of them is done.

    These are fields of one form, and the button behind them: all of it is there at once, unless a
    step says that it comes later.
    """
    words = taught_words()
    group: list[int] = []
    for at, (step, goal) in enumerate(steps):
        is_field = goal.domain == PAGES and goal.verb in words.filling and bool(goal.roles)
        is_end = goal.domain == PAGES and goal.verb in words.closing and bool(goal.roles)
        if step.later or not (is_field or is_end):
            yield from groups_of(group)
            group = []
        if is_field or is_end:
            group.append(at)
        if is_end:
            yield from groups_of(group)
            group = []
    yield from groups_of(group)


def groups_of(group: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if len(group) > 1:
        yield tuple(group)


def waits(draft: GoalDraft, ends: Sequence[int]) -> Iterator[str]:
    """Give the scopes of a goal that asks for a recipe, for its first step."""
    for scope in scopes(draft.scope):
        if scope != "root":
            yield renumber_scope(scope, ends)


def renumber_goal(draft: GoalDraft, ends: Sequence[int]) -> GoalDraft:
    """Let a goal speak of others by their new numbers."""
    if draft.scope == "root" and not draft.takes:
        return draft
    said = tuple(renumber_scope(each, ends) for each in scopes(draft.scope))
    takes = {name: new_goal_id(each, ends) for name, each in draft.takes.items()}
    scope: Scope = said[0] if len(said) == 1 else said
    return msgspec.structs.replace(draft, scope=scope, takes=takes)


def renumber_scope(scope: str, ends: Sequence[int]) -> str:
    found = AFTER.fullmatch(scope)
    return scope if found is None else f"after:{new_goal_id(f'g{found[1]}', ends)}"


def new_goal_id(goal: str, ends: Sequence[int]) -> str:
    found = GOAL.fullmatch(goal)
    at = int(found[1]) if found is not None else len(ends)
    return f"g{ends[at]}" if at < len(ends) else goal


def with_shifted_takes(goal: GoalDraft, by: int) -> GoalDraft:
    """Let a goal take from others that stand so many places further on."""
    if not goal.takes:
        return goal
    takes = {name: shift_goal_id(each, by) for name, each in goal.takes.items()}
    return msgspec.structs.replace(goal, takes=takes)

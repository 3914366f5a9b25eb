"""Recipes: from a chore that names its result to the stages and ways of doing it.

Pure. A recipe is data (``recipes/*.toml``); this fills its slots with the words of a goal, and
plans every way as a goal of its own. Which of them a page offers is found out when it is bound.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product

import msgspec

from actors.language.chores import (
    New,
    fields_and_values,
    is_name,
    kind_of_thing,
    names_of_kind,
    number_of_ordinal,
    readings_of_new,
    slots_in,
    split_finish,
    values_in,
    ways_to_call,
)
from actors.language.words import key_of
from messages.goals import Goal
from messages.message import Value
from messages.phrases import ParsedCommand, Phrase
from messages.plans import PlannedAction
from messages.recipes import Course, Stage, Step, Way
from messages.taught import SLOT

DOMAIN = "browser"
MOST_WAYS = 40
SHOWN_ALREADY = (["this"], ["that"], ["it"])
POSSESSIVE = frozenset({"its", "her", "his", "their"})
TARGET, FIELDS, FINISH = "target", "fields", "finish"

Planned = Callable[[Goal], PlannedAction | None]
Slots = Mapping[str, tuple[str, ...]]


class StepRow(msgspec.Struct, frozen=True, rename={"tries": "try", "others": "or"}):
    """A step as it is written: what is done, and by which words its target is tried."""

    do: str
    tries: tuple[str, ...] = ()
    value: str = ""
    text: str = ""
    query: str = ""
    others: tuple["StepRow", ...] = ()


class StageRow(msgspec.Struct, frozen=True):
    """A stage as it is written; ``each`` names the slot of which every value is a step."""

    name: str
    steps: tuple[StepRow, ...] = ()
    needs: str = ""
    leaves: str = ""
    each: str = ""
    optional: bool = False
    ends: bool = False
    alone: bool = False
    about: tuple[str, ...] = ()


class Recipe(msgspec.Struct, frozen=True, rename={"verb": "for"}):
    """A recipe as it is written; it is ``for`` a verb, or for words that say it so.

    One that is ``like`` another has its stages, with ``fields`` and more stages of its own.
    """

    name: str
    stages: tuple[StageRow, ...] = ()
    like: str = ""
    fields: tuple[StepRow, ...] = ()
    says: tuple[str, ...] = ()
    verb: str = ""


class RecipeTable(msgspec.Struct, frozen=True):
    """All recipes of a file, and the names of controls that they share."""

    names: Mapping[str, tuple[str, ...]]
    recipe: tuple[Recipe, ...]


@cache
def ready_made() -> RecipeTable:
    """Read the recipes that come with Behest."""
    text = (files(__package__) / "recipes" / "page.toml").read_bytes()
    table = msgspec.toml.decode(text, type=RecipeTable)
    by_name = {recipe.name: recipe for recipe in table.recipe}
    whole = tuple(with_stages(recipe, by_name) for recipe in table.recipe)
    return msgspec.structs.replace(table, recipe=whole)


def with_stages(recipe: Recipe, by_name: Mapping[str, Recipe]) -> Recipe:
    """Give a recipe the stages of the one that it is like, with its own before the fields."""
    if not recipe.like:
        return recipe
    stages: list[StageRow] = []
    for row in by_name[recipe.like].stages:
        is_fields = row.name == FIELDS
        own = recipe.stages if is_fields else ()
        stages += (
            *own,
            msgspec.structs.replace(row, steps=recipe.fields) if is_fields else row,
        )
    return msgspec.structs.replace(recipe, stages=tuple(stages))


def course_for(goal: Goal, planned: Planned) -> Course | None:
    """Give the course for a goal; None if no recipe is for its words."""
    table = ready_made()
    said = next((phrase.text for phrase in goal.roles.values()), "")
    for recipe in table.recipe:
        slots = slots_for(recipe, goal, said)
        if slots is not None:
            maker = CourseMaker(goal, table, slots, planned)
            stages = maker.with_finish(maker.stages(recipe))
            if not stages:
                continue
            is_shown = slots.get("thing", "").casefold().split()[:1] in SHOWN_ALREADY
            done = ("open",) if is_shown else ()
            thing = slots.get("thing", "")
            things = () if is_shown or not thing else ways_to_call(thing)
            return Course(recipe.name, tuple(stages), done, things, slots.get("finish", ""))
    return None


def slots_for(recipe: Recipe, goal: Goal, said: str) -> dict[str, str] | None:
    """Read the slots of a recipe from a goal: by its verb and values, or by its words."""
    if recipe.verb == goal.verb == "set":
        return slots_of_change(said, str(goal.params.get("value", "")))
    if recipe.verb == goal.verb:
        return {name: str(value) for name, value in goal.params.items()}
    if goal.verb != "use" or not recipe.says:
        return None
    chore, finish = split_finish(said)
    if finish and (slots := slots_said(chore, recipe.says)) is not None:
        return {**slots, "finish": finish}
    return slots_said(said, recipe.says)


def slots_of_change(said: str, value: str) -> dict[str, str] | None:
    """Read the words for a field that is set: "price of the lamp", "its price"."""
    whose, _, own = said.partition(" ")
    if whose.casefold() in POSSESSIVE and own:
        return {"field": own, "thing": "this", "value": value}
    field, of, thing = said.partition(" of ")
    return {"field": field, "thing": thing, "value": value} if of and thing else None


def slots_said(text: str, says: Sequence[str]) -> dict[str, str] | None:
    """Read a chore by the first way to say it that fits; several of a kind are no name.

    "Remove Alba from the boats" is about a list, "delete the message from Tom" about a person.
    """
    for each in says:
        slots = slots_in(text, (each,))
        if slots is not None and not is_name(slots.get("kinds", "")):
            return slots
    return None


@dataclass
class CourseMaker:
    """Fills the stages of a recipe with the words of one goal."""

    goal: Goal
    table: RecipeTable
    said: Mapping[str, str]
    planned: Planned
    made: int = 0

    def stages(self, recipe: Recipe) -> list[Stage]:
        """Give the stages that have something to do; a stage that needs one of them is kept."""
        found: list[Stage] = []
        last = len(recipe.stages) - 1
        for at, row in enumerate(recipe.stages):
            steps = list(self.steps(row))
            about = tuple(text for each in row.about for text in self.filled(each))
            if row.about and not about:
                continue
            if not (steps or about) or any(not step.ways for step in steps):
                if row.optional or row.name.partition("_")[0] in {"list", "open"} or row.alone:
                    continue
                return []
            behind = recipe.stages[at + 1 :]
            ends = row.ends or at == last or all(each.optional for each in behind)
            needs, leaves = row.needs, row.leaves
            found.append(Stage(row.name, tuple(steps), needs, leaves, ends, row.alone, about))
        return found

    def with_finish(self, stages: list[Stage]) -> list[Stage]:
        """Add what is to be done at last, if that was said; it is all that ends the course then."""
        if not stages or "finish" not in self.said:
            return stages
        step = StepRow("use", ('"{finish}" button', '"{finish}"', '"{finish} {kind}"'))
        ways = tuple(self.ways(step))
        ends = tuple(stage.name for stage in stages if stage.ends)
        last = Stage(FINISH, (Step(self.said["finish"], ways),), ends=True, one_of=ends)
        return [*(msgspec.structs.replace(stage, ends=False) for stage in stages), last]

    def steps(self, row: StageRow) -> Iterator[Step]:
        if row.each == "values":
            yield from (Step(self.telling(step), tuple(self.all_ways(step))) for step in row.steps)
            yield from self.value_steps()
            return
        for step in row.steps:
            ways = tuple(self.all_ways(step))
            yield Step(self.telling(step), ways[:MOST_WAYS], row.optional)

    def all_ways(self, step: StepRow) -> Iterator[Way]:
        for each in (step, *step.others):
            yield from self.ways(each)

    def telling(self, step: StepRow) -> str:
        """Put a step into words for a person."""
        return f"{step.do} {self.fill_one(step.tries[0])}" if step.tries else step.do

    # Slots

    @property
    def news(self) -> tuple[New, ...]:
        return tuple(readings_of_new(self.said["what"])) if "what" in self.said else ()

    def slots(self) -> Slots:
        """Give for every slot the ways to fill it, the best first."""
        thing = self.said.get("thing", "")
        kinds = [new.kind for new in self.news] or [kind_of_thing(thing)]
        kinds = [kind for kind in kinds if kind]
        listed = [name for kind in kinds for name in names_of_kind(kind)]
        if said := self.said.get("kinds"):
            listed = [said]
        plain = {name: (value,) for name, value in self.said.items()}
        if number := number_of_ordinal(self.said.get("ordinal", "")):
            plain["number"] = (number,)
        return {
            **plain,
            "thing": ways_to_call(thing) if thing else (),
            "kind": tuple(kinds),
            "kinds": tuple(listed),
        }

    def filled(self, template: str) -> Iterator[str]:
        """Give the texts that a template stands for, with every way to fill its slots."""
        if template.startswith("{names."):
            for each in self.table.names[template[len("{names.") : -1]]:
                yield from self.filled(each)
            return
        names = list(dict.fromkeys(SLOT.findall(template)))
        slots = self.slots()
        for values in product(*(slots.get(name, ()) for name in names)):
            text = template
            if template == "{thing}" and key_of(values[0]).isdecimal():
                continue  # a number alone is no name
            for name, value in zip(names, values, strict=True):
                text = text.replace(f"{{{name}}}", value)
            yield text

    def fill_one(self, template: str) -> str:
        return next(self.filled(template), template)

    # Ways

    def ways(self, step: StepRow) -> Iterator[Way]:
        params: dict[str, Value] = {}
        texts = (("value", step.value), ("text", step.text), ("query", step.query))
        for name, template in texts:
            if template and not (filled := next(self.filled(template), "")):
                return
            if template:
                params[name] = unquoted(filled)
        if step.query:
            params["here"] = params["only"] = True
        if not step.tries:
            yield from self.way(step.do, "", params)
        for template in step.tries:
            for words in self.filled(template):
                yield from self.way(step.do, words, params)

    def way(self, verb: str, words: str, params: Mapping[str, Value]) -> Iterator[Way]:
        """Plan one way, as a goal of its own."""
        self.made += 1
        phrase = Phrase(words)
        parsed = ParsedCommand(verb, verb, normalized_input=words, direct_span=words, direct=phrase)
        goal = Goal(
            f"{self.goal.goal_id}.{self.made}",
            DOMAIN,
            verb,
            params,
            {TARGET: phrase} if words else {},
            (parsed,) if words else (),
        )
        action = self.planned(goal)
        if action is not None:
            yield Way(goal, action)

    def value_steps(self) -> Iterator[Step]:
        """Give a step for the name of what is made, and one for each value that is said of it."""
        news = self.news
        if not news:
            return
        names = [new.name for new in news if new.name]
        if names:
            fields = self.table.names["title"]
            ways = tuple(
                way
                for name in dict.fromkeys(names)
                for field in fields
                for words in self.filled(field)
                for way in self.way("set", words, {"value": name})
            )
            yield Step(f"name it {names[-1]}", ways[:MOST_WAYS])
        for said in values_in(news[-1].values):
            pairs = dict.fromkeys(fields_and_values(said))
            ways = tuple(
                way for field, value in pairs for way in self.way("set", field, {"value": value})
            )
            bare = said.split()[-1]
            options = tuple(self.way("select", f'"{bare}"', {}))
            yield Step(said, (*ways[: MOST_WAYS - 1], *options))


def unquoted(value: str) -> str:
    """Give a value without the quotes that it was said in."""
    is_quoted = len(value) > 1 and (value[0], value[-1]) in {('"', '"'), ("“", "”"), ("'", "'")}
    return value[1:-1] if is_quoted else value


def ways_to_say() -> Iterator[str]:
    """Give all ways to say what recipes do."""
    for recipe in ready_made().recipe:
        yield from recipe.says

"""Teaching as tools: record, remember, list, show, write, check and remove recipes."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.journaling import Recall, Stories, Story
from messages.message import Request, Row
from messages.results import Code
from messages.taught import DOMAIN, Taught
from messages.trace import current
from tools.recipes.cookbook import RecipeFolder
from tools.recipes.reading import BadRecipe
from tools.recipes.recording import (
    Recording,
    ValuesIn,
    last_commands,
    no_values,
    since_start,
)
from tools.tool import AnyTool, Params, Tool

R = TypeVar("R")
P = TypeVar("P", bound=Params)
INTENT = "recipe_control"
ANSWER_SECONDS = 60.0
MOST_COMMANDS = 2_000
NOTHING_RECORDED = "nothing is being recorded; begin with: behest record NAME"
NOTHING_DONE = "nothing was done in this session that could be remembered"


class Journal(Protocol):
    """Who knows what was done."""

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R: ...


class Nothing(Params, frozen=True):
    """No parameters."""


class Named(Params, frozen=True):
    name: str


class Remembered(Params, frozen=True):
    name: str
    last: int = 1


class Written(Params, frozen=True):
    name: str
    content: str


class Checked(Params, frozen=True):
    name: str = ""


def recipe_tools(
    journal: Journal, folder: RecipeFolder, values_in: ValuesIn = no_values
) -> tuple[AnyTool, ...]:
    """Declare the tools."""
    teaching = Teaching(journal, folder, values_in)
    return (
        tool("record", Named, teaching.record),
        tool("stop", Nothing, teaching.stop),
        tool("cancel", Nothing, teaching.cancel),
        tool("remember", Remembered, teaching.remember),
        tool("list", Nothing, teaching.list_all),
        tool("show", Named, teaching.show),
        tool("write", Written, teaching.write),
        tool("check", Checked, teaching.check),
        tool("remove", Named, teaching.remove),
    )


def tool(verb: str, params: type[P], act: Callable[[P], Awaitable[Outcome]]) -> AnyTool:
    return Tool(
        name=f"recipes.{verb}",
        intent=INTENT,
        achieves=frozenset({f"recipe_{verb}"}),
        params=params,
        act=act,
    )


@dataclass
class Teaching:
    """What the tools do."""

    journal: Journal
    folder: RecipeFolder
    values_in: ValuesIn = field(default=no_values)

    # Recording

    async def record(self, params: Named) -> Outcome:
        """Begin to record: what is done from here on becomes steps."""
        stories = await self.session_stories()
        if (begun := since_start(stories)) is not None:
            how = "behest record --stop, or --cancel"
            message = f"{begun[0]!r} is being recorded; end that with: {how}"
            return Refused(Code.NOT_FEASIBLE, message)
        if (problem := self.folder.name_problem(params.name)) is not None:
            return Refused(Code.NOT_FEASIBLE, problem)
        return Done({"recording": params.name}, changed=False)

    async def stop(self, _params: Nothing) -> Outcome:
        """End a recording, and keep what was done since it began."""
        begun = since_start(await self.session_stories())
        if begun is None:
            return Refused(Code.NOT_FEASIBLE, NOTHING_RECORDED)
        return self.keep(*begun)

    async def cancel(self, _params: Nothing) -> Outcome:
        """End a recording, and keep nothing of it."""
        begun = since_start(await self.session_stories())
        if begun is None:
            return Refused(Code.NOT_FEASIBLE, NOTHING_RECORDED)
        return Done({"not_kept": begun[0]}, changed=False)

    async def remember(self, params: Remembered) -> Outcome:
        """Keep the last commands of the session as a recipe."""
        found = last_commands(await self.session_stories(), max(1, params.last))
        if not found:
            return Refused(Code.NOT_FEASIBLE, NOTHING_DONE)
        return self.keep(params.name, found)

    def keep(self, name: str, stories: Sequence[Story]) -> Outcome:
        recording = Recording(self.values_in)
        for story in stories:
            recording.add(story)
        if not recording.steps:
            return Refused(Code.NOT_FEASIBLE, f"nothing was done that {name!r} could repeat")
        recipe = recording.recipe(self.folder.name_of(name))
        former = self.folder.text_of(name)
        try:
            file = self.folder.save(recipe)
        except (BadRecipe, OSError) as error:
            return Refused(Code.NOT_FEASIBLE, f"it could not be kept: {error}")
        told = told_of(recipe)
        told["file"] = file
        if former is not None:
            told["replaced"] = True
        if recording.left_out:
            told["left_out"] = tuple(recording.left_out)
        return Done(told, undo=as_before(recipe.name, former))

    async def session_stories(self) -> Sequence[Story]:
        """Give what was done in the session that asks, the oldest first."""
        own = current.get().command_id or ""
        asked: Stories = await self.journal.ask(Recall(own), within=ANSWER_SECONDS)
        if not asked.stories:
            return ()
        session = asked.stories[0].submit.session
        recall = Recall(session=session, latest=MOST_COMMANDS)
        found = await self.journal.ask(recall, within=ANSWER_SECONDS)
        return [story for story in found.stories if story.submit.id != own]

    # Recipes there are

    async def list_all(self, _params: Nothing) -> Outcome:
        wrong = self.folder.problems().items()
        rows: list[Row] = [{"name": file, "problem": problem} for file, problem in wrong]
        rows += [row_of(recipe) for recipe in self.folder.recipes().values()]
        return Done(rows, changed=False)

    async def show(self, params: Named) -> Outcome:
        text = self.folder.text_of(params.name)
        if text is None:
            return self.unknown(params.name)
        return Done({"name": params.name, "recipe": text}, changed=False)

    async def write(self, params: Written) -> Outcome:
        """Keep a recipe as somebody has written it, if it is right."""
        try:
            recipe = self.folder.parse_recipe(params.content)
            former = self.folder.text_of(recipe.name)
            file = self.folder.save(recipe, params.content)
        except (BadRecipe, OSError) as error:
            return Refused(Code.NOT_FEASIBLE, f"it was not kept: {error}")
        undo = list(as_before(recipe.name, former))
        if self.folder.key_of(recipe.name) != self.folder.key_of(params.name):  # it was renamed
            old = self.folder.remove(params.name)
            undo += as_before(params.name, old) if old is not None else ()
        told = {**told_of(recipe), "file": file}
        return Done(told if former is None else {**told, "replaced": True}, undo=tuple(undo))

    async def check(self, params: Checked) -> Outcome:
        """Say whether recipes could run, as far as that can be said without a page."""
        problems = self.folder.problems()
        if not params.name:
            rows: list[Row] = [{"name": each.name, "ok": True} for each in self.all()]
            for name, problem in problems.items():
                rows.append({"name": name, "ok": False, "problem": problem})
            return Done(rows, changed=False)
        file = self.folder.file_of(params.name)
        if file is not None and file in problems:
            return Refused(Code.NOT_FEASIBLE, f"{file}: {problems[file]}")
        recipe = self.folder.recipes().get(self.folder.key_of(params.name))
        if recipe is None:
            return self.unknown(params.name)
        return Done({**told_of(recipe), "ok": True}, changed=False)

    async def remove(self, params: Named) -> Outcome:
        text = self.folder.remove(params.name)
        if text is None:
            return self.unknown(params.name)
        return Done({"removed": params.name}, undo=as_before(params.name, text))

    def all(self) -> Sequence[Taught]:
        return tuple(self.folder.recipes().values())

    def unknown(self, name: str) -> Refused:
        known = ", ".join(sorted(each.name for each in self.all())) or "none yet"
        return Refused(Code.NOT_FEASIBLE, f"no recipe is called {name!r}; there are: {known}")


def as_before(name: str, former: str | None) -> tuple[GoalDraft, ...]:
    """Give what puts a recipe back as it was, or takes away one that is new."""
    if former is None:
        return (GoalDraft(DOMAIN, "remove", {"name": name}),)
    return (GoalDraft(DOMAIN, "write", {"name": name, "content": former}),)


def row_of(recipe: Taught) -> Row:
    """Tell of a recipe in a line."""
    return {
        "name": recipe.name,
        "steps": len(recipe.steps),
        "values": ", ".join(recipe.slots()),
        "say": way_to_say(recipe),
    }


def way_to_say(recipe: Taught) -> str:
    """Say how a recipe is asked for."""
    return recipe.says[-1] if recipe.says else f"do the {recipe.name}"


def ways_to_say(folder: RecipeFolder) -> Sequence[str]:
    """Say how each recipe is asked for."""
    return [way_to_say(recipe) for recipe in folder.recipes().values()]


def told_of(recipe: Taught) -> dict[str, "str | int | bool | tuple[str, ...]"]:
    """Tell what was kept."""
    return {
        "name": recipe.name,
        "steps": len(recipe.steps),
        "values": tuple(f"{name}={value}" for name, value in recipe.values.items()),
        "asked": recipe.asked,
    }

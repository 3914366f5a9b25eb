"""The recipes of a user, a file each, checked when they are read.

Files may be edited by hand: what has changed is read anew before it is used. One that is wrong is
never run; it is listed with what is wrong with it.
"""

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from messages.rules import Rule
from messages.taught import DOMAIN, LONGEST_NAME, MOST_STEPS, NAME, RUN, Taught, TaughtStep
from tools.recipes.reading import BadRecipe, decode_recipe
from tools.recipes.writing import as_toml

SUFFIX = ".toml"
LARGEST_FILE = 256 << 10
MOST_FILES = 1_000
IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")

log = structlog.get_logger(actor="recipes")


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was read: the recipe in it, or what is wrong with it."""

    sign: tuple[int, int]
    recipe: Taught | None
    problem: str = ""


@dataclass
class RecipeFolder:
    """A folder of recipes, and those that the settings have as a user's own words.

    ``name_of`` gives a name as it is kept, ``key_of`` the one way in which it is compared, and
    ``saying_problem`` what is wrong with a way to say it.
    """

    path: Path | None
    rules: Mapping[str, Rule]
    key_of: Callable[[str], str]
    saying_problem: Callable[[str], str | None]
    name_of: Callable[[str], str] = str.strip
    own: Mapping[str, Taught] = field(default_factory=dict)
    _known: dict[str, Known] = field(default_factory=dict)
    _recipes: Mapping[str, Taught] = field(default_factory=dict)
    _doubles: Mapping[str, str] = field(default_factory=dict)
    _signs: tuple[tuple[str, int, int], ...] | None = None

    def recipes(self) -> Mapping[str, Taught]:
        """Give the recipes that can be used, each by the key of its name."""
        self.refresh()
        return self._recipes

    def learn(self, own: Mapping[str, Taught]) -> None:
        """Take what the settings have as a user's own words."""
        self.own, self._signs = own, None

    def problems(self) -> Mapping[str, str]:
        """Give the files that cannot be used, and why."""
        self.refresh()
        wrong = {name: known.problem for name, known in self._known.items() if known.problem}
        return {**wrong, **self._doubles}

    def refresh(self) -> None:
        """Read anew what has changed in the folder."""
        signs = self.signs()
        if signs == self._signs:
            return
        self._signs = signs
        before, self._known = self._known, {}
        for name, changed, size in signs:
            known = before.get(name)
            sign = (changed, size)
            self._known[name] = known if known and known.sign == sign else self.read(name, sign)
        files: dict[str, list[str]] = {}
        for name, known in self._known.items():
            if known.recipe is not None:
                files.setdefault(self.key_of(known.recipe.name), []).append(name)
        found, doubles = dict(self.own), dict[str, str]()
        for key, names in files.items():
            recipe = self._known[names[0]].recipe
            if len(names) == 1 and key not in found and recipe is not None:
                found[key] = recipe
                continue
            others = ", ".join(names) if len(names) > 1 else "a phrase in the settings"
            doubles |= dict.fromkeys(names, f"the name is used twice, by {others}; rename one")
        self._recipes, self._doubles = found, doubles

    def signs(self) -> tuple[tuple[str, int, int], ...]:
        """Say by what is seen whether a file has changed; none if there is no folder."""
        if self.path is None:
            return ()
        found: list[tuple[str, int, int]] = []
        with suppress(OSError), os.scandir(self.path) as entries:
            for entry in entries:
                with suppress(OSError):  # a link that leads nowhere hides no other file
                    # What is no file (a pipe) could be read for ever; editors keep hidden ones.
                    name, is_file = entry.name, entry.is_file()
                    if name.endswith(SUFFIX) and not name.startswith(".") and is_file:
                        seen = entry.stat()
                        found.append((name, seen.st_mtime_ns, seen.st_size))
        return tuple(sorted(found)[:MOST_FILES])

    def read(self, name: str, sign: tuple[int, int]) -> Known:
        """Read a file; what is wrong with it is logged once."""
        if sign[1] > LARGEST_FILE or self.path is None:
            return Known(sign, None, f"it is larger than {LARGEST_FILE >> 10} KB")
        try:
            return Known(sign, self.parse_recipe((self.path / name).read_text("utf-8")))
        except (OSError, UnicodeDecodeError, BadRecipe) as error:
            log.warning("recipe.unreadable", file=name, reason=str(error))
            return Known(sign, None, str(error))

    # Checking

    def parse_recipe(self, text: str) -> Taught:
        """Read a recipe as it is written; ``BadRecipe`` says what is wrong with it."""
        recipe = decode_recipe(text)
        self.check(recipe)
        return recipe

    def check(self, recipe: Taught) -> None:
        """Refuse a recipe that could not run."""
        if not self.key_of(recipe.name).strip():
            raise BadRecipe(f"{recipe.name!r} is no name that could be said")
        if not 0 < len(recipe.steps) <= MOST_STEPS:
            raise BadRecipe(f"it has {len(recipe.steps)} steps; it may have 1 to {MOST_STEPS}")
        self.check_slots(recipe)
        for number, step in enumerate(recipe.steps, start=1):
            try:
                self.check_step(step)
            except BadRecipe as problem:
                raise BadRecipe(f"step {number}: {problem}") from None

    def check_slots(self, recipe: Taught) -> None:
        declared = recipe.slots()
        used = {name for step in recipe.steps for name in step.slots()}
        for name in declared:
            if not IDENTIFIER.fullmatch(name) or name == NAME:
                raise BadRecipe(f"{name!r} is no name for a value; write small letters, as `month`")
        if len(set(declared)) != len(declared):
            raise BadRecipe("a value is named twice")
        if unknown := sorted(used - set(declared)):
            raise BadRecipe(f"{{{unknown[0]}}} has no value; add it to [values], or to `asked`")
        for saying in recipe.says:
            if (problem := self.saying_problem(saying)) is not None:
                raise BadRecipe(f"says {saying!r}: {problem}")
            spoken = re.findall(r"\{(\w+)\}|\):(\w+)", saying)
            for name in (first or second for first, second in spoken):
                if name not in declared:
                    raise BadRecipe(f"says {saying!r}: {{{name}}} has no value")

    def check_step(self, step: TaughtStep) -> None:
        if step.do == f"{DOMAIN}.{RUN}":
            return  # what it runs is looked for when it runs
        rule = self.rules.get(step.do)
        if rule is None or rule.unspoken:
            raise BadRecipe(f"there is no {step.do!r}; `behest describe` lists what can be done")
        if step.words is None and (
            wrong := [role for role in step.roles if role not in rule.roles]
        ):
            roles = ", ".join(rule.roles) or "none"
            raise BadRecipe(f"{step.do} has no role {wrong[0]!r}; it has: {roles}")
        if wrong := [name for name in step.params if name not in rule.params]:
            params = ", ".join(rule.params) or "none"
            raise BadRecipe(f"{step.do} has no parameter {wrong[0]!r}; it has: {params}")
        for name in rule.required():
            role = rule.params[name].role
            is_given = name in step.params or name in step.takes or role in step.roles
            if not is_given and step.words is None and step.object is None:
                raise BadRecipe(f"{step.do} needs {role or name!r}")

    # Changing

    def file_of(self, name: str) -> str | None:
        """Give the name of the file that a recipe is in; a wrong one goes by its file's name."""
        self.refresh()
        key = self.key_of(name)
        for file, known in self._known.items():
            stem = file.removesuffix(SUFFIX)
            named = stem.replace("-", " ") if known.recipe is None else known.recipe.name
            if self.key_of(named) == key:
                return file
        return None

    def text_of(self, name: str) -> str | None:
        """Give a recipe as it is written; None if there is none of that name."""
        file = self.file_of(name)
        if file is None or self.path is None:
            own = self.own.get(self.key_of(name))
            return None if own is None else as_toml(own)
        return (self.path / file).read_text("utf-8", errors="replace")

    def name_problem(self, name: str) -> str | None:
        """Say why nothing can be called so, or None."""
        if not self.key_of(name).strip() or len(self.name_of(name)) > LONGEST_NAME:
            return f"{name!r} is no name that could be said; it may have 1 to {LONGEST_NAME} signs"
        if self.key_of(name) in self.own:
            return f"{name!r} is a phrase in the settings"
        return None

    def save(self, recipe: Taught, text: str | None = None) -> str:
        """Write a recipe, in place of one of the same name; give the name of its file."""
        self.check(recipe)
        if self.path is None:
            raise BadRecipe("there is no folder for recipes")
        if (problem := self.name_problem(recipe.name)) is not None:
            raise BadRecipe(problem)
        file = self.file_of(recipe.name) or self.new_file(recipe.name)
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(self.path / file, as_toml(recipe) if text is None else text)
        self._signs = None
        return file

    def new_file(self, name: str) -> str:
        """Find a name for a new file."""
        stem = re.sub(r"[^a-z0-9]+", "-", self.key_of(name)).strip("-")[:60] or "recipe"
        taken, number = set(self._known), 1
        while (file := f"{stem}{'' if number == 1 else f'-{number}'}{SUFFIX}") in taken:
            number += 1
        return file

    def remove(self, name: str) -> str | None:
        """Delete a recipe; give what it was, None if there is none of that name."""
        file = self.file_of(name)
        if file is None or self.path is None:
            return None
        text = (self.path / file).read_text("utf-8", errors="replace")
        (self.path / file).unlink(missing_ok=True)
        self._signs = None
        return text


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole, or as it was before."""
    handle, made = tempfile.mkstemp(prefix=".", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(made, path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise

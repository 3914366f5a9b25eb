"""Playwright scripts as recipes.

A script is read and never run. What a recipe has no words for is left out and told.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from messages.taught import LONGEST_NAME, MOST_STEPS, Taught
from tools.recipes.cookbook import LARGEST_FILE
from tools.recipes.recording import Recording
from tools.recipes.script_deeds import DeedReader
from tools.recipes.script_locators import LocatorReader
from tools.recipes.script_names import ScriptNames
from tools.recipes.script_notes import Notes
from tools.recipes.script_syntax import (
    PAGE,
    UNKNOWN_CALL,
    Unit,
    Unreadable,
    named_text,
    root_and_chain,
    units_of,
)
from tools.recipes.script_tables import TABLES
from tools.recipes.script_texts import TextReader
from tools.recipes.target_words import Unsayable

HOW = "record one with `playwright codegen --target python URL`"
IN_BRANCH = "it is repeated, or depends on something"
ITS_OWN = "it has steps of its own; import it by itself"
HELPER = "what it calls is not read"


class BadScript(Exception):
    """Nothing can be made of a script; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A recipe made of a script, and what is to be known: lines without a step, and warnings."""

    recipe: Taught
    left_out: tuple[str, ...] = ()


def recipe_of_script(source: str, name: str) -> Imported:
    """Read a script as ``playwright codegen`` writes it; it is never run."""
    if not name.strip() or len(name) > LONGEST_NAME:
        raise BadScript(f"{name!r} is no name for a recipe: it has 1 to {LONGEST_NAME} letters")
    try:
        readers = read_units(parse_script(source))
    except RecursionError:
        raise BadScript(f"the script is nested too deeply; {HOW}") from None
    made = [reader for reader in readers if reader.recording.steps]
    if not made:
        told = [note for reader in readers for note in reader.notes.notes]
        raise BadScript(f"no step could be read; {HOW}" + (f" ({told[0]})" if told else ""))
    reader = made[0]
    if len(reader.recording.steps) > MOST_STEPS:
        count = len(reader.recording.steps)
        raise BadScript(f"it has {count} steps and a recipe at most {MOST_STEPS}; cut it in parts")
    others = [f"line {each.unit.line}: {each.unit.title}: {ITS_OWN}" for each in made[1:]]
    return Imported(reader.recording.recipe(name), (*reader.notes.notes, *others))


def parse_script(source: str) -> ast.Module:
    if len(source.encode("utf-8", "replace")) > LARGEST_FILE:
        raise BadScript(f"the script is larger than {LARGEST_FILE >> 10} KB; cut it in parts")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of how its texts are written
            return ast.parse(source)
    except SyntaxError as error:
        raise BadScript(f"line {error.lineno}: {error.msg}; it is no Python script") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadScript(f"it is no Python script: {error}") from None


def read_units(module: ast.Module) -> list["UnitReader"]:
    """Read each function and the lines outside; all of them know the texts that have names."""
    constants = dict(filter(None, map(named_text, module.body)))
    return [read_unit(unit, constants) for unit in units_of(module)]


def read_unit(unit: Unit, constants: Mapping[str, str]) -> "UnitReader":
    """Read lines; where a secret was typed, once more, so that it is kept nowhere."""
    reader = UnitReader(unit, constants)
    reader.read(unit.body)
    if reader.texts.secrets:
        reader = UnitReader(unit, constants, frozenset(reader.texts.secrets))
        reader.read(unit.body)
    return reader


class UnitReader:
    """Makes steps of lines that run one after another, and notes of those that have none."""

    def __init__(
        self, unit: Unit, constants: Mapping[str, str], known_secrets: frozenset[str] = frozenset()
    ) -> None:
        self.unit = unit
        self.recording = Recording()
        self.notes = Notes()
        self.names = ScriptNames()
        self.texts = TextReader(
            unit.parameters, dict(constants), known_secrets, self.recording, self.notes
        )
        self.deeds = DeedReader(LocatorReader(self.names, self.texts), self.texts, self.notes)

    def read(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.Expr(value):
                    self.read_line(statement, value)
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                    ast.Name(name), value=value
                ):
                    self.read_assignment(statement, name, value)
                case ast.With() | ast.AsyncWith():
                    self.read(statement.body)
                case ast.If() | ast.For() | ast.While() | ast.Try() | ast.AsyncFor() | ast.Match():
                    if self.names.uses_page(statement):
                        self.notes.add(statement, IN_BRANCH)
                case _:
                    pass  # imports, functions, assertions

    def read_line(self, statement: ast.stmt, value: ast.expr) -> None:
        page, chain = self.names.chain_of(value)
        if page is None:
            if self.names.passes_page(value):
                self.notes.add(statement, HELPER)
            elif self.names.is_handle(value):
                self.notes.add(statement, UNKNOWN_CALL)
            return
        try:
            self.deeds.read(statement, page, chain)
        except (Unreadable, Unsayable) as reason:
            self.notes.add(statement, str(reason))

    def read_assignment(self, statement: ast.stmt, name: str, value: ast.expr | None) -> None:
        """Take in what a name stands for: a text, a page, or a locator."""
        named = named_text(statement)
        if named is not None:
            self.texts.constants[name] = named[1]
        if value is None or named is not None:
            return
        _, chain = root_and_chain(value)
        last = chain[-1].name if chain else ""
        if last == "value":  # page1 = page1_info.value
            self.take_handle(name)
            return
        if last == "new_page":
            self.names.pages.add(name)
            return
        page, chain = self.names.chain_of(value)
        if page is not None and all(link.name in TABLES.locating for link in chain):
            self.names.locators[name] = page, chain
        elif page is not None:
            self.notes.add(statement, UNKNOWN_CALL)

    def take_handle(self, name: str) -> None:
        """Take in what the page has handed out: a new tab, by its name, or a file."""
        if PAGE.fullmatch(name) is None:
            self.names.handles.add(name)
        else:
            self.deeds.open_tab(name)

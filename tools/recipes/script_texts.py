"""Texts in a script as texts of a recipe: fixed ones, slots, and secrets that are asked for."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from messages.taught import NAME, SLOT
from tools.recipes.cookbook import IDENTIFIER
from tools.recipes.recording import Recording
from tools.recipes.script_notes import Notes
from tools.recipes.script_syntax import PATTERN, UNKNOWN_VALUE, Unreadable, is_reserved
from tools.recipes.target_words import begins_as_no_name, in_quotes

BRACES = "it has {braces} that a recipe would take for a slot"
ASKED_FOR = f"{UNKNOWN_VALUE}; it is asked for each time"
LOOSE_NAME = re.compile(r"[\w' {}-]+")


@dataclass
class TextReader:
    """Reads texts of lines that have ``parameters`` and know ``constants``.

    What is found in a field for secrets is added to ``secrets``; ``known_secrets`` are not kept.
    """

    parameters: Mapping[str, str | None]
    constants: dict[str, str]
    known_secrets: frozenset[str]
    recording: Recording
    notes: Notes
    secrets: set[str] = field(default_factory=set)
    slots: dict[str, str] = field(default_factory=dict)  # by the parameter they stand for

    def constant(self, given: ast.expr | None) -> str | None:
        """Give the text that stands in the script itself; None if there is none."""
        match given:
            case ast.Constant(str(text)):
                return text
            case ast.Name(name) if name not in self.parameters:
                return self.constants.get(name)
            case _:
                return None

    def texts_in(self, given: ast.expr | None) -> list[str]:
        """Give all texts that an expression is made of, those of parameters included."""
        nodes = [] if given is None else list(ast.walk(given))
        names = [node.id for node in nodes if isinstance(node, ast.Name)]
        texts = [text for node in nodes if isinstance(node, ast.Constant) for text in [node.value]]
        texts += [self.parameters.get(name) or self.constants.get(name) for name in names]
        return [text for text in texts if isinstance(text, str)]

    def name_in(self, given: ast.expr | None) -> tuple[str, bool]:
        """Give the name that a locator looks for, and whether it is written just so."""
        match given:
            case ast.Call(
                ast.Attribute(ast.Name("re"), "compile"), [ast.Constant(str(pattern)), *_]
            ):
                return sayable_name(text_of_pattern(pattern)), True
            case ast.Call(ast.Name("called"), [words]):
                name = single_spaced(self.fixed_text(words))
                return name, not is_loose_name(name)
            case _:
                return single_spaced(self.fixed_text(given)), True

    def fixed_text(self, given: ast.expr | None) -> str:
        """Give a text of a step, with slots where the script has parameters."""
        text = self.constant(given)
        if text is None:
            return self.template(given)
        if SLOT.search(text) is not None:
            raise Unreadable(BRACES)
        return text

    def kept_text(self, about: str, given: ast.expr | None) -> str:
        """Give a text that is a slot only if it would be misread otherwise."""
        text = self.constant(given)
        if text is not None and SLOT.search(text) is not None:
            return self.slot_for_braces(about, text)
        return self.fixed_text(given)

    def typed_text(
        self, about: str, given: ast.expr, *, is_secret: bool, line: ast.stmt | None = None
    ) -> str:
        """Give the slot for what is typed."""
        text = self.constant(given)
        if text is not None and (is_secret or text in self.known_secrets):
            self.secrets.add(text)
            return self.recording.secret(about)
        if text is None:
            return self.typed_template(about, given, line, is_secret=is_secret)
        if not text.strip():
            return text
        if SLOT.search(text) is not None:
            return self.slot_for_braces(about, text)
        return self.recording.slot(about, text)

    def typed_template(
        self, about: str, given: ast.expr, line: ast.stmt | None, *, is_secret: bool
    ) -> str:
        try:
            return self.template(given, is_secret=is_secret)
        except Unreadable:
            if line is not None:
                self.notes.add(line, ASKED_FOR)
            return self.recording.secret(about)

    def slot_for_braces(self, about: str, text: str) -> str:
        """Keep a text with ``{braces}`` as the value of a slot, where nothing is filled in."""
        recording = self.recording
        known = [name for name, value in recording.values.items() if value == text]
        name = known[0] if known else recording.free_name(about)
        recording.values[name] = text
        return f"{{{name}}}"

    def template(self, given: ast.expr | None, *, is_secret: bool = False) -> str:
        """Read ``month`` and ``f"{month} report"``, where ``month`` is a parameter."""
        parts: list[str] = []
        slots: list[str] = []
        for part in given.values if isinstance(given, ast.JoinedStr) else [given]:
            match part:
                case ast.Constant(str(text)):
                    parts.append(text)
                case ast.Name(name) | ast.FormattedValue(ast.Name(name), -1, None) if (
                    name in self.parameters
                ):
                    slots.append(self.slot_of_parameter(name, is_secret=is_secret))
                    parts.append(f"{{{slots[-1]}}}")
                case _:
                    raise Unreadable(UNKNOWN_VALUE)
        made = "".join(parts)
        if SLOT.findall(made) != slots:
            raise Unreadable(BRACES)
        return made

    def slot_of_parameter(self, parameter: str, *, is_secret: bool) -> str:
        """Give the slot of a parameter, by the parameter's own name where it may be one."""
        recording, default = self.recording, self.parameters[parameter]
        if default is not None and (is_secret or default in self.known_secrets):
            self.secrets.add(default)
            default = None
        if parameter not in self.slots:
            name = slot_named_after(parameter)
            is_taken = name in recording.values or name in recording.asked
            self.slots[parameter] = recording.free_name(name) if is_taken else name
        name = self.slots[parameter]
        if default is not None:
            recording.values[name] = default
        elif name not in recording.asked:
            recording.asked.append(name)
        return name


def slot_named_after(parameter: str) -> str:
    """Give the slot that a parameter stands for: ``class_`` is ``class``."""
    name = parameter.rstrip("_")
    name = name if is_reserved(name) else parameter
    if IDENTIFIER.fullmatch(name) is None or name == NAME:
        return Recording().free_name(name)
    return name


def is_loose_name(name: str) -> bool:
    """Tell whether a name can be said without quotes."""
    return LOOSE_NAME.fullmatch(name) is not None and not begins_as_no_name(name)


def text_of_pattern(pattern: str) -> str:
    r"""Give the text that a pattern means.

    >>> text_of_pattern(r"^Save \(all\)$")
    'Save (all)'
    """
    inner = pattern.removeprefix("^").removesuffix("$")
    if re.search(r"\\\w|(?<!\\)[.*+?^$()|\[\]{}]", inner) is not None:
        raise Unreadable(PATTERN)
    return re.sub(r"\\(.)", r"\1", inner)


def single_spaced(text: str) -> str:
    return " ".join(text.split())


def sayable_name(text: str) -> str:
    """Give a text as a name; ``Unreadable`` or ``Unsayable`` if no words can say it."""
    if SLOT.search(text) is not None:
        raise Unreadable(BRACES)
    in_quotes(single_spaced(text))
    return single_spaced(text)

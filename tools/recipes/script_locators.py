"""Locators of a script in words: ``page.get_by_role("button", name="Save")`` is "Save" button.

A selector that only the page's source knows has no words, and is ``Unreadable``.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tools.recipes.script_names import ScriptNames
from tools.recipes.script_syntax import (
    UNKNOWN_CALL,
    Chain,
    Link,
    Unreadable,
    argument,
    ordinal_of_index,
)
from tools.recipes.script_tables import TABLES
from tools.recipes.script_texts import TextReader, sayable_name
from tools.recipes.target_words import FIELD, KINDS, ROW, TABLE, Target, begins_as_no_name

SELECTOR = "a selector that only the page's source knows; name the control"
COUNTED = "Behest counts rows without their heads; name one by what is in it"
COUNTED_BOX = "boxes are counted that only the page's source knows; name the control"
DEEP_PLACE = "a place within a place; name the control by one of them"
NUMBERED_PLACE = "a place that is told by its number; name it by what is in it"

LABELLED = "control"  # what has a label: what it is depends on what is done with it
COUNTED_WITH_HEADS = frozenset({ROW, "cell"})
FRAMES = frozenset({"frame_locator", "content_frame"})
CSS = re.compile(
    r"(?P<tag>[a-z][a-z0-9]*)?(?:#(?P<id>[\w-]+)|\[(?P<attribute>name|id|aria-label|placeholder"
    r"|title|alt)=(?:\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|(?P<bare>[\w-]+))\])?"
)
TEXT = re.compile(r"text=(?P<text>.+)|(?P<tag>[a-z]+):has-text\((?P<inner>.+)\)", re.DOTALL)


@dataclass(frozen=True)
class LocatorReader:
    """Says in words what locators mean."""

    names: ScriptNames
    texts: TextReader

    def target_of(self, chain: Chain) -> Target:
        """Say in words what a locator means."""
        frames = [at for at, link in enumerate(chain) if link.name in FRAMES]
        target: Target | None = None
        for link in chain[frames[-1] + 1 :] if frames else chain:
            if link.name in FINDERS and link.call is not None:
                found = FINDERS[link.name](self, link.call)
                target = found if target is None else replace(found, place=as_place(target))
            elif target is None:
                raise Unreadable(UNKNOWN_CALL)
            else:
                target = self.narrow(target, link)
        if target is None or not (target.name or target.kind):
            raise Unreadable(SELECTOR)
        return target

    def target_in_argument(self, given: ast.expr | None) -> Target:
        """Say in words what a locator means that is handed to a call."""
        page, chain = (None, ()) if given is None else self.names.chain_of(given)
        if page is None:
            raise Unreadable(UNKNOWN_CALL)
        return self.target_of(chain)

    # What a link says of things that were found

    def narrow(self, target: Target, link: Link) -> Target:
        """Take in which one is meant, or with which text."""
        if link.name in {"first", "last"}:
            return with_ordinal(target, 1 if link.name == "first" else -1)
        if link.name == "nth" and link.call is not None:
            return with_ordinal(target, ordinal_of_index(argument(link.call, 0, "index")))
        if link.name == "filter" and link.call is not None:
            return self.with_text(target, link.call)
        if link.name == "or_" and link.call is not None:
            return self.with_alternative(target, link.call)
        raise Unreadable(UNKNOWN_CALL)

    def with_text(self, target: Target, call: ast.Call) -> Target:
        for each in call.keywords:
            if each.arg == "visible":
                continue
            if each.arg != "has_text" or target.name:
                raise Unreadable(UNKNOWN_CALL)
            name, _ = self.texts.name_in(each.value)
            target = replace(target, name=name, is_box=not target.kind)
        return target

    def with_alternative(self, target: Target, call: ast.Call) -> Target:
        """Join two locators that differ in the kind of thing alone."""
        other = self.target_in_argument(argument(call, 0, "locator"))
        if replace(other, kind="") != replace(target, kind=""):
            raise Unreadable("it may be either of two things")
        if other.kind == target.kind:
            return target
        return replace(target, kind=LABELLED if LABELLED in (other.kind, target.kind) else "")

    # Calls that find things

    def by_role(self, call: ast.Call) -> Target:
        if unknown := [each.arg for each in call.keywords if each.arg not in TABLES.role_options]:
            raise Unreadable(f"a thing that is told by {unknown[0]!r}; name it")
        role = self.texts.fixed_text(argument(call, 0, "role"))
        given = argument(call, None, "name")
        name, quoted = ("", True) if given is None else self.texts.name_in(given)
        return Target(name, KINDS.get(role, ""), quoted, is_box=role not in KINDS)

    def by_label(self, call: ast.Call) -> Target:
        return self.by_text(call, LABELLED)

    def by_placeholder(self, call: ast.Call) -> Target:
        return self.by_text(call, FIELD)

    def by_alt_text(self, call: ast.Call) -> Target:
        return self.by_text(call, "image")

    def by_text(self, call: ast.Call, kind: str = "") -> Target:
        name, quoted = self.texts.name_in(argument(call, 0, "text"))
        return Target(name, kind, quoted)

    def by_test_id(self, _call: ast.Call) -> Target:
        raise Unreadable(SELECTOR)

    def by_selector(self, call: ast.Call) -> Target:
        selector = self.texts.constant(argument(call, 0, "selector"))
        if selector is None:
            raise Unreadable(SELECTOR)
        return self.with_text(target_of_selector(selector.strip()), call)


FINDERS: Mapping[str, Callable[[LocatorReader, ast.Call], Target]] = {
    "get_by_role": LocatorReader.by_role,
    "get_by_label": LocatorReader.by_label,
    "get_by_placeholder": LocatorReader.by_placeholder,
    "get_by_text": LocatorReader.by_text,
    "get_by_title": LocatorReader.by_text,
    "get_by_alt_text": LocatorReader.by_alt_text,
    "get_by_test_id": LocatorReader.by_test_id,
    "locator": LocatorReader.by_selector,
}


def as_place(target: Target) -> Target:
    """Let a thing be the place that another is in, if there are words for that."""
    if target.place is not None:
        raise Unreadable(DEEP_PLACE)
    if target.kind not in TABLE.places:
        raise Unreadable(SELECTOR)
    if target.ordinal:
        raise Unreadable(NUMBERED_PLACE)
    return target


def with_ordinal(target: Target, number: int) -> Target:
    """Say which one of several things is meant."""
    if target.is_box or target.ordinal:
        raise Unreadable(COUNTED_BOX)
    if number > 0 and target.kind in COUNTED_WITH_HEADS and not target.name:
        raise Unreadable(COUNTED)
    return replace(target, ordinal=number)


def target_of_selector(selector: str) -> Target:
    """Say what a selector means; a thing without words if only the page's source knows it."""
    if (found := TEXT.fullmatch(selector)) is not None:
        text = (found["text"] or found["inner"]).strip("\"'")
        return Target(sayable_name(text), TABLES.kinds_by_tag.get(found["tag"] or "", ""))
    found = CSS.fullmatch(selector)
    if found is None:
        return Target(is_box=True)
    kind = TABLES.kinds_by_tag.get(found["tag"] or "", "")
    value = found["double"] or found["single"] or found["bare"]
    if found["id"] or found["attribute"] in {"name", "id"}:
        return Target(words_in_id(found["id"] or value), kind, quoted=False)
    if found["attribute"] is not None:
        return Target(sayable_name(value), kind)
    return Target(kind=kind, is_box=not kind)


def words_in_id(text: str) -> str:
    """Give the words of an id; ``Unreadable`` if there are none that somebody could say.

    >>> words_in_id("firstName"), words_in_id("user_e-mail")
    ('first name', 'user e mail')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    words = " ".join(re.findall(r"[^\W_]+", spaced.casefold()))
    if not any(map(str.isalpha, words.split())) or begins_as_no_name(words):
        raise Unreadable(SELECTOR)
    return words


def is_any_file_field(chain: Chain) -> bool:
    """Tell whether a locator means the file field, whichever that is."""
    match chain:
        case (Link("locator", ast.Call(_, [ast.Constant(str(selector))], [])),):
            return re.fullmatch(r"input\[type=[\"']?file[\"']?\]", selector) is not None
        case _:
            return False


def is_by_row_name(chain: Chain) -> bool:
    """Tell whether a row goes by its name: that is the text of all of its cells."""
    calls = [link.call for link in chain if link.name == "get_by_role" and link.call is not None]
    return any(
        [ast.unparse(each) for each in call.args] == ["'row'"]
        and any(each.arg == "name" for each in call.keywords)
        for call in calls
    )

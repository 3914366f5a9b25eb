"""Calls of a script as steps: ``.fill("Ada")`` types, ``.click()`` clicks.

What a call does it to is said by ``script_locators``; a call without a step is ``Unreadable``.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from messages.message import Value
from messages.taught import NO_NAME, TaughtStep
from tools.recipes.script_locators import LABELLED, LocatorReader, is_any_file_field, is_by_row_name
from tools.recipes.script_notes import Notes
from tools.recipes.script_syntax import (
    PATTERN,
    UNKNOWN_CALL,
    UNKNOWN_VALUE,
    Chain,
    Link,
    Unreadable,
    argument,
    only_item,
    seconds_in,
)
from tools.recipes.script_tables import SECRET_FIELD, TABLES
from tools.recipes.script_texts import TextReader, single_spaced
from tools.recipes.target_words import DROPDOWN, FIELD, ROW, Target, in_quotes, words_of

OTHER_TAB = "it is in another tab than the step before it"
DIALOG = "add a step that answers the dialog, behind the step that opens it"
BY_VALUE = "the option is told by its value; write its label if the page shows another text"
WHOLE_ROW = "if the row's text is that of several cells, keep one of them"

PASSWORD_IN_ADDRESS = re.compile(r"://[^/?#\s:@]+:[^/?#\s@]+@")
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Deed:
    """What a line does, and to what."""

    statement: ast.stmt
    name: str
    call: ast.Call
    target: Target

    @property
    def words(self) -> str:
        return words_of(self.target)

    @property
    def is_secret(self) -> bool:
        """Tell whether what it is done to holds a secret."""
        return SECRET_FIELD.search(self.words) is not None


@dataclass
class DeedReader:
    """Adds the step of a call to the recording, and follows the tab that steps are in."""

    locators: LocatorReader
    texts: TextReader
    notes: Notes
    tab: str = ""  # the page that the last step was on
    openers: dict[str, str] = field(default_factory=dict)

    def read(self, statement: ast.stmt, page: str, chain: Chain) -> None:
        """Add the step of a line; ``Unreadable`` if it has none."""
        *before, last = chain or (Link(""),)
        if last.call is None or (not before and last.name in TABLES.passed_over):
            return
        if not before and last.name == "close":
            self.close_tab(page)
            return
        self.tab = self.tab or page
        if page != self.tab:
            raise Unreadable(OTHER_TAB)
        if before == [Link("keyboard")]:
            self.use_keyboard(last.name, last.call)
        elif before and last.name in DEEDS:
            self.act_on_target(statement, last.name, last.call, tuple(before))
        elif before:
            raise Unreadable(UNKNOWN_CALL)
        else:
            self.act_on_page(statement, last.name, last.call)

    def act_on_page(self, statement: ast.stmt, name: str, call: ast.Call) -> None:
        if name in PAGE_DEEDS:
            PAGE_DEEDS[name](self, call)
        elif name in DEEDS and call.args:  # page.click("#id")
            selector, *rest = call.args
            located = Link("locator", ast.Call(call.func, [selector], []))
            self.act_on_target(
                statement, name, ast.Call(call.func, rest, call.keywords), (located,)
            )
        elif name in {"on", "once"}:
            raise Unreadable(DIALOG)
        else:
            raise Unreadable(UNKNOWN_CALL)

    def act_on_target(self, statement: ast.stmt, name: str, call: ast.Call, chain: Chain) -> None:
        if name == "set_input_files" and is_any_file_field(chain):
            self.upload(call, None)
            return
        target = self.locators.target_of(chain)
        target = replace(target, kind=kind_for(target.kind, name))
        place = target.place
        if place is not None and place.kind == ROW and " " in place.name and is_by_row_name(chain):
            self.notes.add(statement, WHOLE_ROW)
        DEEDS[name](self, Deed(statement, name, call, target))

    def add_step(
        self,
        verb: str,
        target: Target | str | None = None,
        params: Mapping[str, Value] | None = None,
        others: Mapping[str, str] | None = None,
    ) -> None:
        """Add a step; ``others`` are the words for its other roles."""
        words = words_of(target) if isinstance(target, Target) else target
        roles = {} if words is None else {"target": words, **(others or {})}
        self.texts.recording.steps.append(TaughtStep(f"browser.{verb}", roles, params or {}))

    # The page

    def open_tab(self, page: str) -> None:
        """Follow a tab that the last step has opened."""
        self.openers[page], self.tab = self.tab, page

    def close_tab(self, page: str) -> None:
        if page == self.tab and page in self.openers:
            self.add_step("close_tab")
            self.tab = self.openers[page]

    def use_keyboard(self, name: str, call: ast.Call) -> None:
        given = argument(call, 0, "key", "text")
        if name == "press":
            self.add_step("press", None, {"keys": self.texts.fixed_text(given)})
        elif name in {"type", "insert_text"} and given is not None:
            steps = self.texts.recording.steps
            focused = " ".join(steps[-1].roles.values()) if steps else ""
            is_secret = SECRET_FIELD.search(focused) is not None
            text = self.texts.typed_text("text", given, is_secret=is_secret)
            self.add_step("type", None, {"text": text})
        else:
            raise Unreadable(UNKNOWN_CALL)

    def go_to(self, call: ast.Call) -> None:
        given = argument(call, 0, "url")
        text = self.texts.constant(given)
        if text is not None and ADDRESS.match(text) is None:
            raise Unreadable("an address without its host; write it in full")
        self.add_step("navigate", None, {"url": self.address(given)})

    def address(self, given: ast.expr | None) -> str:
        """Give an address as it is kept; one with a password in it is not."""
        if any(map(PASSWORD_IN_ADDRESS.search, self.texts.texts_in(given))):
            raise Unreadable("an address with a password in it; sign in by steps")
        return self.texts.kept_text("address", given)

    def wait_time(self, call: ast.Call) -> None:
        self.add_step("wait_time", None, {"seconds": seconds_in(argument(call, 0, "timeout"))})

    def wait_url(self, call: ast.Call) -> None:
        url = self.address(argument(call, 0, "url"))
        if "*" in url:
            raise Unreadable(PATTERN)
        self.add_step("wait_url", None, {"url": url})

    # Things

    def click(self, deed: Deed) -> None:
        options = {each.arg: each.value for each in deed.call.keywords}
        if unknown := sorted(str(name) for name in options.keys() - TABLES.click_options):
            raise Unreadable(f"a click with {unknown[0]} has no step")
        match options.get("button"), options.get("click_count"):
            case None | ast.Constant("left"), None | ast.Constant(1):
                self.add_step("click", deed.target)
            case None | ast.Constant("left"), ast.Constant(2):
                self.add_step("double_click", deed.target)
            case ast.Constant("right"), None | ast.Constant(1):
                self.add_step("right_click", deed.target)
            case _:
                raise Unreadable(UNKNOWN_CALL)

    def do_plainly(self, deed: Deed) -> None:
        if any(each.arg in {"position", "modifiers"} for each in deed.call.keywords):
            raise Unreadable(UNKNOWN_CALL)
        self.add_step(TABLES.plain_deeds[deed.name], deed.target)

    def set_checked(self, deed: Deed) -> None:
        given = argument(deed.call, 0, "checked")
        if not isinstance(given, ast.Constant) or not isinstance(given.value, bool):
            raise Unreadable(UNKNOWN_VALUE)
        self.add_step("check" if given.value else "uncheck", deed.target)

    def type_text(self, deed: Deed) -> None:
        given = argument(deed.call, 0, "value", "text")
        if given is None:
            raise Unreadable(UNKNOWN_VALUE)
        if self.texts.constant(given) == "":
            self.add_step("clear", deed.target)
            return
        self.add_step("type", deed.target, {"text": self.typed_text(deed, given)})

    def typed_text(self, deed: Deed, given: ast.expr) -> str:
        """Give the slot for what is typed or chosen, named after the thing."""
        words = deed.words
        return self.texts.typed_text(
            deed.target.name or words, given, is_secret=deed.is_secret, line=deed.statement
        )

    def press(self, deed: Deed) -> None:
        keys = self.texts.fixed_text(argument(deed.call, 0, "key"))
        self.add_step("press", deed.target, {"keys": keys})

    def select(self, deed: Deed) -> None:
        label = argument(deed.call, None, "label")
        given = only_item(label if label is not None else argument(deed.call, 0, "value"))
        if given is None:
            raise Unreadable("an option that is told by its number, or several; name one")
        words = deed.words
        value = single_spaced(self.texts.constant(given) or "")
        given = ast.Constant(value) if value else given
        is_secret = deed.is_secret or value in self.texts.known_secrets
        if NO_NAME.search(value) and not is_secret:
            option = self.texts.fixed_text(given)
        else:
            option = self.typed_text(deed, given)
        self.add_step("select", in_quotes(option), others={"from": words})
        if label is None:
            self.notes.add(deed.statement, BY_VALUE)

    def upload_into(self, deed: Deed) -> None:
        self.upload(deed.call, deed.target)

    def upload(self, call: ast.Call, target: Target | None) -> None:
        given = only_item(argument(call, 0, "files"))
        if given is None:
            raise Unreadable("several files, or none; upload one by one")
        self.add_step("upload", target, {"name": self.texts.kept_text("file", given)})

    def wait_for(self, deed: Deed) -> None:
        params: dict[str, Value] = {}
        if (state := argument(deed.call, None, "state")) is not None:
            params["state"] = self.texts.fixed_text(state)
        if (limit := argument(deed.call, None, "timeout")) is not None:
            params["seconds"] = seconds_in(limit)
        self.add_step("wait", deed.target, params)

    def drag(self, deed: Deed) -> None:
        if any(each.arg != "target" for each in deed.call.keywords):
            raise Unreadable(UNKNOWN_CALL)
        to = self.locators.target_in_argument(argument(deed.call, 0, "target"))
        to = replace(to, kind=kind_for(to.kind, "drag_to"))
        self.add_step("drag", deed.target, others={"to": words_of(to)})


PAGE_DEEDS: Mapping[str, Callable[[DeedReader, ast.Call], None]] = {
    "goto": DeedReader.go_to,
    "go_back": lambda reader, _call: reader.add_step("back"),
    "go_forward": lambda reader, _call: reader.add_step("forward"),
    "reload": lambda reader, _call: reader.add_step("reload"),
    "wait_for_load_state": lambda reader, _call: reader.add_step("wait_load"),
    "wait_for_timeout": DeedReader.wait_time,
    "wait_for_url": DeedReader.wait_url,
}
DEEDS: Mapping[str, Callable[[DeedReader, Deed], None]] = {
    **dict.fromkeys(TABLES.plain_deeds, DeedReader.do_plainly),
    "click": DeedReader.click,
    "set_checked": DeedReader.set_checked,
    "fill": DeedReader.type_text,
    "type": DeedReader.type_text,
    "press_sequentially": DeedReader.type_text,
    "press": DeedReader.press,
    "select_option": DeedReader.select,
    "set_input_files": DeedReader.upload_into,
    "wait_for": DeedReader.wait_for,
    "drag_to": DeedReader.drag,
}


def kind_for(kind: str, deed: str) -> str:
    """Give the kind of a thing by what is done with it."""
    if deed == "select_option":
        return DROPDOWN
    if kind == LABELLED:
        return TABLES.kinds_by_deed.get(deed, FIELD)
    return kind or TABLES.kinds_by_deed.get(deed, "")

"""Recipes as Playwright scripts that run without Behest.

What a script has no call for becomes a comment. Values are data: they are written by ``repr``.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from messages.message import Value
from messages.taught import SLOT, Taught, TaughtStep
from tools.recipes.script_syntax import SECOND, is_reserved
from tools.recipes.target_words import BOX, DROPDOWN, FIELD, ROLES, ROW, Target, target_in

HOLDERS = frozenset({ROW, "item", "card"})  # known by the texts in them
CALLED = r'''def called(words: str) -> re.Pattern[str]:
    """Match a whole name, in capitals or not."""
    return re.compile(rf"^\W*{re.escape(words)}\W*$", re.IGNORECASE)'''
MAIN_END = """    arguments = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None)
        run(browser.new_page(), **vars(arguments))
        browser.close()"""
START = """if __name__ == "__main__":
    main()
"""


def script_of_recipe(recipe: Taught) -> str:
    """Write a recipe as a Python script that does the same with Playwright alone."""
    writer = ScriptWriter(recipe, parameter_names(recipe.slots()))
    for number, step in enumerate(recipe.steps, start=1):
        writer.write(number, step)
    return writer.script()


def parameter_names(slots: Sequence[str]) -> dict[str, str]:
    """Give each slot a name that Python takes."""
    names: dict[str, str] = {}
    for slot in slots:
        name = slot if slot.isidentifier() else f"value_{re.sub(r'[^a-z0-9]', '_', slot)}"
        while is_reserved(name) or name in names.values():
            name += "_"
        names.setdefault(slot, name)
    return names


class ScriptWriter:
    """Makes lines of the steps of a recipe, and comments of those that have no call."""

    def __init__(self, recipe: Taught, names: Mapping[str, str]) -> None:
        self.recipe = recipe
        self.names = names
        self.lines: list[str] = []
        self.left_out: list[str] = []

    def write(self, number: int, step: TaughtStep) -> None:
        writer = WRITERS.get(step.do)
        lines: list[str] | None = None
        if writer is not None and not (step.takes or step.words or step.object or step.scope):
            lines = writer(self, step)
        if lines is not None:
            self.lines += lines
            return
        told = f"not exported: step {number}, {step.do!r}"
        if step.roles or step.words:
            told += f" {[*step.roles.values(), step.words or '']!r}"
        self.left_out.append(told)
        self.lines.append(f"# {told}")

    def script(self) -> str:
        """Put the lines together."""
        is_called = any("called(" in line for line in self.lines)
        head = [f"# The recipe {self.recipe.name!r}, written by Behest."]
        head += [f"# {each}" for each in self.left_out]
        head += ["", "import argparse", "import os", *(["import re"] if is_called else [])]
        head += ["", "from playwright.sync_api import Page, sync_playwright"]
        run = [f"def run({', '.join(self.parameters())}) -> None:", '    """Do the steps."""']
        run += [f"    {line}" for line in self.lines]
        main = [
            "def main() -> None:",
            '    parser = argparse.ArgumentParser(conflict_handler="resolve")',
        ]
        main += [*(f"    {line}" for line in self.arguments()), MAIN_END]
        parts = ["\n".join(part) for part in (head, run, main)]
        return "\n\n\n".join([parts[0], *([CALLED] if is_called else []), *parts[1:], START])

    def parameters(self) -> Iterator[str]:
        yield "page: Page"
        if self.names:
            yield "*"
        for slot, name in self.names.items():
            default = self.recipe.values.get(slot)
            is_asked = slot in self.recipe.asked or default is None
            yield f"{name}: str" if is_asked else f"{name}: str = {default!r}"

    def arguments(self) -> Iterator[str]:
        """Give the lines that declare what may be said on the command line."""
        for slot, name in self.names.items():
            default = self.recipe.values.get(slot)
            is_asked = slot in self.recipe.asked or default is None
            given = "required=True" if is_asked else f"default={default!r}"
            yield f"parser.add_argument({'--' + slot!r}, dest={name!r}, {given})"

    # Steps

    def navigate(self, step: TaughtStep) -> list[str]:
        return [f"page.goto({self.text(step.params.get('url', ''))})"]

    def wait_time(self, step: TaughtStep) -> list[str] | None:
        span = milliseconds(step.params.get("seconds"))
        return None if span is None else [f"page.wait_for_timeout({span!r})"]

    def wait_url(self, step: TaughtStep) -> list[str]:
        return [f"page.wait_for_url({self.text(step.params.get('url', ''))})"]

    def wait(self, step: TaughtStep) -> list[str] | None:
        given = [f"state={step.params['state']!r}"] if "state" in step.params else []
        if "seconds" in step.params:
            given.append(f"timeout={milliseconds(step.params['seconds'])!r}")
        return self.on_target(step, f"wait_for({', '.join(given)})")

    def use(self, step: TaughtStep) -> list[str] | None:
        target = target_in(step.roles.get("target", ""))
        is_named = target is not None and target.quoted and bool(target.name)
        return self.on_target(step, "click()") if is_named else None

    def type_text(self, step: TaughtStep) -> list[str] | None:
        text = self.text(step.params.get("text", ""))
        if "target" not in step.roles:
            return [f"page.keyboard.type({text})"]
        return self.on_target(step, f"fill({text})", FIELD)

    def set_value(self, step: TaughtStep) -> list[str] | None:
        return self.on_target(step, f"fill({self.text(step.params.get('value', ''))})", FIELD)

    def select(self, step: TaughtStep) -> list[str] | None:
        option = target_in(step.roles.get("target", ""))
        box = target_in(step.roles.get("from", ""))
        if option is None or box is None or option.kind not in {"", "option"}:
            return None
        if option.ordinal or option.place or not option.name:
            return None
        found = self.locator_of(replace(box, kind=DROPDOWN), is_labelled=True)
        return [f"{found}.select_option({self.text(option.name)})"]

    def press(self, step: TaughtStep) -> list[str] | None:
        keys = self.text(step.params.get("keys", ""))
        if "target" in step.roles:
            return self.on_target(step, f"press({keys})")
        return [f"page.keyboard.press({keys})"] * repeat_count(step)

    def upload(self, step: TaughtStep) -> list[str] | None:
        call = f"set_input_files({self.text(step.params.get('name', ''))})"
        if "target" not in step.roles:
            return [f"page.locator('input[type=file]').{call}"]
        return self.on_target(step, call, FIELD)

    def drag(self, step: TaughtStep) -> list[str] | None:
        to = target_in(step.roles.get("to", ""))
        return None if to is None else self.on_target(step, f"drag_to({self.locator_of(to)})")

    def on_target(self, step: TaughtStep, call: str, kind: str = "") -> list[str] | None:
        """Do something with the thing that the words of a step mean."""
        target = target_in(step.roles.get("target", ""))
        if target is None:
            return None
        target = replace(target, kind=target.kind or kind)
        return [f"{self.locator_of(target)}.{call}"] * repeat_count(step)

    # Locators

    def locator_of(self, target: Target, *, is_labelled: bool = False) -> str:
        """Write a locator for a thing.

        A label has the text of what is in it: a list or a text that it holds is found by its role.
        """
        name = self.name(target)
        if target.kind == FIELD and target.name:
            ways = [f"get_by_label({name})", f"get_by_placeholder({name})"]
            ways.append(self.by_role("textbox", target))
        elif target.kind == DROPDOWN and target.name and is_labelled:
            roles = [self.by_role(role, target) for role in ROLES[DROPDOWN]]
            ways = [f"get_by_label({name})", *roles]
        elif target.kind in HOLDERS and target.name:
            ways = [self.by_inner_text(target)]
        elif target.kind:
            ways = [self.by_role(role, target) for role in ROLES[target.kind]]
        elif target.place is None:
            ways = [f"get_by_text({name})"]
        else:
            ways = [self.by_role(role, target) for role in ("button", "link")]
        return self.within_place(target, lambda base: any_locator(base, ways))

    def within_place(self, target: Target, within: Callable[[str], str]) -> str:
        """Write a locator in the place that it belongs to, and say which one of several."""
        place = target.place
        base = "page" if place is None else self.locator_of(replace(place, place=None))
        return within(base) + index_call(target.ordinal)

    def by_inner_text(self, target: Target) -> str:
        return f"get_by_role({ROLES[target.kind][0]!r}).filter(has_text={self.text(target.name)})"

    def by_role(self, role: str, target: Target) -> str:
        name = f", name={self.name(target)}" if target.name else ""
        return f"get_by_role({role!r}{name})"

    def name(self, target: Target) -> str:
        """Write a name as a locator takes it: just so, or in capitals or not."""
        text = self.text(target.name)
        return f"{text}, exact=True" if target.quoted else f"called({text})"

    def text(self, text: Value) -> str:
        """Write a text as Python, with the parameters that stand for its slots.

        Braces that are no slot are braces: no value breaks out of its quotes.
        """
        text = text if isinstance(text, str) else str(text)
        whole = SLOT.fullmatch(text)
        if whole is not None and whole[1] in self.names:
            return self.names[whole[1]]
        parts: list[str] = []
        at = 0
        for slot in SLOT.finditer(text):
            if slot[1] in self.names:
                parts += [escape_braces(text[at : slot.start()]), f"{{{self.names[slot[1]]}}}"]
                at = slot.end()
        return f"f{''.join([*parts, escape_braces(text[at:])])!r}" if parts else repr(text)


def any_locator(base: str, ways: Sequence[str]) -> str:
    """Join locators so that any of them will do."""
    first, *others = (f"{base}.{way}" for way in ways)
    return first + "".join(f".or_({other})" for other in others)


def index_call(ordinal: int) -> str:
    if ordinal in {0, 1, -1}:
        return {0: "", 1: ".first", -1: ".last"}[ordinal]
    return f".nth({ordinal - 1})"


def escape_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def repeat_count(step: TaughtStep) -> int:
    """Say how often something is done."""
    count = step.params.get("times", 1)
    return count if isinstance(count, int) and count > 0 else 1


def milliseconds(seconds: Value) -> float | None:
    return seconds * SECOND if isinstance(seconds, int | float) else None


def on_target(call: str) -> Callable[[ScriptWriter, TaughtStep], list[str] | None]:
    return lambda writer, step: writer.on_target(step, call)


def on_page(call: str) -> Callable[[ScriptWriter, TaughtStep], list[str] | None]:
    return lambda _writer, _step: [f"page.{call}"]


WRITERS: Mapping[str, Callable[[ScriptWriter, TaughtStep], list[str] | None]] = {
    "browser.navigate": ScriptWriter.navigate,
    "browser.back": on_page("go_back()"),
    "browser.forward": on_page("go_forward()"),
    "browser.reload": on_page("reload()"),
    "browser.wait": ScriptWriter.wait,
    "browser.wait_time": ScriptWriter.wait_time,
    "browser.wait_load": on_page("wait_for_load_state()"),
    "browser.wait_url": ScriptWriter.wait_url,
    "browser.click": on_target("click()"),
    "browser.use": ScriptWriter.use,
    "browser.double_click": on_target("dblclick()"),
    "browser.right_click": on_target("click(button='right')"),
    "browser.hover": on_target("hover()"),
    "browser.drag": ScriptWriter.drag,
    "browser.type": ScriptWriter.type_text,
    "browser.clear": lambda writer, step: writer.on_target(step, "clear()", FIELD),
    "browser.set": ScriptWriter.set_value,
    "browser.select": ScriptWriter.select,
    "browser.check": lambda writer, step: writer.on_target(step, "check()", BOX),
    "browser.uncheck": lambda writer, step: writer.on_target(step, "uncheck()", BOX),
    "browser.press": ScriptWriter.press,
    "browser.upload": ScriptWriter.upload,
    "browser.scroll_to": on_target("scroll_into_view_if_needed()"),
}

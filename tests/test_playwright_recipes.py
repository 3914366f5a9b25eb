"""Playwright scripts become recipes, and recipes become scripts that run without Behest."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.language.describing import Description
from actors.language.reading import descriptions
from actors.language.words import key_of
from actors.planner.tables import planner_rules
from messages.taught import SLOT, Taught, TaughtStep
from tests.daemon import Daemon, running_daemon
from tests.web import Served
from tools.browser.finding import system_browser
from tools.recipes.cookbook import RecipeFolder
from tools.recipes.reading import decode_recipe
from tools.recipes.script_export import script_of_recipe
from tools.recipes.script_import import BadScript, Imported, recipe_of_script
from tools.recipes.target_words import Target, target_in, words_of

FOLDER = RecipeFolder(None, planner_rules().by_name(), key_of, lambda _saying: None)

SYNC = """import re
from playwright.sync_api import Playwright, sync_playwright, expect


def run(playwright: Playwright) -> None:
    browser = playwright.chromium.launch(headless=False)
    context = browser.new_context()
    page = context.new_page()
{}
    # ---------------------
    context.storage_state(path="state.json")
    context.close()
    browser.close()


with sync_playwright() as playwright:
    run(playwright)
"""
ASYNC = """import asyncio
import re
from playwright.async_api import Playwright, async_playwright, expect


async def run(playwright: Playwright) -> None:
    browser = await playwright.chromium.launch(headless=False)
    context = await browser.new_context()
    page = await context.new_page()
{}
    await context.close()
    await browser.close()


async def main() -> None:
    async with async_playwright() as playwright:
        await run(playwright)


asyncio.run(main())
"""
PYTEST = """import re
import pytest
from playwright.sync_api import Page, expect


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args, playwright):
    return {{"locale": "de-DE"}}


def test_example(page: Page) -> None:
{}
"""
PLAIN = """from playwright.sync_api import sync_playwright
with sync_playwright() as p:
    page = p.chromium.launch().new_page()
{}
    page.close()
"""
IN_CLASS = """class TestShop(Base):
  def test_it(self):
    page = self.page
{}
"""
SHOP = """page.goto("https://shop.example/")
page.get_by_role("textbox", name="Email").fill("ada@example.org")
page.get_by_label("Country").select_option(label="France")
page.get_by_role("checkbox", name="Terms", exact=True).check()
expect(page.get_by_text("Total")).to_be_visible()
page.get_by_role("button", name="Save").click()
"""
SHOP_STEPS = (
    TaughtStep("browser.navigate", params={"url": "https://shop.example/"}),
    TaughtStep("browser.type", {"target": '"Email" field'}, {"text": "{email}"}),
    TaughtStep("browser.select", {"target": '"{country}"', "from": '"Country" dropdown'}),
    TaughtStep("browser.check", {"target": '"Terms" checkbox'}),
    TaughtStep("browser.click", {"target": '"Save" button'}),
)


def script(lines: str, form: str = SYNC) -> str:
    """Put lines into a script of some form."""
    await_ = "await " if form is ASYNC else ""
    return form.format("\n".join(f"    {await_}{line}" for line in lines.splitlines()))


def imported(lines: str) -> Imported:
    """Read lines, and check the recipe that they make."""
    found = recipe_of_script(script(lines), "Shop")
    FOLDER.check(found.recipe)
    return found


def only_step(line: str) -> TaughtStep:
    found = imported(line)
    assert found.left_out == ()
    (step,) = found.recipe.steps
    return step


# Reading


@pytest.mark.parametrize("form", [SYNC, ASYNC, PYTEST, PLAIN, IN_CLASS])
def test_every_form_of_script_becomes_the_same_recipe(form: str) -> None:
    found = recipe_of_script(script(SHOP, form), "Shop")
    FOLDER.check(found.recipe)
    assert found.recipe.steps == SHOP_STEPS
    assert found.recipe.values == {"email": "ada@example.org", "country": "France"}
    assert found.left_out == ()


DEEDS = {
    "page.go_back()": TaughtStep("browser.back"),
    "page.go_forward()": TaughtStep("browser.forward"),
    "page.reload()": TaughtStep("browser.reload"),
    "page.wait_for_timeout(1500)": TaughtStep("browser.wait_time", params={"seconds": 1.5}),
    "page.wait_for_load_state()": TaughtStep("browser.wait_load"),
    'page.wait_for_url("https://a.example/b")': TaughtStep(
        "browser.wait_url", params={"url": "https://a.example/b"}
    ),
    'page.keyboard.press("Control+s")': TaughtStep("browser.press", params={"keys": "Control+s"}),
    'page.keyboard.type("hi")': TaughtStep("browser.type", params={"text": "{text}"}),
    'page.get_by_label("File").set_input_files("a.pdf")': TaughtStep(
        "browser.upload", {"target": '"File" field'}, {"name": "a.pdf"}
    ),
    'page.locator("input[type=file]").set_input_files(["a.pdf"])': TaughtStep(
        "browser.upload", params={"name": "a.pdf"}
    ),
    'page.get_by_label("Email").press("Enter")': TaughtStep(
        "browser.press", {"target": '"Email" field'}, {"keys": "Enter"}
    ),
    'page.get_by_text("Done").wait_for(state="hidden", timeout=2000)': TaughtStep(
        "browser.wait", {"target": '"Done"'}, {"state": "hidden", "seconds": 2.0}
    ),
    'page.get_by_text("A").drag_to(page.get_by_role("listitem").filter(has_text="B"))': TaughtStep(
        "browser.drag", {"target": '"A"', "to": '"B" item'}
    ),
    'page.get_by_label("City").press_sequentially("Oslo")': TaughtStep(
        "browser.type", {"target": '"City" field'}, {"text": "{city}"}
    ),
    'page.type("[name=city]", "Oslo")': TaughtStep(
        "browser.type", {"target": "city field"}, {"text": "{city}"}
    ),
}
DEEDS |= {
    f"page.get_by_role('button', name='Save').{call}": TaughtStep(
        f"browser.{verb}", {"target": '"Save" button'}
    )
    for call, verb in {
        "click()": "click",
        "click(timeout=500)": "click",
        "dblclick()": "double_click",
        "click(click_count=2)": "double_click",
        'click(button="right")': "right_click",
        "hover()": "hover",
        "scroll_into_view_if_needed()": "scroll_to",
    }.items()
}
DEEDS |= {
    f"page.get_by_label('News').{call}": TaughtStep(f"browser.{verb}", {"target": words})
    for call, verb, words in (
        ("check()", "check", '"News" checkbox'),
        ("uncheck()", "uncheck", '"News" checkbox'),
        ("set_checked(True)", "check", '"News" checkbox'),
        ("set_checked(False)", "uncheck", '"News" checkbox'),
        ("clear()", "clear", '"News" field'),
        ('fill("")', "clear", '"News" field'),
    )
}


@pytest.mark.parametrize(("line", "step"), DEEDS.items())
def test_a_deed_becomes_a_step(line: str, step: TaughtStep) -> None:
    found = imported(line)
    assert found.recipe.steps == (step,)
    assert found.left_out == ()


LOCATORS = {
    'get_by_role("button", name="Save")': '"Save" button',
    'get_by_role("link", name="Products", exact=True)': '"Products" link',
    'get_by_role("textbox", name="Email")': '"Email" field',
    'get_by_role("combobox", name="City")': '"City" dropdown',
    'get_by_role("radio", name="Yes")': '"Yes" radio button',
    'get_by_role("tab", name="Details")': '"Details" tab',
    'get_by_role("menuitem", name="Copy")': '"Copy" menu item',
    'get_by_role("heading", name="News", level=2)': '"News" heading',
    'get_by_role("button", name=re.compile(r"^Save \\(all\\)$"))': '"Save (all)" button',
    'get_by_role("button").first': "first button",
    'get_by_role("button", name="Edit").nth(1)': 'second "Edit" button',
    'get_by_role("button", name="Edit").nth(20)': '21st "Edit" button',
    'get_by_role("button", name="Edit").last': 'last "Edit" button',
    'get_by_role("button", name="Edit").nth(-1)': 'last "Edit" button',
    'get_by_label("Email")': '"Email" field',
    'get_by_placeholder("Search the shop")': '"Search the shop" field',
    'get_by_text("Sign in")': '"Sign in"',
    'get_by_text("Sign  in\\n now")': '"Sign in now"',
    'get_by_title("Close")': '"Close"',
    'get_by_alt_text("Logo")': '"Logo" image',
    'get_by_text("Say \\"hi\\"")': '“Say "hi"”',
    'locator("#first_name")': "first name",
    'locator("input#userName")': "user name",
    "locator('button[name=\"save-all\"]')": "save all button",
    "locator('[aria-label=\"Close\"]')": '"Close"',
    "locator('button:has-text(\"Save\")')": '"Save" button',
    'locator("text=Save")': '"Save"',
    'locator("div").filter(has_text=re.compile(r"^Hello$"))': '"Hello"',
    'locator("li", has_text="Milk")': '"Milk" item',
    'get_by_role("row", name="Kettle").get_by_role("button", name="Edit")': (
        '"Edit" button in the row of "Kettle"'
    ),
    'get_by_role("row").filter(has_text="Kettle").get_by_role("checkbox")': (
        'checkbox in the row of "Kettle"'
    ),
    'get_by_role("listitem").filter(has_text="Milk").get_by_role("button").last': (
        'last button in the "Milk" item'
    ),
    'get_by_role("dialog").get_by_text("OK")': '"OK" in the dialog',
    'get_by_role("region", name="Billing").get_by_label("City")': (
        '"City" field in the "Billing" section'
    ),
    'get_by_role("navigation").get_by_role("link", name="Home")': '"Home" link in the navigation',
    'frame_locator("#inner").get_by_role("button", name="Save")': '"Save" button',
    'locator("iframe").content_frame.get_by_role("button", name="Save")': '"Save" button',
    'get_by_role("button", name="Go").or_(page.get_by_role("link", name="Go"))': '"Go"',
}


@pytest.mark.parametrize(("locator", "words"), LOCATORS.items())
def test_a_locator_becomes_words(locator: str, words: str) -> None:
    assert only_step(f"page.{locator}.click()").roles == {"target": words}


@pytest.mark.parametrize("words", LOCATORS.values())
def test_behest_reads_the_words_as_they_were_meant(words: str) -> None:
    target = target_in(words)
    assert target is not None
    assert any(is_meant(found, target) for found in descriptions(words))


def is_meant(found: Description, target: Target) -> bool:
    """Tell whether one reading of the words is the thing that they were written for."""
    kind = "" if found.kind is None else found.kind.word
    places = {name for to in found.to for name in (to.name, *(each.name for each in to.to))}
    return (
        (found.name, kind, found.ordinal or 0) == (target.name, target.kind, target.ordinal)
        and (found.quoted or not (target.quoted and target.name))
        and (not places if target.place is None else target.place.name in places)
    )


def test_names_for_locators_and_texts_are_followed() -> None:
    found = imported(
        'who = "Ada"\nrow = page.get_by_role("row", name="Kettle")\n'
        'edit = row.get_by_role("button", name="Edit")\nedit.click()\n'
        'page.get_by_label("Buyer").fill(who)'
    )
    assert [dict(step.roles) for step in found.recipe.steps] == [
        {"target": '"Edit" button in the row of "Kettle"'},
        {"target": '"Buyer" field'},
    ]
    assert found.recipe.values == {"buyer": "Ada"}
    assert found.left_out == ()


def test_a_tab_that_opens_is_followed_and_closed() -> None:
    lines = """with page.expect_popup() as page1_info:
    page.get_by_role("link", name="Help").click()
page1 = page1_info.value
page1.get_by_role("link", name="Terms").click()
page1.close()
page.get_by_role("button", name="Save").click()"""
    found = imported(lines)
    assert [step.do for step in found.recipe.steps] == [
        "browser.click",
        "browser.click",
        "browser.close_tab",
        "browser.click",
    ]
    assert found.left_out == ()


# What has no step


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('page.locator(".btn > span").click()', "only the page's source knows"),
        ('page.locator("//button[2]").click()', "only the page's source knows"),
        ('page.locator("#all").click()', "only the page's source knows"),
        ('page.get_by_test_id("save").click()', "only the page's source knows"),
        ('page.locator("#main").get_by_role("link").click()', "only the page's source knows"),
        ('page.locator("div").filter(has_text="A").nth(2).click()', "boxes are counted"),
        ('page.get_by_role("row").nth(2).click()', "counts rows without their heads"),
        ('page.get_by_role("listitem").nth(2).get_by_role("link").click()', "by its number"),
        ('page.get_by_role("button", name=re.compile("Sa.*")).click()', "a pattern"),
        ('page.get_by_role("button", name="Add {item}").click()', "{braces}"),
        ('page.get_by_role("button", name=re.compile(r"\\{a\\}")).click()', "{braces}"),
        ('page.get_by_role("button", name="\\"”»").click()', "cannot be said in quotes"),
        ('page.get_by_role("button", expanded=True).click()', "told by 'expanded'"),
        ('page.get_by_text("A").click(modifiers=["Control"])', "modifiers"),
        ('page.get_by_text("A").click(position={"x": 1, "y": 2})', "position"),
        ('page.get_by_label("A").select_option(["a", "b"])', "several"),
        ('page.get_by_label("A").select_option(index=2)', "told by its number"),
        ('page.get_by_label("A").set_input_files([])', "several files, or none"),
        ('page.goto("/login")', "without its host"),
        ('page.goto("https://ada:hunter2@a.example/")', "with a password"),
        ("page.wait_for_timeout(later)", "known only when the script runs"),
        ('page.wait_for_url("**/done")', "a pattern"),
        ('page.evaluate("alert(1)")', "there is no step"),
        ('page.once("dialog", lambda dialog: dialog.dismiss())', "answers the dialog"),
        ("for each in range(3): page.reload()", "repeated"),
        ("sign_in(page)", "what it calls is not read"),
        ("page2.reload()", "another tab"),
    ],
)
def test_a_line_without_a_step_is_told_with_its_reason(line: str, reason: str) -> None:
    found = imported(f"page.reload()\n{line}")
    assert [step.do for step in found.recipe.steps] == ["browser.reload"]
    (note,) = found.left_out
    assert note.startswith("line 10: ")
    assert reason in note


@pytest.mark.parametrize(
    "line",
    [
        'expect(page).to_have_title("A")',
        'expect(page.get_by_text("A")).to_be_visible()',
        "page.close()",
        "page.pause()",
        "page.set_viewport_size({'width': 800, 'height': 600})",
        "browser.close()",
        "print(page.title())",
        "assert page.title() == 'A'",
    ],
)
def test_lines_around_the_steps_are_passed_over(line: str) -> None:
    assert imported(f"page.reload()\n{line}").left_out == ()


def test_an_option_that_is_told_by_its_value_is_a_step_with_a_warning() -> None:
    found = imported('page.get_by_label("Country").select_option("de")')
    assert found.recipe.values == {"country": "de"}
    (note,) = found.left_out
    assert "its value" in note
    assert "de" not in note.partition("select_option")[2].partition(")")[0]


def test_an_option_that_would_be_read_as_several_is_no_slot() -> None:
    found = imported('page.get_by_label("C").select_option(label="Bosnia and Herzegovina")')
    assert found.recipe.steps[0].roles["target"] == '"Bosnia and Herzegovina"'
    assert found.recipe.values == {}


def test_what_is_typed_twice_has_one_slot() -> None:
    found = imported('page.get_by_label("A").fill("x")\npage.get_by_label("B").fill("x")')
    assert found.recipe.values == {"a": "x"}


def test_a_value_from_elsewhere_is_asked_for() -> None:
    found = imported('page.get_by_label("User").fill(os.environ["WHO"])')
    assert found.recipe.asked == ("user",)
    (note,) = found.left_out
    assert "asked for each time" in note


@pytest.mark.parametrize(
    "locator",
    [
        'get_by_label("Password")',
        'get_by_role("textbox", name="PIN")',
        'get_by_placeholder("API token")',
        'locator("#user_passcode")',
        'locator("input[name=\\"clientSecret\\"]")',
    ],
)
def test_a_secret_is_asked_for_and_kept_nowhere(locator: str) -> None:
    found = imported(
        f'page.get_by_label("Again").fill("hunter2")\npage.{locator}.fill("hunter2")\n'
        'page.locator(".x > .y").fill("hunter2")'
    )
    assert len(found.recipe.asked) == 2
    assert "hunter2" not in repr(found)
    assert "hunter2" not in script_of_recipe(found.recipe)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "codegen"),
        ("print('hi')", "codegen"),
        ("def run(page):\n    page.locator('.a > .b').click()", "name the control"),
        ("def run(page:\n  pass", "line 1"),
        ("page.goto('https://a.example/'", "line 1"),
        ("page.reload()\0", "no Python script"),
        ("page.reload()\n" * 201, "cut it in parts"),
        ("#" * 300_000, "larger than"),
        ("page" + ".first" * 2_000 + ".click()", "nested too deeply|no Python script"),
        ("page" + ".first" * 30_000, "nested too deeply|no Python script"),
        ("x = " + "(" * 5_000 + ")" * 5_000, "no Python script"),
    ],
)
def test_a_script_that_cannot_be_read_says_what_to_do(source: str, message: str) -> None:
    with pytest.raises(BadScript, match=message):
        recipe_of_script(source, "Shop")


def test_only_the_first_function_with_steps_is_read() -> None:
    source = "def test_a(page):\n    page.reload()\n\ndef test_b(page):\n    page.go_back()\n"
    found = recipe_of_script(source, "Shop")
    assert [step.do for step in found.recipe.steps] == ["browser.reload"]
    assert found.left_out == ("line 4: def test_b: it has steps of its own; import it by itself",)


@pytest.mark.parametrize("name", ["", "  ", "x" * 81])
def test_a_recipe_has_a_name_that_can_be_kept(name: str) -> None:
    with pytest.raises(BadScript, match="no name"):
        recipe_of_script(script("page.reload()"), name)


# Writing


def there_and_back(recipe: Taught) -> Taught:
    """Write a recipe as a script, and read that."""
    written = script_of_recipe(recipe)
    compile(written, "exported.py", "exec")
    assert is_harmless(written)
    found = recipe_of_script(written, recipe.name).recipe
    FOLDER.check(found)
    return found


def is_harmless(written: str) -> bool:
    """Tell whether a script has nothing outside of its functions, save for starting them."""
    allowed = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.If)
    body = ast.parse(written).body
    names = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    starts = [ast.unparse(each) for each in body if isinstance(each, ast.If)]
    return (
        all(isinstance(each, allowed) for each in body)
        and names <= {"called", "run", "main"}
        and starts == ["if __name__ == '__main__':\n    main()"]
    )


EVERYTHING = "\n".join(
    [
        SHOP,
        *DEEDS,
        *(f"page.{locator}.click()" for locator in LOCATORS),
        'page.get_by_label("Password").fill("hunter2")',
        *(
            f"page.get_by_label('{name}').fill('{name}')"
            for name in ("class", "page", "Help", "re")
        ),
    ]
)


def test_a_script_that_was_read_and_written_is_read_the_same_again() -> None:
    recipe = imported(EVERYTHING).recipe
    assert len(recipe.steps) > 70
    assert there_and_back(recipe) == recipe


@pytest.mark.parametrize("line", [*DEEDS, *(f"page.{locator}.click()" for locator in LOCATORS)])
def test_each_line_that_was_read_and_written_is_read_the_same_again(line: str) -> None:
    recipe = imported(line).recipe
    assert there_and_back(recipe) == recipe


HOSTILE = [
    "'",
    '"',
    "'''\"\"\"",
    "{x}",
    "{{x}}",
    "a {text} b {0}",
    "{__import__('os')}",
    "line\nline\r\n\tline",
    "\\",
    "\\N{DASH}{a}",
    "%s %(a)s",
    "# no comment",
    "'); import os; os.abort(); ('",
    "\u2028\x85\x0c\x00\ud800",
    "”»“«",
    " ",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_value_breaks_out_of_its_text_or_becomes_a_slot(text: str) -> None:
    lines = [
        f'page.get_by_label("Note").fill({text!r})',
        f"page.goto({'https://a.example/?' + text!r})",
        f"page.keyboard.type({text + '!'!r})",
        f'page.get_by_label("Size").select_option({text!r})',
        f"page.get_by_role('button', name={text!r}).click()",
        f"page.get_by_role('row', name={text!r}).get_by_text({text!r}).click()",
        f"page.locator({text!r}).click()",
    ]
    recipe = imported("\n".join(lines)).recipe
    assert {*recipe.values} <= {"note", "address", "text", "size"}
    assert there_and_back(recipe) == recipe


@given(text=st.text(), name=st.text())
def test_any_value_and_any_name_survive_both_ways(text: str, name: str) -> None:
    lines = [
        "page.reload()",
        f"page.get_by_label({name!r}).fill({text!r})",
        f"page.get_by_role('link', name={text!r}).first.click()",
    ]
    recipe = imported("\n".join(lines)).recipe
    assert there_and_back(recipe) == recipe


@given(text=st.text(), slot=st.text(min_size=1))
def test_no_recipe_makes_a_script_that_breaks(text: str, slot: str) -> None:
    steps = (
        TaughtStep("browser.type", {"target": text}, {"text": f"{text}{{{slot}}}"}),
        TaughtStep("browser.click", {"target": f'"{text}" button in the row of {text}'}),
        TaughtStep("browser.select", {"target": f"{{{slot}}}", "from": text}),
        TaughtStep(text, words=text),
    )
    recipe = Taught(text, steps, values={slot: text}, asked=(f"{slot}_",))
    written = script_of_recipe(recipe)
    compile(written, "exported.py", "exec")
    assert is_harmless(written)


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (
            TaughtStep("browser.click", {"target": "Edit in the row of {thing}"}),
            (
                "page.get_by_role('row').filter(has_text=thing)"
                ".get_by_role('button', name=called('Edit'))"
                ".or_(page.get_by_role('row').filter(has_text=thing)"
                ".get_by_role('link', name=called('Edit'))).click()"
            ),
        ),
        (
            TaughtStep("browser.click", {"target": 'third "Edit {thing}" button'}),
            "page.get_by_role('button', name=f'Edit {thing}', exact=True).nth(2).click()",
        ),
        (
            TaughtStep("browser.click", {"target": "the Save button"}),
            "page.get_by_role('button', name=called('Save')).click()",
        ),
        (
            TaughtStep("browser.use", {"target": '"Archive" button'}),
            "page.get_by_role('button', name='Archive', exact=True).click()",
        ),
        (
            TaughtStep("browser.set", {"target": '"Size" slider'}, {"value": "{thing}"}),
            "page.get_by_role('slider', name='Size', exact=True).fill(thing)",
        ),
        (
            TaughtStep("browser.select", {"target": "{thing}", "from": '"Size" dropdown'}),
            (
                "page.get_by_label('Size', exact=True)"
                ".or_(page.get_by_role('combobox', name='Size', exact=True))"
                ".or_(page.get_by_role('listbox', name='Size', exact=True)).select_option(thing)"
            ),
        ),
        (
            TaughtStep("browser.click", {"target": "Terms of service"}),
            "page.get_by_text(called('Terms of service')).click()",
        ),
        (
            TaughtStep("browser.press", params={"keys": "Tab", "times": 2}),
            "page.keyboard.press('Tab')\n    page.keyboard.press('Tab')",
        ),
    ],
)
def test_a_step_becomes_the_nearest_call(step: TaughtStep, line: str) -> None:
    written = script_of_recipe(Taught("Shop", (step,), values={"thing": "Kettle"}))
    assert f"\n    {line}\n" in written
    assert "not exported" not in written


@pytest.mark.parametrize(
    "step",
    [
        TaughtStep("file.copy", {"target": "a.txt"}, {"to": "b"}),
        TaughtStep("browser.scroll", params={"direction": "down"}),
        TaughtStep("browser.submit"),
        TaughtStep("browser.click", {"target": "all checkboxes"}),
        TaughtStep("browser.click", {"target": "it"}),
        TaughtStep("browser.click", {"target": 'the button next to "Save"'}),
        TaughtStep("browser.click", words="click Save"),
        TaughtStep("browser.click", {"target": '"Save" button'}, scope="if:g0"),
        TaughtStep("browser.type", {"target": '"A" field'}, takes={"text": "g0"}),
        TaughtStep("browser.use", {"target": "archive this boat"}),
        TaughtStep("recipe.run", params={"name": "Other"}),
    ],
)
def test_a_step_without_a_call_is_a_comment_and_is_told_at_the_top(step: TaughtStep) -> None:
    written = script_of_recipe(Taught("Shop", (step, TaughtStep("browser.reload"))))
    compile(written, "exported.py", "exec")
    told = f"# not exported: step 1, {step.do!r}"
    assert written.splitlines()[1].startswith(told)
    assert written.count(told) == 2
    assert "\n    page.reload()\n" in written


@pytest.mark.parametrize(
    "target",
    [
        Target("Edit", "button", ordinal=2, place=Target("Kettle", "row")),
        Target("first name", "field", quoted=False),
        Target(kind="button", ordinal=-1, place=Target("Billing", "section")),
        Target("OK", place=Target(kind="dialog")),
    ],
)
def test_words_are_read_as_they_were_written(target: Target) -> None:
    assert target_in(words_of(target)) == target


# Running


class Shop(Served):
    """A shop with a form; it notes what was sent."""

    def __init__(self) -> None:
        super().__init__(Counter)
        self.sent: list[tuple[str, dict[str, list[str]]]] = []


class Counter(BaseHTTPRequestHandler):
    server: Shop
    page = b"""<!doctype html><meta charset=utf-8><title>Shop</title>
    <form method=post action=/order><label>Email <input name=email></label>
    <label>Password <input type=password name=password></label>
    <label for=n>First name:</label><input id=n name=first_name>
    <input placeholder="Search the shop" name=search>
    <label>Note <textarea name=note></textarea></label>
    <label>Country <select name=country><option value=de>Germany<option value=fr>France</select>
    </label><label>Colour <select name=colour><option>Red<option>Blue</select></label>
    <label><input type=checkbox name=terms> Terms</label>
    <label><input type=checkbox name=news checked> News</label>
    <table><tr><th>Name<th>Price<th></tr>
    <tr><td>Kettle<td>12<td><button type=button onclick="picked.value+='kettle '">Add</button></tr>
    <tr><td>Teapot<td>14<td><button type=button onclick="picked.value+='teapot '">Add</button></tr>
    </table><input type=hidden name=picked id=picked>
    <button>Save</button><button name=wrong value=1>Save as</button></form>"""

    def do_GET(self) -> None:
        self.answer(self.page if self.path == "/" else b"<title>Done</title>Thanks")

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.sent.append((self.path, parse_qs(sent)))
        self.send_response(303)
        self.send_header("Location", "/done")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing: tests have their own output."""


ORDER = """page.goto({url!r})
page.get_by_role("textbox", name="Email").click()
page.get_by_role("textbox", name="Email").fill("ada@example.org")
page.get_by_label("Password").fill("hunter2")
page.locator("[name=first_name]").fill("Ada")
page.get_by_placeholder("Search the shop").fill("cups")
page.get_by_label("Note").fill("it's \\"{{x}}\\"")
page.get_by_label("Country").select_option("fr")
page.get_by_label("Colour").select_option(label="Blue")
page.get_by_role("checkbox", name="Terms").check()
page.get_by_label("News").uncheck()
page.get_by_role("row", name="Teapot").get_by_role("button", name="Add").click()
page.get_by_role("button", name="Add").first.click()
page.get_by_role("button", name="Save", exact=True).click()
page.wait_for_url({done!r})"""


def test_an_exported_script_does_in_a_browser_what_the_recipe_says(tmp_path: Path) -> None:
    with Shop() as shop:
        lines = ORDER.format(url=shop.url("/"), done=shop.url("/done"))
        exported = tmp_path / "order.py"
        exported.write_text(script_of_recipe(imported(lines).recipe), "utf-8")
        ended = subprocess.run(
            [sys.executable, exported, "--password", "s3cret", "--email", "{bob}@example.org"],
            env={**os.environ, "CHROMIUM": system_browser() or ""},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    ((path, form),) = shop.sent
    assert path == "/order"
    assert form == {
        "email": ["{bob}@example.org"],
        "password": ["s3cret"],
        "first_name": ["Ada"],
        "search": ["cups"],
        "note": ['it\'s "{x}"'],
        "country": ["fr"],
        "colour": ["Blue"],
        "terms": ["on"],
        "picked": ["teapot kettle "],
    }


def test_what_must_be_said_is_asked_for_on_the_command_line(tmp_path: Path) -> None:
    exported = tmp_path / "sign_in.py"
    recipe = imported('page.get_by_label("Password").fill("hunter2")').recipe
    exported.write_text(script_of_recipe(recipe), "utf-8")
    ended = subprocess.run(
        [sys.executable, exported], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 2
    assert "--password" in ended.stderr


def test_no_step_of_a_recipe_has_a_slot_that_was_a_text() -> None:
    found = imported('page.get_by_label("A").fill("{b}")\npage.get_by_label("B").fill("{a}")')
    assert found.recipe.values == {"a": "{b}", "b": "{a}"}
    assert [SLOT.findall(str(step.params["text"])) for step in found.recipe.steps] == [["a"], ["b"]]


# On the command line


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with running_daemon(tmp_path) as running:
        yield running


@pytest.fixture
def shop_script(tmp_path: Path) -> str:
    """Give the path of a script as codegen writes it."""
    path = tmp_path / "shop.py"
    path.write_text(script(SHOP + 'page.locator(".a > .b").fill("hunter2")'), "utf-8")
    return str(path)


def test_a_script_is_imported_and_the_recipe_is_shown_on_the_command_line(
    daemon: Daemon, shop_script: str
) -> None:
    taken = daemon.cli("recipes", "import", "usual", "order", "--file", shop_script)
    assert taken.returncode == 0, taken.stderr
    assert "left out: line 15: " in taken.stderr
    assert "hunter2" not in taken.stdout + taken.stderr
    shown = daemon.cli("recipes", "show", "usual", "order")
    assert shown.returncode == 0, shown.stderr
    recipe = decode_recipe(shown.stdout)
    assert recipe.name == "usual order"
    assert recipe.steps == SHOP_STEPS
    assert recipe.values == {"email": "ada@example.org", "country": "France"}


def test_a_recipe_is_exported_as_a_script_on_the_command_line(
    daemon: Daemon, shop_script: str, tmp_path: Path
) -> None:
    assert daemon.cli("recipes", "import", "order", "--file", shop_script).returncode == 0
    printed = daemon.cli("recipes", "export", "order")
    assert printed.returncode == 0, printed.stderr
    compile(printed.stdout, "order.py", "exec")
    assert is_harmless(printed.stdout)
    assert recipe_of_script(printed.stdout, "order").recipe.steps == SHOP_STEPS
    exported = tmp_path / "exported.py"
    assert daemon.cli("recipes", "export", "order", "--file", str(exported)).returncode == 0
    assert exported.read_text("utf-8") == printed.stdout
    assert daemon.cli("recipes", "export", "nothing").returncode == 1


SECRETS_ELSEWHERE = [
    'page.get_by_label("Password").click()\n    page.keyboard.type("hunter2")',
    'URL = "https://ada:hunter2@example.org/"\n    page.goto(URL)\n    page.reload()',
    'page.wait_for_url("https://ada:hunter2@example.org/")\n    page.reload()',
]


@pytest.mark.parametrize("lines", SECRETS_ELSEWHERE)
def test_a_secret_is_kept_nowhere_however_it_is_written(lines: str) -> None:
    source = f"def test_it(page):\n    {lines}\n"
    imported = recipe_of_script(source, "it")
    assert "hunter2" not in repr(imported)


def test_a_secret_in_the_default_of_a_parameter_is_not_kept() -> None:
    source = "def run(page, url='https://ada:hunter2@example.org/'):\n    page.goto(url)\n"
    with pytest.raises(BadScript) as refused:
        recipe_of_script(source, "it")
    assert "hunter2" not in str(refused.value)

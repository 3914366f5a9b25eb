"""What a page can hear of a field decides how it is typed into and left; nobody hears the rest.

A field that nobody listens to is filled in at once and left without waiting. Wherever somebody does
listen, every key comes one by one, and what the page does when the field is left is waited for.
"""

from itertools import cycle
from pathlib import Path

import pytest

from messages.executing import Done
from messages.results import Code
from tests.test_deeds import LANE, Shown, code_of, output_of, running, shown
from tests.web import Web
from tools.browser import choosing, filling, navigating, pointing
from tools.browser.boxes import sort_of
from tools.browser.hearing import hearing_of
from tools.browser.params import Address, Click, OnElement, Select, Type

FIELD = """<form id=form onsubmit="return false"><fieldset id=set><label>City <input id=city
  value=Oslo></label></fieldset><label>Town <input id=town></label></form>
<script>const heard = []; {script}</script>"""
AROUND = (
    "window.addEventListener('{type}', {does}, true)",
    "document.addEventListener('{type}', {does}, true)",
    "form.addEventListener('{type}', {does}, true)",
    "set.on{type} = {does}",
    "city.addEventListener('{type}', {does})",
    "city.setAttribute('on{type}', '({does})()')",
)


async def type_into(page: Shown, words: str, text: str) -> object:
    target = await page.target(words, "type")
    params = Type(lane=LANE, selector=target, text=text)
    return await filling.type_text(page.actions, params)


@pytest.mark.parametrize("listening", AROUND)
async def test_whoever_hears_a_field_being_left_is_waited_for(
    listening: str, tmp_path: Path
) -> None:
    does = '() => setTimeout(() => { city.value = "" }, 20)'
    script = listening.format(type="change", does=does)
    async with shown(FIELD.format(script=script), tmp_path) as page:
        target = await page.target("City", "type")
        params = Type(lane=LANE, selector=target, text="Rome")
        outcome = await filling.type_text(page.actions, params)
        assert code_of(outcome) is Code.EFFECT_MISSING


@pytest.mark.parametrize(
    ("listening", "type_"), list(zip(AROUND, cycle(["keydown", "keyup", "input"]), strict=False))
)
async def test_whoever_hears_keys_sees_every_one_of_them(
    listening: str, type_: str, tmp_path: Path
) -> None:
    script = listening.format(type=type_, does="() => heard.push(city.value)")
    async with shown(FIELD.format(script=script), tmp_path) as page:
        assert await type_into(page, "City", "Rome") == Done({"value": "Rome"})
        assert len(await page.js("heard")) >= len("Rome")


@pytest.mark.parametrize("tag", ["<input value=old>", "<textarea>old</textarea>"])
async def test_a_text_that_nobody_hears_takes_the_place_of_what_was_there(
    tag: str, tmp_path: Path
) -> None:
    async with shown(f"<form><label>City {tag}</label></form>", tmp_path) as page:
        assert await type_into(page, "City", "Rome") == Done({"value": "Rome"})
        assert await page.js("document.activeElement.value") == "Rome"
        assert await type_into(page, "City", "Bern") == Done({"value": "Bern"})


async def test_a_password_that_nobody_hears_is_not_told(tmp_path: Path) -> None:
    html = "<form><label>Password <input type=password value=old></label></form>"
    async with shown(html, tmp_path) as page:
        assert await type_into(page, "Password", "secret") == Done({"value": "\u2022" * 6})
        assert await page.js("document.activeElement.value") == "secret"


async def test_a_field_takes_no_more_than_it_says_whoever_hears_it(tmp_path: Path) -> None:
    async with shown("<form><label>Code <input maxlength=3></label></form>", tmp_path) as page:
        target = await page.target("Code", "type")
        params = Type(lane=LANE, selector=target, text="12345")
        assert code_of(await filling.type_text(page.actions, params)) is Code.EFFECT_MISSING
        assert await page.js("document.querySelector('input').value") == "123"


@pytest.mark.parametrize(
    ("script", "heard"),
    [
        ("", (False, False)),
        ("town.onblur = town.onkeydown = () => 1", (False, False)),  # it is another field's
        ("document.onkeydown = () => 1", (True, False)),
        ("window.onfocusin = 1; window.addEventListener('focusout', () => 1)", (False, True)),
        ("addEventListener('click', () => 1)", (False, False)),
    ],
)
async def test_only_those_count_who_can_hear_this_field(
    script: str, heard: tuple[bool, bool], tmp_path: Path
) -> None:
    async with shown(FIELD.format(script=script), tmp_path) as page:
        field = await page.tab.page.query_selector("#city")
        assert field is not None
        hearing = await hearing_of(page.tab, await sort_of(field))
        assert (hearing.typing, hearing.leaving) == heard


@pytest.mark.parametrize(
    "html",
    [
        "<iframe srcdoc='<label>City <input></label>'></iframe>",
        """<div id=host></div><script>host.attachShadow({mode: "open"}).innerHTML =
          "<label>City <input></label>"</script>""",
    ],
)
async def test_a_field_that_cannot_be_asked_about_counts_as_heard(
    html: str, tmp_path: Path
) -> None:
    async with shown(html, tmp_path) as page:
        element = await page.tab.take(await page.target("City", "type"))
        assert element is not None
        hearing = await hearing_of(page.tab, await sort_of(element))
        assert (hearing.typing, hearing.leaving) == (True, True)


# What stays in its place

MOVING = """<style>button { position: absolute; top: 40px }</style>
<button id=save style="left: 10px" onclick="heard.push('save')">Save</button>
<button id=drop style="left: 200px" onclick="heard.push('drop')">Drop</button>
<script>const heard = [];
  const swap = () => { save.style.left = "200px"; drop.style.left = "10px"; };
  const draw = async frames => { while (frames--) await new Promise(requestAnimationFrame); };
</script>"""


@pytest.mark.parametrize("meanwhile", ["", "swap()"])
async def test_what_has_changed_places_since_it_was_seen_gets_its_own_click(
    meanwhile: str, tmp_path: Path
) -> None:
    async with shown(MOVING, tmp_path) as page:
        target = await page.target("Save")
        await page.js("draw(6)")  # for so long it has stayed where it was
        await page.target("Save")
        await page.js(meanwhile)
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert isinstance(outcome, Done)
        assert await page.js("heard") == ["save"]


# Boxes and lists


async def test_a_box_that_asks_when_it_is_turned_is_not_claimed(tmp_path: Path) -> None:
    html = "<label><input type=checkbox onclick='confirm(1)'> Gift</label>"
    async with shown(html, tmp_path) as page:
        params = OnElement(lane=LANE, selector=await page.target("Gift", "check"))
        assert output_of(await filling.check(page.actions, params, wanted=True))["seen"] is False


async def test_an_option_is_chosen_with_the_events_of_a_choice(tmp_path: Path) -> None:
    html = """<select aria-label=Colours multiple oninput="heard.push('input')"
      onchange="heard.push('change')"><option selected>Red<option>Blue</select>
      <script>const heard = []</script>"""
    async with shown(html, tmp_path) as page:
        params = Select(lane=LANE, selector=await page.target("Blue", "select"))
        assert await choosing.select(page.actions, params) == Done({"chosen": "Blue"})
        assert await page.js("heard") == ["input", "change"]
        chosen = "Array.from(document.querySelector('select').selectedOptions, each => each.text)"
        assert await page.js(chosen) == ["Red", "Blue"]


# Titles


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Orders of today</title>", "Orders of today"),
        ("<h1>No title</h1>", ""),
        ("<title>127.0.0.1</title>", "127.0.0.1"),
        ("<script>document.title = 'By script'</script>", "By script"),
    ],
)
async def test_a_page_is_told_by_its_own_title(html: str, title: str, tmp_path: Path) -> None:
    with Web({"/": html, "/before": "<title>Before</title>"}) as web:
        async with running(tmp_path) as actions:
            await navigating.navigate(actions, Address(lane=LANE, url=web.url("/before")))
            there = Address(lane=LANE, url=web.url("/"))
            assert output_of(await navigating.navigate(actions, there))["title"] == title

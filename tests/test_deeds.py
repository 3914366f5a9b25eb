"""Deeds on a real page: what becomes of them when it redraws, asks, or gets in the way."""

import re
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from playwright.async_api import Page as LivePage

from actors.target_resolver.page.binding import resolve_on_page
from messages.executing import Done, Outcome, Refused
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import Query, Success
from messages.worlds import World
from tests.web import Web
from tools.browser import (
    WebBrowser,
    filling,
    keys,
    navigating,
    pointing,
    reading,
    tabs,
    transfers,
    values,
)
from tools.browser.actions import PageActions
from tools.browser.lanes import Lanes
from tools.browser.params import (
    Address,
    Click,
    Drag,
    Fetch,
    NewTab,
    OnElement,
    Press,
    Read,
    Set,
    Type,
    Upload,
    WaitFor,
)
from tools.browser.tab import Tab
from tools.files.roots import Roots
from tools.settings import BrowserSettings

HEADLESS = BrowserSettings(mode="headless")
LANE = "s|"
SOON = 10.0


@dataclass
class Shown:
    """A page that is shown, and what acts on it."""

    actions: PageActions
    tab: Tab

    async def target(self, words: str, verb: str = "click") -> str:
        """Bind words on the page as it is now."""
        reading = ParsedCommand(verb, verb, direct_span=words, direct=Phrase(words))
        query = Query((reading,), {}, World())
        outcome = resolve_on_page(query, await self.tab.look()).outcome
        assert isinstance(outcome, Success), outcome
        found = outcome.bindings[0].direct_target
        assert found is not None
        return found.id

    async def js(self, code: str) -> Any:
        return await self.tab.page.evaluate(code)


@asynccontextmanager
async def running(folder: Path, settings: BrowserSettings = HEADLESS) -> AsyncIterator[PageActions]:
    web = WebBrowser(settings, Roots({"home": folder}), str(folder))
    try:
        yield web.actions
    finally:
        await web.close()


@asynccontextmanager
async def shown(html: str, folder: Path) -> AsyncIterator[Shown]:
    async with running(folder) as actions:
        tab = await actions.lanes.tab(LANE)
        await tab.page.set_content(html)
        yield Shown(actions, tab)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what the browser tells."""
    with anyio.fail_after(SOON):
        while not condition():  # noqa: ASYNC110 - it tells nobody but the daemon
            await anyio.sleep(0.01)


def texts_in(folder: Path) -> set[str]:
    return {path.read_text() for path in folder.iterdir()}


def sizes_in(folder: Path) -> list[int]:
    return [path.stat().st_size for path in folder.iterdir()]


def output_of(outcome: Outcome) -> Any:
    assert isinstance(outcome, Done), outcome
    return outcome.output


def code_of(outcome: Outcome) -> Code:
    assert isinstance(outcome, Refused), outcome
    return outcome.code


# What leads out of the page


@pytest.mark.parametrize("address", ["tel:+4930123", "mailto:ada@example.org", "odd-program:x"])
async def test_a_link_to_a_program_is_clicked_and_not_opened_and_the_page_goes_on(
    tmp_path: Path, address: str
) -> None:
    html = f"""<a href="{address}" onclick="window.heard = true">Call</a>
    <button onclick="window.times = (window.times || 0) + 1">Add</button>"""
    async with shown(html, tmp_path) as page:
        call = Click(lane=LANE, selector=await page.target("Call"))
        assert output_of(await pointing.click(page.actions, call)) == {"not_opened": address}
        assert await page.js("heard")
        add = Click(lane=LANE, selector=await page.target("Add"))
        assert isinstance(await pointing.click(page.actions, add), Done)
        assert await page.js("times") == 1


async def test_a_click_that_the_browser_keeps_for_itself_is_not_claimed(tmp_path: Path) -> None:
    async with shown("<button onclick='window.heard = true'>Add</button>", tmp_path) as page:
        target = await page.target("Add")
        session = await page.tab.page.context.new_cdp_session(page.tab.page)
        await session.send("Input.setIgnoreInputEvents", {"ignore": True})
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert code_of(outcome) is Code.NOT_FEASIBLE
        assert await page.js("window.heard") is None


# What moves away under the pointer

# Pointed at for the first time it gives way, as a picture does that is exchanged for another.
SHY = """<div id=around>
  <span id=heart tabindex=0 title=Heart style="display:inline-block">&hearts;</span>
</div><script>
  const heard = [];
  heart.onclick = () => heard.push("heart");
  around.onclick = (event) => { if (event.target === around) heard.push("around"); };
  heart.addEventListener("mousedown", () => {
    heart.style.marginLeft = "200px";
    setTimeout(() => { heart.style.marginLeft = ""; }, 300);
  }, { once: true });
</script>"""


async def test_a_click_that_would_land_beside_what_moved_away_reaches_nothing_else(
    tmp_path: Path,
) -> None:
    async with shown(SHY, tmp_path) as page:
        target = await page.target("Heart")
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert isinstance(outcome, Done)
        assert await page.js("heard") == ["heart"]


# What the page draws anew

INVOICES = """<ul id=list></ul><script>
  const heard = [];
  const draw = (names) => {
    list.innerHTML = names.map(name => `<li>${name} <button>Delete</button></li>`).join("");
    for (const each of list.children) each.lastChild.onclick = () => heard.push(each.textContent);
  };
  draw(%s);
</script>"""


@pytest.mark.parametrize(
    ("before", "words", "after", "heard"),
    [
        (["Invoice 17", "Invoice 18"], "Invoice 17", ["Invoice 18"], []),
        (["Invoice 17", "Invoice 18"], "Invoice 17", ["Invoice 18", "Invoice 17"], ["Invoice 17"]),
        (["Copper 101", "Tin 202"], "Copper 101", ["Copper 103", "Tin 209"], ["Copper 103"]),
        (["Copper 101", "Tin 202"], "Copper 101", ["Tin 202"], []),
    ],
)
async def test_what_is_drawn_in_place_of_a_row_is_used_only_if_it_is_that_row(
    tmp_path: Path, before: list[str], words: str, after: list[str], heard: list[str]
) -> None:
    async with shown(INVOICES % before, tmp_path) as page:
        target = await page.target(f"Delete in the row of {words}")
        await page.js(f"draw({after})")
        await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert await page.js("heard") == [f"{each} Delete" for each in heard]


REDRAWING = """<p id=home></p><script>
  let times = 0;
  const draw = () => {
    home.innerHTML = "<button>Add</button>";
    home.firstChild.onclick = () => { times++; draw(); };
    home.firstChild.onkeydown = () => { times++; draw(); };
  };
  draw();
</script>"""


async def test_a_button_that_is_redrawn_by_each_click_is_clicked_as_often_as_said(
    tmp_path: Path,
) -> None:
    async with shown(REDRAWING, tmp_path) as page:
        target = await page.target("Add")
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target, times=3))
        assert isinstance(outcome, Done), outcome
        assert await page.js("times") == 3


async def test_keys_pressed_on_what_each_of_them_redraws_are_as_many_as_said(
    tmp_path: Path,
) -> None:
    async with shown(REDRAWING, tmp_path) as page:
        target = await page.target("Add")
        params = Press(lane=LANE, selector=target, keys="x", times=3)
        outcome = await keys.press(page.actions, params)
        assert isinstance(outcome, Done), outcome
        assert await page.js("times") == 3


async def test_what_is_drawn_anew_after_it_was_aimed_at_gets_the_click(tmp_path: Path) -> None:
    html = """<p id=home><button>Pay</button></p><script>
      let paid = 0;
      const redraw = () => { home.innerHTML = "<button onclick='paid++'>Pay</button>"; };
      const add = window.addEventListener;
      window.addEventListener = (type, ...more) => {
        add.call(window, type, ...more);
        if (type === "click") redraw();  // just now it is guarded
      };
    </script>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("Pay")
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert isinstance(outcome, Done), outcome
        assert await page.js("paid") == 1


@pytest.mark.parametrize(
    "rows",
    [
        "<table><tr><td>{0}<td><button>Pay</button><tr><td>{1}<td><button>Pay</button></table>",
        (
            "<div class=r><b>{0}</b><button>Pay</button></div>"
            "<div class=r><b>{1}</b><button>Pay</button></div>"
        ),
    ],
)
@pytest.mark.parametrize(("before", "after"), [("Rent", "Loan"), ("Invoice 17", "Invoice 18")])
async def test_a_row_that_is_used_for_another_entry_is_not_touched(
    rows: str, before: str, after: str, tmp_path: Path
) -> None:
    html = rows.format(before, "Invoice 16") + "<script>let paid = 0</script>"
    async with shown(html, tmp_path) as page:
        target = await page.target("first Pay button")
        await page.js(
            "document.querySelectorAll('button').forEach(each => each.onclick = () => paid++);"
            f"document.querySelector('td,b').firstChild.nodeValue = '{after}'"
        )
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert code_of(outcome) is Code.TARGET_STALE
        assert await page.js("paid") == 0


async def test_a_row_whose_numbers_have_changed_is_the_same_row(tmp_path: Path) -> None:
    html = (
        "<table><tr><td>Oats <i>1.20</i><td><button onclick='document.title = 1'>Buy</button>"
        "<tr><td>Rice <i>2.10</i><td><button>Buy</button></table>"
    )
    async with shown(html, tmp_path) as page:
        target = await page.target("first Buy button")
        await page.js("document.querySelector('i').textContent = '1.30'")
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert isinstance(outcome, Done), outcome
        assert await page.js("document.title") == "1"


@pytest.mark.parametrize("now", ["Following", "Block"])
async def test_a_button_that_is_called_otherwise_by_now_is_not_clicked(
    now: str, tmp_path: Path
) -> None:
    html = "<button onclick='document.title = 1'>Follow</button>"
    async with shown(html, tmp_path) as page:
        target = await page.target("Follow")
        await page.js(f"document.querySelector('button').textContent = '{now}'")
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
        assert code_of(outcome) is Code.TARGET_STALE
        assert await page.tab.title() == ""


async def test_a_button_that_counts_its_clicks_is_still_clicked_as_often_as_said(
    tmp_path: Path,
) -> None:
    html = "<button onclick='this.textContent = `Liked ${++times}`'>Like</button>"
    async with shown(f"<script>let times = 0</script>{html}", tmp_path) as page:
        target = await page.target("Like")
        outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target, times=3))
        assert isinstance(outcome, Done), outcome
        assert await page.js("times") == 3


# What the page asks


LATE = "<div role=checkbox aria-checked=false onclick='setTimeout(confirm, 300, 1)'>Milk</div>"


@pytest.mark.parametrize(
    "html",
    [
        "<label><input type=checkbox onchange='confirm(1)'>Milk</label>",
        "<details ontoggle='confirm(1)'><summary>Milk</summary>fresh</details>",
        LATE,
    ],
    ids=["box", "details", "late"],
)
async def test_what_asks_when_it_is_used_ends_the_deed_with_the_question(
    html: str, tmp_path: Path
) -> None:
    async with shown(html, tmp_path) as page:
        target = await page.target("Milk")
        params = OnElement(lane=LANE, selector=target)
        with anyio.fail_after(SOON):
            if "details" in html:
                outcome = await pointing.unfold(page.actions, params, wanted=True)
            else:
                outcome = await filling.check(page.actions, params, wanted=True)
        assert output_of(outcome)["asks"] == "1"
        assert output_of(outcome)["seen"] is False


async def test_a_field_that_asks_when_it_is_typed_into_ends_the_deed(tmp_path: Path) -> None:
    html = "<label>City <input onkeydown='confirm(1)'></label>"
    async with shown(html, tmp_path) as page:
        target = await page.target("City", "type")
        with anyio.fail_after(SOON):
            params = Type(lane=LANE, selector=target, text="Rome")
            outcome = await filling.type_text(page.actions, params)
        assert output_of(outcome)["asks"] == "1"
        assert output_of(outcome)["seen"] is False


async def test_a_value_whose_change_is_asked_about_ends_the_deed(tmp_path: Path) -> None:
    html = """<label>Day <input type=date onchange='confirm(1)'></label>
      <label>Size <select onchange='confirm(1)'><option>S<option>M</select></label>"""
    async with shown(html, tmp_path) as page:
        for name, value in (("Day", "2024-03-05"), ("Size", "M")):
            target = await page.target(name, "set")
            with anyio.fail_after(SOON):
                params = Set(lane=LANE, selector=target, value=value)
                outcome = await filling.set_value(page.actions, params)
            assert output_of(outcome)["asks"] == "1"
            assert output_of(outcome)["seen"] is False
            assert page.tab.dialog is not None
            dialog, page.tab.dialog = page.tab.dialog, None
            await dialog.accept()


async def test_a_page_that_asks_while_it_is_read_ends_the_reading(tmp_path: Path) -> None:
    html = """<p>Here</p><script>
      Object.defineProperty(document.querySelector("p"), "innerText", { get: () => confirm(1) });
    </script>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("the paragraph", "read")
        with anyio.fail_after(SOON):
            outcome = await reading.read(page.actions, Read(lane=LANE, selector=target))
        assert code_of(outcome) is Code.DIALOG_OPEN


async def test_a_page_that_asks_as_it_loads_is_where_one_has_gone(tmp_path: Path) -> None:
    with Web({"/": "<title>Hall</title><script>confirm('Well?')</script><p>Here</p>"}) as web:
        async with running(tmp_path) as actions:
            with anyio.fail_after(SOON):
                outcome = await navigating.navigate(actions, Address(lane=LANE, url=web.url("/")))
    assert output_of(outcome)["asks"] == "Well?"
    assert output_of(outcome)["url"] == web.url("/")


async def test_words_typed_where_the_focus_is_end_when_the_page_asks(tmp_path: Path) -> None:
    async with shown("<input autofocus onkeydown='confirm(1)'>", tmp_path) as page:
        await page.js("document.querySelector('input').focus()")
        with anyio.fail_after(SOON):
            outcome = await filling.type_text(page.actions, Type(lane=LANE, text="Rome"))
        assert output_of(outcome)["asks"] == "1"


async def test_a_key_that_makes_the_page_ask_is_not_pressed_again(tmp_path: Path) -> None:
    html = "<body onkeydown='document.title += confirm(1)'>"
    async with shown(html, tmp_path) as page:
        with anyio.fail_after(SOON):
            outcome = await keys.press(page.actions, Press(lane=LANE, keys="x", times=3))
        assert output_of(outcome)["asks"] == "1"


async def test_a_page_that_is_left_says_nothing_by_being_left(tmp_path: Path) -> None:
    html = "<body onbeforeunload='return 1'><a href='data:text/html,gone'>Leave</a>"
    async with shown(html, tmp_path) as page:
        await page.tab.page.mouse.click(5, 5)
        outcome = await tabs.new_tab(page.actions, NewTab(lane=LANE))
        assert "said" not in output_of(outcome)
        await page.tab.page.close(run_before_unload=True)
        await until(page.tab.page.is_closed)
        assert page.tab.said == []


# Files


async def test_a_download_that_is_covered_is_not_said_to_have_been_clicked(tmp_path: Path) -> None:
    html = """<a download=a.txt href='data:text/plain,a'>Get</a>
      <div style='position: fixed; inset: 0; background: #0008'></div>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("Get")
        outcome = await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
        assert code_of(outcome) is Code.TARGET_COVERED


async def test_two_downloads_of_one_name_are_both_kept(tmp_path: Path) -> None:
    html = """<button onclick='for (const a of document.links) a.click()'>Both</button>
      <a download=a.txt href='data:text/plain,one'></a>
      <a download=a.txt href='data:text/plain,two'></a>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("Both")
        await pointing.click(page.actions, Click(lane=LANE, selector=target))
        await until(lambda: not page.tab.coming and len(texts_in(tmp_path)) == 2)
    assert texts_in(tmp_path) == {"one", "two"}


@pytest.mark.parametrize("name", ["x" * 400 + ".txt", "é" * 200 + ".pdf", "a." + "b" * 300])
async def test_a_download_with_a_name_too_long_for_a_disk_is_kept(
    tmp_path: Path, name: str
) -> None:
    async with shown(f"<a download='{name}' href='data:text/plain,it'>Get</a>", tmp_path) as page:
        target = await page.target("Get")
        for number in (1, 2):
            done = await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
            assert Path(output_of(done)["path"]).name[:1] == name[:1]
            assert sizes_in(tmp_path) == [2] * number


async def test_a_large_download_takes_little_memory(tmp_path: Path) -> None:
    html = """<a download=a.bin>Get</a><script>
      document.links.length || (document.querySelector('a').href =
        URL.createObjectURL(new Blob([new Uint8Array(64 << 20)])))</script>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("Get")
        tracemalloc.start()
        done = await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert isinstance(done, Done)
    assert sizes_in(tmp_path) == [64 << 20]
    assert most < 16 << 20


GETTING = "<a href=/file download>Get</a><a href=/file target=_blank download>Popped up</a>"
UNENDING = {"/": GETTING, "/file": "x" * 3_000_000}


@asynccontextmanager
async def unending(folder: Path) -> AsyncIterator[Shown]:
    """Show a page whose file is large, and never complete."""
    with Web(UNENDING, endless=frozenset({"/file"})) as web:
        async with running(folder) as actions:
            tab = await actions.lanes.tab(LANE)
            await tab.page.goto(web.url())
            yield Shown(actions, tab)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have the browser keep what is not complete in a folder that can be looked at."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # short: sockets are in it, too
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


def left_in(folder: Path) -> list[str]:
    """Name what downloads have left behind: the browser numbers them."""
    numbered = re.compile(r"[0-9a-f-]{36}(\.crdownload)?")
    return [path.name for path in folder.rglob("*") if numbered.fullmatch(path.name)]


@pytest.mark.parametrize("name", ["Get", "Popped up"])
async def test_a_download_that_grows_too_large_is_stopped_and_leaves_nothing_behind(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(transfers, "LARGEST_DOWNLOAD", 1_000_000)
    root = tmp_path / "root"
    root.mkdir()
    async with unending(root) as page:
        target = await page.target(name)
        outcome = await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
        assert code_of(outcome) is Code.TOO_LARGE
        await until(lambda: not left_in(temporary))
    assert sizes_in(root) == []


async def test_a_download_that_is_complete_and_too_large_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "LARGEST_DOWNLOAD", 3)
    async with shown("<a download=a href='data:text/plain,four'>Get</a>", tmp_path) as page:
        target = await page.target("Get")
        outcome = await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
        assert code_of(outcome) is Code.TOO_LARGE
    assert sizes_in(tmp_path) == []


async def test_a_download_that_takes_too_long_is_stopped_and_leaves_nothing_behind(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "FETCH_SECONDS", 0.5)
    root = tmp_path / "root"
    root.mkdir()
    async with unending(root) as page:
        target = await page.target("Get")
        outcome = await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
        assert code_of(outcome) is Code.TIMEOUT
        await until(lambda: not left_in(temporary))
    assert sizes_in(root) == []


async def test_a_download_that_nobody_asked_for_is_not_waited_for_for_ever(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "UNASKED_SECONDS", 0.5)
    async with unending(tmp_path) as page:
        await page.js("document.links[0].click()")
        await until(lambda: bool(page.tab.not_kept))
        assert "took longer" in page.tab.not_kept[0]
        assert page.tab.coming == 0
        await until(lambda: not left_in(temporary))


async def test_a_download_that_is_given_up_is_stopped(tmp_path: Path, temporary: Path) -> None:
    async with unending(tmp_path) as page:
        target = await page.target("Get")
        async with anyio.create_task_group() as tasks:
            fetch = Fetch(lane=LANE, selector=target)
            tasks.start_soon(transfers.download, page.actions, fetch)
            await until(lambda: bool(left_in(temporary)) and not page.tab.expecting)
            tasks.cancel_scope.cancel()
        await until(lambda: not left_in(temporary))


async def test_what_was_kept_of_a_download_is_kept_once(tmp_path: Path, temporary: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    async with shown("<a download=a href='data:text/plain,a'>Get</a>", root) as page:
        target = await page.target("Get")
        await transfers.download(page.actions, Fetch(lane=LANE, selector=target))
        await until(lambda: not left_in(temporary))
    assert texts_in(root) == {"a"}


async def test_a_file_too_large_to_be_handed_over_is_not_uploaded(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(transfers.LARGEST_UPLOAD + 1)
    async with shown("<input type=file>", tmp_path) as page:
        params = Upload(lane=LANE, name="large", path=str(path))
        assert code_of(await transfers.upload(page.actions, params)) is Code.TOO_LARGE


@pytest.mark.parametrize("named", [False, True], ids=["no words", "a button"])
async def test_of_two_fields_for_files_none_is_taken_at_random(
    tmp_path: Path, *, named: bool
) -> None:
    (tmp_path / "cv.txt").write_text("cv")
    html = "<form><input type=file id=a><input type=file id=b><button>Choose</button></form>"
    async with shown(html, tmp_path) as page:
        target = await page.target("Choose") if named else None
        params = Upload(lane=LANE, selector=target, name="cv.txt", path=str(tmp_path / "cv.txt"))
        outcome = await transfers.upload(page.actions, params)
        assert code_of(outcome) is Code.AMBIGUOUS_TARGET
        assert await page.js("a.files.length + b.files.length") == 0


async def test_an_upload_that_the_field_does_not_show_is_not_said_to_be_seen(
    tmp_path: Path,
) -> None:
    (tmp_path / "cv.txt").write_text("cv")
    async with shown("<input type=file onchange='this.value = \"\"'>", tmp_path) as page:
        params = Upload(lane=LANE, name="cv.txt", path=str(tmp_path / "cv.txt"))
        outcome = await transfers.upload(page.actions, params)
        assert output_of(outcome)["seen"] is False


async def test_a_file_that_came_and_could_not_be_kept_is_told(tmp_path: Path) -> None:
    html = "<a download=a.txt href='data:text/plain,a'>Get</a><button>Next</button>"
    inside = tmp_path / "inside"
    inside.mkdir()
    web = WebBrowser(HEADLESS, Roots({"inside": inside}), str(tmp_path))
    try:
        page = Shown(web.actions, await web.actions.lanes.tab(LANE))
        await page.tab.page.set_content(html)
        told: dict[str, str] = {}
        name = "Get"
        with anyio.fail_after(SOON):
            while "not_kept" not in told:  # what comes late is told by the next deed
                click = Click(lane=LANE, selector=await page.target(name))
                told = output_of(await pointing.click(page.actions, click)) or {}
                name = "Next"
    finally:
        await web.close()
    assert "outside" in told["not_kept"]


# Selectors of the client's


async def test_what_is_waited_for_by_a_selector_is_what_it_selects(tmp_path: Path) -> None:
    html = "<p id=x>Here</p><script>setTimeout(() => { x.hidden = true; }, 300)</script>"
    async with shown(html, tmp_path) as page:
        params = WaitFor(lane=LANE, selector="#x", state="hidden")
        assert isinstance(await navigating.wait_for(page.actions, params), Done)
        assert await page.js("x.hidden")


async def test_what_is_dragged_to_may_be_a_selector_too(tmp_path: Path) -> None:
    html = """<p id=a>From</p><p id=b onmouseup='document.title = "there"'>To</p>"""
    async with shown(html, tmp_path) as page:
        outcome = await pointing.drag(page.actions, Drag(lane=LANE, selector="#a", to="#b"))
        assert isinstance(outcome, Done), outcome
        assert await page.tab.title() == "there"
        outcome = await pointing.drag(page.actions, Drag(lane=LANE, selector="#a", to="p"))
        assert code_of(outcome) is Code.AMBIGUOUS_TARGET


# Fields


async def test_a_date_that_may_only_be_read_is_not_set(tmp_path: Path) -> None:
    html = "<label>Day <input type=date readonly value=2024-01-01></label>"
    async with shown(html, tmp_path) as page:
        target = await page.target("Day", "set")
        params = Set(lane=LANE, selector=target, value="2024-03-05")
        outcome = await filling.set_value(page.actions, params)
        assert code_of(outcome) is Code.NOT_FEASIBLE
        assert await page.js("document.querySelector('input').value") == "2024-01-01"


async def test_today_is_picked_in_a_calendar_that_the_page_draws(tmp_path: Path) -> None:
    html = """<label>Day <input id=field readonly onclick='draw()'></label>
    <div id=calendar></div><script>
      const today = new Date(), year = today.getFullYear(), month = today.getMonth();
      const draw = () => {
        const title = today.toLocaleString("en", { month: "long" }) + " " + year;
        const days = Array.from({ length: new Date(year, month + 1, 0).getDate() }, (_, at) =>
          `<button onclick='field.value = "${at + 1}"'>${at + 1}</button>`);
        calendar.innerHTML = `<h3>${title}</h3>${days.join("")}`;
      };
    </script>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("Day", "set")
        params = Set(lane=LANE, selector=target, value="today")
        outcome = await filling.set_value(page.actions, params)
        assert output_of(outcome)["value"] == await page.js("String(today.getDate())")


CALENDAR_HEADS = [
    "<b>March 2030</b>",
    "<span>Mar</span><span>2030</span>",
    "<select><option>February<option selected>March</select><input value=2030>",
    "<button>2030</button> <button>March</button>",
]


@pytest.mark.parametrize("head", CALENDAR_HEADS)
async def test_a_day_is_picked_in_a_calendar_however_it_is_headed(
    tmp_path: Path, head: str
) -> None:
    cells = "".join(f"<td onclick='when_.value = {day}'>{day}</td>" for day in range(1, 32))
    html = f"""<p>Written 4 May 2029</p><label>Arrival <input id=when_ readonly class=datepicker
        onclick="pop.hidden = false"></label>
    <div id=pop hidden><div class=head>{head}</div><table><tr>{cells}</tr></table></div>"""
    async with shown(html, tmp_path) as page:
        target = await page.target("Arrival", "set")
        day = Set(lane=LANE, selector=target, value="14 March 2030")
        assert output_of(await filling.set_value(page.actions, day)) == {"value": "14"}
        time = Set(lane=LANE, selector=target, value="7:30")
        assert code_of(await filling.set_value(page.actions, time)) is Code.NOT_FEASIBLE


def test_now_is_the_time_that_it_is() -> None:
    before = datetime.now().strftime("%H:%M")  # noqa: DTZ005 - the user's own
    said = values.as_typed_date("time", "now")
    assert said in {before, datetime.now().strftime("%H:%M")}  # noqa: DTZ005


# Lanes


async def test_two_commands_that_come_at_once_work_in_one_page(tmp_path: Path) -> None:
    found: list[Tab] = []

    async def enter(lanes: Lanes) -> None:
        found.append(await lanes.tab(LANE))

    async with running(tmp_path) as actions, anyio.create_task_group() as group:
        group.start_soon(enter, actions.lanes)
        group.start_soon(enter, actions.lanes)
    assert found[0] is found[1]


async def test_a_session_that_is_at_work_does_not_wait_for_one_that_finds_no_room(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, BrowserSettings(mode="headless", lanes=1)) as actions:
        tabs = [await actions.lanes.tab(f"{name}|") for name in "abc"]
        for tab in tabs:
            await tab.busy.acquire()
        async with anyio.create_task_group() as group:
            group.start_soon(actions.lanes.tab, "d|")
            await anyio.wait_all_tasks_blocked()
            with anyio.fail_after(SOON):
                assert (await actions.lanes.session("a")).tabs == [tabs[0]]
            group.cancel_scope.cancel()


async def test_a_page_that_hangs_is_not_waited_for_without_end(tmp_path: Path) -> None:
    async with shown("<p>Here</p>", tmp_path) as page:
        await page.tab.look()
        await page.js("setTimeout(() => { while (true); }, 0)")
        with anyio.fail_after(15.0), pytest.raises(TimeoutError, match="does not answer"):
            await page.tab.look(again=True)


async def test_a_profile_is_shown_as_large_as_was_set(tmp_path: Path) -> None:
    settings = BrowserSettings(
        mode="headless", profile=str(tmp_path / "profile"), width=900, height=700
    )
    async with running(tmp_path, settings) as actions:
        tab = await actions.lanes.tab(LANE)
        assert await tab.page.evaluate("[innerWidth, innerHeight]") == [900, 700]


async def test_a_profile_is_not_closed_to_make_room(tmp_path: Path) -> None:
    settings = BrowserSettings(mode="headless", profile=str(tmp_path / "profile"), lanes=1)
    async with running(tmp_path, settings) as actions:
        first = await actions.lanes.tab("a|")
        (await actions.lanes.session("a")).used_at = 0.0  # long ago
        await actions.lanes.tab("b|")
        assert not first.page.is_closed()


async def test_a_new_tab_hears_of_the_pages_that_it_opens(tmp_path: Path) -> None:
    async with running(tmp_path) as actions:
        await actions.lanes.tab(LANE)
        await tabs.new_tab(actions, NewTab(lane=LANE))
        tab = await actions.lanes.tab(LANE)
        await tab.page.evaluate("void open('about:blank')")
        await until(lambda: tab.opens > 0)


async def test_a_page_that_opens_pages_without_end_is_not_given_them(tmp_path: Path) -> None:
    async with shown("<h1>Here</h1>", tmp_path) as page:
        page.actions.lanes.most_opened = 4
        came: list[LivePage] = []
        page.tab.page.context.on("page", lambda new: came.append(new))  # noqa: PLW0108 - it is wrapped
        await page.js("for (let i = 0; i < 12; i++) open('about:blank')")
        await until(lambda: len(came) == 12)
        await until(lambda: sum(not each.is_closed() for each in came) == 3)
        await tabs.new_tab(page.actions, NewTab(lane=LANE))  # the user's own is none of them
        assert not (await page.actions.lanes.tab(LANE)).page.is_closed()

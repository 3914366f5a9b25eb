"""Reading a page: its title and address, texts, values, tables, lists, attributes; copying."""

from urllib.parse import unquote

from playwright.async_api import ElementHandle

from messages.executing import Outcome, Refused
from messages.message import Value
from messages.pages import PART
from messages.results import Code
from tools.browser.actions import ACT_MS, PageActions, done
from tools.browser.params import MaybeElement, Read, Selected
from tools.browser.scripting import script
from tools.browser.states import held_text, value_of
from tools.browser.tab import Tab

MOST_TEXT = 20_000
MOST_ROWS = 5_000

TEXT = script("text")
TABLE = script("table")
LIST = script("list")
SELECTION = script("selection")
SELECT_QUOTE = script("select_quote")
ATTRIBUTE = script("attribute")
TABLES = script("tables")
USUAL = {"address": "href", "url": "href", "link": "href", "source": "src", "picture": "src"}


async def read(actions: PageActions, params: Read) -> Outcome:
    """Read what was asked for, of an element or of the whole page."""
    if params.selector is not None:
        target, _, quoted = params.selector.partition(PART)
        part = unquote(quoted)

        async def grip(_tab: Tab, element: ElementHandle) -> Outcome:
            if not part:
                return await read_element(element, params)
            if part in tidy(await element.evaluate(TEXT)):
                return done(part)
            return Refused(Code.TARGET_STALE, "the page has changed; ask again")

        return await actions.on_element(params.lane, target, grip)

    async def deed(tab: Tab) -> Outcome:
        match params.what:
            case "title":
                return unless_empty(await tab.title(), "the page has no title")
            case "url":
                return done(tab.page.url)
            case _:
                if params.what == "table" and (tables := await shown_tables(tab)) > 1:
                    message = f"there are {tables} tables; say which one"
                    return Refused(Code.AMBIGUOUS_TARGET, message)
                body = await tab.page.query_selector("body")
                if body is None:
                    return Refused(Code.NOT_FEASIBLE, "the page is empty")
                return await read_element(body, params)

    return await actions.on_page(params.lane, deed)


async def shown_tables(tab: Tab) -> int:
    """Count the tables that a person would see as such."""
    count: int = await tab.page.evaluate(TABLES)
    return count


async def read_element(element: ElementHandle, params: Read) -> Outcome:
    match params.what:
        case "table":
            rows = await element.evaluate(TABLE)
            if rows is None:
                return Refused(Code.NOT_FEASIBLE, "there is no table")
            return unless_empty(as_records(rows), "the table has no rows")
        case "list":
            items = list((await element.evaluate(LIST))[:MOST_ROWS])
            return unless_empty(items, "there is no list, or nothing is in it")
        case "attribute" | "url":
            name = (params.attribute or "href").casefold()
            said = await attribute_of(element, USUAL.get(name, name))
            return Refused(Code.NOT_FEASIBLE, f"it has no {name}") if not said else done(said)
        case "value":
            held = await held_text(element) or tidy(await element.evaluate(TEXT))
            return unless_empty(held, "it is empty")
        case _:
            text = tidy(await element.evaluate(TEXT))[:MOST_TEXT]
            return unless_empty(text, "it is empty")


def unless_empty(found: Value, otherwise: str) -> Outcome:
    """Give what was read; nothing at all is a failure, and so nothing is saved of it."""
    return done(found) if found else Refused(Code.NOT_FEASIBLE, otherwise)


async def attribute_of(element: ElementHandle, name: str) -> str | None:
    """Give an attribute, of the element or of the one in it that has it; addresses in full."""
    found: str | None = await element.evaluate(ATTRIBUTE, name)
    return found


def as_records(rows: list[list[tuple[str, bool]]]) -> Value:
    """Make rows with the names of their columns, where the table names them."""
    filled = [row for row in rows if row][: MOST_ROWS + 1]
    if not filled:
        return []
    first = filled[0]
    names = [text for text, _ in first]
    headed = all(is_header for _, is_header in first)
    if (headed and len(filled) == 1) or not any(text for row in filled for text, _ in row):
        return []  # only the names of its columns, or nothing at all
    if not headed or len(set(names)) < len(names):
        widest = max(len(row) for row in filled)
        names, body = [f"column {at}" for at in range(1, widest + 1)], filled
    else:
        body = filled[1:]
    return [dict(zip(names, [text for text, _ in row], strict=False)) for row in body]


def tidy(text: str | None) -> str:
    """Leave out blank lines and spaces at ends."""
    lines = (" ".join(line.split()) for line in (text or "").splitlines())
    return "\n".join(line for line in lines if line)


# Copying within a session


async def copy(actions: PageActions, params: MaybeElement, *, cut: bool = False) -> Outcome:
    """Keep a text for a later paste: of an element, or what is selected."""

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        if element is None:
            text = await tab.page.evaluate(SELECTION)
        else:
            text = await element.evaluate(TEXT)
        if not text:
            return Refused(Code.NOT_FEASIBLE, "there is no text to copy")
        session = await actions.lanes.session_of(params.lane)
        session.clipboard = text
        if cut and element is not None:
            await element.fill("", timeout=ACT_MS)
        elif cut:
            await tab.page.keyboard.press("Delete")
        return done(text)

    return await actions.on_part(params.lane, params.selector, grip)


async def paste(actions: PageActions, params: MaybeElement) -> Outcome:
    """Put what was copied where the caret is, or into a field."""

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        session = await actions.lanes.session_of(params.lane)
        if not session.clipboard:
            return Refused(Code.NOT_FEASIBLE, "nothing has been copied in this session")
        if element is not None:
            await element.focus()
        await tab.page.keyboard.insert_text(session.clipboard)
        held = None if element is None else await value_of(element)
        seen = held is not None and session.clipboard.strip() in held
        return done({"text": session.clipboard, "seen": seen})

    return await actions.on_part(params.lane, params.selector, grip)


async def select_text(actions: PageActions, params: Selected) -> Outcome:
    """Select a text: all of the page, all that an element says, or a quotation from it."""

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        if element is None:
            await tab.page.keyboard.press("ControlOrMeta+A")
        elif not params.quote or not await element.evaluate(SELECT_QUOTE, params.quote):
            await element.select_text(timeout=ACT_MS)
        selected = await tab.page.evaluate(SELECTION)
        if not selected:
            return Refused(Code.EFFECT_MISSING, "nothing is selected")
        return done(selected)

    return await actions.on_part(params.lane, params.selector, grip)

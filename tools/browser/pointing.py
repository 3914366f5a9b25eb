"""The pointer: click, double-click, right-click, hover, drag; and what opens and closes."""

from playwright.async_api import ElementHandle, Error

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import (
    ACT_MS,
    PageActions,
    done,
    found_again,
    led_to,
    refused_by,
    unless_asked,
)
from tools.browser.inertness import plain_click
from tools.browser.params import Click, Drag, OnElement
from tools.browser.scripting import script
from tools.browser.states import await_state, is_expanded
from tools.browser.tab import Tab

DRAG_STEPS = 12
OPENER = script("opener")
ONLY_LINK = script("only_link")
TOGGLED = script("toggled")
KEPT = "the browser keeps clicks from the page; a dialog of its own may be open there"


# A radio button in a form that is sent by a button.
CHOICE_TO_SEND = """el => el.localName === "input" && el.type === "radio" && !!el.form
  && !!el.form.querySelector("button:not([type=button]),input[type=submit],input[type=image]")"""


async def click(actions: PageActions, params: Click) -> Outcome:
    """Click an element; what is hidden behind its label is clicked on the label."""
    before: str | None = None  # where the page was when it was first clicked

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        nonlocal before
        before = before or tab.page.url
        native = await element.evaluate("el => el.localName")
        if native == "option":
            return await choose(tab, element)
        spot = await tab.spot(params.selector)
        plain = await plain_click(tab, element, spot)
        if isinstance(plain, Refused):
            return await follow_link(tab, element, plain)
        await unless_asked(tab, element.click(timeout=ACT_MS, position=spot))
        if plain is not None:
            return await plain.came_to(done(led_to(before, tab)))
        if native == "select":  # its list is drawn by the browser, where nobody can look
            return done({"seen": False})
        return done(led_to(before, tab))

    async def strike(tab: Tab) -> Outcome | None:
        before = tab.page.url
        element = await tab.aim(params.selector) if params.times == 1 else None
        if element is None:
            return None
        clicked = await clicked_at_once(tab, element, params.selector)
        if clicked is None:
            return Refused(Code.NOT_FEASIBLE, KEPT)
        if isinstance(clicked, str):
            return done({"not_opened": clicked})
        return done(led_to(before, tab)) if clicked else None

    return await actions.on_element(
        params.lane, params.selector, grip, strike=strike, times=params.times
    )


async def use(actions: PageActions, params: Click) -> Outcome:
    """Use a control as it is used: what is only a choice in a form does not do what it says."""
    refused: Refused | None = None

    async def look(_tab: Tab, element: ElementHandle) -> Outcome:
        nonlocal refused
        if await element.evaluate(CHOICE_TO_SEND):
            refused = Refused(Code.NOT_FEASIBLE, "it is a choice in a form, which is to be sent")
        return refused or done()

    looked = await actions.on_element(params.lane, params.selector, look)
    return looked if isinstance(looked, Refused) else await click(actions, params)


async def follow_link(tab: Tab, element: ElementHandle, refused: Refused) -> Outcome:
    """Click the only control in what does nothing itself, if that is a link; else refuse."""
    link = (await element.evaluate_handle(ONLY_LINK)).as_element()
    if link is None:
        return refused
    before, name = tab.page.url, " ".join((await link.inner_text()).split())
    await unless_asked(tab, link.click(timeout=ACT_MS))
    return done({"used": name, **(led_to(before, tab) or {})})


async def clicked_at_once(tab: Tab, element: ElementHandle, target: str) -> bool | str | None:
    """Click what was found ready; False if it is not any more: then nothing has been clicked.

    None if the browser has kept the click for itself, as it does while it shows a dialog; an
    address, if that leads to a program of the system, and was not opened.

    Playwright need not look again (it would take two frames more), for the page itself keeps the
    click from everything else.
    """
    has_arrived: bool | str | None = True

    async def click_guarded() -> None:
        nonlocal has_arrived
        await element.click(timeout=ACT_MS, force=True)
        has_arrived = await tab.has_arrived(target)

    try:
        await unless_asked(tab, click_guarded())
    except Error as error:
        if refused_by(error).code not in {Code.TARGET_STALE, Code.TARGET_HIDDEN}:
            raise
        await tab.has_arrived(target)  # what is drawn in its place is not to be kept from a click
        return False
    return has_arrived


async def choose(tab: Tab, option: ElementHandle) -> Outcome:
    """Choose an option of the browser's own kind of list, which cannot be clicked by itself."""
    handle = await option.evaluate_handle("el => el.closest('select')")
    holder = handle.as_element()
    if holder is None:
        return Refused(Code.NOT_FEASIBLE, "it is in no list")
    is_done = await unless_asked(tab, holder.select_option(element=option, timeout=ACT_MS))
    return done({"seen": is_done and bool(await option.evaluate("el => el.selected"))})


async def double_click(actions: PageActions, params: OnElement) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        before = tab.page.url
        spot = await tab.spot(params.selector)
        await unless_asked(tab, element.dblclick(timeout=ACT_MS, position=spot))
        return done(led_to(before, tab))

    return await actions.on_element(params.lane, params.selector, grip)


async def right_click(actions: PageActions, params: OnElement) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        spot = await tab.spot(params.selector)
        await unless_asked(tab, element.click(button="right", timeout=ACT_MS, position=spot))
        return done()

    return await actions.on_element(params.lane, params.selector, grip)


async def hover(actions: PageActions, params: OnElement) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        await element.hover(timeout=ACT_MS, position=await tab.spot(params.selector))
        return done()

    return await actions.on_element(params.lane, params.selector, grip)


async def drag(actions: PageActions, params: Drag) -> Outcome:
    """Drag one element onto another, in steps as a hand would."""

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        onto = await found_again(tab, params.to)
        if isinstance(onto, Refused):
            return Refused(onto.code, f"what it was to be dragged to: {onto.message}")
        await element.scroll_into_view_if_needed(timeout=ACT_MS)
        await element.hover(timeout=ACT_MS)
        mouse = tab.page.mouse
        await mouse.down()
        try:
            start = await middle(element)
            end = await middle(onto)
            if start is None or end is None:
                return Refused(Code.TARGET_HIDDEN, "one of both cannot be seen")
            await mouse.move(start[0] + 5, start[1] + 5)
            await mouse.move(*end, steps=DRAG_STEPS)
            await mouse.move(end[0] + 1, end[1] + 1)
        finally:
            await mouse.up()
        return done()

    return await actions.on_element(params.lane, params.selector, grip)


async def middle(element: ElementHandle) -> tuple[float, float] | None:
    box = await element.bounding_box()
    return None if box is None else (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


async def unfold(actions: PageActions, params: OnElement, *, wanted: bool) -> Outcome:
    """Expand or collapse what an element opens; nothing is done if it is so already."""

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        opener = await opener_of(element)
        now = await is_expanded(opener)

        async def click_opener() -> None:
            spot = await tab.spot(params.selector) if opener is element else None
            await opener.click(timeout=ACT_MS, position=spot)
            await opener.evaluate(TOGGLED)

        if now is not wanted:
            if not await unless_asked(tab, click_opener()):
                return Done({"expanded": wanted, "seen": False})
            if now is not None and not await await_state(opener, is_expanded, wanted=wanted):
                twin = await tab.twin(params.selector)  # the page may have drawn it anew
                if twin is None or await is_expanded(twin) is not wanted:
                    return Refused(Code.EFFECT_MISSING, "it was clicked, but did not change")
        return Done({"expanded": wanted, "seen": now is not None})

    return await actions.on_element(params.lane, params.selector, grip)


async def opener_of(element: ElementHandle) -> ElementHandle:
    """Give the control that opens an element: itself, its summary, or the button in a heading."""
    try:
        handle = await element.evaluate_handle(OPENER)
    except Error:
        return element
    return handle.as_element() or element

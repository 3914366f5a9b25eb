"""Sliders that the page has drawn and says nothing of: moved by hand, watched by what they show."""

from dataclasses import dataclass

from playwright.async_api import ElementHandle, JSHandle

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS
from tools.browser.scripting import script
from tools.browser.tab import Tab
from tools.browser.values import as_number

SLIDER = script("slider")
STEPS = 14  # each halves what is left of the way
KEYS = 60  # steps that are less than a pixel
UNTOLD = "the slider does not show where it stands"


async def slid_by_hand(tab: Tab, element: ElementHandle, value: str) -> Outcome:
    """Drag the handle of a slider until the number beside it is as wanted."""
    wanted = as_number(value)
    slider = await element.evaluate_handle(SLIDER)
    handle = (await slider.get_property("handle")).as_element()
    if handle is None:
        return Refused(Code.NOT_FEASIBLE, "the slider has no handle that could be moved")
    await handle.scroll_into_view_if_needed(timeout=ACT_MS)
    await handle.hover(timeout=ACT_MS)
    drag = await Drag.begun(tab, slider)
    await tab.page.mouse.down()
    try:
        found = await drag.sought(wanted)
    finally:
        await tab.page.mouse.up()
    if found is None and drag.shown is not None:
        found = await drag.stepped(handle, wanted)
    if found == wanted:
        return Done({"value": f"{found:g}"})
    if drag.shown is None:
        return Refused(Code.NOT_FEASIBLE, UNTOLD)
    return Refused(Code.NOT_FEASIBLE, f"the slider goes from {drag.least:g} to {drag.most:g}")


@dataclass
class Drag:
    """A handle under the pointer: the way it can go, and which of the numbers goes with it."""

    tab: Tab
    slider: JSHandle
    first: tuple[float, float]
    last: tuple[float, float]
    home: tuple[float, float]
    shown: int | None = None
    least: float = 0.0
    most: float = 0.0

    @classmethod
    async def begun(cls, tab: Tab, slider: JSHandle) -> "Drag":
        left, top, width, height = await slider.evaluate("s => s.track()")
        x, y, wide, high = await slider.evaluate("s => s.at()")
        home = (x + wide / 2, y + high / 2)
        if width >= height:
            return cls(tab, slider, (left, home[1]), (left + width, home[1]), home)
        return cls(tab, slider, (home[0], top + height), (home[0], top), home)

    async def sought(self, wanted: float) -> float | None:
        """Go half of what is left of the way, until the number is the one that is wanted.

        None if it was not found; then the handle is where it was, or next to it.
        """
        before: list[float | None] = await self.numbers()
        at_first, at_last = await self.told_at(0.0), await self.told_at(1.0)
        both = enumerate(zip(at_first, at_last, strict=True))
        moved = [(at, one, other) for at, (one, other) in both if one != other]
        if not moved or moved[0][1] is None or moved[0][2] is None:
            await self.tab.page.mouse.move(*self.home)
            return None
        self.shown, low, high = moved[0][0], moved[0][1], moved[0][2]
        self.least, self.most = sorted((low, high))
        if not self.least <= wanted <= self.most:
            await self.tab.page.mouse.move(*self.home)
            return before[self.shown]
        ends, now = (0.0, 1.0), high
        for _ in range(STEPS):
            middle = sum(ends) / 2
            now = (await self.told_at(middle))[self.shown] or 0.0
            if now == wanted:
                return now
            ends = (middle, ends[1]) if (now < wanted) == (low < high) else (ends[0], middle)
        return wanted if (await self.told_at(ends[1]))[self.shown] == wanted else None

    async def stepped(self, handle: ElementHandle, wanted: float) -> float | None:
        """Go on by the keys, where a pixel is more than a step."""
        await handle.focus()
        now = await self.told()
        for _ in range(KEYS):
            if now is None or now == wanted:
                break
            await handle.press("ArrowRight" if now < wanted else "ArrowLeft", timeout=ACT_MS)
            after = await self.told()
            if after == now:
                break
            now = after
        return now

    async def told_at(self, part: float) -> list[float | None]:
        """Move to a place on the way, and read the numbers there."""
        place = [
            one + (other - one) * part for one, other in zip(self.first, self.last, strict=True)
        ]
        await self.tab.page.mouse.move(place[0], place[1], steps=2)
        return await self.numbers()

    async def told(self) -> float | None:
        """Read the number that goes with the handle."""
        return None if self.shown is None else (await self.numbers())[self.shown]

    async def numbers(self) -> list[float | None]:
        found: list[float | None] = await self.slider.evaluate("s => s.read()")
        return found

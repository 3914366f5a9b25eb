"""Answers from what a page lists: the elements that were bound are read, counted or added up."""

from dataclasses import dataclass
from urllib.parse import unquote

from messages.executing import Outcome, Refused
from messages.message import Scalar
from messages.pages import ANSWERS, PART
from messages.results import Code
from tools.browser.actions import PageActions, done
from tools.browser.params import Asked
from tools.browser.reading import TEXT, tidy
from tools.browser.tab import Tab

MOST_READ = 50  # texts of an answer that are given with it


async def answer(actions: PageActions, params: Asked) -> Outcome:
    """Give the value that was asked for, with the texts it comes from."""
    found = parse(params.selector)
    if found is None:
        return Refused(Code.NOT_FEASIBLE, "it is no answer that was found on a page")
    ask, looked_at, sources = found

    async def deed(tab: Tab) -> Outcome:
        texts: list[str] = []
        for source in sources[:MOST_READ]:
            element = await tab.take(source.target)
            text = None if element is None else tidy(await element.evaluate(TEXT))
            if text is None or source.part not in text:
                return Refused(Code.TARGET_STALE, "the page has changed; ask again")
            texts.append(source.part or text)
        value = value_of(ask, texts, [source.amount for source in sources])
        if value is None:
            return Refused(Code.NOT_FEASIBLE, "nothing is said there")
        unit = "records" if ask == "count" else ""
        return done({"value": value, "unit": unit, "records": texts, "looked_at": looked_at})

    return await actions.on_page(params.lane, deed)


@dataclass(frozen=True, slots=True)
class Source:
    """An element that an answer comes from, the part of its text that is meant, and its amount."""

    target: str
    part: str
    amount: float


def parse(selector: str) -> tuple[str, int, list[Source]] | None:
    """Read the id of an answer: what is asked, of how many, and what it comes from."""
    if not selector.startswith(ANSWERS):
        return None
    ask, count, listed = selector.removeprefix(ANSWERS).split(":", 2)
    return ask, int(count), [source_of(each) for each in listed.split(",") if each]


def source_of(text: str) -> Source:
    place, _, amount = text.partition("=")
    target, _, part = place.partition(PART)
    return Source(target, unquote(part), float(amount or 0))


def value_of(ask: str, texts: list[str], amounts: list[float]) -> Scalar | list[Scalar]:
    """Make the answer of what was read; None if there is none."""
    match ask:
        case "count":
            return len(amounts)
        case "is":
            return bool(amounts)
        case "sum":
            return round(sum(amounts), 2)
        case "average":
            return round(sum(amounts) / len(amounts), 2) if amounts else None
        case "which":
            return list(texts)
        case _:
            return texts[0] if texts else None

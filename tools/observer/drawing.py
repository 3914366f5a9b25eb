"""Bars, drawn as SVG: the page may have no inline styles, and attributes of SVG are none."""

from collections.abc import Sequence
from dataclasses import dataclass

from messages.explaining import StageTime
from messages.targets import Clue
from tools.observer.command_graph import RUNNING, CommandGraph, Node
from tools.observer.html import Html, el, join
from tools.observer.wording import length

WIDE = 1000.0
MARGIN = 3  # between a thing and the frame around it, in pixels
MOST_SPANS = 50  # of one goal: it may be tried again and again
THINNEST = 6.0  # of WIDE: what took no time is still seen


def time_bar(node: Node, story: CommandGraph) -> Html:
    """Draw when the actions of a goal ran, between the beginning and the end of its command."""
    whole = max(story.end - story.begin, 0.001)
    rects = []
    for span in node.spans[-MOST_SPANS:]:
        if span.start is None:
            left, width = 0.0, (span.ms or 0.0) / max(story.longest, 0.001) * WIDE
        else:
            end = story.end if span.end is None else span.end
            left = (span.start - story.begin) / whole * WIDE
            width = (end - span.start) / whole * WIDE
        width = min(max(width, THINNEST), WIDE)
        left = min(max(left, 0.0), WIDE - width)
        cls = f"b-{span.status}" + (" moving" if span.status == RUNNING else "")
        rects.append(rect(left, 4, width, 12, cls))
    return bar(rect(0, 9, WIDE, 2, "track"), *rects, height=20)


def clue_bar(clue: Clue, heaviest: float) -> Html:
    """Draw how much a clue weighed, for a candidate to the right, against it to the left."""
    half = WIDE / 2
    if clue.weight is None:
        return bar(rect(half - 4, 3, 8, 14, "axis"), rect(half - 22, 8, 44, 4, "rule"), height=20)
    width = max(abs(clue.weight) / max(heaviest, 0.001) * (half - 10), THINNEST)
    if clue.weight >= 0:
        drawn = rect(half, 4, width, 12, "for")
    else:
        drawn = rect(half - width, 4, width, 12, "against")
    return bar(drawn, rect(half - 2, 0, 4, 20, "axis"), height=20)


def score_bar(score: float, best: float) -> Html:
    return bar(
        rect(0, 4, WIDE, 12, "track"),
        rect(0, 4, max(score / max(best, 1) * WIDE, THINNEST) if score > 0 else 0, 12, "score"),
        height=20,
    )


def stage_bar(times: tuple[StageTime, ...]) -> Html:
    """Draw where the time went, stage by stage."""
    whole = max(sum(each.ms for each in times), 0.001)
    left, rects = 0.0, []
    for each in times:
        width = each.ms / whole * WIDE
        rects.append(rect(left, 0, max(width - 2, 1), 10, f"t-{each.stage}"))
        left += width
    legend = [
        el(
            "li",
            el("span", cls=f"dot t-{each.stage}", aria_hidden="true"),
            f"{each.stage} ",
            el("b", length(each.ms)),
        )
        for each in times
    ]
    return join([bar(*rects, height=10, cls="stages"), el("ul", legend, cls="legend")])


@dataclass(frozen=True)
class Outline:
    """Where a candidate is in a picture, in its pixels, and what became of it."""

    number: int
    kind: str
    box: tuple[int, int, int, int]


def outlined_picture(address: str, size: tuple[int, int], outlines: Sequence[Outline]) -> Html:
    """Draw frames around things in a picture, the chosen ones last, so that they are on top."""
    width, height = size
    picture = el("image", href=address, width=width, height=height)
    frames = [outline_of(each, size) for each in reversed(outlines)]
    return el(
        "svg",
        picture,
        frames,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label="The page, with the candidates outlined",
    )


def outline_of(outline: Outline, size: tuple[int, int]) -> Html:
    """Draw one frame with its number beside it, inside the picture."""
    left, top, wide, high = outline.box
    x, y = max(0, left - MARGIN), max(0, top - MARGIN)
    right, bottom = min(size[0], left + wide + MARGIN), min(size[1], top + high + MARGIN)
    sign = 10 * len(str(outline.number)) + 10
    at = min(right, size[0] - sign)
    return el(
        "g",
        rect(x, y, right - x, bottom - y, "frame"),
        rect(at, y, sign, 20, "sign"),
        el("text", outline.number, x=at + sign / 2, y=y + 15, text_anchor="middle"),
        cls=f"outline o-{outline.kind}",
    )


def rect(x: float, y: float, width: float, height: float, cls: str) -> Html:
    return el("rect", x=f"{x:.1f}", y=y, width=f"{width:.1f}", height=height, cls=cls)


def bar(*drawn: Html, height: int, cls: str = "bar") -> Html:
    return el(
        "svg",
        *drawn,
        viewBox=f"0 0 {WIDE:.0f} {height}",
        preserveAspectRatio="none",
        cls=cls,
        aria_hidden="true",
        focusable="false",
    )

"""The story of the demo: a few chores on a page, told in under sixty lines.

Each scene is a real command to a real daemon. What is printed of it is its end: a line for each
goal and what it gave, the questions on the way, and why the last one picked what it did.
"""

import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from messages import wire
from messages.explaining import Explanation
from messages.goals import Goal
from messages.message import Value
from tools.console import approval_lines, ending, mark_of, note_of, titled
from tools.demo_scenes import Scene
from tools.explanation_view import binding_lines
from tools.screen import plain

WIDTH = 100
LONGEST_ROW = 88
PAUSE_SECONDS, ANSWER_SECONDS = 1.5, 0.8

STORY = (
    Scene("Say a chore. Every word is bound to exactly one field, and every effect is looked for.",
          "go to {site}/order.html, enter Ada Lovelace in Your name, set Delivery day to 5 March "
          "2027, choose Evening as the basket, tick Wrap it as a gift, press Send order and read "
          "the status"),
    Scene("Read a table into a file.",
          "go to {site}/index.html, read the table and save it to prices.csv"),
    Scene("Two things fit equally well: it asks, and goes on where it stood.",
          "click Add to cart", answer="1"),
    Scene("Say which, and there is nothing to ask. Why that one?",
          "click Add to cart next to Evening basket", explains=True),
    Scene("What is not there is never replaced by its neighbour.",
          "go to {site}/order.html and press Sned order", ends="partial"),
    Scene("What cannot easily be made good again is shown first.",
          "delete prices.csv", answer="yes", id="deleted"),
    Scene("And what was done to files can be put back.", "take it back", undo="deleted"),
)  # fmt: skip


@dataclass
class Digest:
    """Shows of a command what a person was asked, and how each goal ended."""

    goals: dict[str, Goal] = field(default_factory=dict)

    def show(self, event: wire.WireReply) -> None:
        for line in self.lines(event):
            print(f"  {line}")

    def lines(self, event: wire.WireReply) -> Iterator[str]:
        """Put one event into lines."""
        match event:
            case wire.Interpreted(meta=meta):
                self.goals = {goal.goal_id: goal for goal in meta.goals}
            case wire.Question(message=message, options=options):
                yield from wrapped(message)
                yield from (f"  {each.number}. {plain(each.text)}" for each in options)
            case wire.ApprovalNeeded():
                yield from approval_lines(event)
            case wire.Finished(results=results):
                for result in results:
                    note = note_of(result)
                    about = f"  {plain(note)}" if note else ""
                    yield f"{mark_of(result.status)} {titled(self.goals[result.goal])}{about}"
                if event.status == "success" and results:
                    yield from last_rows(results[-1].output)
                elif event.status != "success":
                    yield from ending(event)[1:]
            case _:
                pass


def last_rows(output: Value) -> Iterator[str]:
    """Show the text that the last goal gave."""
    if isinstance(output, str):
        yield f"    {textwrap.shorten(plain(output), LONGEST_ROW, placeholder=' …')}"


def wrapped(text: str) -> list[str]:
    return textwrap.wrap(plain(text), WIDTH - 4, subsequent_indent="  ")


def tell_story(
    play: Callable[[Scene, Digest], bool], why: Callable[[], Explanation | None]
) -> bool:
    """Play every scene, with pauses on a terminal; tell whether each ended as it should."""
    endings = []
    for scene in STORY:
        print()
        endings.append(play(scene, Digest()))
        if scene.explains and (explained := why()) is not None:
            for bound in explained.bindings:
                shortest = replace(bound, dropped=bound.dropped[:1])
                print("\n".join(f"    {line}" for line in binding_lines(shortest)))
        pause(PAUSE_SECONDS)
    return all(endings)


def pause(seconds: float) -> None:
    """Let a person read; where nobody looks, there is nothing to wait for."""
    if sys.stdout.isatty():
        time.sleep(seconds)


def say(sign: str, text: str) -> None:
    """Print what is said, over several lines if it is long."""
    first, *others = textwrap.wrap(text, WIDTH - 4)
    print(f"  {sign} {first}", *(f"    {line}" for line in others), sep="\n")

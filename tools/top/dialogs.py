"""What is asked of the person at the screen: questions, approvals, and whether to cancel.

A dialog about a command closes once the daemon says that what it asked is settled, by whomever.
None opens by itself, so that nothing is answered by a key that was meant for something else.
"""

from collections.abc import Iterator
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from messages import wire
from tools.client import new_id
from tools.output_view import spelled_size
from tools.top.board import Waiting, ident
from tools.top.feed import Feed
from tools.top.wording import safe

MOST_SHOWN = 2_000  # characters of one text
MOST_TARGETS = 200
KEYS = 9  # options that have a key
ANSWER_LENGTH = 2_000
HELP = """\
Arrows, Page Up/Down, Home, End   move; with Home the top is kept
Enter         open what is asked; show or hide actions
Left, Right   hide, show the actions of a command
w             answer what waits for you
c             cancel the command under the cursor
/             filter; Escape ends it
Tab           to the explanation and back
q             quit; commands go on

In a question a number chooses; or type other words and Enter.
In an approval y allows, n forbids. Escape leaves it open."""


class Dialog(ModalScreen[None]):
    """A box over the screen, with a title, lines to read and a line for what went wrong."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
    ]

    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self.feed = feed
        self.is_sent = False

    def title_line(self) -> str:
        return ""

    def body_lines(self) -> Iterator[str]:
        yield from ()

    def hint(self) -> str:
        return "Esc back"

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(Content(self.title_line()), id="dialog-title")
            with VerticalScroll(id="dialog-body", can_focus=False):
                yield Static(Content("\n".join(self.body_lines())), id="dialog-lines")
            yield from self.compose_more()
            yield Static(id="dialog-problem")
            yield Static(Content(self.hint()), id="dialog-hint")

    def compose_more(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        body = self.query_one("#dialog-body")
        body.display = bool(next(self.body_lines(), ""))
        self.complain("")

    def complain(self, problem: str) -> None:
        """Show what is wrong, or nothing."""
        line = self.query_one("#dialog-problem", Static)
        line.update(Content(problem))
        line.display = bool(problem)

    def act(self, request: wire.Answer | wire.Approve | wire.Cancel) -> None:
        """Send what was decided, once."""
        if not self.is_sent:
            self.is_sent = True
            self.run_worker(self._act(request))

    async def _act(self, request: wire.Answer | wire.Approve | wire.Cancel) -> None:
        problem = await self.feed.act(request)
        if problem is not None:
            self.is_sent = False
            self.complain(problem)
        elif isinstance(request, wire.Cancel):
            self.dismiss()

    def follow(self) -> None:
        """Look whether this is still asked."""

    def action_leave(self) -> None:
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        self.query_one("#dialog-body").scroll_relative(y=by, animate=False)


class AskedDialog(Dialog):
    """Something that a command waits for."""

    def __init__(self, feed: Feed, asked: Waiting) -> None:
        super().__init__(feed)
        self.asked = asked

    def follow(self) -> None:
        """Close if it is settled; if it is put again after an answer, show what was wrong."""
        if not self.feed.is_online:
            return
        if all(ident(each) != ident(self.asked) for each in self.feed.board.waiting):
            self.dismiss()
            return
        again = self.feed.take_put_again(ident(self.asked))
        if again is not None:
            self.is_sent = False
            self.complain(safe(again.message, MOST_SHOWN))


class QuestionDialog(AskedDialog):
    """A question: numbers choose, as do the arrows; other words are typed."""

    asked: wire.Question

    def title_line(self) -> str:
        return safe(self.asked.message, MOST_SHOWN)

    def hint(self) -> str:
        return "number or Enter chooses · or type other words · Esc back"

    def compose_more(self) -> ComposeResult:
        yield OptionList(
            *(Content(f"{each.number}  {safe(each.text)}") for each in self.asked.options),
            id="options",
            markup=False,
        )
        # What is typed first brings the focus here, and must not be selected then.
        yield Input(
            placeholder="other words",
            max_length=ANSWER_LENGTH,
            select_on_focus=False,
            id="words",
        )

    def on_key(self, event: events.Key) -> None:
        """Take a number as a choice, and other letters as the beginning of words."""
        words = self.query_one("#words", Input)
        if words.has_focus or not event.is_printable or not event.character:
            return
        event.stop()
        numbers = {str(each.number): each.number for each in self.asked.options}
        if event.character in numbers and len(numbers) <= KEYS:
            self.choose(numbers[event.character])
            return
        words.focus()
        words.insert_text_at_cursor(event.character)

    @on(OptionList.OptionSelected)
    def choose_option(self, event: OptionList.OptionSelected) -> None:
        self.choose(self.asked.options[event.option_index].number)

    @on(Input.Submitted)
    def choose_words(self, event: Input.Submitted) -> None:
        if words := event.value.strip():
            self.choose(int(words) if words.isdecimal() and words.isascii() else words)

    def choose(self, choice: int | str) -> None:
        self.act(wire.Answer(new_id(), self.asked.question, choice))


class ApprovalDialog(AskedDialog):
    """Something that is about to happen: it may, or it may not."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "rule(True)", "Allow"),
        Binding("n", "rule(False)", "Forbid"),
    ]
    asked: wire.ApprovalNeeded

    def title_line(self) -> str:
        needed = self.asked
        return f"About to {safe(needed.kind)}: {safe(needed.description, MOST_SHOWN)}"

    def body_lines(self) -> Iterator[str]:
        needed = self.asked
        for target in needed.targets[:MOST_TARGETS]:
            name = "" if target.name == target.id else f"{safe(target.name, MOST_SHOWN)}: "
            yield f"{name}{safe(target.id, MOST_SHOWN)}"
        left = max(needed.count, len(needed.targets)) - min(len(needed.targets), MOST_TARGETS)
        if left > 0:
            yield f"… and {left} more; behest status {safe(needed.command)} lists all"
        if needed.count > 1:
            size = "" if needed.size is None else f", {spelled_size(needed.size)}"
            yield f"{needed.count} in all{size}"
        for name, value in needed.arguments.items():
            yield f"{safe(name)}: {safe(str(value), MOST_SHOWN)}"

    def hint(self) -> str:
        return "y allow · n forbid · Esc back"

    def action_rule(self, allow: bool) -> None:  # noqa: FBT001 - bindings have no names
        self.act(wire.Approve(new_id(), self.asked.approval, allow))


class CancelDialog(Dialog):
    """Whether to stop a command."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "stop", "Cancel the command"),
        Binding("n", "leave", "Back"),
    ]

    def __init__(self, feed: Feed, command: str, text: str) -> None:
        super().__init__(feed)
        self.command, self.text = command, text

    def title_line(self) -> str:
        return f"Cancel {self.text!r}? What already happened stays."

    def hint(self) -> str:
        return "y cancel the command · n back"

    def action_stop(self) -> None:
        self.act(wire.Cancel(new_id(), self.command))


class HelpDialog(Dialog):
    """Which keys there are."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,question_mark,enter", "leave")]

    def title_line(self) -> str:
        return "behest top"

    def body_lines(self) -> Iterator[str]:
        yield HELP

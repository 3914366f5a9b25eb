"""The clipboard of the desktop session: by ``xclip`` on X11, by ``wl-clipboard`` on Wayland.

What it held before is not kept when it is set: it is often a password.
"""

import os
from dataclasses import dataclass

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.programs import feed, installed, output_of
from tools.settling import wait_until
from tools.tool import AnyTool, Params, Tool, self_evident

HINT = "install xclip (X11) or wl-clipboard (Wayland) and run the daemon in a desktop session"
LASTING = "what the clipboard held before is not kept, as it may be a secret"
MOST = 1 << 20
# What programs say where there is no text to be had.
NO_TEXT = ("not available", "No selection", "Nothing is copied", "No suitable type")


class Nothing(Params, frozen=True):
    """No parameters."""


class Text(Params, frozen=True):
    text: str


@dataclass(frozen=True, slots=True)
class Programs:
    """How a text is put into the clipboard and read from it."""

    copy: tuple[str, ...]
    paste: tuple[str, ...]


X11 = Programs(
    ("xclip", "-selection", "clipboard", "-in"),
    ("xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING"),
)
WAYLAND = Programs(("wl-copy", "--type", "text/plain;charset=utf-8"), ("wl-paste", "--no-newline"))


def programs() -> Programs | None:
    """Find the programs for this session."""
    if os.environ.get("WAYLAND_DISPLAY") and installed("wl-copy") and installed("wl-paste"):
        return WAYLAND
    return X11 if os.environ.get("DISPLAY") and installed("xclip") else None


def is_here() -> bool:
    return programs() is not None


async def put(params: Text) -> Outcome:
    """Put a text into the clipboard."""
    found = programs()
    if found is None:
        return Refused(Code.NO_CAPABILITY, HINT)
    refused = await feed(found.copy, params.text)
    if refused is not None:
        return refused
    return Done({"characters": len(params.text)}, lasting=LASTING)


async def holds(params: Text, _done: Done) -> bool | None:
    """Look whether the clipboard holds the text; who hands it on may take a moment to begin."""

    async def is_there() -> bool:
        return await read_text() == params.text

    if await wait_until(is_there):
        return True
    return None if isinstance(await read_text(), Refused) else False


async def tell(_params: Nothing) -> Outcome:
    """Tell what text is in the clipboard."""
    found = await read_text()
    return found if isinstance(found, Refused) else Done({"text": found})


async def read_text() -> str | Refused:
    found = programs()
    if found is None:
        return Refused(Code.NO_CAPABILITY, HINT)
    answer = await output_of(found.paste)
    if isinstance(answer, Refused):
        empty = any(words in answer.message for words in NO_TEXT)
        return Refused(Code.TARGET_NOT_FOUND, "no text is in the clipboard") if empty else answer
    if len(answer) > MOST:
        return Refused(Code.TOO_LARGE, f"the text in the clipboard has {len(answer)} characters")
    return answer


async def clipboard_answers() -> object:
    """Ask for the clipboard; an empty one is an answer, too."""
    found = await read_text()
    is_answer = not isinstance(found, Refused) or found.code == Code.TARGET_NOT_FOUND
    return "" if is_answer else found


def clipboard_tools() -> tuple[AnyTool, ...]:
    """Declare the tools for the clipboard."""
    return (
        Tool(
            name="clipboard.set",
            intent="clipboard",
            achieves=frozenset({"clipboard_set"}),
            params=Text,
            act=put,
            check=holds,
            is_available=is_here,
            hint=HINT,
        ),
        Tool(
            name="clipboard.get",
            intent="clipboard",
            achieves=frozenset({"clipboard_get"}),
            params=Nothing,
            act=tell,
            check=self_evident,
            is_available=is_here,
            hint=HINT,
        ),
    )

"""Running other programs: by list of arguments, never through a shell, never for ever."""

import os
import shutil
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE, Popen

import anyio

from messages.executing import Refused
from messages.results import Code

PATIENCE = 10.0
# How long a program that is started gets to fall over before it counts as started.
SETTLE_SECONDS = 0.3


def installed(program: str) -> bool:
    """Tell whether a program can be found."""
    return shutil.which(program) is not None


def plain_surroundings() -> dict[str, str]:
    """Give the environment in which programs print what can be read back: not translated."""
    kept = {name: value for name, value in os.environ.items() if name != "LANGUAGE"}
    return {**kept, "LC_ALL": "C"}


async def output_of(arguments: Sequence[str]) -> str | Refused:
    """Run a program to its end and give what it printed, or why it failed."""
    try:
        with anyio.fail_after(PATIENCE):
            ended = await anyio.run_process(
                arguments,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                check=False,
                env=plain_surroundings(),
            )
    except FileNotFoundError:
        return Refused(Code.NO_CAPABILITY, f"{arguments[0]} is not installed")
    except TimeoutError:
        return Refused(Code.TIMEOUT, f"{arguments[0]} did not answer", transient=True)
    if ended.returncode != 0:
        said = ended.stderr.decode(errors="replace").strip() or f"exit {ended.returncode}"
        return Refused(Code.UNAVAILABLE, f"{arguments[0]}: {said}", transient=True)
    return ended.stdout.decode(errors="replace")


async def feed(arguments: Sequence[str], text: str) -> Refused | None:
    """Give a program a text to keep; give why it failed, if it did.

    It may leave somebody behind who hands the text on for as long as others want it: nothing that
    he prints is waited for, and he is in a session of his own.
    """
    try:
        with anyio.fail_after(PATIENCE):
            ended = await anyio.run_process(
                arguments,
                input=text.encode(errors="replace"),
                stdout=DEVNULL,
                stderr=DEVNULL,
                check=False,
                env=plain_surroundings(),
                start_new_session=True,
            )
    except FileNotFoundError:
        return Refused(Code.NO_CAPABILITY, f"{arguments[0]} is not installed")
    except TimeoutError:
        return Refused(Code.TIMEOUT, f"{arguments[0]} did not answer", transient=True)
    if ended.returncode != 0:
        message = f"{arguments[0]}: exit {ended.returncode}"
        return Refused(Code.UNAVAILABLE, message, transient=True)
    return None


def start_apart(command: Sequence[str]) -> Popen[bytes]:
    """Start a program in a session of its own, so that it outlives the daemon."""
    return Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)

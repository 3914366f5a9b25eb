"""Running other programs: by list of arguments, never through a shell, never for ever."""

import shutil
from collections.abc import Sequence
from subprocess import DEVNULL, PIPE

import anyio

from messages.executing import Refused
from messages.results import Code

PATIENCE = 10.0


def installed(program: str) -> bool:
    """Tell whether a program can be found."""
    return shutil.which(program) is not None


async def output_of(arguments: Sequence[str]) -> str | Refused:
    """Run a program to its end and give what it printed, or why it failed."""
    try:
        with anyio.fail_after(PATIENCE):
            ended = await anyio.run_process(
                arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, check=False
            )
    except FileNotFoundError:
        return Refused(Code.NO_CAPABILITY, f"{arguments[0]} is not installed")
    except TimeoutError:
        return Refused(Code.TIMEOUT, f"{arguments[0]} did not answer", transient=True)
    if ended.returncode != 0:
        said = ended.stderr.decode(errors="replace").strip() or f"exit {ended.returncode}"
        return Refused(Code.UNAVAILABLE, f"{arguments[0]}: {said}", transient=True)
    return ended.stdout.decode(errors="replace")

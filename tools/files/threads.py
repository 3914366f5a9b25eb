"""Blocking work on files, done in a thread; what goes wrong is a refusal."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from messages.executing import Refused
from messages.results import Code
from tools.files.roots import Refusal

R = TypeVar("R")


async def in_thread(work: Callable[[], R]) -> R | Refused:
    """Do blocking work to its end, even if the command is cancelled meanwhile."""

    def attempt() -> R | Refused:
        try:
            return work()
        except Refusal as refusal:
            return refusal.outcome
        except FileExistsError as error:
            return Refused(Code.ALREADY_EXISTS, f"{error.filename2 or error.filename} came first")
        except RecursionError:
            return Refused(Code.TOO_LARGE, "the folders in it are too deep")
        except PermissionError as error:
            return Refused(Code.NOT_ALLOWED, f"the system does not allow it: {error}")
        except OSError as error:
            return Refused(Code.IO_FAILED, str(error))

    return await anyio.to_thread.run_sync(attempt)

"""The observer: a page on the loopback that shows what the daemon does, and why.

It is a client of the daemon's socket like any other, and keeps nothing: what it shows is asked for
anew. It may answer, approve and cancel only if whoever started the daemon said so. It needs the
extra ``observe``, and nothing else may import Starlette.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from tools.pictures import Pictures
from tools.settings import BadSettings, ObserverSettings

if TYPE_CHECKING:
    from tools.observer.server import Observer

PACKAGES = frozenset({"starlette", "uvicorn"})
MISSING = "the observer page needs Starlette and uvicorn: pip install 'behest[observe]'"


def opened_observer(
    settings: ObserverSettings, socket: Path, pictures: Pictures, announce: Callable[[str], None]
) -> "AbstractContextManager[Observer]":
    """Take the port, so that it is known at the start whether it is free.

    ``announce`` is told every link that opens the page.
    """
    try:
        from tools.observer.server import open_observer  # noqa: PLC0415 - it is an extra
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in PACKAGES:
            raise
        raise BadSettings(MISSING) from None
    return open_observer(settings, socket, pictures, announce)

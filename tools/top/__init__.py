"""`behest top`: what the daemon does, live in a terminal, with a hand in what it asks.

A client of the socket like any other. It needs the extra ``top``, and nothing else may import
Textual.
"""

import sys
from pathlib import Path

from tools.screen import bear_any_text

USAGE = 2


def run_top(socket_path: Path) -> int:
    """Show the daemon at this socket until somebody quits; give an exit code."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        sys.stderr.write("behest: top needs a terminal; without one, use `behest watch`\n")
        return USAGE
    try:
        from tools.top.app import TopApp  # noqa: PLC0415 - Textual is an extra
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in {"textual", "rich"}:
            raise
        sys.stderr.write("behest: top needs Textual: pip install 'behest[top]'\n")
        return USAGE
    if sys.__stderr__ is not None:
        bear_any_text(sys.__stderr__)  # where Textual draws
    app = TopApp(socket_path)
    app.run()
    return app.return_code or 0

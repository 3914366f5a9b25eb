"""``python -m tools.observer``: the observer as a process of its own, beside a daemon."""

import argparse
import sys
from pathlib import Path

import anyio

from tools.observer.server import serve_observer


def main() -> int:
    """Serve the page until interrupted."""
    parser = argparse.ArgumentParser(description="Serve the observer page of a running daemon.")
    parser.add_argument("--socket", type=Path, required=True, help="the daemon's socket")
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; any free one if 0")
    parser.add_argument("--act", action="store_true", help="let the page answer and approve")
    options = parser.parse_args()

    async def serve() -> None:
        await serve_observer(options.socket, options.port, may_act=options.act, announce=announce)

    try:
        anyio.run(serve)
    except KeyboardInterrupt:
        return 0
    except OSError as problem:
        sys.stderr.write(f"observer: {problem}\n")
        return 1
    return 0


def announce(link: str) -> None:
    """Print a link for whoever started this."""
    sys.stdout.write(f"observer: {link}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

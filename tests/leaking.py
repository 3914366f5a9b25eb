"""A daemon that keeps some bytes of every command: what a soak must notice.

Run as ``python tests/leaking.py BYTES serve ...``; the bytes are those that Python takes for them,
a reference to them not counted.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import run
from actors.orchestrator.history import History
from messages import wire

EMPTY = sys.getsizeof(b"")


def leak(size: int) -> None:
    """Let so many bytes stay of every command that ends."""
    kept: list[bytes] = []
    file = History.file

    def file_and_keep(self: History, finished: wire.Finished) -> None:
        kept.append(bytes(size - EMPTY))
        file(self, finished)

    History.file = file_and_keep  # type: ignore[method-assign]


if __name__ == "__main__":
    leak(int(sys.argv[1]))
    sys.exit(run.main(sys.argv[2:]))

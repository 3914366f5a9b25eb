"""The floor of a lone command: a process that commits twice and answers, and does nothing else.

Run as ``python -m benchmarks.committing SOCKET``. For every line that comes it makes two commits to
SQLite, as durable as those of the journal, and sends a line back: one command is written down when
it is accepted and when it has ended.
"""

import socket
import sqlite3
import sys
from pathlib import Path

COMMITS = 2
ANSWER = b'{"type":"finished"}\n'


def journal(path: Path) -> sqlite3.Connection:
    """Open an empty journal; it commits each statement, and waits for the disk."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a)"
    )
    return connection


def commit(connection: sqlite3.Connection) -> None:
    """Make the commits of one command."""
    for number in range(COMMITS):
        connection.execute("INSERT INTO t VALUES (?)", (number,))


def serve(path: str) -> None:
    """Serve one client."""
    connection = journal(Path(f"{path}.db"))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        client, _ = listener.accept()
        with client, client.makefile("rb") as lines:
            for _ in lines:
                commit(connection)
                client.sendall(ANSWER)


if __name__ == "__main__":
    serve(sys.argv[1])

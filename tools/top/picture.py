"""Makes the picture of the documentation from a real session: ``python -m tools.top.picture``.

A daemon of its own gets a few commands, some of which ask; what the screen shows of them is saved.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from messages import wire
from tools.client import Client
from tools.demo import daemon
from tools.top.app import TopApp
from tools.top.tree import CommandTree

COLUMNS, ROWS = 132, 30
PATIENCE = 30.0
LOOK_SECONDS = 0.05
ENDING = (
    "create a folder reports and inside it create notes.md",
    "read the file nowhere.txt",
    "write 'call Ada' to reports/notes.md",
    "drop the lantern",
)
ASKING = {
    "music": "wait 20 seconds and then create a folder music",
    "tidy": "delete notes.md in reports",
    "manor": "take the envelope",
}


async def picture(path: Path) -> str:
    """Give what the screen shows of the daemon at ``path``, as SVG."""
    app = TopApp(path)
    with Client(path) as client:
        async with app.run_test(size=(COLUMNS, ROWS)) as pilot:

            async def until(condition: Callable[[], object]) -> None:
                async with asyncio.timeout(PATIENCE):
                    while not condition():
                        await pilot.pause(LOOK_SECONDS)

            await until(lambda: app.feed.is_online)
            for number, text in enumerate(ENDING):
                client.send(wire.Submit(f"c{number}", text))
            await until(lambda: ended(app) == len(ENDING))
            for session, text in ASKING.items():
                client.send(wire.Submit(session, text, session=session))
            await until(lambda: app.feed.board.waiting_count == len(ASKING) - 1)
            tree = app.query_one(CommandTree)
            await until(lambda: all(each.steps for each in app.feed.board.commands.values()))
            await until(lambda: tree.row is not None and app.feed.lines)
            await pilot.pause(1.0)  # the clocks go on
            return app.export_screenshot(title="behest top")


def ended(app: TopApp) -> int:
    return sum(each.status is not None for each in app.feed.board.commands.values())


def main() -> None:
    file = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/top.svg")
    with (
        tempfile.TemporaryDirectory(prefix="behest-top-") as folder,
        daemon(Path(folder), "--world", "manor"),
    ):
        file.write_text(asyncio.run(picture(Path(folder) / "s")))


if __name__ == "__main__":
    main()

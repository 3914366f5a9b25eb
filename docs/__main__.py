"""Write the pages that are made from tables: ``make phrases``."""

from pathlib import Path

from actors.interpreter.grammar.phrasebook import guide
from actors.interpreter.grammar.table import compiled
from actors.planner.tables import search_engines

PHRASES = Path(__file__).parent / "phrases.md"


def phrases() -> str:
    """Make the guide to what one can say; it is the same on every machine."""
    return guide(compiled(search_engines(), frozenset()))


if __name__ == "__main__":
    PHRASES.write_text(phrases(), encoding="utf-8")

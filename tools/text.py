"""Text from outside: names on disk and of processes need not be Unicode, messages must be."""

import os


def printable(name: str) -> str:
    """Give a name as text; what is no text in it is shown by a replacement mark."""
    return os.fsencode(name).decode("utf-8", "replace")


def is_text(words: str) -> bool:
    """Tell whether words that came as bytes were text; what was none in them is escaped."""
    return words == words.encode(errors="replace").decode()

"""Text from outside: names on disk and of processes need not be Unicode, messages must be."""

import os


def printable(name: str) -> str:
    """Give a name as text; what is no text in it is shown by a replacement mark."""
    return os.fsencode(name).decode("utf-8", "replace")

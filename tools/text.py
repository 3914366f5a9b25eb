"""Text from outside: names on disk and of processes need not be Unicode, messages must be."""

import os
import re

# JSON leaves these as they are, in UTF-8; some terminals obey them as they do an escape.
ARMED = b"\xc2"
CONTROLS = re.compile(rb"\xc2([\x80-\x9f])")


def printable(name: str) -> str:
    """Give a name as text; what is no text in it is shown by a replacement mark."""
    return os.fsencode(name).decode("utf-8", "replace")


def disarmed(line: bytes) -> bytes:
    r"""Escape the control characters that JSON does not.

    >>> disarmed('"\x9b2J"'.encode())
    b'"\\u009b2J"'
    """
    if ARMED not in line:
        return line
    return CONTROLS.sub(lambda found: b"\\u00%02x" % found[1][0], line)


def is_text(words: str) -> bool:
    """Tell whether words that came as bytes were text; what was none in them is escaped."""
    return words == words.encode(errors="replace").decode()

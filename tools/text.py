"""Text from outside: names on disk and of processes need not be Unicode, messages must be."""

import os
import re

# JSON leaves these as they are, in UTF-8; some terminals obey them as they do an escape: the upper
# control characters, and those that turn the direction of what is written.
ARMED = (b"\xc2", b"\xd8\x9c", b"\xe2\x80", b"\xe2\x81")
CONTROLS = re.compile(rb"\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]")


def printable(name: str) -> str:
    """Give a name as text; what is no text in it is shown by a replacement mark."""
    return os.fsencode(name).decode("utf-8", "replace")


def disarmed(line: bytes) -> bytes:
    r"""Escape the characters that a terminal obeys and JSON does not escape.

    >>> disarmed('"\x9b2J\u202e"'.encode())
    b'"\\u009b2J\\u202e"'
    """
    if not any(each in line for each in ARMED):
        return line
    return CONTROLS.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), line)


def is_text(words: str) -> bool:
    """Tell whether words that came as bytes were text; what was none in them is escaped."""
    return words == words.encode(errors="replace").decode()

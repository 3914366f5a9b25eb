"""The adapters of the bus, and what both promise alike: which names they take, how long they keep.

``sqlite`` carries messages within one process, ``jetstream`` between machines. What is refused by
one is refused by the other, so that nothing works on one machine only.
"""

import re
from hashlib import blake2b

# A message that is sent again under its name within so many seconds is not sent twice.
DUPLICATE_WINDOW = 600.0
# A blob can be had for so many seconds after it was last put.
BLOB_LIFETIME = 3600.0
# Entries of this bucket vanish unless they are updated; those of all others stay.
EXPIRING_BUCKET = "leases"
LEASE_TTL = 6.0
# So many messages are taken at once by one receiver.
BATCH = 64

WORDS = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
VISIBLE = re.compile(r"[\x21-\x7e]+")


def check_words(*texts: str) -> None:
    """Refuse what is not words joined by dots: addresses, buckets, keys and names of logs."""
    for text in texts:
        if not WORDS.fullmatch(text):
            raise ValueError(f"not words joined by dots: {text!r}")


def check_name(name: str) -> None:
    """Refuse a name for a message that would not come through a header as it is."""
    if not VISIBLE.fullmatch(name):
        raise ValueError(f"not a name for a message: {name!r}")


def digest(*parts: bytes) -> str:
    """A name for bytes; where one part ends and the next begins counts."""
    hashed = blake2b(digest_size=32)
    for part in parts:
        hashed.update(part if len(parts) == 1 else len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()

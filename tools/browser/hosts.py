"""Where a browser may go: http and https, allowed and denied hosts, judged by the parsed host."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import idna

EVERYWHERE = "*"
NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)
# Whoever connects to "any address" reaches this machine.
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nobody listens here


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """Hosts as they are set; an empty list of allowed hosts allows none."""

    allow: tuple[str, ...] = (EVERYWHERE,)
    deny: tuple[str, ...] = ()

    @classmethod
    def of(cls, allow: Sequence[str], deny: Sequence[str]) -> "HostPolicy":
        return cls(tuple(map(plain_host, allow)), tuple(map(plain_host, deny)))

    @property
    def is_open(self) -> bool:
        """Tell whether nothing is forbidden, so that nobody needs to look."""
        return EVERYWHERE in self.allow and not self.deny

    def allows(self, host: str) -> bool:
        """Tell whether a host may be spoken to."""
        name = plain_host(host)
        if not name or self.denies(name):
            return False
        return any(is_covered(name, pattern) for pattern in self.allow)

    def denies(self, host: str) -> bool:
        """Tell whether a host, or the address that it was found at, is denied by name."""
        name = plain_host(host)
        return any(is_covered(name, pattern) for pattern in self.deny)

    def refusal(self, url: str) -> str | None:
        """Say why an address may not be opened, or None."""
        try:
            parts = urlsplit(url.strip())
            host = parts.hostname or ""
        except ValueError:
            return f"{url!r} is not a web address"
        if parts.scheme.lower() not in {"http", "https"}:
            return f"{url!r} is not an http or https address"
        if not host or "\\" in url or parts.username is not None or not url.strip().isprintable():
            return f"{url!r} is not a plain web address"
        if not self.allows(host):
            return f"{host} is not among the hosts that are allowed (hosts)"
        return None


def is_covered(host: str, pattern: str) -> bool:
    """Tell whether a pattern covers a host: itself, or all below it.

    >>> is_covered("a.b.org", "*.b.org"), is_covered("b.org", "*.b.org")
    (True, False)
    """
    if pattern == EVERYWHERE:
        return True
    if pattern.startswith("*."):
        return host.endswith(pattern[1:])
    return host == pattern


def plain_host(host: str) -> str:
    """Write a host in the one way in which it is compared.

    >>> plain_host("EXAMPLE.org."), plain_host("[::1]"), plain_host("127.1")
    ('example.org', '::1', '127.0.0.1')
    >>> plain_host("[::ffff:127.0.0.1]"), plain_host("straße.de")
    ('127.0.0.1', 'xn--strae-oqa.de')
    """
    name = in_ascii(host.strip().strip("[]").lower()).rstrip(".")
    try:
        address = ipaddress.ip_address(name.partition("%")[0] if ":" in name else name)
    except ValueError:
        written = as_number(name) or name
    else:
        written = str(getattr(address, "ipv4_mapped", None) or address)
    return ANY_ADDRESS.get(written, written)


def in_ascii(name: str) -> str:
    """Write a name as browsers send it: folded by UTS 46, each label in Punycode."""
    if name.isascii():
        return name
    try:
        labels = idna.uts46_remap(name, std3_rules=False).split(".")
    except UnicodeError:
        return name
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels
    )


def as_number(name: str) -> str | None:
    """Read the odd ways to write an IPv4 address: ``127.1``, ``0x7f.1``, ``2130706433``."""
    parts = name.split(".")
    if not all(map(NUMBER.fullmatch, parts)):
        return None
    try:
        *leading, last = map(number_of, parts)
    except ValueError:  # an octal number with a 9 in it
        return None
    if len(parts) > 4 or any(not 0 <= number <= 255 for number in leading):  # noqa: PLR2004
        return None
    if not 0 <= last < 256 ** (5 - len(parts)):
        return None
    total = last
    for place, number in enumerate(leading):
        total += number << (8 * (3 - place))
    return str(ipaddress.IPv4Address(total))


def number_of(part: str) -> int:
    """Read one part of an address as browsers do: hexadecimal, octal or decimal."""
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") else 10)

"""Where a browser may go: http and https, allowed and denied hosts, judged by the parsed host."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

EVERYWHERE = "*"


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
        if not name or any(is_covered(name, pattern) for pattern in self.deny):
            return False
        return any(is_covered(name, pattern) for pattern in self.allow)

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
    """
    name = host.strip().strip("[]").rstrip(".").casefold()
    if name == EVERYWHERE or not name:
        return name
    try:
        return str(ipaddress.ip_address(name.partition("%")[0]))
    except ValueError:
        pass
    if (number := as_number(name)) is not None:
        return number
    star = "*." if name.startswith("*.") else ""
    try:
        return star + name.removeprefix("*.").encode("idna").decode()
    except UnicodeError:
        return name


def as_number(name: str) -> str | None:
    """Read the odd ways to write an IPv4 address: ``127.1``, ``0x7f.1``, ``2130706433``."""
    parts = name.split(".")
    try:
        numbers = [int(part, 0) if not octal(part) else int(part, 8) for part in parts]
    except ValueError:
        return None
    *leading, last = numbers
    if len(parts) > 4 or any(not 0 <= number <= 255 for number in leading):  # noqa: PLR2004
        return None
    if not 0 <= last < 256 ** (5 - len(parts)):
        return None
    total = last
    for place, number in enumerate(leading):
        total += number << (8 * (3 - place))
    return str(ipaddress.IPv4Address(total))


def octal(part: str) -> bool:
    return len(part) > 1 and part.startswith("0") and part.isdecimal()

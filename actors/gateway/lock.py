"""The lock of a door that anybody may reach: a token opens it, and guessing is slow.

It keeps nothing of what was tried, and never says what was wrong with it.
"""

import hmac
from collections import OrderedDict
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from time import monotonic

import anyio

from actors.logger import ActorLogger, logger_of
from messages import wire
from messages.results import Code

WRONG_TRIES = 5
MEMORY_SECONDS = 60.0
MOST_HOSTS = 1_024
SLOW_SECONDS = 1.0
MOST_WAITING = 4

NETWORK_BITS = 64


@dataclass(slots=True)
class Suspect:
    """A host from which wrong tokens came: how many, when the last, how many attempts wait."""

    tries: int = 0
    last: float = 0.0
    waiting: int = 0


@dataclass(slots=True)
class Suspects:
    """Where wrong tokens came from lately. The oldest are forgotten, so that it stays small."""

    _hosts: OrderedDict[str, Suspect] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._hosts)

    def note(self, host: str, now: float) -> Suspect:
        """Note a wrong token."""
        key = network_of(host)
        suspect = self._hosts.pop(key, None)
        if suspect is None or now - suspect.last > MEMORY_SECONDS:
            suspect = Suspect()
        suspect.tries += 1
        suspect.last = now
        self._hosts[key] = suspect
        if len(self._hosts) > MOST_HOSTS:
            self._hosts.popitem(last=False)
        return suspect

    def knows(self, host: str, now: float) -> Suspect | None:
        """Find a host that was wrong too often, too short a while ago."""
        suspect = self._hosts.get(network_of(host))
        if suspect is None or suspect.tries < WRONG_TRIES:
            return None
        return suspect if now - suspect.last <= MEMORY_SECONDS else None


def network_of(host: str) -> str:
    """Give what one person has for certain: an IPv4 address, or a whole network of IPv6.

    >>> network_of("2001:db8::17"), network_of("::ffff:192.0.2.1"), network_of("192.0.2.1")
    ('2001:db8::', '192.0.2.1', '192.0.2.1')
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> NETWORK_BITS << NETWORK_BITS))


@dataclass(slots=True)
class Lock:
    """A token, and those who tried others."""

    token: bytes = field(repr=False)
    suspects: Suspects = field(default_factory=Suspects)
    log: ActorLogger = field(default_factory=lambda: logger_of("gateway"))

    async def refused(self, host: str, auth: wire.Auth) -> wire.Error | None:
        """Say what is wrong; None if the token is right.

        From a host that guesses, a few attempts at a time are looked at, slowly, and the others
        not at all. So guessing is slow, and nobody locks out those who have the token.
        """
        suspect = self.suspects.knows(host, monotonic())
        if suspect is not None:
            if suspect.waiting >= MOST_WAITING:
                reason = "too many wrong tokens came from your host; try again in a second"
                return unauthorised(reason, auth.id, retry_after=wire.RETRY_SECONDS)
            suspect.waiting += 1
            try:
                await anyio.sleep(SLOW_SECONDS)
            finally:
                suspect.waiting -= 1
        if hmac.compare_digest(auth.token.encode(errors="replace"), self.token):
            return None
        suspect = self.suspects.note(host, monotonic())
        if suspect.tries == WRONG_TRIES:
            self.log.warning("door.guessed", host=host, tries=suspect.tries)
        return unauthorised("this is not the token", auth.id)


def unauthorised(
    reason: str, request: str | None = None, *, retry_after: float | None = None
) -> wire.Error:
    """Refuse whoever does not show the token."""
    return wire.Error(Code.UNAUTHORISED, reason, request, retry_after=retry_after)

"""Media players: whichever runs here and lets itself be controlled by MPRIS, on D-Bus.

The player that is meant is the one that plays, else the one that was used here last, else the only
one. Of several that could be meant none is touched.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import anyio

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.message import Row
from messages.results import Code
from tools.dbus import BusError, Connection, Remote, has_bus, on_bus
from tools.tool import AnyTool, Params, Tool, self_evident

PREFIX = "org.mpris.MediaPlayer2."
MIRROR = f"{PREFIX}playerctld"  # it only shows what another player does
# A browser's add-on for KDE says by this which process it speaks for, which is a player itself.
STANDS_FOR = "kde:pid"
PATH = "/org/mpris/MediaPlayer2"
ROOT, PLAYER = "org.mpris.MediaPlayer2", "org.mpris.MediaPlayer2.Player"
NO_PLAYER = "no media player runs here that can be controlled (by MPRIS)"
HINT = "run the daemon in a desktop session, with D-Bus and a media player that has MPRIS"
SETTLE_SECONDS, STEP = 5.0, 0.02
PLAYER_SECONDS = 2.0  # one that hangs must not keep the others from being used
MICROSECONDS = 1_000_000
GONE = "gone"

Verb: TypeAlias = Literal["play", "pause", "stop", "next", "previous"]
STATUS_AFTER: Mapping[str, frozenset[str]] = {
    "play": frozenset({"Playing"}),
    "pause": frozenset({"Paused", "Stopped"}),
    "stop": frozenset({"Stopped"}),
}
METHODS: Mapping[Verb, str] = {
    "play": "Play",
    "pause": "Pause",
    "stop": "Stop",
    "next": "Next",
    "previous": "Previous",
}
ABILITIES: Mapping[Verb, str] = {
    "play": "CanPlay",
    "pause": "CanPause",
    "next": "CanGoNext",
    "previous": "CanGoPrevious",
}
UNDO: Mapping[Verb, str] = {"play": "pause", "pause": "play"}
LASTING = "a player does not go back to where it was in what it played"


class Nothing(Params, frozen=True):
    """No parameters."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player as it was when it was asked."""

    service: str
    name: str
    status: str
    properties: Mapping[str, Any]

    @property
    def remote(self) -> Remote:
        return Remote(self.service, PATH, PLAYER)

    @property
    def track(self) -> tuple[object, ...]:
        """What tells what it plays from anything else."""
        metadata = self.metadata
        return tuple(metadata.get(key) for key in ("mpris:trackid", "xesam:url", "xesam:title"))

    @property
    def metadata(self) -> Mapping[str, Any]:
        described = self.properties.get("Metadata") or {}
        return {key: value for key, (_, value) in described.items()}

    @property
    def position(self) -> int:
        """Where in the track it is, in microseconds."""
        return int(self.properties.get("Position") or 0)

    def can(self, verb: Verb) -> bool:
        """Tell whether it says that it can do something; what it is silent about is tried."""
        return self.properties.get(ABILITIES.get(verb, ""), True) is not False


@dataclass(slots=True)
class Players:
    """Controls players, and remembers which of them was used last."""

    last_used: str = ""

    async def control(self, verb: Verb, _params: Nothing) -> Outcome:
        """Tell the player that is meant to do something, and wait until it has."""
        return await on_bus("session", partial(self._control, verb), NO_PLAYER)

    async def _control(self, verb: Verb, bus: Connection) -> Outcome:
        player = self.choose(await players_on(bus))
        if isinstance(player, Refused):
            return player
        if not player.can(verb):
            return Refused(Code.NOT_FEASIBLE, f"{player.name} cannot do that now: {verb}")
        self.last_used = player.service
        if player.status in STATUS_AFTER.get(verb, ()):
            return Done(described(player), changed=False)
        await bus.call(player.remote, METHODS[verb])
        now = await settled(bus, player, verb)
        told = {"player": player.name, "status": GONE} if now is None else described(now)
        seen = {**told, "seen": has_effect(player, now, verb)}
        undo = (GoalDraft("media", UNDO[verb]),) if verb in UNDO else ()
        return Done(seen, undo=undo, lasting="" if undo else LASTING)

    async def tell(self, _params: Nothing) -> Outcome:
        """Tell what plays."""

        async def ask(bus: Connection) -> Outcome:
            player = self.choose(await players_on(bus))
            return player if isinstance(player, Refused) else Done(described(player))

        return await on_bus("session", ask, NO_PLAYER)

    def choose(self, players: list[Player]) -> Player | Refused:
        """Choose the player that is meant."""
        if not players:
            return Refused(Code.TARGET_NOT_FOUND, NO_PLAYER)
        playing = [player for player in players if player.status == "Playing"]
        used = [player for player in players if player.service == self.last_used]
        meant = playing or used or players
        if len(meant) == 1:
            return meant[0]
        names = " or ".join(names_of(meant))
        which = "play" if playing else "run"
        return Refused(Code.AMBIGUOUS_TARGET, f"several players {which}: {names}")


async def players_on(bus: Connection) -> list[Player]:
    """List the players on a bus; one that leaves meanwhile, or does not answer well, is none."""
    found = [await player_called(bus, name) for name in sorted(await bus.names())]
    players = [player for player in found if player is not None]
    shown_twice = {pid for player in players if (pid := player.metadata.get(STANDS_FOR))}
    if not shown_twice:
        return players
    return [
        player
        for player in players
        if STANDS_FOR in player.metadata or await bus.process_of(player.service) not in shown_twice
    ]


async def player_called(bus: Connection, service: str) -> Player | None:
    """Look at one player; None if it is none, is gone or does not answer."""
    if not service.startswith(PREFIX) or service == MIRROR:
        return None
    with anyio.move_on_after(PLAYER_SECONDS):
        try:
            name = await bus.get(Remote(service, PATH, ROOT), "Identity")
            properties = await bus.get_all(Remote(service, PATH, PLAYER))
        except BusError:
            return None
        return Player(service, str(name), str(properties.get("PlaybackStatus", "")), properties)
    return None


async def settled(bus: Connection, former: Player, verb: Verb) -> Player | None:
    """Wait for what a player was told to do, and give how it is then; None if it is gone.

    What a player says while it goes from one track to the next is mixed: it is believed when it
    says the same twice.
    """
    now, said_before = await player_called(bus, former.service), former.track
    with anyio.move_on_after(SETTLE_SECONDS):
        while now is not None and not (is_so(former, now, verb) and now.track == said_before):
            said_before = now.track
            await anyio.sleep(STEP)
            now = await player_called(bus, former.service)
    return now


def is_so(former: Player, now: Player, verb: Verb) -> bool:
    """Tell whether a player is at what it was told to play, or as it was told to be."""
    if verb in STATUS_AFTER:
        return now.status in STATUS_AFTER[verb]
    return now.track != former.track


def has_effect(former: Player, now: Player | None, verb: Verb) -> bool:
    """Tell whether a player did what it was told; going back may be to where a track begins."""
    if now is None:
        return verb == "stop"
    went_back = verb == "previous" and now.position < former.position
    return is_so(former, now, verb) or went_back


def described(player: Player) -> Row:
    """Say what a player plays, in the words of the one who asked."""
    metadata = player.metadata
    artists = metadata.get("xesam:artist") or []
    length = metadata.get("mpris:length")
    return {
        "player": player.name,
        "status": player.status.casefold(),
        "title": str(metadata.get("xesam:title") or ""),
        "artist": ", ".join(map(str, artists)) if isinstance(artists, list) else str(artists),
        "album": str(metadata.get("xesam:album") or ""),
        "length": round(length / MICROSECONDS, 1) if isinstance(length, int) else None,
        "position": round(player.position / MICROSECONDS, 1),
    }


def names_of(players: list[Player]) -> list[str]:
    """Name players so that each can be told from the others."""
    names = [player.name for player in players]
    if len(set(names)) == len(names):
        return names
    return [f"{player.name} ({player.service.removeprefix(PREFIX)})" for player in players]


async def as_seen(_params: Nothing, done: Done) -> bool | None:
    """Check that the player did it; a player that was so already is as it was asked to be."""
    output = done.output
    if not isinstance(output, dict) or not done.changed:
        return True
    return bool(output.get("seen")) or None


async def player_names() -> list[str] | Refused:
    """Name the players that run; none is no fault, but nothing can be controlled."""

    async def ask(bus: Connection) -> list[str] | Refused:
        found = await players_on(bus)
        return names_of(found) if found else Refused(Code.TARGET_NOT_FOUND, NO_PLAYER)

    return await on_bus("session", ask, NO_PLAYER)


def media_tools() -> tuple[AnyTool, ...]:
    """Declare the tools for media players."""
    players = Players()
    return (
        *(tool(verb, partial(players.control, verb), as_seen) for verb in METHODS),
        tool("get", players.tell, self_evident),
    )


def tool(
    verb: str,
    act: Callable[[Nothing], Awaitable[Outcome]],
    check: Callable[[Nothing, Done], Awaitable[bool | None]],
) -> AnyTool:
    return Tool(
        name=f"media.{verb}",
        intent="media_control",
        achieves=frozenset({f"media_{verb}"}),
        params=Nothing,
        act=act,
        check=check,
        is_available=partial(has_bus, "session"),
        hint=HINT,
    )

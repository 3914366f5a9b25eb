"""The time in another place: which zone a city, a country or an abbreviation means."""

import unicodedata
from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import msgspec

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.tool import Params

PLACES = Path(__file__).with_name("places.toml")
ARTICLE = "the "
SUFFIX = " time"
NEAR = 3


class TimeIn(Params, frozen=True):
    """Which place."""

    place: str


class PlaceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The names of places by time zone."""

    zones: dict[str, tuple[str, ...]]


@cache
def zones_by_name() -> Mapping[str, tuple[str, ...]]:
    """Read the table: the zones of each name, and every zone by its own name."""
    table = msgspec.toml.decode(PLACES.read_bytes(), type=PlaceTable)
    zones = {normalise(zone): (zone,) for zone in (*available_timezones(), *table.zones)}
    places: dict[str, tuple[str, ...]] = {}
    for zone, names in table.zones.items():
        for name in dict.fromkeys(map(normalise, names)):
            places[name] = (*places.get(name, ()), zone)
    return zones | places


def normalise(place: str) -> str:
    """Give a name without case, accents, dots, articles and the word "time".

    >>> normalise("São Paulo"), normalise("the U.K."), normalise("Tokyo time")
    ('sao paulo', 'uk', 'tokyo')
    """
    letters = unicodedata.normalize("NFKD", place.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    words = " ".join(plain.replace(".", "").replace("’", "'").replace("_", " ").split())
    return words.removeprefix(ARTICLE).removesuffix(SUFFIX)


def tell_time_in(params: TimeIn) -> Outcome:
    """Tell the time in a place."""
    zone = zone_of(params.place)
    if isinstance(zone, Refused):
        return zone
    now = datetime.now(zone)
    stamp = now.isoformat(timespec="seconds")
    return Done(
        {
            "place": params.place,
            "zone": zone.key,
            "time": now.strftime("%H:%M:%S"),
            "date": now.strftime("%Y-%m-%d"),
            "weekday": now.strftime("%A"),
            "iso": stamp,
        }
    )


def zone_of(place: str) -> ZoneInfo | Refused:
    """Find the one time zone of a place; "Paris, France" must agree with both names."""
    whole = zones_by_name().get(normalise(place))
    if whole is not None:
        return only_zone(place, whole)
    name, comma, region = place.partition(",")
    if not comma:
        return unknown(place)
    return zone_within(name.strip(), region.strip())


def only_zone(place: str, zones: tuple[str, ...]) -> ZoneInfo | Refused:
    if len(zones) > 1:
        listed = ", ".join(zones)
        message = f"{place} has several time zones; name a city or one of {listed}"
        return Refused(Code.AMBIGUOUS_TARGET, message)
    return load_zone(zones[0])


def load_zone(name: str) -> ZoneInfo | Refused:
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return Refused(Code.UNAVAILABLE, f"this machine does not know {name}; install tzdata")


def zone_within(name: str, region: str) -> ZoneInfo | Refused:
    """Find a place in a region; both are known, and their clocks agree in exactly one zone."""
    table = zones_by_name()
    places, regions = table.get(normalise(name)), table.get(normalise(region))
    if places is None or regions is None:
        return unknown(name if places is None else region)
    clocks = {clock(zone) for zone in regions}
    agreed = tuple(zone for zone in places if clock(zone) in clocks)
    if not agreed:
        known = ", ".join(places)
        message = f"no {name} in {region} is known here, only {name} in the zone {known}"
        return Refused(Code.TARGET_NOT_FOUND, message)
    return only_zone(name, agreed)


def clock(zone: str) -> object:
    """Give what the clocks of a zone differ from others by, now."""
    found = load_zone(zone)
    return zone if isinstance(found, Refused) else datetime.now(found).utcoffset()


def unknown(place: str) -> Refused:
    near = get_close_matches(normalise(place), zones_by_name(), n=NEAR)
    hint = f"; near names: {', '.join(near)}" if near else ""
    return Refused(Code.TARGET_NOT_FOUND, f"no place {place!r} is known here{hint}")

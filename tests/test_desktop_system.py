"""Questions about the machine, other places and dates, as submitted goals to the real daemon."""

import os
import platform
import pwd
import socket
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import psutil
import pytest

from messages.executing import Refused
from tests.daemon import Daemon, Event, running_daemon
from tools.time_zones import PLACES, load_zone, zone_of, zones_by_name
from tools.weekdays import find_date, named_days

TODAY = date(2026, 11, 18)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all questions: asking changes nothing."""
    with running_daemon(tmp_path_factory.mktemp("system")) as running:
        yield running


def result(daemon: Daemon, verb: str, **params: object) -> Event:
    goal = {"domain": "system", "verb": verb, "params": params}
    (found,) = daemon.connect().run(os.urandom(4).hex(), goals=[goal])[-1]["results"]
    last: Event = found
    return last


def answer(daemon: Daemon, verb: str, **params: object) -> Any:
    """Ask one question and give what came out."""
    found = result(daemon, verb, **params)
    assert found["status"] == "success", found
    assert found["verified"] is True
    return found["output"]


# This machine


def test_the_addresses_are_those_of_the_interfaces(daemon: Daemon) -> None:
    told = answer(daemon, "get", target="address")
    there = {entry.address for several in psutil.net_if_addrs().values() for entry in several}
    assert set(told["ipv4"]) <= there
    assert all(":" in address for address in told["ipv6"])
    assert told["address"] in {*told["ipv4"], *told["ipv6"], None}
    assert "127.0.0.1" not in told["ipv4"]


def test_the_machine_tells_its_name_its_user_and_its_system(daemon: Daemon) -> None:
    assert answer(daemon, "get", target="hostname") == {"hostname": socket.gethostname()}
    assert answer(daemon, "get", target="user")["user"] == pwd.getpwuid(os.getuid()).pw_name
    told = answer(daemon, "get", target="system")
    assert told["kernel"] == f"{platform.system()} {platform.release()}"
    assert told["machine"] == platform.machine()
    assert told["system"]


def test_the_work_of_the_processors_is_measured(daemon: Daemon) -> None:
    told = answer(daemon, "get", target="cpu")
    assert 0 <= told["percent"] <= 100
    assert told["cores"] == psutil.cpu_count()
    assert len(told["load"]) == 3


@pytest.mark.parametrize("by", ["memory", "cpu"])
def test_the_programs_that_use_most_come_first(daemon: Daemon, by: str) -> None:
    rows = answer(daemon, "top", by=by, limit=3)
    used = [row[by] for row in rows]
    assert 1 <= len(rows) <= 3
    assert used == sorted(used, reverse=True)
    assert len({row["name"] for row in rows}) == len(rows)


def test_what_is_left_out_of_the_question_is_five_programs_by_memory(daemon: Daemon) -> None:
    rows = answer(daemon, "top")
    assert 1 <= len(rows) <= 5
    assert all(set(row) == {"name", "processes", "memory"} for row in rows)


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("top", {"by": "noise"}),
        ("top", {"limit": 0}),
        ("top", {"limit": 101}),
        ("top", {"limit": "many"}),
        ("get", {"target": "weather"}),
        ("time_in", {"place": " "}),
        ("time_in", {}),
        ("weekday", {}),
        ("weekday", {"date": 3}),
    ],
)
def test_bad_parameters_are_refused_before_anything_is_asked(
    daemon: Daemon, verb: str, params: dict[str, object]
) -> None:
    assert result(daemon, verb, **params)["status"] in {"blocked", "validation_failed"}


# Elsewhere


def test_the_time_elsewhere_is_that_of_its_zone(daemon: Daemon) -> None:
    told = answer(daemon, "time_in", place="Tokyo")
    moment = datetime.fromisoformat(told["iso"])
    assert told["zone"] == "Asia/Tokyo"
    assert moment.utcoffset() == datetime.now(ZoneInfo("Asia/Tokyo")).utcoffset()
    assert moment.strftime("%H:%M:%S %Y-%m-%d %A") == (
        f"{told['time']} {told['date']} {told['weekday']}"
    )


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("paris", "Europe/Paris"),
        ("Paris, France", "Europe/Paris"),
        ("Melbourne, Australia", "Australia/Melbourne"),
        ("Cambridge, England", "Europe/London"),
        ("São Paulo", "America/Sao_Paulo"),
        ("sao paulo", "America/Sao_Paulo"),
        ("the UK", "Europe/London"),
        ("the Netherlands", "Europe/Amsterdam"),
        ("Germany", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("San Francisco", "America/Los_Angeles"),
        ("Mumbai", "Asia/Kolkata"),
        ("eastern time", "America/New_York"),
        ("UTC", "UTC"),
        ("europe/vienna", "Europe/Vienna"),
    ],
)
def test_a_place_is_known_by_its_names(place: str, zone: str) -> None:
    assert zone_of(place) == ZoneInfo(zone)


@pytest.mark.parametrize("place", ["USA", "Russia", "Australia", "Georgia", "CST", "Birmingham"])
def test_a_place_of_several_zones_is_refused_with_their_names(daemon: Daemon, place: str) -> None:
    found = result(daemon, "time_in", place=place)
    assert found["code"] == "AMBIGUOUS_TARGET"
    assert all(zone in found["message"] for zone in zones_by_name()[place.casefold()])


def test_an_unknown_place_is_refused_with_what_is_near(daemon: Daemon) -> None:
    found = result(daemon, "time_in", place="Tokio")
    assert found["code"] == "TARGET_NOT_FOUND"
    assert "tokyo" in found["message"]


@pytest.mark.parametrize("place", ["Paris, Texas", "Paris, Nowhere", "Nowhere, France", ","])
def test_a_place_in_another_region_is_not_taken_for_it(place: str) -> None:
    found = zone_of(place)
    assert isinstance(found, Refused)
    assert found.code == "TARGET_NOT_FOUND"


def test_every_zone_of_the_table_is_there() -> None:
    zones = {zone for several in zones_by_name().values() for zone in several}
    assert PLACES.is_file()
    assert [zone for zone in zones if isinstance(load_zone(zone), Refused)] == []


# Dates


def test_the_weekday_is_told_with_its_date(daemon: Daemon) -> None:
    assert answer(daemon, "weekday", date="2026-12-24") == {
        "date": "2026-12-24",
        "weekday": "Thursday",
    }
    told = answer(daemon, "weekday", date="christmas")
    day = date.fromisoformat(told["date"])
    assert (day.month, day.day, day.strftime("%A")) == (12, 25, told["weekday"])


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("March 22", "2027-03-22"),
        ("22nd of March", "2027-03-22"),
        ("November 18", "2026-11-18"),
        ("Dec 24, 2027", "2027-12-24"),
        ("24.12.2026", "2026-12-24"),
        ("13/4/2026", "2026-04-13"),
        ("the 3rd", "2026-12-03"),
        ("the 18th", "2026-11-18"),
        ("31", "2026-12-31"),
        ("Feb 29", "2028-02-29"),
        ("Christmas Day", "2026-12-25"),
        ("christmas 2030", "2030-12-25"),
        ("New Year's Eve", "2026-12-31"),
        ("new year", "2027-01-01"),
        ("halloween", "2027-10-31"),
        ("easter", "2027-03-28"),
        ("good friday", "2027-03-26"),
        ("easter 2026", "2026-04-05"),
        ("thanksgiving", "2026-11-26"),
        ("may day", "2027-05-01"),
        ("tomorrow", "2026-11-19"),
        ("the day after tomorrow", "2026-11-20"),
    ],
)
def test_a_date_is_read_as_the_next_of_its_kind(text: str, day: str) -> None:
    assert find_date(text, TODAY) == date.fromisoformat(day)


@pytest.mark.parametrize(
    "text", ["March", "may", "2027", "2026-02-30", "the 32nd", "12:30", "blah", "someday", "0"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    found = find_date(text, TODAY)
    assert isinstance(found, Refused)
    assert found.code == "TARGET_NOT_FOUND"


def test_a_date_that_can_be_read_in_two_ways_is_refused(daemon: Daemon) -> None:
    assert result(daemon, "weekday", date="3/4/2026")["code"] == "AMBIGUOUS_TARGET"
    assert answer(daemon, "weekday", date="4/4/2026")["date"] == "2026-04-04"


def test_every_day_with_a_name_is_found_in_every_year() -> None:
    for year in range(2000, 2100):
        assert {on(year).year for on in named_days().values()} == {year}

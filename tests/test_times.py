"""What words say of time, and the moment that they mean."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.language.times import read_duration, read_when
from actors.scheduler.moments import brought_near, first_moment, moved, next_moment
from messages.scheduling import Entry
from messages.times import When

WEDNESDAY = datetime(2026, 11, 18, 6, 30).astimezone()
NOW = WEDNESDAY.timestamp()


def moment(text: str, now: float = NOW) -> str | None:
    when = read_when(text)
    assert when is not None, text
    found = first_moment(when, now)
    if found is None:
        return None
    return datetime.fromtimestamp(found).astimezone().strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("5 minutes", 300),
        ("a minute", 60),
        ("ninety seconds", 90),
        ("an hour and a half", 5400),
        ("two and a half hours", 9000),
        ("1 hour, 5 minutes and 30 seconds", 3930),
        ("a quarter of an hour", 900),
        ("half an hour", 1800),
        ("forty five minutes", 2700),
        ("1h30m", 5400),
        ("20-minute", 1200),
        ("three days", 259_200),
    ],
)
def test_a_length_of_time_is_read(said: str, seconds: int) -> None:
    assert read_duration(said) == seconds


@pytest.mark.parametrize("said", ["", "five", "minutes", "5 minutes ago", "5 bananas", "soon"])
def test_what_is_no_length_of_time_is_not_read_as_one(said: str) -> None:
    assert read_duration(said) is None


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("in 10 minutes", "2026-11-18 06:40"),
        ("at 18:30", "2026-11-18 18:30"),
        ("at 6", "2026-11-19 06:00"),  # six has passed today
        ("at half past seven", "2026-11-18 07:30"),
        ("at ten to nine", "2026-11-18 08:50"),
        ("6 pm", "2026-11-18 18:00"),
        ("at noon", "2026-11-18 12:00"),
        ("at midnight", "2026-11-19 00:00"),
        ("tomorrow at 8", "2026-11-19 08:00"),
        ("at 8 tomorrow evening", "2026-11-19 20:00"),
        ("tonight at eight", "2026-11-18 20:00"),
        ("on Friday at 3 pm", "2026-11-20 15:00"),
        ("next Monday at 9", "2026-11-23 09:00"),
        ("the day after tomorrow at 14:15", "2026-11-20 14:15"),
        ("on March 3 at noon", "2027-03-03 12:00"),
        ("on the 15th at 10", "2026-12-15 10:00"),
        ("2026-12-24 at 17:00", "2026-12-24 17:00"),
        ("in two days at 9", "2026-11-20 09:00"),
        ("every weekday at 8", "2026-11-18 08:00"),
        ("every weekend at 10", "2026-11-21 10:00"),
        ("every Tuesday and Thursday at 7", "2026-11-19 07:00"),
        ("every month on the first at 9", "2026-12-01 09:00"),
        ("every 10 minutes", "2026-11-18 06:40"),
        ("daily at 7 am", "2026-11-18 07:00"),
        ("every night at ten", "2026-11-18 22:00"),
        ("tomorrow morning", "2026-11-19 08:00"),
    ],
)
def test_a_time_is_the_next_moment_that_it_can_mean(said: str, meant: str) -> None:
    assert moment(said) == meant


def test_a_day_that_is_over_has_no_moment_any_more() -> None:
    assert moment("today at 5 am") is None


@pytest.mark.parametrize(
    "said", ["at 25:00", "at 8 pm in 5 minutes", "at 9 at 10", "yesterday at 8", "at", "every"]
)
def test_what_is_no_time_is_not_read_as_one(said: str) -> None:
    assert read_when(said) is None


def test_what_comes_again_comes_after_the_last_time_whatever_the_clock_says() -> None:
    when = read_when("every day at 8")
    assert when is not None
    first = first_moment(when, NOW)
    assert first is not None
    put_back = first - 86_400 * 3  # somebody put the clock back by three days
    following, missed = next_moment(when, first, put_back)
    assert following == first + 86_400
    assert missed == 0


def test_what_was_missed_is_counted_and_not_made_up_for() -> None:
    following, missed = next_moment(When(interval=600.0), 1000.0, 1000.0 + 3 * 600 + 1)
    assert (following, missed) == (1000.0 + 4 * 600, 3)


def test_what_comes_again_is_not_forgotten_if_the_clock_is_put_forward_by_years() -> None:
    when = read_when("every day at 8")
    assert when is not None
    first = first_moment(when, NOW)
    assert first is not None
    years_later = NOW + 20 * 365 * 86_400
    following, missed = next_moment(when, first, years_later)
    assert following is not None
    assert years_later < following <= years_later + 90_000
    assert missed > 0


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize("said", ["every day at 8", "every 2 days at 8", "every 2 weeks at 8"])
@pytest.mark.parametrize("day", [datetime(2026, 3, 28, 6), datetime(2026, 10, 24, 6)])  # noqa: DTZ001
def test_a_time_of_the_day_stays_that_time_when_summer_begins_and_ends(
    said: str, day: datetime
) -> None:
    when = read_when(said)
    assert when is not None
    first = first_moment(when, day.timestamp())
    assert first is not None
    following, missed = next_moment(when, first, first)
    assert following is not None
    assert datetime.fromtimestamp(following).astimezone().strftime("%H:%M") == "08:00"
    assert missed == 0


def entry(when: When, *, created: float, due: float) -> Entry:
    return Entry("e", "command", "", when, "default", created, due)


def test_what_lasts_a_while_is_moved_with_the_clock_and_a_time_of_the_day_is_not() -> None:
    for lasting in (When(after=600.0), When(interval=600.0), When(every=("hour",))):
        assert moved(entry(lasting, created=NOW, due=NOW + 600), -3600).due == NOW - 3000
    daily = entry(When(clock="08:00", every=("day",)), created=NOW, due=NOW + 600)
    assert moved(daily, -3600) == daily


def test_after_a_start_nothing_is_further_off_than_when_it_was_said() -> None:
    timer = entry(When(after=600.0), created=NOW, due=NOW + 600)
    assert brought_near(timer, NOW - 86_400).due == NOW - 86_400 + 600
    assert brought_near(timer, NOW + 60) == timer
    again = entry(When(interval=600.0), created=NOW, due=NOW + 6000)
    assert brought_near(again, NOW).due == NOW + 600
    assert brought_near(again, NOW + 5500) == again


TIMES = ["in 10 minutes", "tomorrow at 8", "every weekday at 8", "on March 3 at noon"]


@given(st.sampled_from(TIMES), st.floats(0, 4e9))
def test_the_next_moment_is_never_in_the_past(said: str, now: float) -> None:
    when = read_when(said)
    assert when is not None
    first = first_moment(when, now)
    assert first is not None
    assert first > now
    following, _ = next_moment(when, first, now)
    assert following is None or following > first

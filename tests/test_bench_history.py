"""The benchmark's verdict on a run: what is worse is told from what is noise."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median
from xml.etree import ElementTree as ET

import msgspec
import pytest

from benchmarks.__main__ import PARTS, arguments
from benchmarks.history import New, Vanished, Worse, compare, read_history, record
from benchmarks.measuring import Budget, Figure
from benchmarks.noise import Interval, p95, samples_outside
from benchmarks.plot import PICTURE, picture
from benchmarks.records import Conditions, Entry, Run
from benchmarks.report import BEGIN, END, PAGE, table, with_table

SVG = "{http://www.w3.org/2000/svg}"
NINE = (97.0, 98.0, 99.0, 99.5, 100.0, 100.5, 101.0, 102.0, 103.0)
NOISY = (60.0, 70.0, 80.0, 90.0, 100.0, 110.0, 120.0, 130.0, 140.0)


def figure(
    costs: Sequence[float], name: str = "a command: CPU", pace: float = 1.0, limit: float = 150.0
) -> Figure:
    return Figure(name, "us", Budget(limit, "cost"), list(costs), paces=[pace] * len(costs))


def of_run(*figures: Figure, commit: str = "abc", parts: tuple[str, ...] = ("pipeline",)) -> Run:
    return Run(
        Conditions(
            commit,
            dirty=False,
            time="2026-11-19T02:00:00+00:00",
            python="3.11.9",
            cores=2,
            load=0.5,
        ),
        Interval(1.9, 2.0, 2.1),
        parts,
        tuple(Entry.of(parts[0], each) for each in figures),
    )


def times(costs: Sequence[float], factor: float) -> list[float]:
    return [cost * factor for cost in costs]


def test_a_figure_that_is_worse_than_its_noise_is_told() -> None:
    before, now = of_run(figure(NINE)), of_run(figure(times(NINE, 1.25)))
    (change,) = compare(now, [before])
    assert isinstance(change, Worse)
    said = str(change)
    assert "a command: CPU" in said
    assert "25%" in said
    assert "100.00 ±2.00" in said
    assert "125.00 ±2.50" in said


def test_what_lies_within_the_noise_of_either_run_passes() -> None:
    assert not list(compare(of_run(figure(times(NINE, 1.25))), [of_run(figure(NOISY))]))
    assert not list(compare(of_run(figure(times(NOISY, 1.25))), [of_run(figure(NINE))]))


def test_less_than_a_tenth_passes_however_quiet_the_machine() -> None:
    quiet = [100.0] * 9
    assert not list(compare(of_run(figure(times(quiet, 1.09))), [of_run(figure(quiet))]))
    assert list(compare(of_run(figure(times(quiet, 1.11))), [of_run(figure(quiet))]))


def test_a_better_figure_passes() -> None:
    assert not list(compare(of_run(figure(times(NINE, 0.5))), [of_run(figure(NINE))]))


def test_a_new_figure_passes_and_is_named() -> None:
    now = of_run(figure(NINE), figure(NINE, "a refusal: CPU"))
    (change,) = compare(now, [of_run(figure(NINE))])
    assert isinstance(change, New)
    assert "a refusal: CPU" in str(change)


def test_a_figure_that_vanished_is_named() -> None:
    before = of_run(figure(NINE), figure(NINE, "a refusal: CPU"))
    (change,) = compare(of_run(figure(NINE)), [before])
    assert isinstance(change, Vanished)
    assert "a refusal: CPU" in str(change)


def test_figures_of_parts_that_did_not_run_have_not_vanished() -> None:
    before = of_run(figure(NINE), parts=("pipeline", "start"))
    assert not list(compare(of_run(parts=("start",)), [before]))


def test_a_figure_measured_in_another_way_is_new() -> None:
    beside_floor = Figure("a command: CPU", "us", Budget(150.0, "cost"), list(NINE), [20.0] * 9)
    (change,) = compare(of_run(beside_floor), [of_run(figure(NINE))])
    assert isinstance(change, New)


def test_the_latest_record_of_a_figure_counts() -> None:
    old, newer = of_run(figure(NINE), commit="1"), of_run(figure(times(NINE, 1.3)), commit="2")
    assert not list(compare(newer, [old, newer]))


def test_a_slower_machine_is_not_a_worse_figure() -> None:
    slow = figure(times(NINE, 2.0), pace=2.0)
    assert slow.kept
    assert not list(compare(of_run(slow), [of_run(figure(NINE))]))


def test_a_machine_that_changes_speed_between_rounds_adds_no_noise() -> None:
    paces = [1.0, 2.0, 1.0, 2.0, 1.5, 1.0, 2.0, 1.0, 2.0]
    costs = [100.0 * pace for pace in paces]
    changing = Figure("a command: CPU", "us", Budget(150.0, "cost"), costs, paces=paces)
    assert changing.value == Interval(100.0, 100.0, 100.0)


def test_readings_before_and_after_widen_the_noise() -> None:
    loose = Figure("a command: CPU", "us", Budget(150.0, "cost"), [200.0] * 9, paces=[1.8, 2.2])
    assert loose.value.low == pytest.approx(200 / 2.2)
    assert loose.value.high == pytest.approx(200 / 1.8)


def test_a_floor_that_is_slower_as_well_is_no_worse_figure() -> None:
    before = Figure("a node", "us", Budget(2.5), list(NINE), times(NINE, 0.5))
    now = Figure("a node", "us", Budget(2.5), times(NINE, 3.0), times(NINE, 1.5))
    assert not list(compare(of_run(now), [of_run(before)]))


def test_a_budget_holds_what_a_figure_costs_over_its_floor() -> None:
    over = Figure("alone", "us", Budget(600.0, "over"), [1_500.0] * 9, [400.0] * 9, [2.0] * 9)
    assert over.value.middle == 550.0
    assert over.kept
    assert not Figure(
        "alone", "us", Budget(600.0, "over"), [1_500.0] * 9, [200.0] * 9, [2.0] * 9
    ).kept


def test_memory_and_ratios_are_not_scaled() -> None:
    memory = Figure("memory", "MB", Budget(60.0, "cost"), [61.0] * 9, paces=[2.0] * 9)
    ratio = Figure("a node", "us", Budget(2.5), [26.0] * 9, [10.0] * 9, [2.0] * 9)
    assert not memory.kept
    assert not ratio.kept


def test_a_difference_around_nothing_is_held_against_its_budget() -> None:
    """A click that costs 0.01 ms more than Playwright's has not become ten times worse by 0.09."""
    before = Figure("a click", "ms", Budget(2.0, "absolute"), [0.01] * 9)
    now = Figure("a click", "ms", Budget(2.0, "absolute"), [0.029] * 9)
    assert not list(compare(of_run(now), [of_run(before)]))
    much = Figure("a click", "ms", Budget(2.0, "absolute"), [0.5] * 9)
    assert list(compare(of_run(much), [of_run(before)]))


def test_a_figure_without_a_budget_is_compared_all_the_same() -> None:
    before = Figure("a refusal", "us", None, list(NINE), [50.0] * 9)
    now = Figure("a refusal", "us", None, times(NINE, 1.5), [50.0] * 9)
    assert now.kept
    assert [type(change) for change in compare(of_run(now), [of_run(before)])] == [Worse]


@pytest.mark.parametrize("count", [6, 7, 9, 20, 80])
def test_the_interval_of_a_median_holds_it_nineteen_times_in_twenty(count: int) -> None:
    chance = Random(count)  # noqa: S311 - samples, not secrets
    held = 0
    for _ in range(2_000):
        interval = Interval.of([chance.expovariate(1.0) for _ in range(count)])
        held += interval.low <= 0.6931 <= interval.high
    assert held >= 1_880


def test_with_few_samples_the_interval_is_all_of_them() -> None:
    assert [samples_outside(count) for count in (1, 2, 3, 5, 7, 9)] == [0, 0, 0, 0, 0, 1]
    assert Interval.of([3.0, 1.0, 2.0]) == Interval(1.0, 2.0, 3.0)
    assert Interval.of(NINE).middle == median(NINE)


def test_a_percentile_needs_samples_enough() -> None:
    assert p95([1.0] * 19) is None
    assert p95([float(number) for number in range(101)]) == 95.0


def test_a_commit_has_one_line_in_the_history(tmp_path: Path) -> None:
    path = tmp_path / "bench" / "history.jsonl"
    runs = [of_run(figure(NINE), commit=commit) for commit in ("1", "2")]
    again = of_run(figure(NOISY), commit="1")
    for run in (*runs, again):
        record(run, path)
    assert read_history(path) == [runs[1], again]


def test_a_run_names_no_host_and_no_path() -> None:
    conditions = msgspec.to_builtins(Conditions.now())
    assert set(conditions) == {"commit", "dirty", "time", "python", "cores", "load"}
    assert not any("/" in str(value) for value in conditions.values())


def test_the_table_has_every_figure_with_its_verdict() -> None:
    run = of_run(figure(NINE), figure(times(NINE, 2), "a refusal: CPU"))
    made = table(run)
    assert "| a command: CPU | 100 us |  |  | 100 us ± 2 | 150 us | kept |" in made
    assert "**over**" in made
    assert "2.00 times the reference" in made
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert with_table(page, run) == f"before\n{BEGIN}\n\n{made}\n\n{END}\nafter\n"


def test_the_picture_has_a_plot_for_each_figure_with_bars_and_budget() -> None:
    runs = [
        of_run(figure(times(NINE, factor)), figure(NINE, "a <refusal>", limit=1e9), commit=commit)
        for commit, factor in (("first00", 1.0), ("second0", 1.2), ("third00", 1.7))
    ]
    drawn = ET.fromstring(picture(runs))  # noqa: S314 - our own
    texts = [element.text for element in drawn.iter(f"{SVG}text")]
    classes = [element.get("class") for element in drawn.iter()]
    assert {"a command: CPU", "a <refusal>", "first00", "third00"} <= set(texts)
    assert "second0" not in texts
    assert classes.count("point") + classes.count("point over") == 6
    assert classes.count("point over") == 1
    assert classes.count("budget") == 1  # the other is far above
    assert "prefers-color-scheme: dark" in picture(runs)


def test_the_page_and_the_picture_are_of_the_recorded_runs() -> None:
    history = read_history()
    page = PAGE.read_text("utf-8")
    remake = "run `python -m benchmarks --pages`"
    assert page == with_table(page, history[-1]), remake
    assert PICTURE.read_text("utf-8") == picture(history), remake


def test_the_page_tells_of_every_part() -> None:
    page = PAGE.read_text("utf-8")
    assert all(f"| `{name}` |" in page for name in PARTS)


def test_a_part_that_does_not_exist_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        arguments(["pipeline", "nothing"])
    assert "there is no part nothing" in capsys.readouterr().err


def test_only_a_run_of_all_parts_is_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        arguments(["pipeline", "--record"])
    assert "only a run of all parts" in capsys.readouterr().err

"""The examples of docs/recipes.md: each is run."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from actors.language.taught import recipe_key
from actors.planner.courses import Recipe
from tests.daemon import PROJECT, Daemon, Wire, running_daemon
from tests.test_recipes import SEEDED, Harbour, changes, say
from tests.test_teaching import Shop, goal

PAGE = (PROJECT / "docs" / "recipes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
TOML = [text for language, text in BLOCKS if language == "toml"]
READY = PAGE.partition("## What comes with Behest")[2]
SENTENCES = [
    sentence.strip()
    for row in re.findall(
        r"^\| (?:change|rename|give|add|remove|mark|deed) \| (.+) \|$", READY, re.MULTILINE
    )
    for sentence in row.split("·")
]


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop() as running:
        yield running


def written(text: str, shop: Shop) -> str:
    """Give an example with the address of a shop that is really there."""
    return text.replace("http://127.0.0.1:8000", shop.url("").rstrip("/"))


def done(wire: Wire, **said: object) -> None:
    finished = wire.run(os.urandom(6).hex(), **said)[-1]
    assert finished["status"] == "success", finished["message"]


def test_the_page_has_the_examples_that_are_run_here() -> None:
    assert len(TOML) == 3
    assert len(SENTENCES) >= 9


def test_the_recipe_of_the_example_runs_with_and_without_values(tmp_path: Path, shop: Shop) -> None:
    recipes = tmp_path / "state" / "recipes"
    recipes.mkdir(parents=True)
    (recipes / "usual-order.toml").write_text(written(TOML[0], shop))
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect(60.0)
        done(wire, text="order for Grace Hopper")
        done(wire, goals=[goal("run", name="usual order", basket="Morning")])
        done(wire, text="do the usual order with basket Morning")
    expected = [("Grace Hopper", "Evening"), ("Ada", "Morning"), ("Ada", "Morning")]
    assert [(each["name"], each["basket"]) for each in shop.orders] == expected


def test_the_commands_of_the_example_teach_and_run_a_recipe(tmp_path: Path, shop: Shop) -> None:
    ((_, commands),) = [block for block in BLOCKS if block[0] == "console"]
    lines = [line.removeprefix("$ behest ") for line in commands.splitlines()]
    with running_daemon(tmp_path) as daemon:
        for line in lines:
            words = re.findall(r'(?:[^\s"]|"[^"]*")+', written(line, shop))
            ran = daemon.cli(*(word.replace('"', "") for word in words))
            assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
    expected = [("Ada", "Evening"), ("Grace Hopper", "Morning")]
    assert [(each["name"], each["basket"]) for each in shop.orders] == expected


def test_the_phrases_of_the_example_mean_something(tmp_path: Path, shop: Shop) -> None:
    recipes = tmp_path / "state" / "recipes"
    recipes.mkdir(parents=True)
    own = TOML[0].replace('says = ["order for {your_name}"]\n', "")
    (recipes / "usual-order.toml").write_text(written(own, shop))
    with running_daemon(tmp_path, settings=written(TOML[1], shop)) as daemon:
        wire = daemon.connect(60.0)
        for said in ("standup", "open the shop", "order for Bo", "morning"):
            done(wire, text=said)
    assert [each["name"] for each in shop.orders] == ["Bo", "Ada"]


def test_the_ready_made_recipe_of_the_example_is_written_as_those_that_come_with_behest() -> None:
    (recipe,) = msgspec.toml.decode(TOML[2], type=dict[str, list[Recipe]])["recipe"]
    assert [stage.name for stage in recipe.stages] == ["open", "fields", "save"]
    assert recipe_key(recipe.name) == "rename"


@pytest.fixture(scope="module")
def harbour() -> Iterator[Harbour]:
    with Harbour() as running:
        yield running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("docs")) as running:
        yield running


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_of_the_table_does_what_it_says(
    daemon: Daemon, harbour: Harbour, sentence: str
) -> None:
    finished = say(daemon, harbour, "/boats", sentence)
    assert finished["type"] == "finished", finished
    assert finished["status"] == "success", finished["message"]
    changed = changes(harbour)
    assert len(changed) == 1
    (number,) = changed
    assert number in {*SEEDED, max(SEEDED) + 1}

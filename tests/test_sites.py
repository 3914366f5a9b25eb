"""Well-known sites: a name that stands for a host, for whoever reads the words."""

import re

import pytest

from actors.interpreter.grammar import load_grammar
from actors.planner.tables import planner_rules, search_engines
from actors.sites import SITES
from messages.goals import GoalDraft

GRAMMAR = load_grammar(planner_rules().rules, search_engines(), frozenset())
HOST = re.compile(r"([a-z0-9-]+\.)+[a-z]{2,}")


def read(text: str) -> GoalDraft:
    drafts = GRAMMAR.parse(text)
    assert isinstance(drafts, tuple), drafts
    (draft,) = drafts
    return draft


def test_every_name_is_folded_and_stands_for_a_host() -> None:
    for name, host in SITES.hosts().items():
        assert name == " ".join(name.casefold().split())
        assert HOST.fullmatch(host), host
    assert not SITES.sites.keys() & SITES.also_programs.keys()


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("go to reddit", "reddit.com"),
        ("visit BBC", "bbc.com"),
        ("open gmail", "mail.google.com"),
        ("go to youtube", "youtube.com"),
    ],
)
def test_a_well_known_site_is_an_address(text: str, host: str) -> None:
    draft = read(text)
    assert (draft.verb, draft.params) == ("navigate", {"url": host})


@pytest.mark.parametrize("text", ["open slack", "launch spotify", "open discord"])
def test_a_program_of_a_sites_name_is_a_program(text: str) -> None:
    assert (read(text).domain, read(text).verb) == ("app", "launch")


def test_a_name_that_nobody_knows_is_no_address() -> None:
    assert read("go to lichess").verb != "navigate"

"""Sentences with the goals they mean, and how the files of this folder are read.

    > create a folder reports and inside it create summary.md
    file.create object_type="folder" name="reports"
    file.create object_type="file" name="summary.md" [inside:reports]

Lines that begin with ``>`` are the text; then a line for each goal: values as JSON, words for
things with ``@``, scopes in brackets, ``name=<g0>`` for a value taken from another goal's output.
``words`` are a clause that only the world can read. ``! NOT_UNDERSTOOD`` is a text that must be
refused. A goal on a page waits for the one on a page before it, and a goal that takes a value waits
for the goal it takes it from, without a word.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from messages.goals import GoalDraft

FOLDER = Path(__file__).parent
# The files that the grammar was made on. The held-back ones are not among them; nor is
# ``on_a_page``, whose sentences are said before a web page.
CORPORA = (
    "help_and_forms",
    "chat_voice_terse",
    "targets_and_values",
    "crowd_tasks",
    "scripts_and_checklists",
    "prose_and_letters",
    "mended",
    "file_sets",
    "devices",
    "file_verbs",
)
FIELD = re.compile(r'(@?)(\w+)=(?:<(g\d+)>|("(?:[^"\\]|\\.)*"|[-\w.]+))|\[([^\]]+)\]')


@dataclass(frozen=True)
class Entry:
    """A text, and the goals it means; none if it must be refused."""

    text: str
    drafts: tuple[GoalDraft, ...]
    where: str


def entries(name: str) -> Iterator[Entry]:
    """Read one file of sentences."""
    text: list[str] = []
    goals: list[str] = []
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("#"):
            continue
        if line.startswith(">"):
            text.append(line.removeprefix(">").removeprefix(" "))
        elif line.strip():
            goals.append(line.strip())
        elif text:
            yield Entry("\n".join(text), tuple(drafts_of(goals)), f"{name}:{number}")
            text, goals = [], []


def drafts_of(lines: list[str]) -> Iterator[GoalDraft]:
    """Read the goals of one text, with the order that goes without saying."""
    on_page: int | None = None
    for index, line in enumerate(lines):
        if line.startswith("!"):
            return
        draft, scope = draft_of(line)
        parents = {int(goal[1:]) for goal in draft.takes.values()}
        if draft.domain == "browser":
            parents |= set() if on_page is None else {on_page}
            on_page = index
        parents |= {int(each[7:]) for each in scope if each.startswith("after:g")}
        places = [each for each in scope if not each.startswith("after:g")]
        stated = (*places, *(f"after:g{parent}" for parent in sorted(parents))) or ("root",)
        scopes = stated[0] if len(stated) == 1 else stated
        yield GoalDraft(
            draft.domain,
            draft.verb,
            draft.params,
            draft.roles,
            draft.words,
            scope=scopes,
            takes=draft.takes,
        )


def draft_of(line: str) -> tuple[GoalDraft, list[str]]:
    """Read one goal."""
    goal, _, rest = line.partition(" ")
    domain, _, verb = goal.partition(".")
    params, roles, takes = {}, {}, {}
    scope = []
    for role, name, taken, value, stated in FIELD.findall(rest):
        if stated:
            scope.append(stated)
        elif taken:
            takes[name] = taken
        elif role:
            roles[name] = json.loads(value)
        else:
            params[name] = json.loads(value)
    words = params.pop("words", None)
    return GoalDraft(domain, verb, params, roles, words=words, takes=takes), scope

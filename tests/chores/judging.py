"""Carries out a chore and judges what came of it.

| verdict | meaning |
|---|---|
| right | what was asked for was done or told, and nothing else; or it was refused, as it must be |
| refused | nothing was done, and that was said |
| asked | nothing was done but to ask a question, or for an approval that nobody expected |
| wrong | something else was done |
| claimed | success was reported, and what was asked for is not so |
"""

import getpass
import json
import os
import re
import socket
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeAlias

from tests.chores.chore import Chore, Then
from tests.chores.machine import Machine, Outcome, State
from tests.chores.trees import Tree, differences, expected_checks, read_tree

Verdict: TypeAlias = Literal["right", "refused", "asked", "wrong", "claimed"]
VERDICTS: tuple[Verdict, ...] = ("right", "refused", "asked", "wrong", "claimed")
SHOWN = 160


@dataclass(frozen=True)
class Judgement:
    """What came of a chore, and why it is called so."""

    group: str
    chore: Chore
    verdict: Verdict
    came: str = ""


@dataclass(frozen=True)
class World:
    """Files and services at one moment."""

    files: Tree
    outside: Tree
    services: State


def observe(machine: Machine) -> World:
    return World(
        read_tree(machine.daemon.root), read_tree(machine.folder / "outside"), machine.observe()
    )


def judge(machine: Machine, group: str, chore: Chore) -> Judgement:
    """Carry out a chore from a fresh beginning."""
    machine.prepare(chore)
    before = World(
        read_tree(machine.daemon.root), read_tree(machine.folder / "outside"), machine.state
    )
    session = os.urandom(4).hex()
    last, world, asked, outcome = before, before, False, Outcome("")
    for sentence in chore.sentences:
        last = world
        outcome = machine.carry_out(session, allow=is_allowed(chore), text=sentence)
        asked = asked or bool(outcome.approvals)
        world = observe(machine)
        machine.state = world.services
        if not outcome.is_success:
            break
    strange, missing = compare(before, world, chore)
    missing += untold(machine, chore.then, outcome)
    if not outcome.is_success and world == last:
        strange = []  # what the sentences before have done is as it should be by then
    verdict = verdict_of(chore, outcome, strange, missing, asked=asked)
    return Judgement(group, chore, verdict, reason_for(verdict, outcome, strange, missing))


def is_allowed(chore: Chore) -> bool:
    return chore.approve in {True, "either"}


def reason_for(verdict: Verdict, outcome: Outcome, strange: list[str], missing: list[str]) -> str:
    match verdict:
        case "right":
            return ""
        case "wrong":
            return "; ".join(strange)[: 2 * SHOWN] or "it was not asked about first"
        case "claimed":
            return "; ".join(missing)[: 2 * SHOWN] or "it was done"
        case _:
            return what_was_said(outcome)


def what_was_said(outcome: Outcome) -> str:
    if outcome.questions:
        return f"asks: {outcome.questions[0]}"
    if outcome.approvals:
        return f"asks for approval: {outcome.approvals[0]}"
    return f"{outcome.status} {outcome.code}: {outcome.message}"


def verdict_of(
    chore: Chore, outcome: Outcome, strange: list[str], missing: list[str], *, asked: bool
) -> Verdict:
    if strange:
        return "wrong"
    if chore.must_not_be_done:
        if outcome.is_success:
            return "claimed"
        return "right" if chore.refused or asked else "refused"
    if not outcome.is_success:
        return "asked" if outcome.questions or outcome.approvals else "refused"
    if missing:
        return "claimed"
    if chore.approve is True and not asked:
        return "wrong"
    return "right"


def compare(before: World, after: World, chore: Chore) -> tuple[list[str], list[str]]:
    """Give what was done though nobody asked for it, and what was asked for and is not so."""
    then = chore.then
    checks = expected_checks(before.files, then, expand)
    strange, missing = differences(before.files, after.files, checks, then.appears)
    if before.outside != after.outside:
        strange.append("files outside of the folder were touched")
    for name, held in before.services.items():
        now = after.services[name]
        if not is_as_expected(name, held, now, then):
            (missing if now == held else strange).append(f"{name}: {now}")
    return strange, missing


def expand(fragment: str) -> str:
    """Put days and names of this machine in the place of words in braces."""
    found = fragment.replace("{hostname}", socket.gethostname()).replace(
        "{user}", getpass.getuser()
    )
    today = date.today()  # noqa: DTZ011 -- the day that the machine's user has
    if "{today}" in found:
        found = found.replace("{today}", "|".join(forms_of(today)))
    if days := re.search(r"\{(\d+) days ago\}", found):
        found = found.replace(days[0], "|".join(forms_of(today - timedelta(int(days[1])))))
    return found


def forms_of(day: date) -> list[str]:
    """Give the ways in which a day may be written; the run may have begun the day before."""
    days = (day, day - timedelta(1))
    return [day.strftime(form) for day in days for form in ("%Y-%m-%d", "%-d %B %Y", "%B %-d, %Y")]


# What is told


def untold(machine: Machine, then: Then, outcome: Outcome) -> list[str]:
    """Give what should have been told, and was not; or was, and should not."""
    told = json.dumps(outcome.outputs, ensure_ascii=False)
    told = told.replace(str(machine.daemon.root), "")
    short = told[:SHOWN]
    faults = [f"not {each!r} in {short}" for each in then.says if not holds(told, expand(each))]
    faults += [f"{each!r} in {short}" for each in then.says_not if holds(told, each)]
    places = [told.lower().find(each.lower()) for each in then.in_order]
    if -1 in places or places != sorted(places):
        faults.append(f"not in order: {short}")
    if then.notified is not None and outcome.is_success:
        shown = machine.notifications()
        if then.notified not in shown[machine.shown :]:
            faults.append(f"not shown: {shown[machine.shown :][:SHOWN]}")
    return faults


def holds(text: str, fragment: str) -> bool:
    """Whether one of the alternatives of a fragment stands in a text; a number as a number."""
    return any(re.search(pattern_of(each), text, re.IGNORECASE) for each in fragment.split("|"))


def pattern_of(part: str) -> str:
    if part == "{clock}":
        return r"\b\d{1,2}:\d\d"
    return rf"(?<![\w.]){part}(?![\w.])" if part.isdigit() else re.escape(part)


# Services


def is_as_expected(name: str, held: Any, now: Any, then: Then) -> bool:
    if name == "schedules" and then.later_by is not None:
        return has_been_put_off(held, now, then.later_by)
    wanted = getattr(then, name)
    if wanted is None:
        return bool(now == held) or has_moved_on(name, then)
    match name:
        case "volume" if isinstance(wanted, str):
            return bool(now > held if wanted == "louder" else now < held)
        case "schedules":
            return has_entries(now, wanted)
        case "lists":
            return has_lists(now, wanted)
        case _:
            return bool(now == wanted)


def has_moved_on(name: str, then: Then) -> bool:
    """A player that was stopped, or has gone to another track, need not be as it was."""
    return (name == "track" and then.player == "Stopped") or (
        name == "player" and then.track is not None
    )


def has_been_put_off(held: list[Any], now: list[Any], seconds: int) -> bool:
    from_due, to_due = (datetime.fromisoformat(entries[0]["due"]) for entries in (held, now))
    return len(now) == 1 and to_due - from_due == timedelta(seconds=seconds)


def has_entries(now: list[Any], wanted: tuple[tuple[str, ...], ...]) -> bool:
    """Whether there is one entry for each row, with all of its fragments."""
    left = [json.dumps(entry) for entry in now]
    for row in wanted:
        found = next((each for each in left if all(holds(each, part) for part in row)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def has_lists(now: dict[str, tuple[str, ...]], wanted: dict[str, tuple[str, ...]]) -> bool:
    by_name = {name: key for key in wanted for name in key.split("|")}
    found = {by_name.get(name, name): sorted(items) for name, items in now.items()}
    return found == {key: sorted(items) for key, items in wanted.items()}

"""What one might say here: examples of the grammar, as far as something on this machine does them.

And what Behest is, for those who have said nothing that could be done.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from messages import wire
from messages.results import Code
from messages.rules import Rule
from tools.screen import Screen, plain

WORD = re.compile(r"\w+")
SLOT = re.compile(r"\{(\w+)\}")
# What people say to somebody whom they do not know yet.
SMALL_TALK = frozenset({
    "a", "again", "and", "are", "behest", "can", "do", "doing", "good", "afternoon", "day",
    "evening", "greetings", "hello", "hey", "hi", "hm", "hmm", "how", "huh", "i", "is",
    "it", "hola", "me", "morning", "night", "no", "nothing", "ok", "okay", "please", "so",
    "sorry", "sup", "test", "testing", "thank", "thanks", "that", "there", "this", "um",
    "well", "what", "whats", "who", "why", "yes", "yo", "you", "your",
})  # fmt: skip
WHAT_IT_IS = "Behest carries out chores that you say in plain words, on pages and on this machine."
# What is offered first: one of each, of those that there are here.
FIRST = ("browser.navigate", "file.create", "schedule.reminder", "system.get", "list.add")
SHOWN = 3


class Viewer(Protocol):
    """Shows the events of one command to a person, and lets them answer."""

    def show(self, event: wire.WireReply) -> None: ...
    def ask(self, question: wire.Question) -> str | None: ...

    def allow(self, needed: wire.ApprovalNeeded) -> bool | None: ...


@dataclass(frozen=True)
class Introducing:
    """Shows a command that may be small talk: if it means nothing, it is told what Behest is."""

    view: Viewer
    examples: Callable[[], Sequence[str]]

    def show(self, event: wire.WireReply) -> None:
        if isinstance(event, wire.Finished) and event.code is Code.NOT_UNDERSTOOD:
            lines = [WHAT_IT_IS, *(f"  try: {plain(each)}" for each in self.examples())]
            Screen().write("".join(f"{line}\n" for line in lines))
        else:
            self.view.show(event)

    def ask(self, question: wire.Question) -> str | None:
        return self.view.ask(question)

    def allow(self, needed: wire.ApprovalNeeded) -> bool | None:
        return self.view.allow(needed)


def is_small_talk(text: str) -> bool:
    """Tell whether words ask for nothing: a greeting, a mere question word, no words at all.

    >>> is_small_talk("Hi there!"), is_small_talk("  "), is_small_talk("why is the sky blue")
    (True, True, False)
    """
    return all(word in SMALL_TALK for word in WORD.findall(text.casefold().replace("'", "")))


def first_examples(described: wire.Described) -> list[str]:
    """Give three examples of different kinds, of what this daemon can do."""
    here = examples_here(described.examples, described.rules, achieved_here(described))
    return [here[key][0] for key in FIRST if here.get(key)][:SHOWN]


def achieved_here(described: wire.Described) -> frozenset[str]:
    """Name all that the tools of a daemon achieve."""
    return frozenset(each for tool in described.capabilities for each in tool.can_achieve)


def examples_here(
    examples: Mapping[str, Sequence[str]], rules: Mapping[str, Rule], achieved: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """Keep the examples that a tool does here, by their goals."""
    kept = {
        goal: tuple(sayable(said, rules[goal], achieved)) if goal in rules else tuple(said)
        for goal, said in examples.items()
    }
    return {goal: said for goal, said in kept.items() if said}


def sayable(examples: Sequence[str], rule: Rule, achieved: frozenset[str]) -> Iterator[str]:
    """Give the examples of a verb but for those that name what no tool here achieves."""
    if not achievable(rule, achieved):
        return
    lacking = set(values_lacking(rule, achieved))
    yield from (said for said in examples if lacking.isdisjoint(WORD.findall(said.casefold())))


def values_lacking(rule: Rule, achieved: frozenset[str]) -> Iterator[str]:
    """Give the values for which a verb, which is there for others, is not achieved: a battery."""
    slots = SLOT.findall(rule.achieves)
    if len(slots) != 1 or (parameter := rule.params.get(slots[0])) is None:
        return
    for value in parameter.allowed:
        if rule.achieves.replace(f"{{{slots[0]}}}", str(value)) not in achieved:
            yield str(value).casefold()


def achievable(rule: Rule, achieved: frozenset[str]) -> bool:
    """Tell whether some tool does what a verb is for, with one value or another."""
    pattern = re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", rule.achieves))))
    return any(pattern.fullmatch(each) for each in achieved)

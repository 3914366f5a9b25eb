"""A recipe from what was done: its goals, with slots for the values that were said.

What failed, was undone or was about recipes themselves is left out. A password is not kept: it is
asked for each time.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from messages.goals import Goal, scopes, shift_goal_id
from messages.journaling import Laid, Meant, Outcome, Story
from messages.message import Value
from messages.pages import PARTLY
from messages.taught import DOMAIN, NAME, SLOT, Taught, TaughtStep

# Parameters whose value was said, by their names; all else says what is done, and how.
SPOKEN = ("text", "value", "query", "content", "user", "password", "keys_text")
KEPT_SECRET = re.compile(r"secret:~[\w.]+")
HIDDEN = "\u2022"  # stands for each sign of a password
MOST_SLOTS = 20
LONGEST_SLOT = 30
NO_IDENTIFIER = re.compile(r"[^a-z0-9]+")

ValuesIn = Callable[[str], Iterable[tuple[str, str]]]


def no_values(_words: str) -> Iterable[tuple[str, str]]:
    """Stand in where nobody reads values from words."""
    return ()


@dataclass
class Recording:
    """Steps that are being made, and the slots that they need.

    ``values_in`` reads the fields and values of a chore that is said in one: "a boat called Alba".
    """

    values_in: ValuesIn = no_values
    steps: list[TaughtStep] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    last: dict[str, int] = field(default_factory=dict)  # the elements seen so far, by document
    was_staged: bool = False  # the step before was done in stages
    hidden: frozenset[str] = frozenset()  # goals whose field does not show what it holds
    bound: Mapping[str, str] = field(default_factory=dict)  # what goals were bound to, by name

    def add(self, story: Story) -> None:
        """Add the goals of a command, if all of them were done."""
        laid = next((entry for entry in story.entries if isinstance(entry, Laid)), None)
        finished = story.finished
        said = story.submit.text or "goals"
        if laid is None or finished is None or finished.status != "success":
            self.left_out.append(said)
            return
        start = len(self.steps)
        self.hidden, self.bound = hidden_goals(story), names_bound(story)
        seen, staged = later_goals(story, self.last), goals_in_stages(story)
        for goal in laid.meta.goals:
            # What is done in stages leads to other pages: it is looked for when its turn comes.
            is_staged = goal.goal_id in staged
            later = goal.goal_id in seen or is_staged or self.was_staged
            self.steps.append(self.step_of(goal, start, later=later))
            self.was_staged = is_staged

    def step_of(self, goal: Goal, start: int, *, later: bool) -> TaughtStep:
        """Make a step of a goal."""
        is_hidden = goal.goal_id in self.hidden
        roles = {role: phrase.text for role, phrase in goal.roles.items()}
        words = None
        if not roles and goal.readings:
            words = goal.readings[0].normalized_input or None
        params = {
            name: self.param(name, value, roles, is_hidden=is_hidden)
            for name, value in goal.params.items()
            if value is not None
        }
        if "from" in roles and "target" in roles:  # an option, and the list that it is in
            said = roles["target"].strip("\"'")
            is_whole = self.bound.get(goal.goal_id, "").casefold() == said.casefold()
            slot = self.slot(roles["from"], said)
            # What was the whole name of the option is so with other values, too.
            roles["target"] = f'"{slot}"' if is_whole else slot
        elif "target" in roles:
            roles["target"] = self.with_values(roles["target"])
        own = tuple(each for each in scopes(goal.scope) if not is_order(each))
        takes = {name: shift_goal_id(each, start) for name, each in goal.takes.items()}
        return TaughtStep(
            f"{goal.domain}.{goal.verb}",
            roles,
            params,
            words,
            goal.object,
            own[0] if len(own) == 1 else own or None,
            takes,
            later,
        )

    def param(self, name: str, value: Value, roles: Mapping[str, str], *, is_hidden: bool) -> Value:
        """Give a parameter as it is kept: a slot, if its value was said."""
        if not isinstance(value, str) or name not in SPOKEN or not value.strip():
            return value
        about = roles.get("target") or name
        if is_hidden or KEPT_SECRET.search(value):
            return self.secret(about)
        return self.slot(about, value)

    def with_values(self, words: str) -> str:
        """Put slots in the place of the values of a chore that is said in one."""
        for name, value in self.values_in(words):
            if value and words.count(value) == 1 and len(self.values) < MOST_SLOTS:
                words = words.replace(value, self.slot(name, value))
        return words

    def slot(self, about: str, value: str) -> str:
        """Give the slot for a value; what is said twice has one slot."""
        if len(self.values) >= MOST_SLOTS and SLOT.search(value) is None:
            return value
        for name, known in self.values.items():
            if known == value:
                return f"{{{name}}}"
        name = self.free_name(about)
        self.values[name] = value
        return f"{{{name}}}"

    def secret(self, about: str) -> str:
        name = self.free_name(about)
        self.asked.append(name)
        return f"{{{name}}}"

    def free_name(self, about: str) -> str:
        """Name a slot by what it is about."""
        stem = NO_IDENTIFIER.sub("_", about.casefold().strip("\"'")).strip("_")[:LONGEST_SLOT]
        stem = stem.strip("_")
        stem = stem if stem and stem[0].isalpha() and stem != NAME else f"value_{stem}".strip("_")
        taken, name, number = {*self.values, *self.asked}, stem, 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        return name

    def recipe(self, name: str) -> Taught:
        """Give the recipe that has come of it."""
        return Taught(name, tuple(self.steps), (), self.values, tuple(self.asked))


def actions_of(story: Story) -> dict[str, str]:
    """Give the goals of a command by their actions."""
    laid = next((entry for entry in story.entries if isinstance(entry, Laid)), None)
    return {
        action.action_id: action.goal_id
        for result in (() if laid is None else laid.plans)
        if result.plan is not None
        for action in result.plan.actions
    }


def hidden_goals(story: Story) -> frozenset[str]:
    """Name the goals that typed into a field for a password, whatever its label says."""
    goals, found = actions_of(story), set[str]()
    for entry in story.entries:
        if isinstance(entry, Outcome) and isinstance(entry.result.output, Mapping):
            held = str(entry.result.output.get("value", ""))
            if held and not held.strip(HIDDEN) and entry.result.action in goals:
                found.add(goals[entry.result.action])
    return frozenset(found)


def names_bound(story: Story) -> dict[str, str]:
    """Give the names of what the goals of a command were bound to."""
    goals, found = actions_of(story), dict[str, str]()
    for entry in story.entries:
        if isinstance(entry, Meant) and entry.action in goals and entry.success.bindings:
            target = entry.success.bindings[0].direct_target
            found[goals[entry.action]] = "" if target is None else target.name
    return found


def is_order(scope: str) -> bool:
    """Tell whether a scope says only what is done before: the steps are in order anyway."""
    return scope == "root" or scope.startswith("after:")


def later_goals(story: Story, last: dict[str, int]) -> frozenset[str]:
    """Name the goals whose thing was not on the page yet when the first of its form was bound.

    Elements are numbered as they are first seen, and a document has a key of its own: by that,
    ``last`` is the highest number of the elements that were there, over several commands.
    """
    goals, found = actions_of(story), set[str]()
    for entry in story.entries:
        if not isinstance(entry, Meant) or entry.action not in goals or not entry.seen:
            continue
        target = entry.success.bindings[0].direct_target
        key, _, number = ("" if target is None else target.id).rstrip(PARTLY).partition(".")
        if key in last and number.isdecimal() and int(number) > last[key]:
            found.add(goals[entry.action])
            last.clear()
        last.setdefault(key, entry.seen)
    return frozenset(found)


def goals_in_stages(story: Story) -> frozenset[str]:
    """Name the goals that a ready-made recipe did in stages, on pages of its own."""
    goals, found = actions_of(story), set[str]()
    for entry in story.entries:
        name = entry.result.action if isinstance(entry, Outcome) else ""
        action, is_step, _ = name.partition(".step_")
        if is_step and action in goals:
            found.add(goals[action])
    return frozenset(found)


# Which commands are meant


def since_start(stories: Sequence[Story]) -> tuple[str, list[Story]] | None:
    """Give the name of the recipe that is being recorded, and what was done since; else None."""
    for at in range(len(stories) - 1, -1, -1):
        verb, name = about_recipes(stories[at])
        if verb == "record" and is_done(stories[at]):
            return name, without_undone(stories[at + 1 :])
        if verb in {"stop", "cancel"} and is_done(stories[at]):
            return None
    return None


def last_commands(stories: Sequence[Story], count: int) -> list[Story]:
    """Give the last commands that did something, so many at most, the oldest first."""
    acted = [story for story in without_undone(stories) if is_done(story) and has_plan(story)]
    return acted[-count:]


def without_undone(stories: Sequence[Story]) -> list[Story]:
    """Leave out what was undone, undoing itself, plans only, and what is about recipes."""
    undone = {story.undoes for story in stories if story.undoes and is_done(story)}
    return [
        story
        for story in stories
        if not story.undoes
        and story.submit.id not in undone
        and story.submit.mode == "run"
        and not about_recipes(story)[0]
    ]


def is_done(story: Story) -> bool:
    return story.finished is not None and story.finished.status == "success"


def has_plan(story: Story) -> bool:
    return any(isinstance(entry, Laid) for entry in story.entries)


def about_recipes(story: Story) -> tuple[str, str]:
    """Say what a command does with recipes, and with which; no words if it does nothing so."""
    for goal in goals_of(story):
        if goal.domain == DOMAIN:
            return goal.verb, str(goal.params.get(NAME, ""))
    return "", ""


def goals_of(story: Story) -> Iterator[Goal]:
    for entry in story.entries:
        if isinstance(entry, Laid):
            yield from entry.meta.goals

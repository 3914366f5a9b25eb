"""The natural order of goals: those that act on the same thing keep the order they were said in.

One order for whoever drafts goals from words. Others that are stated may add to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from messages.goals import GoalDraft
from messages.rules import Rule

Rules: TypeAlias = Mapping[tuple[str, str], Rule]
FILES, PAGE = "files", "page"


@dataclass(slots=True)
class Order:
    """The goals of one text so far, and which of them acted on what last.

    ``disturbed`` if some goal of the text takes files from where they are: they may hold, or lie
    in, what other goals speak of, so that all goals on files keep their order. ``only_looked`` if
    the page that was opened last was looked at, and nothing was done on it: then a goal that opens
    another page need not wait for it.
    """

    rules: Rules
    disturbed: bool
    drafts: list[GoalDraft] = field(default_factory=list)
    latest: dict[str, int] = field(default_factory=dict)
    only_looked: bool = False
    _touched: bool = True
    _awaited: set[int] = field(default_factory=set)
    _pause: int | None = None

    def parents(self, draft: GoalDraft) -> set[int]:
        """Take the next goal; give those it waits for."""
        index = len(self.drafts)
        things = self.things(draft)
        rule = self.rules.get((draft.domain, draft.verb))
        apart = self.only_looked and rule is not None and rule.opens
        kept = [thing for thing in things if not (apart and thing == PAGE)]
        before = {self.latest[thing] for thing in kept if thing in self.latest}
        if PAGE in things and rule is not None:
            self.note_page(rule)
        before |= {int(goal[1:]) for goal in draft.takes.values()}
        before |= self.folders_above(draft)
        if self._pause is not None and not any(each >= self._pause for each in before):
            before.add(self._pause)
        if rule is not None and rule.pauses:
            before |= self.last_goals()
            self._pause = index
        self.latest.update(dict.fromkeys(things, index))
        self.drafts.append(draft)
        return before

    def note_parents(self, parents: set[int]) -> None:
        """Note which goals another one waits for."""
        self._awaited |= parents

    def last_goals(self) -> set[int]:
        """Give the goals that no other waits for: whoever comes after them comes after all."""
        return set(range(len(self.drafts))) - self._awaited

    def note_page(self, rule: Rule) -> None:
        """Note what is done on the page that was opened last."""
        if rule.opens:
            self.only_looked, self._touched = False, False
        elif rule.action_class == "observe":
            self.only_looked = not self._touched
        else:
            self.only_looked, self._touched = False, True

    def things(self, draft: GoalDraft) -> list[str]:
        """Name what a goal acts on; what has no name on a page is nothing."""
        rule = self.rules.get((draft.domain, draft.verb))
        if rule is None:
            return []
        values = {**dict.fromkeys(rule.params, ""), **draft.params}
        shared = [thing.format_map(values) for thing in rule.shares]
        things = [each for each in shared if draft.domain == "file" or not each.endswith(":")]
        return [*things, FILES] if self.disturbed and draft.domain == "file" else things

    def folders_above(self, draft: GoalDraft) -> set[int]:
        """Find the goals that create a folder which a path leads through."""
        path = draft.params.get("name") if draft.domain == "file" else None
        if not isinstance(path, str) or "/" not in path:
            return set()
        return {
            index
            for index, earlier in enumerate(self.drafts)
            if earlier.verb == "create" and path.startswith(f"{earlier.params.get('name')}/")
        }


def are_disturbed(goals: Sequence[tuple[str, str]], rules: Rules) -> bool:
    """Tell whether one of these goals takes files from where they are."""
    found = (rules.get(goal) for goal in goals)
    return any(rule is not None and rule.disturbs for rule in found)

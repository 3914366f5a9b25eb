"""Planner: a whole MetaGoal in, one checked plan (or reason) per goal out.

It owns the rule table and merging. It never picks targets, resolves dependencies, asks,
executes or looks at the world: all it knows of it stands in the request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from actors.logger import ActorLogger, logger_of
from actors.mailbox import Mailbox
from actors.planner.courses import course_for
from actors.planner.planning import Means, Projection, plan_all, plan_goal
from actors.planner.tables import RuleTable
from actors.vault import loggable
from messages import planning
from messages.effects import fill
from messages.goals import Goal
from messages.planning import (
    CoursePlanned,
    MakePlans,
    PlanCourse,
    PlanReveal,
    PlansMade,
    RevealPlanned,
)
from messages.plans import PlannedAction, PlanResult, ToolCapability, WorldState
from messages.rules import SearchEngine

# What is planned again and again are a few short commands; so much of them is remembered.
REMEMBERED = 256
FEW_GOALS, FEW_ACTIONS, FEW_BYTES = 8, 16, 2_000

_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, slots=True)
class Made:
    """The plans for some goals, and the words about them for the log."""

    results: tuple[PlanResult, ...]
    summaries: list[dict[str, object]]

    @property
    def is_short(self) -> bool:
        plans = [result.plan for result in self.results if result.plan is not None]
        return sum(plan.total_actions for plan in plans) <= FEW_ACTIONS


@dataclass
class Planner:
    """Plans from its tables.

    It remembers the index of the latest capabilities, and the plans made in the latest world:
    the same goals in the same world give the same plans.
    """

    table: RuleTable
    engines: Mapping[str, SearchEngine]
    log: ActorLogger = field(default_factory=lambda: logger_of("planner"))
    _world: WorldState | None = None
    _capabilities: tuple[ToolCapability, ...] = ()
    _means: Means | None = field(default=None)
    _made: dict[bytes, Made] = field(default_factory=dict)

    async def run(self, mailbox: Mailbox[planning.Inbox]) -> None:
        while await mailbox.more():
            with mailbox.turn as letters:
                for letter in letters:
                    match letter.message:
                        case MakePlans() as request:
                            made = self.made(request)
                            self.log.info("plans.made", plans=made.summaries)
                            letter.answer(request, PlansMade(request.command_id, made.results))
                        case PlanReveal() as request:
                            letter.answer(request, self.revealing(request))
                        case PlanCourse() as request:
                            letter.answer(request, self.course(request))
                        case unknown:
                            assert_never(unknown)

    def course(self, request: PlanCourse) -> CoursePlanned:
        """Plan a chore in steps, if there is a recipe for it."""
        course = course_for(request.goal, self.way_planned)
        if course is not None:
            stages = [stage.name for stage in course.stages]
            self.log.info("course.planned", recipe=course.recipe, stages=stages)
        return CoursePlanned(request.command_id, request.for_action, course)

    def way_planned(self, goal: Goal) -> PlannedAction | None:
        """Plan one way of a step; None if nothing here can do it."""
        if self._means is None or self._world is None:
            return None
        projection = Projection(self._world, {})
        result = plan_goal(goal, 0, projection, self._means)
        return None if result.plan is None else result.plan.actions[0]

    def revealing(self, request: PlanReveal) -> RevealPlanned:
        """Plan the step that shows a hidden thing: its opener is clicked, or pointed at."""
        verb = "hover" if request.reveal.hover else "click"
        rule, target = self.table.rules["browser", verb], request.reveal.target
        args = {"selector": target.id}
        action = PlannedAction(
            action_id=request.action_id,
            goal_id=request.goal_id,
            intent=rule.intent,
            description=f"reveal:{verb}:{target.name}",
            args=args,
            action_class=rule.action_class,
            achieves=fill(rule.achieves, args),
            expected_effect=fill(rule.effect, args),
        )
        self.log.info(
            "reveal.planned", for_action=request.for_action, action=loggable(action.description)
        )
        return RevealPlanned(request.command_id, request.for_action, action)

    def made(self, request: MakePlans) -> Made:
        """Plan every goal, unless the very same was planned before."""
        means = self.see(request.world, request.capabilities)
        if len(request.meta.goals) > FEW_GOALS:
            return planned(request, means)
        key = _encode((request.meta, request.undoes))
        if (made := self._made.get(key)) is None:
            made = planned(request, means)
            self.remember(key, made)
        return made

    def see(self, world: WorldState, capabilities: tuple[ToolCapability, ...]) -> Means:
        """Take note of the world and of what can be done in it; courses are planned with that."""
        if world is not self._world:
            self._world = world
            self._made.clear()
        return self.means(capabilities)

    @property
    def remembered(self) -> int:
        """Count the plans that are remembered."""
        return len(self._made)

    def remember(self, key: bytes, made: Made) -> None:
        """Keep short plans, and forget all of them where they are too many."""
        if len(key) <= FEW_BYTES and made.is_short:
            if len(self._made) >= REMEMBERED:
                self._made.clear()
            self._made[key] = made

    def means(self, capabilities: tuple[ToolCapability, ...]) -> Means:
        """Index the capabilities, unless they are the very ones of the last time."""
        if self._means is None or self._capabilities is not capabilities:
            self._capabilities = capabilities
            self._means = Means.of(self.table, self.engines, capabilities)
            self._made.clear()
        return self._means


def planned(request: MakePlans, means: Means) -> Made:
    results = plan_all(request.meta, request.world, means, undoes=request.undoes)
    return Made(results, [summary(result) for result in results])


def summary(result: PlanResult) -> dict[str, object]:
    """Put one result into the few words that a log line needs."""
    if result.plan is not None:
        actions = [loggable(action.description) for action in result.plan.actions]
        about: dict[str, object] = {
            "goal": result.goal_id,
            "status": result.status,
            "actions": actions,
        }
        is_merged = not result.plan.goal_achieved_by.startswith(f"{result.goal_id}_")
        return {**about, "by": result.plan.goal_achieved_by} if is_merged else about
    reason = None if result.reason is None else loggable(result.reason)
    return {"goal": result.goal_id, "status": result.status, "reason": reason}

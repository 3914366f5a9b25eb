"""Going on with a command where it stood when the daemon, or the Orchestrator, ended.

Pure. What ended stays ended, what never started starts, and what was under way is handed to the
Executor as ``begun``: only there can be seen whether it has happened. Words are bound anew, and
questions that waited are asked again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from actors.orchestrator.approving import REFUSED
from actors.orchestrator.binding import note_bound, rule_of
from actors.orchestrator.graph import build_graph
from actors.orchestrator.interrupting import stop
from actors.orchestrator.outcomes import conclude, finish
from actors.orchestrator.places import place
from actors.orchestrator.runs import (
    Effect,
    begin,
    failure_of,
    lay_out,
    record_result,
    skip,
    start,
    start_all,
)
from actors.orchestrator.sets import members_of, summed
from actors.orchestrator.state import Node, Run, Step
from messages.executing import Perform
from messages.journaling import (
    MOST_LIVES,
    Asked,
    Intent,
    Laid,
    Meant,
    Outcome,
    Resumed,
    Ruled,
    Stopped,
    Story,
    Told,
)
from messages.results import ActionResult, Code
from messages.targets import Success

UNKNOWN = "it was under way when the daemon stopped; it may or may not have happened"
NOT_KEPT = "its words spoke of a secret, so they were not kept; nothing was done, send it again"
UNREADABLE = "what was kept of it cannot be read; what became of it is not known"
FATAL = f"it was gone on with {MOST_LIVES} times, and the daemon ended each time before it did"
REVEAL = ".reveal_"
LOST = "its page was lost when the daemon stopped; what was done on it before stays done"


@dataclass(slots=True)
class Memory:
    """What a story says of each action: what it meant, whether it began, how it ended."""

    meant: dict[str, Success] = field(default_factory=dict)
    begun: dict[str, Intent] = field(default_factory=dict)
    ended: dict[str, Outcome] = field(default_factory=dict)

    @classmethod
    def of(cls, story: Story) -> "Memory":
        memory = cls()
        for entry in story.entries:
            match entry:
                case Meant(action, success):
                    memory.meant[action] = success
                case Intent(action):
                    memory.begun[action.action_id] = entry
                    memory.ended.pop(action.action_id, None)
                case Outcome(result, transient):
                    memory.ended[result.action] = entry
                    begun = memory.begun.get(result.action)
                    if transient and begun is not None and begun.action.repeatable:
                        memory.forget(result.action)  # it was to be tried again
                case Ruled(action, allow=False):
                    refused = ActionResult(action, "failed", Code.NOT_APPROVED, REFUSED)
                    memory.ended[action] = Outcome(refused)
                case Laid() | Told() | Ruled() | Asked() | Stopped() | Resumed():
                    pass
        return memory

    def forget(self, action: str) -> None:
        """Let an action be as if it had never begun."""
        self.begun.pop(action, None)
        self.ended.pop(action, None)

    def deeds(self) -> list[str]:
        """Name the actions that began or ended, in order."""
        return list(self.begun | self.ended)

    def is_under_way(self, action: str) -> bool:
        return action in self.begun and action not in self.ended


def resume(run: Run, story: Story, *, afresh: bool) -> Sequence[Effect]:
    """Say what is to be done for a command now; ``afresh`` if all web pages are gone."""
    if story.unreadable:
        return finish(run, "in_doubt", Code.CRASHED, UNREADABLE)
    if sum(isinstance(entry, Resumed) for entry in story.entries) >= MOST_LIVES:
        return finish(run, "in_doubt", Code.CRASHED, FATAL)
    for told in (entry for entry in story.entries if isinstance(entry, Told)):
        run.told.setdefault((told.action, told.role), []).append(told.choice)
    plans = [entry for entry in story.entries if isinstance(entry, Laid)]
    laid = plans[-1] if plans else None  # what was read anew off the page was planned anew
    if laid is None:
        if any(isinstance(entry, Intent) for entry in story.entries):
            return finish(run, "in_doubt", Code.CRASHED, UNKNOWN)
        if run.is_withheld:
            return finish(run, "failed", Code.NOT_DURABLE, NOT_KEPT)
        if is_stopped(story):
            run.stopped = Code.CANCELLED
            return conclude(run)
        return begin(run)
    placement = place(laid.meta, run.tables, inherits=run.submit.text is None)
    run.stated, run.understood, run.later = laid.meta, placement.meta, placement.later
    run.speaks = any(goal.readings or goal.takes for goal in laid.meta.goals)
    run.plans, run.left = laid.plans, laid.left
    run.graph = build_graph(run.plans)
    lay_out(run)
    memory = Memory.of(story)
    lost = lost_lanes(run, memory) if afresh else frozenset()
    unfold_sets(run, memory)
    recall_ended(run, memory)
    effects: list[Effect] = [*taken_up(run, memory), *unknown_sets(run, memory)]
    effects += begun_courses(run, memory)
    for node in list(run.nodes.values()):
        if node.lane in lost and node.step is Step.WAITING:
            effects += record_result(run, node, failure_of(node, Code.UNAVAILABLE, LOST))
    if is_stopped(story):
        effects += stop(run, Code.CANCELLED, abort=False)
    effects += gone_on_with_sets(run)
    return effects if run.finished is not None else [*effects, *start_all(run)]


def begun_courses(run: Run, memory: Memory) -> list[Effect]:
    """Leave what a recipe had begun as it is: its page may not be what it was."""
    effects: list[Effect] = []
    for name, node in list(run.nodes.items()):
        steps = [deed for deed in memory.deeds() if deed.startswith(f"{name}.step_")]
        if steps and node.step is Step.WAITING:
            reason = f"it was done in steps, and {len(steps)} of them had begun"
            doubt = ActionResult(name, "in_doubt", Code.CRASHED, reason)
            effects += record_result(run, node, doubt)
    return effects


def is_stopped(story: Story) -> bool:
    """Tell whether a client has cancelled a command."""
    return any(isinstance(entry, Stopped) for entry in story.entries)


def lost_lanes(run: Run, memory: Memory) -> frozenset[str]:
    """Find the lanes whose page cannot be had again.

    Where nothing was done on a page but to open it, it is opened once more; what was under way on
    it then is done after that, if it may be repeated.
    """
    lost = set()
    for lane in {node.lane for node in run.nodes.values() if node.lane}:
        nodes = [node for node in run.nodes.values() if node.lane == lane]
        deeds = [name for name in memory.deeds() if lane_of(run, name) == lane]
        ended = [name for name in deeds if name in memory.ended]
        if not ended or all(node.action.action_id in ended for node in nodes):
            continue
        if (
            len(ended) == 1
            and opens(run, ended[0])
            and all(may_repeat(run, each) for each in deeds)
        ):
            for name in deeds:
                memory.forget(name)
        else:
            lost.add(lane)
    return frozenset(lost)


def lane_of(run: Run, action: str) -> str:
    """Give the lane of an action, also of one for a member of a set."""
    node = run.nodes.get(action) or run.nodes.get(action.rpartition(".")[0])
    return "" if node is None else node.lane


def opens(run: Run, action: str) -> bool:
    """Tell whether an action opened a page that has nothing to do with the one before."""
    rule = rule_of(run, run.nodes[action]) if action in run.nodes else None
    return rule is not None and rule.opens


def may_repeat(run: Run, action: str) -> bool:
    """Tell whether an action of the graph may be done once more."""
    return action in run.nodes and run.nodes[action].action.repeatable


def unfold_sets(run: Run, memory: Memory) -> None:
    """Make the members of the sets of which one has begun."""
    for name, node in list(run.nodes.items()):
        success = memory.meant.get(name)
        if success is None:
            continue
        if len(success.bindings) == 1:
            if name in memory.begun:
                note_bound(run, node, success)
            continue
        if not any(
            f"{name}.{number}" in memory.begun for number in range(1, 1 + len(success.bindings))
        ):
            continue
        note_bound(run, node, success)
        node.step = Step.GATHERING
        node.members = members_of(run, node)
        for member in node.members:
            member.approved = True  # with the whole set, or none of it would have begun
            run.nodes[member.action.action_id] = member
            run.open += 1


def recall_ended(run: Run, memory: Memory) -> None:
    """Note the results that are known; release what waited for them, or skip it."""
    assert run.graph is not None
    in_steps = {deed.partition(".step_")[0] for deed in memory.deeds() if ".step_" in deed}
    for name, node in run.nodes.items():
        outcome = None if name in in_steps else memory.ended.get(name)
        if outcome is not None and node.step is not Step.ENDED:
            node.step, node.result = Step.ENDED, outcome.result
            run.open -= 1
    for name, node in list(run.nodes.items()):
        if (result := node.result) is None:
            continue
        for child in run.graph.adjacency.get(name, ()):
            if result.status == "success":
                run.nodes[child].waits_for -= 1
            else:
                why = result.message or result.code or result.status
                skip(run, run.nodes[child], f"{node.action.goal_id} {result.status}: {why}")


def taken_up(run: Run, memory: Memory) -> Iterator[Perform]:
    """Hand over what was under way."""
    for name, node in run.nodes.items():
        if node.step is Step.WAITING and memory.is_under_way(name):
            intent = memory.begun[name]
            node.step, node.attempt = Step.RUNNING, 1
            yield Perform(run.id, intent.action, intent.bound, begun=True)


def unknown_sets(run: Run, memory: Memory) -> list[Effect]:
    """Leave alone the sets of which members have begun, but nobody knows any more which."""
    effects: list[Effect] = []
    for name in memory.begun:
        node = run.nodes.get(name.rpartition(".")[0])
        if name not in run.nodes and node is not None and REVEAL not in name:
            result = ActionResult(node.action.action_id, "in_doubt", Code.CRASHED, UNKNOWN)
            effects += record_result(run, node, result)
    return effects


def gone_on_with_sets(run: Run) -> list[Effect]:
    """Go on with the next member of each set, or sum it up."""
    effects: list[Effect] = []
    for node in list(run.nodes.values()):
        if node.step is not Step.GATHERING or is_any(node.members, Step.RUNNING):
            continue
        waiting = [member for member in node.members if member.step is Step.WAITING]
        ended = [member for member in node.members if member.result is not None]
        failed = [member for member in ended if not has_succeeded(member)]
        if waiting and not failed:
            effects += start(run, waiting[0])
            continue
        for member in waiting:
            skip(run, member, None)
        last = failed[0] if failed else ended[-1]
        results = [member.result for member in ended if member.result is not None]
        effects += record_result(run, node, summed(node, last, results))
    return effects


def is_any(nodes: Sequence[Node], step: Step) -> bool:
    return any(node.step is step for node in nodes)


def has_succeeded(node: Node) -> bool:
    return node.result is not None and node.result.status == "success"

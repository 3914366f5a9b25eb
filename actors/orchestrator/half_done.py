"""What a command leaves half done: fields that it filled in, and that nothing has sent.

Pure, like all that decides about a run.
"""

from collections.abc import Iterator

from actors.orchestrator.binding import rule_of
from actors.orchestrator.state import Node, Run

MOST_TOLD = 8
ALL_BACK = "reload the page"
NONE = "-"  # only a page that is loaded anew has what was chosen before


def left_unsaved(run: Run) -> dict[str, str]:
    """Give the fields that were filled in and not sent, each with the words that take it back."""
    filled: dict[str, dict[str, str]] = {}
    for node in done_on_pages(run):
        rule = rule_of(run, node)
        if rule is None or rule.action_class == "observe":
            continue
        if not rule.taken_back_by:
            filled.pop(node.lane, None)  # it may have sent what was filled in before
            continue
        if name := field_filled(node):
            back = rule.taken_back_by
            filled.setdefault(node.lane, {})[name] = "" if back == NONE else f'{back} "{name}"'
    return {name: words for fields in filled.values() for name, words in fields.items()}


def field_filled(node: Node) -> str:
    """Name the field that an action filled in; of an option, the list that it is in."""
    if node.success is None:
        return ""
    binding = node.success.bindings[0]
    target = binding.indirect_target or binding.direct_target
    return "" if target is None else target.name or target.kind


def done_on_pages(run: Run) -> Iterator[Node]:
    """Give the actions that succeeded on a page, in their order."""
    for node in run.nodes.values():
        is_step = node.reveals_for is None and node.course is None
        if node.lane and is_step and node.result is not None and node.result.status == "success":
            yield node


def unsaved_message(run: Run) -> tuple[str, tuple[str, ...]]:
    """Say what is half done, and what takes it back; nothing if nothing is."""
    fields = left_unsaved(run) if any(node.lane for node in run.nodes.values()) else {}
    if not fields:
        return "", ()
    names = ", ".join(list(fields)[:MOST_TOLD])
    ways = tuple(filter(None, fields.values()))
    return f"filled in and not saved: {names}", (ALL_BACK, *ways[: MOST_TOLD - 1])

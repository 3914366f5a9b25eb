"""Values taken from elsewhere: the output of one goal as a parameter of another.

Pure. What is taken is put into words as a person would write it down: a text as it is, a table
with its columns, facts a line each.
"""

import csv
import io
from collections.abc import Mapping, Sequence

from actors.orchestrator.state import Run
from messages.message import Value
from messages.plans import PlannedAction

# Of an output with several parts, the one that is meant by "it".
MEANT = ("content", "text", "value", "time", "title", "url")


def taken(run: Run, action: PlannedAction) -> dict[str, Value] | None:
    """Give the values that an action takes from others; None if one of them gave nothing."""
    values: dict[str, Value] = {}
    for name, goal in action.takes.items():
        outputs = [
            node.result.output
            for node in run.nodes.values()
            if node.action.goal_id == goal and node.result is not None and node.whole is None
        ]
        if all(output is None for output in outputs):
            return None
        values[name] = "\n".join(written(output) for output in outputs)
    return values


def written(output: Value) -> str:
    r"""Put an output into words.

    >>> written([{"name": "tea", "price": 3}, {"name": "milk", "price": 1}])
    'name,price\ntea,3\nmilk,1\n'
    """
    if isinstance(output, str):
        return output
    if isinstance(output, Mapping):
        meant = next((output[key] for key in MEANT if key in output), None)
        return str(meant) if meant is not None else lines(output)
    if isinstance(output, Sequence):
        return table(output) if output and not is_plain(output) else "\n".join(map(str, output))
    return "" if output is None else str(output)


def is_plain(rows: Sequence[object]) -> bool:
    """Tell whether rows are single values."""
    return not any(isinstance(row, Mapping | list | tuple) for row in rows)


def lines(facts: Mapping[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def table(rows: Sequence[object]) -> str:
    """Write rows as comma-separated values, with the names of their columns first."""
    columns = list(dict.fromkeys(key for row in rows if isinstance(row, Mapping) for key in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if columns:
        writer.writerow(columns)
    for row in rows:
        if isinstance(row, Mapping):
            writer.writerow([row.get(column, "") for column in columns])
        else:
            writer.writerow(row if isinstance(row, list | tuple) else [row])
    return text.getvalue()

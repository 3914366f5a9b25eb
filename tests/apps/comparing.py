"""What a sentence has done to the data, beside what it should have done."""

from dataclasses import dataclass, field
from typing import Any

from tests.apps.case import Case
from tests.apps.serving import Record, State

DRAFT = "draft"
"""The kind of records that an editor keeps until its user saves them."""


@dataclass
class Comparison:
    """What was done as asked, what is missing, and what nobody asked for."""

    done: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)


@dataclass
class Difference:
    """What was added, changed and removed, by ``kind/key``."""

    added: dict[str, Record] = field(default_factory=dict)
    changed: dict[str, Record] = field(default_factory=dict)
    removed: dict[str, Record] = field(default_factory=dict)


def is_empty(value: Any) -> bool:
    """Tell whether a value says no more than its absence."""
    return value is None or value in ("", 0, [], {})


def same(left: Any, right: Any) -> bool:
    """Compare two values; what is empty is the same as what is not there."""
    if is_empty(left) and is_empty(right):
        return True
    if isinstance(left, str) and isinstance(right, str):
        return left.strip() == right.strip()
    return bool(left == right)


def flat(state: State) -> dict[str, Record]:
    """All records by ``kind/key``."""
    return {f"{kind}/{key}": row for kind, rows in state.items() for key, row in rows.items()}


def changed_fields(before: Record, after: Record) -> Record:
    """The fields that differ, as they are now."""
    names = [*before, *(name for name in after if name not in before)]
    return {name: after.get(name) for name in names if not same(before.get(name), after.get(name))}


def difference(before: State, after: State) -> Difference:
    """Find what differs between two states."""
    old, new = flat(before), flat(after)
    found = Difference()
    found.added = {key: row for key, row in new.items() if key not in old}
    found.removed = {key: row for key, row in old.items() if key not in new}
    for key, row in new.items():
        if key in old and (fields := changed_fields(old[key], row)):
            found.changed[key] = fields
    return found


def compare(found: Difference, case: Case, defaults: dict[str, Record]) -> Comparison:
    """Set the difference beside what the case expects."""
    result = Comparison()
    compare_added(found.added, case, defaults, result)
    for key in case.removed:
        (result.done if key in found.removed else result.missing).append(f"remove {key}")
    result.strange += [f"removed {key}" for key in found.removed if key not in case.removed]
    for key, fields in case.changed.items():
        compare_fields(key, fields, found.changed.get(key, {}), result)
    result.strange += [
        f"changed {key}: {fields}"
        for key, fields in found.changed.items()
        if key not in case.changed
    ]
    return result


def compare_fields(key: str, wanted: Record, now: Record, result: Comparison) -> None:
    """Set the changed fields of one record beside the expected ones."""
    for name, value in wanted.items():
        if name not in now:
            result.missing.append(f"{key}.{name} = {value!r}")
        elif same(now[name], value):
            result.done.append(f"{key}.{name}")
        else:
            result.strange.append(f"{key}.{name} is {now[name]!r}, not {value!r}")
    result.strange += [
        f"{key}.{name} became {value!r}" for name, value in now.items() if name not in wanted
    ]


def compare_added(
    added: dict[str, Record], case: Case, defaults: dict[str, Record], result: Comparison
) -> None:
    """Set new records beside the expected ones; those of a kind are matched in their order."""
    left = dict(added)
    for wanted in case.added:
        kind, key = wanted["kind"], wanted.get("key")
        fields = {name: value for name, value in wanted.items() if name not in {"kind", "key"}}
        fields = {**defaults.get(kind, {}), **fields}
        place = next((at for at in left if fits_place(at, kind, key)), None)
        if place is None:
            result.missing.append(f"add {kind} {fields}")
            continue
        compare_record(place, fields, left.pop(place), defaults.get(kind, {}), result)
    for place, row in left.items():
        kept = result.missing if place.startswith(f"{DRAFT}/") else result.strange
        kept.append(f"added {place}: {without_empty(row)}")


def fits_place(place: str, kind: str, key: str | None) -> bool:
    """Tell whether a new record may be the expected one."""
    return place == f"{kind}/{key}" if key else place.startswith(f"{kind}/")


def without_empty(row: Record) -> Record:
    """The fields of a record that say something."""
    return {name: value for name, value in row.items() if not is_empty(value)}


def compare_record(
    place: str, wanted: Record, row: Record, defaults: Record, result: Comparison
) -> None:
    """Set one new record beside the expected one."""
    result.done.append(f"add {place}")
    for name in [*wanted, *(name for name in row if name not in wanted)]:
        value, now = wanted.get(name), row.get(name)
        if same(value, now):
            continue
        if is_empty(now) or same(now, defaults.get(name)):
            result.missing.append(f"{place}.{name} = {value!r}")
        else:
            result.strange.append(f"{place}.{name} is {now!r}, not {value!r}")

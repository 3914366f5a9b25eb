"""How boxes stand on the screen: in one another, side by side, how far apart, in what order."""

from actors.target_resolver.page.sight import Seen

# The share of the smaller box that must be beside the other.
SHARED, LINED = 0.4, 0.5


def gap(one: Seen, other: Seen) -> float:
    """Give the distance between two boxes."""
    dx = max(
        other.rect[0] - (one.rect[0] + one.rect[2]),
        one.rect[0] - (other.rect[0] + other.rect[2]),
        0,
    )
    dy = max(
        other.rect[1] - (one.rect[1] + one.rect[3]),
        one.rect[1] - (other.rect[1] + other.rect[3]),
        0,
    )
    return float((dx * dx + dy * dy) ** 0.5)


def contains(outer: Seen, inner: Seen) -> bool:
    x, y, width, height = outer.rect
    a, b, wide, high = inner.rect
    return x <= a and y <= b and x + width >= a + wide and y + height >= b + high


def overlaps(one: Seen, other: Seen, axis: int) -> bool:
    """Tell whether two boxes stand side by side (axis 1) or one over the other (axis 0)."""
    start = max(one.rect[axis], other.rect[axis])
    end = min(one.rect[axis] + one.rect[axis + 2], other.rect[axis] + other.rect[axis + 2])
    return end - start > SHARED * min(one.rect[axis + 2], other.rect[axis + 2])


def on_one_line(one: Seen, other: Seen) -> bool:
    """Tell whether two elements would be read as parts of one line."""
    top = max(one.rect[1], other.rect[1])
    bottom = min(one.rect[1] + one.rect[3], other.rect[1] + other.rect[3])
    return one.frame == other.frame and bottom - top > LINED * min(one.rect[3], other.rect[3])


def reading_order(things: list[Seen]) -> list[Seen]:
    """Put elements in the order in which they are read: line by line, from the left."""
    lines: list[list[Seen]] = []
    for seen in sorted(things, key=lambda each: (each.frame, each.rect[1], each.rect[0])):
        line = lines[-1] if lines else None
        if line is not None and on_one_line(line[0], seen):
            line.append(seen)
        else:
            lines.append([seen])
    return [seen for line in lines for seen in sorted(line, key=lambda each: each.rect[0])]

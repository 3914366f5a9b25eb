"""What can be said of a set of files: the parameters that tell which are meant."""

FILTERS = frozenset(
    {
        "kind", "pattern", "type", "larger", "smaller", "since", "before", "on", "contains",
        "excluding", "keep", "empty", "hidden", "order", "only", "limit", "depth", "deep",
    }
)  # fmt: skip

"""What is counted: things that the page says are what was said.

"The first result" is the first entry of a list that the page calls results. Other lists are not
counted. "The first item" may be an entry of any list.
"""

from collections.abc import Sequence
from itertools import islice

from actors.language.describing import Description
from actors.language.lexicon import Kind
from actors.language.words import key_of, singular
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import ENTRIES, Seen, Sight

# Words for entries of every sort, which a page need not use itself.
PLAIN = frozenset({"item", "entry", "card", "tile", "row", "line", "option", "suggestion", "step"})
NEAREST = 3  # parts around an entry that may say what it is: its list, and what that is in
# Parts of a page that a title of the page says nothing of.
ASIDE = frozenset({"navigation", "banner", "contentinfo", "menubar", "tablist", "complementary"})


def of_series(sight: Sight, what: Description, fits: Sequence[Fit]) -> list[Fit]:
    """Keep what the page says is of the kind that is counted, by what is nearest to it."""
    kind = what.kind
    if kind is None or what.name or not is_told_by_page(kind):
        return list(fits)
    listed = [fit for fit in fits if fit.seen.kind != "option"]  # what can be chosen in a field
    for says in (is_called, is_headed, is_titled, is_composed):
        if found := [fit for fit in listed if says(sight, kind, fit.seen)]:
            return found
    return []


def counts_entries(what: Description) -> bool:
    """Tell whether one of a row of entries is meant, by a word that the page has to use, too."""
    return what.ordinal is not None and what.kind is not None and is_told_by_page(what.kind)


def is_told_by_page(kind: Kind) -> bool:
    """Tell whether a word says more of an entry than that it is one."""
    return not ENTRIES.isdisjoint(kind.real) and kind.word.split()[-1] not in PLAIN


def has_word(kind: Kind, names: Sequence[str]) -> bool:
    told = {singular(word) for word in kind.word.split()}
    return any(told <= {singular(word) for word in key_of(name).split()} for name in names)


def is_called(sight: Sight, kind: Kind, seen: Seen) -> bool:
    """Tell whether an entry is called so: by its role, in it, by its column, or by its list."""
    around = [sight.seen[at] for at in islice(sight.ancestors(seen.at), NEAREST)]
    parts = (seen, *sight.inside(seen.at), *around)
    names = [name for part in parts for name in (part.element.weak, *part.extra)]
    names += [part.element.name for part in (seen, *around)]
    return seen.kind == kind.word or has_word(kind, names)


def is_headed(sight: Sight, kind: Kind, seen: Seen) -> bool:
    """Tell whether a heading over an entry says so."""
    return has_word(kind, [heading.key for heading in sight.headings_over(seen.at)])


def is_titled(sight: Sight, kind: Kind, seen: Seen) -> bool:
    """Tell whether the page is called so, and the entry is of its content."""
    aside = any(sight.seen[at].kind in ASIDE for at in sight.ancestors(seen.at))
    return not aside and has_word(kind, [sight.page.frames[seen.frame].sheet.title])


def is_composed(_sight: Sight, kind: Kind, seen: Seen) -> bool:
    """Tell whether an entry is an article by its markup: a post, a comment, a product, a result."""
    return seen.kind in kind.real and seen.kind == "article"

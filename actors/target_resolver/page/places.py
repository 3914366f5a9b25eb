"""Places that words name: a shut tab that has to be opened first, a part that can be scrolled."""

from collections.abc import Iterator

from actors.language.describing import Description
from actors.language.lexicon import lexicon
from actors.language.reading import descriptions
from actors.language.tokens import tokens_of, without_articles
from actors.language.words import key_of, singular
from actors.target_resolver.page.sight import Seen, Sight
from messages.pages import Affords

HELD_IN = frozenset({"in", "under", "of", "below"})


def shut_place(sight: Sight, text: str) -> Seen | None:
    """Give the shut tab that words say a thing is in: of those with such a name the only one.

    A longer name is more to go by: "in Project plans" is in no part called "plans". What is known
    to be behind the tab must have all words for the thing.
    """
    named: dict[str, list[int]] = {}
    for at, is_on in sight.switches.items():
        if not is_on:
            named.setdefault(sight.seen[at].key, []).append(at)
    said = {key_of(place.name): what for what in descriptions(text) for place in places_in(what)}
    for name in sorted(said.keys() & named.keys(), key=len, reverse=True):
        switch, *others = named[name]
        return sight.seen[switch] if not others and may_hold(sight, switch, said[name]) else None
    return None


def places_in(what: Description) -> Iterator[Description]:
    """Give what a thing is said to be in, in all readings."""
    for each in what.relations:
        if each.relation in HELD_IN:
            yield from (place for place in each.to if place.name)


def may_hold(sight: Sight, switch: int, what: Description) -> bool:
    """Tell whether a thing may be behind a shut tab, as far as that is known."""
    behind = [seen for seen in sight.seen if sight.is_shown_by(seen.at, switch)]
    held = {singular(word) for seen in behind for word in sight.hay(seen).split()}
    told = {singular(word) for word in key_of(what.name).split()} - lexicon().little
    return not behind or told <= held


def scrolled_part(sight: Sight, text: str) -> Seen | None:
    """Give the only part that can be scrolled and goes by all of the words.

    It may be called so itself, or stand under such a title; "list" and "container" add nothing.
    """
    words = lexicon()
    tokens = without_articles(tokens_of(text), words)
    told = {singular(part) for token in tokens for part in key_of(token.text).split()}
    told -= {singular(word) for word in words.listings}
    if not told:
        return None
    found = [
        seen
        for seen in sight.seen
        if seen.visible and seen.affords & Affords.SCROLL and told <= words_of_part(sight, seen)
    ]
    return found[0] if len(found) == 1 else None


def words_of_part(sight: Sight, seen: Seen) -> set[str]:
    """Give the words that a part goes by: its own, and those of the title over it."""
    heading = sight.heading_over(seen.at)
    names = [seen.key, key_of(seen.element.weak), *seen.others]
    names += [] if heading is None else [heading.key]
    return {singular(word) for name in names for word in name.split()}

"""What a page can do, said in one's own words: "Follow Sea Watch", "switch to the week view".

First the control whose name says the deed: all its words were said, and the deed is among them.
Then, behind a verb that says little, the control that is named. In either way nothing that was
said may be left over: it tells which of several controls is meant, and must be there, near the
control or over it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from actors.language.describing import Description, kind_at
from actors.language.lexicon import lexicon
from actors.language.tokens import Token, matches_at, tokens_of, without_articles
from actors.language.words import key_of, singular
from actors.target_resolver.page.entries import entry_of, naming, said, said_of
from actors.target_resolver.page.finder import STRONG, Choice, Finder
from actors.target_resolver.page.judging import NOT_MEANT
from actors.target_resolver.page.naming import BEGUN, EXACT
from actors.target_resolver.page.relating import holds_controls
from actors.target_resolver.page.several import Fit, collapsed, nearest
from actors.target_resolver.page.sight import Seen, Sight
from messages.pages import Affords

CALLED = BEGUN - 6  # a name that begins as it was said
IN_NAME = BEGUN - 9  # a name that holds all that was said, as it was said
NEW = "new"  # what is made, and not there yet
COUNT = re.compile(r"\s*\(?\d+\)?$")  # "Fellman (11)"
LISTS = frozenset({"combobox", "listbox"})
MOST_SORTED = 6  # words up to what something is sorted by
MOST_WORDS = 7  # of a name that is a command; longer ones are sentences
USED = (Affords.CLICK | Affords.POINTER).value
LABEL, CHECK = Affords.LABEL.value, Affords.CHECK.value
SORTING = frozenset({"columnheader", "option", "radio", "menuitem", "menuitemradio"})
OPENING = frozenset({"open"})  # what is opened is clicked, whether or not it shows that it can be
STATES = {"show": "unchecked", "hide": "checked"}


@dataclass(frozen=True, slots=True)
class Fitting:
    """A control by whose name a deed was said, and the words that its name does not have."""

    seen: Seen
    rest: tuple[Token, ...]


def done_by(finder: Finder, text: str) -> Choice | None:
    """Find the control that does what was said; of several, the one that it was said of."""
    words = tuple(token for token in tokens_of(text) if token.key)
    sorts = bool(words) and words[0].key in lexicon().sorting  # what it is sorted by is the thing
    ways = (by_name, by_deed) if sorts else (by_deed, by_name)
    fits = next((found for way in ways if (found := way(finder, words))), [])
    if not fits:
        return None
    kept = nearest(finder.sight, collapsed(finder.sight, fits))
    return Choice(Description(name=text), kept, kept[0].score)


def by_deed(finder: Finder, words: Sequence[Token]) -> list[Fit]:
    """Find controls whose names say the deed, the first word, and nothing that was not said."""
    if not words or words[0].quoted:
        return []
    deed = singular(words[0].key)
    alike = lexicon().deeds.get(deed, frozenset()) | {deed}
    return least_left(finder, words, frozenset({deed})) or least_left(finder, words, alike)


def opened(text: str) -> str | None:
    """Give what is to be opened, if no more is said than that; else None."""
    tokens = tokens_of(text)
    for saying in lexicon().opening:
        if matches_at(tokens, 0, saying) and len(tokens) > len(saying):
            return " ".join(map(said, tokens[len(saying) :]))
    return None


def sorted_by(words: Sequence[Token]) -> Sequence[Token]:
    """Leave out what is sorted: "sort the table by age" sorts by age."""
    keys = [token.key for token in words[:MOST_SORTED]]
    if not keys or keys[0] not in lexicon().sorting or "by" not in keys:
        return words
    return (*words[:1], *words[keys.index("by") :])


def by_name(finder: Finder, words: Sequence[Token]) -> list[Fit]:
    """Find controls that are named behind a verb that says little of its own."""
    words = sorted_by(words)
    for light in lexicon().light:
        named = tuple(words[len(light) :])
        if not named or not matches_at(words, 0, light):
            continue
        way = light[0]
        need = "open" if way in OPENING else "click"
        found = called(finder, named, need) or [
            fit for bare in without_kind(named) for fit in called(finder, bare, need)
        ]
        told = tuple(map(said, named))
        usable = [
            used
            for fit in found
            if is_used(fit.seen) or (way in OPENING and fit.score >= EXACT - NOT_MEANT)
            for used in of_list(finder.sight, fit, told)
        ]
        fits = usable or least_left(finder, named, None)
        return [fit for fit in fits if suits(finder.sight, fit.seen, way)]
    return []


def called(finder: Finder, named: tuple[Token, ...], need: str = "click") -> list[Fit]:
    """Find what is called so, or has all of it in its name."""
    by_need = Finder(finder.sight, lexicon().needs[need], finder.among)
    choice = by_need.best(" ".join(map(said, named)))
    if choice is None:
        return []
    as_said = choice.what.literal or choice.what.ordinal is not None
    alone = need == "open" and len(choice.fits) == 1  # what has all the words, and is the only one
    least = STRONG if alone else IN_NAME if as_said else CALLED
    return choice.fits if choice.score >= least else []


def without_kind(named: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    """Leave out the word for what a thing is, before its name or behind it: "the Sunset photo".

    What is left must be written like a name: a "year view" is not called "view".
    """
    words = lexicon()
    bare = without_articles(named, words)
    cuts = ((bare[0], bare[1:]), (bare[-1], bare[:-1])) if len(bare) > 1 else ()
    for kind, name in cuts:
        written = all(token.quoted or token.text[:1].isupper() for token in name[:1])
        if written and kind_at((kind,), 0, 1, words) is not None:
            yield name


def suits(sight: Sight, seen: Seen, way: str) -> bool:
    """Tell whether a control does what the little verb says: sorts, shows what is not shown."""
    if way in lexicon().sorting:
        around = [sight.seen[at] for at in (seen.at, *sight.ancestors(seen.at))]
        over = {word for each in around for word in each.key.split()} | naming(sight, seen)
        sorts = any(each.kind in SORTING for each in around[:2]) or heads_entries(sight, seen)
        return sorts or not over.isdisjoint(lexicon().sorting)
    wanted = STATES.get(way)
    return wanted is None or not seen.affords & CHECK or wanted in seen.element.states


def heads_entries(sight: Sight, seen: Seen) -> bool:
    """Tell whether something stands in a row over a list of entries, as the head of a column."""
    row = seen.parent
    after = sight.ends[row] if row >= 0 else len(sight.seen)
    if after + 1 >= len(sight.seen) or sight.seen[after].parent != sight.seen[row].parent:
        return False
    return after in sight.entries or after + 1 in sight.entries


def is_used(seen: Seen) -> bool:
    return bool(seen.visible and seen.affords & USED and not seen.affords & LABEL)


def least_left(finder: Finder, words: Sequence[Token], deeds: frozenset[str] | None) -> list[Fit]:
    """Find the controls whose names leave the fewest words, all of which tell which is meant."""
    rests: dict[tuple[Token, ...], dict[int, Fit]] = {}
    front = finder.sight.modal  # what a dialog covers cannot be used
    for seen in finder.sight.seen:
        if front >= 0 and not finder.sight.is_in(seen.at, front):
            continue
        if is_used(seen) and (not finder.among or seen.at in finder.among):
            if holds_meant(finder.sight, seen, words, any_control=deeds is not None):
                continue  # what is in it does the deed, by a name of its own
            for fitting in fittings(seen, words, deeds):
                fit = Fit(seen, EXACT - len(fitting.rest))
                rests.setdefault(fitting.rest, {})[seen.at] = fit
    for rest in sorted(rests, key=len):
        of_these = said_of(finder.sight, list(rests[rest].values()), rest)
        if deeds is None and names_thing(finder, of_these, rest):
            continue
        if deeds is None:
            of_these = [fit for fit in of_these if not names_another(finder.sight, fit.seen, rest)]
        told = tuple(said(token) for token in rest)
        fits = [used for fit in of_these for used in of_list(finder.sight, fit, told)]
        if fits:
            return fits
    return []


def holds_meant(sight: Sight, seen: Seen, words: Sequence[Token], *, any_control: bool) -> bool:
    """Tell whether something holds controls, of which one that was named is rather meant."""
    if any_control:
        return holds_controls(sight, seen)
    told = {singular(part) for token in words for part in key_of(token.text).split()}
    inner = (part for part in sight.inside(seen.at) if is_used(part) and part.key != seen.key)
    return any(part.key and {singular(word) for word in part.key.split()} <= told for part in inner)


def fittings(seen: Seen, words: Sequence[Token], deeds: frozenset[str] | None) -> Iterator[Fitting]:
    """Give what is left of the words by each of a control's names."""
    names = (seen.key, *seen.others)
    if deeds is not None and (meant := lexicon().signs.get(seen.element.name)):
        names = (*names, *deeds.intersection(meant.split()))  # a cross closes, and removes
    if deeds is not None and not seen.key and not seen.others:  # a mere picture
        told = {token.key for token in words}
        whole = " ".join(word for word in seen.element.weak.split() if word in told)
        names = (*names, *deeds.intersection(pictured(seen)), whole)  # "rotate right"
    counted = COUNT.sub("", seen.element.name)
    for name in names if counted == seen.element.name else (*names, key_of(counted)):
        wanted = name.split()
        if wanted and len(wanted) <= MOST_WORDS:
            rest = left_over(wanted, words, deeds)
            if rest is not None:
                yield Fitting(seen, rest)


def pictured(seen: Seen) -> frozenset[str]:
    """Give the words for what a control without a name shows, by its classes."""
    icons = lexicon().icons
    shown = seen.element.weak.split()
    return frozenset(shown).union(*(icons.get(word, frozenset()) for word in shown))


def left_over(
    wanted: Sequence[str], words: Sequence[Token], deeds: frozenset[str] | None
) -> tuple[Token, ...] | None:
    """Give the words beside a name; None if not all of it was said, or not the deed of it."""
    little = lexicon().left_out
    keys = {token.key for token in words}
    if any(word in lexicon().every and word not in keys for word in wanted):
        return None  # "Cancel all orders" does more than was said
    making = lexicon().deeds.get(NEW, frozenset()) | {NEW}
    if NEW in wanted and keys.isdisjoint(making):
        return None  # "New chat" is no chat that could be opened
    needed = {singular(word) for word in wanted if word not in little} or set(map(singular, wanted))
    known = needed | set(map(singular, wanted))
    if deeds is not None:
        if known.isdisjoint(deeds):
            return None
        needed, words = needed - deeds, words[1:]
    rest = []
    for token in words:
        parts = {singular(part) for part in key_of(token.text).split()}
        if parts and parts <= known:
            needed = needed - parts
        else:
            rest.append(token)
    return None if needed else tuple(rest)


def names_thing(finder: Finder, fits: Sequence[Fit], rest: tuple[Token, ...]) -> bool:
    """Tell whether the words left over name a thing that can be used itself: that is meant then."""
    little = lexicon().left_out
    bare = tuple(token for token in rest if token.quoted or token.key not in little)
    others = called(finder, bare) if bare else []
    return any(
        is_used(other.seen) and all(other.seen.at != fit.seen.at for fit in fits)
        for other in others
    )


def names_another(sight: Sight, seen: Seen, rest: Sequence[Token]) -> bool:
    """Tell whether the words left over name another control of the entry: "comments of X"."""
    little = lexicon().left_out
    told = {singular(token.key) for token in rest if token.key not in little}
    others = (part for part in entry_of(sight, seen) if part.at != seen.at and is_used(part))
    return any(not told.isdisjoint(map(singular, part.key.split())) for part in others)


def of_lists(finder: Finder, choice: Choice | None, text: str) -> Choice | None:
    """Give the options that words name, where they were found to name lists of options."""
    if choice is None:
        return None
    words = tuple(token.text for token in tokens_of(text))
    kept = [used for fit in choice.fits for used in of_list(finder.sight, fit, words)]
    return replace(choice, fits=kept) if kept else None


def of_list(sight: Sight, fit: Fit, rest: tuple[str, ...]) -> list[Fit]:
    """Give the options that the rest of the words may name, where a control is a list of options.

    To use a list without a word of which option is to do nothing: that is none.
    """
    options = [seen for seen in sight.inside(fit.seen.at) if seen.kind == "option"]
    if fit.seen.kind not in LISTS or not options:
        return [fit]
    told = {singular(word.casefold()) for word in rest}
    named = [each for each in options if {singular(word) for word in each.key.split()} <= told]
    whole = [each for each in named if each.key and each.key in " ".join(rest).casefold()]
    chosen = whole or named
    if not chosen:  # "price", of "Price: low to high" and "Price: high to low"
        more = told - {singular(word) for word in (*fit.seen.key.split(), *lexicon().left_out)}
        chosen = [each for each in options if more and more <= set(map(singular, each.key.split()))]
    return [Fit(each, fit.score) for each in chosen] if not named or len(chosen) == 1 else []

"""What a page can do, said in one's own words: "Follow Sea Watch", "switch to the week view".

First the control whose name says the deed: all its words were said, and the deed is among them.
Then, behind a verb that says little, the control that is named. In either way nothing that was
said may be left over: it tells which of several controls is meant, and must be there, near the
control or over it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from actors.target_resolver.page.describing import Wish
from actors.target_resolver.page.finder import ANY, STRONG, Choice, Finder
from actors.target_resolver.page.lexicon import Lexicon, key_of, lexicon
from actors.target_resolver.page.naming import BEGUN, EXACT, stem
from actors.target_resolver.page.relating import holds_controls, related
from actors.target_resolver.page.several import Fit, collapsed, nearest
from actors.target_resolver.page.sight import Seen, Sight
from actors.target_resolver.page.tokens import Token, matches_at, tokens_of
from messages.pages import Affords

CALLED = BEGUN - 6  # a name that begins as it was said
COUNT = re.compile(r"\s*\(?\d+\)?$")  # "Fellman (11)"
LISTS = frozenset({"combobox", "listbox"})
MOST_WORDS = 7  # of a name that is a command; longer ones are sentences
SMALL_PART = 40  # elements
USED = (Affords.CLICK | Affords.POINTER).value
LABEL, CHECK, CONTAIN = Affords.LABEL.value, Affords.CHECK.value, Affords.CONTAIN.value
SORTING = frozenset({"columnheader", "option", "radio", "menuitem", "menuitemradio"})
STATES = {"show": "unchecked", "hide": "checked"}


@dataclass(frozen=True, slots=True)
class Fitting:
    """A control by whose name a deed was said, and the words that its name does not have."""

    seen: Seen
    rest: tuple[Token, ...]


def done_by(finder: Finder, text: str) -> Choice | None:
    """Find the control that does what was said; of several, the one that it was said of."""
    words = tuple(token for token in tokens_of(text) if token.key)
    fits = by_deed(finder, words) or by_name(finder, words)
    if not fits:
        return None
    kept = nearest(finder.sight, collapsed(finder.sight, fits))
    return Choice(Wish(name=text), kept, kept[0].score)


def by_deed(finder: Finder, words: Sequence[Token]) -> list[Fit]:
    """Find controls whose names say the deed, the first word, and nothing that was not said."""
    if not words or words[0].quoted:
        return []
    deeds = lexicon().deeds.get(stem(words[0].key), frozenset()) | {stem(words[0].key)}
    return least_left(finder, words, deeds)


def by_name(finder: Finder, words: Sequence[Token]) -> list[Fit]:
    """Find controls that are named behind a verb that says little of its own."""
    for light in lexicon().light:
        named = tuple(words[len(light) :])
        if not named or not matches_at(words, 0, light):
            continue
        way = light[0]
        click = Finder(finder.sight, lexicon().needs["click"], finder.among)
        choice = click.best(" ".join(said(token) for token in named))
        found = choice.fits if choice is not None and choice.score >= CALLED else []
        told = tuple(map(said, named))
        chosen = (of_list(finder.sight, fit, told) for fit in found if is_used(fit.seen))
        usable = [fit for fit in chosen if fit is not None]
        fits = usable or least_left(finder, named, None)
        return [fit for fit in fits if suits(finder.sight, fit.seen, way)]
    return []


def suits(sight: Sight, seen: Seen, way: str) -> bool:
    """Tell whether a control does what the little verb says: sorts, shows what is not shown."""
    if way in lexicon().sorting:
        around = [sight.seen[at] for at in (seen.at, *sight.ancestors(seen.at))]
        over = {word for each in around for word in each.key.split()} | naming(sight, seen)
        return any(each.kind in SORTING for each in around[:2]) or not over.isdisjoint(
            lexicon().sorting
        )
    wanted = STATES.get(way)
    return wanted is None or not seen.affords & CHECK or wanted in seen.element.states


def naming(sight: Sight, seen: Seen) -> frozenset[str]:
    """Give the words of the heading over an element."""
    heading = sight.heading_over(seen.at)
    return frozenset() if heading is None else frozenset(heading.key.split())


def is_used(seen: Seen) -> bool:
    return bool(seen.visible and seen.affords & USED and not seen.affords & LABEL)


def least_left(finder: Finder, words: Sequence[Token], deeds: frozenset[str] | None) -> list[Fit]:
    """Find the controls whose names leave the fewest words, all of which tell which is meant."""
    rests: dict[tuple[Token, ...], list[Fit]] = {}
    for seen in finder.sight.seen:
        if is_used(seen) and (not finder.among or seen.at in finder.among):
            if deeds is not None and holds_controls(finder.sight, seen):
                continue  # what is in it does the deed, by a name of its own
            for fitting in fittings(seen, words, deeds):
                fit = Fit(seen, EXACT - len(fitting.rest))
                rests.setdefault(fitting.rest, []).append(fit)
    for rest in sorted(rests, key=len):
        of_these = said_of(finder.sight, rests[rest], rest)
        if deeds is None:
            of_these = [fit for fit in of_these if not names_another(finder.sight, fit.seen, rest)]
        told = tuple(said(token) for token in rest)
        fits = [used for fit in of_these if (used := of_list(finder.sight, fit, told)) is not None]
        if fits:
            return fits
    return []


def fittings(seen: Seen, words: Sequence[Token], deeds: frozenset[str] | None) -> Iterator[Fitting]:
    """Give what is left of the words by each of a control's names."""
    names = (seen.key, *seen.others)
    if deeds is not None and (meant := lexicon().signs.get(seen.element.name)):
        names = (*names, *deeds.intersection(meant.split()))  # a cross closes, and removes
    counted = COUNT.sub("", seen.element.name)
    for name in names if counted == seen.element.name else (*names, key_of(counted)):
        wanted = name.split()
        if wanted and len(wanted) <= MOST_WORDS:
            rest = left_over(wanted, words, deeds)
            if rest is not None:
                yield Fitting(seen, rest)


def left_over(
    wanted: Sequence[str], words: Sequence[Token], deeds: frozenset[str] | None
) -> tuple[Token, ...] | None:
    """Give the words beside a name; None if not all of it was said, or not the deed of it."""
    little = lexicon().left_out
    needed = {stem(word) for word in wanted if word not in little} or set(map(stem, wanted))
    known = needed | set(map(stem, wanted))
    if deeds is not None:
        if known.isdisjoint(deeds):
            return None
        needed, words = needed - deeds, words[1:]
    rest = []
    for token in words:
        parts = {stem(part) for part in key_of(token.text).split()}
        if parts and parts <= known:
            needed = needed - parts
        else:
            rest.append(token)
    return None if needed else tuple(rest)


def said(token: Token) -> str:
    return f'"{token.text}"' if token.quoted else token.text


def said_of(sight: Sight, fits: list[Fit], rest: tuple[Token, ...]) -> list[Fit]:
    """Keep the controls that belong to what else was said; that must be on the page."""
    words = lexicon()
    if all(token.key in words.left_out for token in rest):
        return fits
    if rest[0].key in words.by_means:
        return []  # "sign in with Google" is no "sign in" that belongs to Google
    while rest and rest[0].key in words.left_out:
        rest = rest[1:]
    while rest and rest[-1].key in words.left_out:
        rest = rest[:-1]
    told = Finder(sight, ANY, anchoring=True).best(" ".join(map(said, rest)))
    if told is not None and told.score >= STRONG:
        anchors = [seen for seen in told.things if seen.kind != "button"]
        near = related(sight, [fit.seen for fit in fits], "for", anchors, every=False)
        kept = {seen.at for seen in near if any(are_close(sight, seen, each) for each in anchors)}
        if kept:
            return [fit for fit in fits if fit.seen.at in kept]
    return under_words(sight, fits, rest, words)


def under_words(
    sight: Sight, fits: list[Fit], rest: tuple[Token, ...], words: Lexicon
) -> list[Fit]:
    """Keep the controls in whose entry, or over which, all the rest of the words stand."""
    told = {
        stem(part)
        for token in rest
        if token.quoted or token.key not in words.left_out
        for part in key_of(token.text).split()
    }
    kinds = {stem(word) for (word, *more) in words.kinds if not more}
    sure = told - kinds or told
    within = [fit for fit in fits if sure <= entry_words(sight, fit.seen)]
    if within:
        return within
    alone = len({fit.seen.at for fit in fits}) == 1
    return [fit for fit in fits if alone and told <= words_over(sight, fit.seen)]


def names_another(sight: Sight, seen: Seen, rest: Sequence[Token]) -> bool:
    """Tell whether the words left over name another control of the entry: "comments of X"."""
    little = lexicon().left_out
    told = {stem(token.key) for token in rest if token.key not in little}
    others = (part for part in entry_of(sight, seen) if part.at != seen.at and is_used(part))
    return any(not told.isdisjoint(map(stem, part.key.split())) for part in others)


def entry_of(sight: Sight, seen: Seen) -> Sequence[Seen]:
    """Give the entry that an element is in, and all that is in it; nothing if it is in none."""
    entry = next((at for at in sight.ancestors(seen.at) if at in sight.entries), -1)
    if entry < 0 or sight.ends[entry] - entry > SMALL_PART:
        return ()
    return (sight.seen[entry], *sight.inside(entry))


def entry_words(sight: Sight, seen: Seen) -> set[str]:
    """Give all words of the entry that an element is in, beside its own."""
    parts = (part for part in entry_of(sight, seen) if part.at != seen.at)
    return {stem(word) for part in parts for word in part.key.split()}


def words_over(sight: Sight, seen: Seen) -> set[str]:
    """Give the words of what an element is in, of the heading over it, and of the page's title."""
    around = (sight.seen[at] for at in sight.ancestors(seen.at))
    names = [each.key for each in around if each.affords & CONTAIN]
    title = sight.page.frames[seen.frame].sheet.title
    found = {stem(word) for name in (*names, key_of(title)) for word in name.split()}
    return found | {stem(word) for word in naming(sight, seen)}


def of_lists(finder: Finder, choice: Choice | None, text: str) -> Choice | None:
    """Give the options that words name, where they were found to name lists of options."""
    if choice is None:
        return None
    words = tuple(token.text for token in tokens_of(text))
    fits = [of_list(finder.sight, fit, words) for fit in choice.fits]
    kept = [fit for fit in fits if fit is not None]
    return replace(choice, fits=kept) if kept else None


def of_list(sight: Sight, fit: Fit, rest: tuple[str, ...]) -> Fit | None:
    """Give the option that the rest of the words names, where a control is a list of options.

    To use a list without a word of which option is to do nothing: that is none.
    """
    options = [seen for seen in sight.inside(fit.seen.at) if seen.kind == "option"]
    if fit.seen.kind not in LISTS or not options:
        return fit
    told = {stem(word.casefold()) for word in rest}
    named = [each for each in options if {stem(word) for word in each.key.split()} <= told]
    whole = [each for each in named if each.key and each.key in " ".join(rest).casefold()]
    chosen = whole or named
    return Fit(chosen[0], fit.score) if len(chosen) == 1 else None


def are_close(sight: Sight, seen: Seen, anchor: Seen) -> bool:
    """Tell whether a small part of the page holds both, so that they surely belong together."""
    common = sight.common(seen.at, anchor.at)
    return common >= 0 and sight.ends[common] - common <= SMALL_PART

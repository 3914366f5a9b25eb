"""Which of several controls is meant, by what else was said: the entry it is in, its title.

Nothing that was said may be left over: it tells the control, and must be on the page.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from actors.language.describing import NUMBERED
from actors.language.lexicon import Lexicon, lexicon
from actors.language.tokens import Token, without_articles
from actors.language.words import is_plural, key_of, singular
from actors.target_resolver.page.finder import ANY, STRONG, Finder
from actors.target_resolver.page.judging import is_prose
from actors.target_resolver.page.naming import has_numbers
from actors.target_resolver.page.relating import SMALL_PART, are_close, inside, related
from actors.target_resolver.page.several import TEXT_KINDS, Fit
from actors.target_resolver.page.sight import CELLS, Seen, Sight
from actors.target_resolver.page.traits import ACTABLE
from messages.pages import Affords

CONTAIN = Affords.CONTAIN.value
# What is used itself; the pointer of a whole row says nothing of the texts in it.
CONTROLLED = Affords.CLICK | Affords.EDIT | Affords.CHECK
MOST_TITLES, LONGEST_TITLE = 5, 4  # parts around each other; words
MOST_TITLED = 2  # words more in a title than were said


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
    thing, fits = without_whither(sight, fits, rest)
    told = Finder(sight, ANY, anchoring=True).best(" ".join(map(said, thing)))
    if told is not None and told.score >= STRONG:
        anchors = [seen for seen in told.things if seen.kind != "button"]
        if len(anchors) > 1 and all(seen.affords & ACTABLE for seen in anchors):
            titled = in_entries(sight, fits, thing, words)  # each entry may have such a control
            if len(titled) == 1:
                return titled
        near = related(sight, [fit.seen for fit in fits], "for", anchors, every=False)
        kept = {
            seen.at
            for seen in near
            if any(are_close(sight, seen, each) and tells_of(sight, seen, each) for each in anchors)
        }
        if kept:
            return [fit for fit in fits if fit.seen.at in kept]
    return in_entries(sight, fits, thing, words) or under_words(sight, fits, thing, words)


def tells_of(sight: Sight, seen: Seen, anchor: Seen) -> bool:
    """Tell whether an anchor says what a control is for: one that is used itself only in its entry.

    The toolbar's Delete is not for the link "Sent" beside it.
    """
    if not anchor.affords & ACTABLE:
        return True
    return any(part.at == anchor.at for part in entry_of(sight, seen))


def without_whither(
    sight: Sight, fits: list[Fit], rest: tuple[Token, ...]
) -> tuple[tuple[Token, ...], list[Fit]]:
    """Leave out where a thing is to be put or taken from, if that is on the page: "to the cart".

    What is taken from somewhere must be there. What stands in one of the entries is no such place,
    but tells which of them is meant.
    """
    entries = {part.at for fit in fits for part in entry_of(sight, fit.seen)}
    for at, token in enumerate(rest[1:-1], start=1):
        if token.key in lexicon().whither and not token.quoted:
            there = token.key in lexicon().whereto  # else it is a part of the page, and no control
            parts = frozenset() if there else frozenset(uncontrolled(sight))
            place = " ".join(map(said, rest[at + 1 :]))
            whither = Finder(sight, ANY, parts, anchoring=True).best(place)
            if whither is not None and whither.score >= STRONG:
                told = {singular(token.key) for token in rest[at + 1 :]} - lexicon().articles
                words = {
                    singular(word) for part in entries for word in sight.seen[part].key.split()
                }
                if entries.isdisjoint(seen.at for seen in whither.things) and not told & words:
                    kept = fits if there else held_by(sight, fits, whither.things)
                    return rest[:at], kept
    return rest, fits


def uncontrolled(sight: Sight) -> Iterator[int]:
    """Give what cannot be used, but may be a title, or hold things."""
    return (seen.at for seen in sight.seen if not seen.affords & ACTABLE)


def held_by(sight: Sight, fits: list[Fit], places: Sequence[Seen]) -> list[Fit]:
    """Keep the controls that are in a place, or under its title."""
    things = [fit.seen for fit in fits]
    held = {at for place in places for at in inside(sight, things, place, every=True)}
    return [fit for fit in fits if fit.seen.at in held]


def in_entries(
    sight: Sight, fits: list[Fit], thing: tuple[Token, ...], words: Lexicon
) -> list[Fit]:
    """Keep the controls of the entry that is told by its words, or by its number among those.

    "the second message from Ana": what the entries are called need not stand in them.
    """
    bare = without_articles(thing, words)
    ordinal, bare = ordinal_of(bare, words)
    first = next((token for token in bare if not token.quoted), None)
    overs = [words_over(sight, fit.seen) for fit in fits]
    # What entries are called stands over all of them: what stands over one is its own name.
    over = set[str]().union(*overs) if ordinal is None else set.intersection(*overs)
    entries_here = [entry_of(sight, fit.seen) for fit in fits]
    over |= {
        singular(word) for parts in entries_here if parts for word in parts[0].element.weak.split()
    }
    called = first is not None and singular(first.key) in words.holders | over
    if called and ordinal is None and len(bare) > 1 and is_one_name(bare[1], words):
        called = False  # "bubble wrap" is no wrap in a bubble
    told = {
        singular(part)
        for token in (bare[1:] if called else bare)
        if token.quoted or token.key not in words.left_out | words.telling | words.articles
        for part in key_of(token.text).split()
    }
    listed = set[str]().union(*(entry_words(sight, fit.seen, prose=False) for fit in fits))
    nouns = {noun for noun in heads(bare, words) if noun not in listed}
    known = words.nouns | over | sight.words
    if told == nouns & over and ordinal is None and not is_plural(bare[-1].key):
        return [fit for fit in fits if entry_of(sight, fit.seen)]  # "the request", under "Requests"
    told = told - (nouns & known) or told  # "the expired job": what they all are stands in none
    if not told and (ordinal is None or not called):
        return []
    quotes = any(token.key in words.quoting and not token.quoted for token in bare)
    kept = [
        fit
        for fit in fits
        if entry_of(sight, fit.seen)
        and told <= entry_words(sight, fit.seen, prose=quotes)
        and numbered_so(sight, fit.seen, bare)
    ]
    kept = kept if ordinal is not None else rather_called(sight, kept, told)
    if ordinal is None or not kept:
        return kept
    entries = [entry_of(sight, fit.seen)[0] for fit in kept]
    if len({entry.parent for entry in entries}) > 1:
        return []  # of which list?
    at = len(kept) + ordinal if ordinal < 0 else ordinal - 1
    return kept[at : at + 1] if at >= 0 else []


def heads(tokens: Sequence[Token], words: Lexicon) -> set[str]:
    """Give the words that say what something is: "job" of "the expired job", "clause 14"."""
    stops = words.telling | words.left_out
    first = next((at for at, token in enumerate(tokens) if token.key in stops), len(tokens))
    group = [token for token in tokens[:first] if not token.quoted]
    if not group:
        return set()
    found = {singular(group[-1].key)} if group[-1].text.islower() else set()
    following = tokens[1] if len(tokens) > 1 else None
    named = following is not None and (following.quoted or not following.text.islower())
    return found | ({singular(group[0].key)} if named and group[0].text.islower() else set())


def ordinal_of(tokens: tuple[Token, ...], words: Lexicon) -> tuple[int | None, tuple[Token, ...]]:
    """Take "second" or "2nd" off the front."""
    if not tokens or tokens[0].quoted:
        return None, tokens
    numbered = NUMBERED.fullmatch(tokens[0].key)
    number = int(numbered[1]) if numbered else words.ordinals.get(tokens[0].key)
    return (None, tokens) if number is None else (number, tokens[1:])


def under_words(
    sight: Sight, fits: list[Fit], rest: tuple[Token, ...], words: Lexicon
) -> list[Fit]:
    """Keep the controls in whose entry, or over which, all the rest of the words stand."""
    told = {
        singular(part)
        for token in rest
        if token.quoted or token.key not in words.left_out
        for part in key_of(token.text).split()
    }
    sure = told - words.holders or told
    quotes = any(token.key in words.quoting and not token.quoted for token in rest)
    within = [
        fit
        for fit in fits
        if sure <= entry_words(sight, fit.seen, prose=quotes) and numbered_so(sight, fit.seen, rest)
    ]
    if within:
        return rather_called(sight, within, sure)
    alone = len({fit.seen.at for fit in fits}) == 1
    return [fit for fit in fits if alone and told <= words_over(sight, fit.seen)]


def is_one_name(token: Token, words: Lexicon) -> bool:
    """Tell whether a word goes on with the name that the word before it begins."""
    linked = token.key in words.telling | words.articles | words.left_out
    return not token.quoted and not linked and token.text.islower()


def numbered_so(sight: Sight, seen: Seen, rest: Sequence[Token]) -> bool:
    """Tell whether the numbers that were said stand so in an entry: "Quarter-final 5".

    Of "clause 14" and "with 12 reports" the number alone tells, where the word is not there.
    """
    names = [name for part in parts_told(sight, seen) for name in (part.key, *part.extra)]
    there = {word for name in names for word in name.split()}
    said_words = [part for token in rest for part in key_of(token.text).split()]
    keys = [word for word in said_words if word in there]
    return has_numbers(names, keys)


def entry_of(sight: Sight, seen: Seen) -> Sequence[Seen]:
    """Give the entry that an element is in, and all that is in it; nothing if it is in none."""
    entry = sight.entry_around(seen.at)
    if entry < 0 or sight.ends[entry] - entry > SMALL_PART:
        return ()
    return (sight.seen[entry], *sight.inside(entry))


def parts_told(sight: Sight, seen: Seen) -> list[Seen]:
    """Give what tells the entry of an element: its other parts; of a cell, the head of its row."""
    entry = entry_of(sight, seen)
    parts = [part for part in entry if part.at != seen.at]
    return [*parts, sight.seen[entry[0].parent + 1]] if entry and entry[0].kind in CELLS else parts


def entry_words(sight: Sight, seen: Seen, *, prose: bool) -> set[str]:
    """Give all words of the entry that an element is in, beside its own; of ``prose`` if wanted."""
    told = (part for part in parts_told(sight, seen) if prose or not is_prose(part))
    names = [name for part in told for name in (part.key, *part.extra)]
    return {singular(word) for name in names for word in name.split()}


def rather_called(sight: Sight, fits: list[Fit], told: set[str]) -> list[Fit]:
    """Keep the entries that have these words for a name, if there are any; none if others have.

    "Blue" is rather the song called so than "Blue Moon", even if that cannot be liked.
    """

    def is_named(part: Seen) -> bool:
        words = {singular(word) for word in part.key.split()}
        return words == told or words - lexicon().left_out - lexicon().telling == told

    def is_titled(part: Seen) -> bool:
        words = {singular(word) for word in part.key.split()}
        return told <= words and len(words) <= len(told) + MOST_TITLED and not is_prose(part)

    def called(is_meant: Callable[[Seen], bool], *, used: bool) -> list[Fit]:
        return [
            fit
            for fit in fits
            if any(
                is_meant(part) and (used or not part.affords & CONTROLLED)
                for part in entry_of(sight, fit.seen)
            )
        ]

    if named := called(is_named, used=False):
        return named
    lists = {entry[0].parent for fit in fits if (entry := entry_of(sight, fit.seen))}
    beside = (seen for seen in sight.seen if seen.visible and seen.key and is_named(seen))
    plain = (entry_of(sight, seen) for seen in beside if not seen.affords & CONTROLLED)
    if any(entry and entry[0].parent in lists for entry in plain):
        return []
    return called(is_titled, used=False) or called(is_named, used=True) or fits


def words_over(sight: Sight, seen: Seen) -> set[str]:
    """Give the words of what an element is in, of the heading over it, and of the page's title."""
    around = (sight.seen[at] for at in sight.ancestors(seen.at))
    names = [each.key for each in around if each.affords & CONTAIN]
    title = sight.page.frames[seen.frame].sheet.title
    over = (*names, key_of(title), *titles_over(sight, seen))
    found = {singular(word) for name in over for word in name.split()}
    return found | {singular(word) for word in naming(sight, seen)}


def titles_over(sight: Sight, seen: Seen) -> Iterator[str]:
    """Give the short texts with which the parts begin that an element is in: titles, very often."""
    for at in islice(sight.ancestors(seen.at), MOST_TITLES):
        first = sight.seen[at + 1]
        is_text = first.kind in TEXT_KINDS and not first.affords & ACTABLE
        if is_text and first.at < seen.at and first.key.count(" ") < LONGEST_TITLE:
            yield first.key


def naming(sight: Sight, seen: Seen) -> frozenset[str]:
    """Give the words of the headings over an element."""
    headings = sight.headings_over(seen.at)
    return frozenset(word for heading in headings for word in heading.key.split())

"""Finding what words mean on a page: readings of the words, elements of the page, to exactly one.

Every reading is tried; the one whose thing is called best by the words decides.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from actors.language.describing import Description
from actors.language.lexicon import Kind, Lexicon, Need, lexicon
from actors.language.reading import descriptions
from actors.language.words import key_of, singular
from actors.target_resolver.page.geometry import gap, on_one_line
from actors.target_resolver.page.judging import LIKE, NOT_MEANT, OWNING, USED, Judge, is_prose
from actors.target_resolver.page.naming import (
    BEGUN,
    BY_LABEL,
    EXACT,
    MEANT,
    MOST_MORE,
    UNNAMED,
    likely_named,
    score,
)
from actors.target_resolver.page.relating import HOLDERS, SMALL_PART, owners, related, row_of
from actors.target_resolver.page.series import of_series
from actors.target_resolver.page.several import SURE, Fit, collapsed, counted, measured, nearest
from actors.target_resolver.page.sides import among_themselves, on_side
from actors.target_resolver.page.sight import CELLS, ENTRIES, PAIR, Seen, Sight
from messages.pages import Affords

# What a reading must come to: so much for sure, so much at all.
STRONG, LEAST = 60, 30
# What is taken from the score of a reading, or added to it.
LED = 14  # "billing city" is rather a name than a city in the part called billing
CUT = 10  # "send again" is rather called so than called "send", and said so
FAINT_ANCHOR = 8  # what it is told by is itself hardly called so
TITLING = 10  # what a thing is in is rather a title or a holder
# What was not called so is taken for nearer if the other is so many times as far, and this more.
MUCH, FAR = 3, 60  # pixels
MOST_ANCHORS = 40
FEW = 8  # elements
NEARNESS = frozenset({"beside", "above", "below", "under", "left", "right"})
LISTS = frozenset({"list", "table", "listbox", "tree"})
CROSSING = frozenset({"for", "of", "in", "under"})
BELONGING = frozenset({"row", "in", "of", "for", "by", "under"})
TITLED = HOLDERS | {"heading", "legend", "caption"}
LABELLING = Affords.LABEL | Affords.RUN
POINTER, CLICK = Affords.POINTER.value, Affords.CLICK.value
ANY = Need()
FILLED = (Affords.EDIT | Affords.CHECK | Affords.RANGE | Affords.TIMED).value


@dataclass(slots=True)
class Choice:
    """What one reading came to: the elements it means equally well."""

    what: Description
    fits: list[Fit]
    score: int

    @property
    def things(self) -> list[Seen]:
        return [fit.seen for fit in self.fits]


@dataclass
class Finder:
    """Finds what words mean on one page, for one verb."""

    sight: Sight
    need: Need = ANY
    among: frozenset[int] = frozenset()
    anchoring: bool = False
    words: Lexicon = field(default_factory=lexicon)
    name_cache: dict[tuple[str, bool], list[tuple[Seen, int]]] = field(default_factory=dict)
    spoken_of: Seen | None = None
    judge: Judge = field(init=False)

    def __post_init__(self) -> None:
        self.judge = Judge(self.sight, self.need, self.anchoring, self.words)

    def best(self, text: str, *, hidden: bool = False) -> Choice | None:
        """Give the reading that the page bears out best."""
        found: Choice | None = None
        for what in descriptions(text):
            choice = self.choice(what, hidden=hidden)
            if choice is not None and (found is None or better(choice, found)):
                found = choice
                if what.literal and choice.score >= EXACT and len(choice.fits) == 1:
                    break  # it is called just so
        return found

    def choice(self, what: Description, *, hidden: bool = False) -> Choice | None:
        """Find what one reading means."""
        if not what.name and what.kind is None and not self.among:
            return None  # "the middle", "the second": of what?
        fits = self.matching(what, hidden=hidden)
        fits = self.told(what, self.called_so(what, fits)) if fits else []
        fits = doubted(what, fits) if fits else []
        if what.ordinal is not None or len(fits) > 1:
            fits = of_series(self.sight, what, fits)
        if not fits:
            return None
        top = max(fit.score for fit in fits)
        is_long = what.name.count(" ") > 1
        if top < (STRONG if what.literal and is_long else LEAST):
            return None
        if what.every:
            kept = self.all_of(what, fits, top)
        elif what.ordinal is not None:
            row = counted(self.sight, self.entries_of(what, fits) or alike(fits, top), what)
            if what.name and what.kind is None and len(row) == 1 and top < EXACT - LIKE:
                return None  # one thing that has the word in its name is no row of such things
            at = len(row) + what.ordinal if what.ordinal < 0 else what.ordinal - 1
            kept = row[at : at + 1] if at >= 0 else []
        else:
            best = [fit for fit in fits if fit.score == top or self.is_rival(fit, top)]
            if self.anchoring and top <= BEGUN:  # whatever begins so, or has it, may be meant
                best = [fit for fit in fits if fit.score >= top - MOST_MORE // 2]
            kept = nearest(self.sight, collapsed(self.sight, best))
        return Choice(what, kept, top) if kept else None

    def is_rival(self, fit: Fit, top: int) -> bool:
        """Tell whether something is called just so as well, and only has no markup for its use."""
        pointed = fit.seen.affords & POINTER and not fit.seen.affords & SURE
        return bool(pointed) and fit.score == top - 1 and top >= EXACT - LIKE

    def entries_of(self, what: Description, fits: list[Fit]) -> list[Fit]:
        """Of "the second message" count the entries of a list, if that may be meant.

        What is laid out as one list with several parts in each entry is it, and no loose texts.
        """
        kind, sight = what.kind, self.sight
        if kind is None or what.name or ENTRIES.isdisjoint(kind.real):
            return []
        if all(fit.seen.kind in ENTRIES for fit in alike(fits, max(fit.score for fit in fits))):
            return []
        called = [fit for fit in fits if kind.word in fit.seen.element.weak.split()]
        if len(called) > 1:
            return called  # the page says what they are, if only by their class
        made = [fit for fit in fits if fit.seen.at in sight.entries and self.is_made_up(fit.seen)]
        lists: dict[int, list[Fit]] = {}
        for fit in made:
            lists.setdefault(fit.seen.parent, []).append(fit)
        areas = {at: sum(fit.seen.size for fit in listed) for at, listed in lists.items()}
        largest = max(areas, key=areas.__getitem__, default=None)
        if largest is None or any(
            MUCH * area > areas[largest] for at, area in areas.items() if at != largest
        ):
            return []
        return lists[largest]

    def is_made_up(self, seen: Seen) -> bool:
        """Tell whether an entry has several parts."""
        return self.sight.ends[seen.at] - seen.at > PAIR

    def all_of(self, what: Description, fits: list[Fit], top: int) -> list[Fit]:
        """Keep all that are meant by "all" and "both"; none if they are not so many."""
        kept = collapsed(self.sight, alike(fits, top))
        if what.kind is None and self.need.prefers and (len(kept) == 1 or top < MEANT - LIKE):
            return []  # "all posts" is not the one thing called "Posts", nor "New posts"
        if what.count and len(kept) != what.count:
            kept = collapsed(self.sight, [fit for fit in fits if fit.score >= STRONG])
            return kept if len(kept) == what.count else []
        return kept

    # By name and kind

    def matching(self, what: Description, *, hidden: bool) -> list[Fit]:
        """Score all elements by name, kind and what the verb needs."""
        pool: Iterable[tuple[Seen, int]]
        if what.name:
            pool = self.named(what.name, quoted=what.quoted)
        else:
            pool = [(seen, UNNAMED) for seen in self.sight.seen if seen.kind != "wrap" or what.kind]
        found = []
        for seen, by_name in pool:
            if self.among and seen.at not in self.among:
                continue
            if not hidden and not seen.visible:
                continue
            if hidden and (seen.visible or seen.element.shown <= 0):
                continue
            total = self.judge.judged(seen, by_name, what)
            if total >= LEAST:
                found.append(Fit(seen, total))
        return found

    def named(self, name: str, *, quoted: bool) -> list[tuple[Seen, int]]:
        known = self.name_cache.get((name, quoted))
        if known is None:
            key = key_of(name)
            likely = likely_named(self.sight, key, self.words)
            scored = ((seen, score(seen, name, key, self.words, quoted=quoted)) for seen in likely)
            known = [(seen, points) for seen, points in scored if points]
            self.name_cache[name, quoted] = known
        return known

    def called_so(self, what: Description, fits: list[Fit]) -> list[Fit]:
        """Of what may be a star, keep what the page calls one; or else what surely is."""
        if what.name and what.kind is not None and what.kind.keeps and "icon" in what.kind.real:
            shown = {
                seen.at for word in what.kind.keeps for seen, _ in self.named(word, quoted=False)
            }
            return [fit for fit in fits if fit.seen.at in shown]  # the star of X is no X
        if what.name and what.kind is not None and what.kind.any:
            word = singular(what.kind.word)
            return [fit for fit in fits if word in self.words_of(fit.seen)] or fits
        if what.name or what.kind is None:
            return fits
        if not what.kind.keeps:
            return self.whole(what.kind, fits)
        called = {seen.at for word in what.kind.keeps for seen, _ in self.named(word, quoted=False)}
        kept = [fit for fit in fits if fit.seen.at in called]
        return kept or [fit for fit in fits if fit.seen.kind in what.kind.real]

    def words_of(self, seen: Seen) -> set[str]:
        """Give the words of an element, and of the entry it is in."""
        entry = self.sight.entry_around(seen.at)
        small = entry >= 0 and self.sight.ends[entry] - entry <= SMALL_PART
        parts = (seen, self.sight.seen[entry], *self.sight.inside(entry)) if small else (seen,)
        return {singular(word) for part in parts for word in part.key.split()}

    def whole(self, kind: Kind, fits: list[Fit]) -> list[Fit]:
        """Leave out the parts of a thing that are called after it, as the bar of a dialog is."""
        real = {fit.seen.at for fit in fits if fit.seen.kind in kind.real}
        return [
            fit
            for fit in fits
            if fit.seen.at in real or real.isdisjoint(self.sight.ancestors(fit.seen.at))
        ]

    # By what else is said

    def told(self, what: Description, fits: list[Fit]) -> list[Fit]:
        """Keep what stands where it was said to, and measures what was said."""
        if what.relation is not None:
            fits = self.standing(what, what, fits)
        if what.within is not None:
            fits = self.standing(what.within, what, fits)
        if what.side is not None and fits:
            best = alike(fits, max(fit.score for fit in fits))
            things = [fit.seen for fit in collapsed(self.sight, best)]
            many = what.ordinal is not None or what.every
            found = on_side(self.sight, things, what.side, every=many)
            if len(found) != 1 and not many:
                found = among_themselves(things, what.side) or found
            kept = {seen.at for seen in found}
            fits = [fit for fit in best if fit.seen.at in kept]
        if what.measure is not None and fits:
            fits = measured(fits, what.measure)
        return fits

    def standing(self, told: Description, what: Description, fits: list[Fit]) -> list[Fit]:
        """Keep what stands in a relation to what it is told by."""
        anchors, points = self.anchors(told, [fit.seen for fit in fits])
        other = FILLED if what.led else USED if what.trailed else 0
        if other:  # in a part of that name, not beside another thing of that name
            anchors = [each for each in anchors if each.kind in TITLED or not each.affords & other]
        if told.relation in CROSSING and (crossed := self.crossed(fits, anchors)):
            return crossed
        things = [fit.seen for fit in fits]
        if not anchors and is_mere_place(told) and len(collapsed(self.sight, fits)) == 1:
            return [Fit(fit.seen, fit.score - FAINT_ANCHOR) for fit in fits]
        if self.is_owned(what, told, things, anchors):
            if what.kind is not None and what.kind.any:
                things = [seen for seen in things if self.judge.is_entry(seen, what.kind)]
            weak = 0 if points >= STRONG else FAINT_ANCHOR
            real = frozenset() if what.kind is None else what.kind.real
            owning = owners(self.sight, things, anchors, real)
            owned = [Fit(fit.seen, fit.score - weak) for fit in fits if fit.seen.at in owning]
            return owned or signed(told, anchors)
        every = what.ordinal is not None or what.every
        found: list[Fit] = []
        tiers = sorted({fit.score - LIKE for fit in fits}, reverse=True)
        if not what.name and len(tiers) > 1:
            fits = self.likely(told, fits, anchors)
        for least in tiers:
            best = [fit for fit in fits if fit.score >= least]
            things = [fit.seen for fit in best]
            near = related(self.sight, things, told.relation or "in", anchors, every=every)
            if (what.led or what.trailed) and not self.need.values:
                near = [seen for seen in near if self.is_held(seen, anchors)]
            kept = {seen.at for seen in near}
            found = [fit for fit in best if fit.seen.at in kept]
            if found:
                break
        weak = 0 if points >= STRONG else FAINT_ANCHOR
        return [Fit(fit.seen, fit.score - weak) for fit in found]

    def is_held(self, seen: Seen, anchors: Sequence[Seen]) -> bool:
        """Tell whether a thing surely is in one of several parts: in it, or under its title."""
        return any(
            self.sight.is_in(seen.at, anchor.at)
            or (anchor.kind == "heading" and seen.at in self.sight.section(anchor.at))
            or (anchor.kind in {"legend", "caption"} and self.sight.is_in(seen.at, anchor.parent))
            or self.sight.switches.get(anchor.at, False)  # a tab that is on shows what is seen
            for anchor in anchors
        )

    def crossed(self, fits: list[Fit], anchors: Sequence[Seen]) -> list[Fit]:
        """Of "the total for March" give the cell in the row of the one and the column of the other.

        Only where nothing can be done to rows and columns: a value is read there.
        """
        if not self.need.values or not all(seen.kind == "columnheader" for seen in anchors):
            return []
        names = [fit for fit in fits if fit.seen.kind in {"cell", "rowheader"}]
        found = []
        for fit in names if len(anchors) == 1 else []:
            row = row_of(self.sight, fit.seen.at)
            cells = (
                [seen for seen in self.sight.inside(row) if seen.kind in CELLS] if row >= 0 else []
            )
            level = anchors[0].element.level
            found += [Fit(cell, fit.score) for cell in cells if cell.element.level == level]
        return [fit for fit in found if all(fit.seen.at != name.seen.at for name in names)]

    def is_owned(
        self,
        what: Description,
        told: Description,
        things: Sequence[Seen],
        anchors: Sequence[Seen],
    ) -> bool:
        """Tell whether a thing is told by what is in it, as a card or a message is."""
        if what.kind is None or not what.kind.holds or what.name or told.relation not in OWNING:
            return False
        if all(seen.kind == "heading" for seen in anchors):
            return False  # "the list of ingredients" is under that heading
        held = (self.sight.is_in(seen.at, anchor.at) for seen in things for anchor in anchors)
        return not any(held)  # "the last row of the table" is in it

    def likely(self, told: Description, fits: list[Fit], anchors: list[Seen]) -> list[Fit]:
        """Where no name was said: what may only be called so, if it is by far nearer."""
        top = max(fit.score for fit in fits)
        sure = alike(fits, top)
        if told.relation not in NEARNESS or not anchors:
            return fits
        things = [fit.seen for fit in sure]
        if not related(self.sight, things, told.relation, anchors, every=True):
            return fits
        if any(self.are_together(seen, anchor) for seen in things for anchor in anchors):
            return sure
        far = min(gap(seen, anchor) for seen in things for anchor in anchors)
        others = [fit for fit in fits if fit.score < top - LIKE]
        near = related(
            self.sight, [fit.seen for fit in others], told.relation, anchors, every=False
        )
        if not near:
            return sure
        if any(self.is_at(seen, anchor) for seen in near for anchor in anchors) and not any(
            self.is_at(fit.seen, anchor) for fit in sure for anchor in anchors
        ):
            return others
        close = min(gap(seen, anchor) for seen in near for anchor in anchors)
        return others if far > MUCH * close + FAR else sure

    def are_together(self, seen: Seen, anchor: Seen) -> bool:
        """Tell whether a thing and what it is told by are alone with few others."""
        around = seen.parent
        return around == anchor.parent >= 0 and self.sight.ends[around] - around <= FEW

    def is_at(self, seen: Seen, anchor: Seen) -> bool:
        """Tell whether a thing is in what it is told by, or on one line with it."""
        return self.sight.is_in(seen.at, anchor.at) or on_one_line(seen, anchor)

    def anchors(self, told: Description, things: Sequence[Seen]) -> tuple[list[Seen], int]:
        """Find what a thing is told by, wherever it is on the page."""
        if self.spoken_of is not None and any(what.name in self.words.pronouns for what in told.to):
            return [self.spoken_of], EXACT
        quiet = Finder(self.sight, anchoring=True, words=self.words, name_cache=self.name_cache)
        # "the post" is one of the posts, and not the button that says "Post".
        found = [choice for what in told.to if (choice := quiet.choice(what)) and choice.fits]
        found = [choice for choice in found if not is_mere_button(choice)]
        descriptions = [what for what in told.to if what.quoted or not is_mere_holder(what.name)]
        if told.relation in {"in", "under"} and not all(
            self.are_titles(told, each) for each in found
        ):
            # "question 2" is rather a title that begins with a 2 than any 2 on the page.
            among = frozenset(seen.at for seen in self.sight.seen if seen.kind in TITLED)
            holders = replace(quiet, among=among)
            titles = [choice for what in descriptions if (choice := holders.choice(what))]
            found += [choice for choice in titles if self.holds_any(choice, things)]
        listed = any(seen.kind in LISTS for seen in things)
        for choice in found:
            of_list = listed and all(seen.kind in TITLED for seen in choice.things)
            if self.are_titles(told, choice) or of_list:
                choice.score += TITLING if choice.what.kind is None else 3 * TITLING
        best = max(found, key=rank, default=None)
        if best is not None and told.relation == "in" and not self.are_titles(told, best):
            holding = [choice for choice in found if self.holds_any(choice, things)]
            best = max(holding, key=rank, default=best)
        if best is not None and told.relation in {"in", "under"}:
            best.fits = [fit for fit in best.fits if self.judge.can_hold(fit, best.what)]
        if best is not None and listed and any(seen.kind in TITLED for seen in best.things):
            best.fits = [fit for fit in best.fits if fit.seen.kind in TITLED]
        if best is not None and told.relation in BELONGING:
            best.fits = [fit for fit in best.fits if not is_mention(fit.seen, best)]
        if best is not None:  # the whole of the page is no part of it
            best.fits = [
                fit for fit in best.fits if fit.seen.kind != "wrap" or fit.seen.parent >= 0
            ]
        if best is None or not best.fits:
            return [], 0
        anchors = [self.sight.titled(seen) for seen in best.things[:MOST_ANCHORS]]
        headings = [seen for seen in anchors if seen.kind == "heading"]
        if headings and told.relation == "under":
            return headings, best.score
        meant = {seen.at for seen in things}
        texts = [seen for seen in anchors if seen.at not in meant and not seen.affords & LABELLING]
        return (texts if texts and told.relation == "beside" else anchors), best.score

    def holds_any(self, choice: Choice, things: Sequence[Seen]) -> bool:
        """Tell whether some of the things are in what was found."""
        return any(
            self.sight.is_in(seen.at, holder.at)
            or (holder.kind == "heading" and seen.at in self.sight.section(holder.at))
            for holder in choice.things
            for seen in things
        )

    def are_titles(self, told: Description, choice: Choice) -> bool:
        """Tell whether all that was found can have something in it, or under it."""
        return told.relation in {"in", "under"} and all(
            seen.kind in TITLED for seen in choice.things
        )


def is_mention(seen: Seen, choice: Choice) -> bool:
    """Tell whether a sentence only has a name among its words: it is about more than that."""
    said = choice.what.name.count(" ") + 1
    if not choice.what.name or is_signed(seen, choice.what.name):
        return False
    return seen.key.count(" ") >= 2 * said and is_prose(seen)


def signed(told: Description, anchors: Sequence[Seen]) -> list[Fit]:
    """Give the texts that begin with who says them: "the comment of Oskar" is one of them."""
    names = {what.name for what in told.to if what.name}
    return [Fit(seen, UNNAMED) for seen in anchors if any(is_signed(seen, name) for name in names)]


def is_signed(seen: Seen, name: str) -> bool:
    """Tell whether a text begins with who says it: "Oskar: It was enough."."""
    return seen.element.name.casefold().startswith(f"{name.casefold()}:")


def is_mere_place(told: Description) -> bool:
    """Tell whether something is only said to be in a list or the like, of which there is none.

    Much of what people see as a list has no markup that says so.
    """
    readings = [what for what in told.to if not what.literal]
    return told.relation == "in" and bool(readings) and all(map(is_mere_kind, readings))


def is_mere_kind(what: Description) -> bool:
    told = bool(what.name) or what.relation is not None
    return not told and what.kind is not None and what.kind.holds


def alike(fits: Sequence[Fit], top: int) -> list[Fit]:
    """Keep what is called as well as the best, or nearly."""
    return [fit for fit in fits if fit.score >= top - LIKE]


def doubted(what: Description, fits: list[Fit]) -> list[Fit]:
    """Take off what speaks against a reading as a whole; nothing is left of a bold one."""
    top = max(fit.score for fit in fits)
    doubt = 0
    if what.cut:
        doubt += CUT
    if what.led or what.trailed:
        if top < (BY_LABEL - LIKE if what.led else BEGUN - MOST_MORE // 2):
            return []
        doubt += LED
    # "Message" in a name, where messages were spoken of; "Post" on a button, of "the post by Ann".
    told_so = what.relation is not None and what.kind is None and is_holder(what.name)
    if told_so and not what.trailed and (top < BY_LABEL - LIKE or what.name.islower()):
        doubt += NOT_MEANT + LED
    elif (what.colours or what.ordinal) and what.kind is None and is_mere_holder(what.name):
        doubt += NOT_MEANT + 2 * LED  # "the blue card" is rather a card than the blue "Add card"
    elif what.unkind and top - doubt < EXACT - LIKE:
        doubt += NOT_MEANT
    return [Fit(fit.seen, fit.score - doubt) for fit in fits] if doubt else fits


def is_mere_button(choice: Choice) -> bool:
    """Tell whether words for an entry have found something that is only called like one."""
    if choice.what.quoted or not is_mere_holder(choice.what.name):
        return False
    return any(seen.affords & USED or seen.kind not in TITLED | CELLS for seen in choice.things)


def is_mere_holder(name: str) -> bool:
    return name.islower() and is_holder(name)


def is_holder(name: str) -> bool:
    words = name.casefold().split()
    one = (*words[:-1], singular(words[-1])) if words else ()
    kind = lexicon().kinds.get(tuple(words)) or lexicon().kinds.get(one)
    return kind is not None and kind.holds


def better(one: Choice, other: Choice) -> bool:
    """Tell whether a reading is borne out better: by the name, by being one, by saying more."""
    return rank(one) > rank(other)


def rank(choice: Choice) -> tuple[int, bool, int]:
    return choice.score, len(choice.fits) == 1, choice.what.told_by

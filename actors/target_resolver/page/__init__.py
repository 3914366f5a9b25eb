"""Binding words on a web page: readings of the words, elements of the page, to exactly one.

Pure, like the engine beside it. Every reading is tried; the one whose thing is called best by the
words decides. Equal things are offered, with what tells them apart.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from actors.target_resolver.page.describing import Wish
from actors.target_resolver.page.lexicon import Kind, Lexicon, Need, key_of, lexicon
from actors.target_resolver.page.naming import BEGUN, BY_LABEL, EXACT, UNNAMED, likely_named, score
from actors.target_resolver.page.relating import HOLDERS, among_themselves, gap, on_side, related
from actors.target_resolver.page.sight import PAIR, Seen, Sight, on_one_line, reading_order
from actors.target_resolver.page.wishes import wishes
from actors.words import singular
from messages.pages import Affords

STRONG = 60
LEAST = 30
SHOWN_ANCHORS = 40
NOT_MEANT = 26
VALUED = 9
FAR = 60  # pixels
NEARNESS = frozenset({"beside", "above", "below", "under", "left", "right"})
HEADINGS = frozenset({"heading", "legend", "caption"})
TITLING = 10
LABELLING = Affords.LABEL | Affords.RUN
LED = 14
LIKE = 2
ANY = Need()
SURE = (Affords.CLICK | Affords.CHECK | Affords.EDIT | Affords.CHOOSE).value
RUN, LABEL = Affords.RUN.value, Affords.LABEL.value  # plain numbers are ten times as quick
ACTABLE = (
    Affords.CLICK | Affords.POINTER | Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.RANGE
)
TEXTS = frozenset(
    {
        "text",
        "heading",
        "paragraph",
        "label",
        "legend",
        "caption",
        "term",
        "definition",
        "status",
        "alert",
    }
)
FIELDS = frozenset(
    {
        "textbox",
        "searchbox",
        "spinbutton",
        "combobox",
        "listbox",
        "slider",
        "date",
        "color",
        "checkbox",
        "radio",
    }
)
VAGUE = frozenset({"wrap", "generic", "group", "region", "text", "list"})
WHOLES = frozenset({"wrap", "main", "form", "table", "list", "rowgroup"})


@dataclass(frozen=True, slots=True)
class Fit:
    """An element that a reading may mean, and how well."""

    seen: Seen
    score: int


@dataclass(slots=True)
class Choice:
    """What one reading came to: the elements it means equally well."""

    wish: Wish
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
    _named: dict[tuple[str, bool], list[tuple[Seen, int]]] = field(default_factory=dict)

    def best(self, text: str, *, hidden: bool = False) -> Choice | None:
        """Give the reading that the page bears out best."""
        found: Choice | None = None
        for wish in wishes(text):
            choice = self.choice(wish, hidden=hidden)
            if choice is not None and (found is None or better(choice, found)):
                found = choice
                if wish.literal and choice.score >= EXACT and len(choice.fits) == 1:
                    break  # it is called just so
        return found

    def choice(self, wish: Wish, *, hidden: bool = False) -> Choice | None:
        """Find what one reading means."""
        if not wish.name and wish.kind is None and not self.among:
            return None  # "the middle", "the second": of what?
        fits = self.matching(wish, hidden=hidden)
        if not fits:
            return None
        fits = self.told(wish, self.called_so(wish, fits))
        if not fits:
            return None
        top = max(fit.score for fit in fits)
        if wish.led:
            if top < BY_LABEL - LIKE:
                return None
            fits = [Fit(fit.seen, fit.score - LED) for fit in fits]
            top -= LED
        if wish.unkind and top < BEGUN:  # "message" in a name, where messages were spoken of
            fits = [Fit(fit.seen, fit.score - NOT_MEANT) for fit in fits]
            top -= NOT_MEANT
        if top < LEAST:
            return None
        if wish.literal and top < STRONG and wish.name.count(" ") > 1:
            return None
        if wish.every:
            kept = self.collapsed([fit for fit in fits if fit.score >= top - LIKE])
            if len(kept) == 1 and wish.kind is None and self.need.prefers:
                return None  # "all posts" is not the one thing called "Posts"
            if wish.both and len(kept) != PAIR:
                kept = self.collapsed([fit for fit in fits if fit.score >= STRONG])
                if len(kept) != PAIR:
                    return None
            return Choice(wish, kept, top)
        if wish.ordinal is not None:
            row = self.counted([fit for fit in fits if fit.score >= top - LIKE], wish)
            at = len(row) + wish.ordinal if wish.ordinal < 0 else wish.ordinal - 1
            return Choice(wish, row[at : at + 1], top) if 0 <= at < len(row) else None
        best = self.collapsed([fit for fit in fits if fit.score == top])
        return Choice(wish, self.nearest(best), top)

    # By name and kind

    def matching(self, wish: Wish, *, hidden: bool) -> list[Fit]:
        """Score all elements by name, kind and what the verb needs."""
        pool: Iterable[tuple[Seen, int]]
        if wish.name:
            pool = self.named(wish.name, quoted=wish.quoted)
        else:
            pool = [(seen, UNNAMED) for seen in self.sight.seen if seen.kind != "wrap" or wish.kind]
        found = []
        for seen, by_name in pool:
            if self.among and seen.at not in self.among:
                continue
            if not hidden and not seen.visible:
                continue
            if hidden and (seen.visible or seen.element.shown <= 0):
                continue
            total = self.judged(seen, by_name, wish)
            if total >= LEAST:
                found.append(Fit(seen, total))
        return found

    def named(self, name: str, *, quoted: bool) -> list[tuple[Seen, int]]:
        known = self._named.get((name, quoted))
        if known is None:
            key = key_of(name)
            likely = likely_named(self.sight, key, self.words)
            scored = ((seen, score(seen, name, key, self.words, quoted=quoted)) for seen in likely)
            known = [(seen, points) for seen, points in scored if points]
            self._named[name, quoted] = known
        return known

    def judged(self, seen: Seen, points: int, wish: Wish) -> int:
        """Weigh a name by the kind that was said and by what the verb needs."""
        affords = seen.affords
        if wish.kind is not None:
            told = bool(wish.name) or wish.relation == "with"
            rank = kind_rank(seen, wish.kind, named=told)
            if rank == 0 and not (
                wish.name and not self.need.states.isdisjoint(seen.element.states)
            ):
                return 0
            if rank == 1 and seen.kind == "wrap" and self.need.prefers & Affords.CLICK:
                return 0  # a part of the page that cannot be used is not what is clicked
            if rank == 1 and wish.every and not wish.name:
                return 0  # "all posts" are not all that could be called a post
            points -= 0 if rank > 1 else LIKE if wish.name else 4 * LIKE
        need = self.need
        if affords & RUN and not self.anchoring:
            return 0  # a mere text between others is no thing, but tells things apart
        if affords & LABEL:
            return 0  # its field is meant, which goes by the same name
        if need.must and not affords & need.must and seen.kind not in need.kinds:
            return 0
        if need.must and not affords & need.prefers and not wish.name:
            return 0
        if need.kinds:
            points -= 0 if seen.kind in need.kinds else 3
        if need.values and seen.key and by_label(seen, wish):
            points += VALUED
        if need.states and need.states.isdisjoint(seen.element.states):
            points -= 4
        if need.prefers and not affords & need.prefers:
            faint = bool(wish.name) and points < BY_LABEL - 2 * LIKE
            points -= NOT_MEANT if wish.kind is None or faint else 4
        elif need.prefers & SURE and not affords & SURE:
            points -= 1
        if wish.kind is None and seen.kind in WHOLES:
            points -= 6
        if wish.colours and not all(
            has_colour(self.sight, seen, colour) for colour in wish.colours
        ):
            return 0
        if wish.states and not all(has_state(seen, states) for states in wish.states):
            return 0
        return points

    def called_so(self, wish: Wish, fits: list[Fit]) -> list[Fit]:
        """Of what may be a star, keep what the page calls one; or else what surely is."""
        if wish.name or wish.kind is None:
            return fits
        if not wish.kind.keeps:
            return self.whole(wish.kind, fits)
        called = {seen.at for word in wish.kind.keeps for seen, _ in self.named(word, quoted=False)}
        kept = [fit for fit in fits if fit.seen.at in called]
        return kept or [fit for fit in fits if fit.seen.kind in wish.kind.real]

    def whole(self, kind: Kind, fits: list[Fit]) -> list[Fit]:
        """Leave out the parts of a thing that are called after it, as the bar of a dialog is."""
        real = {fit.seen.at for fit in fits if fit.seen.kind in kind.real}
        return [
            fit
            for fit in fits
            if fit.seen.at in real or real.isdisjoint(self.sight.ancestors(fit.seen.at))
        ]

    # By what else is said

    def told(self, wish: Wish, fits: list[Fit]) -> list[Fit]:
        """Keep what stands where it was said to, and measures what was said."""
        if wish.relation is not None:
            fits = self.standing(wish, wish, fits)
        if wish.within is not None:
            fits = self.standing(wish.within, wish, fits)
        if wish.side is not None and fits:
            top = max(fit.score for fit in fits)
            best = [fit for fit in fits if fit.score >= top - LIKE]
            things = [fit.seen for fit in self.collapsed(best)]
            found = on_side(self.sight, things, wish.side)
            if len(found) != 1:
                found = among_themselves(things, wish.side) or found
            kept = {seen.at for seen in found}
            fits = [fit for fit in best if fit.seen.at in kept]
        if wish.measure is not None and fits:
            fits = measured(fits, wish.measure)
        return fits

    def standing(self, told: Wish, wish: Wish, fits: list[Fit]) -> list[Fit]:
        """Keep what stands in a relation to what it is told by."""
        anchors, points = self.anchors(told, [fit.seen for fit in fits])
        every = wish.ordinal is not None or wish.every
        found: list[Fit] = []
        tiers = sorted({fit.score - LIKE for fit in fits}, reverse=True)
        if not wish.name and len(tiers) > 1:
            fits = self.likely(told, fits, anchors)
        for least in tiers:
            best = [fit for fit in fits if fit.score >= least]
            things = [fit.seen for fit in best]
            near = related(self.sight, things, told.relation or "in", anchors, every=every)
            kept = {seen.at for seen in near}
            found = [fit for fit in best if fit.seen.at in kept]
            if found:
                break
        weak = 0 if points >= STRONG else 8
        return [Fit(fit.seen, fit.score - weak) for fit in found]

    def likely(self, told: Wish, fits: list[Fit], anchors: list[Seen]) -> list[Fit]:
        """Where no name was said: what may only be called so, if it is by far nearer."""
        top = max(fit.score for fit in fits)
        sure = [fit for fit in fits if fit.score >= top - LIKE]
        if told.relation not in NEARNESS or not anchors:
            return fits
        things = [fit.seen for fit in sure]
        if not related(self.sight, things, told.relation, anchors, every=True):
            return fits
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
        return others if far > 3 * close + FAR else sure

    def is_at(self, seen: Seen, anchor: Seen) -> bool:
        """Tell whether a thing is in what it is told by, or on one line with it."""
        return self.sight.is_in(seen.at, anchor.at) or on_one_line(seen, anchor)

    def anchors(self, told: Wish, things: Sequence[Seen]) -> tuple[list[Seen], int]:
        """Find what a thing is told by, wherever it is on the page."""
        quiet = Finder(self.sight, anchoring=True, words=self.words, _named=self._named)
        found = [choice for wish in told.to if (choice := quiet.choice(wish)) and choice.fits]
        for choice in found:
            if self.are_titles(told, choice):
                choice.score += TITLING if choice.wish.kind is None else 3 * TITLING
        best = max(found, key=rank, default=None)
        if best is not None and told.relation == "in" and not self.are_titles(told, best):
            holding = [choice for choice in found if self.holds_any(choice, things)]
            best = max(holding, key=rank, default=best)
        if best is None:
            return [], 0
        anchors = [self.sight.titled(seen) for seen in best.things[:SHOWN_ANCHORS]]
        titles = [seen for seen in anchors if seen.kind == "heading"]
        if titles and told.relation == "under":
            return titles, best.score
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

    def are_titles(self, told: Wish, choice: Choice) -> bool:
        """Tell whether all that was found can have something in it, or under it."""
        return told.relation in {"in", "under"} and all(
            seen.kind in HOLDERS | HEADINGS for seen in choice.things
        )

    # One of several

    def collapsed(self, fits: list[Fit]) -> list[Fit]:
        """Of things in one another keep the control; where there is none, the innermost."""
        if len(fits) < 2:  # noqa: PLR2004
            return fits
        by_place = {fit.seen.at: fit for fit in fits}
        dropped: set[int] = set()
        for fit in fits:
            for around in self.sight.ancestors(fit.seen.at):
                if around in by_place and around not in dropped:
                    dropped.add(self.lesser(self.sight.seen[around], fit.seen))
        return [fit for fit in fits if fit.seen.at not in dropped]

    def lesser(self, outer: Seen, inner: Seen) -> int:
        """Say which of two things in one another is not the one that is meant."""
        outer_acts = bool(outer.affords & ACTABLE) and outer.kind not in TEXTS
        inner_acts = bool(inner.affords & ACTABLE) and inner.kind not in TEXTS
        strong = Affords.CLICK | Affords.EDIT | Affords.CHECK | Affords.CHOOSE
        if outer_acts and inner_acts:
            return outer.at if inner.affords & strong and not outer.affords & strong else inner.at
        return inner.at if outer_acts else outer.at

    def counted(self, fits: list[Fit], wish: Wish) -> list[Fit]:
        """Put things in the order in which they are counted; a row of headers is not counted."""
        fits = self.under_their_name(self.collapsed(fits), wish)
        rows = [fit for fit in fits if fit.seen.kind != "row" or self.is_body_row(fit.seen)]
        by_place = {fit.seen.at: fit for fit in rows}
        things = [fit.seen for fit in rows]
        parents = {seen.parent for seen in things}
        ordered = (
            things if len(parents) == 1 and next(iter(parents)) >= 0 else reading_order(things)
        )
        return [by_place[seen.at] for seen in ordered]

    def under_their_name(self, fits: list[Fit], wish: Wish) -> list[Fit]:
        """Of "the second step", count what stands under "Steps", if something is called so."""
        if wish.kind is None or wish.name or wish.relation is not None:
            return fits
        for heading in self.sight.headings:
            if singular(heading.key) == wish.kind.word and heading.key != wish.kind.word:
                section = self.sight.section(heading.at)
                return [fit for fit in fits if fit.seen.at in section] or fits
        return fits

    def is_body_row(self, row: Seen) -> bool:
        kinds = [seen.kind for seen in self.sight.inside(row.at)]
        return kinds.count("cell") >= kinds.count("columnheader")

    def nearest(self, fits: list[Fit]) -> list[Fit]:
        """Keep those of the first scope: an open dialog, the view, the page, its frames."""
        if len(fits) < 2:  # noqa: PLR2004
            return fits
        first = min(self.sight.scope(fit.seen) for fit in fits)
        kept = [fit for fit in fits if self.sight.scope(fit.seen) == first]
        links = {fit.seen.element.href for fit in kept}
        if len(links) == 1 and all(fit.seen.kind == "link" for fit in kept):
            (link,) = links
            if link.startswith("http") and "#" not in link:
                return kept[:1]  # all lead to the same place
        return kept


def better(one: Choice, other: Choice) -> bool:
    """Tell whether a reading is borne out better: by the name, by being one, by saying more."""
    return rank(one) > rank(other)


def rank(choice: Choice) -> tuple[int, bool, int]:
    wish = choice.wish
    said = sum(
        map(
            bool,
            (
                wish.kind,
                wish.ordinal,
                wish.colours,
                wish.states,
                wish.measure,
                wish.side,
                wish.relation,
            ),
        )
    )
    return choice.score, len(choice.fits) == 1, said


def by_label(seen: Seen, wish: Wish) -> bool:
    """Tell whether an element is a value that goes by another's name."""
    key = key_of(wish.name)
    return bool(key) and seen.key != key and (key in seen.others or key in seen.extra)


def kind_rank(seen: Seen, kind: Kind, *, named: bool = True) -> int:
    """Say how surely an element is of a kind: 2 if it is, 1 if it may be called so, 0 if not."""
    if kind.any and kind.named and not named:
        return 0
    if kind.any:
        return 1 if seen.kind != "wrap" else 0
    if kind.states and kind.states.isdisjoint(seen.element.states):
        return 0
    if seen.kind in kind.real or is_called(seen, kind):
        return 2
    if "icon" in kind.real and seen.affords & Affords.ICON:
        return 2
    if seen.kind in kind.like and (named or seen.kind not in VAGUE):
        return 1  # what has no name must be called so by the page itself
    if kind.affords and seen.affords & kind.affords and seen.kind not in HOLDERS | FIELDS:
        return 1
    return 0


def is_called(seen: Seen, kind: Kind) -> bool:
    """Tell whether the page calls an element so; the button of a dialog is none itself."""
    if seen.kind in {"button", "link"} and not HOLDERS.isdisjoint(kind.real):
        return False
    return bool(seen.element.weak) and kind.word in seen.element.weak.split()


def has_colour(sight: Sight, seen: Seen, colour: str) -> bool:
    """Tell whether an element has a colour, itself or in the little that it is made of."""
    if colour in seen.element.colours:
        return True
    if seen.kind in HOLDERS:
        return False
    inner = [each for _, each in zip(range(6), sight.inside(seen.at), strict=False)]
    return any(colour in each.element.colours for each in inner)


def has_state(seen: Seen, states: frozenset[str]) -> bool:
    own = set(seen.element.states)
    if states == {"enabled"}:
        return "disabled" not in own and bool(seen.affords & ACTABLE)
    if not states.isdisjoint(own):
        return True
    return states == {"empty"} and not seen.element.value and bool(seen.affords & Affords.EDIT)


def measured(fits: Sequence[Fit], measure: tuple[str, str]) -> list[Fit]:
    """Keep the most or the least of what can be measured."""
    name, way = measure
    measures = {
        "size": lambda seen: seen.size,
        "width": lambda seen: seen.rect[2],
        "height": lambda seen: seen.rect[3],
        "x": lambda seen: seen.middle[0],
        "y": lambda seen: seen.middle[1],
    }
    values = [measures[name](fit.seen) for fit in fits]
    wanted = max(values) if way == "most" else min(values)
    return [fit for fit, value in zip(fits, values, strict=True) if value == wanted]

"""How well an element is what was meant: its name weighed by its kind, its looks and its use."""

from dataclasses import dataclass

from actors.language.describing import Description
from actors.language.lexicon import Kind, Lexicon, Need, lexicon
from actors.language.words import key_of
from actors.target_resolver.page.naming import (
    ABOUT,
    BEGUN,
    BY_LABEL,
    EXACT,
    MOST_MORE,
    UNNAMED,
    WORDS,
)
from actors.target_resolver.page.several import SURE, TEXT_KINDS, Fit
from actors.target_resolver.page.sight import ENTRIES, Seen, Sight
from actors.target_resolver.page.traits import (
    ACTABLE,
    by_label,
    colour_rank,
    has_state,
    is_called,
    kind_rank,
)
from messages.pages import Affords

LIKE = 2  # those within it are alike
# What a text comes to at most that speaks of a thing among much else, and does nothing itself.
PROSE, MOST_AROUND, FEW_AROUND = 36, 4, 2  # words that it says more
FEWEST_SPACES, SENTENCE_ENDS = 4, (".", "!", "?")  # of a sentence
# What is taken from the score of a name, or added to it.
NOT_MEANT = 26  # the verb is not for such things
MAYBE = 8  # it has no name, and may only be called so
WHOLE = 6  # a large part of the page was meant by its name alone
ODD_USE, ODD_KIND = 4, 3  # the verb is rather for others
VALUED = 9  # a value is read by the name of its label
FEW = 8  # elements
SURELY = 2  # of a kind, or called so by the page
OWNING = frozenset({"of", "with", "for", "by"})
WHOLES = frozenset({"wrap", "main", "form", "table", "list", "rowgroup"})
INERT = WHOLES | {
    *("region", "group", "radiogroup", "navigation", "banner", "contentinfo", "complementary"),
    *("search", "toolbar", "menubar", "tablist"),
}
DEEDS = frozenset({"button", "link", "menuitem", "tab", "icon"})
DRAWN = frozenset({"generic", "box", "icon", "img", "shape"})
HOLDING_NOTHING = frozenset({"button", "checkbox", "radio", "switch", "textbox", "searchbox"})
# Plain numbers: flags of an enumeration take ten times as long.
RUN, LABEL, CLICK = Affords.RUN.value, Affords.LABEL.value, Affords.CLICK.value
CHECK = Affords.CHECK.value
USED = ACTABLE.value
VALUES = (Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.RANGE | Affords.TIMED).value


@dataclass
class Judge:
    """Weighs the elements of one page, for one verb; ``anchoring``, for what tells others apart."""

    sight: Sight
    need: Need
    anchoring: bool
    words: Lexicon

    def judged(self, seen: Seen, points: int, what: Description) -> int:
        """Weigh a name by the kind that was said and by what the verb needs; 0 if it is not it."""
        rank = 0
        if what.kind is not None:
            rank = self.ranked(seen, points, what, what.kind)
            if rank < 0:
                return 0
            points -= 0 if rank > 1 else LIKE if what.name else MAYBE
        if self.is_barred(seen, points, what, rank):
            return 0
        return self.weighed(seen, points, what)

    def ranked(self, seen: Seen, points: int, what: Description, kind: Kind) -> int:
        """Say how surely an element is of the kind that was said; below 0 if it is not."""
        told = bool(what.name) or what.relation in (OWNING if kind.any else {"with"})
        rank = kind_rank(seen, kind, named=told)
        of_entries = not ENTRIES.isdisjoint(kind.real)
        if rank == 0 and of_entries and seen.at in self.sight.entries:
            rank = 1  # what stands among others like it is an entry, whatever its markup
        if (
            rank == 0
            and "columnheader" in kind.real
            and seen.extra
            and seen.affords & self.need.must
        ):
            return 1  # "the March column of the row Rent": what is filled in there
        if rank == 0 and not (what.name and not self.need.states.isdisjoint(seen.element.states)):
            return -1
        if kind.any and kind.named and not what.name and not self.is_entry(seen, kind):
            return -1  # what is only called "the flight" is an entry
        if kind.any and kind.holds and seen.kind in DEEDS:
            return -1  # "delete account" is no "Delete" that is an account
        if kind.any and what.name and " " not in what.name and UNNAMED < points <= WORDS:
            return -1  # "Streets" is no view of a street
        if self.need.values and kind.word in self.words.counted and not has_digit(seen):
            return -1  # "the number of adults" is not the word "Adults"
        if rank == 1 and what.every and not what.name:
            return -1  # "all posts" are not all that could be called a post
        return rank

    def is_barred(self, seen: Seen, points: int, what: Description, rank: int) -> bool:
        """Tell whether the verb is not done to such a thing at all."""
        need, affords = self.need, seen.affords
        if need.sets and points <= ABOUT and what.name and what.kind is None and seen.key:
            return True  # what is typed into "Search the map" does not change the map
        if affords & need.never or (need.must & CHECK and leads_away(seen)):
            return True
        only_used = need.prefers == CHECK and not affords & CHECK and bool(what.name)
        if only_used and points < BEGUN - MOST_MORE // 2:
            return True  # "Delete alarm" is not what is turned on with the alarm
        inert = seen.kind in INERT and rank < SURELY and not affords & need.prefers
        if inert and need.prefers & CLICK:
            return True  # a part of the page that cannot be used is not what is clicked
        if affords & RUN and not self.anchoring:
            return True  # a mere text between others is no thing, but tells things apart
        if affords & LABEL:
            return True  # its field is meant, which goes by the same name
        if need.sets and points >= EXACT and is_mere_button(self.sight, seen):
            return True  # it does something; what is set shows what it is set to
        if need.must and not affords & need.must and seen.kind not in need.kinds:
            return True
        drawn = seen.kind == "box" and what.kind is not None  # a box of the page's own making
        meant = bool(what.name) or drawn or (need.sets and rank >= SURELY)
        return bool(need.must) and not affords & need.prefers and not meant

    def weighed(self, seen: Seen, points: int, what: Description) -> int:
        """Add up what speaks for an element, and against it."""
        need, affords = self.need, seen.affords
        if what.name and seen.kind in TEXT_KINDS and not affords & ~LABEL and not self.holds(seen):
            points = self.spoken_of(seen, what, points)
        if need.kinds:
            points -= 0 if seen.kind in need.kinds else ODD_KIND
        if need.values and seen.key and by_label(seen, what):
            points += VALUED
        if need.states and need.states.isdisjoint(seen.element.states):
            points -= ODD_USE
        opens = need.sets and "popup" in seen.element.states  # a menu of what it may be set to
        if need.prefers and not affords & need.prefers and not opens:
            faint = bool(what.name) and points < BY_LABEL - 2 * LIKE
            points -= NOT_MEANT if what.kind is None or faint else ODD_USE
        elif need.prefers & SURE and not affords & SURE:
            points -= 1
        if what.kind is None and seen.kind in WHOLES:
            points -= WHOLE
        if what.colours:
            ranks = [colour_rank(self.sight, seen, colour) for colour in what.colours]
            if not all(ranks):
                return 0
            points -= 2 * len(ranks) - sum(ranks)
        if what.states and not all(has_state(seen, states) for states in what.states):
            return 0
        return points

    def spoken_of(self, seen: Seen, what: Description, points: int) -> int:
        """Weigh a text that is not called so, but has the words among others.

        "Click Save when you are done" speaks of Save; whoever says "Save" does not mean it.
        """
        if self.anchoring:
            return points
        if self.need.prefers & CLICK and self.is_in_prose(seen):
            return 0
        if points >= BY_LABEL - 2 * LIKE:
            return points
        if self.need.prefers & CLICK:
            begun = points >= BEGUN - MOST_MORE // 2 and words_more(seen, what) <= MOST_AROUND
            return points if begun and seen.kind == "text" and seen.element.weak else 0
        if not is_talk(seen, what, points):
            return points
        told = set(key_of(what.name).split()) <= self.words.telling_words
        return min(points, PROSE) if self.need.quotes and not told else 0

    def is_in_prose(self, seen: Seen) -> bool:
        """Tell whether something is a few words of a longer text, and nothing says it is more."""
        around = self.sight.seen[seen.parent] if seen.parent >= 0 else seen
        longer = around.key.count(" ") > seen.key.count(" ") + FEW_AROUND
        return longer and around.kind in TEXT_KINDS and not seen.element.weak and not around.affords

    def holds(self, seen: Seen) -> bool:
        """Tell whether something has controls in it, as a card has: then it is no mere text."""
        end = self.sight.ends[seen.at]
        return end > seen.at + 1 and any(each.affords & USED for each in self.sight.inside(seen.at))

    def can_hold(self, fit: Fit, what: Description) -> bool:
        """Tell whether a thing may be said to be in something, or in the part it is the title of.

        A button holds nothing, and a text that only speaks of a thing is not the title of one.
        """
        if fit.seen.at in self.sight.switches:
            return True
        if fit.seen.kind in HOLDING_NOTHING:
            return False
        if fit.seen.kind in DRAWN and fit.seen.affords & USED and not self.holds(fit.seen):
            return False
        return self.holds(fit.seen) or not is_talk(fit.seen, what, fit.score)

    def is_entry(self, seen: Seen, kind: Kind) -> bool:
        if seen.kind in kind.real or seen.at in self.sight.entries:
            return True
        return seen.at in self.sight.repeated


def words_more(seen: Seen, what: Description) -> int:
    return seen.key.count(" ") - key_of(what.name).count(" ")


def is_talk(seen: Seen, what: Description, points: int) -> bool:
    """Tell whether a text only speaks of what was said, among more that it says."""
    if not what.name or seen.kind not in TEXT_KINDS or points >= BEGUN - MOST_MORE // 2:
        return False
    more = words_more(seen, what)
    return more > FEW_AROUND and more > key_of(what.name).count(" ") + 1


def has_digit(seen: Seen) -> bool:
    return any(sign.isdigit() for sign in seen.element.name + seen.element.value)


def is_prose(seen: Seen) -> bool:
    """Tell whether something is a sentence, or several: things are spoken of there, not named."""
    name = seen.element.name
    if seen.affords & USED or name.count(" ") < FEWEST_SPACES:
        return False
    return name.endswith(SENTENCE_ENDS) or any(f"{end} " in name for end in SENTENCE_ENDS)


def is_mere_button(sight: Sight, seen: Seen) -> bool:
    """Tell whether something is pressed, and neither holds a value nor opens a list of them."""
    if seen.affords & VALUES or not seen.affords & USED:
        return False
    beside = (other for other in sight.seen[seen.parent + 1 : seen.at + FEW] if other is not seen)
    row = any(
        other.parent == seen.parent and other.kind == seen.kind and other.affords & CLICK
        for other in beside
    )
    if seen.kind not in {"button", "link", "tab"} and not row:
        return False
    opens = not {"popup", "expanded", "collapsed"}.isdisjoint(seen.element.states)
    return not opens and not is_called(seen, lexicon().kinds["dropdown",])


def leads_away(seen: Seen) -> bool:
    """Tell whether something is a link that goes elsewhere, and so is neither on nor off."""
    return seen.kind == "link" and seen.element.href.strip("#") != "" and not seen.element.states

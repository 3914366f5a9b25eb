"""What may fill a slot, and where it may end, by its type."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from actors.interpreter.grammar import names, things, values
from actors.interpreter.grammar.lexicon import Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.templates import Slot, Stops

Check = Callable[[Lexicon, Sequence[Tok], int, int], bool]

# Kinds that are read in a way of their own, if the thing itself is one.
HEADS = frozenset({"table", "list"})
ONE_TOKEN = frozenset(
    {
        "quoted", "name", "named", "file", "ending", "entry", "word", "address", "letter",
        "drive", "anchor", "content", "pattern", "app", "known", "plainword", "glob",
        "host", "quotedkeys", "colon", "held", "amount",
    }
)  # fmt: skip
# Types that take a few tokens at most.
MAX_LABEL = 4
MAX_DATE = 7
MEASURED = {
    "number": 2,
    "program": MAX_LABEL,
    "label": MAX_LABEL,
    "duration": 3,
    "keys": 5,
    "chord": 5,
    "plainkeys": 5,
    "when": MAX_DATE,
    "dated": MAX_DATE,
    "pronoun": 3,
    "state": 2,
    "stars": 2,
}
CHECKS: Mapping[str, Check] = {
    "text": names.fits_text,
    "thing": things.fits_thing,
    "settable": things.fits_settable,
    "titled": things.fits_titled,
    "shown": things.fits_shown,
    "deed": names.fits_deed,
    "said": names.fits_said,
    "written": things.fits_written,
    "stars": values.fits_stars,
    "amount": values.fits_amount,
    "answer": things.fits_answer,
    "chosen": things.fits_chosen,
    "scrolled": things.fits_scrolled,
    "looked": names.fits_looked,
    "entered": things.fits_entered,
    "destination": things.fits_destination,
    "nofolder": things.fits_no_folder,
    "pagething": things.fits_page_thing,
    "quoted": names.fits_quoted,
    "name": names.fits_name,
    "named": names.fits_named,
    "title": names.fits_title,
    "words": names.fits_words,
    "freecontent": names.fits_free_content,
    "host": values.fits_host,
    "quotedkeys": values.fits_quoted_keys,
    "held": values.fits_held,
    "file": names.fits_file,
    "ending": names.fits_ending,
    "entry": names.fits_entry,
    "content": names.fits_content,
    "pattern": names.fits_pattern,
    "word": names.fits_word,
    "app": names.fits_program,
    "program": names.fits_program,
    "number": values.fits_number,
    "address": values.fits_address,
    "letter": names.fits_letter,
    "drive": names.fits_drive,
    "colon": names.fits_colon,
    "anchor": names.fits_anchor,
    "label": things.fits_label,
    "duration": values.fits_duration,
    "pronoun": names.fits_pronoun,
    "state": names.fits_state,
    "known": names.fits_known,
    "plainword": names.fits_content,
    "glob": names.fits_glob,
    "keys": values.fits_keys,
    "chord": values.fits_chord,
    "plainkeys": values.fits_plain_keys,
    "when": values.fits_when,
    "dated": values.fits_dated,
}


@dataclass(frozen=True)
class Slots:
    """Says what may fill slots: by the type of each, and the names that decide between readings."""

    lexicon: Lexicon
    _longest: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name, sayings in self.lexicon.values.items():
            self._longest[name] = max(map(len, sayings))

    def knows(self, slot: Slot) -> bool:
        """Tell whether anything may fill a slot of this type."""
        lexicon = self.lexicon
        return slot.type in CHECKS or slot.type in lexicon.kinds or slot.type in lexicon.values

    def openers_of(self, slot: Slot) -> frozenset[str]:
        """Give the words that a slot at the beginning may begin with; "" if those are too many."""
        if slot.type in self.lexicon.values:
            return frozenset(saying[0] for saying in self.lexicon.values[slot.type])
        if slot.type == "held":
            return frozenset(self.lexicon.keyboard.held)
        return frozenset({""})

    def ends(
        self, slot: Slot, toks: Sequence[Tok], at: int, end: int, stops: Stops
    ) -> Sequence[int]:
        """Give the places where a slot that begins at ``at`` may end, likeliest first."""
        if at >= end:
            return ()
        if slot.type in ONE_TOKEN:
            return list_ends(toks, at, end) if slot.many else (at + 1,)
        if slot.type in self.lexicon.values:
            return self.saying_ends(slot, toks, at, end)
        if slot.type in MEASURED:
            return range(min(end, at + MEASURED[slot.type]), at, -1)
        if stops.anywhere:
            return range(at + 1, end + 1)
        found = [
            index
            for index in range(at + 1, end)
            if toks[index].key in stops.words and toks[index].quoted is None
        ]
        if stops.at_end:
            found.append(end)
        return found

    def saying_ends(self, slot: Slot, toks: Sequence[Tok], at: int, end: int) -> Sequence[int]:
        """Give where a saying of the table ends, and where a list of them does, longest first."""
        first = self.saying_end(slot.type, toks, at, end)
        if not first or not slot.many:
            return (first,) if first else ()
        ends = [first]
        while ends[-1] < end:
            index = ends[-1]
            joined = bool(toks[index].parted)
            while index < end and self.goes_on(toks[index]):
                joined = joined or toks[index].key in LITTLE.listing
                index += 1
            further = self.saying_end(slot.type, toks, index, end) if joined else 0
            if not further:
                break
            ends.append(further)
        return ends[::-1]

    def goes_on(self, token: Tok) -> bool:
        """Tell whether a word stands between the members of a list."""
        return token.key in LITTLE.listing or self.lexicon.is_article(token)

    def saying_end(self, name: str, toks: Sequence[Tok], at: int, end: int) -> int:
        sayings = self.lexicon.values[name]
        for length in range(min(self._longest[name], end - at), 0, -1):
            if tuple([token.key for token in toks[at : at + length]]) in sayings:
                return at + length
        return 0

    def fits(self, slot: Slot, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether tokens may fill a slot."""
        if slot.name == "text" and self.is_no_text(toks, at, end):
            return False
        if slot.name == "value" and says_more(toks, at, end):
            return False
        check = CHECKS.get(slot.type)
        if check is not None and slot.many and end - at > 1 and slot.type in ONE_TOKEN:
            return all(
                check(self.lexicon, toks, index, index + 1)
                for index in range(at, end)
                if toks[index].quoted is not None or toks[index].key not in LITTLE.listing
            )
        if check is not None:
            return check(self.lexicon, toks, at, end)
        if slot.type in self.lexicon.kinds:
            return self.fits_kind(slot.type, toks, at, end)
        return slot.type in self.lexicon.values

    def fits_kind(self, kind: str, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether tokens are words for a thing of a kind."""
        if kind in HEADS:
            end = self.lexicon.head_end(toks, at, end)
        fits = things.fits_thing(self.lexicon, toks, at, end)
        return fits and self.lexicon.has_kind(kind, toks, at, end)

    def is_no_text(self, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether words stand for a text that is not said: "the code we sent you"."""
        if things.is_placeholder(self.lexicon, toks, at, end):
            return True
        if end - at == 1 and len(toks[at].key) > 1 and self.lexicon.is_article(toks[at]):
            return True  # torn out of something: "type in the | search bar"
        if at > 0 and toks[at - 1].key == "of" and self.is_told(toks, at, end):
            return True  # "the name of the project", "the number of blocks in the box"
        if names.is_worked_out(self.lexicon, toks, at, end):
            return True
        return self.is_unlabelled(toks, at)

    def is_told(self, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether what follows an "of" says whose it is, or where, and is no value."""
        placed = any(
            token.quoted is None and token.key in LITTLE.placing for token in toks[at + 1 : end]
        )
        return placed or self.lexicon.is_article(toks[at])

    def is_unlabelled(self, toks: Sequence[Tok], at: int) -> bool:
        """Tell whether a word stands behind a label that is no value of it."""
        never = self.lexicon.never_after_label
        labelled = at > 0 and toks[at - 1].key in self.lexicon.labels
        return labelled and toks[at].quoted is None and toks[at].key in never


def says_more(toks: Sequence[Tok], at: int, end: int) -> bool:
    """Tell whether a number is followed by something else that is to be done: "2 and order"."""
    if end - at < 3 or toks[at + 1].key not in LITTLE.adding or toks[at + 1].quoted is not None:  # noqa: PLR2004
        return False
    number, following = toks[at].key.rstrip("%"), toks[at + 2]
    return number.replace(".", "", 1).isdecimal() and following.key.isalpha()


def list_ends(toks: Sequence[Tok], at: int, end: int) -> Sequence[int]:
    """Give the ends of one name, and of the lists that begin with it, the longest first."""
    ends = [at + 1]
    index = at + 1
    while index < end:
        joined = bool(toks[index].parted)
        while index < end and toks[index].quoted is None and toks[index].key in LITTLE.listing:
            joined = True
            index += 1
        if not joined or index >= end or toks[index].parted > 1:
            break
        index += 1
        ends.append(index)
    return ends[::-1]

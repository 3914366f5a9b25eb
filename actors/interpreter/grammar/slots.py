"""What may fill a slot, and the value its words become.

A value is never made up: it is what was said, or what the table says that a word stands for.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from actors.interpreter.grammar.keys import Keyboard
from actors.interpreter.grammar.sentence import Sentence, Tok
from actors.interpreter.grammar.templates import Slot, Stops
from actors.words import is_plural, singular
from messages.message import Value

HOST = re.compile(
    r"https?://\S+|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#]\S*)?"
    r"|[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+\.?(?::\d+)?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
NUMBER = re.compile(r"-?\d{1,6}(?:%|px)?")
DECIMAL = re.compile(r"\d{1,6}(?:\.\d{1,3})?")
LETTER = re.compile(r"[a-z]")
DRIVE = re.compile(r"[a-z]:")
# Options, drives, Windows paths and signs of grammar: what must be quoted to be a name.
ODD_NAME = re.compile(r"\s|^-|^[a-z]:|\\|[:?*<>|]$|^\(")
DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.h]\d\d(?::\d\d)?(?:am|pm)?"
    r"|\d{1,2}[:.]\d\d[-–]\d{1,2}[:.]\d\d|\d{1,2}(?:am|pm)|\d{4}-\d\d-\d\dt\d\d:\d\d\S*"
)
COLOUR = re.compile(r"#[0-9a-f]{3,8}")
AMOUNT = re.compile(r"[-+]?[$€£]?\d[\d,.]*%?(?:px|em|km|kg|cm|mm|m|k)?")
MAX_LABEL = 4
HUNDRED = 100
TENS = 20
MAX_DATE = 7


@dataclass(frozen=True)
class Lexicon:
    """The names that decide between readings, from the table and from this machine."""

    sites: Mapping[str, str]
    anchors: frozenset[str]
    endings: frozenset[str]
    hosts: frozenset[str]
    suffixes: Callable[[], frozenset[str]]
    grammatical: frozenset[str]
    describing: frozenset[str]
    measuring: frozenset[str]
    pronouns: frozenset[str]
    articles: frozenset[str]
    relations: frozenset[str]
    partitive: frozenset[str]
    labels: frozenset[str]
    never_after_label: frozenset[str]
    months: frozenset[str]
    numbers: Mapping[str, int]
    units: Mapping[str, float]
    programs: frozenset[str]
    deictic: frozenset[str]
    kinds: Mapping[str, frozenset[str]]
    values: Mapping[str, Mapping[tuple[str, ...], str]]
    keyboard: Keyboard
    _longest: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name, sayings in self.values.items():
            self._longest[name] = max(map(len, sayings))

    def knows(self, slot: Slot) -> bool:
        """Tell whether anything may fill a slot of this type."""
        return slot.type in CHECKS or slot.type in self.kinds or slot.type in self.values

    def openers_of(self, slot: Slot) -> frozenset[str]:
        """Give the words that a slot at the beginning may begin with; "" if those are too many."""
        if slot.type in self.values:
            return frozenset(saying[0] for saying in self.values[slot.type])
        if slot.type == "held":
            return frozenset(self.keyboard.held)
        return frozenset({""})

    # Where a slot may end

    def ends(
        self, slot: Slot, toks: Sequence[Tok], at: int, end: int, stops: Stops
    ) -> Sequence[int]:
        """Give the places where a slot that begins at ``at`` may end, likeliest first."""
        if at >= end:
            return ()
        if slot.type in ONE_TOKEN:
            return list_ends(toks, at, end) if slot.many else (at + 1,)
        if slot.type in self.values:
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
            while index < end and (toks[index].key in LISTING or self.is_article(toks[index])):
                joined = joined or toks[index].key in LISTING
                index += 1
            further = self.saying_end(slot.type, toks, index, end) if joined else 0
            if not further:
                break
            ends.append(further)
        return ends[::-1]

    def saying_end(self, name: str, toks: Sequence[Tok], at: int, end: int) -> int:
        sayings = self.values[name]
        for length in range(min(self._longest[name], end - at), 0, -1):
            if tuple([token.key for token in toks[at : at + length]]) in sayings:
                return at + length
        return 0

    # What may fill it

    def fits(self, slot: Slot, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether tokens may fill a slot."""
        if slot.name == "text" and self.is_no_text(toks, at, end):
            return False
        check = CHECKS.get(slot.type)
        if check is not None and slot.many and end - at > 1 and slot.type in ONE_TOKEN:
            return all(
                check(self, toks, index, index + 1)
                for index in range(at, end)
                if toks[index].quoted is not None or toks[index].key not in LISTING
            )
        if check is not None:
            return check(self, toks, at, end)
        if slot.type in self.kinds:
            if slot.type in HEADS:
                end = self.head_end(toks, at, end)
            return fits_thing(self, toks, at, end) and self.has_kind(slot.type, toks, at, end)
        return slot.type in self.values

    def has_kind(self, kinds: str, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether words for a thing say that it is of one of these kinds."""
        known = self.kinds[kinds]
        for index in range(at, end):
            token = toks[index]
            if token.quoted is not None:
                continue
            word = token.key
            two = f"{word} {toks[index + 1].key}" if index + 1 < end else ""
            length = 2 if two in known or singular(two) in known else 1
            if length == 1 and word not in known and singular(word) not in known:
                continue
            after = index + length
            named = token.capital and after < end and (index > at or at > 0)
            if after >= end or (is_named_by(toks[after], self.relations) and not named):
                return True
            if index == at and is_plural(word):
                return True
        return False

    def head_end(self, toks: Sequence[Tok], at: int, end: int) -> int:
        """Give where the words end that name a thing itself: "the last row | of the table"."""
        for index in range(at + 1, end):
            token = toks[index]
            if token.key in self.partitive and token.quoted is None and not token.capital:
                return index
        return end

    def is_no_text(self, toks: Sequence[Tok], at: int, end: int) -> bool:
        """Tell whether words stand for a text that is not said: "the code we sent you"."""
        if is_placeholder(self, toks, at, end):
            return True
        if end - at == 1 and len(toks[at].key) > 1 and self.is_article(toks[at]):
            return True  # torn out of something: "type in the | search bar"
        labelled = at > 0 and toks[at - 1].key in self.labels
        return labelled and toks[at].quoted is None and toks[at].key in self.never_after_label

    def names_some_kind(self, token: Tok) -> bool:
        """Tell whether a word is one for a kind of things."""
        word = token.key
        return token.quoted is None and any(
            word in kinds or singular(word) in kinds for kinds in self.kinds.values()
        )

    def is_article(self, token: Tok) -> bool:
        return token.quoted is None and token.key in self.articles

    # Words of a kind

    def is_file(self, word: str) -> bool:
        """Tell whether a word looks like a file's name: its ending is a known one."""
        stem, dot, ending = word.rpartition(".")
        if not dot or "://" in word or word.startswith("www."):
            return False
        if not stem:
            return ending.isalpha()  # .gitignore
        if "/" not in stem and "." in stem and ending in {"rs", "sh", "app", "pl"}:
            return False  # docs.example.org is a host
        return ending in self.endings

    def is_address(self, word: str) -> bool:
        """Tell whether a word is a web address: a file's name is looked for first."""
        if HOST.fullmatch(word) is None:
            return False
        if "://" in word or word.startswith(("localhost", "[")):
            return True
        host = re.split(r"[/?#:]", word, maxsplit=1)[0].rstrip(".")
        if self.is_file(host):
            return "/" in word and not self.is_file(word)
        last = host.rpartition(".")[2]
        return last.isdecimal() or last in self.suffixes() or "/" in word or ":" in word

    def is_plain_name(self, word: str) -> bool:
        """Tell whether an unquoted word can be taken for a name as it stands."""
        if word in self.grammatical and len(word) > 1:
            return False
        return ODD_NAME.search(word) is None


def list_ends(toks: Sequence[Tok], at: int, end: int) -> Sequence[int]:
    """Give the ends of one name, and of the lists that begin with it, the longest first."""
    ends = [at + 1]
    index = at + 1
    while index < end:
        joined = bool(toks[index].parted)
        while index < end and toks[index].quoted is None and toks[index].key in LISTING:
            joined = True
            index += 1
        if not joined or index >= end or toks[index].parted > 1:
            break
        index += 1
        ends.append(index)
    return ends[::-1]


def is_named_by(token: Tok, relations: frozenset[str]) -> bool:
    """Tell whether what follows a kind says which one: a name, a number, a relation."""
    return (
        token.quoted is not None
        or token.capital
        or token.key in relations
        or token.key[:1].isdigit()
    )


# Kinds that are read in a way of their own, if the thing itself is one.
HEADS = frozenset({"table", "list"})
LISTING = frozenset({"and", "&", "also", "then"})
ONE_TOKEN = frozenset(
    {
        "quoted", "name", "named", "file", "entry", "word", "address", "letter",
        "drive", "anchor", "content", "pattern", "app", "known", "plainword", "glob",
        "host", "quotedkeys", "colon", "held",
    }
)  # fmt: skip
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
}

Check = Callable[[Lexicon, Sequence[Tok], int, int], bool]


def fits_text(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:  # noqa: ARG001
    """A value: one quoted text, or words without any."""
    if end - at == 1:
        return True
    return all(token.quoted is None for token in toks[at:end])


def fits_thing(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Words for a thing: more than little words, and not beginning with a relation."""
    first = toks[at]
    if first.quoted is not None:
        return True
    if end - at == 1 and first.key in PARTICLES and not first.capital:
        return False
    if end - at == 1:
        return (
            first.key not in lexicon.grammatical or first.key in lexicon.pronouns or first.capital
        )
    if is_list_of_files(lexicon, toks, at, end):
        return False
    return first.key not in lexicon.relations or first.capital


def is_list_of_files(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Tell whether words are names of files and nothing else: no thing on a page is called so."""
    return all(token.quoted is None and lexicon.is_file(token.key) for token in toks[at:end])


def fits_page_thing(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Words for a thing on a page: one chosen from a row must be of a kind that pages have."""
    if not fits_thing(lexicon, toks, at, end):
        return False
    if any(token.quoted is None and lexicon.is_file(token.key) for token in toks[at:end]):
        return False
    while end - at > 1 and lexicon.is_article(toks[at]):
        at += 1
    if any(lexicon.has_kind(kind, toks, at, end) for kind in ("anything", "readable", "field")):
        return True
    measured = toks[at].quoted is None and toks[at].key in lexicon.measuring
    counted = toks[at].quoted is None and toks[at].key in lexicon.describing
    filed = any(token.key in lexicon.endings for token in toks[at:end])
    return not (measured or (counted and filed))


def fits_settable(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A thing whose value is set on a page: the volume and alarms are none."""
    settings = lexicon.kinds["no_setting"]
    return fits_thing(lexicon, toks, at, end) and not any(
        toks[index].quoted is None
        and toks[index].key in settings
        and not (index + 1 < end and names_control(lexicon, toks[index + 1]))
        for index in range(at, end)
    )


def names_control(lexicon: Lexicon, token: Tok) -> bool:
    """Tell whether a word makes a thing on a page of the words before it: "the volume slider"."""
    listed = ("slider", "dropdown", "field", "listed", "no_setting")
    known = token.quoted is None and any(token.key in lexicon.kinds[kind] for kind in listed)
    return known and not token.parted


def fits_destination(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Where something is dragged to: a thing, and no mere direction."""
    while end - at > 1 and lexicon.is_article(toks[at]):
        at += 1
    directed = end - at == 1 and (toks[at].key,) in lexicon.values["direction"]
    return not directed and fits_thing(lexicon, toks, at, end)


def fits_entered(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A part of a page that one goes into; "your message in the chat" is to be written."""
    if not fits_thing(lexicon, toks, at, end) or not lexicon.has_kind("opened", toks, at, end):
        return False
    inside = any(token.key in PLACING and not token.capital for token in toks[at:end])
    return not inside and not fits_label(lexicon, toks, at, end)


def fits_titled(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A thing that is written as a name, or numbered."""
    named = toks[at].capital or toks[end - 1].key[:1].isdigit()
    return named and fits_thing(lexicon, toks, at, end)


def fits_no_folder(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A thing to go to that is no folder: files in it would be looked for elsewhere."""
    keys = [token.key for token in toks[at:end] if token.quoted is None]
    folders = {"folder", "directory"} | lexicon.anchors
    named = any(token.capital for token in toks[at:end])
    return fits_thing(lexicon, toks, at, end) and (named or not folders.intersection(keys))


def is_placeholder(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Tell whether a text only says what is to be written: "your email address"."""
    first = toks[at]
    if first.quoted is not None or first.capital or first.key not in lexicon.articles:
        return False
    fields = lexicon.kinds["field"]
    return any(token.key in lexicon.labels or token.key in fields for token in toks[at + 1 : end])


def fits_quoted(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].quoted is not None


def fits_name(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    """A name that is given: a word that is no grammar, or whatever is quoted."""
    token = toks[at]
    return token.quoted is not None or lexicon.is_plain_name(token.key)


def fits_named(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A name before its kind ("the old folder"): no word that says which, or how."""
    token = toks[at]
    if token.quoted is not None:
        return True
    known = token.key in lexicon.describing or token.key in lexicon.grammatical
    return not known and fits_name(lexicon, toks, at, end)


def fits_title(_lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A name after "called": several words too, if they are not quoted in part or joined."""
    if end - at == 1:
        return toks[at].quoted is not None or not ODD_NAME.search(toks[at].key)
    span = toks[at:end]
    joined = any(token.parted or token.key in JOINING or token.key in PLACING for token in span[1:])
    whole = all(token.quoted is None for token in span)
    return whole and not joined and not any(ODD_NAME.search(token.key) for token in span)


def fits_words(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A name of a few words, none of which could begin something else."""
    span = toks[at:end]
    if end - at > MAX_LABEL or any(token.quoted is not None or token.parted for token in span[1:]):
        return False
    if span[0].quoted is not None:
        return end - at == 1
    return all(
        lexicon.is_plain_name(token.key)
        and token.key.replace("-", "").replace("_", "").isalnum()
        and (len(token.key) > 1 or end - at == 1 or not token.key.isalpha() or token is not span[0])
        and token.key not in lexicon.describing
        for token in span
    )


def fits_free_content(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Text for a file, unquoted: words that name nothing whose content could be meant."""
    if end - at == 1:
        return fits_content(lexicon, toks, at, end)
    span = toks[at:end]
    if any(token.quoted is not None or lexicon.is_file(token.key) for token in span):
        return False
    first = span[0].key
    return (
        first not in lexicon.articles
        and first not in lexicon.grammatical
        and not any(token.key in lexicon.deictic or token.key in PLACING for token in span)
        and span[-1].key not in lexicon.grammatical
        and not any(token.parted or token.key in JOINING for token in span[1:])
    )


def fits_file(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    token = toks[at]
    return token.quoted is not None or (
        lexicon.is_file(token.key) and not ODD_NAME.search(token.key)
    )


def fits_entry(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A file or folder that is there: a name or "it", but no word for a thing on a page."""
    if toks[at].key == "it" and toks[at].quoted is None:
        return True
    key = toks[at].key
    shown = key in lexicon.kinds["opened"] | lexicon.kinds["no_file"] | PARTICLES
    return fits_name(lexicon, toks, at, end) and (toks[at].quoted is not None or not shown)


def fits_content(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    """Text for a file: quoted, or one word that can mean nothing else."""
    token = toks[at]
    if token.quoted is not None:
        return True
    known = token.key in lexicon.grammatical or token.key in lexicon.deictic
    return not known and not lexicon.is_file(token.key)


def fits_pattern(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    token = toks[at]
    return token.quoted is not None or token.key not in lexicon.grammatical


def fits_word(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    token = toks[at]
    return token.quoted is None and token.key not in lexicon.grammatical and token.key.isalnum()


def fits_program(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A program's name: no file, no address, no word of grammar."""
    token = toks[at]
    if token.quoted is not None:
        return end - at == 1
    if end - at > 1:  # several words only if they are written as a name
        return all(
            each.quoted is None and each.capital and not each.parted and each.key.isalnum()
            for each in toks[at:end]
        )
    word = token.key
    return (
        fits_name(lexicon, toks, at, end)
        and not lexicon.is_file(word)
        and not lexicon.is_address(word)
    )


def fits_number(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    token = toks[at]
    if token.quoted is not None:
        return False
    if end - at == 1:
        return NUMBER.fullmatch(token.key) is not None or token.key in lexicon.numbers
    first, second = lexicon.numbers.get(token.key, 0), lexicon.numbers.get(toks[at + 1].key, 0)
    return end - at == len(("forty", "five")) and (
        (first >= TENS and 0 < second < len("0123456789"))
        or (second == HUNDRED and 0 < first < TENS)
    )


def fits_address(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    word = toks[at].key if toks[at].quoted is None else (toks[at].quoted or "").strip().casefold()
    return word in lexicon.sites or lexicon.is_address(word)


def fits_letter(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return LETTER.fullmatch(toks[at].key) is not None


def fits_drive(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return LETTER.fullmatch(toks[at].key.rstrip(":")) is not None and toks[at].quoted is None


def fits_colon(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].quoted is None and DRIVE.fullmatch(toks[at].key) is not None


def fits_anchor(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].key in lexicon.anchors


def fits_label(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """The name of a field: words of which the last is one that fields are called by."""
    span = toks[at:end]
    if any(token.quoted is not None or token.key in lexicon.grammatical for token in span):
        return False
    if any(token.parted for token in span[1:]):
        return False
    if span[-1].key not in lexicon.labels:
        return False
    return all(token.key.isalpha() or "-" in token.key for token in span)


def fits_duration(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    return duration(lexicon, toks, at, end) is not None


def fits_pronoun(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    if any(token.quoted is not None for token in toks[at:end]):
        return False
    return " ".join([token.key for token in toks[at:end]]) in lexicon.pronouns


def fits_keys(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    return lexicon.keyboard.chord(toks[at:end]) is not None


def fits_chord(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Keys that can be nothing else: a chord, or a function key."""
    named = lexicon.keyboard.chord(toks[at:end])
    return named is not None and ("+" in named or named[1:].isdecimal())


def fits_plain_keys(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Keys that are hardly the name of a button."""
    named = lexicon.keyboard.chord(toks[at:end])
    return named is not None and named not in DOUBTFUL_KEYS


def fits_when(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A date, a time, a number or a colour: a value whatever stands around it."""
    span = toks[at:end]
    if any(token.quoted is not None for token in span):
        return False
    words = [token.key for token in span]
    if len(words) == 1:
        return bool(
            DATE.fullmatch(words[0])
            or COLOUR.fullmatch(words[0])
            or AMOUNT.fullmatch(words[0])
            or (words[0],) in lexicon.values["colours"]
        )
    dated = [
        DATE.fullmatch(word) is not None
        or word in lexicon.months
        or (word.isdecimal() and len(word) <= len("2024"))
        for word in words
    ]
    little = [word in {"of", "at", "the", "am", "pm", "a.m", "p.m"} for word in words]
    return (
        any(dated)
        and dated[0] | (words[0] == "the")
        and all(one or other for one, other in zip(dated, little, strict=True))
        and words[-1] not in {"of", "at", "the"}
    )


def fits_host(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """An address where nothing but one is meant: "visit brew.sh"."""
    word = toks[at].key
    ending = word.rpartition(".")[2]
    return fits_address(lexicon, toks, at, end) or (
        ending in lexicon.hosts and HOST.fullmatch(word) is not None
    )


def fits_held(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    """A key that is held while another is pressed, by itself."""
    return toks[at].quoted is None and toks[at].key in lexicon.keyboard.held


def fits_quoted_keys(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    quoted = toks[at].quoted
    return quoted is not None and lexicon.keyboard.named(quoted.strip().casefold()) is not None


def fits_dated(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A date or a time, and no mere number."""
    if end - at == 1:
        return toks[at].quoted is None and DATE.fullmatch(toks[at].key) is not None
    return fits_when(lexicon, toks, at, end)


def fits_known(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].key in lexicon.programs


def fits_glob(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return "*" in toks[at].key


JOINING = frozenset({"and", "&", "then", "but", "or"})
# Keys that are names of buttons as well.
DOUBTFUL_KEYS = frozenset({"Delete", "Home", "End", "Insert"})
PARTICLES = frozenset({"over", "back", "up", "down", "off", "out", "away", "on", "in"})
PLACING = frozenset({"in", "on", "inside", "within", "into", "onto", "under", "at", "from"})
CHECKS: Mapping[str, Check] = {
    "text": fits_text,
    "thing": fits_thing,
    "settable": fits_settable,
    "titled": fits_titled,
    "entered": fits_entered,
    "destination": fits_destination,
    "nofolder": fits_no_folder,
    "pagething": fits_page_thing,
    "quoted": fits_quoted,
    "name": fits_name,
    "named": fits_named,
    "title": fits_title,
    "words": fits_words,
    "freecontent": fits_free_content,
    "host": fits_host,
    "quotedkeys": fits_quoted_keys,
    "held": fits_held,
    "file": fits_file,
    "entry": fits_entry,
    "content": fits_content,
    "pattern": fits_pattern,
    "word": fits_word,
    "app": fits_program,
    "program": fits_program,
    "number": fits_number,
    "address": fits_address,
    "letter": fits_letter,
    "drive": fits_drive,
    "colon": fits_colon,
    "anchor": fits_anchor,
    "label": fits_label,
    "duration": fits_duration,
    "pronoun": fits_pronoun,
    "known": fits_known,
    "plainword": fits_content,
    "glob": fits_glob,
    "keys": fits_keys,
    "chord": fits_chord,
    "plainkeys": fits_plain_keys,
    "when": fits_when,
    "dated": fits_dated,
}


def duration(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> float | None:
    """Read "5 seconds", "two minutes", "half a second", "10s" as seconds."""
    words = [token.key for token in toks[at:end] if token.quoted is None]
    if len(words) == 1 and (fused := re.fullmatch(r"(\d+(?:\.\d+)?)(\D+)", words[0])):
        words = [fused[1], fused[2]]
    if len(words) < 2 or words[-1] not in lexicon.units:  # noqa: PLR2004 - a number and a unit
        return None
    number = " ".join(words[:-1])
    unit = lexicon.units[words[-1]]
    if DECIMAL.fullmatch(number):
        return float(number) * unit
    count = lexicon.numbers.get(number)
    return None if count is None else count * unit


def number_of(toks: Sequence[Tok], lexicon: Lexicon) -> int:
    """Read "forty five" and "one hundred"."""
    total = 0
    for token in toks:
        number = lexicon.numbers[token.key]
        total = max(total, 1) * number if number == HUNDRED else total + number
    return total


def value_of(slot: Slot, sentence: Sentence, at: int, end: int, lexicon: Lexicon) -> Value:
    """Turn a slot's words into its value."""
    toks = sentence.toks
    first = toks[at]
    said = first.quoted if end - at == 1 and first.quoted is not None else sentence.said(at, end)
    match slot.type:
        case "number":
            if end - at > 1:
                return number_of(toks[at:end], lexicon)
            word = first.key.rstrip("%px")
            return lexicon.numbers[word] if word in lexicon.numbers else int(word)
        case "duration":
            seconds = duration(lexicon, toks, at, end) or 0.0
            return int(seconds) if seconds == int(seconds) else seconds
        case "keys" | "chord" | "plainkeys":
            return lexicon.keyboard.chord(toks[at:end]) or said
        case "quotedkeys":
            return lexicon.keyboard.named(said.strip().casefold()) or said
        case "address" | "host":
            return lexicon.sites.get(said.strip().casefold(), said)
        case name if name in lexicon.values:
            return lexicon.values[name][tuple(token.key for token in toks[at:end])]
        case _:
            return said

"""Names of several words that are not quoted, where their end or a noun makes them plain.

"Read Shopping list.txt" names one file: its last word has the ending of a file. "The after party
folder" names one folder. Here is found which words such a name could have; whether a command is
understood with it is not decided here. What is joined becomes a quoted text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, product

from actors.interpreter.grammar.lexicon import ODD_NAME, Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.language.file_frames import verbs, written_frames
from actors.language.file_words import NO_NAMES, words_for
from actors.language.tokens import scan
from actors.language.words import fold
from actors.vault import may_speak_of_secret
from messages.goals import GoalDraft, scopes

MOST_WORDS = 6
MOST_SPOTS, MOST_WAYS = 4, 16
SHORT_NUMBER = 3  # digits: "the 5 a.txt" counts, "2026 plan.txt" may be a name
PARTING = ",;:.!?"
# Words that hold sentences together, and still begin names: "after party", "for Ann".
NAMEABLE = frozenset({"after", "before", "for", "by"})
COMPARING = frozenset({"than"})
FOLDERS = frozenset({"folder", "directory"})
# The parameters of file goals that are names; all others are texts, numbers and words.
NAMES = ("name", "to", "as", "other", "pattern")
INSIDE = "inside:"

Span = tuple[int, int]
NO_SPAN: Span = (0, 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """A word where it stands, as it is compared; ``parted`` if it ends what stands before it."""

    key: str
    start: int
    end: int
    quoted: bool
    parted: bool
    capital: bool


@dataclass(frozen=True, slots=True)
class Joined:
    """A text with quotes around ``names``, and where they were put in."""

    text: str
    names: tuple[str, ...]
    marks: tuple[int, ...]

    def position(self, at: int) -> int:
        """Give where a character of this text stands in the text as it was said."""
        return at - sum(mark + index < at for index, mark in enumerate(self.marks))

    def span(self, span: Span) -> Span:
        return self.position(span[0]), self.position(span[1])


def ways_to_join(text: str, lexicon: Lexicon) -> Iterator[Joined]:
    """Give a text with its names quoted, in every way that they could be meant."""
    pieces = pieces_of(text)
    spots = list(spots_in(pieces, lexicon))
    if not spots or len(spots) > MOST_SPOTS:
        return
    for spans in islice(product(*((*spot, NO_SPAN) for spot in spots)), MOST_WAYS):
        ordered = sorted(span for span in spans if span != NO_SPAN)
        if ordered and all(first[1] <= second[0] for first, second in pairwise(ordered)):
            joined = quoted_at(text, ordered)
            if not any(map(may_speak_of_secret, joined.names)):
                yield joined


def quoted_at(text: str, spans: Sequence[Span]) -> Joined:
    """Put quotes around parts of a text."""
    found, at = "", 0
    for start, end in spans:
        found += f'{text[at:start]}"{text[start:end]}"'
        at = end
    names = tuple(text[start:end] for start, end in spans)
    return Joined(found + text[at:], names, tuple(mark for span in spans for mark in span))


def pieces_of(text: str) -> list[Piece]:
    """Cut a text into words, each without the signs around it."""
    found: list[Piece] = []
    for start, end, quoted in scan(text):
        said = text[start:end]
        bare = said if quoted is not None else said.rstrip(PARTING)
        parted = bare != said
        last = start + len(bare)
        found.append(Piece(fold(bare), start, last, quoted is not None, parted, said[:1].isupper()))
    return found


def spots_in(pieces: Sequence[Piece], lexicon: Lexicon) -> Iterator[list[Span]]:
    """Give each place where a name of several words may stand, with the ways to tell its words."""
    for at, piece in enumerate(pieces):
        if piece.quoted:
            continue
        if lexicon.is_file(piece.key) and "/" not in piece.key:
            spans = list(spans_of_file(pieces, at, lexicon))
        elif piece.key in FOLDERS:
            spans = list(spans_of_folder(pieces, at, lexicon))
        else:
            continue
        if spans:
            yield spans


def spans_of_file(pieces: Sequence[Piece], at: int, lexicon: Lexicon) -> Iterator[Span]:
    """Give the words before one with a file's ending that may belong to its name."""
    end = pieces[at].end
    for before in range(at - 1, max(0, at - MOST_WORDS), -1):
        piece = pieces[before]
        if not is_inner(piece, lexicon) or piece.parted:
            return
        if may_begin(piece, lexicon) and not begins_clause(pieces, before):
            yield piece.start, end


def begins_clause(pieces: Sequence[Piece], at: int) -> bool:
    """Tell whether a verb stands where a clause begins: there it is no part of a name."""
    before = pieces[at - 1]
    is_first = before.parted or before.key in LITTLE.joining
    return is_first and pieces[at].key in verbs()


def is_inner(piece: Piece, lexicon: Lexicon) -> bool:
    """Tell whether a word may stand in a name: it holds no sentence together."""
    parting = lexicon.grammatical | LITTLE.joining | LITTLE.placing | COMPARING
    if piece.quoted or not piece.key or piece.key in parting:
        return False
    return not (
        lexicon.is_file(piece.key) or lexicon.is_address(piece.key) or ODD_NAME.search(piece.key)
    )


def may_begin(piece: Piece, lexicon: Lexicon) -> bool:
    """Tell whether a name may begin with a word: it says neither which nor how many."""
    key = piece.key
    if key in lexicon.describing | LITTLE.particles | NO_NAMES or key in lexicon.numbers:
        return False
    if key in words_for("words.polite"):
        return False
    is_noun = key in written_frames().nouns["file"] and not piece.capital
    return not (is_noun or (key.isdecimal() and len(key) <= SHORT_NUMBER))


def spans_of_folder(pieces: Sequence[Piece], at: int, lexicon: Lexicon) -> Iterator[Span]:
    """Give the words beside "folder" that may be its name: "the … folder", "the folder …"."""
    first = at
    while first and not (pieces[first - 1].quoted or pieces[first - 1].parted):
        first -= 1
        if pieces[first].key in lexicon.articles:
            break
    if pieces[first].key in lexicon.articles:
        yield from name_within(pieces[first + 1 : at], lexicon)
    last = at + 1
    while not pieces[last - 1].parted and last < len(pieces) and may_follow(pieces[last], lexicon):
        last += 1
    yield from name_within(pieces[at + 1 : last], lexicon)


def may_follow(piece: Piece, lexicon: Lexicon) -> bool:
    """Tell whether a word behind "folder" goes on with its name, and begins no other part."""
    is_end = piece.key in LITTLE.placing | LITTLE.joining | lexicon.articles | {"to", "as"}
    return not (piece.quoted or is_end)


def name_within(pieces: Sequence[Piece], lexicon: Lexicon) -> Iterator[Span]:
    """Give the span of words that are one name; several words, none of which says which."""
    if not 1 < len(pieces) <= MOST_WORDS or not may_begin(pieces[0], lexicon):
        return
    if all(each.key in NAMEABLE or is_inner(each, lexicon) for each in pieces):
        yield pieces[0].start, pieces[-1].end


def are_taken(names: Sequence[str], drafts: Sequence[GoalDraft], lexicon: Lexicon) -> bool:
    """Tell whether names are those of files and folders in goals, and of nothing else in them."""
    if any(is_doubtful_new_name(draft, names, lexicon) for draft in drafts):
        return False
    of_files = {name.casefold() for draft in drafts for name in names_in(draft)}
    of_places = {name.casefold() for draft in drafts for name in places_in(draft)}
    return all(
        name.casefold() in (of_files if is_file_name(name, lexicon) else of_files | of_places)
        for name in names
    )


def is_file_name(name: str, lexicon: Lexicon) -> bool:
    return lexicon.is_file(fold(name).rpartition(" ")[2])


def is_doubtful_new_name(draft: GoalDraft, names: Sequence[str], lexicon: Lexicon) -> bool:
    """Tell whether something new is given a name that is not plain: then its words are no name.

    A folder is not called like a file, and words like "after" may belong to the sentence.
    """
    name = draft.params.get("name")
    if (draft.domain, draft.verb) != ("file", "create") or name not in names:
        return False
    if is_file_name(str(name), lexicon):
        return draft.params.get("object_type") == "folder"
    return not lexicon.grammatical.isdisjoint(fold(str(name)).split())


def names_in(draft: GoalDraft) -> Iterator[str]:
    """Give what a file goal names."""
    if draft.domain != "file":
        return
    for value in (draft.params.get(name) for name in NAMES):
        if isinstance(value, str):
            yield from (value, *value.split("|"))
    yield from (role.strip('"') for role in draft.roles.values())


def places_in(draft: GoalDraft) -> Iterator[str]:
    """Give the folders that a file goal is in."""
    if draft.domain == "file":
        places = (scope for scope in scopes(draft.scope) if scope.startswith(INSIDE))
        yield from (place.removeprefix(INSIDE) for place in places)

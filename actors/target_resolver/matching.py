"""Matching: do these words mean that thing, and how well? Scored, with reasons.

All words of a phrase must be said of the thing. A full name or alias is exact; anything less is
partial. A name that is taken literally is best as it is written, then in any other case. A noun
must be what the thing is (the last word of its name, a keyword, its kind): an apple pie is no
apple. Words that merely describe may refer alone. Nothing near is ever taken.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from actors.language.words import (
    ENGLISH,
    RELATIONS,
    WORD,
    bare,
    canonical,
    fold,
    forms,
    name_key,
    words_of,
)
from actors.target_resolver.scopes import PAGE, Scope, View
from messages.phrases import Phrase, Pronoun, Related
from messages.worlds import BEINGS, Thing

DIGITS = re.compile(r"\d")
AS_WRITTEN, EXACT, PARTIAL, LABEL = 110, 100, 50, 40
FEW, FEW_LINES = 3, 32
AS_SAID = ("name as said",)
# Beings whose names are mostly what they are: a sheep dog is no sheep.
BEASTS = frozenset({"animal", "creature", "monster"})
DESCRIBED = ("described",)


@dataclass(frozen=True, slots=True)
class Match:
    """A thing that the words mean, and why."""

    thing: Thing
    score: int
    reasons: tuple[str, ...]


@dataclass(slots=True)
class Wanted:
    """A phrase, made ready to be compared with many things.

    Only what the ``scopes`` reach can tell what is meant by what it holds.
    """

    phrase: Phrase
    literal: str
    named: str
    words: tuple[str, ...]
    forms: tuple[frozenset[str], ...] = ()
    related_ids: frozenset[str] | None = None
    offered: bool = False
    scopes: tuple[Scope, ...] = ()

    @property
    def says_anything(self) -> bool:
        return bool(self.words) or self.phrase.quoted is not None


def wanted(phrase: Phrase) -> Wanted:
    """Prepare a phrase."""
    literal = name_key(phrase.text)
    if phrase.quoted is not None:
        return Wanted(phrase, literal, name_key(phrase.quoted), phrase.adjectives)
    words = phrase.adjectives if phrase.head is None else (*phrase.adjectives, phrase.head)
    if not words and phrase.is_literal():
        return Wanted(phrase, literal, literal, ())
    # Only a noun stands for one or several; what describes is compared as it is.
    nouns = () if phrase.head is None else words[-1:]
    describing = words[: len(words) - len(nouns)]
    shapes = (*(frozenset({word}) for word in describing), *map(forms, nouns))
    return Wanted(phrase, literal, " ".join(words), words, shapes)


def literal_reading(phrase: Phrase) -> Phrase:
    """Read a phrase as nothing but words: "sword 2" as a name that ends in a number."""
    words = [word for word in words_of(bare(fold(phrase.text))) if word not in ENGLISH.articles]
    if not words:
        return Phrase(phrase.text)
    if words[-1].isdecimal() and len(words) > 1:  # the noun of "tube 2" is the tube
        words = [words[-1], *words[:-1]]
    return Phrase(phrase.text, head=words[-1], adjectives=tuple(words[:-1]))


def matches(view: View, want: Wanted, among: frozenset[str]) -> list[Match]:
    """Find the things that a phrase may mean, wherever they are, in the world's order."""
    related = want.phrase.related
    reached = () if related is None else tuple(scope.key for scope in want.scopes)
    key = (want.phrase, want.related_ids, want.offered, among, reached)
    known = view.found.get(key)
    if isinstance(known, list):
        return known
    found: list[Match] = []
    view.found[key] = found
    for thing in survivors(view, want, among):
        match = compare(view, thing, want)
        if match is not None:
            found.append(match)
    return found


def survivors(view: View, want: Wanted, among: frozenset[str]) -> Iterable[Thing]:
    """Leave out, cheaply, the things of which not all the words are said."""
    if among:
        return [thing for thing in view.things if thing.id in among]
    words = [sorted(some, key=len) for some in want.forms]
    if not words and want.named:
        words = [[word] for word in words_of(want.named) if word.isalnum()]
    if not words or len(view.things) <= FEW:
        return view.things
    words.reverse()  # the noun first: there are more red things than swords
    few = max(FEW_LINES, len(view.things) // FEW_LINES)
    lines = lines_with(view.pages(), words[0])
    for some in words[1:]:
        if len(lines) <= few:  # to look at these is less than to search again
            break
        lines &= lines_with(view.pages(), some)
    return [view.note(line) for line in sorted(lines)]


def lines_with(pages: Sequence[str], some: list[str]) -> set[int]:
    """Give the numbers of the lines that hold one of some words, even as part of a longer one."""
    lines: set[int] = set()
    searched: list[str] = []
    for word in some:  # the shortest first: what holds a longer one holds it too
        if any(less in word for less in searched):
            continue
        searched.append(word)
        for number, page in enumerate(pages):
            at = page.find(word)
            if at >= 0:
                note_lines(page, word, at, number * PAGE, lines)
    return lines


def note_lines(page: str, word: str, at: int, line: int, lines: set[int]) -> None:
    """Note the lines of a page that hold a word, from the first place on where it stands."""
    last = 0
    while at >= 0:
        line += page.count("\n", last, at)
        lines.add(line)
        last = page.find("\n", at)
        if last < 0:
            return
        at = page.find(word, last)


def compare(view: View, thing: Thing, want: Wanted) -> Match | None:
    """Compare one thing with what is wanted."""
    phrase = want.phrase
    scored = by_name(thing, want)
    if scored is None:
        return None
    score, reasons = scored
    if phrase.kind is not None and not is_kind(thing, phrase.kind):
        return None
    if reasons is AS_SAID:
        return Match(thing, score, reasons)
    if phrase.possessor is not None and is_anothers(view, thing, phrase.possessor):
        return None
    if phrase.place is not None and not is_at(view, thing, phrase.place):
        return None
    if phrase.related is not None:
        if not holds(view, thing, phrase.related, want):
            return None
        reasons = (*reasons, f"{phrase.related.relation} {phrase.related.to.text}")
    return Match(thing, score, reasons)


def by_name(thing: Thing, want: Wanted) -> tuple[int, tuple[str, ...]] | None:
    """Score what a thing is called against what was said."""
    phrase = want.phrase
    names = [name_key(name) for name in thing.names()]
    if phrase.quoted is not None:
        return quoted(thing, names, want)
    if want.literal in names:
        as_written = phrase.is_literal() and phrase.text.strip() in thing.names()
        return AS_WRITTEN if as_written else EXACT, AS_SAID
    if not want.words:
        if phrase.is_literal():
            return by_label(thing, want.literal)
        # "all", "the one in the chest", one of what is offered; but "the second" of what?
        told = phrase.quantifier or phrase.related or phrase.place or phrase.possessor
        return (PARTIAL, ("anything",)) if told or want.offered else None
    if want.named in names and not (thing.proper and phrase.chooses()):
        return EXACT, ("name",)
    return (
        by_words(thing, names, want) or by_label(thing, want.literal) or by_label(thing, want.named)
    )


def by_label(thing: Thing, said: str) -> tuple[int, tuple[str, ...]] | None:
    """Know a thing by the very words by which it was offered, if nothing else goes by them."""
    label = thing.metadata.resolution.disambiguation_label
    return (LABEL, ("label as said",)) if label is not None and same_words(label, said) else None


def quoted(thing: Thing, names: list[str], want: Wanted) -> tuple[int, tuple[str, ...]] | None:
    """Take a quoted name literally; what else is said must be true of the thing too."""
    said = want.phrase.quoted
    scored: tuple[int, tuple[str, ...]] | None
    if said in thing.names():
        scored = AS_WRITTEN, ("quoted name",)
    elif want.named in names:
        scored = EXACT, ("quoted name",)
    else:
        scored = by_label(thing, want.named)
    if scored is None or not want.words:
        return scored
    every = vocabulary(thing).every
    return None if any(forms(word).isdisjoint(every) for word in want.words) else scored


def same_words(label: str, folded: str) -> bool:
    return words_of(bare(fold(label))) == words_of(folded)


@dataclass(slots=True)
class Vocabulary:
    """The words that may be said of a thing: what it is, what describes it, all of them."""

    nouns: set[str]
    describing: set[str]
    every: set[str]


def vocabulary(thing: Thing) -> Vocabulary:
    """Gather the words that may be said of a thing."""
    nouns: set[str] = set()
    in_names: set[str] = set()
    before_nouns: set[str] = set()
    for name in thing.names():
        words = WORD.findall(fold(name))
        in_names.update(words)
        before_nouns.update(takewhile(lambda word: word not in RELATIONS, words))
        if not thing.proper:
            nouns.update(head_words(words))
    stem, dot, ending = thing.name.rpartition(".")
    if dot and stem and not thing.proper:  # of "report.pdf" both are nouns
        nouns.update((*head_words(WORD.findall(fold(stem))), *WORD.findall(fold(ending))))
    nouns.update(words_in(thing.keywords))
    nouns.update(WORD.findall(fold(thing.kind)))
    if thing.kind in BEINGS and (thing.kind not in BEASTS or thing.name[:1].isupper()):
        nouns |= in_names - RELATIONS.keys() - ENGLISH.articles
    describing = words_in(thing.adjectives)
    qualifiers = thing.qualifiers
    if qualifiers:
        describing |= words_in(qualifier_words(thing))
    if thing.state:
        describing |= words_in(thing.state)
    describing |= before_nouns & ENGLISH.descriptive
    after = (in_names & ENGLISH.descriptive) - before_nouns  # the portrait of an old man is not old
    return Vocabulary(nouns, describing, (nouns | describing | in_names) - after)


def head_words(words: list[str]) -> list[str]:
    """Give the noun of a name: its last word, or the last before "of", "with" or a final number.

    >>> [head_words(name.split()) for name in ("model 5 lamp", "locker 12", "map of the north")]
    [['lamp'], ['locker'], ['map']]
    """
    named = before_relation(words)
    while len(named) > 1 and is_label(named[-1]):
        named = named[:-1]
    return named[-1:]


def before_relation(words: list[str]) -> list[str]:
    """Leave out "of the north" and its like."""
    relations = (index for index, word in enumerate(words) if index and word in RELATIONS)
    return words[: next(relations, len(words))]


def is_numbered(thing: Thing) -> bool:
    """Tell whether a name ends in a number, by which it is told from others: "locker 12"."""
    stem, dot, _ = thing.name.rpartition(".")
    names = (*thing.names(), *((stem,) if dot else ()))
    parts = (before_relation(WORD.findall(fold(name))) for name in names)
    return any(len(words) > 1 and DIGITS.search(words[-1]) for words in parts)


def is_label(word: str) -> bool:
    """Tell whether a word only numbers what stands before it: "locker 12", "plan b"."""
    return word.isdecimal() or len(word) == 1


def words_in(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in WORD.findall(fold(text))}


def qualifier_words(thing: Thing) -> list[str]:
    """Give the values of qualifiers, however they are written."""
    qualifiers = thing.qualifiers
    if isinstance(qualifiers, tuple | list):
        return list(qualifiers)
    values: list[str] = []
    for _, value in sorted(qualifiers.items()):
        values.extend((value,) if isinstance(value, str) else value)
    return values


def by_words(thing: Thing, names: list[str], want: Wanted) -> tuple[int, tuple[str, ...]] | None:
    """Match word by word: all of them must fit, the noun as a noun."""
    known = vocabulary(thing)
    hints = thing.metadata.resolution
    told_apart: set[str] = set()
    if hints.descriptors or hints.disambiguation_label:
        told_apart = words_in((*hints.descriptors, hints.disambiguation_label or ""))
    described = known.every | told_apart
    *adjectives, head = want.forms
    if want.phrase.joined:
        describing = known.describing | told_apart
        if any(forms(word).isdisjoint(describing) for word in want.phrase.joined):
            return None
    if want.phrase.head is None:
        said = described if want.offered else known.every
        fits = all(not some.isdisjoint(said) for some in want.forms)
        return (PARTIAL, DESCRIBED) if fits else None
    if any(some.isdisjoint(described) for some in adjectives):
        return None
    if thing.proper and not want.phrase.chooses() and is_full_name(names, known, want):
        return EXACT, ("name",)
    if thing.kind in head and " ".join(want.words[:-1]) in names:
        return EXACT, ("name and kind",)
    if not head.isdisjoint(known.nouns):
        exact = not thing.proper and is_full_name(names, known, want)
        return (EXACT, ("name",)) if exact else (PARTIAL, ("noun",))
    if not head.isdisjoint(known.describing):
        return PARTIAL, DESCRIBED
    return None


def is_full_name(names: list[str], known: Vocabulary, want: Wanted) -> bool:
    """Tell whether the words are a whole name, with nothing but declared adjectives before it."""
    for name in names:
        words = WORD.findall(name)
        before = len(want.forms) - len(words)
        if before < 0 or not words:
            continue
        tail = want.forms[before:]
        if all(word in some for word, some in zip(words, tail, strict=True)) and not any(
            some.isdisjoint(known.describing) for some in want.forms[:before]
        ):
            return True
    return False


def is_kind(thing: Thing, kind: str) -> bool:
    """Tell whether a thing is of a kind, by its kind or by what it is called."""
    return not forms(kind).isdisjoint(vocabulary(thing).nouns)


def is_at(view: View, thing: Thing, place: str) -> bool:
    """Tell whether a thing is carried, or lies about in the room."""
    if place == "held":
        return view.actor is not None and within(view, thing, view.actor)
    return view.room is not None and thing.location == view.room.id


def within(view: View, thing: Thing, place: Thing) -> bool:
    """Tell whether a thing is in a place, however deep."""
    seen: set[str] = set()
    holder = view.holder(thing)
    while holder is not None and holder.id not in seen:
        if holder.id == place.id:
            return True
        seen.add(holder.id)
        holder = view.holder(holder)
    return False


def holds(view: View, thing: Thing, related: Related, want: Wanted) -> bool:
    """Tell whether a thing stands in a relation to another, as the world has it.

    Some ids are the only things that the other can be, where more is said of it than words.
    """
    ids = want.related_ids
    if ids is not None and related.relation == "owner":
        return owner_of(view, thing) in ids
    relation = "in" if related.relation == "from" else related.relation
    if ids is not None:
        return any(place.id in ids for place in places_around(view, thing, relation))
    match relation:
        case "owner":
            return is_owned(view, thing, related.to)
        case "of" | "with":
            said = words_of(fold(related.to.text))
            every = vocabulary(thing).every if relation == "of" else words_after(thing, relation)
            told = [word for word in said if word not in ENGLISH.articles]
            if told and all(not forms(word).isdisjoint(every) for word in told):
                return True
            if relation == "of":
                return is_owned(view, thing, related.to)
            return any(
                inner.location == thing.id
                and means(view, inner, related.to, want.scopes)
                and view.reach(inner, want.scopes) is not None
                for inner in view.things
            )
        case _:
            return any(
                means(view, place, related.to, want.scopes)
                for place in places_around(view, thing, relation)
            )


def words_after(thing: Thing, relation: str) -> set[str]:
    """Give the words that stand behind a relation in a thing's names.

    A "man with a knife" is one with a knife; an oak door is not "the door with the oak".
    """
    found: set[str] = set()
    for name in thing.names():
        words = WORD.findall(fold(name))
        at = (index for index, word in enumerate(words) if RELATIONS.get(word) == relation)
        found.update(words[next(at, len(words)) + 1 :])
    return found


def places_around(view: View, thing: Thing, relation: str) -> Iterator[Thing]:
    """Give what a thing is in, on or under; what is in a box in a chest is in the chest too."""
    seen = {thing.id}
    while True:
        holder = view.holder(thing)
        if holder is None or holder.id in seen or canonical(thing.relation, {}) != relation:
            return
        yield holder
        if relation != "in":
            return
        seen.add(holder.id)
        thing = holder


def means(view: View, thing: Thing, phrase: Phrase, scopes: tuple[Scope, ...] = ()) -> bool:
    """Tell whether a phrase could mean one thing."""
    if phrase.pronoun is not None:
        is_self = phrase.pronoun == "self" and view.actor is not None
        return is_self and view.actor is thing
    want = wanted(phrase)
    want.scopes = scopes
    return compare(view, thing, want) is not None


def owner_of(view: View, thing: Thing) -> str | None:
    """Give whose a thing is: its owner, else whoever carries it."""
    holder = view.holder(thing)
    if thing.owner is None and holder is not None and holder.kind in BEINGS:
        return holder.id
    return thing.owner


def is_anothers(view: View, thing: Thing, possessor: Pronoun) -> bool:
    """Tell whether a thing is known to be somebody else's than "my" or "his" says."""
    owner = thing.owner
    match possessor:
        case "self":
            whose = view.actor.id if view.actor is not None else None
        case "person":
            whose = view.recent.person
        case _:
            return owner is not None and owner not in view.recent.them
    return owner is not None and owner != whose


def is_owned(view: View, thing: Thing, owner: Phrase) -> bool:
    """Tell whether a thing belongs to somebody, or is carried by them."""
    if thing.owner is not None:
        person = view.find(thing.owner)
        if person is not None:
            return means(view, person, owner)
        return bare(fold(thing.owner)) == bare(fold(owner.text))
    holder = view.holder(thing)
    return holder is not None and holder.kind in BEINGS and means(view, holder, owner)

"""Asking which one: words that tell the candidates apart and work when they are sent back.

A label is preferred, then what describes one and not the others, then the name. What is still
the same is told by its place, its owner, or its number.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from actors.language.words import ENGLISH, bare, canonical, fold, listed, singular, words_of
from actors.target_resolver.matching import (
    head_words,
    literal_reading,
    owner_of,
    qualifier_words,
)
from actors.target_resolver.scopes import View
from messages.failures import Target
from messages.phrases import Phrase, Related
from messages.targets import Option
from messages.worlds import BEINGS, Thing

MAX_OPTIONS = 20
NEAR = 3
# How many like names are looked at, and how much alike (of 100) a name must be to be named.
SEEN_NEAR = 40
ALIKE, VERY_ALIKE = 65.0, 80.0
SHORT = 3
MANY = 2_000
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth",
    "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
)  # fmt: skip


PLACE_SAYINGS = {"held": "you carry", "here": "here"}

Said: TypeAlias = tuple[str, Phrase] | None
MeansOnly: TypeAlias = Callable[[Phrase, Thing], bool]
InReach: TypeAlias = Callable[[Thing], bool]


def target(thing: Thing) -> Target:
    return Target(thing.id, thing.name, thing.kind)


def options_for(
    view: View, phrase: Phrase, candidates: Sequence[Thing], means_only: MeansOnly
) -> tuple[Option, ...]:
    """Offer the candidates, each by words that, said instead, mean it and nothing else."""
    number = Numbered(phrase)
    if len(candidates) > MAX_OPTIONS:  # too many to be told apart in words
        names = [thing.name for thing in candidates]
        apart = len(set(map(fold, names))) == len(names)
        return tuple(
            Option(index, thing.name if apart else number.say(index), target(thing))
            for index, thing in enumerate(candidates[:MAX_OPTIONS], start=1)
        )
    options = []
    for index, (text, thing) in enumerate(
        zip(described(candidates), candidates, strict=True), start=1
    ):
        said = ways_to_say(view, phrase, text, thing)
        chosen = next((way for way in said if means_only(way[1], thing)), None)
        words = number.say(index) if chosen is None else chosen[0]
        options.append(Option(index, words, target(thing)))
    return tuple(options)


def ways_to_say(
    view: View, phrase: Phrase, text: str, thing: Thing
) -> Iterator[tuple[str, Phrase]]:
    """Give ways to say one thing, the best first: alone, by place, by owner, by number."""
    words = bare_words(text)
    if phrase.is_literal():
        yield text, Phrase(text)
    yield words, as_read(words)
    words = words.replace(",", "")  # they could make a list of it
    yield words, literal_reading(Phrase(words))
    for way in (by_place(view, words, thing), by_owner(view, words, thing)):
        if way is not None:
            yield way
    yield f'"{thing.name}"', Phrase(f'"{thing.name}"', quoted=thing.name)
    if phrase.head is None and not phrase.adjectives and phrase.quoted is None:
        for number in range(1, len(ORDINALS) + 1):
            counted = f"{nth(number)} {words}"
            yield counted, replace(literal_reading(Phrase(words)), text=counted, ordinal=number)


def as_read(text: str) -> Phrase:
    """Read words as they would be read: between commas there may be things of their own."""
    phrase = literal_reading(Phrase(text))
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) == 1:
        return phrase
    members = tuple(literal_reading(Phrase(part)) for part in parts)
    joined = tuple(words_of(fold(part))[-1] for part in parts[:-1] if words_of(fold(part)))
    return replace(phrase, members=members, joined=joined)


@dataclass(frozen=True, slots=True)
class Numbered:
    """Says which of several by counting them, as they were spoken of."""

    phrase: Phrase

    def say(self, number: int) -> str:
        phrase = self.phrase
        head = singular(phrase.head) if phrase.head else None
        other = ["other"] if phrase.other else []
        noun = head or ("one" if phrase.adjectives or phrase.other else "")
        numbers = [word for word in phrase.adjectives if word.isdecimal()]
        adjectives = [word for word in phrase.adjectives if not word.isdecimal()]
        words = [nth(number), *other, *adjectives, noun, *numbers]
        if phrase.quoted is not None:
            words = [nth(number), *phrase.adjectives, phrase.quoted, phrase.kind or ""]
        if phrase.related is not None and phrase.related.relation == "owner":
            words = [f"{phrase.related.to.text}'s", *words]
        elif phrase.related is not None:
            words += [phrase.related.relation, phrase.related.to.text]
        if phrase.place is not None:
            words.append(PLACE_SAYINGS[phrase.place])
        said = " ".join(word for word in words if word)
        return said if len(words) > 1 else f"{said} {bare(phrase.text)}"


def question(phrase: Phrase, options: Sequence[Option], count: int) -> str:
    """Put the question; where there are too many to offer, say so."""
    texts = [option.text for option in options]
    if count > len(texts):
        texts.append(f"one of {count - len(texts)} more")
    return f"Which {noun_of(phrase)} do you mean: {listed(texts)}?"


def noun_of(phrase: Phrase) -> str:
    """Give the words that the candidates have in common, as they were said."""
    if phrase.members or phrase.related is not None:
        return bare(phrase.text)
    numbers = [word for word in phrase.adjectives if word.isdecimal()]
    adjectives = [word for word in phrase.adjectives if not word.isdecimal()]
    words = (*adjectives, phrase.head or ("one" if phrase.adjectives else ""), *numbers)
    said = " ".join(word for word in words if word) or phrase.quoted
    if said is None:
        return "one" if phrase.pronoun or phrase.quantifier else bare(phrase.text)
    return said


def nth(number: int) -> str:
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"


def described(candidates: Sequence[Thing]) -> list[str]:
    """Describe each candidate by label, else by what the others lack, else by name."""
    told = [describing(thing) for thing in candidates]
    common = set(told[0]).intersection(*told[1:]) if told else set()
    texts = []
    for thing, words in zip(candidates, told, strict=True):
        label = thing.metadata.resolution.disambiguation_label
        if label is not None:
            texts.append(label)
            continue
        own = [word for word in words if word not in common]
        named = set(words_of(fold(thing.name)))
        missing = [word for word in own if not named.issuperset(words_of(fold(word)))]
        texts.append(f"{', '.join(missing)} {thing.name}" if missing else thing.name)
    return texts


def describing(thing: Thing) -> tuple[str, ...]:
    """Give what describes a thing: its descriptors, else its adjectives and qualifiers."""
    descriptors = thing.metadata.resolution.descriptors
    return descriptors or tuple(dict.fromkeys((*thing.adjectives, *qualifier_words(thing))))


def bare_words(text: str) -> str:
    """Leave out a leading article, as it was written."""
    first, _, rest = text.partition(" ")
    return rest if rest and first.lower() in ENGLISH.left_out else text


def by_place(view: View, text: str, thing: Thing) -> Said:
    """Say where a thing is, in words that are understood."""
    holder = view.holder(thing)
    if holder is None or thing.kind in BEINGS:
        return None
    phrase = literal_reading(Phrase(text))
    for place, around in (("held", view.actor), ("here", view.room)):
        if around is not None and holder.id == around.id:
            whole = f"{text} {PLACE_SAYINGS[place]}"
            return whole, replace(phrase, text=whole, place=place)
    if holder.kind in BEINGS or canonical(thing.relation, {}) not in ENGLISH.relations:
        return None
    relation, name = canonical(thing.relation, {}), bare_words(holder.name)
    whole = f"{text} {relation} the {name}"
    related = Related(relation, literal_reading(Phrase(name)))
    return whole, replace(phrase, text=whole, related=related)


def by_owner(view: View, text: str, thing: Thing) -> Said:
    """Say whose a thing is."""
    whose = owner_of(view, thing)
    owner = view.find(whose)
    name = whose if owner is None else bare_words(owner.name)
    if name is None or (owner is not None and owner is view.actor):
        return None
    whole = f"{name}'s {text}"
    related = Related("owner", literal_reading(Phrase(name)))
    return whole, replace(literal_reading(Phrase(text)), text=whole, related=related)


def near_names(phrase: Phrase, things: Sequence[Thing], is_in_reach: InReach) -> tuple[str, ...]:
    """Give the names in reach that are like what was said, best first. They are only named."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415  # only a refusal needs it

    said = phrase.quoted or " ".join((*phrase.adjectives, phrase.head or "")).strip() or phrase.text
    said = bare(fold(said))
    if not said:
        return ()
    spellings = [
        (spelling, index) for index, thing in enumerate(things) for spelling in spelt(thing, things)
    ]
    alike = ALIKE if len(said) > SHORT else VERY_ALIKE
    scored = process.extract(
        said,
        [spelling for spelling, _ in spellings],
        scorer=fuzz.ratio,
        limit=SEEN_NEAR,
        score_cutoff=alike,
    )
    like = [spellings[at][1] for _, _, at in scored]
    part = [
        index for index, thing in enumerate(things) if f" {said} " in f" {bare(fold(thing.name))} "
    ]
    found: dict[str, None] = {}
    for index in (*like, *part[:SEEN_NEAR]):
        if len(found) < NEAR and is_in_reach(things[index]):
            found.setdefault(things[index].name)
    return tuple(found)


def spelt(thing: Thing, things: Sequence[Thing]) -> list[str]:
    """Give what a misspelt word may have meant of a thing; of very many things, their names."""
    name = bare(fold(thing.name))
    if len(things) > MANY:
        return [name]
    nouns = head_words(words_of(name))
    return [name, *nouns, *map(fold, thing.aliases), *map(fold, thing.keywords)]

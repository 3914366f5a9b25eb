"""How words were read, for a person: typed phrases, places and readings put back into words.

It says what the message holds and decides nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

from messages.goals import Goal, scopes
from messages.phrases import LAST, ParsedCommand, Phrase, Superlative
from tools.screen import plain

SHOWN_READINGS = 3
SHOWN_NAMES = 3
ENDINGS = {1: "st", 2: "nd", 3: "rd"}
TEENS = range(11, 14)
PLACES: Mapping[str, str] = {"inside": "inside", "drive": "on drive"}


def roles_read(goal: Goal) -> Iterator[tuple[int, str]]:
    """Say how the words of a goal were read, as lines with their depth."""
    if goal.roles or len(goal.readings) == 1:
        phrases = goal.roles or phrases_of(goal.readings[0])
        yield from (line for role, phrase in phrases.items() for line in role_read(role, phrase))
        return
    for number, reading in enumerate(goal.readings[:SHOWN_READINGS]):
        yield 0, f"{'or read' if number else 'read'} as: {bracketed(reading)}"
        for role, phrase in phrases_of(reading).items():
            yield from ((depth + 1, line) for depth, line in role_read(role, phrase))
    if (more := len(goal.readings) - SHOWN_READINGS) > 0:
        yield 0, f"or in {more} more way{'s' * (more > 1)}"


def bracketed(reading: ParsedCommand) -> str:
    """Show which words stand for which role."""
    spans = [reading.direct_span, reading.indirect_span]
    direct, indirect = ("" if span is None else f"[{span}]" for span in spans)
    words = [reading.intent_token, direct, reading.relation_token_raw or "", indirect]
    return plain(" ".join(word for word in words if word))


def phrases_of(reading: ParsedCommand) -> Mapping[str, Phrase]:
    """Give the phrases of one reading by their roles; a relation names the second."""
    second = reading.relation_token_canonical or "indirect"
    phrases = {"direct": reading.direct, second: reading.indirect}
    return {role: phrase for role, phrase in phrases.items() if phrase is not None}


def role_read(role: str, phrase: Phrase) -> Iterator[tuple[int, str]]:
    """Say how the words of one role were read, and how with more of them as a name."""
    yield 0, plain(f"{role}: {phrase.text!r} is {phrase_read(phrase)}")
    if phrase.named:
        names = [phrase_read(other) for other in phrase.named[:SHOWN_NAMES]]
        yield 1, plain(f"or {'; or '.join(names)}")


def phrase_read(phrase: Phrase) -> str:
    """Put a phrase into words: what it says of the thing, part by part."""
    if phrase.is_literal():
        return "a name, as it stands"
    return ", ".join(phrase_parts(phrase)) or "anything"


def phrase_parts(phrase: Phrase) -> Iterator[str]:
    """Give the parts of a phrase: what kind of thing, which of them, where."""
    yield from which_parts(phrase)
    if phrase.pronoun is not None:
        yield f"pronoun {phrase.pronoun}"
    if phrase.kind is not None:
        yield f"kind {phrase.kind}"
    if phrase.quoted is not None:
        yield f'named "{phrase.quoted}"'
    if phrase.head is not None:
        yield f"noun {phrase.head}"
    if phrase.adjectives:
        yield f"described as {' '.join(phrase.adjectives)}"
    yield from where_parts(phrase)
    yield from set_parts(phrase)


def which_parts(phrase: Phrase) -> Iterator[str]:
    """Say which of several things is meant, or how many."""
    if phrase.quantifier is not None:
        yield phrase.quantifier
    if phrase.count is not None:
        yield f"{phrase.count} of them"
    if phrase.ordinal is not None:
        yield ordinal(phrase.ordinal)
    if phrase.superlative is not None:
        yield superlative(phrase.superlative)
    if phrase.other:
        yield "another one"
    if phrase.pointed:
        yield "pointed at"
    if phrase.indefinite:
        yield "any such"


def where_parts(phrase: Phrase) -> Iterator[str]:
    """Say where a thing is, by what, and whose it is."""
    if phrase.place is not None:
        yield f"place {phrase.place}"
    if phrase.related is not None:
        yield f"{phrase.related.relation} ({phrase_read(phrase.related.to)})"
    if phrase.possessor is not None:
        yield f"owner {phrase.possessor}"


def set_parts(phrase: Phrase) -> Iterator[str]:
    """Say what belongs to a set, and what does not."""
    if phrase.members:
        joint = " or " if phrase.either else " and "
        yield joint.join(f"({phrase_read(member)})" for member in phrase.members)
    for excluded in phrase.excluding:
        yield f"except ({phrase_read(excluded)})"


def ordinal(number: int) -> str:
    """Give a place in a row.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 22, 112, -1)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '112th', 'last']
    """
    if number == LAST:
        return "last"
    teen = abs(number) % 100 in TEENS
    return f"{number}{'th' if teen else ENDINGS.get(abs(number) % 10, 'th')}"


def superlative(measure: Superlative) -> str:
    """Say by which measure a thing is chosen."""
    return f"{'most' if measure.most else 'least'} by {measure.measure}"


def places_read(goal: Goal) -> list[str]:
    """Say where a goal belongs: the places of its scope, and whether they are made here."""
    made = "which has to be there" if goal.inside_of is None else f"which {goal.inside_of} makes"
    stated = (scope.partition(":")[::2] for scope in scopes(goal.scope))
    told = {"inside": f", {made}"}
    return [
        plain(f"{PLACES[word]} {where}{told.get(word, '')}")
        for word, where in stated
        if word in PLACES and where
    ]


def waits_read(parents: Sequence[int]) -> str:
    """Name the goals that another one waits for."""
    return "after " + ", ".join(f"g{parent}" for parent in parents)

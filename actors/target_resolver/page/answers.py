"""Questions about what a page lists, answered from its records: all words account for, or none.

Each word of a question names a column, a value, or the things themselves; or it only holds the
sentence together. What is in none of these is not known here, and the question is refused.
"""

from collections.abc import Iterator
from dataclasses import replace

from actors.language.amounts import read_amount
from actors.language.kinship import alike, forms_of, is_kin
from actors.language.questions import Question, question_words
from actors.language.words import singular
from actors.target_resolver.page.asking import Answer, Asked, Unanswered
from actors.target_resolver.page.records import Cell, Listing, words_of
from actors.target_resolver.page.sight import Sight

ABOUT = frozenset({"heading", "link", "button", "tab", "caption", "searchbox", "navigation"})

__all__ = ["Answer", "Unanswered", "answer"]


def answer(sight: Sight, question: Question) -> Answer | Unanswered:
    """Answer a question from what a page lists."""
    listing = Listing(sight)
    sets = listing.record_sets()
    found = [Asked(question, each) for each in sets if each.records]
    if question.ask in {"value", "count", "sum", "is"} and not question.extreme:
        paired = pair_answer(listing, question)
        if paired is not None and not any(isinstance(each.answer, Answer) for each in found):
            return paired
    known = [each for each in found if not each.reading.unknown]
    if len(known) > 1 and sum(each.reading.named for each in known) != 1:
        return Unanswered("several lists on the page could be meant")
    given = [each for each in found if isinstance(each.answer, Answer)]
    named = [each for each in given if each.reading.named]
    chosen = named if len(named) == 1 else given
    if len(chosen) == 1:
        return chosen[0].answer
    if len(chosen) > 1:
        return Unanswered("several lists on the page could be meant")
    if (only := of_only_list(listing, found)) is not None:
        return only
    reasons = sorted(found, key=lambda each: len(each.reading.unknown))
    return reasons[0].answer if reasons else Unanswered("nothing is listed on the page")


def of_only_list(listing: Listing, found: list[Asked]) -> Answer | None:
    """Answer from the only list of a page, about what its links or headings speak of."""
    if len(found) != 1 or found[0].reading.unknown != [found[0].reading.noun]:
        return None
    noun, asked = found[0].reading.noun, found[0]
    labels = (word for cell in listing.pairs() for word in cell.column.split())
    if any(singular(word) == singular(noun) for word in labels) or not is_said(listing, noun):
        return None
    without = tuple(word for word in asked.question.words if word != noun)
    literal = tuple(word for word in asked.question.literal if word != noun)
    again = Asked(replace(asked.question, words=without, literal=literal), asked.records)
    given = again.answer
    is_of_things = isinstance(given, Answer) and (given.ask != "value" or again.question.extreme)
    return given if isinstance(given, Answer) and is_of_things else None


def is_said(listing: Listing, noun: str) -> bool:
    """Tell whether a page speaks of such things where it says what it is about, or any could be."""
    if singular(noun) in question_words().generic:
        return True
    sight = listing.sight
    texts = [seen.element.name for seen in sight.seen if seen.kind in ABOUT]
    texts += [frame.sheet.title for frame in sight.page.frames]
    return any(word == singular(noun) for text in texts for word in words_of(text))


# Labels and their values


def pair_answer(listing: Listing, question: Question) -> Answer | None:
    """Answer from a label and its value: all that is asked must be the label."""
    said = asked_labels(listing, question)
    if question.ask == "is":
        return is_so(listing, said)
    pairs = [*listing.pairs(), *summary_pairs(listing)]
    if not said:
        return by_asking(pairs, question.asking)
    if question.ask == "sum" and len(said) > 1:
        return None
    fits = [
        cell
        for cell in pairs
        if all(is_in_label(word, cell.column) for word in said) and cell.key != cell.column
    ]
    if question.ask != "value" or question.asking == "how much":
        fits = [cell for cell in fits if read_amount(cell.text) is not None]
        fits = [cell for cell in fits if question.ask == "value" or cell.is_number]
    fits = [cell for cell in fits if suits(cell, question.asking)]
    idle = question_words().function
    exact = [cell for cell in fits if words_of(cell.column) - idle == said]
    if question.ask == "count" and not exact:
        return None
    texts = {cell.text for cell in exact or fits}
    if len(texts) != 1:
        return None
    return Answer.of_cells("value", (exact or fits)[:1], len(fits))


def by_asking(pairs: list[Cell], asking: str) -> Answer | None:
    """Answer what only the word that asks tells: "how heavy is it" is for the weight."""
    names = question_words().columns_of_asking.get(asking, ())
    fits = [cell for name in names for cell in pairs if words_of(name) <= words_of(cell.column)]
    fits = [cell for cell in fits if suits(cell, asking)]
    same = {(cell.column, cell.text) for cell in fits}
    is_told = asking.startswith("how ") and asking not in {"how much", "how many"}
    return Answer.of_cells("value", fits[:1], len(pairs)) if is_told and len(same) == 1 else None


def is_so(listing: Listing, said: set[str]) -> Answer | None:
    """Tell whether a label has the value that is asked for, or its opposite: "is roaming on"."""
    for cell in listing.pairs():
        state = frozenset(cell.key.split())
        rest = {word for word in said if not is_in_label(word, cell.column)}
        if not rest or len(rest) == len(said) or len(state) != 1:
            continue
        for pair in question_words().opposites:
            if rest <= set(pair) and state <= set(pair):
                return Answer("is", (cell.seen,) if state == rest else (), 1)
    return None


def suits(cell: Cell, asking: str) -> bool:
    """Tell whether a value is of the kind that is asked for."""
    amount = read_amount(cell.text)
    kind = "" if amount is None else amount.kind
    match asking:
        case "when" | "when's" | "by when" | "until when" | "what day":
            return kind in {"day", "clock", "ago"}
        case "where" | "where's" | "who" | "who's":
            return not kind
        case _:
            return True


def asked_labels(listing: Listing, question: Question) -> set[str]:
    """Give the words of a question that a label must have: not those for the page itself."""
    table = question_words()
    idle = table.function | table.filler
    states = {word for pair in table.opposites for word in pair}
    if question.ask == "is":
        idle = (idle - states) | table.light | {f"{word}ed" for word in table.light}
    said = {singular(word) for word in question.words if word not in idle}
    whole = words_of(listing.sight.page.frames[0].sheet.title)
    whole |= {word for each in listing.sight.headings[:1] for word in words_of(each.element.name)}
    rest = {word for word in said if word not in whole and not any(n in whole for n in alike(word))}
    said = rest or said
    return said | ({"total"} if question.ask == "sum" else set())


def is_in_label(word: str, label: str) -> bool:
    """Tell whether a label has a word, another form of it, or another word for it."""
    words = words_of(label)
    forms = set(forms_of(word)) | {singular(each) for each in alike(word)}
    return not forms.isdisjoint(words) or any(is_kin(word, each) for each in words)


def summary_pairs(listing: Listing) -> Iterator[Cell]:
    """Give the rows that add up a table: what they say, and the last amount in them."""
    for each in Listing(listing.sight).record_sets():
        for row in each.summaries:
            amounts = [cell for cell in row.cells[1:] if read_amount(cell.text) is not None]
            if amounts:
                yield Cell(row.cells[0].key, amounts[-1].text, amounts[-1].seen)

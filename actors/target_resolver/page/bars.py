"""What keeps an element from being bound, however well it is called by the words.

An answer that only repeats the question is none; words behind "and" and "or" that the element does
not account for were said of something else.
"""

import re

from actors.language.describing import Description
from actors.language.lexicon import lexicon
from actors.language.tokens import tokens_of
from actors.language.words import key_of, singular
from actors.target_resolver.page.evidence import is_mere_count, names_in
from actors.target_resolver.page.finder import Choice
from actors.target_resolver.page.judging import OWNING, VALUES
from actors.target_resolver.page.series import of_series
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import CELLS, ENTRIES, Seen, Sight

LABELLED = re.compile(r"([^:]*[^\W\d][^:]*):\s*\S.*", re.DOTALL)
TEXTS = frozenset({"text", "paragraph", "listitem", "definition", "cell"})
JOINTS = frozenset({"and", "or"})
# What is called by what it says. Other kinds may have a label of their own, and say more than that.
CALLED_BY_TEXT = frozenset({"text", "heading", "paragraph", "label", "legend", "caption", "term"})
CALLED_BY_TEXT |= CELLS | {"listitem", "definition", "link", "button"}


def is_barred(sight: Sight, verb: str, text: str, choice: Choice, seen: Seen) -> bool:
    """Tell whether an element cannot be meant, though words have found it."""
    if verb == "read" and not is_answer(sight, choice, seen):
        return True
    if counts_others(sight, choice.what, seen) or is_mere_count(text, choice.what):
        return True
    return lacks_joined_words(sight, text, choice.what, seen)


def counts_others(sight: Sight, what: Description, seen: Seen) -> bool:
    """Tell whether "the second Menu" counted things that are no menu, beside one called Menu."""
    kind = what.kind
    if what.ordinal is None or what.name or kind is None or seen.kind in kind.real:
        return False
    called = singular(kind.word)
    is_so = singular(seen.key) == called
    return not is_so and any(singular(each.key) == called for each in sight.seen if each.visible)


def is_answer(sight: Sight, choice: Choice, seen: Seen) -> bool:
    """Tell whether what would be read says something of what was asked for."""
    what = choice.what
    is_entry = seen.kind in ENTRIES and what.relation in OWNING
    if is_entry and not of_series(sight, what, [Fit(seen, choice.score)]):
        return False  # "the email of Olaf" is no entry that Olaf is in, if those are no emails
    if answers_other_question(what, seen) or is_of_any_row(sight, what, seen):
        return False
    return not repeats_question(sight, what, seen)


def answers_other_question(what: Description, seen: Seen) -> bool:
    """Tell whether a text has a label of its own, "Next payment: May 5", or is a mere heading."""
    if seen.kind == "columnheader":
        return what.kind is None or seen.kind not in what.kind.real
    if seen.kind not in TEXTS or (what.kind is not None and not what.kind.any):
        return False
    labelled = LABELLED.fullmatch(seen.element.name)
    said = {word for name in names_in(what) for word in stems(name)}
    return labelled is not None and bool(said) and stems(labelled[1]).isdisjoint(said)


def is_of_any_row(sight: Sight, what: Description, seen: Seen) -> bool:
    """Tell whether a cell was found by its column alone, though there are several rows."""
    is_told = what.relation is not None or what.ordinal is not None or what.every
    if is_told or seen.kind != "cell" or not what.name:
        return False
    headers = [
        each for each in sight.seen if each.kind == "columnheader" and each.key in seen.extra
    ]
    said = key_of(what.name)
    if not any(header.key == said for header in headers):
        return False
    row = next((at for at in sight.ancestors(seen.at) if sight.seen[at].kind == "row"), -1)
    rows = [each for each in sight.seen if each.kind == "row" and row >= 0]
    alike = [each for each in rows if each.parent == sight.seen[row].parent]
    return len(alike) > len(("header", "row"))


def is_one_of_two(sight: Sight, text: str, choice: Choice) -> bool:
    """Tell whether "Small and Medium" names two things, of which only one was found."""
    tokens = tokens_of(text)
    at = next((at for at, token in enumerate(tokens) if token.key == "and"), 0)
    if not at or tokens[at].quoted:
        return False
    first = key_of(" ".join(token.text for token in tokens[:at]))
    found = {seen.at for seen in choice.things}
    named = (seen.at for seen in sight.seen if seen.visible and seen.key == first)
    return any(each not in found for each in named)


def stems(text: str) -> set[str]:
    return {singular(word) for word in key_of(text).split()}


def repeats_question(sight: Sight, what: Description, seen: Seen) -> bool:
    """Tell whether a text says nothing that was not said: "the owner of Atlas" is no "Owner".

    What was put into quotes, and what was told by its kind ("the second heading"), is read as it
    stands; what a field holds is not among the words it goes by.
    """
    is_real = what.kind is not None and not what.kind.any and seen.kind in what.kind.real
    holds_value = bool(seen.affords & VALUES or seen.element.value)
    if what.quoted or is_real or holds_value or seen.kind not in CALLED_BY_TEXT:
        return False
    shown = {word for part in (seen, *sight.inside(seen.at)) for word in stems(part.element.name)}
    said = {word for name in names_in(what) for word in stems(name)}
    return bool(shown) and shown <= said | lexicon().left_out | lexicon().articles


def lacks_joined_words(sight: Sight, text: str, what: Description, seen: Seen) -> bool:
    """Tell whether a word behind "and" or "or" is neither in the reading nor in the name."""
    tokens = tokens_of(text)
    joints = [at for at, token in enumerate(tokens) if token.key in JOINTS and not token.quoted]
    if not joints:
        return False
    idle = lexicon().little | lexicon().articles | JOINTS
    joined = {
        word
        for token in tokens[joints[0] + 1 :]
        if token.quoted or token.key not in idle
        for word in stems(token.text)
    }
    names = (*names_in(what), seen.key, *seen.others, *seen.extra, sight.text_after(seen))
    return not joined <= {word for name in names for word in stems(name)}

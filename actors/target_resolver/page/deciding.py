"""Narrow a choice: by an answer, a title, the verb, or what the command looked for before.

Also find several things named in one list.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, takewhile

from actors.language.describing import Description, kind_at
from actors.language.lexicon import lexicon
from actors.language.tokens import Token, tokens_of, without_articles
from actors.language.words import key_of
from actors.target_resolver.page.candidates import Candidates
from actors.target_resolver.page.entries import entry_of, said
from actors.target_resolver.page.finder import STRONG, Choice, Finder
from actors.target_resolver.page.judging import LIKE
from actors.target_resolver.page.naming import BY_LABEL, EXACT
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import Seen, Sight
from actors.target_resolver.page.titled import row_control

TOGGLED = frozenset({"check", "uncheck"})
MOST_WITH = 60  # elements of a part that may tell what is in it
PRESSED_KINDS = frozenset({"button", "link", "tab", "menuitem"})
FIELD_OR_COLUMN_KINDS = frozenset({"textbox", "searchbox", "columnheader"})
SEVERAL = frozenset({"click", "check", "uncheck", "select", "double_click"})


def choice_from_answer(text: str, finder: Finder) -> Choice | None:
    """Find the one of those offered that an answer tells by something else."""
    words = lexicon()
    rest = without_articles(tokens_of(text), words)
    while len(rest) > 1 and rest[0].key in {"one", *words.of_kinds}:
        rest = rest[1:]
    bare = " ".join(map(said, rest))
    by_words = only_offer_with_words(rest, finder)
    if by_words is not None:
        return by_words
    for told in (f"one {bare}", f"one in the row of {bare}", f"one of {bare}"):
        choice = finder.best(told)
        if choice is not None and len(choice.fits) == 1:
            return choice
    return None


def only_offer_with_words(rest: Sequence[Token], finder: Finder) -> Choice | None:
    """Find the only one of those offered that has all the words of an answer, or stands by them."""
    words = lexicon()
    little = (
        words.little
        | words.articles
        | words.telling
        | {key for each in words.relations for key in each}
    )
    told = {
        part
        for token in rest
        if token.quoted or token.key not in little
        for part in key_of(token.text).split()
    }
    sight = finder.sight
    kept = [
        Fit(sight.seen[at], STRONG)
        for at in sorted(finder.among)
        if told and told <= words_around(sight, sight.seen[at], finder.among)
    ]
    return Choice(Description(), kept, STRONG) if len(kept) == 1 else None


def words_around(sight: Sight, seen: Seen, others: frozenset[int]) -> set[str]:
    """Give the words of an element and of what is around it and not around the ``others``."""
    own = takewhile(
        lambda part: not any(sight.is_in(other, part) for other in others - {seen.at}),
        sight.ancestors(seen.at),
    )
    parts = [seen]
    for at in own:
        parts += [sight.seen[at], *islice(sight.inside(at), MOST_WITH)]
    names = (*(part.key for part in parts), key_of(sight.text_after(seen)))
    return {word for name in names for word in name.split()}


def find_each_named(verb: str, text: str, finder: Finder) -> list[Seen]:
    """Find several things that were named one after another, if each of them is surely there.

    "Save and close" may be one name, or two deeds: where the page does not have it, none of
    them is done. What is ticked or chosen is no deed.
    """
    if verb not in SEVERAL:
        return []
    parts = split_list(tokens_of(text))
    if len(parts) == 1 or (verb == "click" and not all(is_name(part) for part in parts)):
        return []
    found: list[Seen] = []
    for part in parts:
        choice = finder.best(" ".join(map(said, part)))
        if choice is None or len(choice.fits) != 1 or choice.score < EXACT - LIKE:
            return []
        found += choice.things
    return found if len({seen.at for seen in found}) == len(parts) else []


def prefer_titled(sight: Sight, verb: str, choice: Choice) -> Choice:
    """Of controls that only begin so, the one whose title is just so is meant; or both are.

    "By SMS" may be the title of one switch, and the beginning of what another is called.
    """
    what = choice.what
    if verb not in TOGGLED or not what.name or what.is_told:
        return choice
    if choice.score >= BY_LABEL - LIKE or choice.score < STRONG:
        return choice
    key = key_of(what.name)
    titles = (seen for seen in sight.seen if seen.visible and seen.key == key)
    controls = (row_control(sight, seen, verb) for seen in titles)
    meant = {seen.at: seen for seen in controls if seen is not None}
    if not meant:
        return choice
    return replace(choice, fits=[Fit(seen, BY_LABEL) for seen in meant.values()])


def prefer_pressed(verb: str, choice: Choice) -> Choice:
    """Of a control and a field or column that are called the same, the control is clicked.

    Whoever means the field says so, or what goes into it.
    """
    if verb != "click" or choice.what.kind is not None or choice.what.every:
        return choice
    pressed = [fit for fit in choice.fits if fit.seen.kind in PRESSED_KINDS]
    others = {fit.seen.kind for fit in choice.fits} - PRESSED_KINDS
    is_clear = len(pressed) == 1 and others <= FIELD_OR_COLUMN_KINDS
    return replace(choice, fits=pressed) if is_clear else choice


def merge_control_parts(sight: Sight, choice: Choice) -> Choice:
    """Put together what is one control: its caption and its inner parts are no others."""
    if len(choice.fits) == 1 or choice.what.every:
        return choice
    candidates = Candidates(sight)
    owners: dict[int, Fit] = {}
    for fit in choice.fits:
        at = candidates.owner(fit.seen)
        if at not in owners or fit.seen.at == at:
            owners[at] = fit
    return replace(choice, fits=list(owners.values()))


def prefer_near_found(sight: Sight, target: str | None, choice: Choice) -> Choice:
    """Of things that are alike keep the one that is with what was looked for before.

    What was found may be a part of an entry only: then the nearest that has one of them counts.
    """
    found = sight.find(target) if target and len(choice.fits) > 1 else None
    if found is None or choice.what.every:
        return choice
    entry = () if found.at in sight.entries else entry_of(sight, found)
    around = {part.at for part in entry or sight.inside(found.at)}
    kept = [fit for fit in choice.fits if fit.seen.at in around]
    at = found.parent
    while not kept and at >= 0:
        around = {part.at for part in sight.inside(at)}
        kept = [fit for fit in choice.fits if fit.seen.at in around]
        at = sight.seen[at].parent
    return replace(choice, fits=kept) if kept else choice


def split_list(tokens: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Part words at "and" and at commas."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.key == "and" and not token.quoted:
            parts.append([])
            continue
        parts[-1].append(token)
        if token.text.endswith(",") and not token.quoted:
            parts[-1][-1] = Token(token.text.rstrip(","))
            parts.append([])
    return [tuple(part) for part in parts if part]


def is_name(tokens: tuple[Token, ...]) -> bool:
    """Tell whether words are written as a name, or say what they name: "Save", "seat 5"."""
    words = lexicon()
    kinds = (kind_at(tokens, at, 1, words) for at in range(len(tokens)))
    return tokens[0].quoted or tokens[0].text[:1].isupper() or any(kinds)

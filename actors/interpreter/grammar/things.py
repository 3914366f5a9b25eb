"""What may fill a slot with words for a thing: on a page, to be set, to go to, or a field."""

from collections.abc import Sequence

from actors.interpreter.grammar.lexicon import Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import Tok

HALVES = frozenset(first for first, _ in LITTLE.two_words) - LITTLE.particles


def fits_thing(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Words for a thing: more than little words, and not beginning with a relation."""
    first = toks[at]
    if first.quoted is not None:
        return True
    if end - at == 1 and first.key in LITTLE.particles and not first.capital:
        return False
    if end - at == 1:
        spoken_of = first.key in lexicon.pronouns or first.key in LITTLE.referring
        return first.key not in lexicon.grammatical or spoken_of or first.capital
    if is_list_of_files(lexicon, toks, at, end) or is_none(first, toks[at + 1]):
        return False
    if first.key in LITTLE.asking and not first.capital:
        return False
    return first.capital or first.key not in lexicon.relations or is_half(first, toks[at + 1])


def is_none(first: Tok, second: Tok) -> bool:
    """Tell whether "none of them" stands here, or "nothing from it": no thing is meant."""
    return first.key in LITTLE.no_things and not first.capital and not second.capital


def is_half(first: Tok, second: Tok) -> bool:
    """Tell whether the "next" of "next to" stands by itself: "next page" is a thing."""
    return first.key in HALVES and (first.key, second.key) not in LITTLE.two_words


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
    inside = any(token.key in LITTLE.placing and not token.capital for token in toks[at:end])
    return not inside and not fits_label(lexicon, toks, at, end)


def fits_titled(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A thing that is written as a name, or numbered."""
    named = toks[at].capital or toks[end - 1].key[:1].isdigit()
    return named and fits_thing(lexicon, toks, at, end)


def fits_chosen(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What is chosen as something: "Save as draft" and "Continue as guest" are names."""
    first = toks[at]
    verbal = first.quoted is None and first.key in LITTLE.done_as
    return not verbal and fits_thing(lexicon, toks, at, end)


def fits_answer(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What something is confirmed with: a name, or a thing that can be clicked."""
    if not fits_thing(lexicon, toks, at, end):
        return False
    named = toks[at].quoted is not None or toks[at].capital
    return named or lexicon.has_kind("clickable", toks, at, end)


def fits_written(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What holds a text on a page, and is no file."""
    filed = any(token.quoted is None and token.key in LITTLE.filed for token in toks[at:end])
    return not filed and fits_page_thing(lexicon, toks, at, end)


def fits_shown(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What a page shows when it is opened, and is no file."""
    filed = any(token.quoted is None and token.key in LITTLE.filed for token in toks[at:end])
    shown = lexicon.has_kind("shown", toks, at, end)
    return shown and not filed and fits_thing(lexicon, toks, at, end)


def fits_scrolled(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What is scrolled, and not how far."""
    told = any(token.key in LITTLE.scrolling and not token.capital for token in toks[at + 1 : end])
    return not told and fits_thing(lexicon, toks, at, end)


def fits_no_folder(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A thing to go to that is no folder, where files would be looked for, and no address."""
    first, steps = toks[at], any(token.key == ">" for token in toks[at:end])
    addressed = first.key in lexicon.sites or lexicon.is_address(first.key)
    if addressed and first.quoted is None and not steps:
        return False
    keys = [token.key for token in toks[at:end] if token.quoted is None]
    folders = LITTLE.folders | lexicon.anchors
    named = any(token.capital for token in toks[at:end])
    return fits_thing(lexicon, toks, at, end) and (named or not folders.intersection(keys))


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


def is_placeholder(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Tell whether a text only says what is to be written: "your email address"."""
    first = toks[at]
    if first.quoted is not None or first.capital or first.key not in lexicon.articles:
        return False
    fields = lexicon.kinds["field"]
    return any(token.key in lexicon.labels or token.key in fields for token in toks[at + 1 : end])

"""What may fill a slot with a name or a text: of a file, a folder, a program; given or there."""

import re
from collections.abc import Sequence

from actors.interpreter.grammar.lexicon import ODD_NAME, Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import Tok

LETTER = re.compile(r"[a-z]")
DRIVE = re.compile(r"[a-z]:")
MAX_WORDS = 4
MAX_DEED = 7  # words: "add a new row to the spreadsheet"


def fits_text(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:  # noqa: ARG001
    """A value: one quoted text, or words without any."""
    if end - at == 1:
        return True
    return all(token.quoted is None for token in toks[at:end])


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
    joined = any(
        token.parted or token.key in LITTLE.joining or token.key in LITTLE.placing
        for token in span[1:]
    )
    whole = all(token.quoted is None for token in span)
    return whole and not joined and not any(ODD_NAME.search(token.key) for token in span)


def fits_words(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A name of a few words, none of which could begin something else."""
    span = toks[at:end]
    if end - at > MAX_WORDS or any(token.quoted is not None or token.parted for token in span[1:]):
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


def fits_content(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    """Text for a file: quoted, or one word that can mean nothing else."""
    token = toks[at]
    if token.quoted is not None:
        return True
    known = token.key in lexicon.grammatical or token.key in lexicon.deictic
    return not known and not lexicon.is_file(token.key)


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
        and not any(token.key in lexicon.deictic or token.key in LITTLE.placing for token in span)
        and span[-1].key not in lexicon.grammatical
        and not any(token.parted or token.key in LITTLE.joining for token in span[1:])
    )


def fits_file(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    token = toks[at]
    return token.quoted is not None or (
        lexicon.is_file(token.key) and not ODD_NAME.search(token.key)
    )


def fits_ending(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A file name with a known ending, quoted or not: a quoted date is not one."""
    return lexicon.is_file(toks[at].key) and fits_file(lexicon, toks, at, end)


def fits_entry(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A file or folder that is there: a name or "it", but no word for a thing on a page."""
    if toks[at].key == "it" and toks[at].quoted is None:
        return True
    key = toks[at].key
    shown = key in lexicon.kinds["opened"] | lexicon.kinds["no_file"] | LITTLE.particles
    return fits_name(lexicon, toks, at, end) and (toks[at].quoted is not None or not shown)


def fits_pattern(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    token = toks[at]
    return token.quoted is not None or token.key not in lexicon.grammatical


def fits_glob(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return "*" in toks[at].key


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
        and not (word in lexicon.kinds["clickable"] and not token.capital)
    )


def fits_known(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].key in lexicon.programs


def fits_anchor(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].key in lexicon.anchors


def fits_letter(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return LETTER.fullmatch(toks[at].key) is not None


def fits_drive(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return LETTER.fullmatch(toks[at].key.rstrip(":")) is not None and toks[at].quoted is None


def fits_colon(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].quoted is None and DRIVE.fullmatch(toks[at].key) is not None


def fits_pronoun(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    if any(token.quoted is not None for token in toks[at:end]):
        return False
    return " ".join([token.key for token in toks[at:end]]) in lexicon.pronouns


def fits_state(_lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What becomes of a thing at some time: "due", "posted", "last saved"."""
    last = toks[end - 1]
    if last.quoted is not None or last.capital or (end - at > 1 and toks[at].quoted is not None):
        return False
    done = last.verb or (last.key.endswith("ed") and len(last.key) > len("used"))
    marked = all(token.key in LITTLE.stating for token in toks[at : end - 1])
    return marked and (done or last.key in LITTLE.states)


def fits_deed(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """What something is clicked for: "zoom out"; a capital letter would name a thing."""
    plain = end - at <= MAX_DEED and not any(
        token.quoted is not None or lexicon.is_file(token.key) for token in toks[at:end]
    )
    counted = any(token.key in LITTLE.often and token.quoted is None for token in toks[at:end])
    named = any(token.capital for token in toks[at + 1 : end])  # "delete Bob with the X button"
    return plain and not (counted or named) and toks[at].key in lexicon.kinds["deed"]


def fits_said(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A text as it is to be written: "a review" is none."""
    return not lexicon.is_article(toks[at]) and fits_text(lexicon, toks, at, end)


def fits_looked(_lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Where one looks for something, and not what for."""
    return all(token.quoted is None and token.key not in LITTLE.looked for token in toks[at:end])


def is_worked_out(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """Tell whether a text is not said, but has to be found out: "the sum of the two numbers"."""
    if not lexicon.is_article(toks[at]) or toks[at].capital:
        return False
    return any(
        token.quoted is None and token.key in LITTLE.counted_up and toks[index + 1].key == "of"
        for index, token in enumerate(toks[at + 1 : end - 1], at + 1)
    )

"""What may fill a slot with a value (a number, a date, an address, keys), and what it becomes.

A value is never made up: it is what was said, or what the table says that a word stands for.
"""

import re
from collections.abc import Sequence

from actors.interpreter.grammar.keys import DOUBTFUL_KEYS
from actors.interpreter.grammar.lexicon import HOST, Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import Sentence, Tok
from actors.interpreter.grammar.templates import Slot
from messages.message import Value

NUMBER = re.compile(r"-?\d{1,6}(?:%|px)?", re.ASCII)
DECIMAL = re.compile(r"\d{1,6}(?:\.\d{1,3})?", re.ASCII)
DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.h]\d\d(?::\d\d)?(?:am|pm)?"
    r"|\d{1,2}[:.]\d\d[-–]\d{1,2}[:.]\d\d|\d{1,2}(?:am|pm)|\d{4}-\d\d-\d\dt\d\d:\d\d\S*"
)
COLOUR = re.compile(r"#[0-9a-f]{3,8}")
AMOUNT = re.compile(r"[-+]?[$€£]?\d[\d,.]*%?(?:px|em|km|kg|cm|mm|m|k)?")
HUNDRED = 100
TENS = 20


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


def fits_amount(_lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    return toks[at].quoted is None and AMOUNT.fullmatch(toks[at].key) is not None


def fits_stars(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """How good somebody finds something: "4 stars"."""
    starred = toks[end - 1].quoted is None and toks[end - 1].key in LITTLE.stars
    return starred and end - at > 1 and fits_number(lexicon, toks, at, end - 1)


def number_of(toks: Sequence[Tok], lexicon: Lexicon) -> int:
    """Read "forty five" and "one hundred"."""
    total = 0
    for token in toks:
        number = lexicon.numbers[token.key]
        total = max(total, 1) * number if number == HUNDRED else total + number
    return total


def fits_duration(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    return duration(lexicon, toks, at, end) is not None


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


def fits_address(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    word = toks[at].key if toks[at].quoted is None else (toks[at].quoted or "").strip().casefold()
    return word in lexicon.sites or lexicon.is_address(word)


def fits_host(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """An address where nothing but one is meant: "visit brew.sh"."""
    word = toks[at].key
    ending = word.rpartition(".")[2]
    return fits_address(lexicon, toks, at, end) or (
        ending in lexicon.hosts and HOST.fullmatch(word) is not None
    )


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


def fits_held(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    """A key that is held while another is pressed, by itself."""
    return toks[at].quoted is None and toks[at].key in lexicon.keyboard.held


def fits_quoted_keys(lexicon: Lexicon, toks: Sequence[Tok], at: int, _end: int) -> bool:
    quoted = toks[at].quoted
    return quoted is not None and lexicon.keyboard.named(quoted.strip().casefold()) is not None


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
    if len(words) == len(("60", "%")) and AMOUNT.fullmatch(words[0]) and words[1] == "%":
        return True
    dated = [
        DATE.fullmatch(word) is not None
        or word in lexicon.months
        or (word.isdecimal() and len(word) <= len("2024"))
        for word in words
    ]
    little = [word in LITTLE.dates.inside for word in words]
    return (
        any(dated)
        and dated[0] | (words[0] == "the")
        and all(one or other for one, other in zip(dated, little, strict=True))
        and words[-1] not in LITTLE.dates.unended
    )


def fits_dated(lexicon: Lexicon, toks: Sequence[Tok], at: int, end: int) -> bool:
    """A date or a time, and no mere number."""
    if end - at == 1:
        return toks[at].quoted is None and DATE.fullmatch(toks[at].key) is not None
    return fits_when(lexicon, toks, at, end)


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

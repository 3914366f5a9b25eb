"""The numbers that a text says, in any notation: 32, thirty two, thirty-two, 2.5, half, 1,000.

A number with a unit of time counts in seconds, as the table does: "two minutes" says 120. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from actors.interpreter.model.cautions import CAUTIONS

# Digits, perhaps behind a currency, and a unit of up to three letters.
DIGITS = re.compile(r"[$€£]?([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)([^\W\d]{0,3})")
FRACTION = re.compile(r"(\d+)[/⁄](\d+)")
TEN, TWENTY, HUNDRED = 10, 20, 100
ARTICLES = frozenset({"a", "an"})
MINUS = frozenset({"minus", "negative"})
NUMBERS = CAUTIONS.numbers


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that was said, from word to word; "half" may be meant as 0.5 or as 50 percent."""

    start: int
    end: int
    values: frozenset[float]


def quantities(words: Sequence[str]) -> list[Quantity]:
    """Find the numbers in folded words, from left to right."""
    found: list[Quantity] = []
    at = 0
    while at < len(words):
        quantity = quantity_at(words, at)
        if quantity is None:
            at += 1
        else:
            found.append(signed(quantity, words))
            at = quantity.end
    return found


def quantity_at(words: Sequence[str], at: int) -> Quantity | None:
    """Read the number that begins at a word, with its unit of time if it has one."""
    word = words[at]
    if fraction := FRACTION.fullmatch(word):
        divisor = float(fraction[2])
        return Quantity(at, at + 1, frozenset({float(fraction[1]) / divisor})) if divisor else None
    if digits := DIGITS.fullmatch(word):
        return with_digits(words, at, float(digits[1].replace(",", "")), digits[2])
    if word in NUMBERS.multiples:
        return Quantity(at, at + 1, frozenset({NUMBERS.multiples[word]}))
    if word in ARTICLES and at + 1 < len(words) and words[at + 1] in NUMBERS.durations:
        return Quantity(at, at + 2, frozenset({NUMBERS.durations[words[at + 1]]}))
    if word in NUMBERS.fractions:
        return in_time(words, at, at + 1, NUMBERS.fractions[word], share=True)
    value, end = cardinal(words, at)
    if end == at:
        return None
    if end < len(words) and words[end].removesuffix("s") in NUMBERS.fractions:
        share = value * NUMBERS.fractions[words[end].removesuffix("s")]
        return in_time(words, at, end + 1, share, share=True)
    value, end = with_decimals(words, value, end)
    return in_time(words, at, end, value)


def with_digits(words: Sequence[str], at: int, number: float, unit: str) -> Quantity:
    """Read what follows digits: a unit in the same word, a scale ("5 million"), a unit of time."""
    if unit in NUMBERS.durations:
        return Quantity(at, at + 1, frozenset({number * NUMBERS.durations[unit]}))
    end = at + 1
    scale = NUMBERS.scales.get(words[end]) if end < len(words) else None
    if scale is not None:
        number, end = number * scale, end + 1
    return in_time(words, at, end, number)


def in_time(
    words: Sequence[str], start: int, end: int, value: float, *, share: bool = False
) -> Quantity:
    """Give a number in seconds if a unit of time follows; a share of anything else in percent."""
    unit = end + 1 if words[end : end + 1] and words[end] in ARTICLES else end
    if unit < len(words) and words[unit] in NUMBERS.durations:
        return Quantity(start, unit + 1, frozenset({value * NUMBERS.durations[words[unit]]}))
    return Quantity(start, end, frozenset({value, value * HUNDRED} if share else {value}))


def with_decimals(words: Sequence[str], value: float, end: int) -> tuple[float, int]:
    """Read "two point five" and "two and a half"."""
    if list(words[end : end + 3]) in (["and", "a", "half"], ["and", "one", "half"]):
        return value + 0.5, end + 3
    if words[end : end + 1] and words[end] == "point":
        digits = ""
        for word in words[end + 1 :]:
            if not 0 <= NUMBERS.cardinals.get(word, -1) < TEN:
                break
            digits += str(NUMBERS.cardinals[word])
        if digits:
            return value + float(f"0.{digits}"), end + 1 + len(digits)
    return value, end


def cardinal(words: Sequence[str], at: int) -> tuple[float, int]:
    """Read a whole number in words; it ends where the next word cannot be part of it.

    >>> cardinal("two thousand five hundred and sixty one files".split(), 0)
    (2561.0, 7)
    >>> cardinal(["two", "three"], 0), cardinal(["many"], 0)
    ((2.0, 1), (0.0, 0))
    """
    total, current, end, largest = 0.0, 0.0, at, float("inf")
    while end < len(words):
        word, began = words[end], end > at
        if word in ARTICLES and not began and is_scale(words, end + 1):
            end += 1
            continue
        if word == "and" and began and current % HUNDRED == 0 and is_cardinal(words, end + 1):
            end += 1
            continue
        if word in NUMBERS.scales and NUMBERS.scales[word] < largest:
            scale = NUMBERS.scales[word]
            if scale == HUNDRED:
                if current >= HUNDRED:
                    break
                current = max(current, 1) * HUNDRED
            else:
                total, current, largest = total + max(current, 1) * scale, 0.0, scale
        elif not joins(NUMBERS.cardinals.get(word), current, began=began):
            break
        else:
            current += NUMBERS.cardinals[word]
        end += 1
        if current == 0 and total == 0:
            break  # zero stands alone
    return total + current, end


def joins(number: int | None, current: float, *, began: bool) -> bool:
    """Tell whether a word for a number goes on what was read: "twenty" and "five" do."""
    if number is None or (began and number == 0):
        return False
    if number < TEN:
        return current % TEN == 0 and current % HUNDRED != TEN
    return current % HUNDRED == 0


def is_scale(words: Sequence[str], at: int) -> bool:
    return at < len(words) and words[at] in NUMBERS.scales


def is_cardinal(words: Sequence[str], at: int) -> bool:
    return at < len(words) and words[at] in NUMBERS.cardinals


def signed(quantity: Quantity, words: Sequence[str]) -> Quantity:
    """Give a number that stands behind "minus" its sign."""
    if not quantity.start or words[quantity.start - 1] not in MINUS:
        return quantity
    values = frozenset(-value for value in quantity.values)
    return Quantity(quantity.start, quantity.end, values)

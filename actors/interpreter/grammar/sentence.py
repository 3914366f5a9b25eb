"""A text as tokens: words as they are compared, quoted text held whole, and what parts them.

One pass over the text, however it is written; nothing here knows a verb.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actors.interpreter.grammar.little import LITTLE
from actors.language.words import fold

# Quotation marks by their opening; a mark that is closed nowhere is no mark. Closing marks must
# not be followed by a letter, or every apostrophe would close something.
CLOSING = {
    '"': re.compile(r'"'),
    "“": re.compile(r"[”“\"]"),
    "«": re.compile(r"»"),
    "'": re.compile(r"'(?!\w)"),
    "‘": re.compile(r"’(?!\w)"),
    "`": re.compile(r"`"),
}
PLAIN = re.compile(r"\(+(?=[\"“«'‘])|\S+")
BOLD = re.compile(r"\*\*([^\s*\"](?:[^*\n\"]*[^\s*\"])?)\*\*")
APOSTROPHE = re.compile(r"(?<=\w)[’ʼ](?=\w)")
FILE_END = re.compile(r"[^.\s]\.[a-z][a-z0-9]{0,4}$", re.IGNORECASE)
INNER_COMMA = re.compile(r"(?<=\D),(?=\S)|,(?=\D)")
# A path through menus that is written without spaces.
PATH = re.compile(r"[^\W\d_a-z][\w-]*(?:>[^\W\d_a-z][\w-]*)+[.,;:!?]?")
STEPS = re.compile(r">|[^>]+")
BEGINNINGS = "(¿¡[•"
DASHES = frozenset({"-", "–", "—", "*"})
ENDINGS = ".,;:!?…)]"
ARROWS = frozenset({">", "→", "»", "›", "->", "=>", "➔", "➜", ">>"})
# A question mark, or an exclamation mark, before these is part of a name.
GOING_ON = re.compile(rf"\s+(?:{'|'.join(LITTLE.spelling.going_on)})\b")
STEP = re.compile(r"\d{1,2}[.):]|[-*•–]|\(?\d{1,2}\)|[a-h]\)", re.IGNORECASE)
INLINE_STEP = re.compile(r"\(?\d{1,2}\)")
NEXT_STEP = re.compile(r"(\d{1,2})[.:]")
STEP_NUMBER = re.compile(r"\d{1,2}[.):]?|(?:one|two|three|four|five|six)[:,]?", re.IGNORECASE)
YEAR = re.compile(r"\d{4}")

LONGEST_ORDER = 60  # words of an order that may end in a question
LAST_OF_SIGNS = 0x2100  # behind it are pictures
NONE, SOFT, HARD = 0, 1, 2


@dataclass(slots=True)
class Tok:
    """One word, or one quoted text, and how strongly it is parted from what stands before it.

    ``key`` is the word as it is compared. ``comma`` if a comma stands before it; ``line`` if it
    begins a line; ``colon`` if it stands behind a colon; ``verb`` if it was
    a form of a verb; ``asked`` if a question mark follows, ``capital`` if it begins with a capital,
    ``numbered`` if the number of a step stands before it.
    """

    key: str
    start: int
    end: int
    quoted: str | None = None
    parted: int = NONE
    comma: bool = False
    line: bool = False
    colon: bool = False
    asked: bool = False
    capital: bool = False
    verb: bool = False
    numbered: bool = False


@dataclass(slots=True)
class Sentence:
    """A text and its tokens."""

    text: str
    toks: list[Tok]

    def said(self, start: int, end: int) -> str:
        """Give the words of a range of tokens as they were written."""
        return self.text[self.toks[start].start : self.toks[end - 1].end]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Say where a range of tokens stands in the text."""
        if start >= end:
            return (0, len(self.text))
        return (self.toks[start].start, self.toks[end - 1].end)


def sentence_of(text: str) -> Sentence:
    """Cut a text into tokens; what is written **bold** is quoted, so that all places stay."""
    if "**" in text:
        text = BOLD.sub(r' "\1" ', text)
    plain = APOSTROPHE.sub("'", text)
    toks: list[Tok] = []
    mark = Mark(line=True)
    behind = 0
    for start, end, quoted in chunks(plain):
        if "\n" in plain[behind:start]:
            mark = Mark(HARD, line=True, colon=mark.colon)
        behind = end
        if quoted is not None:
            toks.append(mark.token(fold(quoted), start, end, quoted))
            mark = Mark(SOFT, comma=True) if quoted.endswith(",") else Mark()
        else:
            mark = cut_word(plain, start, end, toks, mark)
        if toks and toks[-1].comma:
            rejoin_date(toks)
    return Sentence(text, toks)


def rejoin_date(toks: list[Tok]) -> None:
    """Take back the comma in "March 5, 2024" and in "Thursday, 6 Feb"."""
    last, before = toks[-1], toks[-2].key if len(toks) > 1 else ""
    dated = YEAR.fullmatch(last.key) and (
        before in LITTLE.dates.months
        or (before.isdecimal() and len(before) < len("2024"))
        or before[-2:] == "th"
    )
    if dated or (
        before in LITTLE.dates.days and (last.key[:1].isdigit() or last.key in LITTLE.dates.months)
    ):
        last.comma, last.parted = False, NONE


@dataclass(slots=True)
class Mark:
    """What stands before the next token."""

    parted: int = NONE
    comma: bool = False
    line: bool = False
    colon: bool = False
    step: bool = False
    numbered: bool = False

    def token(self, key: str, start: int, end: int, quoted: str | None = None) -> Tok:
        token = Tok(key, start, end, quoted, self.parted, self.comma, self.line, self.colon)
        token.numbered = self.numbered
        return token

    def after(self, punctuation: str) -> "Mark":
        """Say what the punctuation behind a word means for the next one."""
        if "," in punctuation:
            return Mark(SOFT, comma=True)
        if any(sign in punctuation for sign in ";!?."):
            return Mark(HARD)
        return Mark(SOFT, colon=True) if ":" in punctuation else Mark()


NOTHING_BETWEEN = Mark()


def chunks(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Give quoted texts and runs of other characters, in order."""
    at, length = 0, len(text)
    unclosed: set[str] = set()
    while at < length:
        character = text[at]
        if character.isspace():
            at += 1
            continue
        opens = character in CLOSING and character not in unclosed
        if opens and (close := CLOSING[character].search(text, at + 1)) is not None:
            yield at, close.end(), text[at + 1 : close.start()]
            at = close.end()
            continue
        if opens:
            unclosed.add(character)
        run = PLAIN.match(text, at)
        if run is None:
            at += 1
            continue
        yield from split_commas(text, run.start(), run.end())
        at = run.end()


def split_commas(text: str, start: int, end: int) -> Iterator[tuple[int, int, None]]:
    """Part "a,b" at its comma, but not "1,000"; and "File>Save" at its arrow."""
    if ">" in text[start:end] and PATH.fullmatch(text, start, end):
        yield from ((part.start(), part.end(), None) for part in STEPS.finditer(text, start, end))
        return
    if "," not in text[start : end - 1] or "://" in text[start:end] or is_one_file(text[start:end]):
        yield start, end, None
        return
    at = start
    for comma in INNER_COMMA.finditer(text, start, end):
        yield at, comma.end(), None
        at = comma.end()
    if at < end:
        yield at, end, None


def is_one_file(run: str) -> bool:
    """Tell whether a comma is within the name of a file: only its last part has an ending."""
    *parts, last = run.rstrip(".,;:!?").split(",")
    return FILE_END.search(last) is not None and any("." not in part for part in parts)


def cut_word(text: str, start: int, end: int, toks: list[Tok], mark: Mark) -> Mark:
    """Make a token of a word without the punctuation at its edges; give what that means."""
    said = text[start:end]
    if said.isalnum() and mark.parted != HARD and not (mark.line or mark.step):
        key = said.lower() if said.isascii() else fold(said)
        token = Tok(key, start, end, None, mark.parted, mark.comma, False, mark.colon)  # noqa: FBT003
        token.capital, token.numbered = said[0].isupper(), mark.numbered
        toks.append(token)
        return NOTHING_BETWEEN  # most words are like this
    if said == "|":
        return Mark(HARD, colon=True)
    if said in {"&&", "||"}:
        return Mark(HARD)
    if said in ARROWS:
        toks.append(Tok(">", start, end))
        return Mark()
    if is_step(said, toks, mark):
        inline = bool(toks) and not mark.line
        return Mark(
            HARD if inline else mark.parted,
            line=mark.line,
            colon=mark.colon,
            step=said.lower() == "step",
            numbered=True,
        )
    if said in DASHES and not (toks and toks[-1].key in LITTLE.articles):
        return Mark(max(mark.parted, SOFT), comma=True, line=mark.line)
    if said.strip("?!") == "" and "?" in said and toks:
        toks[-1].asked = True
    whole = (said[0] == "(" and ")" in said[1:]) or (said[0] == "[" and "]" in said[1:])
    word = said if whole else said.lstrip(BEGINNINGS)
    begin = end - len(word)
    bracketed = whole and said[0] == "["  # "[1]" is a name
    trimmed = word.rstrip(ENDINGS.replace("]", "") if bracketed else ENDINGS)
    closed = {"(": ")", "[": "]"}.items()
    if any(mark in trimmed and word[len(trimmed) :].startswith(end) for mark, end in closed):
        trimmed = word[: len(trimmed) + 1]
    if is_initial(text, trimmed, word, end):
        trimmed = word
    elif len(trimmed) == 1 and trimmed.isalpha() and word.startswith(f"{trimmed}:"):
        trimmed = word[:2]  # a drive
    if not trimmed or (not any(map(str.isalnum, trimmed)) and ord(trimmed[0]) > LAST_OF_SIGNS):
        found = mark.after(word)
        return found if found.parted >= mark.parted and found.parted else mark
    key = fold(trimmed)
    token = mark.token(key, begin, begin + len(trimmed))
    token.asked = "?" in word[len(trimmed) :]
    token.capital = trimmed.lstrip("(")[:1].isupper()
    toks.append(token)
    behind = word[len(trimmed) :]
    goes_on = behind in {"?", "!"} and GOING_ON.match(text, end) is not None
    if behind == "?" and (holds_question(toks) or (goes_on and mark_is_named(toks))):
        token.end, token.asked = begin + len(word), False
        return Mark() if goes_on else mark.after(behind)
    if behind == "!" and goes_on:
        token.end = begin + len(word)  # it goes on: "type Hello! in the box"
        return Mark()
    if behind == "." and is_shortened(text, key, end):
        token.end += 1
        return Mark()
    return mark.after(behind)


def is_shortened(text: str, key: str, end: int) -> bool:
    """Tell whether a full stop ends a word and no sentence: "Mr. Smith", and "No. 5" only so."""
    following = text[end : end + 2].strip()
    if key in LITTLE.spelling.numbering:
        return following.isdigit()
    return key in LITTLE.spelling.shortened and bool(following)


def mark_is_named(toks: list[Tok]) -> bool:
    """Tell whether the last words are written as a name."""
    return any(token.capital and not token.line for token in toks[-3:])


def holds_question(toks: list[Tok]) -> bool:
    """Tell whether an order ends in the name of something that is a question itself."""
    first, farthest = len(toks) - 1, len(toks) - LONGEST_ORDER
    while first > 0 and toks[first].parted != HARD and not toks[first].line:
        first -= 1
        if first < farthest:
            return False
    if toks[first].key in LITTLE.named_questions:
        return False
    for at in range(len(toks) - 2, first, -1):
        token, following = toks[at], toks[at + 1]
        if following.parted or following.quoted is not None:
            return False
        if not token.capital or token.key not in LITTLE.named_questions:
            continue
        named = not following.capital or token.key not in LITTLE.inverted
        joined = token.parted or toks[at - 1].key in LITTLE.joining
        return named and not joined and any(not each.capital for each in toks[first + 1 :])
    return False


def is_step(said: str, toks: list[Tok], mark: Mark) -> bool:
    """Tell whether a word only numbers a step: "1.", "-", "Step 2:"."""
    begins = mark.line or mark.parted == HARD or not toks
    if mark.step:
        return STEP_NUMBER.fullmatch(said) is not None
    numbered = mark.line or (begins and bool(toks) and toks[0].numbered)
    if INLINE_STEP.fullmatch(said) and (mark.parted or (toks and toks[0].numbered)):
        return True
    if not begins and toks[0].numbered and (number := NEXT_STEP.fullmatch(said)) is not None:
        return int(number[1]) == 1 + sum(token.numbered for token in toks)
    return begins and (said.lower() == "step" or (numbered and STEP.fullmatch(said) is not None))


def is_initial(text: str, trimmed: str, word: str, end: int) -> bool:
    """Tell whether a full stop belongs to an initial within a sentence: "Noor A. and"."""
    if len(trimmed) != 1 or not trimmed.isupper() or word != f"{trimmed}.":
        return False
    return text[end : end + 1] == " " and text[end + 1 : end + 2].islower()

"""Texts that nobody would say, and what must hold for each: shared by the tests and ``make fuzz``.

Whatever the text, the grammar answers; and no goal holds a word that the text does not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random

from actors.interpreter.grammar import Doubt, Misunderstanding, Understanding
from actors.language.words import fold, singular
from actors.planner.tables import search_engines
from messages.goals import GoalDraft
from messages.message import Value
from tests.sentences import CORPORA, entries
from tests.test_grammar import GRAMMAR

LONG = 10_000
WORD = re.compile(r"[^\W_]+")
JOINTS = (" ", "\n", ", ", " and ", " then ", ". ", "; ", ": ", " but ", "", " > ", ' "', "' ")

# What a text may be full of: each is repeated until the text is long.
MARKS = [*",;:.!?…'\"“”«»‘’`()[]{}<>→›-–—*•|/\\%#@&+=~^$_", "->", "=>", "...", "?!", "''", '""']
SPACES = [" ", "\n", "\t", "\r\n", "\u00a0", "\u2028", "\x85", "\x00", "\u200b", "\ufeff", "\ue000"]
LETTERS = [
    "a",
    "A",
    "1",
    "é",
    "ß",
    "İ",
    "ﬁ",
    "字",
    "ا",
    "😀",
    "\u0301",
    "½",
    "²",
    "Ⅻ",
    "٣",
    "1a",
    "a.b.",
]
QUOTED = ["'s ", "«a ", "“a ", "“a “b ”", '"a" ', "'a' ", "\"'a'\" ", "`a ", '("', "('a')", "a'b "]
WORDS = """and|and then|then|but|or|not|don't|never|if|unless|when|until|before|after|after you|by|
before clicking|by clicking|instead of|rather than|without|in|in the|in the top left,|on|at|under|
next to|from|to|into|as|for|with|of|the|a|it|them|inside it|there|here|please|could you|hey|step|
step 1:|1.|1)|(1)|first,|every day|tomorrow|so that|to see|which|that says|I|you|you'll see|
click|click a|click a,|click a and|open|open a.txt|type|type a in b|type a in b,|press|press ctrl+|
create a folder|create a folder a inside|create a folder a, inside it|delete a.txt,|search for|
search for a and b on google|set a to b,|fill in a with b and c with d,|go to|go to a.com|wait|
wait 1 second|save it as|copy|move it to|rename a to b|put a in b on c|drag a to b|scroll down|
select a from b|check a|turn on|turn the volume|take|look at|read|twenty|thirty percent|30%|1,000|
March 5, 2024,|Mr.|e.g.|A.|A. b|http://|http://a,|www.|a@b.|*.pdf|C:\\|~/|on drive D|Save and Close|
Settings >|a > b >|And|CLICK|Click Save And|button|the first|the last button|folder|file|page|tab"""
SAYINGS = [f"{saying.strip()} " for saying in WORDS.split("|")]
FRAGMENTS = [*MARKS, *SPACES, *LETTERS, *QUOTED, *SAYINGS]
OPENINGS = ["", "click ", "create a folder ", "type ", '"', "in the ", "go to a.com and ", "don't "]


@cache
def texts() -> tuple[str, ...]:
    """Give all sentences of the corpora."""
    return tuple(entry.text for name in CORPORA for entry in entries(name))


def filled(*fragments: str, length: int = LONG) -> str:
    """Repeat fragments until they make a text of this length."""
    once = "".join(fragments) or " "
    return (once * (length // len(once) + 1))[:length]


# What must hold


def broken(text: str) -> str | None:
    """Say what does not hold for a text; an exception is left to whoever asks."""
    understanding = GRAMMAR.parse(text)
    if isinstance(understanding, Misunderstanding | Doubt):
        start, end = understanding.span
        if not (understanding.message and 0 <= start <= end <= len(text)):
            return f"points nowhere: {understanding.span}"
    elif not understanding:
        return "no goals, and no word why"
    foreign = sorted(set(foreign_words(text, understanding)))
    return f"not in the text: {', '.join(foreign)}" if foreign else None


def goals_of(understanding: Understanding) -> tuple[GoalDraft, ...]:
    """Give the goals of a text, in whichever way it may be meant."""
    if isinstance(understanding, Doubt):
        return tuple(draft for way in understanding.ways for draft in way.drafts)
    return understanding if isinstance(understanding, tuple) else ()


def foreign_words(text: str, understanding: Understanding) -> Iterator[str]:
    """Give the words of goals that do not stand in the text."""
    spoken = WORD.findall(fold(text))
    said = frozenset(spoken) | frozenset(map(singular, spoken))  # several are told by one
    for draft in goals_of(understanding):
        stated: Mapping[str, Value] = {**draft.params, **draft.roles, "words": draft.words or ""}
        for name, value in stated.items():
            if not isinstance(value, str):
                yield from foreign_number(name, value, said)
            elif value not in enumerated():
                known = said | key_names() if name == "keys" else said
                yield from (
                    f"{name}={word}" for word in words_of(value, known) if word not in known
                )


def words_of(value: str, known: frozenset[str]) -> Sequence[str]:
    """Give the words of a value; what stands in the text as it is needs no cutting."""
    folded = fold(value)
    return [] if folded in known else WORD.findall(folded)


def foreign_number(name: str, value: Value, said: frozenset[str]) -> Iterator[str]:
    """Give a number that is written neither in digits nor in words, "twice" among them."""
    if isinstance(value, bool) or str(value) in enumerated() or said & number_words():
        return
    whole, _, _ = str(value).partition(".")
    if not any(whole in word or word in whole for word in said if word[:1].isdigit()):
        yield f"{name}={value}"


@cache
def enumerated() -> frozenset[str]:
    """Give the values that words stand for: of the tables, and names of sites."""
    table, engines = GRAMMAR.table.phrases, search_engines()
    fixed = {str(value) for frame in table.frame for value in frame.params.values()}
    listed = {value for values in table.values.values() for value in values.values()}
    sites = {engine.hosts[0] for engine in engines.values()}
    parameters = [each for rule in GRAMMAR.rules.values() for each in rule.params.values()]
    allowed = {str(value) for each in parameters for value in each.allowed}
    return frozenset(fixed | listed | sites | engines.keys() | allowed | {"file", "folder"})


@cache
def key_names() -> frozenset[str]:
    table = GRAMMAR.table.phrases
    names = [*table.keys.values(), *table.held_keys.values()]
    return frozenset(word for name in names for word in WORD.findall(fold(name)))


@cache
def number_words() -> frozenset[str]:
    table = GRAMMAR.table.phrases
    return frozenset(table.numbers.keys() | table.units.keys())


# Texts by chance


def any_text(chance: Random) -> str:
    """Make a text of any kind."""
    make = chance.choice([spliced, spliced, worn, worn, worn, repeated, dense, lengthy])
    return make(chance)


def spliced(chance: Random) -> str:
    """Cut sentences of the corpora anywhere, and join what is left."""
    parts = [chance.choice(texts()) for _ in range(chance.randint(1, 4))]
    cuts = [
        part[chance.randint(0, len(part)) :] if chance.random() < 0.5 else part for part in parts
    ]
    return chance.choice(JOINTS).join(cuts)


def worn(chance: Random) -> str:
    """Take words from a sentence away, say some twice, put others in, change their order."""
    words = re.split(r"(?<=\s)", spliced(chance))
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(words))
        match chance.randrange(4):
            case 0 if len(words) > 1:
                del words[at]
            case 1:
                words.insert(at, words[at])
            case 2:
                words.insert(at, chance.choice(FRAGMENTS))
            case _:
                other = chance.randrange(len(words))
                words[at], words[other] = words[other], words[at]
    return "".join(words)


def repeated(chance: Random) -> str:
    """Repeat a few fragments until the text is long."""
    few = chance.sample(FRAGMENTS, chance.randint(1, 3))
    return (chance.choice(OPENINGS) + filled(*few))[:LONG]


def dense(chance: Random) -> str:
    """Make a long text of long words that stays below the bounds on words and clauses."""
    pieces = chance.randint(1, 118)
    each = min(98, 780 // pieces)
    width = LONG // (pieces * each + 1)
    few = chance.sample(SAYINGS, chance.randint(1, 8))
    words = [
        chance.choice(few).strip() + chance.choice(["", "x" * (width // 2)]) for _ in range(780)
    ]
    lines = [" ".join(words[at : at + each]) for at in range(0, len(words) - each + 1, each)]
    return chance.choice([", ", " and ", ". ", "\n", "; "]).join(lines[:pieces])[:LONG]


def lengthy(chance: Random) -> str:
    """Join sentences of the corpora to a text of a few thousand characters."""
    length = chance.choice([1_000, 2_000, 3_000, 4_000, LONG])
    joint = chance.choice(JOINTS)
    return joint.join(chance.choice(texts()) for _ in range(length // 50))[:length]

"""Words as such: how they are folded, cut and inflected. Pure; shared by those who read words."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "‐": "-", "‑": "-", "–": "-"})
SIBILANTS = ("s", "x", "z", "ch", "sh")
VOWELS = "aeiou"
MARKS = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"', ord("&"): " and "}
EDGES = " .,;:!?…()¿¡"
LONGEST_WISH = 80
Wish: TypeAlias = Literal["undo", "stop", "repeat"]
SHORTEST = 4  # of the words that are plurals by rule


class SecretWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What speaks of a secret, surely or perhaps, and what stands beside it and is none."""

    spoken: tuple[str, ...]
    perhaps: tuple[str, ...]
    pieces: tuple[str, ...]
    keys: frozenset[str]
    doubtful: frozenset[str]
    ordinary: frozenset[str]


class English(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of words."""

    left_out: frozenset[str]
    articles: frozenset[str]
    descriptive: frozenset[str]
    unchanging: frozenset[str]
    relations: dict[str, list[str]]
    irregular: dict[str, str]
    undo: frozenset[str]
    stop: frozenset[str]
    repeat: frozenset[str]
    undo_noise: frozenset[str]
    secrets: SecretWords


ENGLISH = msgspec.toml.decode(
    files(__package__).joinpath("english.toml").read_bytes(), type=English
)
ARTICLES = ENGLISH.articles
SINGULARS = {plural: singular for singular, plural in ENGLISH.irregular.items()}
RELATIONS: dict[str, str] = {
    saying: name for name, sayings in ENGLISH.relations.items() for saying in sayings
}


def fold(text: str) -> str:
    """Give a text as it is compared: any case, any spaces, any shape of the same letters.

    >>> fold("  The  GRÜNE  Box ")
    'the grüne box'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).translate(APOSTROPHES).split())


def key_of(text: str) -> str:
    """Write a name in the one way in which it is compared: words, or else its signs.

    >>> key_of("Sign-up now »"), key_of(">>"), key_of("Terms & Conditions")
    ('sign up now', '>>', 'terms and conditions')
    """
    if text.isalpha() and text.isascii():
        return text.lower()
    if not text.isascii():
        text = "".join(
            each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)
        )
    folded = text.casefold().translate(MARKS)
    return " ".join(WORD.findall(folded)) or " ".join(folded.split())


def wish_of(text: str) -> Wish | None:
    """Tell whether a text asks for nothing but what is about commands themselves.

    >>> [wish_of(text) for text in ("Oops, take it back!", "never mind", "undo it in notes.txt")]
    ['undo', 'stop', None]
    """
    if len(text) > LONGEST_WISH:
        return None
    words = words_of(fold(text))
    said = " ".join(word for word in words if word not in ENGLISH.undo_noise)
    if said in ENGLISH.undo:
        return "undo"
    if said in ENGLISH.stop:
        return "stop"
    return "repeat" if said in ENGLISH.repeat else None


def words_of(folded: str) -> list[str]:
    """Cut a folded text into its words.

    >>> words_of("large, green-ish envelope_2")
    ['large', 'green', 'ish', 'envelope', '2']
    """
    return WORD.findall(folded)


def canonical(relation: str, own: Mapping[str, str]) -> str:
    """Give the name by which rules know a relation; ``own`` names come before ours.

    >>> canonical("Into", {})
    'in'
    """
    folded = fold(relation)
    for said, name in own.items():
        if fold(said) == folded:
            return fold(name)
    return RELATIONS.get(folded, folded)


def bare(folded: str) -> str:
    """Leave out the articles that a folded text begins with, unless it is nothing else.

    >>> bare("the old man")
    'old man'
    """
    while True:
        first, _, rest = folded.partition(" ")
        if first not in ENGLISH.left_out or not rest:
            return folded
        folded = rest


@lru_cache(maxsize=8192)
def forms(word: str) -> frozenset[str]:
    """Give the forms in which a word may stand for the same thing: one, or several of it.

    >>> sorted(forms("knives"))
    ['knife', 'knives']
    """
    one = singular(word)
    several = plural(one)
    if len(one) < SHORTEST - 1 or several in ENGLISH.unchanging:  # Mr and Mrs, glass and glasses
        return frozenset({word})
    return frozenset({word, one, several})


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """Give the singular of a plural noun, else the word itself.

    >>> [singular(word) for word in ("boxes", "berries", "swords", "glass", "mice", "keys")]
    ['box', 'berry', 'sword', 'glass', 'mouse', 'key']
    """
    if word in SINGULARS:
        return SINGULARS[word]
    if len(word) < SHORTEST or word in ENGLISH.unchanging or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > SHORTEST:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("ss", "x", "z", "ch", "sh")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def plural(word: str) -> str:
    """Give the plural of a noun.

    >>> [plural(word) for word in ("box", "berry", "sword", "mouse", "key", "sheep")]
    ['boxes', 'berries', 'swords', 'mice', 'keys', 'sheep']
    """
    if word in ENGLISH.irregular:
        return ENGLISH.irregular[word]
    if not word or word in ENGLISH.unchanging or not word[-1].isalpha():
        return word
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(SIBILANTS) else "s")


@lru_cache(maxsize=16_384)  # the names of a world are compared again with every command
def name_key(name: str) -> str:
    """Give a name as it is compared: folded, without articles or punctuation at its edges.

    >>> name_key("What's new?")
    "what's new"
    """
    key = bare(fold(name).strip(EDGES)) or bare(fold(name))
    if " a " in key or " the " in key or " an " in key:
        *words, last = key.split()
        return " ".join([*(word for word in words if word not in ENGLISH.left_out), last])
    return key


def is_plural(word: str) -> bool:
    """Tell whether a word is the plural of another."""
    return singular(word) != word


def listed(items: list[str], last: str = "or") -> str:
    """Join words as a sentence does.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"

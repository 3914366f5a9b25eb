"""Forms of verbs: where something is to be done, "clicking" stands for "click"."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import HARD, NONE, Sentence, Tok
from actors.interpreter.grammar.table import Compiled, Marks

VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class VerbForms:
    """The forms of the verbs that clauses begin with."""

    marks: Marks
    openers: frozenset[str]
    doing: Mapping[str, str]
    done: Mapping[str, str]
    thanks: frozenset[str]

    @classmethod
    def of(cls, table: Compiled) -> Self:
        verbs = [
            verb for verb in table.frames if verb.isalpha() and verb not in LITTLE.verbs.no_forms
        ]
        return cls(
            table.phrases.marks,
            frozenset(table.frames),
            {ing(verb): verb for verb in verbs},
            dict(pasts(verbs, table.phrases.irregular)),
            frozenset(saying.split()[0] for saying in table.phrases.noise.after),
        )

    def mark(self, sentence: Sentence) -> None:
        """Read forms of verbs as the verbs where they stand behind a word that asks for them."""
        doing = False
        for before, token in pairwise(sentence.toks):
            if token.quoted is not None:
                continue
            joined = doing and (before.key in LITTLE.joining or token.comma)
            verb = None
            if before.key in self.marks.before_ing or joined:
                verb = self.doing.get(token.key)
            if verb is None and before.key in self.marks.before_done:
                verb = self.done.get(token.key)
            if verb is not None:
                token.key, token.verb, doing = verb, True, True
            elif token.parted == HARD:
                doing = False

    def mark_exceptions(self, sentence: Sentence) -> None:
        """Read the "but" of "all but the first" as "except": no clause begins with it."""
        counted = False
        for token in sentence.toks:
            if token.quoted is not None:
                continue
            if token.parted == HARD:
                counted = False
            counted = counted or token.key in self.marks.counting
            if counted and token.key == "but" and not token.comma:
                token.key = "except"

    def join_answers(self, sentence: Sentence) -> None:
        """Take back the comma of the name "Yes, remove": nothing else begins behind it."""
        toks = sentence.toks
        for index in range(2, len(toks)):
            token, before = toks[index], toks[index - 1]
            if not token.comma or before.key not in LITTLE.answers or before.quoted is not None:
                continue
            named = before.capital and not before.parted
            following = toks[index + 1] if index + 1 < len(toks) else None
            if named and token.parted != HARD and self.goes_on(token, following):
                token.comma, token.parted = False, NONE

    def join_orders(self, sentence: Sentence) -> None:
        """Take back the comma of "sort by Age, descending": it says in which order."""
        sorted_ = False
        for token in sentence.toks:
            if token.quoted is not None:
                continue
            if token.parted == HARD:
                sorted_ = False
            if sorted_ and token.comma and token.key in LITTLE.sorted_so:
                token.comma, token.parted = False, NONE
            sorted_ = sorted_ or token.key in LITTLE.sorting

    def goes_on(self, token: Tok, following: Tok | None) -> bool:
        """Tell whether an answer goes on with these words, and no clause begins with them."""
        if token.quoted is not None or token.capital or not token.key.isalpha():
            return False
        if token.key in LITTLE.joining | LITTLE.sequence | LITTLE.polite | self.thanks:
            return False
        if token.key not in self.openers or following is None or following.parted:
            return True
        return following.quoted is None and following.key in LITTLE.answered | LITTLE.joining

    def drop_politeness(self, sentence: Sentence) -> None:
        """Leave out the "please" of "make please a folder", unless it may be what is written."""
        toks = sentence.toks
        if not any(token.key == "please" for token in toks[1:-1]):
            return
        sentence.toks = toks[:1] + [
            token
            for before, token in pairwise(toks)
            if token.key != "please"
            or token.quoted is not None
            or token.parted
            or token is toks[-1]
            or before.key in self.marks.writing
            or before.key not in self.openers
        ]


def ing(verb: str) -> str:
    """Give the form of a verb that follows "after" and "by".

    >>> [ing(verb) for verb in ("click", "type", "submit", "go", "set", "open")]
    ['clicking', 'typing', 'submitting', 'going', 'setting', 'opening']
    """
    if verb.endswith("e") and not verb.endswith("ee"):
        return f"{verb[:-1]}ing"
    syllable = verb[-3:]
    short = (
        len(syllable) == len("set")
        and syllable[0] not in VOWELS
        and syllable[1] in VOWELS
        and syllable[2] not in f"{VOWELS}wxy"
    )
    return f"{verb}{verb[-1]}ing" if short and verb not in LITTLE.verbs.undoubled else f"{verb}ing"


def pasts(verbs: Iterable[str], irregular: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Give the forms of verbs that follow "having".

    >>> [past for past, _ in pasts(["click", "type", "choose", "drag"], {"choose": "chosen"})]
    ['clicked', 'typed', 'chosen', 'dragged']
    """
    for verb in verbs:
        if verb not in LITTLE.verbs.no_past:
            yield irregular.get(verb) or f"{ing(verb).removesuffix('ing')}ed", verb

"""The words for one thing, read once into a typed phrase."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from actors.interpreter.words.lexicon import Lexicon
from actors.interpreter.words.tokens import Token, tokens_of, words_at
from actors.language.words import ARTICLES, ENGLISH, fold, is_plural, words_of
from messages.phrases import Phrase, Related

NUMBERED = re.compile(r"(?P<number>\d{1,6})\.(?P<noun>\D\S*)|#(?P<bare>\d{1,6})")
TRAILING = re.compile(r"#?(\d{1,6})")
ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)")
MAX_DEPTH = 3
MAX_DIGITS = 6
MAX_NAMES = 4


@dataclass(frozen=True, slots=True)
class PhraseReader:
    """Reads phrases of one text. ``plain`` knows no selectors, sets or pronouns.

    Without ``owners`` "Bob's" is a word like others: part of a name.
    """

    lexicon: Lexicon
    text: str
    ignored: frozenset[str] = frozenset()
    extra_relations: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    plain: bool = False
    owners: bool = True

    def read(self, tokens: Sequence[Token], depth: int = 0) -> Phrase:
        """Read the tokens of one role."""
        said = self.said(tokens)
        kept = self.without_noise(tokens)
        named = []
        if len(kept) < len(tokens):  # what says nothing may still be part of a name
            named.append(Phrase(said, quoted=said))
            said = " ".join(self.said([token]) for token in kept)
        if not self.plain and (pronoun := self.lexicon.pronouns.get(spoken(kept))):
            return Phrase(said, pronoun=pronoun, named=tuple(named))
        parts = Parts(said, list(kept))
        self.take_name(parts)
        if not self.plain:
            self.take_exceptions(parts, depth)
            self.take_place(parts)
        self.take_leading(parts)
        if depth < MAX_DEPTH:
            if self.owners:
                self.note_name(parts, named, lambda: self.take_owner(parts, depth))
            if "related" in parts.fields:
                named.append(self.without_owners(kept, depth))
            longer = self.longer_names(parts, depth)
            self.note_name(parts, named, lambda: self.take_relation(parts, depth))
            named.extend(longer)
        if not self.plain:
            self.note_name(parts, named, lambda: take_selector(parts))
            self.take_members(parts, kept, depth)
        named = [*self.names_of_a_kind(said, kept, parts), *named]
        if named:
            parts.fields["named"] = tuple(named)
        return self.finish(parts)

    def without_owners(self, tokens: Sequence[Token], depth: int) -> Phrase:
        """Read "the old baker's dozen" as words of a name: nobody's."""
        phrase = replace(self, owners=False).read(tokens, depth)
        return msgspec.structs.replace(phrase, named=(), members=())

    def said(self, tokens: Sequence[Token]) -> str:
        return self.text[tokens[0].start : tokens[-1].end]

    def names_of_a_kind(self, text: str, tokens: Sequence[Token], parts: "Parts") -> list[Phrase]:
        """Read "the First name field", "the book War and Peace": a kind beside a full name."""
        words = list(tokens)
        while len(words) > 1 and words[0].quoted is None and words[0].word in ARTICLES:
            words = words[1:]
        taken = parts.fields.keys() - {"possessor", "pointed", "indefinite"}
        if not taken or "quoted" in taken or len(words) < len(("name", "kind")):
            return []
        if any(token.quoted is not None for token in words):
            return []
        return [
            Phrase(text, quoted=self.said(name), kind=kind.word)
            for name, kind in ((words[:-1], words[-1]), (words[1:], words[0]))
        ]

    def note_name(self, parts: "Parts", named: list[Phrase], take: Callable[[], None]) -> None:
        """Take more from a phrase; how it reads with that as part of a name is noted."""
        tokens, fields = list(parts.tokens), dict(parts.fields)
        take()
        if parts.tokens != tokens and tokens and "quoted" not in fields:
            name = self.text[tokens[0].start : tokens[-1].end]
            named.append(Phrase(parts.text, quoted=name, **fields))

    def take_members(self, parts: "Parts", tokens: Sequence[Token], depth: int) -> None:
        """Read "the sword and the shield" as two things, beside what else it may be."""
        if depth or "excluding" in parts.fields:
            return
        if words_at(tokens, 0, ("both",)):
            tokens = tokens[1:]
        members = self.several(tokens)
        if len(members) > 1:
            read = [self.read(member, 1) for member in members]
            parts.fields["members"] = tuple(with_nouns(read))
            said = {token.word for token in tokens if token.quoted is None}
            parts.fields["either"] = bool(said & (self.lexicon.joining - self.lexicon.adding))

    def without_noise(self, tokens: Sequence[Token]) -> list[Token]:
        """Leave out what says nothing, but nothing of a name that follows a calling word."""
        called = [at for at, token in enumerate(tokens) if at and token.word in self.lexicon.called]
        end = called[0] if called else len(tokens)
        kept = [token for token in tokens[:end] if not self.says_nothing(token)]
        name = list(tokens[end:])
        while len(name) > len(("called", "name")) and self.says_nothing(name[-1]):
            del name[-1]
        return [*kept, *name] or list(tokens)

    def says_nothing(self, token: Token) -> bool:
        return says_nothing(token, self.lexicon, self.ignored)

    def take_exceptions(self, parts: "Parts", depth: int) -> None:
        """Take "except ..." from a phrase that speaks of a set."""
        counted = any(words_at(parts.tokens, 0, said) for said, _ in self.lexicon.quantifiers)
        for index in range(1, len(parts.tokens)):
            if parts.tokens[index].word not in self.lexicon.excepting_openers:
                continue
            for saying in self.lexicon.excepting:
                rest = parts.tokens[index + len(saying) :]
                if not counted and not is_plural(parts.tokens[index - 1].word):
                    continue
                if rest and words_at(parts.tokens, index, saying):
                    if not counted:  # "the animals except the horses" are all the others
                        parts.fields["quantifier"] = "all"
                    members = self.several(rest)
                    parts.fields["excluding"] = tuple(self.read(m, depth + 1) for m in members)
                    parts.tokens = parts.tokens[:index]
                    return

    def several(self, tokens: Sequence[Token]) -> list[list[Token]]:
        """Cut "the sword, the bow and the axe" at its commas and joining words."""
        members: list[list[Token]] = [[]]
        for token in tokens:
            if token.quoted is None and token.word in self.lexicon.joining:
                members.append([])
                continue
            members[-1].append(token)
            if token.comma:
                members.append([])
        return [member for member in members if member]

    def take_place(self, parts: "Parts") -> None:
        """Take "you carry" or "on the floor" from the end."""
        if not parts.tokens or parts.tokens[-1].word not in self.lexicon.place_ends:
            return
        for saying, place in self.lexicon.places:
            start = len(parts.tokens) - len(saying)
            if start > 0 and words_at(parts.tokens, start, saying):
                parts.fields["place"] = place
                parts.tokens = self.without_link(parts.tokens[:start])
                return

    def take_leading(self, parts: "Parts") -> None:
        """Take articles, and what counts: all, both, two, second, newest, other."""
        while parts.tokens:
            first = parts.tokens[0]
            if first.quoted is not None:
                return
            if first.word in ARTICLES and len(parts.tokens) > 1:
                self.note_article(parts, first.word)
                parts.drop(1)
            elif (single := self.single_at(parts.tokens)) and not self.plain:
                parts.fields["count"] = 1
                parts.drop(single)
            elif self.plain or not self.take_counting(parts, first.word):
                return

    def note_article(self, parts: "Parts", word: str) -> None:
        """Note what an article says beside that a noun follows."""
        if possessor := self.lexicon.possessors.get(word):
            parts.fields["possessor"] = possessor
        elif word in self.lexicon.pointing:
            parts.fields["pointed"] = True
        elif word in self.lexicon.leaving_open:
            parts.fields["indefinite"] = True

    def single_at(self, tokens: Sequence[Token]) -> int:
        """Give the length of "one" or "one of" before a noun; 0 if it is not there."""
        for saying in self.lexicon.single:
            length = len(saying)
            if len(tokens) > length and words_at(tokens, 0, saying):
                related = relation_at(tokens, length, self.lexicon, self.extra_relations)
                return 0 if related else length
        return 0

    def take_counting(self, parts: "Parts", word: str) -> bool:
        """Take one word that counts, or a few that do it together."""
        lexicon, fields = self.lexicon, parts.fields
        if word in lexicon.counting_openers and self.take_measure(parts):
            return True
        numeral = ORDINAL.fullmatch(word)
        ordinal = int(numeral[1]) if numeral else lexicon.ordinals.get(word)
        if ordinal is not None and "ordinal" not in fields:
            fields["ordinal"] = ordinal
        elif word in lexicon.other:
            fields["other"] = True
        elif (number := self.number(parts, word)) is not None:
            fields["count"] = number
        else:
            return False
        return parts.drop(1)

    def take_measure(self, parts: "Parts") -> bool:
        """Take "all of", "both", or "the newest"."""
        for saying, quantifier in self.lexicon.quantifiers:
            if words_at(parts.tokens, 0, saying) and "quantifier" not in parts.fields:
                parts.fields["quantifier"] = quantifier
                return parts.drop(len(saying))
        for saying, superlative in self.lexicon.superlatives:
            if words_at(parts.tokens, 0, saying) and "superlative" not in parts.fields:
                parts.fields["superlative"] = superlative
                return parts.drop(len(saying))
        return False

    def number(self, parts: "Parts", word: str) -> int | None:
        """Read "two" or "2" before a plural, or "all three"."""
        is_number = word.isdecimal() and len(word) <= MAX_DIGITS
        number = int(word) if is_number else self.lexicon.numbers.get(word)
        nouns = [token.word for token in parts.tokens[1:]]
        several = any(is_plural(noun) or noun in ENGLISH.unchanging for noun in nouns)
        several = several or (bool(nouns) and nouns[-1] in self.lexicon.placeholders)
        return number if number is not None and (several or "quantifier" in parts.fields) else None

    def take_owner(self, parts: "Parts", depth: int) -> None:
        """Take "Bob's" from the beginning; "the second guard's" counts guards."""
        for index, token in enumerate(parts.tokens[:-1]):
            if relation_at(parts.tokens, index, self.lexicon, self.extra_relations):
                return
            if token.quoted is None and token.word.endswith(("'s", "s'")):
                owner = token.word.removesuffix("'s") if token.word[-1] == "s" else token.word
                named = replace(token, word=owner.rstrip("'"))
                whose = without_possessive(self.read([*parts.tokens[:index], named], depth + 1))
                parts.fields["related"] = Related("owner", self.counted_owner(parts, whose))
                parts.tokens = parts.tokens[index + 1 :]
                self.take_leading(parts)
                return

    def counted_owner(self, parts: "Parts", whose: Phrase) -> Phrase:
        """Let what counts before "guard's" count guards."""
        ordinal = parts.fields.pop("ordinal", None)
        if ordinal is None:
            return whose
        words = self.lexicon.ordinals.items()
        said = next((word for word, number in words if number == ordinal), f"{ordinal}th")
        return msgspec.structs.replace(whose, text=f"{said} {whose.text}", ordinal=ordinal)

    def take_name(self, parts: "Parts") -> None:
        """Take "called X": what follows is a name, whatever it looks like."""
        for index, token in enumerate(parts.tokens[:-1]):
            if index and token.quoted is None and token.word in self.lexicon.called:
                name = parts.tokens[index + 1 :]
                quoted = name[0].quoted if len(name) == 1 else None
                said = self.text[name[0].start : name[-1].end]
                parts.fields["quoted"] = said if quoted is None else quoted
                parts.tokens = parts.tokens[:index]
                return

    def take_relation(self, parts: "Parts", depth: int) -> None:
        """Take "on the shelf": the first relation that has something before and after it."""
        if "related" in parts.fields:
            return
        # "everything in the box" has nothing left before the relation, and needs nothing.
        start = 0 if parts.fields.keys() - {"possessor"} else 1
        for index in range(start, len(parts.tokens)):
            found = relation_at(parts.tokens, index, self.lexicon, self.extra_relations)
            if found is not None and index + found[0] < len(parts.tokens):
                length, relation = found
                to = self.read(parts.tokens[index + length :], depth + 1)
                parts.fields["related"] = Related(relation, to)
                parts.tokens = self.without_link(parts.tokens[:index])
                return

    def longer_names(self, parts: "Parts", depth: int) -> list[Phrase]:
        """Read "note to self in the drawer" with a later relation than the first, longest first."""
        tokens, found = parts.tokens, []
        if depth or "related" in parts.fields or "quoted" in parts.fields:
            return []
        for index in range(1, len(tokens)):
            at = relation_at(tokens, index, self.lexicon, self.extra_relations)
            if at is not None and index + at[0] < len(tokens):
                found.append((index, *at))
        names = []
        for index, length, relation in reversed(found[1:MAX_NAMES]):
            name = self.text[tokens[0].start : tokens[index - 1].end]
            related = Related(relation, self.read(tokens[index + length :], depth + 1))
            names.append(Phrase(parts.text, quoted=name, related=related, **parts.fields))
        return names

    def without_link(self, tokens: list[Token]) -> list[Token]:
        """Leave out "that is" from the end."""
        for saying in self.lexicon.linking:
            start = len(tokens) - len(saying)
            if start > 0 and words_at(tokens, start, saying):
                return tokens[:start]
        return tokens

    def finish(self, parts: "Parts") -> Phrase:
        """Make a phrase of what is left: a quoted name, adjectives, a noun."""
        fields = parts.fields
        words: list[str] = []
        joined: list[str] = []
        for token in parts.tokens:
            if token.quoted is not None and "quoted" not in fields:
                fields["quoted"] = token.quoted
            elif token.word in self.lexicon.joining or token.word in ARTICLES:
                joined.extend(words[-1:])  # "Bill the bill" is no bill, whatever Bill is
            else:
                words.extend(words_of(token.word))
                joined.extend(words[-1:] if token.comma else ())
        if joined and joined[-1] != words[-1]:
            fields["joined"] = tuple(joined)
        if "quoted" in fields:
            kind = words[-1] if words else None
            return Phrase(parts.text, kind=kind, adjectives=tuple(words[:-1]), **fields)
        if not words:
            return Phrase(parts.text, **fields)
        if words[-1].isdecimal() and len(words) > 1:  # the noun of "tube 2" is the tube
            words = [words[-1], *words[:-1]]
        *adjectives, head = words
        no_noun = not self.plain and head in self.lexicon.placeholders
        return Phrase(
            parts.text, head=None if no_noun else head, adjectives=tuple(adjectives), **fields
        )


@dataclass(slots=True)
class Parts:
    """A phrase half read: what was taken from it, and the tokens that are left."""

    text: str
    tokens: list[Token]
    fields: dict[str, Any] = field(default_factory=dict)

    def drop(self, count: int) -> bool:
        self.tokens = self.tokens[count:]
        return True


def says_nothing(token: Token, lexicon: Lexicon, ignored: frozenset[str]) -> bool:
    """Tell whether a word is mere politeness, or is to be ignored by a request."""
    return token.quoted is None and (token.word in lexicon.ignored or token.word in ignored)


def spoken(tokens: Sequence[Token]) -> str:
    """Give the words of tokens; a quoted text is no word."""
    return " ".join(token.word if token.quoted is None else '"' for token in tokens)


def without_possessive(owner: Phrase) -> Phrase:
    """Give an owner's phrase the name itself as its text."""
    named = fold(owner.text)
    return Phrase(
        named[: -len("'s")] if named.endswith("'s") else named.removesuffix("'"),
        head=owner.head,
        adjectives=owner.adjectives,
        pronoun=owner.pronoun,
    )


def with_nouns(members: list[Phrase]) -> list[Phrase]:
    """Let "the first" of "the first and second apple" be an apple, too."""
    noun: str | None = None
    read: list[Phrase] = []
    for member in reversed(members):
        lacks = member.head is None and member.quoted is None and member.pronoun is None
        if lacks and noun is not None and member.quantifier is None:
            read.append(msgspec.structs.replace(member, head=noun))
        else:
            noun = member.head or noun
            read.append(member)
    return read[::-1]


def relation_at(
    tokens: Sequence[Token],
    index: int,
    lexicon: Lexicon,
    extra: Mapping[tuple[str, ...], str],
) -> tuple[int, str] | None:
    """Give the longest relation that stands at ``index``: its length and its canonical name."""
    word = tokens[index].word if index < len(tokens) else ""
    if word not in lexicon.relation_openers and not extra:
        return None
    for length in (3, 2, 1):
        saying = tuple([token.word for token in tokens[index : index + length]])
        if len(saying) < length or not words_at(tokens, index, saying):
            continue
        relation = extra.get(saying) or lexicon.relations.get(saying)
        if relation is not None:
            return length, relation
    return None


def take_selector(parts: Parts) -> None:
    """Take ``2.sword``, ``all.sword``, ``sword 2``, ``sword-2`` and ``#2`` for what they count."""
    if not parts.tokens or "ordinal" in parts.fields:
        return
    first, last = parts.tokens[0], parts.tokens[-1]
    if first.quoted is None and first.word.startswith("all.") and len(first.word) > len("all."):
        parts.fields["quantifier"] = "all"
        parts.tokens[0] = replace(first, word=first.word[len("all.") :])
    elif first.quoted is None and (numbered := NUMBERED.fullmatch(first.word)):
        parts.fields["ordinal"] = int(numbered["number"] or numbered["bare"])
        parts.tokens[0] = replace(first, word=numbered["noun"] or "one")
    elif (
        len(parts.tokens) > 1
        and last.quoted is None
        and (trailing := TRAILING.fullmatch(last.word))
    ):
        parts.fields["ordinal"] = int(trailing[1])
        del parts.tokens[-1]
    elif last.quoted is None and (hyphened := before_number(last.word)):
        parts.fields["ordinal"] = int(last.word.rpartition("-")[2])
        parts.tokens[-1] = replace(last, word=hyphened)


def before_number(word: str) -> str:
    """Give the noun of ``sword-2``; "" if the word is not like that."""
    noun, _, number = word.rpartition("-")
    named = any(character.isalpha() for character in noun)
    return noun if named and number.isdecimal() and len(number) <= MAX_DIGITS else ""


def read_phrase(text: str, lexicon: Lexicon) -> Phrase:
    """Read the words for one thing; without words there is only the text."""
    tokens = tokens_of(text)
    return PhraseReader(lexicon, text).read(tokens) if tokens else Phrase(text)

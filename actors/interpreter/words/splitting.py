"""Splitting the words of a command into verb, direct thing, relation and indirect thing.

Where words can be split in more than one way ("give note to self to Bob") every way is given,
best first; which of them holds is for those who see the world.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import msgspec

from actors.forms import Fit, match_form
from actors.interpreter.words.lexicon import Lexicon, lexicon
from actors.interpreter.words.phrases import PhraseReader, relation_at, says_nothing
from actors.interpreter.words.tokens import Token, tokens_of, words_at
from actors.language.words import ARTICLES, canonical, fold
from messages.interpreting import NotSplit
from messages.phrases import Parsed, ParsedCommand, Phrase
from messages.targets import Options
from messages.verbs import VerbDeclaration, Verbs

MAX_READINGS = 8
MAX_CUTS = 6
# The relation in "give Bob the coin".
UNSAID = "to"
MAX_TOKENS = 120
MAX_LENGTH = 20_000


@dataclass(frozen=True, slots=True)
class Cut:
    """One place where a relation stands between two roles."""

    start: int
    end: int
    canonical: str
    accepted: bool


@dataclass(frozen=True)
class Splitter:
    """The verbs by all their names, ready to split texts."""

    verbs: Verbs
    lexicon: Lexicon
    names: Mapping[tuple[str, ...], tuple[str, ...]]
    relations: Mapping[str, Mapping[tuple[str, ...], str]]
    accepted: Mapping[str, frozenset[str]]
    ignored: frozenset[str]
    own: Mapping[tuple[str, ...], str]
    options: Options

    @cached_property
    def openers(self) -> frozenset[str]:
        """The first words of all verbs."""
        return frozenset(name[0] for name in self.names)

    def split(self, text: str, *, suggests: bool = True) -> tuple[ParsedCommand, ...] | NotSplit:
        """Give the readings of a text, best first; looking for near verbs takes time."""
        if len(text) > MAX_LENGTH:
            return NotSplit(f"more than {MAX_LENGTH} characters for one command")
        tokens = tokens_of(text)
        while tokens and self.is_noise(tokens[0]):
            tokens = tokens[1:]
        if not tokens:
            return NotSplit("there are no words")
        if len(tokens) > MAX_TOKENS:
            return NotSplit(f"more than {MAX_TOKENS} words for one command")
        readings = [
            reading
            for verb, length, rest in self.verbs_at(tokens)
            for reading in self.readings(text, verb, said(text, tokens[:length]), rest)
        ]
        if not readings:
            return self.no_verb(tokens[0].word) if suggests else NotSplit("it begins with no verb")
        return tuple(readings[:MAX_READINGS])

    def is_noise(self, token: Token) -> bool:
        return says_nothing(token, self.lexicon, self.ignored)

    def without_noise(self, tokens: list[Token]) -> list[Token]:
        """Leave out what says nothing from the end, unless it is all there is."""
        while len(tokens) > 1 and self.is_noise(tokens[-1]):
            tokens = tokens[:-1]
        return tokens

    def no_verb(self, word: str) -> NotSplit:
        known = sorted({" ".join(name) for name in self.names})
        near = tuple(get_close_matches(word, known, n=3))
        hint = f"; there is {' and '.join(map(repr, near))}" if near else ""
        return NotSplit(f"{word!r} is no verb here{hint}", near)

    def verbs_at(self, tokens: list[Token]) -> Iterator[tuple[str, int, list[Token]]]:
        """Find the verbs that begin the text: those of most words first, whole before parted."""
        found: list[tuple[int, int, str, int, list[Token]]] = []
        for words, verbs in self.names.items():
            length = len(words)
            for order, verb in enumerate(verbs):
                if words_at(tokens, 0, words):
                    found.append((-length, order, verb, length, tokens[length:]))
                elif length > 1 and words_at(tokens, 0, words[:-1]):
                    rest = self.parted(verb, tokens[length - 1 :], words[-1])
                    if rest is not None:
                        found.append((-length, order, verb, length - 1, rest))
        for _, _, verb, length, rest in sorted(found, key=lambda item: item[:3]):
            yield verb, length, rest

    def parted(self, verb: str, tokens: list[Token], particle: str) -> list[Token] | None:
        """Take the particle out of "pick the sword up", where it ends the direct thing."""
        tokens = self.without_noise(tokens)
        for index in range(len(tokens) - 1, 0, -1):
            if words_at(tokens, index, (particle,)):
                rest = tokens[index + 1 :]
                if not rest or relation_at(rest, 0, self.lexicon, self.relations[verb]):
                    return [*tokens[:index], *rest]
        return None

    def readings(
        self, text: str, verb: str, intent: str, rest: list[Token]
    ) -> Iterator[ParsedCommand]:
        """Split what follows the verb in every way that its relations allow."""
        make = Maker(self, text, verb, intent)
        if all(self.is_noise(token) for token in rest):
            yield make.reading(None, None, None)
            return
        said = self.without_noise(rest)
        cuts = list(self.cuts(verb, said))
        accepted = [cut for cut in cuts if cut.accepted]
        if len(cuts) > MAX_CUTS:  # nobody speaks so; the first is as good as any
            accepted = accepted[:1]
        for cut in accepted or cuts[:1]:
            yield make.reading(said[: cut.start], cut, said[cut.end :], said)
        yield make.reading(rest, None, None)
        if not accepted and UNSAID in self.accepted[verb]:
            yield from self.datives(make, rest)

    def datives(self, make: "Maker", rest: list[Token]) -> Iterator[ParsedCommand]:
        """Split "give Bob the coin" before an article: to Bob. Not in a list, nor after "Bob's"."""
        for index in range(1, len(rest)):
            before = rest[index - 1]
            related = relation_at(rest, index - 1, self.lexicon, self.relations[make.verb])
            listed = before.comma or before.word in self.lexicon.joining or related is not None
            owned = before.quoted is None and before.word.endswith(("'s", "s'"))
            spoken = " ".join(token.word for token in rest[:index])
            cut_short = is_article(before) and spoken not in self.lexicon.pronouns  # not "her"
            if is_article(rest[index]) and not (listed or owned or cut_short):
                yield make.dative(rest[index:], rest[:index])

    def cuts(self, verb: str, tokens: Sequence[Token]) -> Iterator[Cut]:
        """Find the relations between roles: those the verb accepts, and those it may not."""
        index = 0
        while index < len(tokens):
            if index and tokens[index].quoted is None and tokens[index].word in self.lexicon.called:
                return  # what follows is a name
            if length := self.no_relation_at(tokens, index):
                index += length
                continue
            found = relation_at(tokens, index, self.lexicon, self.relations[verb])
            if found is None:
                index += 1
                continue
            length, canonical = found
            accepted = canonical in self.accepted[verb]
            if accepted or canonical not in self.lexicon.naming:
                yield Cut(index, index + length, canonical, accepted)
            index += length

    def no_relation_at(self, tokens: Sequence[Token], index: int) -> int:
        """Give the length of words that only look like a relation: "except for", "that is on"."""
        for saying in self.lexicon.excepting:
            if len(saying) > 1 and words_at(tokens, index, saying):
                return len(saying)
        for saying in self.lexicon.linking:
            after = index + len(saying)
            if words_at(tokens, index, saying) and relation_at(tokens, after, self.lexicon, {}):
                return len(saying) + 1
        return 0


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes parsed commands of the tokens of one verb."""

    splitter: Splitter
    text: str
    verb: str
    intent: str

    def reading(
        self,
        direct: Sequence[Token] | None,
        cut: Cut | None,
        indirect: Sequence[Token] | None,
        tokens: Sequence[Token] = (),
    ) -> ParsedCommand:
        relation = None if cut is None else said(self.text, tokens[cut.start : cut.end])
        reader = self.reader()
        exception: Sequence[Token] = ()
        if direct and indirect:
            indirect, exception = self.without_exception(indirect)
        return ParsedCommand(
            intent_token=self.intent,
            verb=self.verb,
            normalized_input=fold(self.text),
            direct_span=said(self.text, direct) if direct else None,
            relation_token_raw=relation,
            relation_token_canonical=None if cut is None else cut.canonical,
            indirect_span=said(self.text, indirect) if indirect else None,
            direct=reader.read([*direct, *exception]) if direct else None,
            indirect=reader.read(indirect) if indirect else None,
        )

    def without_exception(self, tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]]:
        """Take "except the key" off the indirect thing: it is about the direct ones."""
        for index in range(1, len(tokens)):
            for saying in self.splitter.lexicon.excepting:
                if words_at(tokens, index, saying) and index + len(saying) < len(tokens):
                    return tokens[:index], tokens[index:]
        return tokens, ()

    def dative(self, direct: Sequence[Token], indirect: Sequence[Token]) -> ParsedCommand:
        """Make the reading of "give Bob the coin", with the relation that nobody says."""
        plain = self.reading(direct, None, None)
        return msgspec.structs.replace(
            plain,
            relation_token_raw=UNSAID,
            relation_token_canonical=UNSAID,
            indirect_span=said(self.text, indirect),
            indirect=self.reader().read(indirect),
        )

    def reader(self) -> PhraseReader:
        return reader_for(self.text, self.splitter)


def reader_for(text: str, splitter: Splitter) -> PhraseReader:
    """Make what reads the phrases of a text, by the options of a request."""
    plain = splitter.options.compatibility == "v1"
    return PhraseReader(splitter.lexicon, text, splitter.ignored, splitter.own, plain=plain)


def is_article(token: Token) -> bool:
    return token.quoted is None and token.word in ARTICLES


def said(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end]


def splitter_for(verbs: Verbs, options: Options | None = None) -> Splitter:
    """Index verbs by their names and aliases, and the relations that each accepts."""
    options = Options() if options is None else options
    words = lexicon()
    names: dict[tuple[str, ...], list[str]] = {}
    own_names = [(name, name) for name in verbs]
    aliases = [(alias, name) for name, verb in verbs.items() for alias in verb.aliases]
    for spoken, name in (*own_names, *aliases):  # a name comes before an alias
        listed = names.setdefault(tuple(fold(spoken).split()), [])
        if name not in listed:
            listed.append(name)
    own = {tuple(fold(raw).split()): fold(name) for raw, name in options.relations.items()}
    relations = {name: {**own_words(verb, words), **own} for name, verb in verbs.items()}
    accepted = {
        name: frozenset(
            canonical(relation, options.relations)
            for form in verb.rules.values()
            for relation in form.accepted_relations
        )
        for name, verb in verbs.items()
    }
    by_name = {name: tuple(listed) for name, listed in names.items() if name}
    ignored = frozenset(map(fold, options.ignore_tokens))
    return Splitter(verbs, words, by_name, relations, accepted, ignored, own, options)


def own_words(verb: VerbDeclaration, words: Lexicon) -> dict[tuple[str, ...], str]:
    """Give the relations that a verb declares and the table does not know."""
    own = {}
    for form in verb.rules.values():
        for relation in form.accepted_relations:
            saying = tuple(fold(relation).split())
            if saying not in words.relations:
                own[saying] = " ".join(saying)
    return own


def completed(parsed: Parsed, splitter: Splitter) -> tuple[ParsedCommand, ...] | NotSplit:
    """Read the spans of a command that somebody else split."""
    verbs = splitter.names.get(tuple(fold(parsed.intent_token).split()), ())
    if not verbs:
        return splitter.no_verb(fold(parsed.intent_token))
    relation = (parsed.relation_token or "").strip() or None
    given = (parsed.direct_span, parsed.indirect_span)
    spans = [span if span and span.strip() else None for span in given]
    direct, indirect = (phrase_in(span, splitter) for span in spans)
    said_in_full = " ".join(filter(None, (parsed.intent_token, spans[0], relation, spans[1])))
    return tuple(
        ParsedCommand(
            intent_token=parsed.intent_token,
            verb=verb,
            normalized_input=fold(parsed.normalized_input or said_in_full),
            direct_span=spans[0],
            relation_token_raw=relation,
            relation_token_canonical=relation and canonical(relation, splitter.options.relations),
            indirect_span=spans[1],
            direct=direct,
            indirect=indirect,
        )
        for verb in verbs
    )


def fitting(readings: Sequence[ParsedCommand], splitter: Splitter) -> list[ParsedCommand]:
    """Keep the readings of the first verb that has a rule of their shape; none if none has."""
    for reading in readings:
        if has_shape(reading, splitter):
            return [other for other in readings if other.verb == reading.verb]
    return []


def has_shape(reading: ParsedCommand, splitter: Splitter) -> bool:
    """Tell whether some rule of its verb has just the roles and the relation of a reading."""
    verb = splitter.verbs[reading.verb]
    return isinstance(match_form(reading, verb, splitter.options.relations), Fit)


def phrase_in(span: str | None, splitter: Splitter) -> Phrase | None:
    """Read a span; one without words is a name that nothing has."""
    if span is None:
        return None
    tokens = tokens_of(span)
    if not tokens:
        return Phrase(span)
    return reader_for(span, splitter).read(tokens)

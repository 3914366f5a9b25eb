"""Text worlds made by chance from a seed, and sentences about them whose answers are known.

Whoever places a thing and then speaks of it knows what the words must mean: every noun is
invented and used once, unless a family of things shares it on purpose. Nothing here asks the
engine how words are matched. Where the contract is silent, nothing is said.
"""

import random
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec

from messages.results import Code
from messages.targets import Recent
from messages.verbs import VerbDeclaration, load_verbs
from messages.worlds import World

BEGINNINGS = ("bo", "dru", "fe", "go", "ka", "li", "me", "nu", "plo", "qua", "ra", "te", "vo", "wi")
MIDDLES = ("bra", "dro", "fli", "gu", "ko", "lu", "mi", "na", "po", "rwe", "tu", "va", "ye", "zi")
ENDS = ("bik", "dop", "gral", "kem", "lut", "mog", "nif", "pand", "quon", "rad", "tolk", "vam")
REAL_ADJECTIVES = (
    "green", "blue", "yellow", "wooden", "tiny", "rusty", "heavy", "old", "golden", "leather",
    "broken", "ancient", "large", "purple", "velvet", "copper", "crooked", "dusty", "shiny",
    "bronze", "marble", "pink", "narrow", "cracked", "pale",
)  # fmt: skip
UNICODE_NAMES = (
    "Käsebrot", "épée", "Straßenkarte", "čajník", "Ωμέγα", "щит", "剣", "smørrebrød", "jalapeño",
)  # fmt: skip
PLURAL_NAMES = ("stairs", "trousers", "goods", "pants")
PARTICLES = ("up", "down", "away", "along", "off", "over")
DIRECTIONS = {"north": "n", "south": "s", "east": "e", "west": "w", "up": "u"}
SAYINGS: Mapping[str, tuple[str, ...]] = {
    "in": ("in", "into", "inside", "within", "inside of"),
    "on": ("on", "onto", "upon", "on top of"),
    "from": ("from", "out of"),
    "to": ("to",),
    "with": ("with", "using"),
    "under": ("under", "beneath", "underneath"),
    "at": ("at",),
    "behind": ("behind",),
    "through": ("through",),
    "against": ("against",),
}
RULES = ("intransitive", "direct", "indirect", "directIndirect", "relationOnly")
BEARING = ("indirect", "directIndirect", "relationOnly")
ORDINALS = ("first", "second", "third", "fourth")
NUMERALS = ("1st", "2nd", "3rd", "4th")
ACTOR = "me"
NOTHING_SAID = Recent()

Pair: TypeAlias = tuple[str | None, str | None]
Scopes: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Binds:
    """The words mean exactly these."""

    pairs: frozenset[Pair]
    rule: str
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class Fails:
    """The words mean nothing or more than one thing: a code, and what there is to choose from.

    Without a code any failure will do, as long as nothing is bound.
    """

    code: Code | None
    offered: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class NoVerb:
    """The words begin with no verb."""


Expected: TypeAlias = Binds | Fails | NoVerb
MISSING = Fails(Code.TARGET_NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, and what must come of it."""

    category: str
    text: str
    expected: Expected
    recent: Recent = NOTHING_SAID


@dataclass(frozen=True, slots=True)
class Sample:
    """A world, its verbs, and sentences about it."""

    seed: int
    world: World
    verbs: Mapping[str, VerbDeclaration]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where things can be put, and how deep that is, seen from each scope that reaches it."""

    name: str
    holder: str
    relation: str = "in"
    depths: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verb:
    """An invented verb, as it is declared and as it can be said."""

    name: str
    sayings: tuple[str, ...]
    rules: Mapping[str, tuple[str, ...]]
    direct: Scopes
    indirect: Scopes
    precedence: str

    def sees(self, place: Place, role: str = "direct") -> bool:
        """Tell whether the role's scopes reach a place."""
        scopes = self.direct if role == "direct" else self.indirect
        return any(
            scope == "world" or place.depths.get(scope, depth + 1) <= depth
            for scope, depth in scopes
        )


class Words:
    """Invents words of which no two can be taken for each other, even misspelt."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known: set[str] = set()
        self.adjectives = rng.sample(REAL_ADJECTIVES, len(REAL_ADJECTIVES))
        self.unicode = rng.sample(UNICODE_NAMES, len(UNICODE_NAMES))
        self.plurals = rng.sample(PLURAL_NAMES, len(PLURAL_NAMES))

    def new(self) -> str:
        while True:
            middle = self.rng.choice(MIDDLES) * self.rng.choice((0, 1, 1))
            word = self.rng.choice(BEGINNINGS) + middle + self.rng.choice(ENDS)
            near = shortened(word)
            if self.known.isdisjoint(near):
                self.known |= near
                return word

    def adjective(self) -> str:
        """Give an adjective that describes by itself, as long as there are any."""
        return self.adjectives.pop()

    def misspelt(self, word: str) -> str:
        """Misspell a word by one letter."""
        at = self.rng.randrange(1, len(word) - 1)
        ways = [word[:at] + word[at + 1 :], word[:at] + "w" + word[at + 1 :]]
        ways += [word[:at] + "h" + word[at:], word[:at] + word[at + 1] + word[at] + word[at + 2 :]]
        return self.rng.choice([way for way in ways if way != word])


def shortened(word: str) -> set[str]:
    """Give a word with each letter left out in turn: near words have one of these in common."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


class Scene:
    """A world in the making."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)  # noqa: S311  # the same worlds every time
        self.words = Words(self.rng)
        self.things: list[dict[str, Any]] = []
        self.declared: dict[str, dict[str, Any]] = {}
        self.scopes: dict[str, tuple[str, ...]] = {}
        self.places: dict[str, Place] = {}
        self.names: dict[str, str] = {}
        self.exits: dict[str, str] = {}
        lay_out(self)

    def put(self, name: str, place: Place | None, **fields: Any) -> str:
        """Put a thing somewhere, and give its id."""
        name_of_it = f"t{len(self.things)}"
        thing = {"id": name_of_it, "name": name, **fields}
        if place is not None:
            thing |= {"location": place.holder, "relation": place.relation}
        self.things.append(thing)
        self.names[name_of_it] = name
        return name_of_it

    def add_place(self, name: str, holder: str, relation: str = "in", **depths: int) -> Place:
        self.places[name] = Place(name, holder, relation, depths)
        return self.places[name]

    def box(self, place: Place, **fields: Any) -> str:
        """Put something that holds other things, by a name of its own."""
        return self.put(f"{self.words.new()} {self.words.new()}", place, kind="container", **fields)

    def verb(
        self,
        rules: Mapping[str, Sequence[str]],
        direct: Scopes = (),
        indirect: Scopes = (),
        precedence: str = "first",
        **fields: Any,
    ) -> Verb:
        """Declare a verb with an invented name, perhaps of two words, perhaps with an alias."""
        names = [self.words.new() for _ in range(self.rng.choice((1, 1, 2)))]
        if self.rng.random() < 0.25:
            names[0] += f" {self.rng.choice(PARTICLES)}"
        self.declared[names[0]] = {
            "rules": {
                key: {"acceptedRelations": list(relations)} if key in BEARING else {}
                for key, relations in rules.items()
            },
            "aliases": names[1:],
            "scopeProfile": {"direct": self.refs(direct), "indirect": self.refs(indirect)},
            "precedence": precedence,
            **fields,
        }
        told = {key: tuple(relations) for key, relations in rules.items()}
        return Verb(names[0], tuple(names), told, direct, indirect, precedence)

    def refs(self, scopes: Scopes) -> list[str | dict[str, Any]]:
        return [
            scope if depth == 3 and self.rng.random() < 0.8 else {"scope": scope, "depth": depth}
            for scope, depth in scopes
        ]

    def direct_verb(self, *scopes: str, **fields: Any) -> Verb:
        """Declare a verb that takes one thing."""
        reach = tuple((scope, 3) for scope in scopes or ("room", "inventory"))
        rules: dict[str, tuple[str, ...]] = {"direct": ()}
        if self.rng.random() < 0.3:
            rules["intransitive"] = ()
        return self.verb(rules, reach, **fields)

    def say(self, verb: Verb, direct: str = "", relation: str = "", indirect: str = "") -> str:
        """Say a command in one of many ways."""
        said = self.rng.choice(verb.sayings)
        head, _, particle = said.partition(" ")
        if particle and direct and not relation and self.rng.random() < 0.5:
            said, direct = head, f"{direct} {particle}"
        return self.dress(" ".join(part for part in (said, direct, relation, indirect) if part))

    def dress(self, text: str) -> str:
        """Change what changes nothing: case, spaces, punctuation, politeness."""
        match self.rng.randrange(12):
            case 0:
                return text.upper()
            case 1:
                return text.title()
            case 2:
                return f"  {text.replace(' ', '   ')} "
            case 3:
                return f"please {text}"
            case 4:
                return text if text.endswith(PARTICLES) else f"{text} please"
            case 5:
                return f"{text}{self.rng.choice('.!')}"
            case 6:
                return unicodedata.normalize("NFD", text)
            case _:
                return text

    def the(self, words: str) -> str:
        """Put an article before words, or none."""
        return f"{self.rng.choice(('the ', 'a ', 'my ', 'that ', ''))}{words}"

    def sample(self) -> Sample:
        """Speak of some things or others, then close the world."""
        chosen = self.rng.sample(SPEAKERS, SPOKEN_OF)
        cases = [case for speak in (*chosen, *LAST_SPEAKERS) for case in speak(self)]
        self.things[0]["exits"] = self.exits
        raw = {"actor": ACTOR, "things": self.things, "scopes": self.scopes}
        world = msgspec.convert(raw, World)
        return Sample(self.seed, world, load_verbs(self.declared), tuple(cases))


def binds(rule: str, *direct: str | None, to: str | None = None, by: str | None = None) -> Binds:
    return Binds(frozenset((one, to) for one in direct), rule, by)


def unclear(*ids: str) -> Fails:
    return Fails(Code.AMBIGUOUS_TARGET, frozenset(ids))


def lay_out(scene: Scene) -> None:
    """Lay out rooms, the actor, and all kinds of places to put things."""
    rng, words = scene.rng, scene.words
    rooms = [
        scene.put(f"{words.new()} {words.new()}", None, kind="room")
        for _ in range(rng.randint(2, 6))
    ]
    scene.exits.update(zip(rng.sample(list(DIRECTIONS), 5), rooms[1:], strict=False))
    scene.things.append({"id": ACTOR, "name": "you", "kind": "player", "location": rooms[0]})
    room = scene.add_place("room", rooms[0], room=0)
    held = scene.add_place("held", ACTOR, inventory=0)
    scene.add_place("worn", ACTOR, "worn", worn=0)
    away = scene.add_place("elsewhere", rng.choice(rooms[1:]))
    scene.add_place("in a box elsewhere", scene.box(away))
    scene.add_place("on a table", scene.put(words.new(), room, kind="supporter"), "on", room=1)
    scene.add_place("in a bag", scene.box(held, state=["open"]), inventory=1)
    lay_out_shut(scene, room)
    inner = room
    for depth in range(1, 6):
        state = rng.choice(([], ["open"], ["open", "locked"]))
        inner = scene.add_place(f"depth {depth}", scene.box(inner, state=state), room=depth)
    lay_out_persons(scene, room, away)


def lay_out_shut(scene: Scene, room: Place) -> None:
    for state in ("closed", "locked", "sealed", "opaque"):
        scene.add_place(state, scene.box(room, state=[state]))
    scene.add_place("open in closed", scene.box(scene.places["closed"], state=["open"]))


def lay_out_persons(scene: Scene, room: Place, away: Place) -> None:
    for name, place in (("pocket", room), ("pocket elsewhere", away)):
        called = f"{scene.words.new()} {scene.words.new()}".title()
        scene.add_place(name, scene.put(called, place, kind=scene.rng.choice(("person", "npc"))))
    bag = scene.box(scene.places["pocket"], state=["open"])
    scene.add_place("in somebody's bag", bag)


# Names: what can be said of one thing that shares no word with any other.


@dataclass(frozen=True, slots=True)
class Named:
    """A thing's name, what else is declared of it, what means it, and what does not."""

    name: str
    good: Mapping[str, str]
    bad: tuple[str, ...] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    article: bool = True


def bare_noun(words: Words) -> Named:
    noun = words.new()
    return Named(noun, {noun: "full name"}, (f"{words.new()} {noun}", words.misspelt(noun)))


def compound(words: Words) -> Named:
    first, noun = words.new(), words.new()
    good = {f"{first} {noun}": "full name", noun: "noun only", f"{noun}s": "plural of one"}
    bad = (first, words.misspelt(first), f"{words.misspelt(first)} {noun}")
    return Named(f"{first} {noun}", good, bad)


def coloured(words: Words) -> Named:
    adjective, noun = words.adjective(), words.new()
    good = {
        f"{adjective} {noun}": "full name",
        f"{adjective} one": "adjective alone",
        adjective: "adjective alone",
        noun: "noun only",
    }
    bad = (f"{adjective} {words.misspelt(noun)}", f"{words.new()} {noun}")
    return Named(f"{adjective} {noun}", good, bad)


def twice_described(words: Words) -> Named:
    adjective, first, noun = words.adjective(), words.new(), words.new()
    good = {
        f"{adjective} {first} {noun}": "full name",
        f"{adjective} {noun}": "adjective and noun",
        f"{first} {noun}": "adjective and noun",
    }
    return Named(f"{adjective} {first} {noun}", good, (first, f"{adjective} {first}ing {noun}"))


def declared_adjective(words: Words) -> Named:
    adjective, noun = words.new(), words.new()
    fields = words.rng.choice(
        (
            {"adjectives": [adjective]},
            {"qualifiers": [adjective]},
            {"qualifiers": {"make": adjective}},
            {"qualifiers": {"make": [adjective, words.new()]}},
        )
    )
    good = {
        f"{adjective} {noun}": "adjective and noun",
        f"{adjective} one": "adjective alone",
        noun: "full name",
    }
    return Named(noun, good, (words.misspelt(adjective),), fields)


def with_alias(words: Words) -> Named:
    noun, first, alias = words.new(), words.new(), words.new()
    good = {f"{first} {alias}": "alias", alias: "alias", noun: "full name"}
    return Named(noun, good, (first,), {"aliases": [f"{first} {alias}"]})


def with_keyword(words: Words) -> Named:
    first, noun, keyword = words.new(), words.new(), words.new()
    good = {keyword: "keyword", f"{first} {keyword}": "keyword", noun: "noun only"}
    return Named(f"{first} {noun}", good, (words.misspelt(keyword),), {"keywords": [keyword]})


def foreign(words: Words) -> Named:
    noun = words.unicode.pop()
    good = {noun: "unicode", noun.upper(): "unicode", f"{words.new()}": "alias"}
    alias = list(good)[-1]
    return Named(noun, good, (noun[:-1],) if len(noun) > 1 else (), {"aliases": [alias]})


def plural_name(words: Words) -> Named:
    noun, adjective = words.plurals.pop(), words.adjective()
    good = {noun: "plural name", f"{adjective} {noun}": "plural name"}
    return Named(f"{adjective} {noun}", good)


def with_relation(words: Words) -> Named:
    noun, other = words.new(), words.new()
    middle = words.rng.choice(("of the", "to", "of", "with", "in", "for the", "from"))
    full = f"{noun} {middle} {other}"
    return Named(full, {full: "name with a relation", noun: "noun only"}, (other,))


def with_number(words: Words) -> Named:
    noun, number = words.new(), words.rng.randint(4, 99)
    full = f"{noun} {number}"
    return Named(full, {full: "number in a name"}, (f"{noun} {number + 1}", f"2.{noun}"))


def proper(words: Words) -> Named:
    first, second, third = (words.new().title() for _ in range(3))
    good = {
        f"{first} {second} {third}": "person by full name",
        first: "person by part of a name",
        third: "person by part of a name",
        f"{first} {third}": "person by part of a name",
    }
    fields = {"kind": words.rng.choice(("person", "creature", "animal", "npc"))}
    bad = (words.misspelt(first), f"{first} {words.new()}")
    return Named(f"{first} {second} {third}", good, bad, fields, article=False)


def possessive(words: Words) -> Named:
    full, noun = f"{words.new()}'s {words.new()}", words.new()
    return Named(full, {full: "name with an apostrophe", noun: "alias"}, (), {"aliases": [noun]})


STYLES: tuple[Callable[[Words], Named], ...] = (
    bare_noun, compound, coloured, twice_described, declared_adjective, with_alias, with_keyword,
    foreign, plural_name, with_relation, with_number, proper, possessive,
)  # fmt: skip
SCOPE_CHOICES: tuple[Scopes, ...] = (
    (("room", 3), ("inventory", 3)),
    (("inventory", 3), ("room", 3)),
    (("here", 3), ("held", 3)),
    (("room", 3),),
    (("room", 0), ("inventory", 0)),
    (("room", 1), ("worn", 3)),
    (("room", 5),),
    (("room", 2), ("inventory", 3), ("worn", 3)),
    (("inventory", 3),),
    (("worn", 3),),
    (("world", 3),),
    (),
)
SAME_SCOPE = {"here": "room", "held": "inventory"}


def some_direct_verbs(scene: Scene) -> list[Verb]:
    """Declare verbs that take one thing, with all manner of scopes."""
    chosen = [SCOPE_CHOICES[0], *scene.rng.sample(SCOPE_CHOICES, 4)]
    verbs = []
    for scopes in chosen:
        rules: dict[str, tuple[str, ...]] = {"direct": ()}
        if scene.rng.random() < 0.3:
            rules["intransitive"] = ()
        made = scene.verb(rules, scopes, precedence=scene.rng.choice(("first", "pool")))
        meant = tuple((SAME_SCOPE.get(scope, scope), depth) for scope, depth in scopes)
        verbs.append(Verb(made.name, made.sayings, made.rules, meant, (), made.precedence))
    return verbs


def speak_of_names(scene: Scene) -> Iterator[Case]:
    """Put a thing of every style somewhere, and speak of it."""
    verbs = some_direct_verbs(scene)
    for style in STYLES:
        place = scene.rng.choice(list(scene.places.values()))
        named = style(scene.words)
        made = scene.put(named.name, place, **named.fields)
        for verb in scene.rng.sample(verbs, 2):
            words, category = scene.rng.choice(list(named.good.items()))
            article = scene.the(words) if named.article else words
            expected = binds("direct", made) if verb.sees(place) else MISSING
            told = category if verb.sees(place) else f"out of reach: {place.name}"
            yield Case(told, scene.say(verb, article), expected)
        for words in named.bad:
            yield Case("misspelt or not its name", scene.say(verbs[0], scene.the(words)), MISSING)


def speak_of_places(scene: Scene) -> Iterator[Case]:
    """Put something into every place, and reach for it from the room."""
    verb = scene.direct_verb("room", "inventory")
    for place in scene.rng.sample(list(scene.places.values()), 8):
        noun = scene.words.new()
        made = scene.put(noun, place)
        expected = binds("direct", made) if verb.sees(place) else MISSING
        told = "within reach" if verb.sees(place) else "out of reach"
        yield Case(f"{told}: {place.name}", scene.say(verb, scene.the(noun)), expected)


def speak_in_quotes(scene: Scene) -> Iterator[Case]:
    verb, first, noun = scene.direct_verb(), scene.words.new(), scene.words.new()
    made = scene.put(f"{first} {noun}", scene.places["room"])
    for left, right in ('""', "“”", "''", "«»"):
        text = scene.say(verb, f"{left}{first} {noun}{right}")
        yield Case("quoted", text, binds("direct", made))
    yield Case("quoted", scene.say(verb, f'"{first}"'), MISSING)
    yield Case("quoted", scene.say(verb, f'"{scene.words.misspelt(noun)}"'), MISSING)
    yield Case("called", scene.say(verb, f"the thing called {first} {noun}"), binds("direct", made))


def speak_of_nothing(scene: Scene) -> Iterator[Case]:
    verb = scene.direct_verb("room", "inventory")
    yield Case("absent", scene.say(verb, scene.the(scene.words.new())), MISSING)
    two = f"{scene.words.new()} {scene.words.new()}"
    yield Case("absent", scene.say(verb, scene.the(two)), MISSING)
    stranger = scene.words.new()
    yield Case("no verb", scene.dress(f"{stranger} the {scene.words.new()}"), NoVerb())
    yield Case("no verb", scene.dress(scene.words.misspelt(verb.name.split()[0])), NoVerb())
    yield Case("no verb", scene.rng.choice(("", "   ", "please", "!?", "...")), NoVerb())


# Families: things that share words on purpose.


def speak_of_families(scene: Scene) -> Iterator[Case]:
    """Several things of one noun, told apart by their adjectives."""
    verb, noun, room = scene.direct_verb("room"), scene.words.new(), scene.places["room"]
    adjectives = [scene.words.adjective(), scene.words.new(), scene.words.new()]
    family = [scene.put(f"{adjective} {noun}", room) for adjective in adjectives]
    other = scene.put(f"{noun} {scene.words.new()}", room)
    yield Case("ambiguous", scene.say(verb, scene.the(noun)), unclear(*family))
    for adjective, made in zip(adjectives, family, strict=True):
        text = scene.say(verb, scene.the(f"{adjective} {noun}"))
        yield Case("told apart", text, binds("direct", made))
    text = scene.say(verb, f"the {adjectives[1]} one")
    yield Case("told apart", text, binds("direct", family[1]))
    wrong = f"{adjectives[0]} {adjectives[1]} {noun}"
    yield Case("no such combination", scene.say(verb, wrong), MISSING)
    yield Case("told apart", scene.say(verb, scene.names[other]), binds("direct", other))
    typo = f"{scene.words.misspelt(adjectives[1])} {noun}"
    yield Case("misspelt among a family", scene.say(verb, scene.the(typo)), MISSING)


def speak_of_compounds(scene: Scene) -> Iterator[Case]:
    """A thing never goes by a noun that only begins its name: an apple pie is no apple."""
    verb, room = scene.direct_verb("room"), scene.places["room"]
    apple, pie = scene.words.new(), scene.words.new()
    made = scene.put(f"{apple} {pie}", room)
    yield Case("compound", scene.say(verb, scene.the(apple)), MISSING)
    yield Case("compound", scene.say(verb, scene.the(pie)), binds("direct", made))
    plum, cake = scene.words.new(), scene.words.new()
    scene.put(f"{plum} {cake}", room)
    fruit = scene.put(f"{scene.words.new()} {scene.words.new()}", room, aliases=[plum])
    scene.put(f"{scene.words.new()} {cake}", scene.places["closed"])
    yield Case("compound", scene.say(verb, f"the {plum}"), binds("direct", fruit))


def speak_of_twins(scene: Scene) -> Iterator[Case]:
    """Two things of one name in two scopes: the order of scopes decides, or nothing does."""
    noun, places = scene.words.new(), scene.places
    here, held = scene.put(noun, places["room"]), scene.put(noun, places["held"])
    adjective = scene.words.new()
    better, exact = f"{adjective} {noun}", scene.direct_verb("inventory", "room")
    scene.put(f"{better} {scene.words.new()}", places["held"], keywords=[better])
    for scopes, made in ((("room", "inventory"), here), (("inventory", "room"), held)):
        text = scene.say(scene.direct_verb(*scopes), scene.the(noun))
        yield Case("first scope", text, binds("direct", made))
    pool = scene.direct_verb("room", "inventory", precedence="pool")
    yield Case("pooled scopes", scene.say(pool, scene.the(noun)), unclear(here, held))
    named = scene.put(better, places["room"])
    yield Case("exact before partial", scene.say(exact, better), binds("direct", named))
    pooled = scene.say(pool, scene.the(better))
    yield Case("exact before partial", pooled, binds("direct", named))


def speak_of_depths(scene: Scene) -> Iterator[Case]:
    """Depth orders what is offered and never breaks a tie."""
    verb, noun, places = scene.direct_verb("room"), scene.words.new(), scene.places
    deep = scene.put(noun, places["depth 2"])
    shallow = scene.put(noun, places["room"])
    scene.put(noun, places["closed"])
    scene.put(noun, places["depth 4"])
    yield Case("depth is no tie-break", scene.say(verb, scene.the(noun)), unclear(deep, shallow))
    flat = scene.verb({"direct": ()}, (("room", 0),))
    yield Case("depth limit", scene.say(flat, scene.the(noun)), binds("direct", shallow))
    yield Case("selector", scene.say(verb, f"2.{noun}"), binds("direct", deep))
    yield Case("selector", scene.say(verb, f"the first {noun}"), binds("direct", shallow))


def speak_by_number(scene: Scene) -> Iterator[Case]:
    """Things of one name, counted in their order."""
    verb, noun = scene.direct_verb("room"), scene.words.new()
    family = [scene.put(noun, scene.places["room"]) for _ in range(scene.rng.randint(2, 4))]
    for index, made in enumerate(family):
        number = index + 1
        ways = [f"{number}.{noun}", f"{noun} {number}", f"{noun}-{number}", f"{noun} #{number}"]
        ways += [f"the {ORDINALS[index]} {noun}", f"{NUMERALS[index]} {noun}"]
        for way in scene.rng.sample(ways, 3):
            yield Case("selector", scene.say(verb, way), binds("direct", made))
    yield Case("selector", scene.say(verb, f"the last {noun}"), binds("direct", family[-1]))
    for way in (f"{len(family) + 1}.{noun}", f"{noun} 9", f"the twelfth {noun}", f"0.{noun}"):
        yield Case("selector out of range", scene.say(verb, way), MISSING)
    typo = scene.words.misspelt(noun)
    yield Case("selector of a misspelt noun", scene.say(verb, f"2.{typo}"), MISSING)
    yield Case("ambiguous", scene.say(verb, scene.the(noun)), unclear(*family))


def speak_of_numbered(scene: Scene) -> Iterator[Case]:
    """A number that belongs to a name counts nothing."""
    verb, noun, room = scene.direct_verb("room"), scene.words.new(), scene.places["room"]
    plain = [scene.put(noun, room), scene.put(noun, room)]
    named = scene.put(f"{noun} 2", room)
    yield Case("literal beats selector", scene.say(verb, f"{noun} 2"), binds("direct", named))
    yield Case(
        "literal beats selector", scene.say(verb, f"second {noun}"), binds("direct", plain[1])
    )
    locker = scene.words.new()
    numbers = scene.rng.sample((1, 3, 5, 12, 40), 3)
    lockers = [scene.put(f"{locker} {number}", room, keywords=[locker]) for number in numbers]
    for number, made in zip(numbers, lockers, strict=True):
        yield Case("number in a name", scene.say(verb, f"{locker} {number}"), binds("direct", made))
    yield Case("ambiguous", scene.say(verb, scene.the(locker)), unclear(*lockers))
    yield Case("number of no name", scene.say(verb, f"{locker} 2"), MISSING)
    yield Case("number of no name", scene.say(verb, f"{locker} 77"), MISSING)


def speak_of_counting_names(scene: Scene) -> Iterator[Case]:
    """Names that begin like a selector or a set are names first."""
    sets = scene.rng.choice(([], ["direct"]))
    verb, room = scene.direct_verb("room", sets=sets), scene.places["room"]
    for word in ("second", "last", "all", "newest", "another", "both", "2nd"):
        noun = scene.words.new()
        made, plain = scene.put(f"{word} {noun}", room), scene.put(noun, room)
        yield Case("name like a count", scene.say(verb, f"{word} {noun}"), binds("direct", made))
        yield Case("told apart", scene.say(verb, noun), binds("direct", plain))


def speak_of_interchangeable(scene: Scene) -> Iterator[Case]:
    noun, room = scene.words.new(), scene.places["room"]
    hints = {"resolution": {"interchangeable": True}}
    coins = [scene.put(noun, room, metadata=hints) for _ in range(3)]
    lax, strict = (scene.direct_verb("room", interchangeable=lax) for lax in (True, False))
    yield Case("interchangeable", scene.say(lax, scene.the(noun)), binds("direct", coins[0]))
    yield Case("interchangeable", scene.say(strict, scene.the(noun)), unclear(*coins))
    odd = scene.words.new()
    mixed = [scene.put(odd, room, metadata=hints), scene.put(odd, room)]
    yield Case("interchangeable", scene.say(lax, scene.the(odd)), unclear(*mixed))


def speak_of_labels(scene: Scene) -> Iterator[Case]:
    """A label asks better and matches only as a whole or beside its noun."""
    verb, noun, room = scene.direct_verb("room"), scene.words.new(), scene.places["room"]
    colours = scene.words.new(), scene.words.new()
    made = [
        scene.put(
            noun,
            room,
            metadata={"resolution": {"disambiguationLabel": f"big, {colour} {noun}"}},
        )
        for colour in colours
    ]
    yield Case("ambiguous", scene.say(verb, scene.the(noun)), unclear(*made))
    text = scene.say(verb, f"big, {colours[1]} {noun}")
    yield Case("label sent back", text, binds("direct", made[1]))
    yield Case("label alone", scene.say(verb, colours[0]), MISSING)


# Sets.


def speak_of_sets(scene: Scene) -> Iterator[Case]:
    noun, room = scene.words.new(), scene.places["room"]
    adjectives = [scene.words.adjective(), scene.words.new(), scene.words.new()]
    family = [scene.put(f"{adjective} {noun}", room) for adjective in adjectives]
    several = scene.direct_verb("room", sets=["direct"])
    one = scene.direct_verb("room")
    ways = (f"all {noun}s", f"every {noun}", f"all the {noun}s", f"all.{noun}", f"three {noun}s")
    for way in (*ways, f"all of the {noun}s", f"each {noun}", f"the {noun}s", f"3 {noun}s"):
        yield Case("set", scene.say(several, way), binds("direct", *family))
    for way in ways:
        yield Case("set where one is taken", scene.say(one, way), unclear(*family))
    for way in (f"both {noun}s", f"two {noun}s"):
        yield Case("set too small", scene.say(several, way), unclear(*family))
    for way in (f"four {noun}s", f"all {scene.words.new()}s", f"5 {noun}s"):
        yield Case("set too large", scene.say(several, way), MISSING)
    yield from exceptions(scene, several, noun, adjectives, family)


def exceptions(
    scene: Scene, verb: Verb, noun: str, adjectives: list[str], family: list[str]
) -> Iterator[Case]:
    first, second, _ = adjectives
    but = scene.rng.choice(("except", "but", "except for", "but not", "apart from"))
    rest = binds("direct", *family[1:])
    for left_out in (f"the {first} {noun}", f"the {first} one", f"{first}"):
        yield Case("except", scene.say(verb, f"all {noun}s {but} {left_out}"), rest)
    two = f"all {noun}s {but} the {first} {noun} and the {second} {noun}"
    yield Case("except", scene.say(verb, two), binds("direct", family[2]))
    unknown = f"all {noun}s {but} the {scene.words.new()} {noun}"
    yield Case("except what is not there", scene.say(verb, unknown), MISSING)


def speak_of_both(scene: Scene) -> Iterator[Case]:
    noun, room = scene.words.new(), scene.places["room"]
    pair = [scene.put(f"{scene.words.new()} {noun}", room) for _ in range(2)]
    verb = scene.direct_verb("room", sets=["direct"])
    for way in (f"both {noun}s", f"both of the {noun}s", f"all two {noun}s", f"two {noun}s"):
        yield Case("set", scene.say(verb, way), binds("direct", *pair))


def speak_of_everything(scene: Scene) -> Iterator[Case]:
    """What lies about, and not what is in it; nothing is put down after this."""
    here = [t["id"] for t in scene.things if t.get("location") == scene.places["room"].holder]
    here.remove(ACTOR)
    carried = [t for t in scene.things if t.get("location") == ACTOR]
    held = [t["id"] for t in carried if t.get("relation") != "worn"]
    room = scene.direct_verb("room", "inventory", sets=["direct"])
    hands = scene.direct_verb("inventory", "room", sets=["direct"])
    pool = scene.direct_verb("inventory", "room", sets=["direct"], precedence="pool")
    for word in ("all", "everything"):
        yield Case("everything", scene.say(room, word), binds("direct", *here))
        yield Case("everything", scene.say(hands, word), binds("direct", *held))
        yield Case("everything", scene.say(pool, word), binds("direct", *here, *held))
    one = scene.direct_verb("room")
    unclear_which = Fails(Code.AMBIGUOUS_TARGET)  # more than are offered at once
    yield Case("set where one is taken", scene.say(one, "all"), unclear_which)
    name = scene.names[here[-1]]
    left = binds("direct", *(made for made in here if scene.names[made] != name))
    yield Case("everything", scene.say(room, f'everything except "{name}"'), left)


# Two roles, and places.


def speak_of_sources(scene: Scene) -> Iterator[Case]:
    """Take a thing from a place: the place comes first, and nothing outside it is taken."""
    reach: Scopes = (("room", 3), ("inventory", 3))
    rules = {"direct": (), "directIndirect": ("from",)}
    verb, noun = scene.verb(rules, reach, reach), scene.words.new()
    scene.put(noun, scene.places["room"])
    for name in ("on a table", "depth 1", "pocket", "in a bag", "depth 2"):
        place = scene.places[name]
        made = scene.put(noun, place)
        only = scene.words.new()
        inner = scene.put(only, place)
        for word, meant in ((only, inner), (noun, made)):
            expected = binds("directIndirect", meant, to=place.holder, by="from")
            if word == noun and name == "depth 1":
                continue  # another comes to lie deeper in it
            yield Case("from a place", taking(scene, verb, word, place), expected)
    elsewhere = scene.words.new()
    scene.put(elsewhere, scene.places["room"])
    yield Case(
        "from where it is not", taking(scene, verb, elsewhere, scene.places["depth 1"]), MISSING
    )
    yield Case(
        "from where it is not", taking(scene, verb, elsewhere, scene.places["pocket"]), MISSING
    )
    for name in ("closed", "locked", "opaque", "sealed", "pocket elsewhere", "elsewhere"):
        hidden = scene.words.new()
        scene.put(hidden, scene.places[name])
        yield Case("from a shut place", taking(scene, verb, hidden, scene.places[name]), MISSING)


def taking(scene: Scene, verb: Verb, noun: str, place: Place) -> str:
    said = scene.rng.choice(SAYINGS["from"])
    return scene.say(verb, scene.the(noun), said, scene.names[place.holder])


def speak_of_all_from(scene: Scene) -> Iterator[Case]:
    """All of what a place holds, by itself."""
    reach: Scopes = (("room", 3),)
    verb = scene.verb({"directIndirect": ("from",)}, reach, reach, sets=["direct"])
    box = scene.box(scene.places["room"], state=["open"])
    inner = Place("", box)
    held = [scene.put(scene.words.new(), inner) for _ in range(3)]
    for word in ("all", "everything"):
        text = scene.say(verb, word, "from", f"the {scene.names[box]}")
        expected = binds("directIndirect", *held, to=box, by="from")
        yield Case("all from a place", text, expected)
    text = scene.say(verb, f"all except {scene.names[held[0]]}", "from", scene.names[box])
    rest = binds("directIndirect", *held[1:], to=box, by="from")
    yield Case("all from a place", text, rest)
    empty = scene.box(scene.places["room"])
    yield Case("all from a place", scene.say(verb, "all", "from", scene.names[empty]), MISSING)


def speak_of_putting(scene: Scene) -> Iterator[Case]:
    """Two things and a relation, said in any of its ways."""
    accepted = scene.rng.sample([name for name in SAYINGS if name != "from"], 3)
    reach: Scopes = (("inventory", 3), ("room", 3))
    verb = scene.verb({"directIndirect": accepted}, reach, (("room", 3),))
    thing, noun = scene.words.new(), scene.words.new()
    made = scene.put(thing, scene.places[scene.rng.choice(("held", "room", "in a bag"))])
    target = scene.put(f"{scene.words.new()} {noun}", scene.places["room"])
    for relation in accepted:
        said = scene.rng.choice(SAYINGS[relation])
        expected = binds("directIndirect", made, to=target, by=relation)
        text = scene.say(verb, scene.the(thing), said, scene.the(noun))
        yield Case("two roles", text, expected)
    said = SAYINGS[accepted[0]][0]
    for direct, indirect in (
        (scene.words.misspelt(thing), noun),
        (thing, scene.words.misspelt(noun)),
        (scene.words.new(), scene.words.new()),
    ):
        text = scene.say(verb, scene.the(direct), said, scene.the(indirect))
        yield Case("two roles, one not there", text, MISSING)
    kin = scene.words.new()
    family = [scene.put(f"{scene.words.new()} {kin}", scene.places["room"]) for _ in range(2)]
    text = scene.say(verb, scene.the(thing), said, scene.the(kin))
    yield Case("two roles, one unclear", text, unclear(*family))


def speak_of_twofold_sets(scene: Scene) -> Iterator[Case]:
    reach: Scopes = (("room", 3),)
    verb = scene.verb({"directIndirect": ("in",)}, reach, reach, sets=["direct"])
    noun, room = scene.words.new(), scene.places["room"]
    coins = [scene.put(noun, room) for _ in range(2)]
    box = scene.box(room)
    text = scene.say(verb, f"all {noun}s", "into", scene.names[box])
    yield Case("set", text, binds("directIndirect", *coins, to=box, by="in"))
    text = scene.say(verb, f"the {noun}", "into", scene.names[box])
    yield Case("ambiguous", text, unclear(*coins))


def speak_of_wheres(scene: Scene) -> Iterator[Case]:
    """A relation that the verb has no use for tells one thing from another."""
    verb, noun = scene.direct_verb("room"), scene.words.new()
    scene.put(noun, scene.places["room"])
    for name, relation in (("depth 1", "in"), ("on a table", "on")):
        place = scene.places[name]
        made = scene.put(noun, place)
        said = scene.rng.choice(SAYINGS[relation][:2])
        text = scene.say(verb, scene.the(noun), said, f"the {scene.names[place.holder]}")
        yield Case("told by its place", text, binds("direct", made))
    away = scene.words.new()
    scene.put(away, scene.places["room"])
    table = scene.names[scene.places["on a table"].holder]
    text = scene.say(verb, scene.the(away), "on", f"the {table}")
    yield Case("told by a wrong place", text, Fails(Code.FORM_INDIRECT_NOT_SUPPORTED))


def speak_of_owners(scene: Scene) -> Iterator[Case]:
    verb, noun, room = scene.direct_verb("room"), scene.words.new(), scene.places["room"]
    person = scene.places["pocket"].holder
    scene.put(noun, room)
    made = scene.put(noun, room, owner=person)
    scene.put(noun, scene.places["pocket"])
    first = scene.names[person].split()[0]
    for whose in (first, scene.names[person]):
        yield Case("told by its owner", scene.say(verb, f"{whose}'s {noun}"), binds("direct", made))
    only = scene.words.new()
    scene.put(only, scene.places["pocket"])
    yield Case("out of reach: pocket", scene.say(verb, f"{first}'s {only}"), MISSING)


def speak_of_names_with_relations(scene: Scene) -> Iterator[Case]:
    """In "give the note to self to Bob" a name may hold the very relation that parts roles."""
    reach: Scopes = (("room", 3), ("inventory", 3))
    relation = scene.rng.choice(("to", "with", "in", "on"))
    verb = scene.verb({"direct": (), "directIndirect": (relation,)}, reach, reach)
    name = f"{scene.words.new()} {relation} {scene.words.new()}"
    made = scene.put(name, scene.places["held"])
    target = scene.put(scene.words.new(), scene.places["room"])
    thing = scene.put(scene.words.new(), scene.places["room"])
    names = scene.names
    both = binds("directIndirect", made, to=target, by=relation)
    text = scene.say(verb, scene.the(name), relation, scene.the(names[target]))
    yield Case("name with a relation", text, both)
    text = scene.say(verb, scene.the(names[thing]), relation, scene.the(name))
    expected = binds("directIndirect", thing, to=made, by=relation)
    yield Case("name with a relation", text, expected)
    yield Case("name with a relation", scene.say(verb, scene.the(name)), binds("direct", made))
    for quoted in (f'"{name}"', f"“{name}”"):
        text = scene.say(verb, quoted, relation, names[target])
        yield Case("name with a relation", text, both)


def speak_of_polite_names(scene: Scene) -> Iterator[Case]:
    """A word that says nothing changes nothing, wherever it stands."""
    verb, room = scene.direct_verb("room"), scene.places["room"]
    for middle in ("of the", "to", "with", "and"):
        name = f"{scene.words.new()} {middle} {scene.words.new()}"
        made = scene.put(name, room)
        for text in (f"please the {name}", f"just the {name}", f"the {name} now please"):
            yield Case("polite in the middle", scene.say(verb, text), binds("direct", made))


def speak_by_pronoun(scene: Scene) -> Iterator[Case]:
    room, places = scene.places["room"], scene.places
    verb, several = scene.direct_verb("room"), scene.direct_verb("room", sets=["direct"])
    made = [scene.put(scene.words.new(), room) for _ in range(2)]
    gone = scene.put(scene.words.new(), scene.rng.choice((places["closed"], places["elsewhere"])))
    person = places["pocket"].holder
    recent = Recent(it=made[0], them=tuple(made), person=person)
    for word in ("it", "that", "this one"):
        yield Case("pronoun", scene.say(verb, word), binds("direct", made[0]), recent)
    yield Case("pronoun", scene.say(several, "them"), binds("direct", *made), recent)
    yield Case("pronoun", scene.say(verb, "them"), unclear(*made), recent)
    yield Case("pronoun", scene.say(verb, "him"), binds("direct", person), recent)
    yield Case("pronoun for what is gone", scene.say(verb, "it"), MISSING, Recent(it=gone))
    yield Case("pronoun for nothing", scene.say(verb, "it"), MISSING)
    mirror = scene.direct_verb("self")
    yield Case("pronoun", scene.say(mirror, "myself"), binds("direct", ACTOR))


def speak_of_exits(scene: Scene) -> Iterator[Case]:
    verb = scene.direct_verb("exits")
    here = scene.places["room"].holder
    for direction, room in scene.exits.items():
        for word in (direction, DIRECTIONS[direction], scene.names[room]):
            expected = binds("direct", f"{here}.{direction}")
            yield Case("exit", scene.say(verb, word), expected)
    yield Case("no exit", scene.say(verb, "down"), MISSING)
    blind = scene.direct_verb("room")
    yield Case("no exit", scene.say(blind, next(iter(scene.exits))), MISSING)


def speak_of_named_scopes(scene: Scene) -> Iterator[Case]:
    noun = scene.words.new()
    made = scene.put(noun, scene.places["elsewhere"])
    scene.put(noun, scene.places["room"])
    scene.scopes["memory"] = (made,)
    verb = scene.direct_verb("memory")
    yield Case("named scope", scene.say(verb, scene.the(noun)), binds("direct", made))
    unknown = scene.direct_verb("nowhere")
    yield Case("named scope", scene.say(unknown, scene.the(noun)), MISSING)


def speak_by_particle(scene: Scene) -> Iterator[Case]:
    """The second word of a verb may stand after the thing."""
    first, particle, room = scene.words.new(), scene.rng.choice(PARTICLES), scene.places["room"]
    for name, scope in ((f"{first} {particle}", "room"), (first, "inventory")):
        profile = {"direct": [scope]}
        scene.declared[name] = {"rules": {"direct": {}}, "scopeProfile": profile}
    noun = scene.words.new()
    here, held = scene.put(noun, room), scene.put(noun, scene.places["held"])
    for text in (f"{first} {particle} the {noun}", f"{first} {noun} {particle}"):
        yield Case("particle", scene.dress(text), binds("direct", here))
    yield Case("particle", scene.dress(f"{first} the {noun}"), binds("direct", held))
    for polite in ("please", "now", "now, please", "please."):
        text = f"{first} the {noun} {particle} {polite}"
        yield Case("polite after a particle", text, binds("direct", here))
    alone = Fails(Code.FORM_MISSING_DIRECT)
    yield Case("FORM_MISSING_DIRECT", f"{first} {particle}", alone)


def speak_of_several(scene: Scene) -> Iterator[Case]:
    """A list is all of its members or none; a choice is not for us to make."""
    room = scene.places["room"]
    lists, one = scene.direct_verb("room", sets=["direct"]), scene.direct_verb("room")
    noun, cake = scene.words.new(), scene.words.new()
    adjective = scene.words.new()
    plain, brass = scene.put(noun, room), scene.put(f"{adjective} {noun}", room)
    pie, other = scene.put(f"{noun} {cake}", room), scene.put(scene.words.new(), room)
    names = scene.names
    for some in ((plain, brass), (plain, pie), (brass, other), (pie, other, plain)):
        *most, last = (f"the {names[made]}" for made in some)
        text = f"{', '.join(most)} and {last}"
        yield Case("list", scene.say(lists, text), binds("direct", *some))
        told = Fails(Code.AMBIGUOUS_TARGET)
        yield Case("list where one is taken", scene.say(one, text), told)
    lost = f"the {names[other]} and the {scene.words.new()}"
    yield Case("list with one not there", scene.say(lists, lost), MISSING)
    typo = f"{names[plain]} and {scene.words.misspelt(names[other])}"
    yield Case("list with one not there", scene.say(lists, typo), MISSING)
    for verb in (lists, one):
        text = scene.say(verb, f"the {names[other]} or the {names[brass]}")
        yield Case("either or", text, Fails(None))


def speak_of_joined_names(scene: Scene) -> Iterator[Case]:
    """A name that holds "and" is one thing, even beside things of its parts."""
    verb, room = scene.direct_verb("room", sets=["direct"]), scene.places["room"]
    salt, pepper = scene.words.new(), scene.words.new()
    made = scene.put(f"{salt} and {pepper}", room)
    scene.put(salt, room)
    scene.put(f"{scene.words.new()} {pepper}", room)
    yield Case("name with and", scene.say(verb, f"the {salt} and {pepper}"), binds("direct", made))


def speak_of_here_and_held(scene: Scene) -> Iterator[Case]:
    verb = scene.direct_verb("room", "inventory", precedence="pool")
    noun = scene.words.new()
    here, held = (scene.put(noun, scene.places[name]) for name in ("room", "held"))
    for place in ("here", "on the floor", "in this room"):
        yield Case("place", scene.say(verb, f"the {noun} {place}"), binds("direct", here))
    for place in ("I carry", "i'm holding", "in my hand"):
        yield Case("place", scene.say(verb, f"the {noun} {place}"), binds("direct", held))
    recent = Recent(it=here)
    yield Case("other", scene.say(verb, f"the other {noun}"), binds("direct", held), recent)
    alone = scene.words.new()
    recent = Recent(it=scene.put(alone, scene.places["room"]))
    yield Case("other", scene.say(verb, f"another {alone}"), MISSING, recent)


def speak_of_measures(scene: Scene) -> Iterator[Case]:
    verb, noun, room = scene.direct_verb("room"), scene.words.new(), scene.places["room"]
    sizes = scene.rng.sample(range(100), 3)
    made = [scene.put(noun, room, measures={"size": size}) for size in sizes]
    for word, size in (("largest", max(sizes)), ("smallest", min(sizes))):
        expected = binds("direct", made[sizes.index(size)])
        yield Case("superlative", scene.say(verb, f"the {word} {noun}"), expected)
    unknown = scene.say(verb, f"the heaviest {noun}")
    yield Case("superlative of nothing known", unknown, unclear(*made))
    even = scene.words.new()
    equal = [scene.put(even, room, measures={"size": 7}) for _ in range(2)]
    yield Case("superlative of equals", scene.say(verb, f"the largest {even}"), unclear(*equal))


def speak_of_two_relations(scene: Scene) -> Iterator[Case]:
    """Of two relations one parts the roles, and the world tells which."""
    reach: Scopes = (("room", 3), ("inventory", 3))
    verb = scene.verb({"directIndirect": ("in", "on")}, reach, reach)
    room, words = scene.places["room"], scene.words
    table = scene.put(words.new(), room, kind="supporter")
    box = scene.put(words.new(), Place("", table, "on"), kind="container")
    held = scene.put(words.new(), scene.places["held"])
    names = scene.names
    text = scene.say(verb, names[held], "into", f"the {names[box]} on the {names[table]}")
    yield Case("two relations", text, binds("directIndirect", held, to=box, by="in"))
    chest = scene.put(words.new(), room, kind="container")
    inner = scene.put(words.new(), Place("", chest))
    text = scene.say(verb, f"{names[inner]} in the {names[chest]}", "onto", names[table])
    yield Case("two relations", text, binds("directIndirect", inner, to=table, by="on"))
    text = scene.say(verb, f"{names[held]} in the {names[chest]}", "onto", names[table])
    yield Case("two relations, neither holds", text, MISSING)


def speak_of_own_relations(scene: Scene) -> Iterator[Case]:
    """A relation that no table knows is one where a verb declares it."""
    reach: Scopes = (("room", 3),)
    relation, room = scene.words.new(), scene.places["room"]
    verb = scene.verb({"directIndirect": (relation,), "relationOnly": (relation,)}, reach, reach)
    made, target = (scene.put(scene.words.new(), room) for _ in range(2))
    names = scene.names
    text = scene.say(verb, names[made], relation, scene.the(names[target]))
    yield Case("own relation", text, binds("directIndirect", made, to=target, by=relation))
    yield Case(
        "own relation", scene.say(verb, "", relation), binds("relationOnly", None, by=relation)
    )
    text = scene.say(verb, names[made], "under", names[target])
    yield Case("FORM_UNSUPPORTED_RELATION", text, Fails(Code.FORM_UNSUPPORTED_RELATION))


def speak_of_rings(scene: Scene) -> Iterator[Case]:
    """Boxes in each other are nowhere."""
    verb, noun = scene.direct_verb("room", "inventory"), scene.words.new()
    first = scene.box(Place("", f"t{len(scene.things) + 1}"))
    second = scene.box(Place("", first))
    scene.put(noun, Place("", second))
    for name in (noun, scene.names[first]):
        yield Case("ring of boxes", scene.say(verb, scene.the(name)), MISSING)


def speak_of_wrong_places(scene: Scene) -> Iterator[Case]:
    """What is said to be where it is not is never taken from where it is."""
    verb, noun, places = scene.direct_verb("room"), scene.words.new(), scene.places
    scene.put(noun, places["room"])
    scene.put(noun, places["closed"])
    scene.put(noun, places["pocket"])
    closed = scene.names[places["closed"].holder]
    for place in (closed, scene.words.misspelt(closed.split()[0]), scene.words.new()):
        text = scene.say(verb, scene.the(noun), "in", f"the {place}")
        expected = Fails(Code.FORM_INDIRECT_NOT_SUPPORTED)
        yield Case("told by a wrong place", text, expected)
    first, last = scene.names[places["pocket"].holder].split()
    for person in (first, f"{first} {last}", scene.words.new().title()):
        yield Case("told by a wrong owner", scene.say(verb, f"{person}'s {noun}"), MISSING)


def speak_of_shared_names(scene: Scene) -> Iterator[Case]:
    """An alias is as good as a name, a keyword is not."""
    verb, room, words = scene.direct_verb("room"), scene.places["room"], scene.words
    noun, other = words.new(), words.new()
    pair = [scene.put(noun, room), scene.put(words.new(), room, aliases=[noun])]
    yield Case("ambiguous", scene.say(verb, scene.the(noun)), unclear(*pair))
    scene.put(words.new(), room, keywords=[other])
    made = scene.put(other, room)
    scene.put(f"{words.new()} {other}", room)
    yield Case("exact before partial", scene.say(verb, scene.the(other)), binds("direct", made))


def speak_of_described_sets(scene: Scene) -> Iterator[Case]:
    """What describes narrows sets and counts alike."""
    sets, one = scene.direct_verb("room", sets=["direct"]), scene.direct_verb("room")
    noun, room = scene.words.new(), scene.places["room"]
    blue, odd = scene.words.new(), scene.words.new()
    family = [scene.put(f"{adjective} {noun}", room) for adjective in (blue, odd, blue, odd)]
    for way in (f"all {blue} {noun}s", f"both {blue} {noun}s", f"every {blue} {noun}"):
        yield Case("described set", scene.say(sets, way), binds("direct", family[0], family[2]))
    rest = f"all {noun}s except the {blue} ones"
    yield Case("described set", scene.say(sets, rest), binds("direct", family[1], family[3]))
    for way in (f"second {odd} {noun}", f"2.{odd} {noun}", f"last {odd} {noun}", f"{odd} {noun} 2"):
        yield Case("described selector", scene.say(one, way), binds("direct", family[3]))
    fourth = scene.say(one, f"fourth {noun}")
    yield Case("described selector", fourth, binds("direct", family[3]))
    third = scene.say(one, f"third {blue} {noun}")
    yield Case("selector out of range", third, MISSING)
    yield Case("ambiguous", scene.say(one, f"the {blue} {noun}"), unclear(family[0], family[2]))


def speak_of_sets_in_places(scene: Scene) -> Iterator[Case]:
    verb, noun, room = scene.direct_verb("room", sets=["direct"]), scene.words.new(), "room"
    scene.put(noun, scene.places[room])
    box = scene.box(scene.places[room], state=["open"])
    inner = Place("", box)
    held = [scene.put(noun, inner) for _ in range(2)]
    other = scene.put(scene.words.new(), inner)
    name = scene.names[box]
    text = scene.say(verb, f"all {noun}s in the {name}")
    yield Case("set in a place", text, binds("direct", *held))
    text = scene.say(verb, f"everything in the {name}")
    yield Case("set in a place", text, binds("direct", *held, other))


def speak_of_rival_names(scene: Scene) -> Iterator[Case]:
    """A thing of that very name comes before one in that place; a name may end in a relation."""
    reach: Scopes = (("room", 3),)
    verb = scene.verb({"direct": (), "directIndirect": ("from",)}, reach, reach)
    room, words = scene.places["room"], scene.words
    box = scene.put(words.new(), room, kind="container")
    inner = scene.put(words.new(), Place("", box))
    name = f"{scene.names[inner]} from {scene.names[box]}"
    made = scene.put(name, room)
    yield Case("name with a relation", scene.say(verb, scene.the(name)), binds("direct", made))
    for relation in scene.rng.sample(("in", "on", "off", "to", "with"), 3):
        sign = f"{words.new()} {relation}"
        button = scene.put(sign, room)
        yield Case("name that ends in a relation", f"{verb.name} {sign}", binds("direct", button))


# The things everybody knows, told in a table.

FAMILIAR: Mapping[str, str] = {
    "brass key": "room", "iron key": "room", "key ring": "room", "apple pie": "room",
    "red apple": "room", "candle holder": "room", "candle": "closed", "note to self": "held",
    "map of the north": "room", "small scissors": "room", "glass of water": "on a table",
    "water jug": "room", "silver coin": "pocket", "book cover": "room", "fire escape": "room",
    "door key card": "room", "paper towel": "room", "towel": "elsewhere",
}  # fmt: skip
FAMILIAR_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "brass key": ("brass key",), "the iron": ("iron key",), "key ring": ("key ring",),
    "key": ("brass key", "iron key"), "keys": ("brass key", "iron key"), "ring": ("key ring",),
    "apple": ("red apple",), "the apple pie": ("apple pie",), "pie": ("apple pie",),
    "pies": ("apple pie",), "candle": (), "candle holder": ("candle holder",),
    "holder": ("candle holder",), "note": ("note to self",), "note to self": ("note to self",),
    "map": ("map of the north",), "the map of the north": ("map of the north",), "north": (),
    "scissors": ("small scissors",), "glass": ("glass of water",), "jug": ("water jug",),
    "water": (), "glass of water": ("glass of water",), "coin": (), "book": (), "fire": (),
    "cover": ("book cover",), "card": ("door key card",), "key card": ("door key card",),
    "door": (), "brass apple": (), "brass ring": (), "towel": ("paper towel",), "aple": (),
    "brass kye": (), "rde apple": (), "candel holder": (), "pie apple": (),
    "north map": ("map of the north",),
}  # fmt: skip


def speak_of_familiar_things(scene: Scene) -> Iterator[Case]:
    """Known nouns, in a corner of their own so that no other thing shares their adjectives."""
    corner: dict[str, str] = {}
    for name, where in FAMILIAR.items():
        corner[name] = scene.put(name, scene.places[where])
    reachable = [made for name, made in corner.items() if FAMILIAR[name] not in HIDDEN]
    scene.scopes["corner"] = tuple(reachable)
    verb = scene.direct_verb("corner")
    for words, names in scene.rng.sample(list(FAMILIAR_ANSWERS.items()), 14):
        made = [corner[name] for name in names]
        expected = MISSING if not made else binds("direct", *made)
        if len(made) > 1:
            expected = unclear(*made)
        yield Case("familiar things", scene.say(verb, words), expected)


HIDDEN = ("closed", "pocket", "elsewhere")


# Forms.


def speak_in_forms(scene: Scene) -> Iterator[Case]:
    """Verbs of every combination of rules, said in every shape."""
    for turn in range(2):
        number = (scene.seed * 2 + turn) % 31 + 1
        keys = [key for bit, key in enumerate(RULES) if number >> bit & 1]
        known = scene.rng.sample(list(SAYINGS), 5)
        rules = {
            key: tuple(scene.rng.sample(known[:4], 2)) if key in BEARING else () for key in keys
        }
        reach: Scopes = (("room", 3),)
        verb = scene.verb(rules, reach, reach)
        accepted = sorted({relation for relations in rules.values() for relation in relations})
        for relation in (known[4], *accepted[:1]):
            yield from shapes(scene, verb, relation)


def shapes(scene: Scene, verb: Verb, relation: str) -> Iterator[Case]:
    """Say a verb in each of the shapes a sentence can have."""
    room = scene.places["room"]
    made, target = (scene.put(scene.words.new(), room) for _ in range(2))
    thing, place = scene.the(scene.names[made]), scene.the(scene.names[target])
    said = scene.rng.choice(SAYINGS[relation])
    for shape, (words, pair) in {
        "": (("", "", ""), (None, None)),
        "d": ((thing, "", ""), (made, None)),
        "ri": (("", said, place), (None, target)),
        "dri": ((thing, said, place), (made, target)),
        "dr": ((thing, said, ""), (made, None)),
        "r": (("", said, ""), (None, None)),
    }.items():
        answer = form_answer(shape, verb.rules, relation)
        if isinstance(answer, Code):
            yield Case(answer.value, scene.say(verb, *words), Fails(answer))
        elif answer == "directIndirect" and relation == "from":
            yield Case("from where it is not", scene.say(verb, *words), MISSING)
        elif answer is not None:
            by = relation if "r" in shape else None
            expected = Binds(frozenset({pair}), answer, by)
            yield Case(f"form: {answer}", scene.say(verb, *words), expected)


FITTING = {"": "intransitive", "d": "direct", "ri": "indirect", "dri": "directIndirect"}


def form_answer(shape: str, rules: Mapping[str, Sequence[str]], relation: str) -> str | Code | None:
    """Give the rule that a shape fits, or the code that must come; None where nobody says."""
    rule = {**FITTING, "r": "relationOnly"}.get(shape)
    if rule in rules and (rule not in BEARING or relation in rules[rule]):
        return rule
    takes_direct = "direct" in rules or "directIndirect" in rules
    takes_indirect = "indirect" in rules or "directIndirect" in rules
    if "d" in shape and not takes_direct:
        return None if "i" in shape and not takes_indirect else Code.FORM_DIRECT_NOT_SUPPORTED
    if "i" in shape and not takes_indirect:
        return Code.FORM_INDIRECT_NOT_SUPPORTED
    accepting = {key for key, relations in rules.items() if relation in relations}
    return incomplete(shape, rules, accepting)


def incomplete(shape: str, rules: Mapping[str, Sequence[str]], accepting: set[str]) -> Code | None:
    """Say what a shape lacks whose roles the verb takes."""
    match shape:
        case "":
            return nothing_said(set(rules))
        case "d":
            return Code.FORM_MISSING_INDIRECT
        case "dri":
            both = "directIndirect" in rules
            return Code.FORM_UNSUPPORTED_RELATION if both else Code.FORM_NOT_SUPPORTED
        case "ri" if "indirect" in rules:
            return None if accepting else Code.FORM_UNSUPPORTED_RELATION
        case "ri":
            return Code.FORM_MISSING_DIRECT if accepting else None
        case "dr" if "directIndirect" in accepting:
            return Code.FORM_MISSING_INDIRECT
        case "dr" if "directIndirect" not in rules and not accepting:
            return Code.FORM_UNSUPPORTED_RELATION
        case "r" if "indirect" in accepting:
            return Code.FORM_MISSING_INDIRECT
        case "r" if accepting == {"directIndirect"} and "relationOnly" not in rules:
            return Code.FORM_MISSING_DIRECT
        case "r" if "relationOnly" in rules and not accepting:
            return Code.FORM_UNSUPPORTED_RELATION
        case _:
            return None


def nothing_said(keys: set[str]) -> Code | None:
    """Say what a verb lacks that was said alone."""
    if "direct" in keys or keys == {"directIndirect"}:
        return Code.FORM_MISSING_DIRECT
    if keys == {"indirect"}:
        return Code.FORM_MISSING_INDIRECT
    return Code.FORM_MISSING_RELATION if keys == {"relationOnly"} else None


SPEAKERS: tuple[Callable[[Scene], Iterator[Case]], ...] = (
    speak_of_names, speak_of_places, speak_in_quotes, speak_of_nothing, speak_of_families,
    speak_of_compounds, speak_of_twins, speak_of_depths, speak_by_number, speak_of_numbered,
    speak_of_counting_names, speak_of_interchangeable, speak_of_labels, speak_of_sets,
    speak_of_both, speak_of_sources, speak_of_all_from, speak_of_putting, speak_of_twofold_sets,
    speak_of_wheres, speak_of_owners, speak_of_names_with_relations, speak_of_polite_names,
    speak_by_pronoun, speak_of_exits, speak_of_named_scopes, speak_of_familiar_things,
    speak_by_particle, speak_of_several, speak_of_joined_names, speak_of_here_and_held,
    speak_of_wrong_places, speak_of_shared_names, speak_of_described_sets, speak_of_sets_in_places,
    speak_of_rival_names, speak_of_measures, speak_of_two_relations,
    speak_of_own_relations, speak_of_rings,
)  # fmt: skip
LAST_SPEAKERS = (speak_in_forms, speak_of_everything)
SPOKEN_OF = 6


def corpus(worlds: int) -> Iterator[Sample]:
    """Make so many worlds, the same ones every time."""
    for seed in range(worlds):
        yield Scene(seed).sample()

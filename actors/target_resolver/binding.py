"""Binding one role: scope, match, select, disambiguate. Exactly one thing, a set, or why not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from actors.forms import accepts
from actors.language.words import ENGLISH, bare, is_plural, listed, name_key
from actors.target_resolver.asking import near_names, options_for, question
from actors.target_resolver.matching import (
    AS_SAID,
    DESCRIBED,
    DIGITS,
    EXACT,
    PARTIAL,
    Match,
    Wanted,
    is_numbered,
    literal_reading,
    matches,
    wanted,
)
from actors.target_resolver.scopes import Reach, Scope, View
from actors.target_resolver.tracing import SHOWN, selection
from messages.failures import Details
from messages.phrases import LAST, Phrase, Superlative
from messages.results import Code
from messages.targets import Considered, Failure, Options, Phase, PhaseName
from messages.verbs import Role, VerbDeclaration
from messages.worlds import BEINGS, Thing

BARRED = "it is the other thing of the command"
NO_PLACE = frozenset({"of", "with", "owner"})


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate: a thing the words may mean, and how it is reached."""

    match: Match
    reach: Reach

    @property
    def thing(self) -> Thing:
        return self.match.thing


@dataclass(frozen=True, slots=True)
class RoleBound:
    """What a role means: one thing, or the members of a set."""

    things: tuple[Thing, ...]
    exact: bool
    phases: tuple[Phase, ...]
    as_said: bool = False
    described: bool = False


@dataclass(frozen=True, slots=True)
class RoleFailed:
    """Why a role means nothing here, or not one thing."""

    failure: Failure
    phases: tuple[Phase, ...]
    described: bool = False


@dataclass(slots=True)
class Binder:
    """Binds the roles of one command in one view of a world; ``offers`` words to choose by.

    What is ``barred`` is what the other role means: nothing is its own place or instrument.
    """

    view: View
    verb: VerbDeclaration
    name: str
    options: Options
    offers: bool = True
    barred: frozenset[str] = frozenset()
    among: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.among = frozenset(self.options.among)

    def bind(self, role: Role, phrase: Phrase, within: Thing | None) -> RoleBound | RoleFailed:
        """Bind a role's words; ``within`` is the one place where they are looked for."""
        declared = getattr(self.verb.scope_profile, role)
        scopes = self.view.scopes(declared) if within is None else [self.view.inside(within)]
        return self.bind_in(scopes, role, phrase)

    def bind_in(self, scopes: list[Scope], role: Role, phrase: Phrase) -> RoleBound | RoleFailed:
        """Bind a role's words to what these scopes hold."""
        quest = Quest(self, role, phrase, scopes, [scope_phase(role, scopes)])
        pinned = self.options.pinned.get(role)
        if pinned is not None and phrase.text in pinned:
            return quest.by_choice(pinned[phrase.text])
        if phrase.pronoun is not None:
            return quest.by_pronoun()
        if phrase.members and (several := self.bind_members(quest)) is not None:
            return several
        found = quest.search()
        return quest.select(found) if found else self.missing(quest)

    def bind_members(self, quest: "Quest") -> RoleBound | RoleFailed | None:
        """Bind "the sword and the shield" one by one; None if they are not things by themselves.

        In "the red and blue ball" the red is none: it only describes.
        """
        if quest.named() or any(quest.reachable(reading) for reading in quest.phrase.named):
            return None
        if self.holds_commands(quest.phrase.members):
            message = "this may be two commands; say one after the other"
            failure = Failure(
                Code.AMBIGUOUS_TARGET, message, replace(quest.details(), answerable=False)
            )
            return RoleFailed(failure, tuple(quest.phases))
        things: dict[str, Thing] = {}
        for member in quest.phrase.members:
            bound = self.bind_in(quest.scopes, quest.role, member)
            if bound.described:
                return None
            if isinstance(bound, RoleFailed):
                return bound if bound.failure.code is Code.AMBIGUOUS_TARGET else None
            quest.phases.extend(bound.phases)
            things.update((thing.id, thing) for thing in bound.things)
        if len(things) > 1 and quest.phrase.either:
            return quest.ambiguous(list(things.values()))
        owned = any(m.related and m.related.relation == "owner" for m in quest.phrase.members[1:])
        if owned and any(thing.kind in BEINGS for thing in things.values()):
            # "take Anna and Ben's phones": Anna, or Anna's phone?
            return quest.ambiguous(list(things.values()), "say whose it is", answerable=False)
        if len(things) > 1 and quest.role not in self.verb.sets:
            return quest.ambiguous(list(things.values()), one_at_a_time(self.name))
        return RoleBound(tuple(things.values()), exact=True, phases=tuple(quest.phases))

    def holds_commands(self, members: Sequence[Phrase]) -> bool:
        """Tell whether a list may be of commands: "the ink in the box and the cup in the bag"."""
        both = self.verb.rules.get("directIndirect")
        own = self.options.relations
        related = (member.related.relation for member in members[:-1] if member.related)
        return both is not None and any(accepts(both, relation, own) for relation in related)

    def missing(self, quest: "Quest") -> RoleFailed:
        """Say what is not here; of several things, the first that cannot be bound."""
        for member in quest.phrase.members:
            bound = self.bind_in(quest.scopes, quest.role, member)
            if isinstance(bound, RoleFailed):
                return bound
        return quest.not_found()

    def means_only(self, scopes: list[Scope], role: Role, phrase: Phrase, thing: Thing) -> bool:
        """Tell whether words, said instead, would mean one thing and nothing else."""
        bound = self.changed(offers=False).bind_in(scopes, role, phrase)
        return isinstance(bound, RoleBound) and bound.things == (thing,)

    def barring(self, things: Sequence[Thing]) -> "Binder":
        """Give a binder to which these things are not there."""
        return self.changed(barred=frozenset(thing.id for thing in things))

    def changed(
        self,
        *,
        offers: bool | None = None,
        barred: frozenset[str] | None = None,
        options: Options | None = None,
    ) -> "Binder":
        """Give a binder that differs in these."""
        return Binder(
            self.view,
            self.verb,
            self.name,
            self.options if options is None else options,
            self.offers if offers is None else offers,
            self.barred if barred is None else barred,
        )


@dataclass(slots=True)
class Quest:
    """The search for what one role means, and its trace so far."""

    binder: Binder
    role: Role
    phrase: Phrase
    scopes: list[Scope]
    phases: list[Phase]
    considered: dict[str, Considered] = field(default_factory=dict)
    as_said: bool = False
    described: bool = False

    # Match

    def search(self) -> list[Found]:
        """Find the candidates in reach; a name as it stands beats any reading of it."""
        phrase = self.phrase
        if phrase.quoted is None and not is_plain(phrase):
            if named := self.named():
                self.phrase = literal_reading(phrase)
                return self.best(named)
            if by_name := self.by_names(phrase):
                return by_name
        readings = [phrase, *(reading for reading in phrase.named if reading.quoted is None)]
        for reading in readings:
            found = self.by_reading(reading)
            if found:
                others = [other for other in readings if other is not reading]
                return self.with_others(found, others)
        self.phrase = phrase
        return []

    def by_names(self, phrase: Phrase) -> list[Found]:
        """Find what is called by more of the words than the phrase takes for a name."""
        for reading in phrase.named:
            by_name = self.reachable(reading)
            if reading.quoted is None:
                by_name = [found for found in by_name if found.match.score >= EXACT]
            elif reading.kind is not None and is_choosy(phrase):
                # A folder called "newest" is not meant by "the newest folder".
                by_name = [found for found in by_name if not found.thing.proper]
            if by_name:
                self.phrase = reading
                self.as_said = is_plain(reading) and reading.quoted is not None
                return self.counted(by_name)
        return []

    def by_reading(self, phrase: Phrase) -> list[Found]:
        """Find what one reading of the words means."""
        self.phrase = phrase
        if phrase.ordinal is not None and counts_at_end(phrase):
            numbered = self.numbered()
            if numbered is not None:
                return numbered
        return self.counted(self.reachable(phrase))

    def with_others(self, found: list[Found], readings: Sequence[Phrase]) -> list[Found]:
        """Add what is meant as well if "Bob's" is part of a name, where nothing is counted."""
        if self.phrase.chooses() or found[0].match.score >= EXACT:
            return found
        pooled = {candidate.thing.id: candidate for candidate in found}
        for reading in readings:
            if not reading.chooses():
                pooled = {c.thing.id: c for c in self.reachable(reading)} | pooled
        return found if len(pooled) == len(found) else self.counted(list(pooled.values()))

    def counted(self, found: list[Found]) -> list[Found]:
        """Keep all that a set or a measure is about, else the best matches."""
        all_count = self.is_set(found) or self.phrase.superlative is not None
        return self.all_of(found) if all_count else self.best(found)

    def named(self) -> list[Found]:
        """Find what is called by all the words as they stand."""
        found = self.reachable(Phrase(self.phrase.text))
        return [candidate for candidate in found if candidate.match.reasons is AS_SAID]

    def numbered(self) -> list[Found] | None:
        """Read "locker 12" by its number, where what goes by that name has numbers in it.

        A number inside a name ("model 5 lamp") tells only what has it; lamps without are counted.
        Where both could be meant, both are.
        """
        phrase = self.phrase
        found = self.reachable(phrase)
        words = (str(phrase.ordinal), *phrase.adjectives)
        by_number = replace(phrase, ordinal=None, adjectives=words)
        having = self.reachable(by_number)
        if any(is_numbered(candidate.thing) for candidate in found):
            self.phrase = by_number
            return self.best(having)
        if not having:
            return None
        counted = {thing.id for thing in self.picked([c.thing for c in self.top(found)], phrase)}
        self.phrase = by_number
        meant = [candidate for candidate in found if candidate.thing.id in counted]
        return self.best(list({c.thing.id: c for c in (*meant, *having)}.values()))

    def is_set(self, found: Sequence[Found]) -> bool:
        """Tell whether several things are meant: by a word for it, or by a plural."""
        phrase = self.phrase
        if phrase.quantifier is not None or phrase.count is not None:
            return True
        return (
            phrase.head is not None
            and len(found) > 1
            and phrase.ordinal is None
            and phrase.superlative is None
            and is_plural(phrase.head)
            and not phrase.indefinite
            and self.role in self.binder.verb.sets
            and not any(c.match.reasons is AS_SAID for c in found)
        )

    def reachable(self, phrase: Phrase) -> list[Found]:
        """Match the phrase, and keep what the declared scopes reach."""
        binder, scopes = self.binder, self.scopes
        found = []
        for match in matches(binder.view, self.prepared(phrase), binder.among):
            reach = binder.view.reach(match.thing, scopes)
            if reach is None:
                self.drop(match, None, "out of scope")
            elif match.thing.id in binder.barred:
                self.drop(match, reach, BARRED)
            else:
                found.append(Found(match, reach))
        if binder.options.strictness == "exact":
            found = [candidate for candidate in found if candidate.match.score >= EXACT]
        return found

    def prepared(self, phrase: Phrase) -> Wanted:
        """Make a phrase ready; what it is told by is looked for first, if that takes choosing."""
        want = wanted(phrase)
        want.offered = bool(self.binder.among)
        want.scopes = tuple(self.scopes)
        related = phrase.related
        if related is None:
            return want
        if is_choosy(related.to):
            want.related_ids = self.ids_of(related.to)
        elif related.relation not in NO_PLACE and related.to.pronoun is None:
            want.related_ids = self.best_ids(related.to)
        return want

    def best_ids(self, phrase: Phrase) -> frozenset[str]:
        """Give the places that a phrase means best, wherever they are."""
        named = (reading for reading in phrase.named if reading.quoted is None)
        found = [
            match
            for reading in (phrase, *named)
            for match in matches(self.binder.view, self.prepared(reading), frozenset())
        ]
        top = max((match.score for match in found), default=0)
        return frozenset(match.thing.id for match in found if match.score == top)

    def ids_of(self, phrase: Phrase) -> frozenset[str]:
        """Give the ids of all that a phrase within a phrase may mean."""
        found = self.binder.view.found
        key = (phrase, self.binder.among, *(scope.key for scope in self.scopes))
        known = found.get(key)
        if not isinstance(known, frozenset):
            binder = self.binder.changed(barred=frozenset())
            inner = Quest(binder, self.role, phrase, self.scopes, [])
            known = frozenset(thing.id for thing in inner.referents())
            found[key] = known
        return known

    def referents(self) -> list[Thing]:
        """Give all that a phrase within a phrase may mean."""
        if self.phrase.pronoun is not None:
            meant = (self.binder.view.find(name) for name in self.meant_by_pronoun())
            return [thing for thing in meant if thing is not None and self.may_bind(thing)]
        found = self.search()
        return self.picked([candidate.thing for candidate in found], self.phrase)

    def picked(self, things: list[Thing], phrase: Phrase) -> list[Thing]:
        """Apply what a phrase says of order and measure to the things it may mean."""
        if phrase.superlative is not None and phrase.ordinal is not None:
            return nth_most(things, phrase.superlative, phrase.ordinal)
        if phrase.superlative is not None:
            return most(things, phrase.superlative)
        if phrase.ordinal is None:
            return things
        place = len(things) if phrase.ordinal == LAST else phrase.ordinal
        return things[place - 1 : place] if place >= 1 else []

    def best(self, found: list[Found]) -> list[Found]:
        """Keep the best matches, and note why the others were dropped."""
        if len(found) > 1:
            return self.kept(found, self.top(found))
        for candidate in found:
            self.consider(candidate, None)
        return found

    def top(self, found: Sequence[Found]) -> list[Found]:
        """Give the best matches: exact before partial, and by the verb's precedence of scopes."""
        most = max((candidate.match.score for candidate in found), default=0)
        return self.in_order([c for c in found if c.match.score == most])

    def all_of(self, found: list[Found]) -> list[Found]:
        """Keep all that are meant, full name or not; a label alone makes nothing one of them."""
        return self.kept(found, self.in_order([c for c in found if c.match.score >= PARTIAL]))

    def in_order(self, best: list[Found]) -> list[Found]:
        """Keep those of the first scope that has any, in the order in which they are counted."""
        if best and self.binder.verb.precedence == "first":
            first = min(candidate.reach.rank for candidate in best)
            best = [candidate for candidate in best if candidate.reach.rank == first]
        among = self.binder.options.among
        place = {name: at for at, name in enumerate(among)}

        def order(candidate: Found) -> tuple[int, int, int, int, int]:
            rank, depth, number = candidate.reach.order
            offered = place.get(candidate.thing.id, len(among))
            return rank, -candidate.match.score, depth, offered, number

        return sorted(best, key=order)

    def kept(self, found: list[Found], best: list[Found]) -> list[Found]:
        """Note which candidates were kept, and why the others were dropped."""
        top = best[0].match.score if best else 0
        kept = {candidate.thing.id for candidate in best}
        for candidate in best[:SHOWN]:
            self.consider(candidate, None)
        for candidate in found[:SHOWN]:
            if candidate.thing.id not in kept:
                why = "a better match" if candidate.match.score < top else "an earlier scope"
                self.consider(candidate, f"{why} was found")
        return best

    def consider(self, candidate: Found, dropped: str | None) -> None:
        """Note how a candidate within reach fared."""
        match, reach = candidate.match, candidate.reach
        self.considered[match.thing.id] = considered(match, reach, dropped)

    def weighed(self, thing: Thing, *reasons: str) -> Considered:
        """Tell how a thing was weighed; what was not compared has only its reasons."""
        reach = self.binder.view.reach(thing, self.scopes)
        known = self.considered.get(thing.id)
        return known or considered(Match(thing, 0, reasons), reach, None)

    def drop(self, match: Match, reach: Reach | None, why: str) -> None:
        """Note why something that goes by the words is no candidate."""
        if len(self.considered) < SHOWN or reach is not None:
            self.considered.setdefault(match.thing.id, considered(match, reach, why))

    def shown(self) -> tuple[Considered, ...]:
        """Give the leading candidates: those kept, those dropped, those out of scope."""
        ordered = sorted(
            self.considered.values(), key=lambda each: (each.dropped is not None, each.depth < 0)
        )
        return tuple(ordered[:SHOWN])

    # Select

    def select(self, found: list[Found]) -> RoleBound | RoleFailed:
        """Apply what the phrase says beyond names: ordinals, superlatives, sets."""
        self.trace("match", f"{len(found)} matched", self.shown())
        phrase = self.phrase
        exact = found[0].match.score >= EXACT
        self.as_said = self.as_said or found[0].match.reasons is AS_SAID
        self.described = found[0].match.reasons is DESCRIBED
        things = self.spoken_of([candidate.thing for candidate in found])
        if not things:
            return self.failed(Code.TARGET_NOT_FOUND, f"there is no other {self.said()}")
        if phrase.superlative is not None and phrase.ordinal is None:
            things = most(things, phrase.superlative)
        if self.is_set(found):
            return self.whole_set(found, things, exact=exact)
        if phrase.ordinal is None:
            self.trace_selection(f"{len(things)} of {len(found)}", found, things)
            return self.settle(things, exact=exact)
        chosen = self.picked(things, phrase)
        if not chosen:
            return self.no_such_number(len(things))
        self.trace_selection(f"number {phrase.ordinal} of {len(things)}", found, chosen)
        return self.settle(chosen, exact=exact)

    def spoken_of(self, things: list[Thing]) -> list[Thing]:
        """Apply "these" and "other": what was spoken of before, or what was not."""
        recent = self.binder.options.recent
        if self.phrase.pointed:
            things = [thing for thing in things if thing.id in recent.them] or things
        if not self.phrase.other:
            return things
        others = [thing for thing in things if thing.id not in {recent.it, *recent.them}]
        return others if len(others) < len(things) else []  # other than what?

    def trace_selection(self, outcome: str, found: Sequence[Found], kept: Sequence[Thing]) -> None:
        """Note what was selected of the matches, and why the others were not."""
        phrase = self.phrase
        if phrase.ordinal is not None:
            why = f"not number {phrase.ordinal}" if phrase.ordinal != LAST else "not the last"
        elif phrase.superlative is not None:
            way = "most" if phrase.superlative.most else "least"
            why = f"not the {way} by {phrase.superlative.measure}"
        else:
            why = "left out"
        ids = {thing.id for thing in kept}
        dropped = [c for c in found if c.thing.id not in ids][:SHOWN]
        left = [c for c in found if c.thing.id in ids][:SHOWN] if dropped else []
        matched = [considered(c.match, c.reach, None) for c in (*left, *dropped)]
        self.trace("select", outcome, selection(matched, ids, why))

    def no_such_number(self, count: int) -> RoleFailed:
        there = "is only one" if count == 1 else f"are only {count}"
        message = f"no number {self.phrase.ordinal} of {self.said()!r}: there {there}"
        return self.failed(Code.TARGET_NOT_FOUND, message)

    def whole_set(
        self, found: list[Found], things: list[Thing], *, exact: bool
    ) -> RoleBound | RoleFailed:
        """Bind every member of a set, where the verb takes one."""
        phrase = self.phrase
        if not wanted(phrase).says_anything and phrase.related is None and phrase.place is None:
            shallow = {c.thing.id for c in found if c.reach.depth == 0}
            things = [thing for thing in things if thing.id in shallow] or things
        left = self.without_excluded(things)
        if isinstance(left, RoleFailed):
            return left
        things = left
        expected = 2 if phrase.quantifier == "both" else phrase.count
        if not things or (expected is not None and len(things) < expected):
            there = f"there are only {len(things)}" if things else "nothing is left"
            return self.failed(Code.TARGET_NOT_FOUND, f"not {self.phrase.text!r}: {there}")
        if len(things) == 1 or expected == 1:
            self.trace_selection(f"{len(things)} of {len(found)}", found, things)
            return self.settle(things, exact=exact)
        if self.role not in self.binder.verb.sets:
            return self.ambiguous(things, one_at_a_time(self.binder.name))
        if expected is not None and len(things) > expected:
            if not self.any_will_do(things):
                return self.ambiguous(things, answerable=False)
            things = things[:expected]
        self.trace_selection(f"all {len(things)}", found, things)
        self.trace("disambiguate", "all are meant")
        return RoleBound(tuple(things), exact, tuple(self.phases), self.as_said)

    def without_excluded(self, things: list[Thing]) -> list[Thing] | RoleFailed:
        """Leave out all exceptions, each found in the whole set; one that is not there fails."""
        out: set[str] = set()
        for excluded in self.phrase.excluding:
            meant = self.left_out(things, excluded)
            if len(meant) > 1 and is_for_one(excluded):
                return self.ambiguous(meant, f"leave out which {excluded.text!r}", answerable=False)
            if not meant:
                message = f"there is no {excluded.text!r} among them to leave out"
                return self.failed(Code.TARGET_NOT_FOUND, message, span=excluded.text)
            names = {name_key(thing.name) for thing in meant}
            if excluded.related is not None and name_key(excluded.text) in names:
                self.as_said = True  # a name with a relation in it was said in full
            out.update(thing.id for thing in meant)
        return [thing for thing in things if thing.id not in out]

    def left_out(self, things: Sequence[Thing], phrase: Phrase) -> list[Thing]:
        """Find what an exception means, among what would be meant without it."""
        ids = tuple(thing.id for thing in things)
        binder = self.binder.changed(options=replace(self.binder.options, among=ids), offers=True)
        return Quest(binder, self.role, phrase, self.scopes, []).referents()

    # Disambiguate

    def settle(self, things: list[Thing], *, exact: bool) -> RoleBound | RoleFailed:
        """Exactly one binds; several are asked about, unless any of them will do."""
        if len(things) == 1:
            self.trace("disambiguate", "one remains")
            phases = tuple(self.phases)
            return RoleBound((things[0],), exact, phases, self.as_said, self.described)
        if self.any_will_do(things):
            alike = [self.weighed(thing) for thing in things]
            dropped = selection(alike, (things[0].id,), "as good as the first")
            self.trace("disambiguate", f"{things[0].id}: interchangeable by policy", dropped)
            return RoleBound((things[0],), exact, tuple(self.phases))
        return self.ambiguous(things)

    def any_will_do(self, things: Sequence[Thing]) -> bool:
        """Tell whether the verb's policy lets the first of these be taken."""
        return self.binder.verb.interchangeable and all(
            thing.metadata.resolution.interchangeable for thing in things
        )

    def ambiguous(
        self, things: Sequence[Thing], reason: str | None = None, *, answerable: bool = True
    ) -> RoleFailed:
        """Ask which one is meant."""
        if not self.binder.offers:
            failure = Failure(Code.AMBIGUOUS_TARGET, "")
            return RoleFailed(failure, (), self.described)
        means_only = partial(self.binder.means_only, self.scopes, self.role)
        options = options_for(self.binder.view, self.phrase, things, means_only)
        asked = question(self.phrase, options, len(things))
        self.trace("disambiguate", f"{len(things)} remain")
        details = replace(self.details(), answerable=answerable)
        message = asked if reason is None else f"{reason.rstrip('?.')}. {asked}"
        failure = Failure(Code.AMBIGUOUS_TARGET, message, details, options)
        return RoleFailed(failure, tuple(self.phases), self.described)

    def by_choice(self, chosen: str) -> RoleBound | RoleFailed:
        """Take the thing that a person chose, if it is still within reach."""
        thing = self.binder.view.find(chosen)
        if thing is None or not self.may_bind(thing):
            what = chosen if thing is None else thing.name
            return self.failed(Code.TARGET_STALE, f"{what} is not within reach any more")
        self.trace("match", "as chosen", (self.weighed(thing, "chosen"),))
        self.trace("disambiguate", f"{chosen} was chosen")
        return RoleBound((thing,), exact=True, phases=tuple(self.phases))

    # Pronouns

    def by_pronoun(self) -> RoleBound | RoleFailed:
        """Take what was bound last, if it is still in reach."""
        view, said = self.binder.view, self.phrase.text
        for reading in (*self.phrase.named, Phrase(said)):
            if literal := self.reachable(reading):
                self.phrase = reading
                return self.select(self.best(literal))
        spoken = self.meant_by_pronoun()
        ids = tuple(each for each in spoken if each not in self.binder.barred) or spoken
        if not ids:
            message = f"nothing was spoken of that {said!r} could mean"
            return self.failed(Code.TARGET_NOT_FOUND, message)
        things = []
        for name in ids:
            thing = view.find(name)
            if thing is None or not self.may_bind(thing):
                what = name if thing is None else thing.name
                return self.failed(Code.TARGET_NOT_FOUND, f"{said!r} ({what}) is not within reach")
            things.append(thing)
        meant = tuple(self.weighed(thing, "spoken of") for thing in things[:SHOWN])
        self.trace("match", f"{said}: {listed(list(ids), 'and')}", meant)
        if len(things) > 1 and self.role not in self.binder.verb.sets:
            return self.ambiguous(things)
        return RoleBound(tuple(things), exact=True, phases=tuple(self.phases))

    def may_bind(self, thing: Thing) -> bool:
        """Tell whether the scopes reach a thing, and it is among those to choose from."""
        among = self.binder.among
        in_reach = self.binder.view.reach(thing, self.scopes) is not None
        return in_reach and (not among or thing.id in among) and thing.id not in self.binder.barred

    def meant_by_pronoun(self) -> tuple[str, ...]:
        """Give the ids of what a pronoun stands for."""
        recent, view = self.binder.options.recent, self.binder.view
        match self.phrase.pronoun:
            case "self":
                return () if view.actor is None else (view.actor.id,)
            case "person":
                return () if recent.person is None else (recent.person,)
            case "them":
                return recent.them
            case _:
                return () if recent.it is None else (recent.it,)

    # Failure

    def not_found(self) -> RoleFailed:
        """Nothing in reach is meant: say what was looked for, and what is near."""
        phrase = self.phrase
        if not self.binder.offers:
            return self.failed(Code.TARGET_NOT_FOUND, "")
        near = near_names(phrase, self.binder.view.things, self.may_bind)
        hint = f"; there is {listed([with_article(n) for n in near], 'and')}" if near else ""
        self.trace("match", "nothing matched", self.shown())
        bare_set = phrase.quantifier is not None and not wanted(phrase).says_anything
        what = "there is nothing here" if bare_set else f"no {self.said()!r} here"
        barred = [each.name for each in self.considered.values() if each.dropped == BARRED]
        if barred:
            what = f"{self.said()!r} would be {listed(barred)} itself"
        return self.failed(Code.TARGET_NOT_FOUND, f"{what}{hint}", near=near)

    def failed(
        self, code: Code, message: str, *, near: tuple[str, ...] = (), span: str | None = None
    ) -> RoleFailed:
        return RoleFailed(Failure(code, message, self.details(near, span)), tuple(self.phases))

    def details(self, near: tuple[str, ...] = (), span: str | None = None) -> Details:
        searched = tuple(scope.name for scope in self.scopes)
        return Details(
            verb=self.binder.name,
            role=self.role,
            span=span or self.phrase.text,
            searched=searched,
            near=near,
        )

    def said(self) -> str:
        phrase = self.phrase
        if phrase.related is not None or DIGITS.search(phrase.text):
            return bare(phrase.text)
        words = " ".join((*phrase.adjectives, phrase.head or "")).strip()
        return phrase.quoted or words or phrase.text

    def trace(
        self, phase: PhaseName, outcome: str, candidates: tuple[Considered, ...] = ()
    ) -> None:
        self.phases.append(Phase(phase, outcome, self.role, candidates=candidates))


def considered(match: Match, reach: Reach | None, dropped: str | None) -> Considered:
    """Write down how a candidate fared."""
    thing = match.thing
    scope, depth = ("", -1) if reach is None else (reach.scope, reach.depth)
    return Considered(thing.id, thing.name, scope, depth, match.score, match.reasons, dropped)


def is_plain(phrase: Phrase) -> bool:
    """Tell whether a phrase has nothing but a noun and adjectives."""
    counts = phrase.ordinal is None and phrase.quantifier is None and phrase.count is None
    return (
        counts
        and phrase.related is None
        and phrase.superlative is None
        and phrase.place is None
        and not (phrase.other or phrase.members or phrase.named)
    )


def is_for_one(phrase: Phrase) -> bool:
    """Tell whether a phrase is for one thing: not a plural, a set, or one of a row."""
    if phrase.quantifier is not None or is_choosy(phrase) or phrase.pronoun is not None:
        return False
    head = phrase.head
    return head is not None and not is_plural(head) and head not in ENGLISH.unchanging


def is_choosy(phrase: Phrase) -> bool:
    """Tell whether a phrase chooses among the things that its words may mean."""
    return phrase.chooses() or phrase.pronoun in {"it", "them", "person"}


def counts_at_end(phrase: Phrase) -> bool:
    """Tell whether the number of "locker 12" was read as a count, and may be part of a name."""
    said = re.search(rf"[\s#-]{phrase.ordinal}\b", phrase.text) is not None
    return said and str(phrase.ordinal) not in phrase.adjectives


def most(things: list[Thing], superlative: Superlative) -> list[Thing]:
    """Keep the things that have the most (or least) of a measure; ties stay ties."""
    if not things or any(superlative.measure not in thing.measures for thing in things):
        return things
    values = [thing.measures[superlative.measure] for thing in things]
    best = max(values) if superlative.most else min(values)
    return [thing for thing in things if thing.measures[superlative.measure] == best]


def nth_most(things: list[Thing], superlative: Superlative, number: int) -> list[Thing]:
    """Give "the second newest": the one at this place by measure, and any that equal it."""
    if number == LAST or any(superlative.measure not in thing.measures for thing in things):
        return []
    values = sorted((t.measures[superlative.measure] for t in things), reverse=superlative.most)
    if not 1 <= number <= len(values):
        return []
    return [t for t in things if t.measures[superlative.measure] == values[number - 1]]


def scope_phase(role: Role, scopes: Sequence[Scope]) -> Phase:
    names = tuple(scope.name for scope in scopes)
    return Phase("scope", "declared" if names else "none declared", role, scopes=names)


def one_at_a_time(verb: str) -> str:
    return f"one thing at a time: {verb} does not take several"


def with_article(name: str) -> str:
    """Put an article before a name, unless it has one or is a name of its own."""
    first, last = name.split(" ", 1)[0], name.rsplit(maxsplit=1)[-1]
    if first.lower() in ENGLISH.articles or not name[:1].islower() or is_plural(last):
        return name
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"

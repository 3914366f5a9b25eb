"""The engine: readings of a command, verbs, a world and options, to bindings or a failure.

Pure: no clock, no chance, nothing read but what it was given, nothing changed. Phases: form,
scope, match, select, disambiguate, bind.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from actors.forms import Fit, match_form
from actors.language.words import fold, is_plural, listed, name_key, words_of
from actors.target_resolver.asking import target
from actors.target_resolver.binding import Binder, RoleBound, RoleFailed
from actors.target_resolver.scopes import View
from actors.target_resolver.tracing import bind_phase
from messages.failures import Details
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import Binding, Failure, Phase, Query, Success
from messages.verbs import Role
from messages.worlds import Thing

BY_WORDS, BY_ROLES, BY_NAME = range(3)
Outcome: TypeAlias = RoleBound | RoleFailed


@dataclass(frozen=True, slots=True)
class Finding:
    """What one resolution came to, and how; ``others`` are the readings that were not taken."""

    outcome: Success | Failure
    phases: tuple[Phase, ...]
    reading: int
    exact: bool = False
    form_fits: bool = True
    roles_bound: int = 0
    standing: int = 0
    others: tuple["Finding", ...] = ()


def resolve(query: Query) -> Finding:
    """Resolve a command: the readings that bind decide, or the best failure speaks."""
    if not query.readings:
        return Finding(Failure(Code.FORM_NOT_SUPPORTED, "there is nothing to resolve"), (), 0)
    if query.page is not None:
        # Loaded with the first page: a daemon that never sees one starts without it.
        from actors.target_resolver.page.binding import resolve_on_page  # noqa: PLC0415

        found = resolve_on_page(query, query.page)
        return Finding(found.outcome, found.phases, 0)
    view = View(query.world, query.options.actor, query.options.recent)
    findings = []
    for number, parsed in enumerate(query.readings):
        finding = resolve_reading(query, view, parsed, number)
        if isinstance(finding.outcome, Success) and len(query.readings) == 1:
            return finding
        findings.append(finding)
    bound = [finding for finding in findings if isinstance(finding.outcome, Success)]
    if len(findings) > 1:
        bound = without_weak(bound, findings, query)
        said = [finding for finding in bound if not is_unsaid(query.readings[finding.reading])]
        bound = said or bound
    chosen = decide(bound) if bound else speaking_failure(findings, query, view)
    others = tuple(each for each in findings if each.reading != chosen.reading)
    return replace(chosen, others=others) if others else chosen


def without_weak(
    bound: Sequence[Finding], findings: Sequence[Finding], query: Query
) -> list[Finding]:
    """Leave out readings that lump words together which the verb has roles for.

    "take the hat from the chest" with two hats there is a question, and with no chest a failure,
    whatever else "hat from the chest" might describe; only a name of just these words holds.
    """
    readings = query.readings
    with_roles = {
        readings[finding.reading].verb
        for finding in findings
        if finding.form_fits and is_said(readings[finding.reading])
    }
    return [
        finding
        for finding in bound
        if finding.standing == BY_NAME
        or readings[finding.reading].relation_token_raw
        or readings[finding.reading].verb not in with_roles
    ]


def decide(bound: Sequence[Finding]) -> Finding:
    """Choose among readings that bind: the longer verb, then names as they stand, then roles.

    "take the note from Bob" means a thing of that very name if there is one, else the note that
    Bob has, and only then a note told by where it is from. What is left must be one binding.
    """
    verbs = [finding.outcome.verb for finding in bound if isinstance(finding.outcome, Success)]
    rivals = [finding for finding, verb in zip(bound, verbs, strict=True) if verb == verbs[0]]
    top = max(finding.standing for finding in rivals)
    best = [finding for finding in rivals if finding.standing == top]
    best = [finding for finding in best if finding.exact] or best
    if all(finding.outcome == best[0].outcome for finding in best):
        return best[0]
    message = "this can be read in two ways; name the things more exactly"
    phases = tuple(phase for finding in best for phase in finding.phases)
    failure = Failure(Code.AMBIGUOUS_TARGET, message, Details(verb=verbs[0]))
    return Finding(failure, phases, best[0].reading)


def is_unsaid(parsed: ParsedCommand) -> bool:
    """Tell whether a reading has a relation that nobody said: "give Bob the coin"."""
    relation = parsed.relation_token_raw
    return relation is not None and bool(parsed.normalized_input) and not is_said(parsed)


def is_said(parsed: ParsedCommand) -> bool:
    """Tell whether a reading has a relation that was really said: not "give Bob the coin"."""
    raw = parsed.relation_token_raw
    spoken = " ".join(words_of(parsed.normalized_input)) or raw
    return raw is not None and f" {fold(raw)} " in f" {spoken} "


def speaking_failure(findings: Sequence[Finding], query: Query, view: View) -> Finding:
    """Choose the failure that helps most: a choice, a name that exists, else the first reading."""
    unsaid = [f for f in findings if is_unsaid(query.readings[f.reading])]
    findings = [f for f in findings if f not in unsaid] or unsaid
    spoken = findings[0].outcome
    if isinstance(spoken, Failure) and spoken.code is Code.FORM_MISSING_INDIRECT:
        for finding in unsaid:
            if finding.roles_bound:  # "give Bob the moon": nothing else is wrong
                return finding
    for finding in findings:
        if isinstance(finding.outcome, Failure) and finding.outcome.options:
            return finding
    if (named := failure_by_name(findings, query, view)) is not None:
        return named
    first = findings[0]
    parsed = query.readings[first.reading]
    if parsed.relation_token_raw and not first.form_fits:
        # The relation may be part of a name that is misspelt: "Sing in", "note to sef".
        word = fold(parsed.relation_token_raw)
        near = [
            finding
            for finding in findings[1:]
            if has_near_name(finding.outcome, word)
            and fold(query.readings[finding.reading].direct_span or "") != word
        ]
        first = near[0] if near else first
    if isinstance(first.outcome, Failure) and is_target_failure(first.outcome):
        return max(
            (finding for finding in findings if finding.form_fits),
            key=lambda finding: (finding.roles_bound, -finding.reading),
        )
    return first


def failure_by_name(findings: Sequence[Finding], query: Query, view: View) -> Finding | None:
    """Find a reading that fails over the full name of something that is only elsewhere."""
    if len(findings) == 1:
        return None
    names = all_names(view)
    verb = query.readings[findings[0].reading].verb
    for finding in findings[1:]:
        parsed, outcome = query.readings[finding.reading], finding.outcome
        missing = isinstance(outcome, Failure) and is_target_failure(outcome)
        if missing and parsed.verb == verb and not names.isdisjoint(full_names(parsed)):
            return finding
    return None


def full_names(parsed: ParsedCommand) -> set[str]:
    """Give the names that the words of the direct thing may be, taken whole."""
    named = () if parsed.direct is None else parsed.direct.named
    return {name_key(name) for name in (parsed.direct_span, *(p.quoted for p in named)) if name}


def all_names(view: View) -> set[str]:
    """Give what anything in the world is called."""
    return {name_key(name) for thing in view.things for name in thing.names()}


def has_near_name(outcome: Success | Failure, word: str) -> bool:
    """Tell whether something near has a word in its name."""
    near = outcome.details.near if isinstance(outcome, Failure) else ()
    return any(f" {word} " in f" {fold(name)} " for name in near)


def is_target_failure(failure: Failure) -> bool:
    return failure.code in {Code.TARGET_NOT_FOUND, Code.AMBIGUOUS_TARGET}


def resolve_reading(query: Query, view: View, parsed: ParsedCommand, number: int) -> Finding:
    """Resolve one reading of a command."""
    parsed = with_phrases(parsed)
    verb = query.verbs.get(parsed.verb)
    if verb is None:
        message = f"{parsed.intent_token!r} is no verb here"
        details = Details(verb=parsed.verb)
        return Finding(Failure(Code.NOT_UNDERSTOOD, message, details), (), number, form_fits=False)
    fit = match_form(parsed, verb, query.options.relations)
    if isinstance(fit, Failure):
        return Finding(fit, (Phase("form", fit.code),), number, form_fits=False)
    form = Phase("form", "fits", rule=fit.rule)
    if parsed.direct is None and parsed.indirect is None:
        success = Success(
            fit.rule, parsed.verb, (Binding(),), parsed.relation_token_raw, fit.relation
        )
        bind = Phase("bind", "nothing to bind", rule=fit.rule)
        return Finding(success, (form, bind), number, exact=True)
    binder = Binder(view, verb, parsed.verb, query.options)
    return bind_roles(binder, parsed, fit, form, number)


def with_phrases(parsed: ParsedCommand) -> ParsedCommand:
    """Take a span that nobody read as a literal name: a role that was said is never left out."""
    if (parsed.direct is None and parsed.direct_span) or (
        parsed.indirect is None and parsed.indirect_span
    ):
        return msgspec.structs.replace(
            parsed,
            direct=parsed.direct or (Phrase(parsed.direct_span) if parsed.direct_span else None),
            indirect=parsed.indirect
            or (Phrase(parsed.indirect_span) if parsed.indirect_span else None),
        )
    return parsed


def bind_roles(
    binder: Binder, parsed: ParsedCommand, fit: Fit, form: Phase, number: int
) -> Finding:
    """Bind the roles; where the relation names a place, the indirect one comes first."""
    direct: RoleBound | RoleFailed | None = None
    indirect: RoleBound | RoleFailed | None = None
    phases: list[Phase] = [form]
    within: Thing | None = None
    if parsed.indirect is not None:
        indirect = binder.bind("indirect", parsed.indirect, None)
        if fit.limits and isinstance(indirect, RoleBound):
            if len(indirect.things) > 1:
                indirect = one_place_at_a_time(parsed, indirect)
            else:
                within = indirect.things[0]
    if parsed.direct is not None and not (fit.limits and isinstance(indirect, RoleFailed)):
        direct = binder.bind("direct", parsed.direct, within)
    if direct is not None and indirect is not None and not fit.limits:
        direct, indirect = kept_apart(binder, parsed, direct, indirect)
    for outcome in (direct, indirect):
        if outcome is not None:
            phases.extend(outcome.phases)
    failed = first_failure(direct, indirect) or itself(parsed, direct, indirect)
    if failed is not None:
        bound = sum(isinstance(role, RoleBound) for role in (direct, indirect))
        return Finding(failed, tuple(phases), number, roles_bound=bound)
    exact = all(role.exact for role in (direct, indirect) if isinstance(role, RoleBound))
    bindings = combined(direct, indirect)
    phases.append(bind_phase(fit.rule, bindings, phases))
    success = Success(fit.rule, parsed.verb, bindings, parsed.relation_token_raw, fit.relation)
    standing = BY_NAME if is_named(direct, parsed) else BY_ROLES if fit.relation else BY_WORDS
    return Finding(success, tuple(phases), number, exact, standing=standing)


def one_place_at_a_time(parsed: ParsedCommand, places: RoleBound) -> RoleFailed:
    """Refuse to take things from several places at once: which is from where?"""
    named = listed([place.name for place in places.things], "and")
    span = parsed.indirect_span
    details = Details(parsed.verb, "indirect", span, answerable=False)
    message = f"one place at a time: {named}"
    return RoleFailed(Failure(Code.AMBIGUOUS_TARGET, message, details), places.phases)


def is_named(direct: RoleBound | RoleFailed | None, parsed: ParsedCommand) -> bool:
    """Tell whether all words after the verb are a name that was said in full."""
    whole = parsed.relation_token_raw is None
    return whole and isinstance(direct, RoleBound) and direct.as_said


def itself(
    parsed: ParsedCommand,
    direct: RoleBound | RoleFailed | None,
    indirect: RoleBound | RoleFailed | None,
) -> Failure | None:
    """Refuse what would be done to a thing with, in or on that very thing."""
    if not isinstance(direct, RoleBound) or not isinstance(indirect, RoleBound):
        return None
    both = [thing for thing in direct.things if thing in indirect.things]
    if not both:
        return None
    role: Role = "direct" if parsed.direct is not None and parsed.direct.pronoun else "indirect"
    span = parsed.direct_span if role == "direct" else parsed.indirect_span
    message = f"{span!r} would be {both[0].name} itself"
    return Failure(Code.TARGET_NOT_FOUND, message, Details(parsed.verb, role, span))


def kept_apart(
    binder: Binder, parsed: ParsedCommand, direct: Outcome, indirect: Outcome
) -> tuple[Outcome, Outcome]:
    """Bind a role again without what the other one means: nothing is its own place or instrument.

    Where both mean the same thing, one of them may mean another instead; if either may, both stay.
    """
    if isinstance(direct, RoleBound) and isinstance(indirect, RoleBound):
        if not any(thing in indirect.things for thing in direct.things):
            return direct, indirect
        if is_open_set(parsed.direct) and len(direct.things) > 1:
            return without(direct, indirect.things), indirect
        first = again(binder, "direct", parsed, direct, indirect.things)
        second = again(binder, "indirect", parsed, indirect, direct.things)
        ways = [
            way
            for way in ((first, indirect), (direct, second))
            if all(isinstance(role, RoleBound) for role in way) and way != (direct, indirect)
        ]
        return ways[0] if len(ways) == 1 else (direct, indirect)
    if isinstance(direct, RoleBound) and isinstance(indirect, RoleFailed):
        other = again(binder, "indirect", parsed, indirect, direct.things)
        gone = is_open_set(parsed.direct) and is_missing(other)
        return direct, indirect if gone else other
    if isinstance(direct, RoleFailed) and isinstance(indirect, RoleBound):
        return again(binder, "direct", parsed, direct, indirect.things), indirect
    return direct, indirect


def again(
    binder: Binder, role: Role, parsed: ParsedCommand, before: Outcome, barred: Sequence[Thing]
) -> Outcome:
    """Bind a role as if some things were not there; what counts things is not counted anew."""
    phrase = parsed.direct if role == "direct" else parsed.indirect
    if phrase is None or any(each.chooses() for each in (phrase, *phrase.excluding)):
        return before
    if any(member.chooses() for member in phrase.members):
        return before
    return binder.barring(barred).bind(role, phrase, None)


def without(bound: RoleBound, barred: Sequence[Thing]) -> RoleBound:
    """Leave out of a set what it is done with: "put all into the chest" is not about the chest."""
    others = tuple(thing for thing in bound.things if thing not in barred)
    return replace(bound, things=others) if others else bound


def is_open_set(phrase: Phrase | None) -> bool:
    """Tell whether words are for however many things there are: not for two, nor for a list."""
    if phrase is None or phrase.members or phrase.count is not None:
        return False
    plural = phrase.head is not None and is_plural(phrase.head)
    return phrase.quantifier == "all" or (phrase.quantifier is None and plural)


def is_missing(outcome: Outcome) -> bool:
    return isinstance(outcome, RoleFailed) and outcome.failure.code is Code.TARGET_NOT_FOUND


def first_failure(
    direct: RoleBound | RoleFailed | None, indirect: RoleBound | RoleFailed | None
) -> Failure | None:
    """Give the failure to speak of: what is missing before what is not clear."""
    failures = [role.failure for role in (direct, indirect) if isinstance(role, RoleFailed)]
    missing = [failure for failure in failures if failure.code is Code.TARGET_NOT_FOUND]
    return next(iter(missing or failures), None)


def combined(
    direct: RoleBound | RoleFailed | None, indirect: RoleBound | RoleFailed | None
) -> tuple[Binding, ...]:
    """Pair every direct thing with every indirect one."""
    firsts = direct.things if isinstance(direct, RoleBound) else (None,)
    seconds = indirect.things if isinstance(indirect, RoleBound) else (None,)
    return tuple(
        Binding(
            None if first is None else target(first), None if second is None else target(second)
        )
        for first in firsts
        for second in seconds
    )

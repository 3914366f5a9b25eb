"""Form matching: does the shape of a command fit a rule of its verb? If not, exactly why not.

Pure, and knows no world: the Planner asks before anything runs, the TargetResolver when it binds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from actors.language.words import canonical, listed
from messages.failures import Details
from messages.phrases import ParsedCommand
from messages.results import Code
from messages.targets import Failure
from messages.verbs import RuleForm, RuleKey, VerbDeclaration


@dataclass(frozen=True, slots=True)
class Fit:
    """The rule that a command fits; ``relation`` is canonical, ``limits`` if it names a place."""

    rule: RuleKey
    relation: str | None
    limits: bool


# Which of direct thing, relation and indirect thing each rule has, in the order of a sentence.
SHAPES: Mapping[tuple[bool, bool, bool], RuleKey] = {
    (False, False, False): "intransitive",
    (True, False, False): "direct",
    (False, True, True): "indirect",
    (True, True, True): "directIndirect",
    (False, True, False): "relationOnly",
}
HAS_DIRECT: tuple[RuleKey, ...] = ("direct", "directIndirect")
HAS_INDIRECT: tuple[RuleKey, ...] = ("indirect", "directIndirect")


def match_form(
    parsed: ParsedCommand, verb: VerbDeclaration, own_relations: Mapping[str, str]
) -> Fit | Failure:
    """Find the rule for a command, or the most specific reason why there is none."""
    direct, indirect = bool(parsed.direct_span), bool(parsed.indirect_span)
    raw = parsed.relation_token_raw
    relation = None if raw is None else canonical(parsed.relation_token_canonical or raw, {})
    rule = SHAPES.get((direct, relation is not None, indirect))
    form = verb.rules.get(rule) if rule is not None else None
    if rule is not None and form is not None:
        if relation is None:
            return Fit(rule, None, limits=False)
        if accepts(form, relation, own_relations):
            limits = any(canonical(name, own_relations) == relation for name in form.limits)
            return Fit(rule, relation, limits=limits and rule == "directIndirect")
    code, nearest = why_not(verb, relation, own_relations, direct=direct, indirect=indirect)
    details = details_of(parsed, verb, nearest)
    return Failure(code, wording(code, parsed, details.accepted), details)


def formless(
    readings: Sequence[ParsedCommand], verb: VerbDeclaration, own: Mapping[str, str]
) -> Failure | None:
    """Say why no reading of a command fits a rule, in the words of the first; None if one does."""
    fits = [match_form(parsed, verb, own) for parsed in readings]
    failures = [fit for fit in fits if isinstance(fit, Failure)]
    return failures[0] if failures and len(failures) == len(fits) else None


def accepts(form: RuleForm, relation: str, own: Mapping[str, str]) -> bool:
    """Tell whether a rule takes a relation, however either is spelt."""
    accepted = form.accepted_relations
    return relation in accepted or any(canonical(name, own) == relation for name in accepted)


def why_not(
    verb: VerbDeclaration,
    relation: str | None,
    own: Mapping[str, str],
    *,
    direct: bool,
    indirect: bool,
) -> tuple[Code, RuleKey | None]:
    """Say what stands in the way, and of which rule; None if no rule comes near.

    It is a role that no rule has, a role that is missing, or the relation.
    """
    rules = verb.rules
    takes_direct = any(key in rules for key in HAS_DIRECT)
    takes_indirect = any(key in rules for key in HAS_INDIRECT)
    if direct and not takes_direct:
        return Code.FORM_DIRECT_NOT_SUPPORTED, None
    if indirect and not takes_indirect:
        return Code.FORM_INDIRECT_NOT_SUPPORTED, None
    if relation is None:
        return without_relation(verb, direct=direct, indirect=indirect)
    accepting = {key for key, form in rules.items() if accepts(form, relation, own)}
    if indirect:
        return with_both(verb, accepting, direct=direct)
    return dangling(verb, accepting, direct=direct)


def without_relation(
    verb: VerbDeclaration, *, direct: bool, indirect: bool
) -> tuple[Code, RuleKey | None]:
    """No relation was said: what is missing for the rule that is nearest?"""
    if indirect:
        shape: RuleKey = "directIndirect" if direct else "indirect"
        return Code.FORM_MISSING_RELATION, first_of(verb, shape, *HAS_INDIRECT)
    if direct:
        return Code.FORM_MISSING_INDIRECT, "directIndirect"  # only the rule with both is left
    if "direct" in verb.rules:
        return Code.FORM_MISSING_DIRECT, "direct"
    if "relationOnly" in verb.rules:
        return Code.FORM_MISSING_RELATION, "relationOnly"
    if "indirect" in verb.rules:
        return Code.FORM_MISSING_INDIRECT, "indirect"
    return Code.FORM_MISSING_DIRECT, "directIndirect"


def with_both(
    verb: VerbDeclaration, accepting: set[RuleKey], *, direct: bool
) -> tuple[Code, RuleKey | None]:
    """A relation and an indirect thing were said, and some rule has an indirect thing."""
    if direct:
        if "directIndirect" in verb.rules:
            return Code.FORM_UNSUPPORTED_RELATION, "directIndirect"
        return Code.FORM_NOT_SUPPORTED, None  # each of the roles, but not both together
    if "indirect" in verb.rules and "directIndirect" not in accepting:
        return Code.FORM_UNSUPPORTED_RELATION, "indirect"
    return Code.FORM_MISSING_DIRECT, "directIndirect"


def dangling(
    verb: VerbDeclaration, accepting: set[RuleKey], *, direct: bool
) -> tuple[Code, RuleKey | None]:
    """A relation was said with nothing after it."""
    if direct:
        if "directIndirect" in verb.rules:
            return Code.FORM_MISSING_INDIRECT, "directIndirect"
        code = Code.FORM_NOT_SUPPORTED if accepting else Code.FORM_UNSUPPORTED_RELATION
        return code, None
    if "indirect" in accepting:
        return Code.FORM_MISSING_INDIRECT, "indirect"
    if "directIndirect" in accepting:
        return Code.FORM_MISSING_DIRECT, "directIndirect"
    return Code.FORM_UNSUPPORTED_RELATION, first_of(verb, "relationOnly", *HAS_INDIRECT)


def first_of(verb: VerbDeclaration, *keys: RuleKey) -> RuleKey | None:
    """Give the first of some rules that a verb has."""
    return next((key for key in keys if key in verb.rules), None)


def details_of(parsed: ParsedCommand, verb: VerbDeclaration, rule: RuleKey | None) -> Details:
    """Tell a failure of form; the relations accepted are those of the rule that comes nearest."""
    form = None if rule is None else verb.rules.get(rule)
    return Details(
        verb=parsed.verb,
        relation=parsed.relation_token_raw,
        accepted=() if form is None else tuple(dict.fromkeys(form.accepted_relations)),
        rules=tuple(sorted(verb.rules)),
    )


def wording(code: Code, parsed: ParsedCommand, accepted: Sequence[str]) -> str:
    """Put a failure of form into words that say what would work."""
    said = parsed.intent_token or parsed.verb
    ways = listed(list(accepted)) if accepted else ""
    match code:
        case Code.FORM_DIRECT_NOT_SUPPORTED:
            return f"'{said}' takes no thing; {parsed.direct_span!r} is too much"
        case Code.FORM_INDIRECT_NOT_SUPPORTED:
            return f"'{said}' takes no second thing; {parsed.indirect_span!r} is too much"
        case Code.FORM_MISSING_DIRECT:
            return f"{said} what?"
        case Code.FORM_MISSING_INDIRECT:
            thing = f" {parsed.direct_span}" if parsed.direct_span else ""
            return f"{said}{thing} {parsed.relation_token_raw or ways} what?"
        case Code.FORM_MISSING_RELATION:
            return f"'{said}' needs one of these words: {ways}"
        case Code.FORM_UNSUPPORTED_RELATION if ways:
            return f"'{said}' does not go with {parsed.relation_token_raw!r}, but with {ways}"
        case Code.FORM_UNSUPPORTED_RELATION:
            return f"'{said}' does not go with {parsed.relation_token_raw!r}"
        case _:
            return f"'{said}' cannot be said like this"

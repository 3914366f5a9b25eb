"""What of a model's answer is believed: goals of the table, in the user's own words.

Pure. The model is never trusted for a value, a selector, an id or an order: values are taken from
where they stand in the text, the order follows from what goals act on, and scopes go through the
same resolution as everybody's. One goal that cannot be believed refuses the whole answer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from actors.interpreter.model.answer import SAID, ModelAnswer, ModelGoal, Unsupported
from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.ordering import in_order
from actors.interpreter.model.said import Said
from actors.interpreter.model.schema import Rules, offered
from actors.words import ARTICLES, fold
from messages.goals import GoalDraft
from messages.message import Scalar, Value
from messages.rules import Parameter, Rule, SearchEngine

SELECTOR_MARKS = frozenset("#.[]>:=*/@")
SHOWN = 80
HTTPS = "https://"

_decode = msgspec.json.Decoder(ModelAnswer).decode


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is not believed, and why; ``final`` if asking again could not help."""

    reason: str
    final: bool = False


class Unbelieved(Exception):
    """Something in an answer that the words or the table do not bear out."""


Validation: TypeAlias = tuple[GoalDraft, ...] | Refusal


@dataclass(frozen=True, slots=True)
class Table:
    """What answers are checked against."""

    rules: Rules
    engines: Mapping[str, SearchEngine]


def validated(text: str, answer: str, table: Table) -> Validation:
    """Turn an answer about a text into goals, or say why it is refused."""
    try:
        decoded = _decode(answer).answer
    except msgspec.DecodeError as error:
        return Refusal(f"the answer is not of the form: {error}")
    if isinstance(decoded, Unsupported):
        return Refusal(SAID[decoded.why], final=True)
    if not decoded.goals:
        return Refusal("there are no goals in it")
    said = Said.of(text)
    try:
        drafts = [drafted(goal, said, table) for goal in decoded.goals]
        check_nothing_is_lost(said, drafts)
    except Unbelieved as problem:
        return Refusal(str(problem))
    return in_order(drafts, table.rules)


def drafted(goal: ModelGoal, said: Said, table: Table) -> GoalDraft:
    """Turn one goal into a draft in the user's own words."""
    rule = table.rules.get((goal.domain, goal.verb))
    if rule is None:
        raise Unbelieved(f"there is no verb {cropped(goal.name())}")
    check_wanted(goal, rule, said)
    params = {name: checked(name, value, rule, said, table) for name, value in stated(goal, rule)}
    roles = {role: phrase(role, words, rule, said) for role, words in goal.phrases().items()}
    params, roles = as_roles(params, roles, rule, said)
    check_required(goal.name(), rule, params, roles)
    scope = tuple(place(each, said) for each in goal.scopes() if each not in {"", "root"})
    return GoalDraft(goal.domain, goal.verb, params, roles, scope=scope or "root")


def check_wanted(goal: ModelGoal, rule: Rule, said: Said) -> None:
    """Refuse a goal that the words ask about, or say is not to be done."""
    if rule.action_class == "actuate" and said.asks():
        raise Unbelieved(f"a question does not ask for {goal.name()}")
    if not said.negates():
        return
    names = (name.rpartition(".")[2].replace("_", " ") for name in (goal.verb, *rule.aliases))
    if not any(said.spelled(name) is not None for name in names):
        raise Unbelieved(
            f"some of it is negated, and {goal.name()} is not said by its name besides"
        )


def stated(goal: ModelGoal, rule: Rule) -> Iterator[tuple[str, Scalar | tuple[Scalar, ...]]]:
    """Give the parameters of a goal that have values; all must be the verb's own."""
    known = offered(rule)
    for name, value in goal.stated().items():
        if name not in known:
            raise Unbelieved(f"{goal.name()} has no parameter {cropped(name)}")
        yield name, value


def checked(
    name: str, value: Scalar | tuple[Scalar, ...], rule: Rule, said: Said, table: Table
) -> Value:
    """Give a value, or a list of them, as the user said it."""
    parameter = rule.params[name]
    if not isinstance(value, tuple):
        return believed(name, value, parameter, said, table)
    if not parameter.each or not value:
        raise Unbelieved(f"{name} takes one value")
    return tuple(believed(name, each, parameter, said, table) for each in value)


def believed(name: str, value: Scalar, parameter: Parameter, said: Said, table: Table) -> Scalar:
    """Give one value as the user said it; refuse what was not said."""
    if (problem := parameter.problem(value)) is not None:
        raise Unbelieved(f"{name}: {cropped(problem)}")
    if value == parameter.default or parameter.allowed:
        return value
    if isinstance(value, str):
        return own_words(name, value, parameter, said, table)
    heard = name in fold(said.plain) if isinstance(value, bool) else value in said.numbers()
    if not heard:
        raise Unbelieved(f"{name}: {value!r} was not said")
    return value


def own_words(name: str, value: str, parameter: Parameter, said: Said, table: Table) -> str:
    """Give a text in the user's own spelling, or a site by the name the table has for it."""
    found = (
        said.spelled(value) or said.spelled(value.removeprefix(HTTPS)) or site(value, said, table)
    )
    if found is None:
        raise Unbelieved(f"{name}: {cropped(value)} is not in the words")
    if fold(found) in CAUTIONS.pronouns.words and not said.quotes(found):
        raise Unbelieved(f"{name}: {found!r} is no name; give it as a role")
    if parameter.place and fold(found).split()[0] in ARTICLES and not said.quotes(found):
        raise Unbelieved(f"{name}: {cropped(found)} is no name; leave out the article")
    return found


def site(value: str, said: Said, table: Table) -> str | None:
    """Give a site of the table that was said by its name."""
    host = fold(value).removeprefix(HTTPS).removeprefix("www.").rstrip("/")
    for name, engine in table.engines.items():
        if (host == name or host in engine.hosts) and said.spelled(name) is not None:
            return host
    return None


def phrase(role: str, words: str, rule: Rule, said: Said) -> str:
    """Give the words of a role in the user's own spelling."""
    if role not in rule.roles:
        raise Unbelieved(f"there is no role {cropped(role)} here")
    found = said.spelled(words)
    if found is None:
        raise Unbelieved(f"{role}: {cropped(words)} is not in the words")
    return found


def as_roles(
    params: Mapping[str, Value], roles: Mapping[str, str], rule: Rule, said: Said
) -> tuple[dict[str, Value], dict[str, str]]:
    """Take words that stand where a selector belongs for what they are: words for a thing."""
    values, phrases = dict(params), dict(roles)
    for name, value in params.items():
        role = rule.params[name].role
        if role is None or rule.params[name].place or name != "selector":
            continue
        if not (isinstance(value, str) and SELECTOR_MARKS & set(value) and said.holds(value)):
            phrases.setdefault(role, str(values.pop(name)))
    return values, phrases


def check_required(
    name: str, rule: Rule, params: Mapping[str, Value], roles: Mapping[str, str]
) -> None:
    """Refuse a goal without what it needs; a role can stand in for a value."""
    for needed in rule.required():
        role = rule.params[needed].role
        if needed not in params and (role is None or role not in roles):
            raise Unbelieved(f"{name} needs {needed}" + (f", or the role {role}" if role else ""))


def place(scope: str, said: Said) -> str:
    """Give a scope with its place in the user's own spelling; the order is resolved elsewhere."""
    kind, _, target = scope.partition(":")
    if kind == "after":
        return scope
    if kind not in {"inside", "drive"}:
        raise Unbelieved(f"{cropped(scope)} is not a scope")
    found = said.spelled(target)
    if found is None or fold(found) in CAUTIONS.pronouns.words:
        raise Unbelieved(f"scope: {cropped(target)} is not in the words")
    return f"{kind}:{found}"


def check_nothing_is_lost(said: Said, drafts: list[GoalDraft]) -> None:
    """Refuse goals that leave out a quoted text, an address, a file or a number that was said."""
    used = fold(" ".join(everything(drafts)))
    for literal in said.literals():
        if fold(literal) not in used:
            raise Unbelieved(f"{cropped(literal)} was said, and no goal has it")


def everything(drafts: list[GoalDraft]) -> Iterator[str]:
    """Give all values, roles and scopes of goals as text."""
    for draft in drafts:
        for value in draft.params.values():
            yield from map(str, value if isinstance(value, tuple) else (value,))
        yield from draft.roles.values()
        yield from (draft.scope,) if isinstance(draft.scope, str) else draft.scope


def cropped(text: str) -> str:
    """Quote what a model wrote, no longer than a person wants to read."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")

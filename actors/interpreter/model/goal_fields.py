"""One goal of a model's answer, field by field: what of it the user's words bear out. Pure.

Which parameters a verb has, which it needs and of what type they are is the Planner's to say: what
the table does not have passes as it stands, and is refused there. Here it is only checked that
nothing is invented. A text, a name, an address, a number must have been said, and is taken in the
user's own spelling. A field that was not said is dropped with a warning, unless the goal would
then be about something else: then the goal is not believed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from actors.interpreter.model.answer import ModelGoal
from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.schema import Rules
from actors.interpreter.model.source_text import SourceText
from actors.language.words import ARTICLES, fold
from actors.sites import SITES
from messages.goals import GoalDraft, ScopeWarning
from messages.message import Scalar, Value
from messages.rules import Parameter, Rule, SearchEngine

SELECTOR_MARKS = frozenset("#.[]>:=*/@")
SHOWN = 80
SCHEME = re.compile(r"https?://")
GOAL_ID = re.compile(r"g\d{1,4}", re.ASCII)
PLACES = frozenset({"inside", "drive"})
# A parameter of a verb that the table does not have: it may be of any type.
FREE = Parameter(each=True)
# A place that nobody said is stated as one that does not exist: the goal is blocked.
NO_PLACE = "in"


class Unbelieved(Exception):
    """Something in an answer that the user's words do not bear out."""


@dataclass(frozen=True, slots=True)
class Table:
    """What answers are checked against; ``names`` are the rules by all names that they go by."""

    rules: Rules
    engines: Mapping[str, SearchEngine]
    names: Rules = field(init=False)

    def __post_init__(self) -> None:
        aliases = {
            alias_key(alias, domain): rule
            for (domain, _), rule in self.rules.items()
            for alias in rule.aliases
        }
        object.__setattr__(self, "names", {**aliases, **self.rules})


def alias_key(alias: str, domain: str) -> tuple[str, str]:
    """Give the domain and verb of an alias, which may name a domain of its own."""
    head, dot, tail = alias.partition(".")
    return (head, tail) if dot else (domain, head)


@dataclass(slots=True)
class GoalReader:
    """Reads one goal; notes what it drops, and why the model may be asked to say it better."""

    goal: ModelGoal
    index: int
    source: SourceText
    table: Table
    earlier: list[GoalDraft]
    warnings: list[ScopeWarning] = field(default_factory=list)
    objection: str = ""
    rule: Rule | None = field(init=False)

    def __post_init__(self) -> None:
        self.rule = self.table.names.get(self.goal.key())

    def draft(self) -> GoalDraft:
        """Give the goal in the user's own words."""
        domain, verb = self.goal.key()
        if not domain or not verb:
            raise Unbelieved(f"{cropped(self.goal.name())} is no verb; write domain.verb")
        self.check_wanted()
        roles, unsaid_roles = self.roles()
        takes = self.takes()
        params, unsaid = self.params(takes)
        self.move_words(params, roles)
        self.prefer_roles(params, roles)
        self.drop_roles(unsaid_roles, params)
        self.drop_params(unsaid, roles)
        scope = tuple(self.scope(each) for each in self.goal.scopes() if each not in {"", "root"})
        return GoalDraft(domain, verb, params, roles, scope=scope or "root", takes=takes)

    def check_wanted(self) -> None:
        """Refuse a goal that the words ask about, or say is not to be done."""
        name, observes = self.goal.name(), self.rule and self.rule.action_class == "observe"
        if not observes and self.source.asks():
            raise Unbelieved(f"a question does not ask for {cropped(name)}")
        if not self.source.negates():
            return
        verbs = (self.goal.key()[1], *(self.rule.aliases if self.rule else ()))
        spoken = (verb.rpartition(".")[2].replace("_", " ") for verb in verbs)
        if not any(self.source.spelled(each) is not None for each in spoken):
            raise Unbelieved(
                f"some of it is negated, and {cropped(name)} is not said by its name besides"
            )

    def warn(self, what: str, reason: str) -> None:
        """Note that something is dropped."""
        self.warnings.append(ScopeWarning(f"g{self.index}", what, "warning", reason))

    # Values

    def params(self, takes: Mapping[str, str]) -> tuple[dict[str, Value], dict[str, str]]:
        """Give the parameters as the user said them, and why others are not believed."""
        params: dict[str, Value] = {}
        unsaid: dict[str, str] = {}
        for name, value in self.goal.stated().items():
            if name in takes:
                self.warn(f"params.{name}", f"{name} is what {takes[name]} gives")
                continue
            try:
                params[name] = self.value(name, value)
            except Unbelieved as problem:
                unsaid[name] = str(problem)
        return params, unsaid

    def value(self, name: str, value: Scalar | tuple[Scalar, ...]) -> Value:
        """Give a value, or each of a list, as the user said it."""
        parameter = FREE if self.rule is None else self.rule.params.get(name)
        if parameter is None:
            return value  # for the Planner to refuse
        if not isinstance(value, tuple):
            return self.said_value(name, value, parameter)
        if not parameter.each:
            return value  # likewise
        return tuple(self.said_value(name, each, parameter) for each in value)

    def said_value(self, name: str, value: Scalar, parameter: Parameter) -> Scalar:
        """Give one value as the user said it; what the Planner refuses anyhow stays as it is."""
        if parameter is not FREE and (
            parameter.allowed or value == parameter.default or not parameter.accepts_type(value)
        ):
            return value
        if isinstance(value, str):
            return self.own_words(name, value, parameter)
        said = name in fold(self.source.plain) if isinstance(value, bool) else None
        if said or (said is None and value in self.source.numbers()):
            return value
        raise Unbelieved(f"{name}: {value!r} was not said")

    def own_words(self, name: str, value: str, parameter: Parameter) -> str:
        """Give a text in the user's own spelling, or a site that was said by its name."""
        source = self.source
        found = source.spelled(value) or source.spelled(bare_address(value))
        found = found or self.site(value) or self.numeral(value)
        if found is None:
            raise Unbelieved(f"{name}: {cropped(value)} is not in the words")
        if fold(found) in CAUTIONS.pronouns.words and not source.quotes(found):
            raise Unbelieved(f"{name}: {found!r} is no name; give it as a role")
        if parameter.place and fold(found).split()[0] in ARTICLES and not source.quotes(found):
            raise Unbelieved(f"{name}: {cropped(found)} is no name; leave out the article")
        return found

    def site(self, value: str) -> str | None:
        """Give the host of a well-known site, or of a search engine, that was said by its name."""
        host = bare_address(fold(value))
        engines = self.table.engines.items()
        hosts = [(name, known) for name, engine in engines for known in (name, *engine.hosts)]
        for name, known in (*SITES.hosts().items(), *hosts):
            if host == known and self.source.spelled(name) is not None:
                return host
        return None

    def numeral(self, value: str) -> str | None:
        """Give a number that was said in another notation."""
        try:
            return value if float(value) in self.source.numbers() else None
        except ValueError:
            return None

    def drop_params(self, unsaid: Mapping[str, str], roles: Mapping[str, str]) -> None:
        """Drop values that were not said, if what remains is whole."""
        for name, problem in unsaid.items():
            parameter = self.rule.params.get(name) if self.rule else None
            if parameter is not None and parameter.role not in roles and is_needed(parameter):
                raise Unbelieved(problem)
            self.warn(f"params.{name}", problem)

    # Words for things

    def roles(self) -> tuple[dict[str, str], dict[str, str]]:
        """Give the roles in the user's own spelling, and why others are not believed."""
        roles: dict[str, str] = {}
        unsaid: dict[str, str] = {}
        for role, words in self.goal.phrases().items():
            found = self.source.spelled(words)
            if found is None:
                unsaid[role] = f"{role}: {cropped(words)} is not in the words"
            else:
                roles[role] = found
        return roles, unsaid

    def move_words(self, params: dict[str, Value], roles: dict[str, str]) -> None:
        """Take words that stand where a selector belongs for what they are: words for a thing."""
        parameter = self.rule.params.get("selector") if self.rule else None
        value = params.get("selector")
        if parameter is None or parameter.role is None or not isinstance(value, str):
            return
        if parameter.role not in roles and not self.is_selector(value):
            roles[parameter.role] = value
            del params["selector"]

    def is_selector(self, value: str) -> bool:
        """Tell whether a value is a selector that the user spelled out."""
        return bool(SELECTOR_MARKS & set(value)) and self.source.holds(value)

    def prefer_roles(self, params: dict[str, Value], roles: dict[str, str]) -> None:
        """Drop a value for a parameter that a role says too: two answers to "which one?"."""
        for name, parameter in (self.rule.params if self.rule else {}).items():
            role = parameter.role
            if role is None or role not in roles or name not in params:
                continue
            value = params[name]
            if roles[role] == value and self.is_selector(value):
                del roles[role]  # both are the one selector that was spelled out
            else:
                del params[name]
                self.warn(f"params.{name}", f"the role {role} says it: {cropped(roles[role])}")

    def drop_roles(self, unsaid: Mapping[str, str], params: Mapping[str, Value]) -> None:
        """Drop words that were not said, where a value says the same."""
        for role, problem in unsaid.items():
            named = self.rule.params.items() if self.rule else ()
            if self.rule and not any(each.role == role and name in params for name, each in named):
                raise Unbelieved(problem)
            self.warn(f"roles.{role}", problem)

    # Other goals

    def takes(self) -> dict[str, str]:
        """Give the parameters that take the output of an earlier goal; of no other goal they can.

        Without what it was to take, a goal would write an empty text: nothing is dropped here.
        """
        taken = self.goal.taken()
        for name, goal in taken.items():
            if goal not in {f"g{index}" for index in range(self.index)}:
                raise Unbelieved(f"takes: {name} cannot be what {cropped(goal)} gives")
        return taken

    def scope(self, scope: str) -> str:
        """Give a scope with its place in the user's own spelling; all others are resolved later.

        A place that was not said is none: a goal that is put nowhere is blocked. Without the scope
        it would be done in a place that the model had not meant, and with it in one that the user
        had not.
        """
        kind, _, target = scope.partition(":")
        if kind.strip().casefold() not in PLACES or not target.strip():
            return scope
        found = self.source.spelled(target)
        if found is not None and fold(found) not in CAUTIONS.pronouns.words:
            return f"{kind}:{found}"
        if (made := self.made_before(target)) is not None:
            return f"{kind}:{made}"
        self.objection = f"scope: {cropped(target)} is not in the words"
        self.warn(scope, f"{scope!r} is not in the words: nothing is put there, nor elsewhere")
        return f"{NO_PLACE}:{target}"

    def made_before(self, target: str) -> str | None:
        """Give the id of the goal that made what "it" means, or that is named by its id."""
        if GOAL_ID.fullmatch(target):
            return target
        if fold(target) not in CAUTIONS.pronouns.words or self.source.spelled(target) is None:
            return None
        makers = [index for index, each in enumerate(self.earlier) if self.makes_folder(each)]
        return f"g{makers[-1]}" if makers else None

    def makes_folder(self, draft: GoalDraft) -> bool:
        """Tell whether something can be put inside of what a goal makes."""
        rule = self.table.names.get((draft.domain, draft.verb))
        implied = rule.aliases.get(draft.verb, {}) if rule else {}
        return {**draft.params, **implied}.get("object_type") == "folder" and draft.verb != "delete"


def bare_address(value: str) -> str:
    """Leave out what people do not say of an address.

    >>> bare_address("https://www.example.com/"), bare_address("notes.txt")
    ('example.com', 'notes.txt')
    """
    rest, changed = SCHEME.subn("", value, count=1)
    return rest.removeprefix("www.").rstrip("/") if changed or rest.startswith("www.") else value


def is_needed(parameter: Parameter) -> bool:
    """Tell whether a goal would be about something else without this value.

    That is so of a text that has no default (what is written, opened, asked for), and of whatever
    says which thing is meant, or where. A number or a choice is the table's if nobody said one.
    """
    names_thing = parameter.place or parameter.role is not None
    own_text = parameter.type == "text" and parameter.default is None
    return parameter.required or names_thing or own_text


def cropped(text: str) -> str:
    """Quote what a model wrote, no longer than a person wants to read."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")

"""Loading the planner's tables: rules and search engines are data, checked once when read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec

from messages.message import Scalar
from messages.rules import Rule, SearchEngine
from messages.verbs import VerbDeclaration

RuleKey: TypeAlias = tuple[str, str]
Implied: TypeAlias = Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Row:
    """A rule with what planning asks of it on every goal worked out once, when it is loaded."""

    key: RuleKey
    rule: Rule
    implied: Implied
    required: tuple[str, ...]
    defaults: Implied
    lists: tuple[str, ...]
    roles: frozenset[str]

    @classmethod
    def of(cls, key: RuleKey, rule: Rule, implied: Implied) -> "Row":
        lists = tuple(name for name, parameter in rule.params.items() if parameter.each)
        return cls(
            key, rule, implied, rule.required(), rule.defaults(), lists, frozenset(rule.roles)
        )


@dataclass(frozen=True, slots=True)
class RuleTable:
    """The rules by ``(domain, verb)``, and the aliases that lead to them."""

    rules: Mapping[RuleKey, Rule]
    aliases: Mapping[RuleKey, tuple[RuleKey, Implied]]
    rows: Mapping[RuleKey, Row] = field(init=False)

    def __post_init__(self) -> None:
        rows = {key: Row.of(key, rule, {}) for key, rule in self.rules.items()}
        for alias, (key, implied) in self.aliases.items():
            rows[alias] = Row.of(key, self.rules[key], implied)
        object.__setattr__(self, "rows", rows)

    def extended(self, domain: str, rules: Mapping[str, Rule]) -> "RuleTable":
        """Give the table with the verbs of one more domain; a name beats an alias, as ever."""
        own = {(domain, verb): rule for verb, rule in rules.items()}
        aliases: dict[RuleKey, tuple[RuleKey, Implied]] = {}
        for key, rule in own.items():
            for alias, implied in rule.aliases.items():
                if (domain, alias) not in own:
                    aliases.setdefault((domain, alias), (key, implied))
        return RuleTable({**self.rules, **own}, {**self.aliases, **aliases})

    def spoken(self, domain: str) -> dict[str, VerbDeclaration]:
        """Give the declarations of a domain's verbs that speak of things."""
        return {
            verb: rule.targets
            for (of, verb), rule in self.rules.items()
            if of == domain and rule.targets is not None
        }

    def find(self, domain: str, verb: str) -> Row | None:
        """Find the rule for a verb or one of its aliases."""
        return self.rows.get((domain, verb))

    def by_name(self) -> dict[str, Rule]:
        """Give the rules by the names that people know them by, such as ``file.create``."""
        return {".".join(key): rule for key, rule in self.rules.items()}

    def with_aliases(self) -> dict[RuleKey, Rule]:
        """Give the rules by every name they go by."""
        return {
            **self.rules,
            **{alias: self.rules[key] for alias, (key, _) in self.aliases.items()},
        }

    def verbs(self) -> dict[RuleKey, tuple[str, Rule]]:
        """Give, for every name, the verb as the table calls it, and its rule."""
        own = {key: (key[1], rule) for key, rule in self.rules.items()}
        others = {alias: (key[1], self.rules[key]) for alias, (key, _) in self.aliases.items()}
        return {**own, **others}


def parse_rules(text: str) -> RuleTable:
    """Read a rule table; ``ValueError`` names the row that is wrong."""
    try:
        domains = msgspec.toml.decode(text, type=dict[str, dict[str, Rule]])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"rule table: {error}") from None
    rules = {
        (domain, verb): rule for domain, verbs in domains.items() for verb, rule in verbs.items()
    }
    aliases: dict[RuleKey, tuple[RuleKey, Implied]] = {}
    for key, rule in rules.items():
        for alias, implied in rule.aliases.items():
            alias_key = qualify(alias, key[0])
            if alias_key in rules or alias_key in aliases:
                raise ValueError(f"rule table: the alias {'.'.join(alias_key)} is taken")
            if unknown := implied.keys() - rule.params.keys():
                raise ValueError(
                    f"rule table: {'.'.join(alias_key)} implies unknown {sorted(unknown)}"
                )
            aliases[alias_key] = (key, implied)
        for absorbed in rule.absorbs:
            if qualify(absorbed, key[0]) not in rules:
                raise ValueError(f"rule table: {'.'.join(key)} absorbs unknown {absorbed}")
    return RuleTable(rules, aliases)


def qualify(name: str, domain: str) -> RuleKey:
    """Read ``verb`` or ``domain.verb``.

    >>> qualify("launch", "app"), qualify("system.launch", "app")
    (('app', 'launch'), ('system', 'launch'))
    """
    head, dot, tail = name.partition(".")
    return (head, tail) if dot else (domain, head)


def parse_engines(text: str) -> dict[str, SearchEngine]:
    """Read the table of search engines."""
    try:
        return msgspec.toml.decode(text, type=dict[str, SearchEngine])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"search engines: {error}") from None


def bundled(name: str) -> str:
    """Read one of the tables that ship with the planner."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def planner_rules() -> RuleTable:
    """Give the rules that ship with Behest: ``PLANNER_RULES`` of the contract."""
    return parse_rules(bundled("rules.toml"))


@cache
def search_engines() -> Mapping[str, SearchEngine]:
    """Give the search engines that ship with Behest."""
    return parse_engines(bundled("engines.toml"))

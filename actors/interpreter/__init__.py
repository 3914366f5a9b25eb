"""Interpreter: words, or goals that a client drafted itself, become a MetaGoal.

The only authority for dependencies. An unknown verb passes (the Planner refuses it by name);
a clause that does not parse is answered as not understood. It never touches the world.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import assert_never

import anyio
import anyio.abc
import msgspec

from actors.interpreter.commands import PLAYED
from actors.interpreter.grammar import Doubt, Grammar, Misunderstanding, Understanding
from actors.interpreter.model.desk import Desk, Waiting
from actors.interpreter.scopes import Lookup, resolve_scopes
from actors.interpreter.words.lexicon import lexicon
from actors.interpreter.words.phrases import read_phrase
from actors.interpreter.words.splitting import completed, splitter_for
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Letter, Mailbox
from actors.vault import WITHHELD, Vault, discreet_goals, loggable, without_words
from actors.words import canonical, name_key
from messages import interpreting
from messages.goals import Goal, GoalDraft, MetaGoal
from messages.interpreting import (
    CHOOSE,
    Chosen,
    Doubtful,
    Interpret,
    Interpretation,
    Interpreted,
    NotSplit,
    NotUnderstood,
    ReadChoice,
    Split,
    SplitWords,
)
from messages.phrases import ParsedCommand
from messages.rules import Rule


@dataclass
class Interpreter:
    """Understands by grammar, and with a model's help if there is a ``desk`` for that.

    ``lookup`` finds the rule of a verb or alias.
    """

    grammar: Grammar
    lookup: Lookup
    vault: Vault
    desk: Desk | None = None
    log: ActorLogger = field(default_factory=lambda: logger_of("interpreter"))

    async def run(self, mailbox: Mailbox[interpreting.Inbox]) -> None:
        with self.desk or nullcontext():
            async with anyio.create_task_group() as tasks:
                while await mailbox.more():
                    with mailbox.turn as letters:
                        for letter in letters:
                            self.handle(letter, letter.message, tasks)
                tasks.cancel_scope.cancel()

    def handle(
        self,
        letter: Letter[interpreting.Inbox],
        request: interpreting.Inbox,
        tasks: anyio.abc.TaskGroup,
    ) -> None:
        match request:
            case Interpret(text=str(text)) if self.desk is not None:
                understanding = self.grammar.parse(text, on_page=request.on_page)
                entry = Waiting(letter, request, understanding)
                self.desk.take(entry, tasks, self.concluded)
            case Interpret():
                letter.answer(request, self.interpret(request))
            case SplitWords():
                letter.answer(request, split(request))
            case ReadChoice():
                letter.answer(request, choice(request))
            case unknown:
                assert_never(unknown)

    def interpret(self, request: Interpret) -> Interpretation:
        """Understand one command by the grammar."""
        if request.text is None:
            return self.order(request, request.drafts)
        understanding = self.grammar.parse(request.text, on_page=request.on_page)
        return self.concluded(request, understanding)

    def concluded(self, request: Interpret, understanding: Understanding) -> Interpretation:
        """Say what came of the words, whoever understood them."""
        match understanding:
            case Misunderstanding(span, message, suggestions):
                self.log.info("text.not_understood", span=span, reason=quoting(request, message))
                return NotUnderstood(request.command_id, span, message, suggestions)
            case Doubt(span, message, ways, polar):
                self.log.info("text.doubtful", span=span, reason=quoting(request, message))
                return Doubtful(request.command_id, message, ways, polar)
            case drafts:
                return self.order(request, drafts)

    def order(self, request: Interpret, drafts: tuple[GoalDraft, ...]) -> Interpretation:
        """Resolve the scopes of drafted goals, and trace what had to be dropped."""
        meta, warnings = resolve_scopes(drafts, self.lookup)
        if any(draft.roles or draft.words or draft.domain == PLAYED for draft in drafts):
            readings = self.read_roles(drafts, meta)
            if isinstance(readings, NotSplit):
                span = (0, len(request.text or ""))
                reason = quoting(request, readings.message)
                self.log.info("text.not_understood", span=span, reason=reason)
                return NotUnderstood(request.command_id, span, readings.message, readings.near)
            meta = discreet_goals(with_readings(meta, readings), self.vault)
        for warning in warnings:
            say = self.log.error if warning.severity == "error" else self.log.warning
            say(
                "scope.dropped", goal_id=warning.goal_id, scope=warning.scope, reason=warning.reason
            )
        self.log.info(
            "command.interpreted",
            meta_type=meta.meta_type,
            goals=[f"{goal.domain}.{goal.verb}" for goal in meta.goals],
            dependencies=meta.dependencies,
        )
        return Interpreted(request.command_id, meta, warnings)

    def read_roles(
        self, drafts: tuple[GoalDraft, ...], meta: MetaGoal
    ) -> dict[int, tuple[ParsedCommand, ...]] | NotSplit:
        """Read the words of every goal that speaks of things; an unknown verb passes."""
        readings = {}
        for index, draft in enumerate(drafts):
            verb, rule = self.lookup.get((draft.domain, draft.verb), ("", None))
            if rule is None or rule.targets is None:
                continue
            commands = self.grammar.commands.get(draft.domain)
            spoken = draft.words is not None or draft.domain == PLAYED
            if commands is not None and spoken:
                found = commands.readings(draft)
            else:
                found = by_roles(draft, meta.goals[index], verb, rule)
            if isinstance(found, NotSplit):
                return found
            readings[index] = found
        return readings


def by_roles(draft: GoalDraft, goal: Goal, verb: str, rule: Rule) -> tuple[ParsedCommand, ...]:
    """Read the roles of a goal as they were stated: the first is direct, the second indirect."""
    if not draft.roles:
        return ()
    spans = [draft.roles.get(role) or value_for(role, draft, rule) for role in rule.roles]
    phrases = [
        goal.roles.get(role) or (None if span is None else read_phrase(span, lexicon()))
        for role, span in zip(rule.roles, spans, strict=True)
    ]
    relation = draft.params.get("relation")
    said = relation if isinstance(relation, str) else unsaid_relation(rule, spans)
    parsed = ParsedCommand(
        intent_token=draft.verb,
        verb=verb,
        normalized_input=" ".join(filter(None, (draft.verb, spans[0], said, *spans[1:]))),
        direct_span=spans[0],
        direct=phrases[0],
        relation_token_raw=said,
        relation_token_canonical=said and canonical(said, {}),
        indirect_span=spans[1] if len(spans) > 1 else None,
        indirect=phrases[1] if len(spans) > 1 else None,
    )
    return (parsed,)


def value_for(role: str, draft: GoalDraft, rule: Rule) -> str | None:
    """Give the words for a role that was stated as a value instead."""
    for name, parameter in rule.params.items():
        value = draft.params.get(name)
        if parameter.role == role and isinstance(value, str):
            return value
    return None


def unsaid_relation(rule: Rule, spans: Sequence[str | None]) -> str | None:
    """Give the relation of two roles that were stated without one: the first that is accepted."""
    both = rule.targets.rules.get("directIndirect") if rule.targets is not None else None
    if both is None or len(spans) < len(("direct", "indirect")) or None in spans:
        return None
    return both.accepted_relations[0]


def with_readings(meta: MetaGoal, readings: Mapping[int, tuple[ParsedCommand, ...]]) -> MetaGoal:
    """Give goals the ways in which their words can be read."""
    goals = tuple(
        msgspec.structs.replace(goal, readings=readings.get(index, ()))
        for index, goal in enumerate(meta.goals)
    )
    return msgspec.structs.replace(meta, goals=goals)


def split(request: SplitWords) -> Split | NotSplit:
    """Split words by the verbs of a request; pure, nothing is kept."""
    splitter = splitter_for(request.verbs, request.options)
    if request.parsed is not None:
        readings = completed(request.parsed, splitter)
    else:
        readings = splitter.split(request.text or "")
    return readings if isinstance(readings, NotSplit) else Split(readings)


def is_said_again(reading: ParsedCommand, request: ReadChoice) -> bool:
    """Tell whether a command is the one that asked, but for the thing that was asked about."""

    def rest(command: ParsedCommand) -> tuple[str | None, ...]:
        other = command.indirect_span if request.role == "direct" else command.direct_span
        span = None if other is None else name_key(other)
        return command.verb, command.relation_token_canonical, span

    return rest(reading) in {rest(asked) for asked in with_roles(request.asked)}


def with_roles(readings: Sequence[ParsedCommand]) -> Sequence[ParsedCommand]:
    """Keep the readings that tell roles apart by a relation, if there are such."""
    return [reading for reading in readings if reading.relation_token_raw] or readings


def choice(request: ReadChoice) -> Chosen:
    """Read an answer as words for the thing that was asked about, or as a command about it."""
    phrases = [read_phrase(request.text, lexicon())]
    commands = splitter_for(request.verbs).split(request.text)
    if not isinstance(commands, NotSplit):
        direct = request.role == "direct"
        same = [each for each in with_roles(commands) if is_said_again(each, request)]
        roles = [reading.direct if direct else reading.indirect for reading in same]
        phrases = [*(phrase for phrase in roles if phrase is not None), *phrases]
    readings = tuple(
        ParsedCommand(
            CHOOSE, CHOOSE, normalized_input=phrase.text, direct_span=phrase.text, direct=phrase
        )
        for phrase in phrases
    )
    return Chosen(request.command_id, request.question, readings)


def quoting(request: Interpret, message: str) -> str:
    """Give a reason as it may be logged: it quotes the words that were not understood."""
    said = " ".join([request.text or "", *(draft.words or "" for draft in request.drafts)])
    return without_words(message) if loggable(said) == WITHHELD else message

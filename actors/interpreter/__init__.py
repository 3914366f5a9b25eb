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
from actors.interpreter.grammar import Doubt, Grammar, Misunderstanding
from actors.interpreter.model import Answer
from actors.interpreter.model.outcome import Offline, Outcome
from actors.interpreter.model.request_queue import RequestQueue, Waiting, outcome_with_answers
from actors.interpreter.model.validation import Understood
from actors.interpreter.scopes import Lookup, resolve_scopes
from actors.interpreter.telling import dropped_readings, understood_goals, way_told
from actors.interpreter.words.lexicon import lexicon
from actors.interpreter.words.phrases import read_phrase
from actors.interpreter.words.splitting import completed, splitter_for
from actors.language.file_deeds import says_several
from actors.language.taught import Expansion, Unclear, expand, is_call
from actors.language.words import canonical, name_key
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Letter, Mailbox
from actors.vault import (
    REFERENCE,
    WITHHELD,
    Vault,
    discreet_goals,
    loggable,
    showing_goals,
    without_words,
)
from messages import interpreting
from messages.goals import Goal, GoalDraft, MetaGoal, ScopeWarning
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
from messages.message import Value
from messages.phrases import ParsedCommand, Phrase
from messages.queries import FILTERS
from messages.rules import Rule

# What the grammar makes of words that it has no row for, if a page may have a control of that name.
USED = ("browser", "use")
WOULD_BE_SHOWN = (
    "it seems to say a secret in a name, an address or a search, where it would be shown and kept; "
    "a secret can be typed into a field, or be written into a file"
)


@dataclass
class Interpreter:
    """Understands by grammar, and with a model's help if there is a ``queue`` for that.

    ``lookup`` finds the rule of a verb or alias.
    """

    grammar: Grammar
    lookup: Lookup
    vault: Vault
    queue: RequestQueue | None = None
    log: ActorLogger = field(default_factory=lambda: logger_of("interpreter"))

    async def run(self, mailbox: Mailbox[interpreting.Inbox]) -> None:
        with self.queue or nullcontext():
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
            case Interpret(text=str(text)) if self.queue is not None and not self.is_taught(text):
                entry = Waiting(letter, request, self.read_offline(text, on_page=request.on_page))
                self.queue.take(entry, tasks, self.conclude)
            case Interpret():
                letter.answer(request, self.interpret(request))
            case SplitWords():
                letter.answer(request, split(request))
            case ReadChoice():
                letter.answer(request, choice(request, self.said_again(request)))
            case unknown:
                assert_never(unknown)

    def interpret(self, request: Interpret) -> Interpretation:
        """Understand one command by the grammar."""
        if request.text is None:
            return self.order(request, request.drafts)
        offline = self.read_offline(request.text, on_page=request.on_page)
        return self.conclude(request, offline.understanding, offline)

    def interpret_answered(self, request: Interpret, answers: Sequence[Answer]) -> Interpretation:
        """Understand one command once more, by what the model answered then."""
        text = request.text
        if text is None or self.queue is None or self.is_taught(text):
            return self.interpret(request)
        offline = self.read_offline(text, on_page=request.on_page)
        outcome = outcome_with_answers(text, offline, answers, self.queue)
        return self.conclude(request, outcome, offline)

    def is_taught(self, text: str) -> bool:
        """Tell whether a text asks for a recipe: no model is needed for that."""
        return self.grammar.read_taught(text) is not None

    def read_offline(self, text: str, *, on_page: bool) -> Offline:
        """Read a text by the grammar; tell whether some of it was only left to the page."""
        heard = self.grammar.read(text, on_page=on_page, without_page=not on_page)
        understanding = heard.understanding
        used = isinstance(understanding, tuple) and any(
            (draft.domain, draft.verb) == USED for draft in understanding
        )
        left_to_page = False
        if self.queue is not None and on_page and used:
            framed = self.grammar.parse(text, on_page=True, leave_to_page=False)
            left_to_page = isinstance(framed, Misunderstanding)
        noted = (heard.passed_over, heard.spans, heard.dropped)
        return Offline(understanding, left_to_page, *noted)

    def conclude(self, request: Interpret, outcome: Outcome, offline: Offline) -> Interpretation:
        """Say what came of the words, whoever understood them."""
        reply = self.reply_to(request, outcome)
        if not isinstance(reply, Interpreted):
            return reply
        is_offline = outcome is offline.understanding
        self.tell_goals(request, reply, offline if is_offline else Offline(()))
        if not is_offline or not offline.passed_over:
            return reply
        withheld = request.text is not None and loggable(request.text) == WITHHELD
        passed_over = (WITHHELD,) if withheld else offline.passed_over
        self.log.info("words.passed_over", words=passed_over)
        return msgspec.structs.replace(reply, passed_over=passed_over)

    def tell_goals(self, request: Interpret, reply: Interpreted, offline: Offline) -> None:
        """Log which words became which goals, and what else they could have meant."""
        dropped = dropped_readings(offline.dropped)
        self.log.info(
            "goals.understood",
            goals=understood_goals(reply.meta, request.text or "", offline.spans),
            **({"dropped": dropped} if dropped else {}),
        )

    def reply_to(self, request: Interpret, outcome: Outcome) -> Interpretation:
        match outcome:
            case Misunderstanding(span, message, suggestions):
                reason = quoting(request, message)
                self.log.info(
                    "text.not_understood", span=span, reason=reason, suggestions=suggestions
                )
                return NotUnderstood(request.command_id, span, reason, suggestions)
            case Doubt(span, message, ways, polar):
                reason = quoting(request, message)
                self.log.info("text.doubtful", span=span, reason=reason)
                shown = tuple(msgspec.structs.replace(way, text=loggable(way.text)) for way in ways)
                self.log.info("readings.doubted", readings=[way_told(way) for way in shown])
                return Doubtful(request.command_id, reason, shown, polar)
            case Understood(drafts, dropped):
                for each in dropped:
                    about = {"goal_id": each.goal_id, "field": each.scope, "reason": each.reason}
                    self.log.warning("model.field_dropped", **about)
                return self.order(request, drafts, dropped)
            case drafts:
                return self.order(request, drafts)

    def order(
        self,
        request: Interpret,
        drafts: tuple[GoalDraft, ...],
        dropped: tuple[ScopeWarning, ...] = (),
    ) -> Interpretation:
        """Resolve the scopes of drafted goals, and trace what had to be dropped."""
        expanded = self.expand_recipes(request, drafts)
        if isinstance(expanded, NotUnderstood):
            return expanded
        drafts = expanded.drafts
        meta, warnings = resolve_scopes(drafts, self.lookup)
        if showing_goals(meta):
            return self.refuse_secret(request)
        if any(draft.roles or draft.words or draft.domain == PLAYED for draft in drafts):
            readings = self.read_roles(drafts, meta)
            if isinstance(readings, NotSplit):
                span = (0, len(request.text or ""))
                reason = quoting(request, readings.message)
                self.log.info("text.not_understood", span=span, reason=reason)
                return NotUnderstood(request.command_id, span, reason, readings.near)
            meta = with_readings(meta, readings)
        meta = discreet_goals(meta, self.vault)
        if expanded.together:
            meta = msgspec.structs.replace(meta, together=expanded.together)
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
        return Interpreted(request.command_id, meta, (*dropped, *warnings))

    def expand_recipes(
        self, request: Interpret, drafts: tuple[GoalDraft, ...]
    ) -> Expansion | NotUnderstood:
        """Put the steps of recipes in the place of the goals that ask for them, if some do."""
        if not any(map(is_call, drafts)):
            return Expansion(drafts)
        cookbook = self.grammar.cookbook
        expanded = expand(drafts, {} if cookbook is None else cookbook.recipes())
        if isinstance(expanded, Unclear):
            reason = quoting(request, expanded.message)
            self.log.info("recipe.refused", reason=reason)
            return NotUnderstood(request.command_id, (0, len(request.text or "")), reason)
        self.log.info("recipe.expanded", recipes=expanded.names, steps=len(expanded.drafts))
        return expanded

    def refuse_secret(self, request: Interpret) -> NotUnderstood:
        """Refuse a secret in a name, an address or a search, however it came there."""
        span = (0, len(request.text or ""))
        self.log.info("text.not_understood", span=span, reason=WOULD_BE_SHOWN)
        return NotUnderstood(request.command_id, span, WOULD_BE_SHOWN, ())

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

    def said_again(self, request: ReadChoice) -> Sequence[ParsedCommand]:
        """Read an answer by the grammar, as one command of the domain that asked."""
        drafts = self.grammar.parse(request.text, on_page=request.on_page)
        if isinstance(drafts, Misunderstanding | Doubt) or len(drafts) != 1:
            return ()
        if drafts[0].domain != request.domain or differs(drafts[0].params, request.params):
            return ()
        meta, _ = resolve_scopes(drafts, self.lookup)
        readings = self.read_roles(drafts, meta)
        return () if isinstance(readings, NotSplit) else readings.get(0, ())


def differs(params: Mapping[str, Value], asked: Mapping[str, Value]) -> bool:
    """Tell whether a command says another value than the one that asked; secrets are unknown."""
    return any(
        value != asked.get(name) and not REFERENCE.fullmatch(str(asked.get(name)))
        for name, value in params.items()
    )


def by_roles(draft: GoalDraft, goal: Goal, verb: str, rule: Rule) -> tuple[ParsedCommand, ...]:
    """Read the roles of a goal as they were stated: the first is direct, the second indirect."""
    if not draft.roles:
        return ()
    spans = [draft.roles.get(role) or value_for(role, draft, rule) for role in rule.roles]
    phrases = [
        goal.roles.get(role) or (None if span is None else read_phrase(span, lexicon()))
        for role, span in zip(rule.roles, spans, strict=True)
    ]
    if spans[0] is not None and means_all(draft, rule, spans[0]):
        phrases[0] = Phrase(spans[0], quantifier="all")  # which are meant, the parameters say
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


def means_all(draft: GoalDraft, rule: Rule, words: str) -> bool:
    """Tell whether all things are meant that the parameters of a goal leave."""
    takes_sets = rule.params.keys() >= FILTERS and not FILTERS.isdisjoint(draft.params)
    return takes_sets and ("only" in draft.params or says_several(words))


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
        with_relation(msgspec.structs.replace(goal, readings=readings.get(index, ())))
        for index, goal in enumerate(meta.goals)
    )
    return msgspec.structs.replace(meta, goals=goals)


def with_relation(goal: Goal) -> Goal:
    """State a relation by the name that rules use: "into" is "in", in what is planned too."""
    said = goal.params.get("relation")
    if not isinstance(said, str) or not goal.readings:
        return goal
    return msgspec.structs.replace(goal, params={**goal.params, "relation": canonical(said, {})})


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


def choice(request: ReadChoice, said_again: Sequence[ParsedCommand] = ()) -> Chosen:
    """Read an answer as words for the thing that was asked about, or as a command about it.

    Commands are read by the verbs of a world, or ``said_again`` as the grammar reads them.
    """
    split = splitter_for(request.verbs).split(request.text)
    commands = [*said_again, *(() if isinstance(split, NotSplit) else split)]
    same = [each for each in with_roles(commands) if is_said_again(each, request)]
    same = same or [each for each in commands if is_said_again(each, request)]
    direct = request.role == "direct"
    roles = [reading.direct if direct else reading.indirect for reading in same]
    said = dict.fromkeys(phrase for phrase in roles if phrase is not None)
    phrases = [*said, read_phrase(request.text, lexicon())]
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

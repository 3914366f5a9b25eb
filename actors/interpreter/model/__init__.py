"""The other way to understand: a language model is asked for goals, and is believed only so far.

It sees our own tables and the user's words, nothing else. What it answers is checked against both,
corrected at most once, and kept for the next time the same words are said.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol, Self, TypeAlias

from actors.interpreter.model.cache import Cache, CacheKey, MemoryCache
from actors.interpreter.model.goal_fields import Table
from actors.interpreter.model.outcome import Opinion
from actors.interpreter.model.prompt import instructions
from actors.interpreter.model.schema import Rules, answer_schema
from actors.interpreter.model.validation import Refusal, Understood, validate_answer
from actors.logger import ActorLogger, logger_of
from actors.supervisor import contained
from messages.modelling import Answered, AskModel, Correction, ModelFailed
from messages.rules import SearchEngine

Answer: TypeAlias = Answered | ModelFailed
NO_ANSWER = ModelFailed("unreachable", "no answer of it is on record")


class Model(Protocol):
    """What the Interpreter needs of a language model. It never raises for what may go wrong."""

    @property
    def name(self) -> str: ...

    async def ask(self, request: AskModel) -> Answered | ModelFailed: ...


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything a model is told besides the words, made once from the tables."""

    table: Table
    instructions: str
    schema: str
    version: str

    @classmethod
    def of(cls, rules: Rules, engines: Mapping[str, SearchEngine]) -> Self:
        spoken = {key: rule for key, rule in rules.items() if not rule.unspoken}
        told, schema = instructions(spoken, engines), answer_schema(spoken)
        version = hashlib.sha256(f"{told}\0{schema}".encode()).hexdigest()[:16]
        return cls(Table(spoken, engines), told, schema, version)


@dataclass
class ModelReader:
    """Reads texts by asking a model, or from memory.

    ``heard`` is told of each text what was answered to it, just before that is made use of.
    """

    model: Model
    brief: Brief
    cache: Cache = field(default_factory=MemoryCache)
    heard: Callable[[str, tuple[Answer, ...]], None] = lambda _text, _answers: None
    log: ActorLogger = field(default_factory=lambda: logger_of("interpreter"))

    def recall(self, text: str) -> Understood | None:
        """Give what a model once answered to these words, if that is still believed.

        That it could do nothing is not remembered: the next model of that name may.
        """
        answer = self.cache.get(self.key(text))
        opinion = None if answer is None else validate_answer(text, answer, self.brief.table)
        if answer is None or not isinstance(opinion, Understood):
            return None
        self.heard(text, (Answered(answer),))
        self.trace_reuse()
        return opinion

    def trace_reuse(self) -> None:
        """Trace that an answer served once more, for nothing."""
        self.log.info("model.answered", cached=True, tokens_in=0, tokens_out=0, ms=0)

    async def read(self, text: str) -> Opinion:
        """Ask about a text. An answer that is not believed is sent back once, with the reason."""
        answer = await self.ask(text, None)
        opinion = self.judge(text, answer)
        objection = objection_to(opinion)
        if isinstance(answer, ModelFailed) or not objection:
            self.heard(text, (answer,))
            return opinion
        corrected = await self.ask(text, Correction(answer.text, objection))
        self.heard(text, (answer, corrected))
        return better_of(opinion, self.judge(text, corrected))

    def judge(self, text: str, answer: Answer) -> Opinion:
        """Check an answer, and keep it if it holds."""
        if isinstance(answer, ModelFailed):
            return answer
        opinion = validate_answer(text, answer.text, self.brief.table)
        objection = objection_to(opinion)
        if objection:
            self.log.warning("model.not_believed", reason=objection)
        elif isinstance(opinion, Understood):
            self.cache.put(self.key(text), answer.text)
        return opinion

    async def ask(self, text: str, correction: Correction | None) -> Answered | ModelFailed:
        """Make one request, and trace what it cost."""
        request = AskModel(self.brief.instructions, text, self.brief.schema, correction)
        about = {"model": self.model.name, "rules": self.brief.version}
        self.log.info("model.asked", corrected=correction is not None, **about)
        began = perf_counter()
        answer = await contained(self.model.ask(request), crashed)
        ms = round((perf_counter() - began) * 1000, 3)
        if isinstance(answer, ModelFailed):
            return self.trace_failure(answer, ms)
        tokens = {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out}
        cost = {} if answer.cost is None else {"cost": answer.cost}
        self.log.info("model.answered", cached=False, ms=ms, **tokens, **cost)
        return answer

    def trace_failure(self, failure: ModelFailed, ms: float = 0) -> ModelFailed:
        """Trace that there is no answer, and why."""
        self.log.warning("model.failed", reason=failure.reason, message=failure.message, ms=ms)
        return failure

    def key(self, text: str) -> CacheKey:
        return CacheKey(text, self.brief.version, self.model.name)


def opinion_of(text: str, answers: Sequence[Answer], table: Table) -> Opinion:
    """Say what is believed of the answers to a text: of the second one if the first is not."""
    first, *more = (
        each if isinstance(each, ModelFailed) else validate_answer(text, each.text, table)
        for each in answers or (NO_ANSWER,)
    )
    return better_of(first, more[0]) if more and objection_to(first) else first


def better_of(opinion: Opinion, corrected: Opinion) -> Opinion:
    """Say which holds after a correction: the first, if it can be used and no second came."""
    has_failed = isinstance(corrected, ModelFailed)
    return opinion if has_failed and isinstance(opinion, Understood) else corrected


def objection_to(opinion: Opinion) -> str:
    """Say why a model should answer again, if it should."""
    match opinion:
        case ModelFailed():
            return ""
        case Refusal(reason, final=False):
            return reason
        case Refusal():
            return ""
        case Understood(objection=objection):
            return objection


def crashed(error: Exception) -> ModelFailed:
    """Word the crash of the tool: it ends this request, not the Interpreter."""
    return ModelFailed("crashed", f"the model's tool crashed: {type(error).__name__}")

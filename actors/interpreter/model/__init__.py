"""The other way to understand: a language model is asked for goals, and is believed only so far.

It sees our own tables and the user's words, nothing else. What it answers is checked against both,
corrected at most once, and kept for the next time the same words are said.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol, Self

from actors.interpreter.model.cache import Cache, CacheKey, MemoryCache
from actors.interpreter.model.goal_fields import Table
from actors.interpreter.model.outcome import Opinion
from actors.interpreter.model.prompt import instructions
from actors.interpreter.model.schema import Rules, answer_schema
from actors.interpreter.model.validation import Refusal, Understood, Validation, validate_answer
from actors.logger import ActorLogger, logger_of
from actors.supervisor import contained
from messages.modelling import Answered, AskModel, Correction, ModelFailed
from messages.rules import SearchEngine


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
    """Reads texts by asking a model, or from memory."""

    model: Model
    brief: Brief
    cache: Cache = field(default_factory=MemoryCache)
    log: ActorLogger = field(default_factory=lambda: logger_of("interpreter"))

    def recall(self, text: str) -> Understood | None:
        """Give what a model once answered to these words, if that is still believed.

        That it could do nothing is not remembered: the next model of that name may.
        """
        answer = self.cache.get(self.key(text))
        opinion = None if answer is None else validate_answer(text, answer, self.brief.table)
        if not isinstance(opinion, Understood):
            return None
        self.trace_reuse()
        return opinion

    def trace_reuse(self) -> None:
        """Trace that an answer served once more, for nothing."""
        self.log.info("model.answered", cached=True, tokens_in=0, tokens_out=0, ms=0)

    async def read(self, text: str) -> Opinion:
        """Ask about a text. An answer that is not believed is sent back once, with the reason."""
        answer = await self.ask(text, None)
        if isinstance(answer, ModelFailed):
            return answer
        opinion = self.judge(text, answer)
        objection = objection_to(opinion)
        if not objection:
            return opinion
        answer = await self.ask(text, Correction(answer.text, objection))
        if not isinstance(answer, ModelFailed):
            return self.judge(text, answer)
        return opinion if isinstance(opinion, Understood) else answer

    def judge(self, text: str, answer: Answered) -> Validation:
        """Check an answer, and keep it if it holds."""
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


def objection_to(opinion: Validation) -> str:
    """Say why a model should answer again, if it should."""
    match opinion:
        case Refusal(reason, final=False):
            return reason
        case Refusal():
            return ""
        case Understood(objection=objection):
            return objection


def crashed(error: Exception) -> ModelFailed:
    """Word the crash of the tool: it ends this request, not the Interpreter."""
    return ModelFailed("crashed", f"the model's tool crashed: {type(error).__name__}")

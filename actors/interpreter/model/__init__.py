"""The other way to understand: a language model is asked for goals, and is believed only so far.

It sees our own tables and the user's words, nothing else. What it answers is checked against both,
corrected at most once, and kept for the next time the same words are said.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol, Self

from actors.interpreter.model.asked import not_to_be_asked
from actors.interpreter.model.cache import Cache, CacheKey, MemoryCache
from actors.interpreter.model.prompt import instructions
from actors.interpreter.model.schema import Rules, answer_schema
from actors.interpreter.model.settling import Opinion
from actors.interpreter.model.validating import Refusal, Table, Validation, validated
from actors.logger import ActorLogger, logger_of
from actors.supervisor import contained
from actors.vault import speaks_of_secret
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

    def may_be_asked(self, text: str, *, understood: bool) -> bool:
        """Tell whether a text is one that a model can help with."""
        return not_to_be_asked(text, understood=understood) is None

    def remembered(self, text: str) -> Opinion | None:
        """Give what a model once answered to these words, checked again; None if it never did."""
        answer = self.cache.get(self.key(text))
        if answer is None:
            return None
        self.reused()
        return validated(text, answer, self.brief.table)

    def reused(self) -> None:
        """Trace that an answer served once more, for nothing."""
        self.log.info("model.answered", cached=True, tokens_in=0, tokens_out=0, ms=0)

    async def read(self, text: str) -> Opinion:
        """Ask about a text. An answer that is not believed is sent back once, with the reason."""
        answer = await self.ask(text, None)
        if isinstance(answer, ModelFailed):
            return answer
        opinion = self.judged(text, answer)
        if not isinstance(opinion, Refusal) or opinion.final:
            return opinion
        answer = await self.ask(text, Correction(answer.text, opinion.reason))
        return answer if isinstance(answer, ModelFailed) else self.judged(text, answer)

    def judged(self, text: str, answer: Answered) -> Validation:
        """Check an answer, and keep it if it holds."""
        opinion = validated(text, answer.text, self.brief.table)
        if isinstance(opinion, Refusal) and not opinion.final:
            self.log.warning("model.not_believed", reason=opinion.reason)
        elif not speaks_of_secret(text):
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
            return self.failed(answer, ms)
        tokens = {"tokens_in": answer.tokens_in, "tokens_out": answer.tokens_out}
        cost = {} if answer.cost is None else {"cost": answer.cost}
        self.log.info("model.answered", cached=False, ms=ms, **tokens, **cost)
        return answer

    def failed(self, failure: ModelFailed, ms: float = 0) -> ModelFailed:
        """Trace that there is no answer, and why."""
        self.log.warning("model.failed", reason=failure.reason, message=failure.message, ms=ms)
        return failure

    def key(self, text: str) -> CacheKey:
        return CacheKey(text, self.brief.version, self.model.name)


def crashed(error: Exception) -> ModelFailed:
    """Word the crash of the tool: it ends this request, not the Interpreter."""
    return ModelFailed("crashed", f"the model's tool crashed: {type(error).__name__}")

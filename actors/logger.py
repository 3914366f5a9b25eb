"""An actor's logger, bound once: to look it up for each line costs as much as the line does."""

from typing import Any, Protocol

import structlog


class ActorLogger(Protocol):
    """What an actor says of its decisions: the event's name, and what it was about."""

    def info(self, event: str, **fields: Any) -> Any: ...

    def warning(self, event: str, **fields: Any) -> Any: ...

    def error(self, event: str, **fields: Any) -> Any: ...


def logger_of(actor: str) -> ActorLogger:
    """Give the logger of an actor, by the configuration of this moment."""
    logger: ActorLogger = structlog.get_logger().bind(actor=actor)
    return logger

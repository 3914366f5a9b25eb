"""An actor's logger, bound once: to look it up for each line costs as much as the line does."""

import structlog
from structlog.typing import FilteringBoundLogger


def logger_of(actor: str) -> FilteringBoundLogger:
    """Give the logger of an actor, by the configuration of this moment."""
    logger: FilteringBoundLogger = structlog.get_logger().bind(actor=actor)
    return logger

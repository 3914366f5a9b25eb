"""Which texts a model may be shown at all. What cannot be done here is not even asked about."""

import re

from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.said import Said

# Long texts cost tokens, and what a person commands is short.
MAX_ASKED = 4_000
MAX_WORDS = 400

NEVER = {
    "conditions are not supported": re.compile(CAUTIONS.never_asked.conditions, re.IGNORECASE),
    "schedules are not supported": re.compile(CAUTIONS.never_asked.schedules, re.IGNORECASE),
}


def not_to_be_asked(text: str, *, understood: bool = False) -> str | None:
    """Say why a model must not be asked about a text, or None.

    What the grammar has ``understood`` holds no condition, no schedule and something to do.
    """
    if len(text) > MAX_ASKED or len(text.split(maxsplit=MAX_WORDS + 1)) > MAX_WORDS:
        return "it is too long for the model"
    if understood:
        return None
    said = Said.of(text)
    for reason, pattern in NEVER.items():
        if pattern.search(said.plain):
            return reason
    if not said.words or said.all_negated():
        return "nothing is to be done"
    return None

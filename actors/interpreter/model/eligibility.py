"""Which texts a model may be shown at all. What cannot be done here is not even asked about."""

import re

from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.source_text import SourceText
from actors.language.words import fold
from actors.vault import REFERENCE, speaks_of_secret

# Long texts cost tokens, and what a person commands is short.
MAX_ASKED = 4_000
MAX_WORDS = 400

MAYBE_SECRET = "it may speak of a secret"  # noqa: S105 - it is a reason
SECRETS = re.compile(CAUTIONS.never_asked.secrets, re.IGNORECASE | re.DOTALL)
NEVER = {
    "conditions are not supported": re.compile(CAUTIONS.never_asked.conditions, re.IGNORECASE),
    "schedules are not supported": re.compile(CAUTIONS.never_asked.schedules, re.IGNORECASE),
}


def may_hold_secret(text: str) -> bool:
    """Tell whether a text may hold a secret in clear; a reference to one is none."""
    bare = fold(REFERENCE.sub(" ", text))
    return speaks_of_secret(bare) or SECRETS.search(bare) is not None


def reason_not_to_ask(text: str, *, understood: bool = False) -> str | None:
    """Say why a model must not be asked about a text, or None.

    What the grammar has ``understood`` holds no condition, no schedule and something to do. Words
    that may hold a secret never leave, whoever understood them: which of them it is cannot be told.
    """
    if may_hold_secret(text):
        return MAYBE_SECRET
    if len(text) > MAX_ASKED or len(text.split(maxsplit=MAX_WORDS + 1)) > MAX_WORDS:
        return "it is too long for the model"
    if understood:
        return None
    source = SourceText.of(text)
    for reason, pattern in NEVER.items():
        if pattern.search(source.plain):
            return reason
    if not source.words or source.all_negated():
        return "nothing is to be done"
    return None

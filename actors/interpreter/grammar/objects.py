"""Objects that were passed over: "delete the last row with the Delete button" is about that row.

A named control may be used for a stated end. But an end that is not lightly taken back, and is
about a thing that the control does not name, needs that thing: it must not be passed over.
"""

from collections.abc import Iterable, Mapping, Sequence

from actors.interpreter.grammar.little import LITTLE
from actors.language.words import ARTICLES, fold, words_of
from messages.goals import GoalDraft
from messages.rules import Rule

USE = ("browser", "use")
MEANS = LITTLE.means | {"by", "to"}


def find_lost_object(
    passed_over: Iterable[str], drafts: Sequence[GoalDraft], rules: Mapping[tuple[str, str], Rule]
) -> str | None:
    """Give words that were passed over and say what something weighty is done to, or None."""
    used = rules.get(USE)
    if used is None or not all(draft.domain == "browser" for draft in drafts):
        return None
    weighty = {verb for verbs in used.approval_words.values() for verb in verbs}
    named = {word for draft in drafts for text in said_in(draft) for word in words_of(fold(text))}
    return next((words for words in passed_over if loses_object(words, weighty, named)), None)


def said_in(draft: GoalDraft) -> Iterable[str]:
    yield from draft.roles.values()
    yield from (value for value in draft.params.values() if isinstance(value, str))


def loses_object(words: str, weighty: set[str], named: set[str]) -> bool:
    """Tell whether words speak of a weighty deed and of a thing that is not named elsewhere.

    Behind the control only what tells one thing from others counts: "to send the message" is plain.
    """
    tokens = words.split()
    is_behind = fold(tokens[0]) == "to"
    deed, *rest = tokens[1:] if is_behind and len(tokens) > 1 else tokens
    if fold(deed) not in weighty:
        return False
    left = [word for word in rest if not is_empty(word, named)]
    return any(is_telling(word) for word in left) if is_behind else bool(left)


def is_empty(word: str, named: set[str]) -> bool:
    folded = fold(word).strip(".,!")
    empty = ARTICLES | MEANS | LITTLE.empty | LITTLE.pointing | LITTLE.referring
    return folded in empty or folded in named


def is_telling(word: str) -> bool:
    """Tell whether a word is a name or a number."""
    return word[:1].isupper() or word[:1].isdigit() or word[:1] in "\"'“‘"

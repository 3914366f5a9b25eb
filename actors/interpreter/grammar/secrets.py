"""Words that may hold a secret: they are typed into a field, and are no name for a thing."""

from collections.abc import Iterable, Sequence

from actors.interpreter.grammar.context import Context
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import Tok
from actors.vault import speaks_of_secret

HINT = 'a secret is typed into a field; say "type ... into the password field"'


def may_hold_secret(context: Context, toks: Sequence[Tok]) -> bool:
    """Tell whether words speak of a secret and seem to say it: "unlock with pin 4711"."""
    return bool(secret_tokens(context, toks))


def secret_tokens(context: Context, toks: Sequence[Tok]) -> list[Tok]:
    """Give the words that seem to be a secret, where one is spoken of."""
    spoken = [at for at, token in enumerate(toks) if speaks_of_secret(token.key)]
    if not spoken:
        return []
    connected = any(token.key in LITTLE.saying_secret for token in toks)
    behind = {at + 1 for at in spoken}
    return [
        token
        for at, token in enumerate(toks)
        if is_unknown(context, token) and (connected or at in behind)
    ]


def shows_secret(context: Context, toks: Sequence[Tok], values: Iterable[str]) -> bool:
    """Tell whether what seems to be a secret stands where it would be logged and shown."""
    flagged = [
        token.quoted or token.key
        for token in secret_tokens(context, toks)
        if looks_secret(token.key) and not context.lexicon.is_file(token.key)
    ]
    shown = " ".join(values).casefold()
    return any(each.casefold() in shown for each in flagged)


def looks_secret(word: str) -> bool:
    """Tell whether a word is written like a secret, and like no word: with a digit or a sign.

    >>> [looks_secret(word) for word in ("hunter2", "zork-1", "managers")]
    [True, True, False]
    """
    return any(map(str.isdigit, word)) or not word.replace("'", "").isalpha()


def is_unknown(context: Context, token: Tok) -> bool:
    """Tell whether a word is none that holds sentences together, and not written like a name."""
    if token.quoted is not None:
        return True
    lexicon, table, word = context.lexicon, context.table, token.key
    if speaks_of_secret(word) or word in table.noise_words or word in table.frames:
        return False
    known = lexicon.grammatical | lexicon.labels | lexicon.relations | table.phrases.purposes.known
    if word in known or lexicon.is_some_kind(word):
        return False
    return not (token.capital and word.isalpha())

"""A user's own words from the settings: "standup" means a command, an address or a recipe.

They are read once, when the daemon starts: what is not understood then is refused with its reason.
"""

import re
from collections.abc import Mapping

from actors.interpreter.grammar import Doubt, Grammar, Misunderstanding
from actors.language.chores import pattern_of
from actors.language.taught import behind_lead, recipe_key
from messages.goals import GoalDraft, scopes
from messages.taught import DOMAIN, NAME, RUN, SLOT, Taught, TaughtStep

ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
GOING = "(go to|open|visit|show|show me|bring up) [the|my|our] {}"
LONGEST, MOST_SLOTS = 80, 3


class BadWord(ValueError):
    """A word of the user's own cannot be used; the message says why."""


def own_words(words: Mapping[str, str], grammar: Grammar) -> dict[str, Taught]:
    """Give what a user's own words mean, as recipes by the keys of their names."""
    found: dict[str, Taught] = {}
    for said, meaning in words.items():
        recipe = own_word(said, meaning, grammar)
        key = recipe_key(recipe.name)
        if key in found:
            raise BadWord(f"[phrases] {said!r}: it is said twice")
        found[key] = recipe
    return found


def own_word(said: str, meaning: str, grammar: Grammar) -> Taught:
    """Read one word of a user's own."""
    if (problem := saying_problem(said)) is not None:
        raise BadWord(f"[phrases] {said!r}: {problem}")
    slots = tuple(dict.fromkeys(SLOT.findall(said)))
    name = " ".join(said.split())
    says: tuple[str, ...] = (said,)
    if NAME in slots:
        raise BadWord(f"[phrases] {said!r}: no value can be called {{{NAME}}}")
    if ADDRESS.fullmatch(meaning.strip()):
        steps: tuple[TaughtStep, ...] | str = (
            TaughtStep("browser.navigate", params={"url": meaning.strip()}),
        )
        says = (GOING.format(said), said)
    else:
        steps = steps_of(meaning, grammar)
    if isinstance(steps, str):
        raise BadWord(f"[phrases] {said!r}: {steps}")
    used = {slot for step in steps for slot in step.slots()}
    if unknown := sorted(used.symmetric_difference(slots)):
        raise BadWord(f"[phrases] {said!r}: {{{unknown[0]}}} must stand in both, or in neither")
    return Taught(name, steps, says, asked=slots)


def steps_of(meaning: str, grammar: Grammar) -> tuple[TaughtStep, ...] | str:
    """Read a command as steps; what is wrong with it as text."""
    understanding = grammar.parse(meaning, leave_to_page=False)
    if not isinstance(understanding, tuple) and (rest := behind_lead(meaning)) is not None:
        return (TaughtStep(f"{DOMAIN}.{RUN}", params={NAME: rest}),)
    if not isinstance(understanding, tuple):
        understanding = grammar.parse(meaning, on_page=True, leave_to_page=False)
    if isinstance(understanding, tuple):
        return tuple(map(step_of, understanding))
    match understanding:
        case Misunderstanding(message=message):
            return f"{message}; write a command, an address, or do the RECIPE"
        case Doubt(message=message):
            return f"it could mean several things: {message}"


def step_of(draft: GoalDraft) -> TaughtStep:
    """Make a step of a goal; that steps are done in their order need not be said."""
    own = tuple(each for each in scopes(draft.scope) if each != "root" and "after:" not in each)
    scope = own[0] if len(own) == 1 else own or None
    return TaughtStep(
        f"{draft.domain}.{draft.verb}",
        draft.roles,
        draft.params,
        draft.words,
        draft.object,
        scope,
        draft.takes,
    )


def saying_problem(saying: str) -> str | None:
    """Say what is wrong with a way to say something, or None."""
    plain = re.sub(r"\([^()]*\)(?::\w+)?|\[[^\[\]]*\]|\{\w+\}", " ", saying)
    if not saying.strip() or len(saying) > LONGEST:
        return f"it must have 1 to {LONGEST} signs"
    if re.search(r"[()\[\]{}|]", plain):
        return "brackets do not match"
    if not re.search(r"\w", re.sub(r"\[[^\[\]]*\]|\{\w+\}", " ", saying)):
        return "it has no word of its own, and would mean everything"
    if len(re.findall(r"\{\w+\}", saying)) > MOST_SLOTS:
        return (
            f"it has more than {MOST_SLOTS} values"  # to try all ways to part them takes too long
        )
    try:
        pattern_of(saying)
    except re.error as error:
        return f"it cannot be read: {error}"
    return None

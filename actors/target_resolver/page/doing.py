"""What a page can do, said in its own words: "Follow Sea Watch", "Add the boots to the bag".

The words of a control's name stand in the sentence, in their order and from its beginning; what
is left over tells which of several such controls is meant, and must be there.
"""

from collections.abc import Sequence
from dataclasses import replace

from actors.target_resolver.page.describing import Wish
from actors.target_resolver.page.finder import ANY, STRONG, Choice, Finder
from actors.target_resolver.page.lexicon import lexicon
from actors.target_resolver.page.naming import EXACT, stem
from actors.target_resolver.page.relating import related
from actors.target_resolver.page.several import Fit, collapsed, nearest
from actors.target_resolver.page.sight import Seen, Sight
from actors.target_resolver.page.tokens import Token, tokens_of
from messages.pages import Affords

LISTS = frozenset({"combobox", "listbox"})
MOST_WORDS = 7  # of a name that is a command; longer ones are sentences
SMALL_PART = 40  # elements
USED = (Affords.CLICK | Affords.POINTER).value


def done_by(finder: Finder, text: str) -> Choice | None:
    """Find the control that does what was said; of several, the one that it was said of."""
    words = tokens_of(text)
    rests: dict[tuple[str, ...], list[Fit]] = {}
    for seen in finder.sight.seen:
        if not seen.visible or not seen.affords & USED or seen.affords & Affords.LABEL.value:
            continue
        rest = left_over(seen, words)
        if rest is not None:
            rests.setdefault(rest, []).append(Fit(seen, EXACT - len(rest)))
    for rest in sorted(rests, key=len):
        said = said_of(finder.sight, rests[rest], rest)
        fits = [used for fit in said if (used := of_list(finder.sight, fit, rest)) is not None]
        if fits:
            kept = nearest(finder.sight, collapsed(finder.sight, fits))
            return Choice(Wish(name=text), kept, kept[0].score)
    return None


def left_over(seen: Seen, words: Sequence[Token]) -> tuple[str, ...] | None:
    """Give the words beside a control's name; None if the words do not begin with it."""
    for name in (seen.key, *seen.others):
        wanted = name.split()
        if not wanted or len(wanted) > MOST_WORDS:
            continue
        rest: list[str] = []
        at = 0
        for token in words:
            if at < len(wanted) and not token.quoted and stem(token.key) == stem(wanted[at]):
                at += 1
            elif at == 0:
                break
            else:
                rest.append(token.text if not token.quoted else f'"{token.text}"')
        if at == len(wanted):
            return tuple(rest)
    return None


def said_of(sight: Sight, fits: list[Fit], rest: tuple[str, ...]) -> list[Fit]:
    """Keep the controls that belong to what else was said; that must be on the page."""
    words = lexicon()
    if all(word.casefold() in words.left_out for word in rest):
        return fits
    if rest[0].casefold() in words.by_means:
        return []  # "sign in with Google" is no "sign in" that belongs to Google
    while rest and rest[0].casefold() in words.left_out:
        rest = rest[1:]
    while rest and rest[-1].casefold() in words.left_out:
        rest = rest[:-1]
    told = Finder(sight, ANY, anchoring=True).best(" ".join(rest))
    if told is None or told.score < STRONG:
        return []
    anchors = [seen for seen in told.things if seen.kind != "button"]
    near = related(sight, [fit.seen for fit in fits], "for", anchors, every=False)
    kept = {seen.at for seen in near if any(are_close(sight, seen, each) for each in anchors)}
    return [fit for fit in fits if fit.seen.at in kept]


def of_lists(finder: Finder, choice: Choice | None, text: str) -> Choice | None:
    """Give the options that words name, where they were found to name lists of options."""
    if choice is None:
        return None
    words = tuple(token.text for token in tokens_of(text))
    fits = [of_list(finder.sight, fit, words) for fit in choice.fits]
    kept = [fit for fit in fits if fit is not None]
    return replace(choice, fits=kept) if kept else None


def of_list(sight: Sight, fit: Fit, rest: tuple[str, ...]) -> Fit | None:
    """Give the option that the rest of the words names, where a control is a list of options.

    To use a list without a word of which option is to do nothing: that is none.
    """
    options = [seen for seen in sight.inside(fit.seen.at) if seen.kind == "option"]
    if fit.seen.kind not in LISTS or not options:
        return fit
    said = [word.casefold() for word in rest]
    told = {stem(word) for word in said}
    named = [each for each in options if {stem(word) for word in each.key.split()} <= told]
    whole = [each for each in named if each.key and each.key in " ".join(said)]
    chosen = whole or named
    return Fit(chosen[0], fit.score) if len(chosen) == 1 else None


def are_close(sight: Sight, seen: Seen, anchor: Seen) -> bool:
    """Tell whether a small part of the page holds both, so that they surely belong together."""
    common = sight.common(seen.at, anchor.at)
    return common >= 0 and sight.ends[common] - common <= SMALL_PART

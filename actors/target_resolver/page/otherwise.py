"""Things told otherwise than by their names: by a title over them, a place, or what does it.

These are tried last, and only on a page that has settled: what is yet to come may be meant.
"""

from collections.abc import Sequence

from actors.language.describing import kind_at
from actors.language.lexicon import lexicon
from actors.language.tokens import Token, tokens_of, without_articles
from actors.language.words import key_of, singular
from actors.target_resolver.page.entries import said, words_over
from actors.target_resolver.page.finder import Choice, Finder
from actors.target_resolver.page.judging import DRAWN, LIKE
from actors.target_resolver.page.naming import BEGUN, EXACT, MOST_MORE
from actors.target_resolver.page.sight import PAIR, Seen
from actors.target_resolver.page.traits import ACTABLE


def told_otherwise(verb: str, text: str, finder: Finder) -> Choice | None:
    """Find what is told by its title, by its place, or by what it is done with."""
    choice = under_title(text, finder) if verb not in {"use", "read"} else None
    choice = choice or item_under(text, finder) or placed_at(text, finder)
    return choice or (means_of(text, finder) if verb in {"use", "click"} else None)


def under_title(text: str, finder: Finder) -> Choice | None:
    """Find what is named together with a word of the title it stands under: "the 7:00 alarm"."""
    tokens, words = tokens_of(text), lexicon()
    relating = {saying[0] for saying in words.relations if len(saying) == 1}
    leading = words.little | words.telling | words.whither | words.articles | relating
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        is_head = following is None or following.key in leading or not following.text.islower()
        if token.quoted or not token.text.islower() or token.key in leading or not is_head:
            continue  # only what says what a thing is may stand over it; "Day" tells which
        kept = [*tokens[:at], *tokens[at + 1 :]]
        while kept and not kept[0].quoted and kept[0].key in leading:
            kept = kept[1:]  # "the alarm at 17:00"
        choice = finder.best(" ".join(map(said, kept))) if kept else None
        if choice is None or len(choice.fits) != 1 or choice.score < BEGUN - MOST_MORE:
            continue
        if says_other(choice.things[0], kept):
            continue  # "Book the suite" is no other word for "Book the cabin"
        if singular(token.key) in words_over(finder.sight, choice.things[0]):
            return choice
    return None


def says_other(seen: Seen, tokens: Sequence[Token]) -> bool:
    """Tell whether a name has words that were not said; numbers and hours may be added."""
    told = {singular(part) for token in tokens for part in key_of(token.text).split()}
    if not any(map(str.isalpha, "".join(told))):
        return False  # only an hour or a number was said
    little = lexicon().little | lexicon().articles
    more = {singular(word) for word in seen.key.split() if word not in little} - told
    return any(any(map(str.isalpha, word)) for word in more)


def means_of(text: str, finder: Finder) -> Choice | None:
    """Find what something is done with: "the menu of web-1 with the three dots" opens by those."""
    tokens = tokens_of(text)
    joints = [at for at in range(1, len(tokens) - 1) if tokens[at].key in lexicon().means]
    if not joints or tokens[joints[-1]].quoted:
        return None
    if any(token.key in lexicon().repeating and not token.quoted for token in tokens):
        return None  # how often is not said of a thing
    kind = kind_at(tokens, len(tokens) - 1, 1, lexicon())
    if kind is None or kind.any or kind.holds:
        return None  # "the post with 12 reports" is not done with those
    thing, means = tokens[: joints[-1]], tokens[joints[-1] + 1 :]
    said_with = " ".join(map(said, means))
    click = Finder(finder.sight, lexicon().needs["click"])
    for begin in range(len(thing)):  # "close the dialog": the deed is no place
        place = " ".join(map(said, thing[begin:]))
        for told in (f"{said_with} in {place}", f"{said_with} in the row of {place}"):
            choice = click.best(told)
            if choice is not None and choice.what.relation and len(choice.fits) == 1:
                return choice
    return None


def placed_at(text: str, finder: Finder) -> Choice | None:
    """Find "the square in row 3 column 2", if something that can be used is called by its place."""
    tokens = without_articles(tokens_of(text), lexicon())
    if len(tokens) <= PAIR or tokens[0].quoted or tokens[1].key not in lexicon().placing:
        return None
    choice = finder.best(" ".join(map(said, tokens[PAIR:])))
    if choice is None or len(choice.fits) != 1 or choice.score < EXACT - LIKE:
        return None
    is_mere = tokens[0].text.islower() and choice.things[0].kind in DRAWN
    return choice if is_mere and choice.things[0].affords & ACTABLE else None


def item_under(text: str, finder: Finder) -> Choice | None:
    """Find "the third ingredient" in the list under "Ingredients"."""
    tokens = without_articles(tokens_of(text), lexicon())
    if len(tokens) != PAIR or tokens[0].key not in lexicon().ordinals or tokens[1].quoted:
        return None
    for heading in finder.sight.headings:
        if singular(heading.key) == tokens[1].key:
            return finder.best(f'{tokens[0].text} item under "{heading.element.name}"')
    return None

"""Lists and their options: which list is named, and which of its options; never another list's."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from actors.language.lexicon import lexicon
from actors.language.tokens import tokens_of
from actors.language.words import listed
from actors.target_resolver.page.deciding import split_list
from actors.target_resolver.page.entries import said
from actors.target_resolver.page.finder import ANY, STRONG, Finder
from actors.target_resolver.page.judging import LIKE
from actors.target_resolver.page.naming import BEGUN, EXACT
from actors.target_resolver.page.phases import phase_of
from actors.target_resolver.page.refusals import MOST_OPTIONS, Refusals
from actors.target_resolver.page.relating import inside as within
from actors.target_resolver.page.sight import CELLS, TITLE_KINDS, Seen, Sight, name_for
from actors.target_resolver.page.titled import is_list, row_control
from actors.target_resolver.page.traits import ACTABLE
from messages.failures import Target
from messages.pages import Affords
from messages.results import Code
from messages.targets import Failure, Phase
from messages.verbs import Role

Found: TypeAlias = tuple[tuple[Target, ...] | Failure, Phase]

SWAPPED = 3  # a name that hardly begins so is another's


@dataclass(frozen=True, slots=True)
class Lists:
    """Binds lists and options of one page; what is no list is bound ``by_words``."""

    sight: Sight
    verb: str
    refusals: Refusals
    by_words: Callable[[Role, str, Finder], Found]

    def named(self, text: str) -> Found:
        """Bind what an option is chosen from: a list, or a group of things to choose among."""
        need = lexicon().needs["set"]
        choice = Finder(self.sight, need).best(text)
        options = choice or Finder(self.sight, ANY).best(text)
        holders = {seen.parent for seen in options.things} if options is not None else set()
        if options is not None and all(seen.kind == "option" for seen in options.things):
            around = self.sight.seen[min(holders)]
            if len(holders) == 1 and around.affords & Affords.CHOOSE:  # known by what it shows
                return (self.sight.target(around),), phase_of("indirect", "its list", [around])
        if choice is None or choice.score < STRONG:
            return self.titled_list(text)
        return self.by_words("indirect", text, Finder(self.sight, need))

    def with_option(self, wanted: str) -> tuple[tuple[Target, ...], Phase] | None:
        """Bind the one of several lists that shows what is to be chosen."""
        choice = Finder(self.sight, lexicon().needs["select"]).best(wanted)
        if choice is None or len(choice.fits) != 1 or choice.score < EXACT - LIKE:
            return None
        around = self.sight.seen[choice.things[0].parent]
        if choice.things[0].kind != "option" or not around.affords & Affords.CHOOSE:
            return None
        return (self.sight.target(around),), phase_of("indirect", "the list that has it", [around])

    def chosen_in(
        self, text: str, bound: dict[Role, tuple[Target, ...]]
    ) -> tuple[tuple[Target, ...], Phase] | None:
        """Read "Family suite in Room" as an option of the list called Room, if there is one.

        The same words may stand elsewhere on the page: there they are not chosen.
        """
        for what, where in parted(text, lexicon().choosing):
            need = lexicon().needs["set"]
            choice = Finder(self.sight, need).best(where)
            sure = choice is not None and choice.score >= EXACT - LIKE and len(choice.fits) == 1
            if not sure or choice is None or not choice.things[0].affords & Affords.CHOOSE:
                continue
            target = self.sight.target(choice.things[0])
            several = self.options_in(what, choice.things[0])
            if several:
                bound["indirect"] = (target,)
                found_several = tuple(map(self.sight.target, several))
                return found_several, phase_of("direct", "several of the list", several)
            found, phase = self.option(what, target)
            if not isinstance(found, Failure):
                bound["indirect"] = (target,)
                return found, phase
        return None

    def options_in(self, text: str, around: Seen) -> list[Seen]:
        """Find each of several options that were named one after another, in one list."""
        parts = split_list(tokens_of(text))
        among = frozenset(seen.at for seen in self.sight.inside(around.at))
        finder = Finder(self.sight, ANY, among)
        choices = [finder.best(" ".join(map(said, part))) for part in parts] if among else []
        sure = [
            choice.things[0]
            for choice in choices
            if choice is not None and len(choice.fits) == 1 and choice.score >= EXACT - LIKE
        ]
        return sure if len(sure) == len(parts) > 1 else []

    def titled_list(self, text: str) -> Found:
        """Bind a list by the plain text before it, if that is all the page calls it."""
        choice = Finder(self.sight, ANY).best(text)
        if choice is not None and len(choice.fits) == 1:
            named = choice.things[0]
            is_title = named.kind in TITLE_KINDS
            control = row_control(self.sight, named, self.verb) if is_title else None
            if control is not None:
                return (self.sight.target(control),), phase_of("indirect", "by title", [control])
            if not is_list(named) and not is_title and choice.score < BEGUN - SWAPPED:
                # "the destination" is no button that swaps it with the origin.
                return self.refusals.missing("indirect", text), phase_of(
                    "indirect", "no list", [named]
                )
        return self.by_words("indirect", text, Finder(self.sight, ANY))

    def option(self, text: str, owner: Target) -> Found:
        """Bind an option of a list that was named; a list may show its options only when used."""
        named = around = self.sight.find(owner.id)
        if named is None or around is None:
            return (Target(f"text:{text}", text, "option"),), phase_of("direct", "by its text", [])
        if (
            around.kind in TITLE_KINDS | CELLS
            and not around.affords & ACTABLE
            and around.parent >= 0
        ):
            around = self.sight.seen[around.parent]
        inside = [
            seen for seen in self.sight.inside(around.at) if seen.kind not in {"wrap", "label"}
        ]
        finder = Finder(self.sight, ANY, frozenset(seen.at for seen in inside))
        choice = finder.best(text) if inside else None
        if choice is not None and len(choice.fits) == 1 and choice.score >= STRONG:
            return tuple(map(self.sight.target, choice.things)), phase_of(
                "direct", "in the list", choice.things, choice
            )
        if around.affords & (Affords.CHOOSE | Affords.CLICK | Affords.POINTER | Affords.EDIT):
            plain = text.strip().strip("\"'“”‘’")
            return (Target(f"text:{plain}", plain, "option"),), phase_of(
                "direct", "by its text", []
            )
        return self.further_option(text, named, inside)

    def further_option(self, text: str, title: Seen, inside: Sequence[Seen]) -> Found:
        """Bind an option that stands under the title of a list; never one of another list."""
        is_title = title.kind in TITLE_KINDS
        under = within(self.sight, self.sight.seen, title, titled=True, every=True)
        if is_title and under:
            finder = Finder(self.sight, lexicon().needs["select"], frozenset(under))
            return self.by_words("direct", text, finder)
        names = [seen.element.name for seen in inside if seen.affords & ACTABLE]
        hint = (
            f"; there is {listed([repr(name) for name in names[:MOST_OPTIONS]])}" if names else ""
        )
        message = f"{name_for(title)!r} has no {text!r}{hint}"
        failure = Failure(Code.TARGET_NOT_FOUND, message, self.refusals.details("direct", text))
        return failure, phase_of("direct", "not in the list", [title])


def parted(text: str, joints: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Part words at each joint that is not in quotes, the last first."""
    tokens = tokens_of(text)
    for at in range(len(tokens) - 2, 0, -1):
        if tokens[at].key in joints and not tokens[at].quoted:
            yield " ".join(map(said, tokens[:at])), " ".join(map(said, tokens[at + 1 :]))

"""From what was found on a page to bindings, questions and refusals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from actors.target_resolver.page.deciding import (
    TOGGLED,
    each_of,
    item_under,
    listed_in,
    means_of,
    placed_at,
    told_by,
    under_title,
    with_found,
    with_titled,
)
from actors.target_resolver.page.doing import done_by, of_lists, opened
from actors.target_resolver.page.entries import entry_of, said
from actors.target_resolver.page.finder import ANY, STRONG, Choice, Finder
from actors.target_resolver.page.judging import LIKE, MAYBE
from actors.target_resolver.page.lexicon import key_of, lexicon
from actors.target_resolver.page.naming import BEGUN, EXACT, UNNAMED
from actors.target_resolver.page.relating import HOLDERS
from actors.target_resolver.page.relating import inside as within
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import CELLS, Seen, Sight, name_for
from actors.target_resolver.page.tabs import tab_meant
from actors.target_resolver.page.telling import kind_word, phase_of, told_apart
from actors.target_resolver.page.titled import code_box, is_list, row_control
from actors.target_resolver.page.tokens import tokens_of
from actors.target_resolver.page.traits import ACTABLE
from actors.target_resolver.page.wishes import is_whole_page
from actors.words import listed, singular
from messages.pages import Affords, OpenTab, Page
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import (
    Binding,
    Details,
    Failure,
    Option,
    Options,
    Phase,
    Query,
    Reveal,
    Success,
    Target,
)
from messages.verbs import Role, RuleKey

MOST_OPTIONS = 20
NEAR = 3
ALIKE = 70.0
NEARLY_SO = 4  # what is hidden must be called so, or begin so
THE_PAGE = Target("page", "page", "page")
TITLES = frozenset({"legend", "heading", "label", "text", "caption", "paragraph", "term"})
OF_PAGES = frozenset(
    {"read", "scroll", "scroll_to", "screenshot", "copy", "select_text", "wait", "press"}
)
OF_THE_PAGE = frozenset({"text", "generic", "listitem", "box", "icon"})
POINTED = frozenset({"click", "double_click", "select"})
READ_UNDER = frozenset({"paragraph", "text", "list", "table", "definition", "status"})
DONE_BY_NAME = frozenset({"download"})
TITLED_VERBS = frozenset({"set", "check", "uncheck", "type", "clear"})


@dataclass(frozen=True, slots=True)
class PageFinding:
    """What one resolution on a page came to, and how."""

    outcome: Success | Failure
    phases: tuple[Phase, ...]
    reading: int = 0


def resolve_on_page(query: Query, page: Page) -> PageFinding:
    """Bind the roles of a command to elements of a page."""
    parsed = query.readings[0]
    sight = Sight(page)
    binder = PageBinder(sight, query.options, parsed, query.found)
    return binder.bound()


@dataclass
class PageBinder:
    """Binds the roles of one command on one page."""

    sight: Sight
    options: Options
    parsed: ParsedCommand
    found: str | None = None

    def bound(self) -> PageFinding:
        phases: list[Phase] = []
        targets: dict[Role, tuple[Target, ...]] = {}
        for role, phrase in self.roles():
            found, phase = self.role(role, phrase, targets)
            phases.append(phase)
            if isinstance(found, Failure):
                return PageFinding(found, tuple(phases))
            targets[role] = found
        return PageFinding(self.success(targets), tuple(phases))

    def said(self, role: Role, phrase: Phrase) -> str:
        """Give a role's words as they were typed: "Pay now" is a name, whatever "now" may mean."""
        parsed = self.parsed
        return (parsed.direct_span if role == "direct" else parsed.indirect_span) or phrase.text

    def roles(self) -> list[tuple[Role, Phrase]]:
        """Give the roles that have words; where a list is named, it comes before its option."""
        parsed = self.parsed
        roles: list[tuple[Role, Phrase]] = []
        if parsed.indirect is not None:
            roles.append(("indirect", parsed.indirect))
        if parsed.direct is not None:
            roles.append(("direct", parsed.direct))
        return roles

    def success(self, targets: dict[Role, tuple[Target, ...]]) -> Success:
        parsed = self.parsed
        indirect = targets.get("indirect")
        other = indirect[0] if indirect else None
        bindings = tuple(Binding(each, other) for each in targets.get("direct", ())) or (
            Binding(None, other),
        )
        rule: RuleKey = "directIndirect" if indirect else "direct" if targets else "intransitive"
        return Success(
            rule, parsed.verb, bindings, parsed.relation_token_raw, parsed.relation_token_canonical
        )

    def role(
        self, role: Role, phrase: Phrase, bound: dict[Role, tuple[Target, ...]]
    ) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind one role: by a choice that was made, by "it", by its words."""
        text = self.said(role, phrase)
        pinned = self.options.pinned.get(role, {}).get(text)
        if pinned is not None:
            return self.again(role, text, pinned)
        if phrase.pronoun is not None and self.options.recent.it is not None:
            seen = self.sight.find(self.options.recent.it)
            if seen is not None and self.parsed.verb in DONE_BY_NAME and not seen.element.href:
                return self.deed_on(role, text, seen)
            if seen is not None:
                return (self.sight.target(seen),), phase_of(
                    role, "bound by what was spoken of", [seen]
                )
        if self.parsed.verb in {"switch_tab", "close_tab"}:
            return self.tab(role, text)
        if self.parsed.verb in OF_PAGES and is_whole_page(text):
            return (THE_PAGE,), phase_of(role, "the page itself", [])
        owner = bound.get("indirect")
        if self.parsed.verb == "select" and role == "direct" and owner:
            return self.option(text, owner[0])
        need = lexicon().needs.get(self.parsed.verb, ANY)
        if role == "indirect" and self.parsed.verb == "select":
            found, phase = self.list_named(text)
            is_asked = isinstance(found, Failure) and found.code is Code.AMBIGUOUS_TARGET
            return (is_asked and self.list_with_option()) or (found, phase)
        if self.parsed.verb == "select" and (chosen := self.chosen_in(text, bound)) is not None:
            return chosen
        if role == "indirect":
            need = lexicon().needs["drop"] if self.parsed.verb == "drag" else ANY
        recent = self.options.recent.it
        spoken_of = None if recent is None else self.sight.find(recent)
        finder = Finder(self.sight, need, self.among(), spoken_of=spoken_of)
        return self.by_words(role, text, finder)

    def among(self) -> frozenset[int]:
        found = (self.sight.find(target) for target in self.options.among)
        return frozenset(seen.at for seen in found if seen is not None)

    def again(
        self, role: Role, text: str, target: str
    ) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind what a person chose, if it is still there."""
        seen = self.sight.find(target)
        if seen is None:
            failure = Failure(
                Code.TARGET_STALE, f"what was chosen for {text!r} is gone", self.details(role, text)
            )
            return failure, phase_of(role, "stale", [])
        shown = None if seen.visible else self.shown_first(role, text, seen)
        return shown or ((self.sight.target(seen),), phase_of(role, "as chosen", [seen]))

    def by_words(
        self, role: Role, text: str, finder: Finder
    ) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind words to the one element they mean."""
        text = as_measure(text) if self.parsed.verb == "read" else text
        choice = finder.best(text)
        if self.parsed.verb == "submit":
            choice = self.called_submit(text) or choice
        if self.parsed.verb == "use":
            strict = choice is None or choice.score < EXACT - LIKE or choice.wish.is_told
            choice = done_by(finder, text) if strict else of_lists(finder, choice, text)
            if choice is None and (thing := opened(text)) is not None:
                opener = replace(self, parsed=structs.replace(self.parsed, verb="click"))
                return opener.by_words(role, thing, Finder(self.sight, lexicon().needs["open"]))
        elif self.parsed.verb in DONE_BY_NAME and (named := self.named_deed(text)) is not None:
            choice = named
        elif choice is None or choice.score < STRONG:
            revealed = self.revealed(role, text, finder, choice)
            if revealed is not None:
                return revealed
        elif self.parsed.verb == "click" and choice.score < EXACT - LIKE:
            choice = of_lists(finder, choice, text) or choice
        if choice is not None and choice.score < UNNAMED - MAYBE:
            choice = self.usable(choice, finder)
        is_guess = choice is not None and choice.score < STRONG
        if choice is not None and is_guess and (choice.wish.every or self.sight.opened):
            many = choice.wish.every and choice.wish.name
            choice = None if many or self.sight.opened else choice  # neither is guessed at
        if choice is None and self.parsed.verb in {"select", "clear"}:
            choice = self.named_deed(text)
        if choice is None and self.options.among:
            choice = told_by(text, finder)
        if choice is None and self.sight.page.settled:  # what is yet to come may be meant
            choice = self.told_otherwise(text, finder)
        if choice is None and (each := each_of(self.parsed.verb, text, finder)):
            return tuple(map(self.sight.target, each)), phase_of(role, "each of them", each)
        if choice is None or not choice.fits:
            field = self.only_field(text, finder)
            if field is not None:
                return (self.sight.target(field),), phase_of(role, "the field in it", [field])
            titled = self.by_title(text, finder) or self.code(text)
            if titled is not None:
                return (self.sight.target(titled),), phase_of(role, "by its title", [titled])
            if (shut := self.shut(role, text, finder)) is not None:
                return shut
            return self.unfit(role, text, finder), phase_of(role, "nothing matched", [])
        choice = self.told_under(with_found(self.sight, self.found, choice))
        choice = with_titled(self.sight, self.parsed.verb, choice)
        phase = phase_of(role, f"{len(choice.fits)} matched", choice.things, choice)
        if choice.score < STRONG and not self.sight.page.settled and not choice.wish.is_told:
            message = f"only a faint match for {text!r} so far"
            return Failure(Code.TARGET_NOT_FOUND, message, self.details(role, text)), phase
        if len(choice.fits) == 1 and self.is_out_of_use(choice.things[0]):
            message = f"{name_for(choice.things[0])!r} is disabled"
            return Failure(Code.NOT_FEASIBLE, message, self.details(role, text)), phase
        if choice.wish.every or len(choice.fits) == 1 or self.reads_all(text, choice):
            return tuple(self.sight.target(self.used(seen)) for seen in choice.things), phase
        return self.ambiguous(role, text, choice), phase

    def told_otherwise(self, text: str, finder: Finder) -> Choice | None:
        """Find what is told by its title, by its place, or by what it is done with."""
        verb = self.parsed.verb
        choice = under_title(text, finder) if verb not in {"use", "read"} else None
        choice = choice or item_under(text, finder) or placed_at(text, finder)
        return choice or (means_of(text, finder) if verb in {"use", "click"} else None)

    def reads_all(self, text: str, choice: Choice) -> bool:
        """Tell whether "the cards in the To do column" are to be read: all of them."""
        kind = choice.wish.kind
        if self.parsed.verb not in {"read", "copy"} or kind is None or choice.wish.name:
            return False
        return any(token.key != kind.word == singular(token.key) for token in tokens_of(text))

    def told_under(self, choice: Choice) -> Choice:
        """Give what stands under a heading, where the words only name that: "the duration"."""
        seen = choice.things[0]
        is_title = seen.kind == "heading" and choice.wish.kind is None and not choice.wish.is_told
        if self.parsed.verb != "read" or not is_title or choice.score < EXACT - LIKE:
            return choice
        under = (self.sight.seen[at] for at in self.sight.section(seen.at))
        told = next((each for each in under if each.visible and each.kind in READ_UNDER), None)
        return choice if told is None else replace(choice, fits=[Fit(told, choice.score)])

    def usable(self, choice: Choice, finder: Finder) -> Choice | None:
        """Keep of faint matches only what the verb is for: a guess must at least make sense."""
        wanted = finder.need.must | finder.need.prefers
        signs = lexicon().signs
        kept = [
            fit
            for fit in choice.fits
            if not wanted or fit.seen.affords & wanted or fit.seen.element.name in signs
        ]
        return replace(choice, fits=kept) if kept else None

    def named_deed(self, text: str) -> Choice | None:
        """Find the control that is called what is to be done, with the thing it is said of."""
        use = Finder(self.sight, lexicon().needs["use"])
        verb = self.parsed.verb
        done = done_by(use, f"{verb} {text}")
        return done if done is not None and len(done.fits) == 1 else None

    def deed_on(
        self, role: Role, text: str, seen: Seen
    ) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind what does something with what a control was about: it is not pressed once more."""
        words = name_for(seen).split()
        for begin in range(len(words)):
            named = self.named_deed(" ".join(words[begin:]))
            if named is not None:
                found = tuple(map(self.sight.target, named.things))
                return found, phase_of(role, "what does it", named.things, named)
        return self.missing(role, text), phase_of(role, "nothing does it", [seen])

    def called_submit(self, text: str) -> Choice | None:
        """Find what is called just so, the verb included: "Submit review" submits the review."""
        click = Finder(self.sight, lexicon().needs["click"])
        named = (click.best(f"{verb} {text}") for verb in ("submit", "send"))
        sure = (choice for choice in named if choice and choice.score >= EXACT - LIKE)
        return next(sure, None)

    def only_field(self, text: str, finder: Finder) -> Seen | None:
        """Give the one field in what was named, or the one box, where that is what is used."""
        use = Affords.EDIT if self.parsed.verb in {"type", "clear"} else Affords.CHECK
        if not finder.need.must & use or self.parsed.verb not in {*TOGGLED, "type", "clear"}:
            return None
        holder = Finder(self.sight, ANY, finder.among).best(text)
        if holder is None or len(holder.fits) != 1 or holder.score < STRONG:
            return None
        named = holder.things[0]
        inside = self.sight.inside(named.at) if self.is_holder(named) else self.titled_by(named)
        fields = [seen for seen in inside if seen.visible and seen.affords & use]
        return fields[0] if len(fields) == 1 else None

    def titled_by(self, seen: Seen) -> Sequence[Seen]:
        """Give the entry that a heading is the title of, as that of a card is; nothing else."""
        return entry_of(self.sight, seen) if seen.kind == "heading" else ()

    def is_holder(self, seen: Seen) -> bool:
        return seen.kind in HOLDERS or seen.at in self.sight.entries

    def by_title(self, text: str, finder: Finder) -> Seen | None:
        """Give what a plain text is the title of: the one control of its row, or the choices in it.

        Pages without markup put "Theme" before three words that can be clicked.
        """
        if self.parsed.verb not in TITLED_VERBS:
            return None
        named = Finder(self.sight, ANY, finder.among).best(text)
        if named is None or len(named.fits) != 1 or named.score < BEGUN - LIKE:
            return None
        return row_control(self.sight, named.things[0], self.parsed.verb)

    def code(self, text: str) -> Seen | None:
        """Give where a code is typed that goes into several boxes."""
        return code_box(self.sight, text) if self.parsed.verb in {"type", "set"} else None

    def used(self, seen: Seen) -> Seen:
        """Give the control that a header or a cell is made of, or beside its title, if clicked."""
        if self.parsed.verb == "click" and seen.kind in TITLES and not seen.affords & ACTABLE:
            return row_control(self.sight, seen, self.parsed.verb) or seen
        if self.parsed.verb in TOGGLED and not seen.affords & Affords.CHECK:
            parts = (*self.sight.inside(seen.at), *entry_of(self.sight, seen))
            found = {part.at: part for part in parts if part.affords & Affords.CHECK}
            return next(iter(found.values())) if len(found) == 1 else seen
        if self.parsed.verb == "select" and not seen.affords & ACTABLE:
            boxes = [part for part in entry_of(self.sight, seen) if part.affords & Affords.CHECK]
            return boxes[0] if len(boxes) == 1 else seen  # a row is chosen by its box
        if self.parsed.verb != "click" or seen.kind not in {"columnheader", "rowheader", "cell"}:
            return seen
        inside = [each for each in self.sight.inside(seen.at) if each.affords & Affords.CLICK]
        return inside[0] if len(inside) == 1 and inside[0].key == seen.key else seen

    def is_out_of_use(self, seen: Seen) -> bool:
        """Tell whether the page says that something is disabled which a browser would click."""
        if self.parsed.verb not in POINTED or seen.kind not in OF_THE_PAGE:
            return False
        inside = [each for each in self.sight.inside(seen.at) if each.affords & Affords.CLICK]
        parts = inside if seen.kind == "listitem" and inside else [seen]
        return all("disabled" in part.element.states for part in parts)

    def revealed(
        self, role: Role, text: str, finder: Finder, faint: Choice | None
    ) -> tuple[Failure, Phase] | None:
        """Say what must be used first to see a thing that is there and cannot be seen."""
        hidden = finder.best(text, hidden=True)
        if hidden is None or not (
            hidden.score >= BEGUN - NEARLY_SO or self.are_called(hidden, text)
        ):
            return None
        if faint is not None and faint.score >= hidden.score:
            return None
        if len(hidden.fits) > 1:
            phase = phase_of(role, f"{len(hidden.fits)} are hidden", hidden.things, hidden)
            return self.ambiguous(role, text, hidden), phase
        return self.shown_first(role, text, hidden.things[0])

    def are_called(self, choice: Choice, text: str) -> bool:
        """Tell whether all that was found is called just so."""
        return all(seen.key == key_of(text) for seen in choice.things)

    def shut(self, role: Role, text: str, finder: Finder) -> tuple[Failure, Phase] | None:
        """Look for a thing as if all were open that can be, as a row of another page of a table."""
        if self.sight.opened or not any(seen.element.shown > 0 for seen in self.sight.seen):
            return None
        opened = replace(self, sight=Sight(self.sight.page, opened=True))
        found, _ = opened.by_words(role, text, Finder(opened.sight, finder.need))
        if isinstance(found, Failure) or len(found) != 1:
            return None
        seen = self.sight.find(found[0].id)
        return None if seen is None or seen.visible else self.shown_first(role, text, seen)

    def shown_first(self, role: Role, text: str, seen: Seen) -> tuple[Failure, Phase] | None:
        """Say what shows a thing that is hidden."""
        frame = self.sight.page.frames[seen.frame]
        revealer = self.sight.find(f"{frame.key}.{seen.element.shown}")
        if revealer is None or not revealer.visible:
            return None
        if self.is_coming(revealer):
            return self.missing(role, text), phase_of(role, "being shown", [seen])
        how, _, turns = seen.element.reveals.partition(":")
        reveal = Reveal(self.sight.target(revealer), how == "hover", int(turns or 1))
        details = Details(self.parsed.verb, role, text, reveal=reveal)
        message = f"{name_for(seen)!r} cannot be seen; {name_for(revealer)!r} shows it"
        return Failure(Code.TARGET_HIDDEN, message, details), phase_of(role, "hidden", [seen])

    def is_coming(self, revealer: Seen) -> bool:
        """Tell whether what shows a thing has just been used, so that it is about to be seen."""
        used = self.options.recent.it
        return (
            not self.sight.page.settled
            and used is not None
            and used == (self.sight.target(revealer).id)
        )

    def list_named(self, text: str) -> tuple[tuple[Target, ...] | Failure, Phase]:
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

    def list_with_option(self) -> tuple[tuple[Target, ...], Phase] | None:
        """Bind the one of several lists that shows what is to be chosen."""
        direct = self.parsed.direct
        wanted = None if direct is None else self.said("direct", direct)
        choice = (
            None if wanted is None else Finder(self.sight, lexicon().needs["select"]).best(wanted)
        )
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
        parts = listed_in(tokens_of(text))
        among = frozenset(seen.at for seen in self.sight.inside(around.at))
        finder = Finder(self.sight, ANY, among)
        choices = [finder.best(" ".join(map(said, part))) for part in parts] if among else []
        sure = [
            choice.things[0]
            for choice in choices
            if choice is not None and len(choice.fits) == 1 and choice.score >= EXACT - LIKE
        ]
        return sure if len(sure) == len(parts) > 1 else []

    def titled_list(self, text: str) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind a list by the plain text before it, if that is all the page calls it."""
        choice = Finder(self.sight, ANY).best(text)
        if choice is not None and len(choice.fits) == 1:
            named = choice.things[0]
            control = (
                row_control(self.sight, named, self.parsed.verb) if named.kind in TITLES else None
            )
            if control is not None:
                return (self.sight.target(control),), phase_of("indirect", "by title", [control])
            if not is_list(named) and named.kind not in TITLES and choice.score < BEGUN - NEAR:
                # "the destination" is no button that swaps it with the origin.
                return self.missing("indirect", text), phase_of("indirect", "no list", [named])
        return self.by_words("indirect", text, Finder(self.sight, ANY))

    def option(self, text: str, owner: Target) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind an option of a list that was named; a list may show its options only when used."""
        named = around = self.sight.find(owner.id)
        if named is None or around is None:
            return (Target(f"text:{text}", text, "option"),), phase_of("direct", "by its text", [])
        if around.kind in TITLES | CELLS and not around.affords & ACTABLE and around.parent >= 0:
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

    def further_option(
        self, text: str, title: Seen, inside: Sequence[Seen]
    ) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind an option that stands under the title of a list; never one of another list."""
        is_title = title.kind in TITLES
        under = within(self.sight, self.sight.seen, title, titled=True, every=True)
        if is_title and under:
            finder = Finder(self.sight, lexicon().needs["select"], frozenset(under))
            return self.by_words("direct", text, finder)
        names = [seen.element.name for seen in inside if seen.affords & ACTABLE]
        hint = (
            f"; there is {listed([repr(name) for name in names[:MOST_OPTIONS]])}" if names else ""
        )
        message = f"{name_for(title)!r} has no {text!r}{hint}"
        failure = Failure(Code.TARGET_NOT_FOUND, message, self.details("direct", text))
        return failure, phase_of("direct", "not in the list", [title])

    def tab(self, role: Role, text: str) -> tuple[tuple[Target, ...] | Failure, Phase]:
        """Bind one of the browser's tabs, by its title or by its number."""
        found = tab_meant(self.sight.page, text)
        if len(found) == 1:
            return (tab_target(found[0]),), phase_of(role, "a tab", [])
        details = self.details(role, text)
        if not found and self.parsed.verb == "switch_tab" and (on_page := self.tab_on_page(text)):
            return (self.sight.target(on_page),), phase_of(role, "a tab of the page", [on_page])
        if not found:
            titles = listed([tab.title for tab in self.sight.page.tabs] or ["no other"])
            return Failure(
                Code.TARGET_NOT_FOUND, f"no tab is called {text!r}; there is {titles}", details
            ), phase_of(role, "nothing matched", [])
        options = tuple(
            Option(at, tab.title, tab_target(tab)) for at, tab in enumerate(found, start=1)
        )
        message = f"Which tab do you mean: {listed([tab.title for tab in found])}?"
        return Failure(Code.AMBIGUOUS_TARGET, message, details, options), phase_of(
            role, "several tabs", []
        )

    def tab_on_page(self, text: str) -> Seen | None:
        """Give the one tab in the page that goes by these words: pages have tabs, too."""
        tabs = frozenset(seen.at for seen in self.sight.seen if seen.kind == "tab")
        choice = Finder(self.sight, lexicon().needs["click"], tabs).best(text) if tabs else None
        if choice is None or len(choice.fits) != 1 or choice.score < STRONG:
            return None
        return choice.things[0]

    # What is said when nothing is bound

    def details(self, role: Role, text: str, near: tuple[str, ...] = ()) -> Details:
        return Details(self.parsed.verb, role, text, searched=("page",), near=near)

    def unfit(self, role: Role, text: str, finder: Finder) -> Failure:
        """Say that a thing is there, but that nothing like this can be done with it."""
        if finder.need.must:
            other = Finder(self.sight, ANY, finder.among).best(text)
            if other is not None and len(other.fits) == 1 and other.score >= BEGUN:
                seen = other.things[0]
                said = f"{name_for(seen)!r} is a {kind_word(seen)}"
                message = f"{said}: {self.parsed.verb} cannot be done with it"
                return Failure(Code.NOT_FEASIBLE, message, self.details(role, text))
        return self.missing(role, text)

    def missing(self, role: Role, text: str) -> Failure:
        if self.sight.page.asks:
            said = self.sight.seen[0].element.name
            message = f"the page asks: {said!r}; accept or dismiss it first"
            return Failure(Code.DIALOG_OPEN, message, self.details(role, text))
        near = self.near(text)
        hint = f"; there is {listed([repr(name) for name in near])}" if near else ""
        return Failure(
            Code.TARGET_NOT_FOUND,
            f"nothing on the page is {text!r}{hint}",
            self.details(role, text, near),
        )

    def near(self, text: str) -> tuple[str, ...]:
        """Name what can be used and is called nearly so."""
        from rapidfuzz import fuzz, process  # noqa: PLC0415 - only a refusal needs it

        names = list(
            dict.fromkeys(
                seen.element.name
                for seen in self.sight.seen
                if seen.visible and seen.element.name and seen.affords & ~Affords.CONTAIN
            )
        )
        found = process.extract(text, names, scorer=fuzz.WRatio, limit=NEAR, score_cutoff=ALIKE)
        return tuple(name for name, _, _ in found)

    def ambiguous(self, role: Role, text: str, choice: Choice) -> Failure:
        """Ask which one, by what tells them apart."""
        things = choice.things
        options = tuple(
            Option(number, said, self.sight.target(seen))
            for number, (said, seen) in enumerate(
                zip(told_apart(self.sight, things), things, strict=True), start=1
            )
        )[:MOST_OPTIONS]
        texts = [option.text for option in options]
        if len(things) > len(options):
            texts.append(f"one of {len(things) - len(options)} more")
        message = f"Which {text!r} do you mean: {listed(texts)}?"
        return Failure(Code.AMBIGUOUS_TARGET, message, self.details(role, text), options)


def tab_target(tab: OpenTab) -> Target:
    return Target(f"tab:{tab.number}", tab.title, "tab")


def parted(text: str, joints: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Part words at each joint that is not in quotes, the last first."""
    tokens = tokens_of(text)
    for at in range(len(tokens) - 2, 0, -1):
        if tokens[at].key in joints and not tokens[at].quoted:
            yield " ".join(map(said, tokens[:at])), " ".join(map(said, tokens[at + 1 :]))


def as_measure(text: str) -> str:
    """Put a question for a measure into words for it: "how much is X" into "price of X"."""
    for question, measure in lexicon().asks.items():
        if text.casefold().startswith(f"{question} "):
            return f"{measure} {text[len(question) :].strip().removesuffix(' cost')}"
    return text

"""From what was found on a page to bindings, questions and refusals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from actors.language.describing import Description
from actors.language.lexicon import Need, lexicon
from actors.language.questions import read_question
from actors.language.reading import descriptions, is_whole_page
from actors.language.tokens import tokens_of
from actors.language.words import key_of, singular
from actors.target_resolver.page.answers import Answer, Unanswered, answer
from actors.target_resolver.page.asking import part_of
from actors.target_resolver.page.bars import is_barred, is_one_of_two
from actors.target_resolver.page.deciding import (
    TOGGLED,
    choice_from_answer,
    find_each_named,
    merge_control_parts,
    prefer_near_found,
    prefer_pressed,
    prefer_titled,
)
from actors.target_resolver.page.doing import done_by, of_lists, opened
from actors.target_resolver.page.entries import entry_of
from actors.target_resolver.page.finder import ANY, STRONG, Choice, Finder
from actors.target_resolver.page.judging import LIKE, MAYBE
from actors.target_resolver.page.lists import Found, Lists
from actors.target_resolver.page.naming import BEGUN, EXACT, UNNAMED, undecorated
from actors.target_resolver.page.otherwise import told_otherwise
from actors.target_resolver.page.phases import (
    TracedFinder,
    phase_of,
    phases_of,
    runners_up,
    unusable,
)
from actors.target_resolver.page.places import scrolled_part, shut_place
from actors.target_resolver.page.refusals import Refusals
from actors.target_resolver.page.relating import HOLDERS
from actors.target_resolver.page.series import counts_entries
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import PAIR, TITLE_KINDS, Seen, Sight, name_for
from actors.target_resolver.page.tabs import bound_tab
from actors.target_resolver.page.titled import code_box, row_control
from actors.target_resolver.page.traits import ACTABLE
from actors.target_resolver.page.weighing import Act, Ask, Verdict, Weighing
from actors.target_resolver.tracing import bind_phase
from messages.failures import Details, Reveal, Target
from messages.pages import Affords, Page
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import Binding, Failure, Options, Phase, Query, Success
from messages.verbs import Role, RuleKey

# Where rules do not decide, and verbs for which the clues are weighed then.
UNDECIDED = frozenset({Code.TARGET_NOT_FOUND, Code.AMBIGUOUS_TARGET})
WEIGHED = frozenset(
    {"click", "double_click", "right_click", "hover", "type", "set", "clear", "check", "uncheck",
     "select", "sort", "expand", "collapse"}
)  # fmt: skip
FILE_NAME = re.compile(r"\.\w{2,5}$")
FILLED = (Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.RANGE).value
DOUBTED = 40  # what has a word of the name, and something speaks against it
NEARLY_SO = 4  # what is hidden must be called so, or begin so
THE_PAGE = Target("page", "page", "page")
PAGE_VERBS = frozenset(
    {"read", "scroll", "scroll_to", "screenshot", "copy", "select_text", "wait", "press"}
)
PLAIN_KINDS = frozenset({"text", "generic", "listitem", "box", "icon"})
POINTED = frozenset({"click", "double_click", "select"})
READ_UNDER = frozenset({"paragraph", "text", "list", "table", "definition", "status"})
DONE_BY_NAME = frozenset({"download"})
TITLED_VERBS = frozenset({"set", "check", "uncheck", "type", "clear"})


def is_way_out(address: str) -> bool:
    """Tell whether a link leads to another page."""
    return bool(address) and not address.startswith(("#", "javascript:"))


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
    opens: bool = False

    @property
    def refusals(self) -> Refusals:
        return Refusals(self.sight, self.parsed.verb)

    @property
    def lists(self) -> Lists:
        return Lists(self.sight, self.parsed.verb, self.refusals, self.by_words)

    def bound(self) -> PageFinding:
        binder = self.as_thing_in_place() or self
        return binder.bind_roles(binder.roles())

    def as_thing_in_place(self) -> "PageBinder | None":
        """Read "the second guest from the filtered list" as a thing and its place, not as a choice.

        What is counted there is no option of a list box: the page says what the entries are.
        """
        direct, place = self.parsed.direct, self.parsed.indirect
        if self.parsed.verb != "select" or direct is None or place is None:
            return None
        thing = self.said("direct", direct)
        if not any(map(counts_entries, descriptions(thing))):
            return None
        text = f"{thing} in the {self.said('indirect', place)}"
        parsed = structs.replace(
            self.parsed,
            direct=structs.replace(direct, text=text),
            direct_span=text,
            indirect=None,
            indirect_span=None,
        )
        return replace(self, parsed=parsed)

    def bind_roles(self, roles: Sequence[tuple[Role, Phrase]]) -> PageFinding:
        phases = [Phase("form", "fits", rule=rule_for([role for role, _ in roles]))]
        targets: dict[Role, tuple[Target, ...]] = {}
        for role, phrase in roles:
            found, match = self.role(role, phrase, targets)
            offered = bool(self.options.among)
            phases += phases_of(self.sight, match, found, offered=offered)
            if isinstance(found, Failure):
                return PageFinding(found, tuple(phases))
            targets[role] = found
        success = self.success(targets)
        phases.append(bind_phase(success.rule_id, success.bindings, phases))
        return PageFinding(success, tuple(phases))

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
        return Success(
            rule_for(list(targets)),
            parsed.verb,
            bindings,
            parsed.relation_token_raw,
            parsed.relation_token_canonical,
        )

    def role(self, role: Role, phrase: Phrase, bound: dict[Role, tuple[Target, ...]]) -> Found:
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
            return bound_tab(self.sight, self.refusals, role, text)
        if self.parsed.verb in PAGE_VERBS and is_whole_page(text):
            return (THE_PAGE,), phase_of(role, "the page itself", [])
        owner = bound.get("indirect")
        if self.parsed.verb == "select" and role == "direct" and owner:
            return self.lists.option(text, owner[0])
        if role == "indirect" and self.parsed.verb == "select":
            found, phase = self.lists.named(text)
            is_asked = isinstance(found, Failure) and found.code is Code.AMBIGUOUS_TARGET
            direct = self.parsed.direct
            if is_asked and direct is not None:
                return self.lists.with_option(self.said("direct", direct)) or (found, phase)
            return found, phase
        if (
            self.parsed.verb == "select"
            and (chosen := self.lists.chosen_in(text, bound)) is not None
        ):
            return chosen
        recent = self.options.recent.it
        spoken_of = None if recent is None else self.sight.find(recent)
        finder = TracedFinder(self.sight, self.need(role), self.among(), spoken_of=spoken_of)
        return self.by_words(role, text, finder)

    def need(self, role: Role) -> Need:
        """Say what the verb needs of the thing in a role."""
        if role == "indirect":
            return lexicon().needs["drop"] if self.parsed.verb == "drag" else ANY
        return lexicon().needs.get(self.parsed.verb, ANY)

    def among(self) -> frozenset[int]:
        found = (self.sight.find(target) for target in self.options.among)
        return frozenset(seen.at for seen in found if seen is not None)

    def again(self, role: Role, text: str, target: str) -> Found:
        """Bind what a person chose, if it is still there."""
        seen = self.sight.find(target)
        if seen is None:
            failure = Failure(
                Code.TARGET_STALE,
                f"what was chosen for {text!r} is gone",
                self.refusals.details(role, text),
            )
            return failure, phase_of(role, "stale", [])
        shown = None if seen.visible else self.shown_first(role, text, seen)
        return shown or ((self.sight.target(seen),), phase_of(role, "as chosen", [seen]))

    def by_words(self, role: Role, text: str, finder: Finder) -> Found:
        """Bind words to the one element they mean: by rules, else by the weight of all clues."""
        if self.parsed.verb == "scroll" and (part := scrolled_part(self.sight, text)) is not None:
            return (self.sight.target(part),), phase_of(role, "what scrolls there", [part])
        if self.parsed.verb == "answer":
            return self.by_records(role, text)
        found, phase = self.by_rules(role, text, finder)
        if not isinstance(found, Failure) or found.code not in UNDECIDED:
            return found, phase
        if self.parsed.verb == "read" and (cells := self.cells_asked_for(text)) is not None:
            parts = cells.parts or ("",) * len(cells.things)
            targets = zip(map(self.sight.target, cells.things), parts, strict=True)
            phase = phase_of(role, "of records", list(cells.things))
            return tuple(part_of(target, part) for target, part in targets), phase
        verdict = self.verdict(text, finder, found.code)
        if isinstance(verdict, Act):
            seen, phase = self.used(verdict.option.seen), verdict.phase(role)
            shown = None if seen.visible else self.shown_first(role, text, seen)
            return shown or ((self.sight.target(seen),), phase)
        if found.code is Code.AMBIGUOUS_TARGET:
            return found, phase
        if (place := self.place_to_open(text)) is not None:
            return self.hidden_by(role, text, place)
        if isinstance(verdict, Ask):
            return self.refusals.ambiguous(role, text, verdict.choice), verdict.phase(role)
        return found, phase

    def by_records(self, role: Role, text: str) -> Found:
        """Bind a question to what answers it: elements of what the page lists."""
        question = read_question(text)
        found = (
            Unanswered("it is no question") if question is None else answer(self.sight, question)
        )
        if isinstance(found, Unanswered):
            message = f"{text!r} is not answered here: {found.reason}"
            failure = Failure(Code.TARGET_NOT_FOUND, message, self.refusals.details(role, text))
            return failure, phase_of(role, found.reason, [])
        things = list(found.things)
        target = Target(found.as_id(self.sight), f"{len(things)} of {found.looked_at}", "records")
        return (target,), phase_of(role, f"answered by {len(things)} of {found.looked_at}", things)

    def cells_asked_for(self, text: str) -> Answer | None:
        """Give the cell of a record that words ask for: "the phone number of Olaf"."""
        question = read_question(f"what is {text}")
        found = None if question is None else answer(self.sight, question)
        return found if isinstance(found, Answer) and found.ask == "value" else None

    def verdict(self, text: str, finder: Finder, code: Code) -> Verdict | None:
        """Weigh all clues, where they may decide; what is yet to come may be meant."""
        if self.parsed.verb not in WEIGHED or not self.sight.page.settled:
            return None
        weighing = Weighing(self.sight, finder.need, self.parsed.verb, finder.among)
        return weighing.verdict(text, is_tie=code is Code.AMBIGUOUS_TARGET)

    def place_to_open(self, text: str) -> Seen | None:
        """Give the shut tab that a thing is said to be in, if all that can be seen is seen."""
        if self.sight.opened or not self.sight.page.settled or self.options.among:
            return None
        return shut_place(self.sight, text)

    def by_rules(self, role: Role, text: str, finder: Finder) -> Found:
        """Bind words to what is called by them, as strictly as rules can tell."""
        text = as_measure(text) if self.parsed.verb == "read" else text
        choice = finder.best(text)
        if self.parsed.verb == "use":
            choice = self.find_use(text, finder, choice)
            if choice is None and (thing := opened(text)) is not None:
                parsed = structs.replace(self.parsed, verb="click")
                opener = replace(self, parsed=parsed, opens=True)
                return opener.by_rules(role, thing, Finder(self.sight, lexicon().needs["open"]))
        else:
            choice = self.find_by_verb(text, finder, choice)
            if not self.is_found(choice):
                revealed = self.revealed(role, text, finder, choice)
                if revealed is not None:
                    return revealed
        choice = self.find_otherwise(text, finder, self.drop_guesses(choice, finder))
        if choice is not None and is_one_of_two(self.sight, text, choice):
            choice = None
        if choice is None and (each := find_each_named(self.parsed.verb, text, finder)):
            return tuple(map(self.sight.target, each)), phase_of(role, "each of them", each)
        if choice is None or not choice.fits:
            return self.bind_by_title(role, text, finder)
        return self.decided(role, text, choice, finder)

    def find_use(self, text: str, finder: Finder, choice: Choice | None) -> Choice | None:
        """Find what does what the words say, unless something is called just so."""
        if choice is None or choice.score < EXACT - LIKE or choice.what.is_told:
            return done_by(finder, text)
        return of_lists(finder, choice, text)

    def find_by_verb(self, text: str, finder: Finder, choice: Choice | None) -> Choice | None:
        """Find what is called by the verb and the words together, or is an entry of a list."""
        verb = self.parsed.verb
        if verb == "submit":
            return self.called_submit(text) or choice
        if verb in DONE_BY_NAME:
            return self.named_deed(text) or choice
        if verb == "click" and choice is not None and STRONG <= choice.score < EXACT - LIKE:
            of_other_kind = is_of_other_kind(choice)
            return choice if of_other_kind else of_lists(finder, choice, text) or choice
        return choice

    def is_found(self, choice: Choice | None) -> bool:
        """Tell whether nothing that is hidden can be meant rather."""
        return choice is not None and choice.score >= STRONG and not is_of_other_kind(choice)

    def drop_guesses(self, choice: Choice | None, finder: Finder) -> Choice | None:
        """Drop faint matches that make no sense, and those that would be guessed."""
        if choice is not None and choice.score < UNNAMED - MAYBE:
            choice = self.usable(choice, finder)
        if choice is not None and choice.score < STRONG:
            is_many = choice.what.every and choice.what.name
            return None if is_many or self.sight.opened else choice
        return choice

    def find_otherwise(self, text: str, finder: Finder, choice: Choice | None) -> Choice | None:
        """Find what is called by the deed, told by an answer or otherwise, if nothing was found."""
        if choice is None and self.parsed.verb in {"select", "clear"}:
            choice = self.named_deed(text)
        if choice is None and self.options.among:
            choice = choice_from_answer(text, finder)
        if choice is None and self.sight.page.settled:  # what is yet to come may be meant
            choice = told_otherwise(self.parsed.verb, text, finder)
        return choice

    def bind_by_title(self, role: Role, text: str, finder: Finder) -> Found:
        """Bind the field in what was named, or what a title is for; else say what is missing."""
        field = self.only_field(text, finder)
        if field is not None:
            return (self.sight.target(field),), phase_of(role, "the field in it", [field])
        titled = self.by_title(text, finder) or self.code(text)
        if titled is not None:
            return (self.sight.target(titled),), phase_of(role, "by its title", [titled])
        if (shut := self.shut(role, text, finder)) is not None:
            return shut
        phase = phase_of(role, "nothing matched", [], others=unusable(finder, text))
        return self.refusals.unfit(role, text, finder), phase

    def decided(self, role: Role, text: str, choice: Choice, finder: Finder) -> Found:
        """Bind what was found, if it is one thing that can be used now; else say why, or ask."""
        verb = self.parsed.verb
        choice = self.told_under(prefer_near_found(self.sight, self.found, choice))
        choice = prefer_titled(self.sight, verb, choice)
        choice = prefer_pressed(verb, merge_control_parts(self.sight, choice))
        others = runners_up(finder, choice)
        if all(is_barred(self.sight, verb, text, choice, seen) for seen in choice.things):
            phase = phase_of(role, "barred", choice.things, choice, others)
            return self.refusals.missing(role, text), phase
        phase = phase_of(role, f"{len(choice.fits)} matched", choice.things, choice, others)
        if self.is_doubted(choice):
            return self.refusals.missing(role, text), phase
        if choice.score < STRONG and not self.sight.page.settled and not choice.what.is_told:
            message = f"only a faint match for {text!r} so far"
            return Failure(Code.TARGET_NOT_FOUND, message, self.refusals.details(role, text)), phase
        if len(choice.fits) == 1 and self.is_out_of_use(choice.things[0]):
            message = f"{name_for(choice.things[0])!r} is disabled"
            return Failure(Code.NOT_FEASIBLE, message, self.refusals.details(role, text)), phase
        if choice.what.every and any(frame.sheet.truncated for frame in self.sight.page.frames):
            message = "the page is too large to be sure of all of them"
            return Failure(Code.NOT_FEASIBLE, message, self.refusals.details(role, text)), phase
        is_set = choice.what.every and not self.leaves_for_several(choice)
        if is_set or len(choice.fits) == 1 or self.reads_all(text, choice):
            opens = self.opens or (self.parsed.verb == "use" and opened(text) is not None)
            things = [self.opener_of(seen) if opens else seen for seen in choice.things]
            return tuple(self.sight.target(self.used(seen)) for seen in things), phase
        return self.refusals.ambiguous(role, text, choice), phase

    def leaves_for_several(self, choice: Choice) -> bool:
        """Tell whether "all" is said of what leads away: nobody goes to two places at once."""
        if self.parsed.verb != "click" or len(choice.fits) == 1:
            return False
        return any(seen.kind == "tab" or is_way_out(seen.element.href) for seen in choice.things)

    def is_doubted(self, choice: Choice) -> bool:
        """Tell whether what was found should rather not be used: it has little of what was said."""
        verb = self.parsed.verb
        if verb == "download" and not any(is_fetched(seen) for seen in choice.things):
            return True  # a folder that is opened by a click is not downloaded by it
        if verb == "set" and all(self.has_only_buttons(seen) for seen in choice.things):
            return True  # the buttons of a row are no values that it could have
        if verb not in PAGE_VERBS and all(is_other(choice.what, seen) for seen in choice.things):
            return True
        return choice.score < DOUBTED and bool(choice.what.name) and verb not in PAGE_VERBS

    def has_only_buttons(self, seen: Seen) -> bool:
        """Tell whether something is a row in which nothing can be filled in or chosen."""
        parts = self.sight.inside(seen.at) if seen.kind == "row" else ()
        return seen.kind == "row" and not any(part.affords & FILLED for part in parts)

    def reads_all(self, text: str, choice: Choice) -> bool:
        """Tell whether "the cards in the To do column" are to be read: all of them."""
        kind = choice.what.kind
        if self.parsed.verb not in {"read", "copy"} or kind is None or choice.what.name:
            return False
        return any(token.key != kind.word == singular(token.key) for token in tokens_of(text))

    def told_under(self, choice: Choice) -> Choice:
        """Give what stands under a heading, where the words only name that: "the duration"."""
        seen = choice.things[0]
        is_title = seen.kind == "heading" and choice.what.kind is None and not choice.what.is_told
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

    def deed_on(self, role: Role, text: str, seen: Seen) -> Found:
        """Bind what does something with what a control was about: it is not pressed once more."""
        words = name_for(seen).split()
        for begin in range(len(words)):
            named = self.named_deed(" ".join(words[begin:]))
            if named is not None:
                found = tuple(map(self.sight.target, named.things))
                return found, phase_of(role, "what does it", named.things, named)
        return self.refusals.missing(role, text), phase_of(role, "nothing does it", [seen])

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
        found = row_control(self.sight, named.things[0], self.parsed.verb)
        return None if found is None or self.has_only_buttons(found) else found

    def code(self, text: str) -> Seen | None:
        """Give where a code is typed that goes into several boxes."""
        return code_box(self.sight, text) if self.parsed.verb in {"type", "set"} else None

    def opener_of(self, seen: Seen) -> Seen:
        """Give the only link of an entry whose mere text was named: by that it is opened."""
        if seen.affords & ACTABLE:
            return seen
        links = [
            part for part in entry_of(self.sight, seen) if part.kind == "link" and part.visible
        ]
        return links[0] if len(links) == 1 else seen

    def used(self, seen: Seen) -> Seen:
        """Give the control that a header or a cell is made of, or beside its title, if clicked."""
        if self.parsed.verb == "click" and seen.kind in TITLE_KINDS and not seen.affords & ACTABLE:
            return row_control(self.sight, seen, self.parsed.verb) or seen
        if self.parsed.verb in TOGGLED and not seen.affords & Affords.CHECK:
            parts = (*self.sight.inside(seen.at), *entry_of(self.sight, seen))
            found = {part.at: part for part in parts if part.affords & Affords.CHECK}
            return next(iter(found.values())) if len(found) == 1 else seen
        if self.parsed.verb in {"click", "select"} and seen.kind == "row":
            return self.row_header(seen) or self.row_box(seen)
        if self.parsed.verb == "select" and not seen.affords & ACTABLE:
            return self.row_box(seen)
        if self.parsed.verb != "click" or seen.kind not in {"columnheader", "rowheader", "cell"}:
            return seen
        inside = [each for each in self.sight.inside(seen.at) if each.affords & Affords.CLICK]
        return inside[0] if len(inside) == 1 and inside[0].key == seen.key else seen

    def row_header(self, row: Seen) -> Seen | None:
        """Give what a row of fields is chosen by: clicked in its middle, a field would be."""
        parts = [part for part in self.sight.inside(row.at) if part.visible]
        fields = sum(bool(part.affords & Affords.EDIT) for part in parts)
        if fields < PAIR or not parts or parts[0].affords & Affords.EDIT:
            return None
        return parts[0] if parts[0].affords & Affords.CLICK else None

    def row_box(self, entry: Seen) -> Seen:
        """Give the box that an entry is chosen by, if it has one."""
        if self.parsed.verb != "select" or entry.affords & ACTABLE:
            return entry
        boxes = [part for part in entry_of(self.sight, entry) if part.affords & Affords.CHECK]
        return boxes[0] if len(boxes) == 1 else entry

    def is_out_of_use(self, seen: Seen) -> bool:
        """Tell whether the page says that something is disabled which a browser would click."""
        if self.parsed.verb not in POINTED or seen.kind not in PLAIN_KINDS:
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
            return self.refusals.ambiguous(role, text, hidden), phase
        return self.shown_first(role, text, hidden.things[0])

    def are_called(self, choice: Choice, text: str) -> bool:
        """Tell whether all that was found is called just so."""
        return all(seen.key == key_of(text) for seen in choice.things)

    def shut(self, role: Role, text: str, finder: Finder) -> tuple[Failure, Phase] | None:
        """Look for a thing as if all were open that can be, as a row of another page of a table."""
        if self.sight.opened or not any(seen.element.shown > 0 for seen in self.sight.seen):
            return None
        opened = replace(self, sight=Sight(self.sight.page, opened=True))
        found, _ = opened.by_rules(role, text, Finder(opened.sight, finder.need))
        if isinstance(found, Failure) or len(found) != 1:
            return None
        seen = self.sight.find(found[0].id)
        return None if seen is None or seen.visible else self.shown_first(role, text, seen)

    def shown_first(self, role: Role, text: str, seen: Seen) -> tuple[Failure, Phase] | None:
        """Say what shows a thing that is hidden; of several shut around it, the outermost first."""
        around = set[int]()
        revealer = self.shower_of(seen)
        while revealer is not None and not revealer.visible and revealer.at not in around:
            around.add(revealer.at)
            seen, revealer = revealer, self.shower_of(revealer)
        if revealer is None or not revealer.visible:
            return None
        if self.is_coming(revealer):
            return self.refusals.missing(role, text), phase_of(role, "being shown", [seen])
        how, _, turns = seen.element.reveals.partition(":")
        reveal = Reveal(self.sight.target(revealer), how == "hover", int(turns or 1))
        details = Details(self.parsed.verb, role, text, reveal=reveal)
        message = f"{name_for(seen)!r} cannot be seen; {name_for(revealer)!r} shows it"
        return Failure(Code.TARGET_HIDDEN, message, details), phase_of(role, "hidden", [seen])

    def hidden_by(self, role: Role, text: str, place: Seen) -> Found:
        """Say that the place in which a thing is said to be has to be opened first."""
        details = Details(self.parsed.verb, role, text, reveal=Reveal(self.sight.target(place)))
        message = f"what is in {name_for(place)!r} cannot be seen; it has to be opened first"
        return Failure(Code.TARGET_HIDDEN, message, details), phase_of(role, "shut", [place])

    def shower_of(self, seen: Seen) -> Seen | None:
        """Give what shows a hidden thing when it is used."""
        at = self.sight.revealers.get(seen.at)
        return None if at is None else self.sight.seen[at]

    def is_coming(self, revealer: Seen) -> bool:
        """Tell whether what shows a thing has just been used, so that it is about to be seen."""
        used = self.options.recent.it
        return (
            not self.sight.page.settled
            and used is not None
            and used == (self.sight.target(revealer).id)
        )


def is_of_other_kind(choice: Choice) -> bool:
    """Tell whether what was found only has a part of the name, and is not of the kind said."""
    kind, said = choice.what.kind, key_of(choice.what.name)
    if kind is None or choice.score >= EXACT - LIKE:
        return False
    return all(seen.kind not in kind.real and seen.key != said for seen in choice.things)


def is_other(what: Description, seen: Seen) -> bool:
    """Tell whether only a part of a name was quoted, and the thing is not of the kind said."""
    if not what.quoted or what.kind is None or seen.kind in what.kind.real or what.kind.holds:
        return False  # a card goes by all that is in it
    said = key_of(what.name)
    return said not in {seen.key, *seen.others} and undecorated(seen.key) != said


def is_fetched(seen: Seen) -> bool:
    """Tell whether a click may bring a file: by a link, by its name, or by what it is called."""
    words = f"{seen.key} {' '.join(seen.others)} {seen.element.weak}"
    return bool(seen.element.href or "download" in words or FILE_NAME.search(seen.element.name))


def rule_for(roles: Sequence[Role]) -> RuleKey:
    """Give the rule that has just these roles."""
    if "indirect" in roles:
        return "directIndirect"
    return "direct" if roles else "intransitive"


def as_measure(text: str) -> str:
    """Put a question for a measure into words for it: "how much is X" into "price of X"."""
    for question, measure in lexicon().asks.items():
        if text.casefold().startswith(f"{question} "):
            return f"{measure} {text[len(question) :].strip().removesuffix(' cost')}"
    return text

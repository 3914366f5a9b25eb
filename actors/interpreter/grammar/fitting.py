"""Fitting a clause to the table: the first frame that holds it, in the best way it does."""

from dataclasses import dataclass

from actors.interpreter.grammar.context import Context, keys_of
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import Reading, Refusal, Span
from actors.interpreter.grammar.sentence import HARD, Tok
from actors.interpreter.grammar.table import Frame
from actors.interpreter.grammar.templates import Fit, Matcher, Slot, Template

FREE = frozenset({"text", "said", "thing", "pagething", "settable", "nofolder", "titled"})
# Slots in whose words a condition may stand.
CONDITIONED = FREE | {"title"}

# Slots that become part of no goal: what something is done for, and what was there before.
WITHOUT_GOAL = frozenset({"purpose", "former", "noun"})

ENDS_A_TRY = 8  # so many ends of slots cost what a template does


@dataclass(slots=True)
class Fitter:
    """Fits ranges of tokens to frames."""

    context: Context
    toks: list[Tok]

    def by_frame(
        self, start: int, end: int, *, placed: bool = False, led: bool = False
    ) -> Reading | Refusal | None:
        """Find the first frame that a clause fits; ``led`` if words in front name its thing."""
        first = self.toks[start]
        frames = self.context.table.frames
        said: set[str] | None = None
        for opener in ("" if first.quoted is not None else first.key, ""):
            for template, frame in frames.get(opener, ()):
                if placed and not (frame.placed or frame.placed_source):
                    continue
                if frame.page_only and not self.context.on_page:
                    continue
                if led != frame.needs_lead and not (led and is_bare(template, frame)):
                    continue
                if said is None:
                    said = keys_of(self.toks[start:end])
                if template.could_fit(said):
                    found = self.fitted(template, frame, start, end)
                    if found is not None:
                        return found
        return None

    def fitted(
        self, template: Template, frame: Frame, start: int, end: int
    ) -> Reading | Refusal | None:
        """Fit one template; where it fits in several ways, words for things are kept short."""
        context = self.context
        context.effort.spend_on(end - start)
        matcher = Matcher(template, context.slots, self.toks, end, context.names_in_capitals)
        fits = [fit for fit in matcher.match(start) if self.holds(fit)]
        context.effort.spend(len(matcher.fits) + matcher.ends // ENDS_A_TRY)
        if not fits:
            return None
        fit = min(fits, key=self.rank) if len(fits) > 1 else fits[0]
        whole, fit = fit, tuple([(slot, at, self.trimmed(slot, at, end)) for slot, at, end in fit])
        if any(self.is_condition(*filled) for filled in fit):
            return Refusal(start, end, "conditions are not supported")
        if any(self.tells_manner(*filled) for filled in fit):
            return Refusal(start, end, "how or where it opens cannot be said")
        purposed, passed = self.tells_end(whole, fit), passed_over(whole, fit)
        return Reading(start, end, frame, template, fit, purposed=purposed, passed=passed)

    def tells_end(self, whole: Fit, trimmed: Fit) -> bool:
        """Tell whether a clause says what it is done for: it was left out, or has a slot."""
        return any(
            slot.name == "purpose" or (end < last and self.toks[end].key == "to")
            for (slot, _, end), (_, _, last) in zip(trimmed, whole, strict=True)
        )

    def rank(self, fit: Fit) -> tuple[int, int]:
        """Rank a fit: beside a free value things of few words, and labels of many."""
        roles = [(at, end) for slot, at, end in fit if slot.kind == "role"]
        free = any(slot.kind == "param" and slot.type in {"text", "said"} for slot, _, _ in fit)
        labels = sum(end - at for slot, at, end in fit if slot.type == "label")
        length = (sum(end - at for at, end in roles) if free else 0) - 2 * labels
        joined = sum(1 for at, end in roles for token in self.toks[at + 1 : end] if token.parted)
        return length, joined

    def holds(self, fit: Fit) -> bool:
        """Tell whether slots hold what they may: nothing that is torn out of something else."""
        return all(self.is_whole(slot, at, end) for slot, at, end in fit)

    def is_whole(self, slot: Slot, at: int, end: int) -> bool:
        if slot.kind == "role" and self.breaks_off(end):
            return False
        if slot.name == "content" and self.is_told_of(at):
            return False
        joint = self.is_joint(at) or (end - at > 1 and self.is_joint(end - 1))
        if joint and slot.type != "title":
            return False
        if end - at == 1:  # "type it" is no order to write the word
            token = self.toks[at]
            return (
                slot.name != "text" or token.quoted is not None or token.key not in LITTLE.referring
            )
        for index in range(at + 1, end):
            token = self.toks[index]
            if token.parted == HARD:
                return False
            if token.colon and slot.type != "text" and not self.toks[index - 1].capital:
                return False
        if slot.kind == "role" and self.offers_choice(at, end):
            return False
        ignored = slot.name == "purpose"
        return ignored or slot.type not in FREE or not self.runs_on(at, end)

    def is_told_of(self, at: int) -> bool:
        """Tell "the line 2", which speaks of a text, from "the line hello"."""
        kinds = self.context.lexicon.kinds["textkind"]
        return self.toks[at].key.isdecimal() and at > 0 and self.toks[at - 1].key in kinds

    def is_joint(self, at: int) -> bool:
        """Tell whether a joining word stands here, and no name."""
        token = self.toks[at]
        return token.key in LITTLE.joining and token.quoted is None and not token.capital

    def breaks_off(self, end: int) -> bool:
        """Tell whether words for a thing end in a word that cannot end them."""
        last = self.toks[end - 1]
        if last.quoted is not None:
            return False
        named = last.capital or self.toks[end - 2].capital
        return last.key in self.context.marks.unending and not named

    def offers_choice(self, at: int, end: int) -> bool:
        """Tell whether words name things for several ends: "Yes to confirm or No to cancel"."""
        purposes = self.context.table.phrases.purposes.known
        told = False
        for index in range(at + 1, end - 1):
            token, following = self.toks[index], self.toks[index + 1]
            if token.quoted is not None or token.capital:
                continue
            told = told or (token.key == "to" and following.key in purposes)
            if token.key == "or" and (told or following.key == "to"):
                return True
        return False

    def runs_on(self, at: int, end: int) -> bool:
        """Tell whether another clause seems to begin inside words, without a joint."""
        marks = self.context.marks
        for index in range(at + 1, end - 1):
            token, following = self.toks[index], self.toks[index + 1]
            if token.key not in marks.beginning or token.quoted is not None or token.capital:
                continue
            before = self.toks[index - 1].key
            joined = before in marks.joined_before
            if before == "or":  # "Save or press Ctrl+S": one of two things to do
                return True
            counted = following.key in self.context.lexicon.numbers  # "wait two seconds"
            goes_on = counted or following.key in marks.following
            if goes_on and following.quoted is None and not joined:
                return True
        return False

    def trimmed(self, slot: Slot, at: int, end: int) -> int:
        """Leave out what only tells the purpose, or what is not meant: "the icon to see more"."""
        if slot.type not in FREE and slot.kind != "role":
            return end
        if any(token.parted or token.key in LITTLE.joining for token in self.toks[at + 1 : end]):
            return end  # what follows a joint may be another thing
        for index in range(at + 1, end - 1):
            token, following = self.toks[index], self.toks[index + 1]
            if token.quoted is not None or token.capital:
                continue
            if (token.key, following.key) in LITTLE.replacing:
                return index
            if token.key == "to" and slot.kind == "role" and self.tells_purpose(index, at):
                return index
        return end

    def tells_purpose(self, index: int, at: int) -> bool:
        """Tell whether "to ..." stands behind a thing that is named already, and is no place."""
        before, following = self.toks[index - 1], self.toks[index + 1]
        if following.quoted is not None or following.capital:
            return False
        if before.key in self.context.marks.wishing:
            return False
        if not self.is_purpose(index + 1):
            return False
        names_kind = self.context.lexicon.names_some_kind
        kind_told = any(names_kind(token) and not token.capital for token in self.toks[at:index])
        if before.capital and index + 2 < len(self.toks):
            return kind_told or self.toks[index + 2].key in self.context.marks.objects
        return (
            before.quoted is not None
            or before.key in LITTLE.pointed_at
            or (names_kind(before) and index - 1 > at)
            or kind_told
        )

    def is_purpose(self, at: int) -> bool:
        """Tell whether a verb stands here: a known one, or one with an object like "call him"."""
        if self.toks[at].key in self.context.table.phrases.purposes.known:
            return True
        return at + 1 < len(self.toks) and self.toks[at + 1].key in LITTLE.referring

    def is_condition(self, slot: Slot, at: int, end: int) -> bool:
        """Tell whether unquoted words hold a condition, and could be meant as one."""
        if slot.type not in CONDITIONED and slot.kind != "role":
            return False
        conditions = self.context.table.conditions
        first = at if slot.kind == "role" else at + 1  # "check if it is on"
        return any(
            not self.toks[index].capital and conditions.length_at(self.toks, index, end)
            for index in range(first, end)
        )

    def tells_manner(self, slot: Slot, at: int, end: int) -> bool:
        """Tell whether words for a thing end in how it is to be opened, not in what it is."""
        if slot.kind != "role" or self.toks[end - 1].key not in self.context.table.manner_ends:
            return False
        manners = self.context.table.manners
        return any(
            self.toks[index].key in manners.sayings
            and manners.length_at(self.toks, index, end) == end - index
            for index in range(at + 1, end)
        )

    def is_doubtful(self, start: int, end: int) -> bool:
        """Tell whether a clause holds a condition, or another clause without a joint."""
        return self.context.is_conditional(start, end) or self.runs_on(start, end)


def passed_over(whole: Fit, trimmed: Fit) -> tuple[Span, ...]:
    """Give the words of a fit that become part of no goal: ends left out, and slots for none."""
    left_out = [(end, last) for (_, _, end), (_, _, last) in zip(trimmed, whole, strict=True)]
    unused = [(at, last) for slot, at, last in whole if slot.name in WITHOUT_GOAL]
    return tuple(span for span in (*left_out, *unused) if span[0] < span[1])


def is_bare(template: Template, frame: Frame) -> bool:
    """Tell whether a way to put something names no thing itself, but can be told one in front."""
    return frame.lead == "target" and not any(slot.kind == "role" for slot in template.slots)

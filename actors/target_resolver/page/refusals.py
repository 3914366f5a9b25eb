"""What is said of a page when words are not bound: a question, or why not, with what is near."""

from dataclasses import dataclass

from actors.language.words import listed
from actors.target_resolver.page.finder import ANY, Choice, Finder
from actors.target_resolver.page.naming import BEGUN
from actors.target_resolver.page.sight import Sight, name_for
from actors.target_resolver.page.telling import kind_word, told_apart
from messages.failures import Details
from messages.pages import Affords
from messages.results import Code
from messages.targets import Failure, Option
from messages.verbs import Role

MOST_OPTIONS = 20  # more nobody reads
MOST_NEAR, ALIKE = 3, 70.0  # names that are suggested; of 100, as rapidfuzz measures


@dataclass(frozen=True, slots=True)
class Refusals:
    """Words for what one verb cannot be done to on one page."""

    sight: Sight
    verb: str

    def details(self, role: Role, text: str, near: tuple[str, ...] = ()) -> Details:
        return Details(self.verb, role, text, searched=("page",), near=near)

    def unfit(self, role: Role, text: str, finder: Finder) -> Failure:
        """Say that a thing is there, but that nothing like this can be done with it."""
        if finder.need.must:
            other = Finder(self.sight, ANY, finder.among).best(text)
            if other is not None and len(other.fits) == 1 and other.score >= BEGUN:
                seen = other.things[0]
                said = f"{name_for(seen)!r} is a {kind_word(seen)}"
                message = f"{said}: {self.verb} cannot be done with it"
                return Failure(Code.NOT_FEASIBLE, message, self.details(role, text))
        return self.missing(role, text)

    def missing(self, role: Role, text: str) -> Failure:
        if self.sight.page.asks:
            said = self.sight.seen[0].element.name
            message = f"the page asks: {said!r}; accept or dismiss it first"
            return Failure(Code.DIALOG_OPEN, message, self.details(role, text))
        near = self.near(text)
        hint = f"; there is {listed([repr(name) for name in near])}" if near else ""
        if any(frame.sheet.truncated for frame in self.sight.page.frames):
            hint += "; the page is larger than what was looked at"
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
        found = process.extract(
            text, names, scorer=fuzz.WRatio, limit=MOST_NEAR, score_cutoff=ALIKE
        )
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

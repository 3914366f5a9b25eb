"""What the weight of all clues comes to: act, ask with a few options, or refuse."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from actors.language.lexicon import Need
from actors.language.reading import descriptions
from actors.target_resolver.page.candidates import Candidates
from actors.target_resolver.page.clues import Situation
from actors.target_resolver.page.evidence import (
    Option,
    Ranking,
    is_plausible,
    is_sure,
    rank,
    weights,
)
from actors.target_resolver.page.finder import Choice
from actors.target_resolver.page.phases import considered
from actors.target_resolver.page.reasons import weighed_clues
from actors.target_resolver.page.several import Fit
from actors.target_resolver.page.sight import Sight
from messages.targets import Phase
from messages.verbs import Role

MOST_ASKED, FEWEST_ASKED = 3, 2
WORTH_ASKING = 0.1  # a probability below it is no option


@dataclass(frozen=True)
class Act:
    """One thing is meant, as far as all clues can tell."""

    option: Option
    ranking: Ranking

    def phase(self, role: Role) -> Phase:
        return phase_of_ranking(role, "weighed", self.ranking.options, kept=1)


@dataclass(frozen=True)
class Ask:
    """A few things may be meant: a person can tell."""

    options: Sequence[Option]
    ranking: Ranking

    @property
    def choice(self) -> Choice:
        fits = [Fit(option.seen, percent(option)) for option in self.options]
        return Choice(self.options[0].what, fits, fits[0].score)

    def phase(self, role: Role) -> Phase:
        return phase_of_ranking(role, "weighed", self.ranking.options, kept=len(self.options))


@dataclass(frozen=True)
class Refuse:
    """Nothing is probable enough to be offered."""

    ranking: Ranking


Verdict: TypeAlias = Act | Ask | Refuse


@dataclass(frozen=True)
class Weighing:
    """Weighs what words may mean on one page, for one verb."""

    sight: Sight
    need: Need
    verb: str
    among: frozenset[int] = frozenset()

    def verdict(self, text: str, *, is_tie: bool = False) -> Verdict:
        """Weigh words; of things that rules could not tell apart only an exact name decides."""
        situation = Situation(Candidates(self.sight), self.need, self.verb, among=self.among)
        ranking = rank(descriptions(text), situation)
        options = ranking.options
        if not options:
            return Refuse(ranking)
        bound = weights()
        best = options[0]
        called = best.match.name.exact or not is_tie
        if best.probability >= bound.act and called and is_sure(best, text, situation):
            return Act(best, ranking)
        likely = [
            option
            for option in options[:MOST_ASKED]
            if option.probability >= WORTH_ASKING and is_plausible(option, text)
        ]
        together = sum(option.probability for option in likely)
        if len(likely) >= FEWEST_ASKED and together >= bound.ask:
            return Ask(likely, ranking)
        return Refuse(ranking)


def percent(option: Option) -> int:
    return round(100 * option.probability)


def phase_of_ranking(role: Role, outcome: str, options: Sequence[Option], *, kept: int) -> Phase:
    """Write down the leading candidates with their clues; those behind the kept lost to them."""
    listed = tuple(
        considered(
            option.seen,
            percent(option),
            option.reasons,
            None if number < kept else "others are more probable",
            weighed_clues(option.what, option.seen, option.clues),
        )
        for number, option in enumerate(options)
    )
    return Phase("match", outcome, role, candidates=listed)

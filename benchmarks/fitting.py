"""Fits the weights of the clues on recorded pages: ``make fit`` (needs numpy and scipy).

Which candidate is meant is a conditional logit over all (reading, candidate) rows of a sentence;
readings are summed out. Whether it is on the page at all is a logistic regression on the best row,
with sentences whose thing is not there: those that must be refused, and sentences said on another
page. ``--check`` fits on the pages of this folder and the first six sets, and tests on the others:
nothing is written but the curve of risk against coverage in docs/.
"""

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from actors.language.lexicon import lexicon
from actors.language.reading import descriptions
from actors.target_resolver.page import weighing
from actors.target_resolver.page.candidates import Candidates
from actors.target_resolver.page.clues import CLUES, SAID, Situation, matches, values_of
from actors.target_resolver.page.evidence import same_effect
from actors.target_resolver.page.sight import Sight
from benchmarks.risk_plot import Threshold, picture
from messages.pages import target_id
from tests.pages import FOLDER, HELD_BACK
from tests.pages.offline import Recorded, recorded_cases
from tests.pages.recording import Recording

PROJECT = Path(__file__).parents[1]
WEIGHTS = Path(weighing.__file__).with_name("weights.toml")
CURVE, PLOT = PROJECT / "docs" / "risk.md", PROJECT / "docs" / "bench" / "risk.svg"
L2_WHICH, L2_HERE = 0.5, 0.3
SWAPPED, SEED = 500, 3
ACT, ASK = 0.8, 0.6
# The last set is never fitted on: it shows what pages that nobody has seen would show.
CHECK_ON = HELD_BACK[6:]
FITTED = (FOLDER, *HELD_BACK[:6])
VERBS = frozenset({"click", "use", "type", "set", "clear", "check", "uncheck", "hover", "expand"})
VERBS |= {"double_click", "right_click", "collapse", "select", "sort"}
# Clues that can only speak against a candidate, and those that may speak either way.
AGAINST = frozenset(
    {
        "unsaid", "kind_against", "parted", "unkind", "prose", "click_on_field",
        "hidden", "text_only", "unrelated", "out_of_order", "other_side", "disabled",
    }
)  # fmt: skip
EITHER = frozenset({"area", "holder", "entry", "nameless", "told", "literal"})
BOUNDS = [
    (None, None) if clue in EITHER else (None, 0.0) if clue in AGAINST else (0.0, None)
    for clue in CLUES
]
EXACT, ALL = list(CLUES).index("exact"), list(CLUES).index("found_all")


@dataclass
class Row:
    """A sentence on a page: the clues of every candidate, and which of them are right."""

    values: np.ndarray
    keys: list[object]
    right: np.ndarray
    is_there: bool


@dataclass(frozen=True)
class Fitted:
    which: np.ndarray
    here: np.ndarray


def row_of(recording: Recording, verb: str, text: str, marks: frozenset[str] | None) -> Row:
    """Look up the clues of all candidates; without ``marks`` the thing is not there."""
    situation = Situation(Candidates(Sight(recording.page)), lexicon().needs[verb], verb)
    found = list(matches(descriptions(text), situation))
    names = [
        recording.mark(target_id(recording.page.frames[each.frame], each.element))
        for each in (match.candidate.seen for match in found)
    ]
    right = np.array([name is not None and name in (marks or ()) for name in names], dtype=bool)
    values = np.array([values_of(match, situation) for match in found]).reshape(-1, len(CLUES))
    return Row(values, [same_effect(match, situation) for match in found], right, bool(marks))


def words_of(recorded: Recorded) -> tuple[str, str] | None:
    """Give the verb and the words for its only thing."""
    parsed = recorded.goal.readings[0]
    if parsed.verb not in VERBS or parsed.direct is None or parsed.indirect is not None:
        return None
    return None if parsed.direct.pronoun else (parsed.verb, parsed.direct_span or "")


def rows_in(folders: Sequence[Path]) -> list[Row]:
    """Make rows of all cases of some folders, and of some of their words on other pages."""
    cases = [each for folder in folders for each in recorded_cases(folder)]
    rows, said = [], []
    for recorded in cases:
        words = words_of(recorded)
        if words is None or recorded.case.answers:
            continue
        if recorded.case.code == "TARGET_NOT_FOUND":
            rows.append(row_of(recorded.recording, *words, None))
        elif recorded.case.code is None and recorded.marks:
            rows.append(row_of(recorded.recording, *words, recorded.marks))
            said.append(words)
    return [*rows, *swapped(said, [each.recording for each in cases])]


def swapped(said: Sequence[tuple[str, str]], recordings: Sequence[Recording]) -> Iterator[Row]:
    """Say words on pages by chance; a page that has all of them is left out."""
    chance = random.Random(SEED)
    for verb, text in chance.sample(list(said), min(SWAPPED, len(said))):
        row = row_of(chance.choice(recordings), verb, text, None)
        if not len(row.keys) or not row.values[:, [EXACT, ALL]].any():
            yield row


def fit(rows: Sequence[Row]) -> Fitted:
    which = fit_which([row for row in rows if row.right.any()])
    return Fitted(which, fit_here([row for row in rows if row.keys], which))


def fit_which(rows: Sequence[Row]) -> np.ndarray:
    """Maximise the probability of the right rows of each sentence, with an L2 penalty."""
    values = np.vstack([row.values for row in rows])
    right = np.concatenate([row.right for row in rows])
    sizes = [len(row.right) for row in rows]
    starts = np.cumsum([0, *sizes[:-1]])

    def shares(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        top = np.repeat(np.maximum.reduceat(scores, starts), sizes)
        mass = np.exp(scores - top)
        total = np.add.reduceat(mass, starts)
        return mass / np.repeat(total, sizes), np.log(total) + top[starts]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = values @ weights
        (share, everything), (meant, correct) = (
            shares(scores),
            shares(np.where(right, scores, -1e9)),
        )
        penalty = L2_WHICH / 2 * float(weights @ weights)
        return penalty + float((everything - correct).sum()), L2_WHICH * weights + values.T @ (
            share - meant
        )

    return solve(loss, BOUNDS)


def fit_here(rows: Sequence[Row], which: np.ndarray) -> np.ndarray:
    """Tell present from absent things by the words that the best row accounts for."""
    best = [int(np.argmax(row.values @ which)) for row in rows]
    kept = [
        (row, at)
        for row, at in zip(rows, best, strict=True)
        if bool(row.right[at]) or not row.is_there
    ]
    x = np.array([[*row.values[at, : len(SAID)], 1.0] for row, at in kept])
    y = np.array([row.is_there for row, _ in kept])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        z = x @ weights
        penalty = np.append(L2_HERE * weights[:-1], 0.0)
        cost = np.logaddexp(0, np.where(y, -z, z)).sum()
        total = L2_HERE / 2 * float(weights[:-1] @ weights[:-1]) + float(cost)
        return total, penalty + x.T @ (1 / (1 + np.exp(-z)) - y)

    return solve(loss, [*BOUNDS[: len(SAID)], (None, None)])


def solve(loss: object, bounds: Sequence[tuple[float | None, float | None]]) -> np.ndarray:
    begin = np.zeros(len(bounds))
    return np.asarray(minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds).x)


def best_of(row: Row, fitted: Fitted) -> tuple[float, bool]:
    """Give the probability of the best candidate of a row, and whether it is right."""
    if not row.keys:
        return 0.0, False
    scores = row.values @ fitted.which
    seen = np.array([*row.values[int(np.argmax(scores)), : len(SAID)], 1.0])
    here = float(1 / (1 + np.exp(-seen @ fitted.here)))
    belief: dict[object, float] = {}
    right: dict[object, bool] = {}
    shares = np.exp(scores - logsumexp(scores))
    for key, share, is_right in zip(row.keys, shares, row.right, strict=True):
        belief[key] = belief.get(key, 0.0) + here * float(share)
        right[key] = right.get(key, False) or bool(is_right)
    best = max(belief, key=belief.__getitem__)
    return belief[best], right[best]


def curve(rows: Sequence[Row], fitted: Fitted) -> Iterator[Threshold]:
    """Say for some thresholds how many are acted on rightly and wrongly, of how many."""
    found = [best_of(row, fitted) for row in rows]
    for act in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99):
        acted = [right for probability, right in found if probability >= act]
        there = sum(row.is_there for row in rows)
        yield Threshold(act, sum(acted), len(acted) - sum(acted), there)


def as_toml(fitted: Fitted) -> str:
    tables: Mapping[str, Mapping[str, float]] = {
        "choice": {"act": ACT, "ask": ASK, "here_constant": float(fitted.here[-1])},
        "which": dict(zip(CLUES, map(float, fitted.which), strict=True)),
        "here": dict(zip(SAID, map(float, fitted.here), strict=False)),
    }
    lines = ["# What each clue is worth. Made by `make fit` from recorded pages; not edited.\n"]
    for name, table in tables.items():
        lines.append(f"\n[{name}]\n")
        lines += [f"{clue} = {weight:.3f}\n" for clue, weight in table.items()]
    return "".join(lines)


def as_page(thresholds: Sequence[Threshold]) -> str:
    head = "| act from | acted rightly | acted wrongly | wrong of acted |\n|--:|--:|--:|--:|\n"
    lines = [
        f"| {each.act:.2f} | {each.right} of {each.there} | {each.wrong} | {each.risk:.1%} |\n"
        for each in thresholds
    ]
    return TITLE + head + "".join(lines) + ENDING


TITLE = """# Risk against coverage

Made by `python -m benchmarks.fitting --check`. The weights of this table are fitted on our own
pages and the first six held-back sets. The table is about the six sets after them, by clues alone:
without the rules that are asked first. "Wrongly" counts things that are not there as well. Marks of
the pages are not perfect: some of what counts as wrong is a part of the right thing.

"""

ENDING = """
![Risk against coverage](bench/risk.svg)

A point is a threshold, its bar the 95% interval (Wilson's).
"""


def main(arguments: Sequence[str]) -> int:
    if "--check" in arguments:
        fitted = fit(rows_in(FITTED))
        thresholds = list(curve(rows_in(CHECK_ON), fitted))
        CURVE.write_text(as_page(thresholds))
        PLOT.write_text(picture(thresholds))
        print(CURVE.read_text())
        return 0
    WEIGHTS.write_text(as_toml(fit(rows_in((FOLDER, *HELD_BACK[:-1])))))
    print(WEIGHTS.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

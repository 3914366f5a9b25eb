"""The decision of one goal: what its words could mean, by which clues, and what was done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from messages.explaining import (
    ActionReport,
    ApprovalReport,
    BindingReport,
    Explanation,
    GoalReport,
    QuestionReport,
)
from messages.targets import Clue, Considered
from tools.observer.command_graph import CommandGraph, Node
from tools.observer.drawing import Outline, clue_bar, outlined_picture, score_bar
from tools.observer.html import Child, Html, el, join
from tools.observer.lists import status_tag
from tools.observer.wording import length, short
from tools.pictures import Pictures

SHOWN = 2  # dropped candidates that are shown at once; the others can be opened
OUTLINED = 6  # dropped candidates that are outlined in the picture of the page


def decision_view(story: CommandGraph, goal: str, pictures: Pictures) -> Html:
    """Show why a goal did what it did."""
    node = story.node(goal)
    report = next((each for each in story.explanation.understood if each.goal == goal), None)
    if node is None or report is None:
        return el("p", "Choose a goal to see its decision.", cls="empty")
    explanation = story.explanation
    bound = [binding_view(each, pictures) for each in explanation.bindings if each.goal == goal]
    return join(
        [
            decision_head(node, report),
            bound or el("p", "No words were bound to things here.", cls="empty"),
            people_view(explanation, goal),
            checks_view(explanation, goal),
            actions_view([each for each in explanation.actions if each.goal == goal]),
        ]
    )


def decision_head(node: Node, report: GoalReport) -> Html:
    facts: list[tuple[str, Child]] = []
    if report.words:
        facts.append(("words", el("q", report.words, cls="data")))
    facts += [(role, el("q", words, cls="data")) for role, words in report.roles.items()]
    facts += [(name, el("code", short(str(value)))) for name, value in report.params.items()]
    facts += [(name, f"from {source}") for name, source in report.takes.items()]
    if report.waits_for:
        facts.append(("waits for", ", ".join(report.waits_for)))
    if report.gave:
        facts.append(("gave", el("span", report.gave, cls="data")))
    if report.message:
        code = el("code", report.code) if report.code else None
        facts.append(("why", el("span", code, " ", report.message, cls="data")))
    if report.near:
        facts.append(("near", ", ".join(report.near)))
    return join(
        [
            el(
                "h2",
                el("span", node.goal, cls="goal"),
                " ",
                el("span", node.does, cls="data"),
                " ",
                status_tag(node.status),
            ),
            el("dl", [(el("dt", name), el("dd", value)) for name, value in facts], cls="pairs"),
        ]
    )


@dataclass(frozen=True)
class Scale:
    """What the bars of one binding are measured by; ``heaviest`` is 0 if nothing was weighed."""

    heaviest: float
    best: int


def scale_of(bound: BindingReport) -> Scale:
    candidates = (*bound.chosen, *bound.dropped)
    weights = [abs(clue.weight or 0.0) for each in candidates for clue in each.clues]
    return Scale(max(weights, default=0.0), max((each.score for each in candidates), default=1))


@dataclass(frozen=True)
class Ranked:
    """A candidate, its number on the page, and what became of it."""

    number: int
    candidate: Considered
    kind: str
    why: str = ""


def ranked_candidates(bound: BindingReport) -> list[Ranked]:
    """Number the candidates: what was chosen, the runner-up and why not that, then the others."""
    # The report lists the options of a question as chosen, although nobody has chosen yet.
    kind = "possible" if bound.outcome == "AMBIGUOUS_TARGET" else "chosen"
    found = [(each, kind, "") for each in bound.chosen]
    for each in sorted(bound.dropped, key=lambda each: each != bound.runner_up):
        is_second = each == bound.runner_up
        why = bound.why_not if is_second else each.dropped or ""
        found.append((each, "runner-up" if is_second else "dropped", why))
    return [Ranked(number, *each) for number, each in enumerate(found, start=1)]


def binding_view(bound: BindingReport, pictures: Pictures) -> Html:
    """Show where the candidates are on the page, and each with what spoke for and against it."""
    scale, ranked = scale_of(bound), ranked_candidates(bound)
    first = len(bound.chosen) + SHOWN
    shown = [candidate_view(each, scale) for each in ranked[:first]]
    rest = [candidate_view(each, scale) for each in ranked[first:]]
    more = el("summary", f"{len(rest)} more that were dropped")
    return el(
        "section",
        el(
            "div",
            el("h3", el("q", bound.words, cls="data"), " ", el("small", bound.role)),
            [el("span", fact) for fact in binding_facts(bound, scale)],
            cls="meta",
        ),
        page_view(bound, ranked, pictures),
        el("div", shown, cls="candidates") if shown else None,
        el("details", more, el("div", rest, cls="candidates")) if rest else None,
        [
            el("p", f"not read as {each.words or ', '.join(each.goals)}: {each.why}", cls="data")
            for each in bound.other_readings
        ],
        cls="binding",
    )


def page_view(bound: BindingReport, ranked: Sequence[Ranked], pictures: Pictures) -> Html | None:
    """Show the page as it was looked at, with the candidates outlined and numbered."""
    picture = pictures.of(bound.snapshot)
    if picture is None:
        return None
    drawn = ranked[: len(bound.chosen) + OUTLINED]
    boxes = [(each, picture.boxes_of(each.candidate.id)) for each in drawn]
    unseen = [str(each.number) for each, found in boxes if not found]
    note = f"; out of view: {', '.join(unseen)}" if unseen else ""
    seen = [Outline(each.number, each.kind, box) for each, found in boxes for box in found]
    return el(
        "figure",
        outlined_picture(f"/picture?of={bound.snapshot}", picture.size, seen),
        el("figcaption", f"The page as it was looked at, with the candidates by number{note}"),
        cls="page-picture",
    )


def binding_facts(bound: BindingReport, scale: Scale) -> Iterator[str]:
    yield bound.outcome
    if bound.searched:
        yield f"{bound.searched} things seen"
    if bound.times > 1:
        yield f"looked {bound.times} times"
    if bound.near:
        yield f"near: {', '.join(bound.near)}"
    if not scale.heaviest and any(each.clues for each in bound.chosen):
        yield "settled by rules, nothing had to be weighed"


def candidate_view(ranked: Ranked, scale: Scale) -> Html:
    candidate, why = ranked.candidate, ranked.why
    by = clues_view if candidate.clues else reasons_view
    return el(
        "article",
        el(
            "h4",
            el("b", ranked.number, cls="ordinal"),
            " ",
            el("span", ranked.kind, cls="tag"),
            " ",
            el("span", candidate.name, cls="data", title=candidate.id),
            el("small", candidate.scope, cls="data"),
        ),
        el(
            "p",
            score_bar(candidate.score, scale.best),
            el("span", f"score {candidate.score}"),
            cls="score-line",
        ),
        el("p", "not this: ", el("span", why, cls="data"), cls="why-not") if why else None,
        by(candidate, scale),
        cls=f"candidate c-{ranked.kind}",
    )


def reasons_view(candidate: Considered, _scale: Scale) -> Html | None:
    if not candidate.reasons:
        return None
    return el("p", "by ", ", ".join(candidate.reasons), cls="meta data")


def clues_view(candidate: Considered, scale: Scale) -> Html:
    """Show every clue, with its weight as a bar where clues were weighed against each other."""
    head = el("th", "Clue", scope="col")
    weight = el("th", "Weight: against | for", scope="col", colspan=2) if scale.heaviest else None
    return el(
        "table",
        el("thead", el("tr", head, weight)),
        el("tbody", [clue_row(clue, scale) for clue in candidate.clues]),
        cls="clues",
    )


def clue_row(clue: Clue, scale: Scale) -> Html:
    weight = "rule" if clue.weight is None else f"{clue.weight:+.1f}"
    weighed = [
        el("td", clue_bar(clue, scale.heaviest), cls="weighed"),
        el("td", weight, cls="number"),
    ]
    return el(
        "tr",
        el("th", el("span", clue.name), " ", evidence(clue), scope="row"),
        weighed if scale.heaviest else None,
    )


def evidence(clue: Clue) -> Html | None:
    """Tell what was said and what was seen; once, if they are the same."""
    if clue.said == clue.seen:
        return el("small", el("q", short(clue.said), cls="data")) if clue.said else None
    said = ["said ", el("q", short(clue.said), cls="data"), " "] if clue.said else None
    seen = ["seen ", el("q", short(clue.seen), cls="data")] if clue.seen else None
    return el("small", said, seen)


def people_view(explanation: Explanation, goal: str) -> Html:
    asked = [question_line(each) for each in explanation.questions if each.goal == goal]
    ruled = [approval_line(each) for each in explanation.approvals if each.goal == goal]
    if not asked and not ruled:
        return Html("")
    return el("section", el("h3", "Asked of a person"), el("ul", asked, ruled, cls="plain-list"))


def question_line(asked: QuestionReport) -> Html:
    answer = "not answered" if asked.answer is None else f"answered: {asked.answer}"
    return el("li", el("span", asked.message, cls="data"), " ", el("b", answer, cls="data"))


def approval_line(each: ApprovalReport) -> Html:
    ruling = {None: "not ruled", True: "allowed", False: "forbidden"}[each.allowed]
    by = f" by a {each.by}" if each.by else ""
    return el(
        "li",
        el("span", each.kind, cls="tag"),
        " ",
        el("span", each.description, cls="data"),
        " ",
        el("b", ruling + by),
    )


def checks_view(explanation: Explanation, goal: str) -> Html:
    lines = [
        el("li", el("code", each.code), " ", each.check, " ", el("span", each.reason, cls="data"))
        for each in explanation.checks
        if each.goal == goal
    ]
    return el("section", el("h3", "Refused"), el("ul", lines)) if lines else Html("")


def actions_view(actions: Sequence[ActionReport]) -> Html:
    """Show what was done, and what was seen of it."""
    if not actions:
        return Html("")
    return el("section", el("h3", "Actions"), el("ul", map(action_line, actions), cls="plain-list"))


def action_line(done: ActionReport) -> Html:
    seen = "effect seen" if done.verified else ""
    facts = f"({', '.join(done.facts)})" if done.facts else ""
    lasting = f"cannot be undone: {done.lasting}" if done.lasting else ""
    notes = [
        length(done.ms),
        " ".join(filter(None, (seen, facts))),
        done.message,
        lasting,
        "undoable" if done.undoable else "",
    ]
    return el(
        "li",
        status_tag(done.status),
        " ",
        el("code", done.tool) if done.tool else None,
        " ",
        el("span", done.description, cls="data"),
        el("span", [el("span", note) for note in notes if note], cls="meta data"),
    )

"""What waits for a person: questions and approvals, each with what answers it."""

from collections.abc import Mapping

from messages import wire
from tools.observer.html import Child, Html, el, join
from tools.observer.layout import READ_ONLY
from tools.observer.wording import link_to, short

MOST_TARGETS = 20


def waiting_for_you(state: wire.State, titles: Mapping[str, str], *, may_act: bool) -> Html:
    """Show everything that is open, with the words of its command; nothing, if nothing is."""
    cards = [question_card(each, titles, may_act=may_act) for each in state.questions]
    cards += [approval_card(each, titles, may_act=may_act) for each in state.approvals]
    if not cards:
        return Html("")
    return join([el("h2", f"Waiting for you ({len(cards)})"), cards])


def question_card(asked: wire.Question, titles: Mapping[str, str], *, may_act: bool) -> Html:
    """Offer the options, and room for other words."""
    name = f"q-{asked.question}"
    options = [
        el(
            "button",
            el("b", option.number, aria_hidden="true"),
            el("span", option.text, cls="data"),
            type="submit",
            name="choice",
            value=option.number,
            id=f"{name}-{option.number}",
        )
        for option in asked.options
    ]
    words = asked.role != "words"
    return card(
        link_of(asked.command, titles),
        name,
        el("p", asked.message, cls="asked data", id=name),
        el(
            "form",
            el("div", options, cls="options"),
            el("input", type="hidden", name="question", value=asked.question),
            hx_post="/answer",
            hx_swap="none",
            hx_sync="this:drop",
            aria_labelledby=name,
        ),
        el(
            "form",
            el("label", "or in other words", for_=f"{name}-words"),
            el(
                "input",
                id=f"{name}-words",
                name="words",
                type="text",
                maxlength=2000,
                required=True,
                autocomplete="off",
            ),
            el("input", type="hidden", name="question", value=asked.question),
            el("button", "Answer", type="submit"),
            cls="words",
            hx_post="/answer",
            hx_swap="none",
            hx_sync="this:drop",
        )
        if words
        else None,
        may_act=may_act,
    )


def approval_card(needed: wire.ApprovalNeeded, titles: Mapping[str, str], *, may_act: bool) -> Html:
    """Show exactly what would be done, and to what."""
    name = f"a-{needed.approval}"
    shown = needed.targets[:MOST_TARGETS]
    more = max(needed.count, len(needed.targets)) - len(shown)
    return card(
        link_of(needed.command, titles),
        name,
        el(
            "p",
            el("span", needed.kind, cls="tag warn"),
            " ",
            el("span", needed.description, cls="data"),
            cls="asked",
            id=name,
        ),
        el(
            "ul",
            [el("li", target.name, cls="data", title=target.id) for target in shown],
            el("li", f"and {more} more") if more > 0 else None,
        )
        if shown
        else None,
        arguments(needed),
        el(
            "form",
            el("input", type="hidden", name="approval", value=needed.approval),
            el(
                "button",
                "Allow",
                type="submit",
                name="allow",
                value="yes",
                cls="yes",
                id=f"{name}-yes",
            ),
            el(
                "button",
                "Forbid",
                type="submit",
                name="allow",
                value="no",
                cls="no",
                id=f"{name}-no",
            ),
            cls="options",
            hx_post="/approve",
            hx_swap="none",
            hx_sync="this:drop",
            aria_labelledby=name,
        ),
        may_act=may_act,
    )


def arguments(needed: wire.ApprovalNeeded) -> Html | None:
    if not needed.arguments:
        return None
    told = [
        (el("dt", name), el("dd", short(str(value), 300), cls="data"))
        for name, value in needed.arguments.items()
    ]
    return el("details", el("summary", "with these arguments"), el("dl", told, cls="pairs"))


def link_of(command: str, titles: Mapping[str, str]) -> Html:
    """Lead to a command by what was said; by its id, if that is not known here."""
    said = short(titles.get(command, command))
    return el("a", said, href=link_to(command), cls="data", title=command)


def card(command: Html, name: str, *content: Child, may_act: bool) -> Html:
    """Put what waits into a frame of its own, with the command that waits."""
    hint = None if may_act else el("p", READ_ONLY, cls="hint")
    about = el("p", "of ", command, cls="meta")
    return el("section", join(content), hint, about, cls="card", aria_labelledby=name)

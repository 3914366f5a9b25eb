"""The page of one command: its words, its graph with a table of the same, where the time went."""

from collections.abc import Iterator, Sequence

import msgspec

from messages.explaining import Explanation
from tools.observer.command_graph import CommandGraph, Node
from tools.observer.drawing import stage_bar, time_bar
from tools.observer.html import Child, Html, el, join
from tools.observer.layout import READ_ONLY
from tools.observer.lists import status_tag
from tools.observer.wording import clock_time, length, link_to, short, title_of

MOST_SUGGESTIONS = 5
LONGEST_TITLE = 500
MOST_LISTED = 8


def story_view(story: CommandGraph, *, may_act: bool) -> Html:
    """Show a command: the head, and the table of its goals with the time line."""
    return join([story_head(story, may_act=may_act), nodes_table(story)])


def story_head(story: CommandGraph, *, may_act: bool) -> Html:
    explanation = story.explanation
    facts: list[Child] = [
        status_tag(story.status),
        el(
            "a",
            short(explanation.command, 40),
            href=link_to(explanation.command),
            cls="data",
            title="permalink",
        ),
        f"session {explanation.session or 'default'}",
        clock_time(explanation.accepted),
        length((story.end - story.begin) * 1000) if explanation.accepted else None,
        "planned only" if explanation.mode == "plan" else None,
        "by the schedule" if explanation.schedule else None,
        command_link("undone by", explanation.undone_by),
        command_link("undoes", explanation.undoes),
    ]
    return el(
        "section",
        el("h1", marked_text(explanation)),
        el("p", [el("span", fact) for fact in facts if fact], cls="meta"),
        cancel_form(story, may_act=may_act) if story.is_under_way else None,
        whole_text(explanation),
        end_lines(story),
        stage_bar(explanation.times) if explanation.times else None,
        cls="head",
        data_command=explanation.command,
        data_under_way=story.is_under_way,
    )


def command_link(words: str, command: str) -> Html | None:
    if not command:
        return None
    return join([f"{words} ", el("a", short(command, 40), href=link_to(command), cls="data")])


def marked_text(explanation: Explanation) -> Html:
    """Mark in the text the words of each goal."""
    text = explanation.text
    if not text or len(text) > LONGEST_TITLE:
        return el("span", short(title_of(explanation), LONGEST_TITLE), cls="data")
    return el("span", *marks(text, explanation), cls="data")


def whole_text(explanation: Explanation) -> Html | None:
    """Give a text that is too long for a heading, to be opened."""
    text = explanation.text or ""
    if len(text) <= LONGEST_TITLE:
        return None
    return el(
        "details", el("summary", "the whole text"), el("p", *marks(text, explanation), cls="data")
    )


def marks(text: str, explanation: Explanation) -> Iterator[Child]:
    at = 0
    spans = sorted(
        (each.span, each.goal) for each in explanation.understood if each.span is not None
    )
    for (start, end), goal in spans:
        if start < at or end > len(text):
            continue
        yield text[at:start]
        yield el("span", text[start:end], cls="clause", title=goal)
        at = end
    yield text[at:]


def cancel_form(story: CommandGraph, *, may_act: bool) -> Html:
    return el(
        "form",
        el("input", type="hidden", name="command", value=story.explanation.command),
        el(
            "button",
            "Cancel",
            type="submit",
            id="cancel",
            title=None if may_act else READ_ONLY,
        ),
        cls="cancel",
        hx_post="/cancel",
        hx_swap="none",
        hx_sync="this:drop",
    )


def end_lines(story: CommandGraph) -> Html:
    """Tell why it ended as it did, what was passed over, and what would have worked."""
    explanation = story.explanation
    lines: list[Child] = []
    if explanation.message:
        code = join([el("code", explanation.code), " "]) if explanation.code else None
        lines.append(el("p", code, short(explanation.message, LONGEST_TITLE), cls="why data"))
    lines += [
        el("p", "passed over: ", el("q", words, cls="data")) for words in explanation.passed_over
    ]
    lines += [
        el(
            "p",
            "not read as ",
            el("q", each.words or ", ".join(each.goals), cls="data"),
            f": {each.why}",
        )
        for each in explanation.dropped_readings
    ]
    if explanation.suggestions:
        shown = explanation.suggestions[:MOST_SUGGESTIONS]
        lines.append(el("p", "would have worked: ", [el("q", each, cls="data") for each in shown]))
    if explanation.cut:
        lines.append(el("p", "There were too many records; some are not shown."))
    return el("div", lines, cls="lines") if lines else Html("")


def nodes_table(story: CommandGraph) -> Html:
    """Show the goals with the time line: what the graph shows, for the keyboard and for readers."""
    if not story.nodes:
        empty = "Nothing is planned yet." if story.is_under_way else "There were no goals."
        return el("section", el("p", empty, cls="empty"), cls="nodes", data_graph=graph_data(story))
    note = None
    if not story.is_timed:
        note = el(
            "p",
            "When each action began is no longer known; the bars show how long it took.",
            cls="hint",
        )
    head = ("Goal", "Waits for", "Result", "Took", "When")
    left_out = len(story.nodes) - len(story.shown_nodes)
    return el(
        "section",
        el("h2", "Goals and time line"),
        el(
            "div",
            el(
                "table",
                el(
                    "caption",
                    "The goals of the command, in order; a goal's button shows its decision",
                    cls="hidden",
                ),
                el(
                    "thead",
                    el(
                        "tr",
                        [el("th", name, scope="col", role="columnheader") for name in head],
                        role="row",
                    ),
                    role="rowgroup",
                ),
                el("tbody", [node_row(node, story) for node in story.shown_nodes], role="rowgroup"),
                role="table",
            ),
            cls="scroll",
        ),
        el("p", f"{left_out} more goals are not shown.", cls="hint") if left_out else None,
        note,
        cls="nodes",
        data_graph=graph_data(story),
    )


def node_row(node: Node, story: CommandGraph) -> Html:
    button = el(
        "button",
        el("span", node.goal, cls="goal"),
        el("span", node.does, cls="does data"),
        el("span", short(node.words, 70), cls="words data") if node.words else None,
        type="button",
        id=f"node-{node.goal}",
        data_goal=node.goal,
        aria_pressed="false",
    )
    cells: tuple[Child, ...] = (
        button,
        goal_list(node.waits_for),
        status_tag(node.status),
        length(node.ms),
        time_bar(node, story),
    )
    names = ("pick", "waits", "result", "took", "when")
    return el(
        "tr",
        [el("td", cell, cls=name, role="cell") for name, cell in zip(names, cells, strict=True)],
        role="row",
        cls=f"r-{node.status}",
    )


def goal_list(goals: Sequence[str]) -> str:
    """Name goals; of too many the first, and how many more there are."""
    more = len(goals) - MOST_LISTED
    return ", ".join(goals[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def graph_data(story: CommandGraph) -> str:
    """Give what the graph is drawn from, as JSON."""
    nodes = [
        {
            "id": node.goal,
            "does": node.does,
            "words": short(node.words, 34),
            "status": node.status,
            "took": length(node.ms),
        }
        for node in story.shown_nodes
    ]
    data = {
        "command": story.explanation.command,
        "first": story.first_goal,
        "nodes": nodes,
        "edges": story.edges,
    }
    return msgspec.json.encode(data).decode()


def command_page(listed: Html, people: Html, story: Html, shown: str, query: str) -> Html:
    """Put the parts of the page together; each of them renews itself when something changes."""
    return el(
        "main",
        el(
            "section",
            listed,
            id="list",
            aria_label="Latest commands",
            hx_get="/fragment/list",
            hx_trigger="list-changed from:body",
            hx_sync="this:queue last",
        ),
        el(
            "div",
            el(
                "div",
                people,
                id="people",
                aria_live="polite",
                hx_get="/fragment/people",
                hx_trigger="people-changed from:body",
                hx_sync="this:queue last",
            ),
            el(
                "div",
                story,
                id="story",
                hx_get=f"/fragment/story{query}",
                hx_trigger="command-changed from:body",
                hx_sync="this:queue last",
            ),
            graph_panel(),
            el("section", id="decision", cls="decision", aria_live="polite", aria_label="Decision"),
            cls="detail",
            id="main",
            tabindex=-1,
        ),
        cls="live one" if shown else "live",
    )


def graph_panel() -> Html:
    tools = [
        el("button", sign, type="button", data_zoom=how, aria_label=name, title=name, cls="quiet")
        for sign, how, name in (
            ("+", "in", "Zoom in"),
            ("−", "out", "Zoom out"),
            ("Fit", "fit", "Fit"),
        )
    ]
    return el(
        "section",
        el("div", el("h2", "Graph"), el("div", tools, cls="tools"), cls="panel-head"),
        el(
            "div", id="graph", role="img", aria_label="The goals as a graph; the table has the same"
        ),
        cls="graph",
    )

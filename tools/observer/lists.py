"""The lists: commands as they come, those of the past, what is scheduled, what was taught."""

from collections.abc import Iterable, Sequence
from typing import get_args
from urllib.parse import urlencode

from messages import wire
from messages.explaining import PastCommand
from messages.results import CommandStatus
from tools.observer.html import Child, Html, el, join
from tools.observer.wording import clock_time, length, link_to, short, status_word, title_of, uptime

ENDED: tuple[str, ...] = get_args(CommandStatus)


def status_tag(status: str) -> Html:
    """Show a status by its word and its colour."""
    return el("span", status_word(status), cls=f"status s-{status}")


def status_of(command: PastCommand, state: wire.State) -> str:
    """Say how a command stands; one that waits for a person says so."""
    if command.status is not None:
        return command.status
    asking = {each.command for each in state.questions}
    if command.command in asking | {each.command for each in state.approvals}:
        return "asking"
    running = state.health.running if state.health is not None else ()
    return "running" if command.command in running else "queued"


def live_list(commands: Sequence[PastCommand], state: wire.State) -> Html:
    """List the latest commands; those under way stand out by their status."""
    rows = [live_row(command, status_of(command, state)) for command in commands]
    return join(
        [
            health_line(state.health),
            el("ol", rows, cls="commands") if rows else el("p", "No commands yet.", cls="empty"),
        ]
    )


def health_line(health: wire.Health | None) -> Html:
    if health is None:
        return el("p", "The daemon does not say how it is.", cls="health")
    parts = [
        f"{len(health.running)} running",
        f"{health.queued} queued",
        f"up {uptime(health.uptime)}",
    ]
    return el("p", " · ".join(parts), cls="health")


def live_row(command: PastCommand, status: str) -> Html:
    took = None if command.ended is None else length((command.ended - command.accepted) * 1000)
    return el(
        "li",
        el(
            "a",
            el("span", short(title_of(command), 160), cls="what data"),
            el(
                "span",
                status_tag(status),
                el("span", clock_time(command.accepted)),
                el("span", took) if took else None,
                el("span", short(command.session, 30), cls="data")
                if command.session != "default"
                else None,
                cls="meta",
            ),
            href=link_to(command.command),
            data_command=command.command,
        ),
    )


def titles_of(commands: Iterable[PastCommand]) -> dict[str, str]:
    """Name commands by what was said."""
    return {command.command: title_of(command) for command in commands}


def history_view(search: str, status: str, results: Html) -> Html:
    """Give the form that searches, and what was found."""
    options = [
        ("", "any status"),
        ("running", "not ended"),
        *((each, status_word(each)) for each in ENDED),
    ]
    form = el(
        "form",
        el("label", "Search", for_="search"),
        el(
            "input",
            id="search",
            name="search",
            type="search",
            value=search,
            maxlength=200,
            autocomplete="off",
            placeholder="words of a command",
        ),
        el("label", "Status", for_="status"),
        el(
            "select",
            [el("option", name, value=value, selected=value == status) for value, name in options],
            id="status",
            name="status",
        ),
        el("button", "Search", type="submit"),
        cls="search",
        role="search",
        action="/history",
        method="get",
        hx_get="/fragment/history",
        hx_trigger="submit, change, input delay:250ms from:#search",
        hx_target="#results",
        hx_sync="this:replace",
    )
    return el(
        "main",
        el("h1", "History"),
        form,
        el("div", results, id="results", aria_live="polite"),
        id="main",
        cls="wide",
    )


def history_results(found: wire.Histories, state: wire.State, search: str, status: str) -> Html:
    if not found.commands:
        return el("p", "No command was found.", cls="empty")
    older = urlencode({"search": search, "status": status, "before": found.next or ""})
    head = ("Command", "Result", "Accepted", "Took", "Session", "Notes")
    rows = [
        (
            el("a", short(title_of(command), 200), href=link_to(command.command), cls="data"),
            status_tag(status_of(command, state)),
            clock_time(command.accepted),
            None if command.ended is None else length((command.ended - command.accepted) * 1000),
            el("span", short(command.session, 40), cls="data"),
            notes_on(command),
        )
        for command in found.commands
    ]
    more = el("p", el("a", "Older commands", href=f"/history?{older}")) if found.next else None
    return join([table("Commands of the past", head, rows), more])


def notes_on(command: PastCommand) -> Html:
    notes: list[Child] = []
    if command.mode == "plan":
        notes.append("planned only")
    if command.schedule:
        notes.append("by the schedule")
    for word, other in (("undone by", command.undone_by), ("undoes", command.undoes)):
        if other:
            notes.append(join([f"{word} ", el("a", short(other, 20), href=link_to(other))]))
    return join([el("span", note, cls="note") for note in notes])


def schedule_view(entries: Sequence[wire.Scheduled]) -> Html:
    """Show what is due later, in the order in which it comes."""
    rows = [
        (
            el("span", entry.kind, cls="tag"),
            el("span", entry.text or entry.name, cls="data"),
            el("span", entry.said, cls="data"),
            clock_time(entry.due),
            length(None if entry.left is None else entry.left * 1000),
            entry.state,
        )
        for entry in entries
    ]
    head = ("Kind", "What", "As it was said", "Due", "In", "State")
    return list_page("Schedule", "Nothing is scheduled.", head, rows)


def recipes_view(recipes: Sequence[wire.TaughtRecipe]) -> Html:
    """Show the recipes that were taught; one that is wrong says what is wrong."""
    rows = [
        (
            el("strong", recipe.name, cls="data"),
            el("q", recipe.say, cls="data") if recipe.say else None,
            recipe.steps or None,
            el("span", ", ".join(recipe.values), cls="data"),
            el("span", recipe.problem, cls="bad data") if recipe.problem else "can be run",
        )
        for recipe in recipes
    ]
    head = ("Name", "Say", "Steps", "Values", "State")
    return list_page("Recipes", "No recipe was taught yet.", head, rows)


def list_page(title: str, empty: str, head: Sequence[str], rows: Sequence[Sequence[Child]]) -> Html:
    content = table(title, head, rows) if rows else el("p", empty, cls="empty")
    return el("main", el("h1", title), content, id="main", cls="wide")


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Child]]) -> Html:
    """Make a table whose cells know their column, for where it is narrow."""
    body = [
        el("tr", [el("td", cell, data_label=name) for name, cell in zip(head, row, strict=True)])
        for row in rows
    ]
    return el(
        "table",
        el("caption", caption, cls="hidden"),
        el("thead", el("tr", [el("th", name, scope="col") for name in head])),
        el("tbody", body),
        cls="rows",
    )

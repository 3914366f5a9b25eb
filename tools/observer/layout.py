"""The frame around every page, and the pages that stand for themselves."""

from dataclasses import dataclass

from tools.observer.html import Child, Html, el, join

HTMX_SETTINGS = (
    '{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,'
    '"historyCacheSize":0,"refreshOnHistoryMiss":true,"defaultSwapStyle":"innerHTML"}'
)
VIEWS = (("/", "Live"), ("/history", "History"), ("/schedule", "Schedule"), ("/recipes", "Recipes"))
READ_ONLY = "Read-only: to answer from here, start Behest with --observe-act."


@dataclass(frozen=True)
class Frame:
    """What every page of a session has."""

    csrf: str
    may_act: bool


def page(frame: Frame, path: str, title: str, *content: Child, shown: str = "") -> Html:
    """Put a view into the frame; ``shown`` is the command that it is about."""
    return document(
        title,
        el(
            "body",
            el("a", "Skip to content", cls="skip", href="#main"),
            header(frame, path),
            el("p", cls="banner", id="banner", role="status", hidden=True),
            el("p", cls="notice", id="notice", role="status", hidden=True),
            join(content),
            data_command=shown,
            hx_headers=f'{{"X-Behest-Csrf":"{frame.csrf}"}}',
        ),
        scripts=True,
    )


def header(frame: Frame, path: str) -> Html:
    links = [
        el("a", name, href=where, aria_current="page" if where == path else None)
        for where, name in VIEWS
    ]
    return el(
        "header",
        el("a", el("span", cls="mark", aria_hidden="true"), "Behest", cls="brand", href="/"),
        el("nav", links, aria_label="Views"),
        el("span", cls="spacer"),
        None if frame.may_act else el("span", "read-only", cls="tag", title=READ_ONLY),
        el("button", "◐ Theme", type="button", id="theme", cls="quiet", aria_label="Switch theme"),
        cls="top",
    )


def document(title: str, body: Html, *, scripts: bool, refresh: bool = False) -> Html:
    """Make a whole document. Cytoscape's own style element is stood in for by a file of ours."""
    names = ("htmx.min.js", "cytoscape.min.js", "cytoscape-dagre.min.js")
    sources = [*(f"/static/vendor/{name}" for name in names), "/static/page.js"]
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="htmx-config", content=HTMX_SETTINGS) if scripts else None,
        el("meta", http_equiv="refresh", content="0;url=/") if refresh else None,
        el("title", f"{title} – Behest"),
        el("link", rel="icon", href="/static/icon.svg"),
        el("link", rel="stylesheet", href="/static/style.css", id="__________cytoscape_stylesheet"),
        el("script", src="/static/theme.js"),
        [el("script", src=source, defer=True) for source in sources] if scripts else None,
    )
    return join([Html("<!doctype html>"), el("html", head, body, lang="en")])


def plain_page(title: str, *content: Child) -> Html:
    """Make a page for whoever is not let in, or not yet."""
    main = el("main", el("h1", title), join(content), cls="plain", id="main")
    return document(title, el("body", main), scripts=False)


def refusal_page() -> Html:
    return plain_page(
        "This page needs a link",
        el("p", "A link opens the page once, in one browser, and is good for ten minutes."),
        el(
            "p",
            "For another, ",
            el("a", "have a new link printed", href="/enter"),
            " where Behest was started, and open that one.",
        ),
    )


def announced_page(*, printed: bool) -> Html:
    said = (
        "A new link was printed where Behest was started (its standard error). Open that one."
        if printed
        else "A link was printed a moment ago where Behest was started. Use that one, or try again "
        "in ten seconds."
    )
    return plain_page("Open the printed link", el("p", said))


def dead_link_page() -> Html:
    return plain_page(
        "This link was used already, or is too old",
        el("p", "Every link opens the page once. If it was not you who used it, stop Behest."),
        el("p", el("a", "Have a new link printed", href="/enter"), " where Behest was started."),
    )


def entered_page() -> Html:
    """Lead on into the page. Not by a redirect: after it, a strict cookie would not be sent."""
    return document(
        "Welcome",
        el("body", el("main", el("h1", el("a", "Open the page", href="/")), cls="plain")),
        scripts=False,
        refresh=True,
    )

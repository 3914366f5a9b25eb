"""Trac: the tickets, milestones and wiki of a small project."""

from pathlib import Path

from tests.apps.serving import HERE, Record, State, WebApp, keyed, read_rows

COOKIE = "5f0e1a6c2b9d48f7a3c41e0d9b87a652"
TICKETS = """
select id, type, component, severity, priority, owner, reporter, cc, version, milestone, status,
       resolution, summary, description, keywords from ticket
"""
COMMENTS = """
select ticket, newvalue as text from ticket_change
where field = 'comment' and newvalue <> '' order by ticket, time
"""
PAGES = """
select name, text from wiki w
where version = (select max(version) from wiki where name = w.name)
"""
PLANS = {
    "milestone": """
select name, date(nullif(due, 0) / 1000000, 'unixepoch') as due, completed <> 0 as completed,
       description from milestone""",
    "component": "select name, owner, description from component",
    "version": "select name, description from version",
    "report": "select id, title, query from report",
    "permission": "select username || ' ' || action as id from permission",
    "option": "select type || ' ' || name as id, value from enum",
}


class App(WebApp):
    """A project called Orchard; the browser is signed in as ada, its administrator."""

    name = "trac"

    def seed(self, folder: Path) -> None:
        script = HERE / "inside" / "trac_seed.py"
        self.run_inside(str(script), str(folder / "env"), COOKIE, folder=folder)

    def command(self) -> list[str]:
        tracd = str(self.home / "bin" / "tracd")
        options = ["--single-env", "--hostname", "127.0.0.1", "--port", str(self.port)]
        return [tracd, *options, str(self.data / "env")]

    def cookies(self) -> dict[str, str]:
        return {"trac_auth": COOKIE}

    def state(self) -> State:
        database = self.data / "env" / "db" / "trac.db"
        state: State = {kind: by_key(database, query) for kind, query in PLANS.items()}
        state["page"] = keyed(read_rows(database, PAGES), "name")
        state["ticket"] = keyed(read_rows(database, TICKETS))
        for ticket in state["ticket"].values():
            ticket["comments"] = []
        for row in read_rows(database, COMMENTS):
            state["ticket"][str(row["ticket"])]["comments"].append(row["text"])
        return state


def by_key(database: Path, query: str) -> dict[str, Record]:
    """Records by their first column."""
    rows = read_rows(database, query)
    return keyed(rows, next(iter(rows[0]))) if rows else {}

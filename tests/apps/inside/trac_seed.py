# mypy: ignore-errors
"""Fill a new Trac environment: ``trac_seed.py FOLDER COOKIE``."""

import sys
import time
from datetime import UTC, datetime

from trac.env import Environment
from trac.perm import PermissionSystem
from trac.ticket.model import Component, Milestone, Ticket, Version
from trac.wiki.model import WikiPage

OPTIONS = [
    ("project", "name", "Orchard"),
    ("project", "descr", "Planning software for fruit growers"),
    ("trac", "database", "sqlite:db/trac.db"),
    ("trac", "check_auth_ip", "disabled"),
    ("trac", "use_xsendfile", "disabled"),
    ("ticket", "restrict_owner", "disabled"),
    ("components", "trac.versioncontrol.*", "disabled"),
    ("logging", "log_type", "none"),
]
COMPONENTS = [("forecast", "ada"), ("map", "grace"), ("import", "linus"), ("reports", "ada")]
MILESTONES = [
    ("Blossom", datetime(2023, 4, 30, 16, tzinfo=UTC), True, "First release."),
    ("Harvest", datetime(2031, 9, 15, 16, tzinfo=UTC), False, "Weights and crates."),
    ("Winter", datetime(2031, 12, 20, 16, tzinfo=UTC), False, "Pruning plans."),
]
VERSIONS = ["1.0", "1.1", "2.0"]
TICKETS = [
    ("Frost warning arrives too late", "defect", "critical", "forecast", "Harvest", "ada"),
    ("Map forgets the zoom level", "defect", "minor", "map", "Harvest", "grace"),
    ("Import rows from a spreadsheet", "enhancement", "major", "import", "Winter", "linus"),
    ("Weekly report shows the wrong week", "defect", "major", "reports", "Harvest", "ada"),
    ("Show humidity beside temperature", "enhancement", "minor", "forecast", "Winter", "ada"),
    ("Crash when a field has no name", "defect", "blocker", "map", "Harvest", "grace"),
    ("Translate the menu into Italian", "task", "trivial", "reports", "Winter", "linus"),
    ("Import stops at the first empty line", "defect", "major", "import", "Harvest", "linus"),
    ("Print the harvest plan on one page", "enhancement", "minor", "reports", "", "ada"),
    ("Login page has a typo", "defect", "trivial", "map", "Blossom", "grace"),
    ("Slow map on old phones", "defect", "major", "map", "Winter", "grace"),
    ("Rain totals are off by one day", "defect", "critical", "forecast", "Harvest", "ada"),
]
PAGES = {
    "WikiStart": "= Orchard =\nWelcome.\n * [wiki:ReleaseNotes Release notes]\n"
    " * [wiki:MeetingNotes Meeting notes]\n * [wiki:StyleGuide Style guide]",
    "ReleaseNotes": "= Release notes =\n1.1 brought the map.",
    "MeetingNotes": "= Meeting notes =\nNext meeting on Monday.",
    "StyleGuide": "= Style guide =\nShort sentences.",
}


def seed_plan(env):
    for name in ("component1", "component2"):
        Component(env, name).delete()
    for name in ("milestone1", "milestone2", "milestone3", "milestone4"):
        Milestone(env, name).delete()
    for name in ("1.0", "2.0"):
        Version(env, name).delete()
    for name, owner in COMPONENTS:
        component = Component(env)
        component.name, component.owner = name, owner
        component.insert()
    for name, due, is_done, text in MILESTONES:
        milestone = Milestone(env)
        milestone.name, milestone.due, milestone.description = name, due, text
        milestone.completed = due if is_done else None
        milestone.insert()
    for name in VERSIONS:
        version = Version(env)
        version.name = name
        version.insert()


def seed_tickets(env):
    for summary, kind, priority, component, milestone, owner in TICKETS:
        ticket = Ticket(env)
        ticket.populate(
            {
                "summary": summary,
                "type": kind,
                "priority": priority,
                "component": component,
                "milestone": milestone,
                "owner": owner,
                "reporter": "grace",
                "status": "new",
                "description": f"{summary}. Seen in the test orchard.",
            }
        )
        ticket.insert()
    closed = Ticket(env, 10)
    closed["status"], closed["resolution"] = "closed", "fixed"
    closed.save_changes("grace", "Mended.")


def seed_pages(env):
    for name, text in PAGES.items():
        page = WikiPage(env, name)
        page.text = text
        page.save("ada", "")


def seed_people(env, cookie):
    rights = PermissionSystem(env)
    rights.grant_permission("ada", "TRAC_ADMIN")
    for name in ("grace", "linus"):
        rights.grant_permission(name, "TICKET_ADMIN")
    row = (cookie, "ada", "", int(time.time()))
    env.db_transaction("INSERT INTO auth_cookie (cookie,name,ipnr,time) VALUES (%s,%s,%s,%s)", row)


def main():
    folder, cookie = sys.argv[1:]
    env = Environment(folder, create=True, options=OPTIONS)
    seed_plan(env)
    seed_tickets(env)
    seed_pages(env)
    seed_people(env, cookie)
    env.shutdown()


if __name__ == "__main__":
    main()

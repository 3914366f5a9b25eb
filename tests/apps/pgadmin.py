"""pgAdmin: the servers, groups and accounts of a database administrator.

The registered servers do not run; the chores are about pgAdmin's own data.
"""

import shutil
from pathlib import Path

from tests.apps.serving import HERE, State, WebApp, keyed, read_rows, sign_in

ADA = "ada@example.org"
PASSWORD = "engine1843"  # noqa: S105
PEOPLE = ("grace@example.org", "linus@example.org", "ines@example.org")
SERVERS = """
select id, name, servergroup_id as "group", host, port, maintenance_db as database, username,
       comment, shared from server
"""
PEOPLE_QUERY = """
select u.id, u.email, u.active, group_concat(r.name) as role
from user u left join roles_users ru on ru.user_id = u.id left join role r on r.id = ru.role_id
group by u.id
"""
# The language is written by the application itself whenever somebody signs in.
PREFERENCES = """
select p.name || ' of ' || c.name || ' for ' || u.uid as id, u.value
from user_preferences u join preferences p on p.id = u.pid
join preference_category c on c.id = p.cid
where p.name != 'user_language'
"""
GROUPS = "select id, name from servergroup where user_id = 1"
CONFIG = "config_local.py"


class App(WebApp):
    """Ada administers eight servers in four groups, and three other accounts."""

    name = "pgadmin"
    ready_path = "/misc/ping"
    loaded_text = "Production"

    @property
    def package(self) -> Path:
        return next((self.home / "lib").glob("python*/site-packages/pgadmin4"))

    def seed(self, folder: Path) -> None:
        shutil.copyfile(HERE / "inside" / "pgadmin_config.py", folder / CONFIG)
        setup = str(self.package / "setup.py")
        self.run_inside(setup, "setup-db", folder=folder)
        servers = str(HERE / "inside" / "pgadmin_servers.json")
        self.run_inside(setup, "load-servers", servers, "--user", ADA, folder=folder)
        for email in PEOPLE:
            self.run_inside(setup, "add-user", email, PASSWORD, "--role", "User", folder=folder)

    def command(self) -> list[str]:
        return [str(self.home / "bin" / "python"), str(self.package / "pgAdmin4.py")]

    def environment(self, folder: Path) -> dict[str, str]:
        return {
            **super().environment(folder),
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PGADMIN_PORT": str(self.port),
            "PGADMIN_SETUP_EMAIL": ADA,
            "PGADMIN_SETUP_PASSWORD": PASSWORD,
        }

    def cookies(self) -> dict[str, str]:
        fields = {"email": ADA, "password": PASSWORD, "internal_button": "Login"}
        action, pattern = self.base + "/authenticate/login", r'"csrfToken": "([^"]+)"'
        return sign_in(self.base + "/login", fields, "csrf_token", pattern, action)

    def state(self) -> State:
        database = self.data / "pgadmin4.db"
        return {
            "server": keyed(read_rows(database, SERVERS)),
            "group": keyed(read_rows(database, GROUPS)),
            "user": keyed(read_rows(database, PEOPLE_QUERY)),
            "preference": keyed(read_rows(database, PREFERENCES)),
        }

"""Wagtail: the web site of a botanical garden."""

from pathlib import Path

from tests.apps.serving import HERE, State, WebApp, keyed, read_rows, sign_in

PAGES = """
select p.id, p.title, p.draft_title, p.slug, p.live, p.has_unpublished_changes as unpublished,
       (select q.title from wagtailcore_page q
        where q.path = substr(p.path, 1, length(p.path) - 4)) as parent,
       s.intro, s.body, e.date, e.place,
       case when e.price is not null then printf('%.2f', e.price) end as price
from wagtailcore_page p
left join garden_standardpage s on s.page_ptr_id = p.id
left join garden_eventpage e on e.page_ptr_id = p.id
"""
USERS = """
select u.id, u.username, u.first_name, u.last_name, u.email, u.is_active, u.is_superuser,
       (select group_concat(g.name) from auth_user_groups ug
        join auth_group g on g.id = ug.group_id where ug.user_id = u.id) as groups
from auth_user u
"""
IMAGES = """
select i.id, i.title, c.name as collection from wagtailimages_image i
join wagtailcore_collection c on c.id = i.collection_id
"""
REDIRECTS = """
select id, old_path, redirect_link as target, is_permanent from wagtailredirects_redirect
"""
TABLES = {
    "page": PAGES,
    "plant": "select id, name, family, height, is_rare as rare from garden_plant",
    "gardener": "select id, name, duty from garden_gardener",
    "user": USERS,
    "group": "select id, name from auth_group",
    "image": IMAGES,
    "collection": "select id, name from wagtailcore_collection",
    "redirect": REDIRECTS,
    "document": "select id, title from wagtaildocs_document",
    "site": "select id, hostname, port, site_name from wagtailcore_site",
}


class App(WebApp):
    """Ada administers the site."""

    name = "wagtail"
    ready_path = "/admin/login/"

    def seed(self, folder: Path) -> None:
        (folder / "garden_migrations").mkdir()
        (folder / "garden_migrations" / "__init__.py").touch()
        self.run_inside(str(HERE / "inside" / "wagtail_seed.py"), folder=folder)

    def command(self) -> list[str]:
        django = [str(self.home / "bin" / "python"), "-m", "django", "runserver"]
        return [*django, "--noreload", f"127.0.0.1:{self.port}"]

    def environment(self, folder: Path) -> dict[str, str]:
        return {
            **super().environment(folder),
            "PYTHONPATH": f"{folder}:{HERE / 'inside'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "DJANGO_SETTINGS_MODULE": "garden.settings",
        }

    def cookies(self) -> dict[str, str]:
        fields = {"username": "ada", "password": "engine1843", "next": "/admin/"}
        token = "csrfmiddlewaretoken"  # noqa: S105
        pattern = f'name="{token}" value="([^"]+)"'
        return sign_in(self.base + "/admin/login/", fields, token, pattern)

    def state(self) -> State:
        database = self.data / "garden.db"
        return {kind: keyed(read_rows(database, query)) for kind, query in TABLES.items()}

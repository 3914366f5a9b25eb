# mypy: ignore-errors
"""Fill the site of the garden in the folder this is run in."""

import os
import sys
from datetime import date
from io import BytesIO

sys.path.insert(0, os.getcwd())
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["DJANGO_SETTINGS_MODULE"] = "garden.settings"

import django
from django.core.files.images import ImageFile
from django.core.management import call_command

PAGES = [
    ("About the garden", "Founded in 1871", "<p>Four hectares by the river.</p>"),
    ("Opening hours", "Daily from nine to six", "<p>Closed on the first of January.</p>"),
    ("Contact", "Write or call", "<p>River Road 12.</p>"),
    ("Jobs", "Work with us", "<p>We look for a tree keeper.</p>"),
]
EVENTS = [
    ("Orchid show", date(2031, 2, 14), "Palm house", "8.00", True),
    ("Seed swap", date(2031, 3, 8), "Courtyard", "0.00", True),
    ("Night of the bats", date(2031, 8, 29), "North gate", "5.50", True),
    ("Seed swap", date(2031, 10, 11), "Greenhouse", "0.00", True),
    ("Pruning course", date(2031, 11, 7), "Orchard", "25.00", False),
]
PLANTS = [
    ("Banana", "Musaceae", 400, False),
    ("Dragon tree", "Asparagaceae", 900, True),
    ("English oak", "Fagaceae", 2500, False),
    ("Ginkgo", "Ginkgoaceae", 1800, False),
    ("Lady's slipper", "Orchidaceae", 45, True),
    ("Lavender", "Lamiaceae", 60, False),
    ("Silver birch", "Betulaceae", 2000, False),
    ("Titan arum", "Araceae", 250, True),
]
GARDENERS = [("Ines Moreira", "Palm house"), ("Tom Baker", "Rose beds"), ("Olu Adeyemi", "Alpines")]
PEOPLE = [
    ("grace", "Grace", "Hopper", "grace@example.org", "Editors"),
    ("linus", "Linus", "Pauling", "linus@example.org", "Moderators"),
    ("marie", "Marie", "Curie", "marie@example.org", "Editors"),
]
IMAGES = [("Rose in bloom", "red"), ("Palm house at dusk", "orange"), ("Map of the paths", "gray")]


def seed_pages():
    from wagtail.models import Page, Site

    from garden.models import EventPage, StandardPage

    root = Page.objects.get(depth=1)
    Page.objects.filter(depth=2).delete()
    root.refresh_from_db()
    home = root.add_child(instance=StandardPage(title="Botanical Garden", slug="home"))
    Site.objects.all().delete()
    Site.objects.create(
        hostname="127.0.0.1", root_page=home, is_default_site=True, site_name="Garden"
    )
    for title, intro, body in PAGES:
        publish(home.add_child(instance=StandardPage(title=title, intro=intro, body=body)))
    events = home.add_child(instance=StandardPage(title="Events", intro="What is on"))
    for title, day, place, price, is_live in EVENTS:
        page = EventPage(title=title, date=day, place=place, price=price, live=is_live)
        events.add_child(instance=page)
        if is_live:
            publish(page)
        else:
            page.save_revision()


def publish(page):
    page.save_revision().publish()


def seed_snippets():
    from garden.models import Gardener, Plant

    for name, family, height, is_rare in PLANTS:
        Plant.objects.create(name=name, family=family, height=height, is_rare=is_rare)
    for name, duty in GARDENERS:
        Gardener.objects.create(name=name, duty=duty)


def seed_people():
    from django.contrib.auth.models import Group, User

    User.objects.create_superuser("ada", "ada@example.org", "engine1843", first_name="Ada")
    for username, first, last, email, group in PEOPLE:
        user = User.objects.create_user(
            username, email, "cobol1959", first_name=first, last_name=last
        )
        user.groups.add(Group.objects.get(name=group))


def seed_images():
    from PIL import Image as Picture
    from wagtail.images.models import Image
    from wagtail.models import Collection

    Collection.get_first_root_node().add_child(name="Summer")
    for title, colour in IMAGES:
        data = BytesIO()
        Picture.new("RGB", (320, 200), colour).save(data, "PNG")
        data.seek(0)
        name = title.lower().replace(" ", "-") + ".png"
        Image.objects.create(title=title, file=ImageFile(data, name=name))


def main():
    django.setup()
    call_command("makemigrations", "garden", verbosity=0)
    call_command("migrate", verbosity=0)
    seed_pages()
    seed_snippets()
    seed_people()
    seed_images()
    call_command("rebuild_references_index", verbosity=0)


if __name__ == "__main__":
    main()

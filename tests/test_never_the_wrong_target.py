"""Words that were once taken for the wrong thing bind what they mean, or nothing at all."""

import json
import os
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from messages.targets import Failure, Options, Recent, Success
from messages.verbs import load_verbs
from messages.worlds import Thing, World
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.target_worlds import PLAIN, finding, offered, refused, thing, world
from tools.text_world.bundle import BadBundle, load_bundle

NEAR = ["room", "inventory"]
ONE_NEAR = {"rules": {"direct": {}}, "scopeProfile": {"direct": NEAR}}
VERBS = load_verbs(
    {
        "take": {
            "rules": {"direct": {}, "directIndirect": {"acceptedRelations": ["from", "off"]}},
            "scopeProfile": {"direct": NEAR, "indirect": NEAR},
            "sets": ["direct"],
            "interchangeable": True,
        },
        "grab": {
            "rules": {"directIndirect": {"acceptedRelations": ["from"]}},
            "scopeProfile": {"direct": NEAR, "indirect": NEAR},
            "sets": ["direct", "indirect"],
        },
        "put": {
            "rules": {"directIndirect": {"acceptedRelations": ["in", "on", "under"]}},
            "scopeProfile": {"direct": NEAR, "indirect": NEAR},
            "sets": ["direct"],
        },
        "give": {
            "rules": {"directIndirect": {"acceptedRelations": ["to"]}},
            "scopeProfile": {"direct": NEAR, "indirect": ["room"]},
            "sets": ["direct"],
        },
        "go": {
            "rules": {"direct": {}, "indirect": {"acceptedRelations": ["to"]}},
            "scopeProfile": {"direct": ["exits"], "indirect": ["exits"]},
        },
        "delete": {**ONE_NEAR, "sets": ["direct"]},
        "read": {**ONE_NEAR, "precedence": "pool"},
        "click": ONE_NEAR,
        "turn off": ONE_NEAR,
    }
)


# Helpers


def meaning(text: str, where: World, options: Options = PLAIN) -> str:
    """What a text binds, as "pen to bob, cup to bob"; or the code of its refusal."""
    outcome = finding(text, where, options, verbs=VERBS).outcome
    if isinstance(outcome, Failure):
        return outcome.code
    return ", ".join(said(outcome))


def said(outcome: Success) -> Iterator[str]:
    for binding in outcome.bindings:
        parts = [binding.direct_target.id] if binding.direct_target else []
        if binding.indirect_target:
            parts += [outcome.relation_token_canonical or "", binding.indirect_target.id]
        yield " ".join(parts)


def each(*names: str, kind: str = "thing") -> list[Thing]:
    """Things in the hall, whose ids are their names."""
    return [thing(name, kind=kind) for name in names]


def alike(name: str, *ids: str, kind: str = "thing") -> list[Thing]:
    """Things of one name."""
    return [thing(name, as_id=as_id, kind=kind) for as_id in ids]


def opened(name: str, as_id: str | None = None) -> Thing:
    return thing(name, as_id=as_id, kind="container", state=["open"])


def hub(**rooms: str) -> World:
    """A room with nothing but ways out, by direction and the name of the room they lead to."""
    exits = {direction: f"to-{direction}" for direction in rooms}
    places = [thing(rooms[way], None, as_id=to, kind="room") for way, to in exits.items()]
    here = thing("hub", None, kind="room", exits=exits)
    return World((here, thing("you", "hub", as_id="me", kind="player"), *places), "me")


PEOPLE = each("Anna", "Ben", "Bob", kind="person")
TITLES = (
    "Books of Blood",
    "In Cold Blood",
    "The Second Sex",
    "Catch-22",
    "Fahrenheit 451",
    "War and Peace",
    "All",
    "Emma",
)
WORLDS = {
    "lockers": world(
        opened("locker 2", "l2"),
        opened("locker 1", "l1"),
        thing("key", "l1", as_id="k1"),
        thing("key", "l2", as_id="k2"),
    ),
    "beds": world(
        *each("bed 2", "bed 1"),
        thing("chart", "bed 2", as_id="c2", relation="on"),
        thing("chart", "bed 1", as_id="c1", relation="on"),
    ),
    "bed": world(thing("bed 7"), thing("chart", "bed 7", relation="on"), *alike("chart", "loose")),
    "files": world(*each("a.txt", "b.txt", "file 1", "file 2", "all.txt", kind="file")),
    "list": world(*each("to do list.txt", "done list.txt", kind="file")),
    "library": world(*each(*TITLES, kind="book")),
    "form": world(*each("User name", "First name", "Last name", "Maiden name", kind="field")),
    "lift": world(*each("Second floor", "First floor", kind="button")),
    "folders": world(*each("All files", "Old files", kind="folder")),
    "links": world(*each("Home", "Last", "About", "About us", "From", "#2", kind="link")),
    "buttons": world(*each("Sign in", "Add to cart", "Help", "×", kind="button")),
    "bob's coin": world(*PEOPLE, thing("coin", owner="Bob")),
    "phones": world(
        *PEOPLE,
        thing("phone", as_id="anna's", owner="Anna"),
        thing("phone", as_id="ben's", owner="Ben"),
        thing("phone", as_id="mine", owner="me"),
    ),
    "orders": world(thing("My orders", kind="link")),
    "my report": world(*each("report.pdf", "my report.pdf", kind="file")),
    "apples": world(thing("table"), *alike("apple", "a1", "a2", "a3")),
    "eggs": world(*alike("egg", "e1", "e2", "e3")),
    "two phones": world(thing("Ann", kind="person"), *alike("phone", "p1", "p2")),
    "decks": hub(up="deck 2", east="deck 3"),
    "ways": hub(north="Bob's study", south="road to town"),
    "duel": world(
        *each("Tom", "Ann", "guard", kind="person"),
        thing("ring", owner="Tom"),
        thing("sword", owner="guard"),
    ),
    "desks": world(
        thing("Sue", kind="person"),
        thing("desk", as_id="hers", owner="Sue"),
        thing("desk", as_id="another"),
        thing("laptop", "another", as_id="other laptop", relation="on"),
        thing("laptop", "hers", as_id="her laptop", relation="on"),
    ),
    "guards": world(
        *alike("guard", "g1", "g2", kind="person"),
        thing("book", as_id="of g2", owner="g2"),
        thing("book", as_id="of g1", owner="g1"),
    ),
    "two places": world(
        *map(opened, ("box", "bag", "cup")),
        thing("coin", "box", as_id="c1"),
        thing("coin", "bag", as_id="c2"),
        thing("coin", as_id="c3"),
        thing("pen", "box"),
    ),
    "polite": world(
        *each("Me", "Please Please Me", "Both Sides Now", "Now You See Me", kind="book")
    ),
    "kit": world(thing("first aid kit")),
    "reports": world(
        *each("report.pdf", "report.txt", "report (1).pdf", "report 2.pdf", kind="file")
    ),
    "pods": world(*each("pod 1", "pod 2", "pod 10", "pod A")),
    "Mrs": world(thing("Mrs. Smith", kind="person"), thing("pen")),
    "Smiths": world(*each("Mrs. Smith", "Mr. Smith", kind="person"), thing("pen")),
    "glasses": world(thing("reading glasses")),
    "men": world(
        *each(
            *("Of Mice and Men", "Three Men in a Boat", "Books of Blood", "In Cold Blood"),
            kind="book",
        )
    ),
    "ink": world(opened("box"), opened("bag"), thing("ink", "box"), thing("cup")),
    "prepositions": world(
        *each("On the Road", "In Cold Blood", kind="book"), *each("in tray", "off switch")
    ),
    "marks": world(
        *each(
            *("What Is to Be Done?", "Who's Afraid of Virginia Woolf?", "Where's Wally?"),
            *("What's new?", '"Quoted"'),
            kind="book",
        )
    ),
    "called": world(
        thing("Alice", kind="person"),
        *each(
            *("The Handmaid's Tale", "Bob's Book", "Here", "From Here to Eternity"),
            "Alice's Adventures in Wonderland",
            kind="book",
        ),
    ),
    "flock": world(*alike("sheep", "s1", "s2", "s3", kind="animal"), thing("goat", kind="animal")),
    "soup": world(*alike("can of soup", "t1", "t2", "t3")),
}
NOT_FOUND, AMBIGUOUS = "TARGET_NOT_FOUND", "AMBIGUOUS_TARGET"
TOO_MUCH = "FORM_INDIRECT_NOT_SUPPORTED"
TWO_SPOKEN_OF = Options(recent=Recent(them=("a.txt", "b.txt")))

Said = tuple[str, str, str]


def table(*rows: Said) -> pytest.MarkDecorator:
    """Rows of a world, a text, and what it means there."""
    ids = [f"{text} [{where}]" for where, text, _ in rows]
    return pytest.mark.parametrize(("where", "text", "meant"), rows, ids=ids)


# Names


@table(
    ("lockers", "take the key in locker 1", "k1"),
    ("lockers", "take the key in locker 2", "k2"),
    ("lockers", "take everything in locker 1", "k1"),
    ("lockers", "take the key from locker 1", "k1 from l1"),
    ("lockers", "put the key in locker 1 in locker 2", "k1 in l2"),
    ("beds", "take the chart on bed 1", "c1"),
    ("bed", "take the chart on bed 7", "chart"),
    ("decks", "go to deck 2", "to hub.up"),
    ("decks", "go to deck 3", "to hub.east"),
    ("pods", "take pod 2", "pod 2"),
    ("pods", "take pod A", "pod A"),
)
def test_a_number_that_is_part_of_a_name_is_not_counted(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("form", "click the First name field", "First name"),
    ("form", "click the last name field", "Last name"),
    ("lift", "click the second floor button", "Second floor"),
    ("lift", "click the first floor button", "First floor"),
    ("folders", "take the All files folder", "All files"),
    ("files", "take the all.txt file", "all.txt"),
    ("files", "take all.txt", "all.txt"),
    ("links", "click the Last link", "Last"),
    ("buttons", "click the Sign in button", "Sign in"),
    ("buttons", "click the Add to cart button", "Add to cart"),
    ("library", "take the book War and Peace", "War and Peace"),
    ("list", "take the file to do list.txt", "to do list.txt"),
    ("men", "take the book Of Mice and Men", "Of Mice and Men"),
    ("men", "take the book Books of Blood", "Books of Blood"),
)
def test_a_name_beside_the_word_for_its_kind_is_still_a_name(
    where: str, text: str, meant: str
) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("men", "take Of Mice and Men", "Of Mice and Men"),
    ("ways", "go to Bob's study", "to hub.north"),
    ("ways", "go to the road to town", "to hub.south"),
    ("ways", "go to town", NOT_FOUND),
    ("prepositions", "take On the Road", "On the Road"),
    ("prepositions", "read In Cold Blood", "In Cold Blood"),
    ("prepositions", "take in tray", "in tray"),
    ("prepositions", "take the in tray", "in tray"),
    ("prepositions", "turn off off switch", "off switch"),
    ("links", "click About us", "About us"),
    ("links", "click From", "From"),
)
def test_little_words_of_a_full_name_are_part_of_the_name(
    where: str, text: str, meant: str
) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("polite", "take Please Please Me", "Please Please Me"),
    ("polite", "take the book called Please Please Me", "Please Please Me"),
    ("polite", "take Both Sides Now", "Both Sides Now"),
    ("polite", "take Now You See Me", "Now You See Me"),
    ("polite", "take the book called Now You See Me", "Now You See Me"),
    ("polite", "please take Me", "Me"),
)
def test_polite_words_are_not_taken_out_of_a_name(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("marks", "take What Is to Be Done?", "What Is to Be Done?"),
    ("marks", "take Who's Afraid of Virginia Woolf?", "Who's Afraid of Virginia Woolf?"),
    ("marks", "take Where's Wally?", "Where's Wally?"),
    ("marks", "take What's new?", "What's new?"),
    ("marks", "take Quoted", '"Quoted"'),
    ("links", "click #2", "#2"),
    ("buttons", "click ×", "×"),
)
def test_a_name_with_marks_is_found_as_it_is_written(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("called", "take the book called The Handmaid's Tale", "The Handmaid's Tale"),
    ("called", "take the book called Bob's Book", "Bob's Book"),
    ("called", "take the book called Here", "Here"),
    ("called", "take the book called From Here to Eternity", "From Here to Eternity"),
    (
        "called",
        "take the book called Alice's Adventures in Wonderland",
        "Alice's Adventures in Wonderland",
    ),
    ("orders", "click the link called Your orders", NOT_FOUND),
    ("orders", 'click "Your orders"', NOT_FOUND),
    ("orders", "click My orders", "My orders"),
)
def test_what_is_called_or_quoted_is_that_name_and_no_other(
    where: str, text: str, meant: str
) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("Mrs", "give pen to Mr. Smith", NOT_FOUND),
    ("Mrs", "give pen to Mr Smith", NOT_FOUND),
    ("Mrs", "give pen to Mrs Smith", "pen to Mrs. Smith"),
    ("Smiths", "read Mr Smith", "Mr. Smith"),
    ("Smiths", "read Mrs. Smith", "Mrs. Smith"),
    ("Smiths", "read Smith", AMBIGUOUS),
    ("glasses", "take the glass", NOT_FOUND),
)
def test_a_name_is_not_the_plural_of_another(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


# Whose it is


@table(
    ("bob's coin", "take my coin", NOT_FOUND),
    ("bob's coin", "take your coin", NOT_FOUND),
    ("bob's coin", "take their coin", NOT_FOUND),
    ("bob's coin", "take Bob's coin", "coin"),
    ("phones", "take my phone", "mine"),
    ("phones", "take Anna's phone", "anna's"),
    ("phones", "give Anna my phone", "mine to Anna"),
    ("my report", "delete report.pdf", "report.pdf"),
    ("duel", "read Tom beside Ann's ring", TOO_MUCH),
    ("duel", "read the guard near Tom's sword", TOO_MUCH),
    ("desks", "take the laptop on Sue's desk", "her laptop"),
    ("guards", "take the first guard's book", "of g1"),
    ("guards", "take the second guard's book", "of g2"),
    ("guards", "take the last guard's book", "of g2"),
)
def test_what_belongs_to_one_is_not_taken_for_anothers(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


# Counting and sets


@table(
    ("apples", "take the first and second apple", "a1, a2"),
    ("apples", "take the 2nd and 3rd apples", "a2, a3"),
    ("apples", "take the first and last apple", "a1, a3"),
    ("apples", "take first", NOT_FOUND),
    ("decks", "go second", NOT_FOUND),
    ("decks", "go 2", NOT_FOUND),
    ("two phones", "take the second one", NOT_FOUND),
    ("kit", "take the first aid kit", "first aid kit"),
    ("kit", "take the first first aid kit", "first aid kit"),
    ("kit", "take the second first aid kit", NOT_FOUND),
    ("reports", "delete the second report", "report.txt"),
    ("reports", "delete the last report", "report 2.pdf"),
    ("pods", "take the last pod", "pod A"),
)
def test_a_selector_counts_things_of_its_noun_and_nothing_else(
    where: str, text: str, meant: str
) -> None:
    assert meaning(text, WORLDS[where]) == meant


def test_two_selectors_never_become_one() -> None:
    assert meaning("take the second last apple", WORLDS["apples"]) in {"a2", NOT_FOUND}


@table(
    ("reports", "delete all reports", "report.pdf, report.txt, report (1).pdf, report 2.pdf"),
    ("reports", "delete all pdfs", "report.pdf, report (1).pdf, report 2.pdf"),
    ("pods", "take pods", "pod 1, pod 2, pod 10, pod A"),
    ("soup", "take three cans of soup", "t1, t2, t3"),
    ("flock", "take 3 sheep", "s1, s2, s3"),
    ("flock", "take all animals except the sheep", "goat"),
    ("flock", "take 2 sheep", AMBIGUOUS),
)
def test_a_set_has_all_its_members(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


@table(
    ("files", "delete any files", AMBIGUOUS),
    ("files", "delete any file", AMBIGUOUS),
    ("eggs", "take some eggs", AMBIGUOUS),
    ("apples", "take a few apples", NOT_FOUND),
    ("apples", "take all apples but one", NOT_FOUND),
)
def test_some_and_any_never_mean_all(where: str, text: str, meant: str) -> None:
    assert meaning(text, WORLDS[where]) == meant


@pytest.mark.parametrize("title", [title for title in TITLES if " and " not in title])
def test_an_exception_leaves_out_the_one_that_is_named_and_no_other(title: str) -> None:
    rest = ", ".join(other for other in TITLES if other != title)
    assert meaning(f"take all books except {title}", WORLDS["library"]) == rest


@table(
    ("files", "take all files except file 1", "a.txt, b.txt, file 2, all.txt"),
    ("files", "take all files except all.txt", "a.txt, b.txt, file 1, file 2"),
)
def test_a_number_in_the_name_of_an_exception_is_not_counted(
    where: str, text: str, meant: str
) -> None:
    assert meaning(text, WORLDS[where]) == meant


@pytest.mark.parametrize(
    "words",
    [
        *(
            "these files",
            "those files",
            "those",
            "all those",
            "all these",
            "all of those",
            "all that",
        ),
        *("them all", "all of them", "each of them", "both of them"),
    ],
)
def test_these_and_those_are_the_things_spoken_of(words: str) -> None:
    assert meaning(f"take {words}", WORLDS["files"], TWO_SPOKEN_OF) == "a.txt, b.txt"


@pytest.mark.parametrize("words", ["those", "all those", "all of these", "them all"])
def test_these_and_those_are_nothing_before_anything_was_spoken_of(words: str) -> None:
    assert meaning(f"take {words}", WORLDS["files"]) == NOT_FOUND


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("grab the coins from the box and the bag", "c1 from box, c2 from bag"),
        ("grab the pen from the box and the cup", "pen from box"),
    ],
)
def test_nothing_is_taken_from_a_place_where_it_is_not(text: str, right: str) -> None:
    assert meaning(text, WORLDS["two places"]) in {right, AMBIGUOUS}


def test_two_commands_in_one_do_not_bind_the_first_thing_to_the_last_place() -> None:
    text = "put the ink in the box and the cup in the bag"
    assert meaning(text, WORLDS["ink"]) == NOT_FOUND


# Questions


@pytest.mark.parametrize(
    ("where", "text", "options"),
    [
        ("lockers", "take the key", PLAIN),
        ("apples", "take the other apple", Options(recent=Recent(it="a1"))),
        ("phones", "take the phone", PLAIN),
        ("Smiths", "take Smith", PLAIN),
        ("files", "delete any file", PLAIN),
        ("eggs", "take some eggs", PLAIN),
    ],
)
def test_an_option_said_as_a_new_command_binds_what_it_was_offered_for(
    where: str, text: str, options: Options
) -> None:
    choices = offered(refused(text, WORLDS[where], options, verbs=VERBS))
    assert len(choices) > 1
    verb = text.split(maxsplit=1)[0]
    again = {words: meaning(f"{verb} {words}", WORLDS[where], options) for words in choices}
    assert again == choices


# Bundles


@pytest.mark.parametrize(
    "odd",
    [
        {"id": "a", "name": "north", "kind": "exit", "location": "den"},
        {"id": "den.north", "name": "lamp", "location": "den"},
    ],
    ids=["of the kind exit", "with the id of an exit"],
)
def test_a_thing_that_passes_for_an_exit_is_refused_with_its_bundle(
    tmp_path: Path, odd: dict[str, str]
) -> None:
    things = [
        {"id": "den", "name": "den", "kind": "room", "exits": {"north": "attic"}},
        {"id": "attic", "name": "attic", "kind": "room"},
        {"id": "me", "name": "you", "kind": "player", "location": "den"},
        odd,
    ]
    bundle = tmp_path / "odd.json"
    bundle.write_text(json.dumps({"name": "odd", "world": {"actor": "me", "things": things}}))
    with pytest.raises(BadBundle, match=odd["id"]):
        load_bundle(bundle)


# Files, by a daemon


@pytest.fixture(scope="module")
def clerk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all file sentences; each has a root laid out anew."""
    with running_daemon(tmp_path_factory.mktemp("clerk")) as daemon:
        yield daemon


NUMBER = count()
YEARS = {
    "invoice.pdf": 2022,
    "invoice-1.pdf": 2020,
    "invoice-2.pdf": 2024,
    "backup.zip": 2021,
    "logs.tar.gz": 2023,
    "holiday.jpg": 2025,
    "letter.docx": 2019,
    "file/kept": 2018,
    "archive/precious": 2018,
    "Pictures/kept": 2018,
    "documents/kept": 2018,
    "photos/kept": 2018,
    "other/kept": 2018,
    ".git/kept": 2018,
    ".env": 2026,
    "folder": 2017,
}


def date(path: Path, year: int) -> None:
    moment = (year - 1970) * 365.25 * 86_400
    os.utime(path, (moment, moment))


def lay_out(root: Path) -> None:
    for name, year in YEARS.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
        date(path, year)


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def do(daemon: Daemon, text: str) -> Event:
    """Send a sentence of one goal, and give how that ended, or the whole did."""
    events = daemon.connect().run(f"t{next(NUMBER)}", text=text)
    results: Sequence[Event] = events[-1].get("results") or [events[-1]]
    return results[0]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("newest invoice", "invoice-2.pdf"),
        ("oldest invoice", "invoice-1.pdf"),
        ("first invoice", "invoice-1.pdf"),
        ("last invoice", "invoice.pdf"),
        ("newest pdf", "invoice-2.pdf"),
        ("second newest file", "invoice-2.pdf"),
        ("newest archive", "logs.tar.gz"),
        ("newest picture", "holiday.jpg"),
        ("oldest document", "letter.docx"),
        ("first file", "backup.zip"),
        ("newest file", "holiday.jpg"),
        ("last file", "logs.tar.gz"),
    ],
)
def test_the_most_of_a_kind_is_chosen_among_all_that_can_be_seen_of_it(
    clerk: Daemon, words: str, name: str
) -> None:
    lay_out(clerk.root)
    ended = do(clerk, f"delete the {words}")
    assert ended["status"] == "success", ended
    assert names(clerk.root) == set(YEARS) - {name}


@pytest.mark.parametrize(
    "text",
    [
        "delete the oldest one",
        "delete the oldest",
        "trash the last",
        "remove the second one",
        "create a folder archive and move the newest file into it",
        "read the newest invoice and delete it",
    ],
)
def test_words_without_a_thing_they_could_mean_change_no_file(clerk: Daemon, text: str) -> None:
    lay_out(clerk.root)
    assert do(clerk, text)["status"] == "failed"
    assert names(clerk.root) == set(YEARS)


def test_a_folder_is_no_thing_of_the_kind_it_is_called_after(clerk: Daemon) -> None:
    lay_out(clerk.root)
    (clerk.root / "holiday.jpg").unlink()
    ended = do(clerk, "move the oldest photo into the archive folder")
    assert ended["code"] == NOT_FOUND
    assert names(clerk.root) == set(YEARS) - {"holiday.jpg"}


def asked(wire: Wire, text: str) -> Event:
    wire.submit(f"t{next(NUMBER)}", text=text)
    return wire.read_until(type="question")[-1]


def answered(wire: Wire, question: Event, choice: object) -> Event:
    wire.send(
        {
            "type": "answer",
            "id": f"t{next(NUMBER)}",
            "question": question["question"],
            "choice": choice,
        }
    )
    return wire.read_until(type="finished")[-1]


def texts(question: Event) -> list[str]:
    return [option["text"] for option in question["options"]]


@pytest.fixture
def tied(clerk: Daemon) -> Iterator[Path]:
    """Files of one date, whose names differ by case or by a little word."""
    made = ["UPPER.md", "upper.md", "my plan.txt", "the plan.txt"]
    for name in made:
        (clerk.root / name).write_text(name)
        date(clerk.root / name, 2015)
    yield clerk.root
    for name in made:
        (clerk.root / name).unlink()


@pytest.mark.parametrize(
    ("kind", "name"),
    [("md", "UPPER.md"), ("md", "upper.md"), ("txt", "my plan.txt"), ("txt", "the plan.txt")],
)
def test_files_whose_names_are_nearly_the_same_are_chosen_by_name(
    clerk: Daemon, tied: Path, kind: str, name: str
) -> None:
    wire = clerk.connect()
    ended = answered(wire, asked(wire, f"read the oldest {kind}"), name)
    assert ended["results"][0]["output"]["text"] == name


def test_two_files_tied_for_a_place_are_asked_about_by_name(clerk: Daemon, tied: Path) -> None:
    wire = clerk.connect()
    question = asked(wire, "read the second oldest md")
    assert texts(question) == ['"UPPER.md"', '"upper.md"']
    answered(wire, question, 1)


# A played world, by a daemon


@pytest.fixture
def manor(tmp_path: Path) -> Iterator[Daemon]:
    with running_daemon(tmp_path, arguments=("--world", "manor")) as daemon:
        yield daemon


def story(daemon: Daemon, *sentences: str) -> list[str]:
    """Say sentences, and give what the world says to each, or why not."""
    told = []
    for sentence in sentences:
        ended = do(daemon, sentence)
        if ended["status"] != "success":
            told.append(ended["code"])
            continue
        outputs = ended["output"] if isinstance(ended["output"], list) else [ended["output"]]
        told.append(" ".join(output["says"] for output in outputs))
    return told


def test_it_in_a_played_world_never_leaps_over_a_file_of_the_same_sentence(manor: Daemon) -> None:
    (manor.root / "lamp.txt").write_text("lamp")
    told = story(
        manor,
        "take the note",
        'create a file x.txt containing "hello" and read it',
        "create a file y.txt and drop it",
        "read lamp.txt and drop it",
        "drop the note",
    )
    assert told == [
        "You take the note to self.",
        *["NOT_UNDERSTOOD"] * 3,
        "You drop the note to self.",
    ]


def test_them_means_the_last_set_even_if_it_had_one_member(manor: Daemon) -> None:
    told = story(
        manor,
        "take the envelopes",
        "drop the envelopes",
        "take the green envelope",
        "drop the envelopes",
        "take them",
    )
    assert told[-1] == "You take the large, green envelope."


def test_an_exit_never_becomes_it(manor: Daemon) -> None:
    assert story(manor, "go to the kitchen", "examine it")[-1] == "TARGET_NOT_FOUND"


def test_all_things_are_taken_and_dropped_without_the_furniture(manor: Daemon) -> None:
    taken, dropped = story(manor, "take all", "drop all")
    assert taken.count("You take") == dropped.count("You drop") == 3
    assert "table" not in taken + dropped

"""Questions about what a page lists: answered from its records, or refused; never a guess."""

from collections.abc import Iterator

import pytest

from actors.language.amounts import Amount, day_words, read_amount
from actors.language.questions import read_question
from tests.daemon import Daemon, running_daemon
from tests.web import Web

BOATS = """<!doctype html><title>Harbour office</title><nav><a href="/">Home</a></nav><h1>Boats</h1>
<table><thead><tr><th>Boat</th><th>Skipper</th><th>Length</th>
<th>Berth fee</th><th>State</th><th>Insured</th></tr></thead><tbody>
<tr><td>Alba</td><td>Ines Roth</td><td>9.5 m</td>
<td>€310.00</td><td>Moored</td><td>✓</td></tr>
<tr><td>Borealis</td><td>Tom Vega</td><td>12 m</td>
<td>€420.50</td><td>At sea</td><td>✗</td></tr>
<tr><td>Cormorant</td><td>Ines Roth</td><td>7.2 m</td>
<td>€1,250.00</td><td>Moored</td><td>✓</td></tr>
<tr><td>Dorado</td><td>Lena Ott</td><td>15 m</td>
<td>€980.00</td><td>Not ready</td><td>✗</td></tr>
<tr><td>Egret</td><td>Tom Vega</td><td>8 m</td>
<td>€295.00</td><td>At sea</td><td>✓</td></tr>
<tr><td>Total</td><td></td><td></td>
<td>€3,255.50</td><td></td><td></td></tr>
</tbody></table>"""

PLOTS = """<title>Allotments</title><h1>Plots</h1><main>
<section class="plot"><h3>Plot 4</h3><p>Tenant: Mia Sand</p><p>Size: 120 m²</p>
<p class="state">Free water</p></section>
<section class="plot"><h3>Plot 9</h3><p>Tenant: Raj Patel</p><p>Size: 80 m²</p>
<p class="state">Dry</p></section>
<section class="plot"><h3>Plot 11</h3><p>Tenant: Ola Berg</p><p>Size: 210 m²</p>
<p class="state">Dry</p></section>
</main><aside><dl><dt>Rent due</dt><dd>1 March</dd><dt>Keys left</dt><dd>7</dd></dl></aside>"""

TALKS = """<title>Harbour talks</title><nav><a href="/">Talks</a></nav><h1>Listen again</h1><main>
<article class="x1"><h3>Knots that hold</h3><p>Ines Roth | Recorded 4 May 2024 | 310 listeners</p>
<p>by Cora Lund</p></article>
<article class="x1"><h3>Reading the tide</h3>
<p>Tom Vega | Recorded 19 March 2024 | 1,280 listeners</p>
<p>by Aki Moen</p></article>
<article class="x1"><h3>Night sailing</h3><p>Lena Ott | Recorded 2 June 2024 | 95 listeners</p>
<p>by Cora Lund</p></article></main>"""

FERRIES = """<title>Ferries</title>
<style>.g {display: grid; grid-template-columns: repeat(4, 9em)}</style>
<h1>Crossings today</h1><div class="g">
<div>Quay</div><div>Island</div><div>Sails</div><div>Cars left</div>
<div>2</div><div>Fogo</div><div>08:10</div><div>14</div>
<div>1</div><div>Vardo</div><div>09:45</div><div>0</div>
<div>2</div><div>Senja</div><div>11:20</div><div>6</div></div>"""

TILES = """<title>Harbour office</title><h1>Today</h1><section>
<div class="t"><b>41</b><span>Ships in port</span><small>+3 on yesterday</small></div>
<div class="t"><b>€7,310.00</b><span>Fees taken</span><small>+4% on yesterday</small></div>
<div class="t"><b>12.5 km/h</b><span>Wind</span><small>-2 on yesterday</small></div></section>
<table><tr><th>Fuel</th><th>Price</th><th>Stock</th><th>Supplier</th></tr>
<tr><td>Diesel</td><td>€1.62</td><td>900</td><td>Nordoil</td></tr>
<tr><td>Petrol</td><td>€1.88</td><td>0</td><td>Nordoil</td></tr>
<tr><td>LPG</td><td>€0.97</td><td>120</td><td>Gasco</td></tr></table>"""

TASKS = """<!doctype html><title>Tasks</title><table><tr><th>Task<th>Done</tr>
<tr><td>Caulk<td><input type=checkbox></tr><tr><td>Paint<td><input type=checkbox checked></tr>
</table>"""
PAGES = {
    "/boats": BOATS, "/plots": PLOTS, "/talks": TALKS, "/ferries": FERRIES, "/tiles": TILES,
    "/tasks": TASKS,
}  # fmt: skip


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Daemon]]:
    with Web(PAGES) as web, running_daemon(tmp_path_factory.mktemp("answers")) as daemon:
        yield web, daemon


def ask(asking: tuple[Web, Daemon], page: str, question: str) -> object:
    """Ask on a page; give the value, or the code of the refusal."""
    web, daemon = asking
    wire = daemon.connect(60.0)
    session = f"{page}-{question}"[:60]
    wire.run(f"go {question}"[:60], text=f"go to {web.url(page)}", session=session)
    command = f"ask {question}"[:60]
    wire.submit(command, text=question, session=session)
    finished = wire.read()
    while finished["type"] not in {"finished", "question"}:
        finished = wire.read()
    if finished["type"] == "question":
        return "AMBIGUOUS_TARGET"
    if finished["status"] != "success":
        return finished["code"]
    (result,) = finished["results"]
    output = result["output"]
    return output["value"] if isinstance(output, dict) and "value" in output else output


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many boats are at sea?", 2),
        ("How many boats are not moored?", 3),
        ("how many boats cost more than 400 euros?", 3),
        ("how many boats are insured?", 3),
        ("which boats are moored?", ["Alba", "Cormorant"]),
        ("which boats are insured and at sea?", ["Egret"]),
        ("which boats does Tom Vega have?", ["Borealis", "Egret"]),
        ("who is the skipper of Dorado?", "Lena Ott"),
        ("what is Alba's berth fee?", "€310.00"),
        ("which boat is the longest?", "Dorado"),
        ("which boat is the cheapest?", "Egret"),
        ("what is the average berth fee of the moored boats?", 780.0),
        ("is Borealis at sea?", True),
        ("is Alba at sea?", False),
        ("are there any boats at sea?", True),
    ],
)
def test_a_table_answers(asking: tuple[Web, Daemon], question: str, answer: object) -> None:
    assert ask(asking, "/boats", question) == answer


def test_a_box_in_a_table_is_read_by_whether_it_is_checked(asking: tuple[Web, Daemon]) -> None:
    read = [{"Task": "Caulk", "Done": "no"}, {"Task": "Paint", "Done": "yes"}]
    assert ask(asking, "/tasks", "read the table") == read


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which plots are dry?", ["Plot 9", "Plot 11"]),
        ("how many plots are larger than 100 m²?", 2),
        ("who is the tenant of plot 9?", "Tenant: Raj Patel"),
        ("which plot is the largest?", "Plot 11"),
        ("when is the rent due?", "1 March"),
    ],
)
def test_cards_and_pairs_answer(asking: tuple[Web, Daemon], question: str, answer: object) -> None:
    assert ask(asking, "/plots", question) == answer


@pytest.mark.parametrize(
    ("page", "question"),
    [
        ("/boats", "how many submarines are at sea?"),
        ("/boats", "how many boats are on fire?"),
        ("/boats", "what is the skipper's age?"),
        ("/boats", "who is the skipper of Falcon?"),
        ("/boats", "what is the fee of Ines Roth?"),
        ("/boats", "is Falcon at sea?"),
        ("/boats", "who is the skipper of Ines Roth?"),
        ("/plots", "how many plots are flooded?"),
        ("/plots", "what is the price of plot 9?"),
    ],
)
def test_what_is_not_listed_is_refused(
    asking: tuple[Web, Daemon], page: str, question: str
) -> None:
    assert ask(asking, page, question) in {"TARGET_NOT_FOUND", "AMBIGUOUS_TARGET"}


def test_an_answer_says_what_it_comes_from(asking: tuple[Web, Daemon]) -> None:
    web, daemon = asking
    wire = daemon.connect(60.0)
    wire.run("go source", text=f"go to {web.url('/boats')}", session="source")
    finished = wire.run("source", text="how many boats are at sea?", session="source")[-1]
    output = finished["results"][0]["output"]
    assert (output["value"], output["looked_at"]) == (2, 5)
    assert [record.split()[0] for record in output["records"]] == ["Borealis", "Egret"]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("€1,234.50", Amount("money", 1234.5, "€")),
        ("1.234,50 €", Amount("money", 1234.5, "€")),
        ("6,147", Amount("number", 6147.0)),
        ("3.4%", Amount("share", 3.4)),
        ("72 m²", Amount("number", 72.0)),
        ("6:45 PM", Amount("clock", 1125.0)),
        ("1h 20m", Amount("length", 80.0)),
        ("INV-2024-027", None),
        ("Gate A4", None),
        ("late", None),
    ],
)
def test_an_amount_is_read_as_it_is_written(text: str, amount: Amount | None) -> None:
    assert read_amount(text) == amount


def test_a_day_in_figures_is_known_by_its_month() -> None:
    assert day_words("2024-05-03") == {"may", "2024"}
    assert day_words("Room 5") == frozenset()


@pytest.mark.parametrize("text", ["click Save", "open the menu", "", "good morning"])
def test_what_asks_nothing_is_no_question(text: str) -> None:
    assert read_question(text) is None


@pytest.mark.parametrize(
    ("page", "question", "answer"),
    [
        ("/talks", "which talk has the most listeners?", "Reading the tide"),
        ("/talks", "how many listeners are there in total?", 1685),
        ("/talks", "who wrote Knots that hold?", "Cora Lund"),
        ("/ferries", "how many cars are left on the Senja?", "6"),
        ("/ferries", "when does the Vardo sail?", "09:45"),
        ("/ferries", "which quay does the Fogo leave from?", "2"),
        ("/tiles", "how many ships are in port?", "41"),
        ("/tiles", "which fuels are out of stock?", ["Petrol"]),
        ("/tiles", "who supplies LPG?", "Gasco"),
        ("/tiles", "what is the cheapest fuel?", "LPG"),
    ],
)
def test_parts_grids_and_kin_of_words_answer(
    asking: tuple[Web, Daemon], page: str, question: str, answer: object
) -> None:
    assert ask(asking, page, question) == answer


@pytest.mark.parametrize(
    ("page", "question"),
    [
        ("/talks", "how many lectures by pilots are there?"),
        ("/talks", "who paid for Night sailing?"),
        ("/ferries", "how many submarines are left?"),
        ("/ferries", "when does the Fogo arrive?"),
        ("/tiles", "who drives the LPG?"),
        ("/tiles", "which fuels are taxed?"),
    ],
)
def test_what_the_page_does_not_say_is_not_made_up(
    asking: tuple[Web, Daemon], page: str, question: str
) -> None:
    assert ask(asking, page, question) in {"TARGET_NOT_FOUND", "NOT_UNDERSTOOD"}

"""The words for one thing as a typed phrase, and a command split into its roles."""

import time

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from actors.interpreter.words.lexicon import lexicon
from actors.interpreter.words.phrases import read_phrase
from actors.interpreter.words.splitting import completed, splitter_for
from actors.language.words import fold
from messages.interpreting import NotSplit
from messages.phrases import LAST, Parsed, ParsedCommand, Phrase, Related, Superlative
from messages.results import Code
from messages.targets import Options
from messages.verbs import load_verbs
from tests.target_worlds import VERBS, bound, pairs, readings, refused, thing, world

Spans = tuple[str | None, str | None, str | None]
BOUNDED = settings(max_examples=200, derandomize=True, deadline=None)


def phrase(text: str) -> Phrase:
    return read_phrase(text, lexicon())


def spans(parsed: ParsedCommand) -> Spans:
    return parsed.direct_span, parsed.relation_token_raw, parsed.indirect_span


def all_spans(text: str) -> list[Spans]:
    return [spans(parsed) for parsed in readings(text)]


def not_split(text: str) -> NotSplit:
    split = splitter_for(VERBS).split(text)
    assert isinstance(split, NotSplit), split
    return split


# A phrase and its fields


KINDS_OF_ENVELOPE = (
    Phrase("large, green envelope", quoted="large, green", kind="envelope"),
    Phrase("large, green envelope", quoted="green envelope", kind="large"),
)
GREEN_ENVELOPE = Phrase("green envelope", head="envelope", adjectives=("green",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sword", Phrase("sword", head="sword")),
        ("the sword", Phrase("the sword", head="sword")),
        ("an old sword", Phrase("an old sword", head="sword", adjectives=("old",))),
        (
            "large, green envelope",
            Phrase(
                "large, green envelope",
                head="envelope",
                adjectives=("large", "green"),
                members=(Phrase("large", head="large"), GREEN_ENVELOPE),
                joined=("large",),
                named=KINDS_OF_ENVELOPE,
            ),
        ),
        ("the red one", Phrase("the red one", adjectives=("red",))),
        ("red things", Phrase("red things", adjectives=("red",))),
    ],
)
def test_a_phrase_has_a_noun_and_adjectives(text: str, expected: Phrase) -> None:
    assert phrase(text) == expected


@pytest.mark.parametrize(
    "text", ['"Sign in"', "'Sign in'", "“Sign in”", "«Sign in»", "‘Sign in’", 'the "Sign in"']
)
def test_a_quoted_name_is_kept_as_it_stands(text: str) -> None:
    read = phrase(text)
    assert (read.quoted, read.head, read.adjectives) == ("Sign in", None, ())


@pytest.mark.parametrize("text", ['the "Save" button', 'the button "Save"', 'button called "Save"'])
def test_a_kind_stands_beside_a_quoted_name(text: str) -> None:
    read = phrase(text)
    assert (read.quoted, read.kind) == ("Save", "button")


@pytest.mark.parametrize("text", ["folder called All of it", "folder named All of it"])
def test_what_follows_called_is_a_name_whatever_it_looks_like(text: str) -> None:
    read = phrase(text)
    assert (read.quoted, read.kind, read.quantifier) == ("All of it", "folder", None)


@pytest.mark.parametrize("text", ["it's", "bob's hat", "the cat's bed"])
def test_an_apostrophe_is_no_quotation_mark(text: str) -> None:
    assert phrase(text).quoted is None


@pytest.mark.parametrize(
    ("text", "ordinal"),
    [
        ("2.sword", 2),
        ("12.sword", 12),
        ("sword 2", 2),
        ("sword #2", 2),
        ("sword-2", 2),
        ("#2", 2),
        ("the second sword", 2),
        ("2nd sword", 2),
        ("21st sword", 21),
        ("twelfth sword", 12),
        ("last sword", LAST),
        ("the final sword", LAST),
    ],
)
def test_a_selector_is_an_ordinal(text: str, ordinal: int) -> None:
    read = phrase(text)
    assert read.ordinal == ordinal
    assert read.head in {"sword", None}
    assert read.adjectives == ()


@pytest.mark.parametrize(
    ("text", "quantifier", "head"),
    [
        ("all", "all", None),
        ("everything", "all", None),
        ("all swords", "all", "swords"),
        ("all of the swords", "all", "swords"),
        ("every sword", "all", "sword"),
        ("each sword", "all", "sword"),
        ("all.sword", "all", "sword"),
        ("both", "both", None),
        ("both of the swords", "both", "swords"),
    ],
)
def test_a_quantifier_speaks_of_a_set(text: str, quantifier: str, head: str | None) -> None:
    read = phrase(text)
    assert (read.quantifier, read.head) == (quantifier, head)


@pytest.mark.parametrize(
    ("text", "count"), [("two coins", 2), ("2 coins", 2), ("all three coins", 3), ("ten men", 10)]
)
def test_a_number_before_a_plural_is_a_count(text: str, count: int) -> None:
    assert phrase(text).count == count


@pytest.mark.parametrize("text", ["2 coin", "two coin", "route 66"])
def test_a_number_beside_a_singular_is_no_count(text: str) -> None:
    assert phrase(text).count is None


@pytest.mark.parametrize("saying", ["except", "but", "but not", "except for", "apart from"])
def test_what_is_left_out_of_a_set_is_a_phrase_of_its_own(saying: str) -> None:
    read = phrase(f"everything {saying} the old sword")
    assert read.quantifier == "all"
    assert read.excluding == (Phrase("the old sword", head="sword", adjectives=("old",)),)


def test_several_things_are_left_out() -> None:
    read = phrase("all except the sword, the bow and the axe")
    assert [each.head for each in read.excluding] == ["sword", "bow", "axe"]


def test_only_a_set_can_leave_out() -> None:
    assert phrase("the anything but pie").excluding == ()


@pytest.mark.parametrize(
    ("text", "superlative"),
    [
        ("the newest file", Superlative("modified", most=True)),
        ("most recent file", Superlative("modified", most=True)),
        ("oldest file", Superlative("modified", most=False)),
        ("the largest file", Superlative("size", most=True)),
        ("smallest file", Superlative("size", most=False)),
    ],
)
def test_a_superlative_is_a_measure(text: str, superlative: Superlative) -> None:
    read = phrase(text)
    assert (read.superlative, read.head) == (superlative, "file")


@pytest.mark.parametrize("text", ["the other sword", "another sword"])
def test_the_other_is_marked(text: str) -> None:
    read = phrase(text)
    assert (read.other, read.head) == (True, "sword")


@pytest.mark.parametrize(
    ("text", "pronoun"),
    [
        ("it", "it"),
        ("that", "it"),
        ("this one", "it"),
        ("them", "them"),
        ("all of them", "them"),
        ("him", "person"),
        ("her", "person"),
        ("me", "self"),
        ("Myself", "self"),
    ],
)
def test_a_pronoun_is_nothing_else(text: str, pronoun: str) -> None:
    assert phrase(text) == Phrase(text, pronoun=pronoun)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ['"it"', "it works", "her hat", "that sword"])
def test_a_pronoun_with_anything_beside_it_or_in_quotes_is_none(text: str) -> None:
    assert phrase(text).pronoun is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("the coin you carry", "held"),
        ("the coin I have", "held"),
        ("the coin in my inventory", "held"),
        ("the coin here", "here"),
        ("the coin on the floor", "here"),
    ],
)
def test_a_place_is_taken_from_the_end(text: str, place: str) -> None:
    read = phrase(text)
    assert (read.place, read.head, read.related) == (place, "coin", None)


def test_a_place_alone_is_a_noun() -> None:
    assert phrase("here").place is None


@pytest.mark.parametrize(
    ("text", "relation", "to"),
    [
        ("the book on the shelf", "on", "shelf"),
        ("the book on top of the shelf", "on", "shelf"),
        ("the book inside the box", "in", "box"),
        ("map of the north", "of", "north"),
        ("the man with the hat", "with", "hat"),
    ],
)
def test_a_thing_may_be_told_by_another(text: str, relation: str, to: str) -> None:
    related = phrase(text).related
    assert related is not None
    assert (related.relation, related.to.head) == (relation, to)


def test_relations_nest() -> None:
    related = phrase("the coin in the box on the shelf").related
    assert related is not None
    assert related.to.related == Related("on", Phrase("the shelf", head="shelf"))


@pytest.mark.parametrize(
    ("text", "owner"),
    [("Bob's sword", "bob"), ("the old man's sword", "man"), ("Bob’s sword", "bob")],
)
def test_an_owner_is_a_relation(text: str, owner: str) -> None:
    read = phrase(text)
    assert read.head == "sword"
    assert read.related is not None
    assert (read.related.relation, read.related.to.head) == ("owner", owner)


def test_the_text_of_a_phrase_is_what_was_said() -> None:
    text = "  The  RED Sword!"
    assert phrase(text).text == "The  RED Sword"


def test_a_phrase_without_words_is_literal() -> None:
    assert phrase("!?").is_literal()
    assert not phrase("sword").is_literal()


def test_a_phrase_survives_the_wire() -> None:
    read = phrase("all the red swords in Bob's box except the second one")
    assert msgspec.json.decode(msgspec.json.encode(read), type=Phrase) == read


# Splitting


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("take apple", ("apple", None, None)),
        ("take the red apple", ("the red apple", None, None)),
        ("put apple in chest", ("apple", "in", "chest")),
        ("put the apple on top of the chest", ("the apple", "on top of", "the chest")),
        ("look at the lamp", (None, "at", "the lamp")),
        ("look", (None, None, None)),
        ("keep off", (None, "off", None)),
        ("put apple in", ("apple", "in", None)),
        ("put in chest", (None, "in", "chest")),
    ],
)
def test_a_text_is_split_into_its_spans_as_typed(text: str, expected: Spans) -> None:
    assert all_spans(text)[0] == expected


def test_the_verb_is_kept_as_typed_and_by_its_name() -> None:
    (first, *_) = readings("GET the apple")
    assert (first.intent_token, first.verb) == ("GET", "take")


def test_the_input_is_normalized() -> None:
    (first, *_) = readings("  TAKE   the Apple ")
    assert first.normalized_input == "take the apple"


def test_a_relation_is_kept_as_typed_and_by_its_name() -> None:
    (first, *_) = readings("put apple INTO chest")
    assert (first.relation_token_raw, first.relation_token_canonical) == ("INTO", "in")


@pytest.mark.parametrize("text", ["pick up the sword", "pick the sword up", "Pick The Sword Up."])
def test_a_verb_of_two_words_may_be_parted(text: str) -> None:
    (first, *_) = readings(text)
    assert first.verb == "take"
    assert first.direct is not None
    assert first.direct.head == "sword"


def test_a_parted_verb_may_have_an_indirect_thing() -> None:
    where = world(thing("chest"), thing("coin", "chest"))
    assert pairs("pick the coin up from the chest", where) == [("coin", "chest")]
    assert pairs("pick up the coin from the chest", where) == [("coin", "chest")]


def test_the_longest_verb_wins() -> None:
    verbs = load_verbs(
        {
            "turn": {"rules": {"direct": {}, "relationOnly": {"acceptedRelations": ["on"]}}},
            "light": {"rules": {"direct": {}}, "aliases": ["turn on", "turn right on"]},
        }
    )
    assert readings("turn on the lamp", verbs)[0].verb == "light"
    assert readings("turn right on the lamp", verbs)[0].verb == "light"
    assert readings("turn the lamp", verbs)[0].verb == "turn"
    assert readings("turn the lamp on", verbs)[0].verb == "light"


def test_a_verb_is_a_whole_word() -> None:
    assert "taken" in not_split("taken apple").message
    assert "tak" in not_split("tak apple").message


def test_a_verb_that_is_not_known_is_not_split_and_near_ones_are_named() -> None:
    refusal = not_split("tke apple")
    assert "take" in refusal.near
    assert "tke" in refusal.message


@pytest.mark.parametrize("text", ["", "   ", "\n", "!", "...", "please", '""', "“”"])
def test_a_text_without_a_verb_is_not_split(text: str) -> None:
    assert not_split(text).message


def test_a_quoted_verb_is_no_verb() -> None:
    assert "take" in not_split('"take" apple').message


@pytest.mark.parametrize(
    "text",
    [
        "please take the apple",
        "take the apple please",
        "take the apple, please!",
        "Just take the apple now.",
        "  take\tthe   apple\n",
        "take the apple?!",
        "(take the apple)",
        "TAKE THE APPLE",
        "take the “apple”",
        "take 'apple'",
    ],
)
def test_politeness_case_spaces_and_punctuation_change_nothing(text: str) -> None:
    assert bound(text, world(thing("apple"), thing("apple pie"))) == ["apple"]


# Names with relation words


NOTES = world(
    thing("note to self"),
    thing("map of the north"),
    thing("Save As in Word", kind="button"),
    thing("Bob", kind="person"),
    thing("chest"),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("take note to self", ("note to self", None)),
        ("take the note to self", ("note to self", None)),
        ("take map of the north", ("map of the north", None)),
        ("take Save As in Word", ("Save As in Word", None)),
        ('take "Save As in Word"', ("Save As in Word", None)),
        ("give note to self to Bob", ("note to self", "Bob")),
        ("give map of the north to Bob", ("map of the north", "Bob")),
        ("put note to self in chest", ("note to self", "chest")),
        ("put Save As in Word in chest", ("Save As in Word", "chest")),
        ('put "note to self" into "chest"', ("note to self", "chest")),
    ],
)
def test_a_name_may_hold_relation_words(text: str, expected: tuple[str, str | None]) -> None:
    assert pairs(text, NOTES) == [expected]


def test_every_way_to_split_at_an_accepted_relation_is_given() -> None:
    assert all_spans("give note to self to Bob") == [
        ("note", "to", "self to Bob"),
        ("note to self", "to", "Bob"),
        ("note to self to Bob", None, None),
    ]


def test_a_quoted_relation_does_not_split() -> None:
    assert all_spans('put "a in b"') == [('"a in b"', None, None)]


def test_readings_are_few_however_many_relations_there_are() -> None:
    assert len(readings("put a " + "in b " * 50)) <= 8


# Any script


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Käsebrot", "käsebrot"),
        ("Käsebrot", "KÄSEBROT"),
        ("Käsebrot", "Ka\u0308sebrot"),
        ("épée", "ÉPÉE"),
        ("Straße", "STRASSE"),
        ("меч", "МЕЧ"),
        ("剣", "剣"),
        ("ﬁle", "file"),
        ("Bob’s hat", "Bob's hat"),
        ("O’Brien", "O'Brien"),
        ("C++", "c++"),
        ("naïve sword", "naïve sword"),
    ],
)
def test_names_of_any_script_are_found_in_any_case(name: str, said: str) -> None:
    where = world(thing(name, as_id="named"), thing("apple"), thing("lamp"), thing("chest"))
    assert bound(f"take {said}", where) == ["named"]
    assert bound(f"take the {said}", where) == ["named"]


def test_a_letter_with_a_mark_is_another_letter() -> None:
    assert refused("take epee", world(thing("épée"))).code == Code.TARGET_NOT_FOUND


# Options


def test_ignored_tokens_are_left_out_of_phrases_but_not_of_spans() -> None:
    options = Options(ignore_tokens=("bloody",))
    (first, *_) = readings("take the bloody apple", VERBS, options)
    assert first.direct_span == "the bloody apple"
    assert first.direct is not None
    assert (first.direct.head, first.direct.adjectives) == ("apple", ())


def test_a_word_that_is_all_there_is_is_not_ignored() -> None:
    (first, *_) = readings("take bloody", VERBS, Options(ignore_tokens=("bloody",)))
    assert first.direct is None or first.direct.head == "bloody"


@pytest.mark.parametrize("text", ["2.sword", "sword 2", "all swords", "it", "second sword"])
def test_compatibility_v1_reads_words_and_nothing_else(text: str) -> None:
    (first, *_) = readings(f"take {text}", VERBS, Options(compatibility="v1"))
    read = first.direct
    assert read is not None
    assert (read.ordinal, read.quantifier, read.pronoun, read.count) == (None, None, None, None)


# Commands that somebody else split


def test_spans_that_came_split_are_read_into_phrases() -> None:
    spans_alone = {
        "intentToken": "GET",
        "directSpan": "the red apple",
        "relationToken": "From",
        "indirectSpan": "2.box",
    }
    parsed = msgspec.convert(spans_alone, Parsed)
    (reading,) = given_split(parsed)
    assert reading.verb == "take"
    assert reading.direct == Phrase("the red apple", head="apple", adjectives=("red",))
    assert reading.indirect is not None
    assert reading.indirect.ordinal == 2
    assert (reading.relation_token_raw, reading.relation_token_canonical) == ("From", "from")


def test_an_empty_span_is_none() -> None:
    (reading,) = given_split(Parsed("take", direct_span="  ", indirect_span=""))
    assert (reading.direct_span, reading.indirect_span) == (None, None)
    assert (reading.direct, reading.indirect) == (None, None)


def given_split(parsed: Parsed) -> tuple[ParsedCommand, ...]:
    split = completed(parsed, splitter_for(VERBS))
    assert not isinstance(split, NotSplit), split
    return split


# Odd input


LITTLE = (
    "the all both every 2 #2 second last other except but and , . ' \" “ ” « it of in on to put"
    " take bob's sword swords 2.sword all. sword-2 here called top out from you carry one ² ٣"
)
WORDS = st.sampled_from((*LITTLE.split(), "\u0301", "\x00"))


@BOUNDED
@given(st.text(max_size=60))
@example("9" * 5000 + ".sword")
@example("sword " + "9" * 5000)
@example("9" * 5000 + "th sword")
@example("#" + "9" * 30)
@example("sword-" + "9" * 30)
@example("all.")
@example("²")
@example("٣.sword")
@example("'s hat")
@example("s' hat")
def test_any_text_is_a_phrase_that_can_be_sent(text: str) -> None:
    read = phrase(text)
    assert fold(read.text) in fold(text)
    assert msgspec.json.decode(msgspec.json.encode(read), type=Phrase) == read


@BOUNDED
@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_any_words_are_a_phrase_that_can_be_sent(text: str) -> None:
    read = phrase(text)
    assert msgspec.json.decode(msgspec.json.encode(read), type=Phrase) == read


@BOUNDED
@given(st.sampled_from(["", "put ", "take ", "pick ", "keep "]), st.lists(WORDS, max_size=14))
def test_any_words_are_split_or_not_and_spans_are_parts_of_the_text(
    verb: str, words: list[str]
) -> None:
    text = verb + " ".join(words)
    split = splitter_for(VERBS).split(text)
    if isinstance(split, NotSplit):
        assert split.message
        return
    for parsed in split:
        for span in (*spans(parsed), parsed.intent_token):
            assert span is None or span in text
        assert (parsed.direct is None) == (parsed.direct_span is None)
        assert (parsed.indirect is None) == (parsed.indirect_span is None)
        assert (parsed.relation_token_raw is None) == (parsed.relation_token_canonical is None)


@pytest.mark.parametrize(
    "tail",
    [
        " 'a" * 5000,
        "“" * 15000,
        "'a" * 8000,
        "‘a " * 5000,
        "«" * 15000,
        " in" * 5000,
        " all except" * 140,
        " bob's" * 299,
        " in a box" * 99,
        " 2." * 299,
        "-1" * 5000,
        "x" * 60000,
        "'" * 15000,
        '"' * 15000,
        " ," * 5000,
    ],
)
def test_odd_and_long_input_takes_no_time(tail: str) -> None:
    splitter = splitter_for(VERBS)
    start = time.process_time()
    splitter.split("take" + tail)
    splitter.split("take " + tail)
    assert time.process_time() - start < 5  # what is quadratic here takes minutes


def test_more_words_than_a_command_has_are_refused() -> None:
    assert "words" in not_split("take " + "a " * 301).message

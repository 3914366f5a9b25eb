"""The grammar backwards: what the table can say is understood as it was meant."""

from collections.abc import Iterable

from actors.interpreter.grammar.generating import Utterance, utterances
from tests.test_grammar import GRAMMAR

SHOWN = 20


def misread(said: Iterable[Utterance]) -> str:
    """List the sentences that do not mean what they were made to mean; empty if all do."""
    wrong = [
        f"{each.text}\n  of    {each.says}\n  meant {each.drafts}\n  read  {read}"
        for each in said
        if (read := GRAMMAR.parse(each.text)) != each.drafts
    ]
    return "\n".join([*wrong[:SHOWN], f"{len(wrong)} in all"]) if wrong else ""


def test_every_sentence_of_the_table_parses_back_to_its_goals() -> None:
    assert not misread(utterances(GRAMMAR.table))

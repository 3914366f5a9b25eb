"""The page of what one can say, made from the table: ``docs/phrases.md``."""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import islice
from string import Template

from actors.interpreter.grammar.generating import Utterance, utterances
from actors.interpreter.grammar.surrounding import Surroundings
from actors.interpreter.grammar.table import Compiled
from actors.language.file_frames import FrameRow, written_frames

# Examples of one way to say something, and of what stands around it.
SHOWN = 3
AROUND = 8
# Understood, but nobody would write it: "an file", "a image", "up up", "our titled".
ROUGH = re.compile(
    r"\ban (?![aeiou])|\ba (?=[aeiou])|\b(\w+) \1\b|\b(?:that|this|its|our|your|my) an?\b"
    r"|\b(?:an?|my|our|its|your|that|new) (?:end|titled|entitled|with|by)\b"
)


def page(table: Compiled) -> str:
    """Write the whole page."""
    text = files(__package__).joinpath("phrasebook.md").read_text(encoding="utf-8")
    around = Surroundings.of(table)
    said = list(utterances(table))
    return Template(text).substitute(
        goals="\n".join(goals(said)),
        placed=examples(around.placed()),
        polite=examples(around.polite()),
        joined=examples(around.joined()),
        back=examples(each for each in said if points_back(each)),
        files="\n".join(file_frames()),
        groups="\n".join(file_groups()),
        lists="\n".join(lists(table)),
    )


def points_back(said: Utterance) -> bool:
    """Tell whether a sentence needs another before it."""
    return len(said.drafts) > len(said.frame.all_goals())


def goals(said: Sequence[Utterance]) -> Iterator[str]:
    """Write the ways to say every goal, by domain and verb."""
    by_goal: dict[str, list[Utterance]] = {}
    for each in said:
        by_goal.setdefault(", ".join(each.frame.all_goals()), []).append(each)
    domain = ""
    for goal in sorted(by_goal):
        if goal.partition(".")[0] != domain:
            domain = goal.partition(".")[0]
            yield f"## {domain}\n"
        yield f"### {goal}\n"
        yield f"{', '.join(f'`{example}`' for example in simplest(by_goal[goal]))}\n"
        yield from ways(by_goal[goal])
        yield ""


def simplest(said: Sequence[Utterance]) -> Iterator[str]:
    """Give the examples of the table, but for those that need something before them."""
    alone = (each for each in said if not points_back(each) and not each.frame.page_only)
    yield from dict.fromkeys(each.frame.example for each in alone)


def ways(said: Sequence[Utterance]) -> Iterator[str]:
    """Write each template once, with a few of its sentences."""
    by_template: dict[str, list[str]] = {}
    for each in said:
        by_template.setdefault(each.says, []).append(each.text)
    for says, texts in by_template.items():
        yield f"- `{says}`  "
        yield f"  {'; '.join(f'*{text}*' for text in chosen(texts, SHOWN))}"


def chosen(texts: Sequence[str], count: int) -> Iterator[str]:
    """Choose a few that read well, from all over."""
    distinct = list(dict.fromkeys(texts))
    smooth = [text for text in distinct if not ROUGH.search(text)] or distinct
    yield from islice(smooth[:: max(1, len(smooth) // count)], count)


def examples(said: Iterable[Utterance]) -> str:
    """Write examples as a list, of what can be said anywhere."""
    found = chosen([each.text for each in said if not each.frame.page_only], AROUND)
    return "".join(f"- `{text}`\n" for text in found)


def file_frames() -> Iterator[str]:
    """Write the ways to say deeds that take more than a set of files."""
    by_deed: dict[str, list[FrameRow]] = {}
    for row in written_frames().frame:
        by_deed.setdefault(row.deed, []).append(row)
    for deed in sorted(by_deed):
        yield f"### file.{deed}\n"
        yield f"{', '.join(f'`{row.example}`' for row in by_deed[deed])}\n"
        yield from (f"- `{says}`" for row in by_deed[deed] for says in row.says)
        yield ""


def file_groups() -> Iterator[str]:
    """Write the words of those frames."""
    for name, sayings in written_frames().groups.items():
        yield f"- `@{name}`: {', '.join(sayings)}"


def lists(table: Compiled) -> Iterator[str]:
    """Write the lists of words."""
    for name, sayings in table.phrases.lists.items():
        yield f"- `<{name}>`: {', '.join(sayings)}"

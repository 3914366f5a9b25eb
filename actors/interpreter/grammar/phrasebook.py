"""What one can say, made from the tables: the guide ``docs/phrases.md``, and a search of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby, islice
from string import Template

from actors.interpreter.grammar.closed_frames import ClosedFrame
from actors.interpreter.grammar.closed_frames import load_table as closed
from actors.interpreter.grammar.generating import Utterance, utterances
from actors.interpreter.grammar.surrounding import Surroundings
from actors.interpreter.grammar.table import Compiled
from actors.language.file_frames import written_frames

# Examples of one way to say something, and of what stands around it.
SHOWN = 3
AROUND = 4
# A list of words that a way to say something names: `<list>` or `@group`.
LISTED = re.compile(r"<\w+>|@\w+")
# Understood, but nobody would write it: "an file", "a image", "up up", "our titled".
ROUGH = re.compile(
    r"\ban (?![aeiou])|\ba (?=[aeiou])|\b(\w+) \1\b|\b(?:that|this|its|our|your|my) an?\b"
    r"|\b(?:an?|my|our|its|your|that|new) (?:end|titled|entitled|with|by)\b"
)


@dataclass(frozen=True, slots=True)
class Entry:
    """What can be said for one goal: a few examples, and every way as its table has it."""

    goal: str
    examples: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()

    def mentions(self, word: str) -> bool:
        """Tell whether a word stands in the goal's name, an example or a way to say it."""
        return any(word in text.casefold() for text in (self.goal, *self.examples, *self.ways))


def guide(table: Compiled) -> str:
    """Write the guide."""
    text = files(__package__).joinpath("phrasebook.md").read_text(encoding="utf-8")
    around = Surroundings.of(table)
    said = list(utterances(table))
    return Template(text).substitute(
        goals="\n".join(goal_tables(entries_of(said))),
        placed=examples(around.placed()),
        polite=examples(around.polite()),
        joined=examples(around.joined()),
        back=examples(each for each in said if points_back(each)),
    )


def entries(table: Compiled) -> list[Entry]:
    """Give what can be said for each goal, by domain and verb."""
    return entries_of(utterances(table))


def entries_of(said: Iterable[Utterance]) -> list[Entry]:
    """Gather what the tables of the grammar have for each goal, by its name."""
    by_goal: dict[str, list[Utterance]] = {}
    for each in said:
        by_goal.setdefault(", ".join(each.frame.all_goals()), []).append(each)
    found = [
        Entry(goal, tuple(simplest(ways)), tuple(dict.fromkeys(each.says for each in ways)))
        for goal, ways in by_goal.items()
    ]
    found += map(entry_of, closed().frame)
    found += [Entry(f"file.{row.deed}", (row.example,), row.says) for row in written_frames().frame]
    merged: dict[str, Entry] = {}
    for entry in sorted(found, key=lambda entry: entry.goal):
        known = merged.get(entry.goal, Entry(entry.goal))
        examples, ways = (*known.examples, *entry.examples), (*known.ways, *entry.ways)
        merged[entry.goal] = Entry(entry.goal, examples, ways)
    return list(merged.values())


def entry_of(frame: ClosedFrame) -> Entry:
    """Give what a closed frame says; a condition is no sentence by itself."""
    if frame.condition:
        return Entry(frame.goal, ways=(f"if {spelled(frame)}",))
    return Entry(frame.goal, (frame.example,), (spelled(frame),))


def spelled(frame: ClosedFrame) -> str:
    """Write a closed frame as a way to say its goal; its parts stand in any order."""
    needed = (f"<{name}>" for name in frame.needs)
    slots = (
        f"{{{name}}}" if slot.required else f"[{{{name}}}]" for name, slot in frame.slots.items()
    )
    return " ".join((*needed, *slots, *(f"[<{name}>]" for name in frame.may)))


def search(table: Compiled, words: Sequence[str]) -> Iterator[str]:
    """Tell every goal with an example or, of those that have all the words, every way to say it."""
    sought = [word.casefold() for word in words]
    found = [entry for entry in entries(table) if all(map(entry.mentions, sought))]
    for entry in found:
        if not words:
            yield f"{entry.goal:28} {next(iter(entry.examples), entry.ways[0])}"
            continue
        yield entry.goal
        yield from (f"    {example}" for example in entry.examples)
        yield "  or, in general:"
        yield from (f"    {says}" for says in entry.ways)
        yield ""
    if words and found:
        yield from word_lists(table, found)


def word_lists(table: Compiled, found: Iterable[Entry]) -> Iterator[str]:
    """Tell what stands behind the lists of words that the ways to say something name."""
    lists = {
        f"<{name}>": says
        for name, says in (*closed().concepts.items(), *table.phrases.lists.items())
    }
    groups = {f"@{name}": says for name, says in written_frames().groups.items()}
    named = {name for entry in found for says in entry.ways for name in LISTED.findall(says)}
    yield "[x] may be left out, (x|y) and x/y are choices, {x} is a value of yours."
    yield from (
        f"  {name}: {', '.join(says)}" for name, says in (lists | groups).items() if name in named
    )


def points_back(said: Utterance) -> bool:
    """Tell whether a sentence needs another before it."""
    return len(said.drafts) > len(said.frame.all_goals())


def goal_tables(found: Sequence[Entry]) -> Iterator[str]:
    """Write a table of goals for each domain, with a few examples each."""
    for domain, own in groupby(found, key=lambda entry: entry.goal.partition(".")[0]):
        yield f"## {domain}\n"
        yield "| goal | for example |"
        yield "|---|---|"
        for entry in own:
            shown = entry.examples[:SHOWN] or entry.ways[:1]
            yield f"| `{entry.goal}` | {', '.join(f'`{example}`' for example in shown)} |"
        yield ""


def simplest(said: Sequence[Utterance]) -> Iterator[str]:
    """Give the examples of the table, but for those that need something before them."""
    alone = (each for each in said if not points_back(each) and not each.frame.page_only)
    yield from dict.fromkeys(each.frame.example for each in alone)


def chosen(texts: Sequence[str], count: int) -> Iterator[str]:
    """Choose a few that read well, from all over."""
    distinct = list(dict.fromkeys(texts))
    smooth = [text for text in distinct if not ROUGH.search(text)] or distinct
    yield from islice(smooth[:: max(1, len(smooth) // count)], count)


def examples(said: Iterable[Utterance]) -> str:
    """Write examples as a list, of what can be said anywhere."""
    found = chosen([each.text for each in said if not each.frame.page_only], AROUND)
    return "".join(f"- `{text}`\n" for text in found)

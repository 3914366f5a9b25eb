"""Clauses that no frame fits, or that a text world that is played may understand better.

Of files and applications that is what has no name: "the newest invoice", "the text editor". While
a world is played, what could be said in it is said in it, unless the words name a file or an
address.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from actors.interpreter.commands import PLAYED, Commands
from actors.interpreter.grammar import values
from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import Clause, Reading, Scoped, Span, parts_of
from actors.interpreter.grammar.table import Frame
from messages.rules import Rule

# Domains in which things may be described; of files only by their place in a row or a measure,
# for "the old report" may be a name that has to be quoted.
DESCRIBED = ("file", "app")
IN_A_ROW = frozenset({"file"})
# Nobody describes a thing in more words, and every way to split them is tried.
MOST_WORDS = 40
# What it takes to split words in all ways, in templates.
SPLITTING = 10
SPLIT_WORDS = 3  # and once more for each so many of them
# Slots whose words, if they fit, can mean nothing in a text world.
UNMISTAKABLE = frozenset({"address", "host", "site", "file", "anchor", "drive", "number"})


@dataclass(frozen=True, slots=True)
class Worlds:
    """The verbs of text worlds, files and applications, and who has the first word."""

    rules: Mapping[tuple[str, str], Rule]
    commands: Mapping[str, Commands]

    def chosen(
        self, reader: ClauseReader, framed: Clause | None, start: int, end: int
    ) -> Clause | None:
        """Choose between what the table reads and what a world would."""
        reader.context.effort.spend()
        played = self.commands.get(PLAYED)
        if played is not None and played.playing:
            if framed is not None and not self.could_be_played(reader, framed, start):
                return framed
            said = self.played(reader, played, start, end)
            return said or framed or self.described(reader, start, end)
        if framed is not None:
            return framed
        found = self.described(reader, start, end)
        if reader.context.on_page and not (found and self.names_files(reader, found)):
            return None  # the page before the speaker may call something so
        return found

    def has_word_for(self, reader: ClauseReader, start: int, end: int) -> bool:
        """Tell whether a world that is being played has a verb for just these words."""
        played = self.commands.get(PLAYED)
        if played is None or not played.playing:
            return False
        return played.verb_of(reader.context.sentence.said(start, end), loosely=False) is not None

    def played(
        self, reader: ClauseReader, commands: Commands, start: int, end: int
    ) -> Reading | None:
        """Read a clause as a command in a text world."""
        words = reader.context.sentence.said(start, end)
        verb = commands.verb_of(words, loosely=commands.playing)
        if verb is None:
            return None
        return Reading(start, end, Frame((), "", goal=f"{PLAYED}.{verb}"), words=words)

    def could_be_played(self, reader: ClauseReader, framed: Clause, start: int) -> bool:
        """Tell whether words that fit a frame name nothing that only the machine has.

        Behind an address "search nvidia" goes on with the site, and not with the world.
        """
        lexicon = reader.context.lexicon
        goals = framed.frame.all_goals() if isinstance(framed, Reading) else ()
        if any(goal.startswith("browser.") for goal in goals) and self.is_on_web(reader, start):
            return False
        for slot, at, end in framed.fit if isinstance(framed, Reading) else ():
            word = reader.context.spoken(at, end).strip().casefold()
            typed = slot.type in UNMISTAKABLE and word not in lexicon.pronouns
            if typed or lexicon.is_file(word):
                return False
        return True

    def is_on_web(self, reader: ClauseReader, start: int) -> bool:
        """Tell whether an address or a site stands in front of a clause."""
        lexicon = reader.context.lexicon
        return any(
            token.key in lexicon.sites or values.fits_address(lexicon, reader.toks, at, at + 1)
            for at, token in enumerate(reader.toks[:start])
        )

    def described(self, reader: ClauseReader, start: int, end: int) -> Reading | None:
        """Read a clause about one thing that no frame has a name for: "the newest invoice"."""
        first = reader.toks[start].key
        if end - start > MOST_WORDS:
            return None
        if not any(commands.may_open(first) for commands in self.commands.values()):
            return None
        if is_joined(reader, start, end) or reader.fitter.is_doubtful(start, end):
            return None
        if self.is_part_of_file(reader, start, end):
            return None
        for at in range(start + 1, end):
            place = reader.placer.place_of(at, end)
            verb = None if place is None else self.verb_described("file", reader, start, at)
            if place is not None and verb is not None:
                found = self.reading(("file", verb), reader, (start, at), place)
                return replace(found, end=end)
        for domain in DESCRIBED:
            verb = self.verb_described(domain, reader, start, end)
            if verb is not None:
                return self.reading((domain, verb), reader, (start, end))
        return None

    def is_part_of_file(self, reader: ClauseReader, start: int, end: int) -> bool:
        """Tell whether "the last row of a.csv" is spoken of: the whole file is not meant."""
        keys = [token.key for token in reader.toks[start:end]]
        return any(
            key in LITTLE.parts and following in {"of", "in", "from"}
            for key, following in pairwise(keys)
        )

    def names_files(self, reader: ClauseReader, reading: Reading) -> bool:
        """Tell whether a description speaks of files in so many words, or says where they are."""
        if not reading.frame.goal.startswith("file."):
            return False
        words = {token.key for token in reader.toks[reading.start : reading.end]}
        return bool(reading.places) or not words.isdisjoint(LITTLE.filed)

    def verb_described(self, domain: str, reader: ClauseReader, start: int, end: int) -> str | None:
        commands = self.commands.get(domain)
        if commands is None or not commands.may_open(reader.toks[start].key):
            return None
        last = reader.toks[end - 1]
        if domain == "app" and last.key in reader.context.lexicon.kinds["clickable"]:
            return None  # a "close button" is on a page
        reader.context.effort.spend(SPLITTING + (end - start) // SPLIT_WORDS)
        return commands.described(
            reader.context.sentence.said(start, end), in_a_row=domain in IN_A_ROW
        )

    def reading(
        self, goal: tuple[str, str], reader: ClauseReader, span: Span, *places: Scoped
    ) -> Reading:
        """Make the reading of a clause whose words are bound when it runs."""
        domain, verb = goal
        frame = Frame((), "", goal=f"{domain}.{verb}", placed=domain == "file")
        words = reader.context.sentence.said(*span)
        return Reading(*span, frame, places=places, words=words)


def is_joined(reader: ClauseReader, start: int, end: int) -> bool:
    return len(parts_of(reader.toks, start, end)) > 1

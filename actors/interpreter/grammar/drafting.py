"""From readings to drafted goals: values, words for things, what "it" means, the natural order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from actors.interpreter.commands import Commands
from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.memory import Memory, Mention, Misfit
from actors.interpreter.grammar.readings import Reading, Scoped, in_quotes, parts_of
from actors.interpreter.grammar.templates import Slot
from actors.interpreter.grammar.values import value_of
from actors.interpreter.ordering import Order, are_disturbed
from messages.goals import GoalDraft
from messages.message import Value
from messages.rules import Rule

IT = re.compile(r"\bit\b")
# Goals that speak of a thing, and use no part of it: what they name is "it" afterwards.
SPEAKING_OF = frozenset({"scroll_to", "hover", "read", "expand"})


@dataclass(slots=True)
class Drafter:
    """Turns the readings of one sentence into goals."""

    reader: ClauseReader
    rules: Mapping[tuple[str, str], Rule]
    commands: Mapping[str, Commands]
    memory: Memory = field(default_factory=Memory)
    drafts: list[GoalDraft] = field(default_factory=list)
    order: Order = field(init=False)
    observed: int | None = None
    _listed: tuple[object, list[str]] | None = None

    def all(self, readings: Sequence[Reading]) -> tuple[GoalDraft, ...]:
        """Draft every goal, with "it" resolved and the natural order written down."""
        goals = [goal_of(reading, 0) for reading in readings]
        self.order = Order(self.rules, are_disturbed(goals, self.rules))
        for reading in readings:
            offset = len(self.drafts)
            if self.named_before(reading) or self.is_done_already(reading):
                continue
            if self.comes_then(reading):
                self.order.only_looked = False
            for number in range(len(reading.frame.all_goals())):
                draft, places, before = self.draft(reading, number, offset)
                self.add(draft, places, before)
        return tuple(self.drafts)

    def comes_then(self, reading: Reading) -> bool:
        """Tell whether a clause is said to come after the one before it."""
        around = self.reader.toks[max(reading.start - 1, 0) : reading.start + 1]
        return any(token.key in LITTLE.sequence and token.quoted is None for token in around)

    def is_done_already(self, reading: Reading) -> bool:
        """Tell whether a clause only ends the one before: OK in a dialog, Enter behind a search."""
        last = self.drafts[-1] if self.drafts else None
        if last is None:
            return False
        said = {self.reader.context.spoken(at, end).casefold() for _, at, end in reading.fit}
        match last.verb, goal_of(reading, 0):
            case "accept_dialog", ("browser", "click"):
                return "text" in last.params and said <= LITTLE.accepting
            case "search", ("browser", "press"):
                return bool(last.params.get("here")) and said == {"enter"}
            case _:
                return False

    def named_before(self, reading: Reading) -> bool:
        """Let "and save it as X" name the screenshot that was taken just before."""
        if not self.drafts or "latest" not in reading.frame.takes.values():
            return False
        last = self.drafts[-1]
        if last.verb != "screenshot" or "name" in last.params or reading.places:
            return False
        for slot, at, end in reading.fit:
            if slot.name == "name":
                params = {**last.params, "name": self.reader.context.spoken(at, end)}
                self.drafts[-1] = msgspec.structs.replace(last, params=params)
                self.order.latest[f"file:{params['name']}"] = len(self.drafts) - 1
                return True
        return False

    def add(self, draft: GoalDraft, places: list[str], before: set[int]) -> None:
        """Add a goal, after those that act on the same thing."""
        index = len(self.drafts)
        before |= self.order.parents(draft)
        scope = [*places, *(f"after:g{parent}" for parent in sorted(before))]
        stated = tuple(scope) if len(scope) > 1 else (scope[0] if scope else "root")
        rule = self.rules.get((draft.domain, draft.verb))
        name = draft.params.get((rule.creates if rule else None) or "name")
        self.memory.remember(draft, name, places, index)
        if rule is not None and rule.action_class == "observe":
            self.observed = index
        self.drafts.append(msgspec.structs.replace(draft, scope=stated))

    def span(self, reading: Reading) -> tuple[int, int]:
        return self.reader.context.sentence.span(reading.start, reading.end)

    def draft(
        self, reading: Reading, number: int, offset: int
    ) -> tuple[GoalDraft, list[str], set[int]]:
        """Turn one reading into a goal, the scopes of its place, and the goals it follows from."""
        domain, verb = goal_of(reading, number)
        span = self.span(reading)
        places = self.stated_once(reading, span)
        if reading.words is not None:
            self.check_pronouns(reading, domain)
            return GoalDraft(domain, verb, words=reading.words), places, set()
        if reading.frame.on_page is not None and self.turned(reading, domain):
            return self.on_page(reading, reading.frame.on_page), places, set()
        if self.adds_thing(reading, domain, verb):
            return self.on_page(reading, "browser.use"), places, set()
        params: dict[str, Value] = {
            name.rpartition(".")[2]: value
            for name, value in reading.frame.params.items()
            if name.rpartition(".")[0] in {"", str(number)} and ("." in name or number == 0)
        }
        roles: dict[str, str] = {}
        mentioned: Mention | None = None
        for slot, at, end in reading.fit:
            if slot.goal != number or slot.name in {"purpose", "former", "noun"}:
                continue
            if slot.kind == "role":
                words = self.thing(at, end)
                joined = reading.one_name and len(parts_of(self.reader.toks, at, end)) > 1
                roles[slot.name] = in_quotes(words) if joined else words
            elif slot.name in {"name", "to"} and self.is_pronoun(at, end):
                said = self.reader.context.spoken(at, end)
                mentioned = self.memory.recall(domain, said, span)
                params[slot.name] = mentioned.name
                if verb == "delete" and (kind := self.kind_of(said, mentioned)) is not None:
                    params["object_type"] = kind
            elif slot.name == "extension":
                params["pattern"] = f"*.{self.reader.context.spoken(at, end).lstrip('.')}"
            else:
                params[slot.name] = self.value(reading, slot, at, end)
        if (domain, verb) == ("browser", "use"):
            roles = {name: self.with_spoken_of(words) for name, words in roles.items()}
        roles = reading.frame.put(roles, params)
        if number == 0:
            self.lead(reading, roles, domain, verb)
        takes = self.taken(reading, number, offset, span)
        draft = GoalDraft(domain, verb, params, roles, takes=takes)
        return self.located(reading, draft, places, mentioned, span)

    def value(self, reading: Reading, slot: Slot, at: int, end: int) -> Value:
        """Give the value of a slot; a text in the letters that were asked for."""
        context = self.reader.context
        found = value_of(slot, context.sentence, at, end, context.lexicon)
        return reading.frame.write(found) if isinstance(found, str) else found

    def on_page(self, reading: Reading, goal: str) -> GoalDraft:
        """Turn what could be a program or a file into a thing on a page."""
        domain, _, verb = goal.partition(".")
        _, at, end = reading.fit[0]
        if verb == "use":  # what is done is as much of a control's name as what it is done to
            at, end = reading.start, reading.end
        words = self.reader.context.spoken(at, end)
        roles = {"target": self.with_spoken_of(words) if verb == "use" else words}
        self.lead(reading, roles, domain, verb)
        return GoalDraft(domain, verb, {}, roles)

    def turned(self, reading: Reading, domain: str) -> bool:
        """Tell whether "open X" and "read it" speak of a page: one was spoken of before."""
        if domain == "file":
            return self.means_thing(reading) or self.is_no_file(reading)
        return self.is_no_program(reading)

    def is_no_file(self, reading: Reading) -> bool:
        """Tell whether a quoted name is one on the page: nothing in the words is of files."""
        context = self.reader.context
        said = self.reader.toks[reading.start : reading.end]
        spoken = any(token.key in LITTLE.filed for token in said if token.quoted is None)
        quoted = [token.quoted for token in said if token.quoted is not None]
        if not context.on_page or spoken or reading.places or len(quoted) != 1:
            return False
        return not context.lexicon.is_file(quoted[0].casefold()) and "/" not in quoted[0]

    def adds_thing(self, reading: Reading, domain: str, verb: str) -> bool:
        """Tell whether "add X to Y" is no typing of X into Y: before a page, X is a thing on it."""
        toks = self.reader.toks
        if (domain, verb) != ("browser", "type") or toks[reading.start].key != "add":
            return False
        said = toks[reading.start : reading.end]
        quoted = any(token.quoted is not None for token in said)
        field = any(token.key in LITTLE.typed_into for token in said)
        return self.reader.context.on_page and not quoted and not field

    def means_thing(self, reading: Reading) -> bool:
        """Tell whether "it" is what the latest goal did something to, on a page."""
        last = self.drafts[-1] if self.drafts else None
        spoken = last is not None and last.domain == "browser" and "target" in last.roles
        return spoken and [slot.type for slot, _, _ in reading.fit] == ["pronoun"]

    def is_no_program(self, reading: Reading) -> bool:
        """Tell whether "open X" speaks of a page: one was spoken of, and X is no known program."""
        browsed = any(draft.domain == "browser" for draft in self.drafts)
        on_page = browsed or self.reader.context.on_page
        named = any(
            self.reader.toks[at].key in self.reader.context.lexicon.programs
            or slot.type not in {"app", "program"}
            for slot, at, _ in reading.fit
        )
        return on_page and not named

    def located(
        self,
        reading: Reading,
        draft: GoalDraft,
        places: list[str],
        mentioned: Mention | None,
        span: tuple[int, int],
    ) -> tuple[GoalDraft, list[str], set[int]]:
        """Find where a file is that was spoken of before."""
        named = draft.domain == "file" and draft.verb != "create" and not places
        if mentioned is None and named and not draft.takes:
            mentioned = self.memory.named(str(draft.params.get("name")), span)
        if mentioned is None:
            return draft, places, set()
        if places and tuple(places) != mentioned.places:
            raise Misfit(f"{mentioned.name} has its place already", span)
        if mentioned.places and not reading.frame.placed:
            raise Misfit(f"say where {mentioned.name} is, in a command of its own", span)
        return draft, list(mentioned.places), {mentioned.goal}

    def kind_of(self, said: str, mentioned: Mention) -> str | None:
        """Say whether what is deleted is a file or a folder, if the words tell."""
        kind = said.casefold().split()[-1]
        if kind in {"file", "folder"}:
            return kind
        named = self.reader.context.lexicon.is_file(mentioned.name.casefold())
        return "file" if named else None

    def is_pronoun(self, at: int, end: int) -> bool:
        toks = self.reader.toks[at:end]
        if any(token.quoted is not None for token in toks):
            return False
        return " ".join(token.key for token in toks) in self.reader.context.lexicon.pronouns

    def taken(
        self, reading: Reading, number: int, offset: int, span: tuple[int, int]
    ) -> dict[str, str]:
        """Name the goals whose output is the value of a parameter."""
        takes: dict[str, str] = {}
        for name, source in reading.frame.takes.items():
            goal, dot, parameter = name.rpartition(".")
            if (int(goal) if dot else 0) != number:
                continue
            if source != "latest":
                takes[parameter] = f"g{offset + source}"
            elif self.observed is None:
                raise Misfit("what is it? nothing was read before; say what to read", span)
            else:
                takes[parameter] = f"g{self.observed}"
        return takes

    # Words for things

    def with_spoken_of(self, words: str) -> str:
        """Put the thing that the latest goal spoke of in the place of "it".

        That is the mug, if its quantity was set; what was clicked or chosen may be anything.
        """
        last = [draft for draft in self.drafts if "target" in draft.roles]
        if not self.reader.context.on_page or not last or not IT.search(words):
            return words
        attribute, _, named = last[-1].roles["target"].partition(" of ")
        if not (named and attribute.islower()) and last[-1].verb in SPEAKING_OF:
            named = last[-1].roles["target"]
        return words if not named or IT.search(named) else IT.sub(lambda _: named, words)

    def thing(self, at: int, end: int) -> str:
        """Give the words for a thing as they were said, without an article in front."""
        toks = self.reader.toks
        while (
            end - at > 1
            and toks[at].quoted is None
            and toks[at].key in LITTLE.articles
            and not (toks[at].capital and self.reader.context.names_in_capitals)
        ):
            at += 1
        return self.reader.context.sentence.said(at, end)

    def lead(self, reading: Reading, roles: dict[str, str], domain: str, verb: str) -> None:
        """Put words in front of the verb where they belong: into a role, or behind the thing."""
        rule = self.rules.get((domain, verb))
        if rule is None:
            return
        for start, verb_at in reading.leads:
            role = reading.frame.lead
            inner = self.reader.leads.words(start, verb_at)
            positional = self.reader.leads.is_positional(start, verb_at) and role != "target"
            if role is not None and role not in roles and not positional:
                roles[role] = self.reader.context.sentence.said(inner, verb_at)
            elif (first := next(iter(roles), None)) is not None:
                words = self.reader.context.sentence.said(start, verb_at)
                if self.reader.leads.says_which(start):
                    roles[first] = f"{roles[first]} {words[0].lower()}{words[1:]}"

    # Places and pronouns

    def stated_once(self, reading: Reading, span: tuple[int, int]) -> list[str]:
        """Give the scopes of a clause; for all members of a list "it" is the same place."""
        if reading.places and self._listed is not None and self._listed[0] is reading.places:
            return list(self._listed[1])
        stated = [self.stated(place, span) for place in reading.places]
        self._listed = (reading.places, stated) if stated else None
        return list(stated)

    def stated(self, place: Scoped, span: tuple[int, int]) -> str:
        """Give the scope of a place, with what "it" means."""
        names = dict(place.names)
        if not names:
            return place.scope.format_map({"it": self.memory.folder(span)})
        if (folder := names.get("folder")) is not None:
            self.memory.check_folder(folder, span)
        if (drive := names.get("drive")) is not None:
            names["drive"] = drive.rstrip(":").upper()
        return place.scope.format_map(names)

    def check_pronouns(self, reading: Reading, domain: str) -> None:
        """Refuse an "it" that would reach past what this text spoke of, to something older."""
        commands = self.commands.get(domain)
        latest = self.memory.latest_domain
        if commands is None or reading.words is None or latest in {None, domain}:
            return
        if commands.refers_back(reading.words):
            raise Misfit("what does it mean here? say its name", self.span(reading))


def goal_of(reading: Reading, number: int) -> tuple[str, str]:
    """Give the domain and the verb of one of a clause's goals."""
    domain, _, verb = reading.frame.all_goals()[number].partition(".")
    return domain, verb


def ordered(readings: Sequence[Reading]) -> list[Reading]:
    """Put clauses in the order they are meant: "before X, do Y", and "do Y after X"."""
    found: list[Reading] = []
    waiting: Reading | None = None
    for reading in readings:
        if reading.later and waiting is None:
            waiting = reading
            continue
        if reading.earlier and found:
            found.insert(len(found) - 1, reading)
        else:
            found.append(reading)
        if waiting is not None:
            found.append(waiting)
            waiting = None
    return found if waiting is None else [*found, waiting]

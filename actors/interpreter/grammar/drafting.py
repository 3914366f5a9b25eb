"""From readings to drafted goals: values, words for things, what "it" means, the natural order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from actors.interpreter.commands import Commands
from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.fitting import WITHOUT_GOAL
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.memory import Memory, Mention, Misfit
from actors.interpreter.grammar.readings import Reading, Scoped, in_quotes, parts_of
from actors.interpreter.grammar.secrets import HINT, may_hold_secret, shows_secret
from actors.interpreter.grammar.selectors import spelled_selector
from actors.interpreter.grammar.sentence import HARD
from actors.interpreter.grammar.table import PLACE
from actors.interpreter.grammar.templates import Slot
from actors.interpreter.grammar.values import value_of
from actors.interpreter.ordering import Order, are_disturbed
from actors.vault import SECRETIVE, USERINFO, speaks_of_secret
from messages.goals import GoalDraft
from messages.message import Value
from messages.rules import Rule

IT = re.compile(r"\bit\b")
# Goals that speak of a thing, and use no part of it: what they name is "it" afterwards.
FOLLOWING = frozenset(word for saying in LITTLE.follow for word in saying.split())
# What is done to what a page shows, and to files in the same words.
READ_AND_WRITTEN = frozenset({"read", "type", "set", "copy", "clear"})
# What is done to things on a page that is there, and to files where none is.
MOVED = frozenset({"select", "drag"})
# Goals that turn over pages, in words that may be said of anything.
TURNING = frozenset({"back", "forward"})
# Words for what is on a disk, and verbs by which something is written there.
FILED = frozenset({"file", "files", "folder", "folders", "directory", "directories"})
FILE_VERBS = frozenset({"write", "save", "put", "store", "append", "note", "copy"})
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
    spans: list[tuple[int, int]] = field(default_factory=list)
    _listed: tuple[object, list[str]] | None = None
    _ends: list[int] = field(default_factory=list)
    _speaks_of_secret: bool = False

    def all(self, readings: Sequence[Reading]) -> tuple[GoalDraft, ...]:
        """Draft every goal, with "it" resolved and the natural order written down."""
        goals = [goal_of(reading, 0) for reading in readings]
        self._ends = [reading.end for reading in readings]
        self._speaks_of_secret = speaks_of_secret(self.reader.context.sentence.text)
        self.check_counts(readings)
        self.order = Order(self.rules, are_disturbed(goals, self.rules))
        before: Reading | None = None
        for reading in readings:
            offset = len(self.drafts)
            if self.named_before(reading) or self.is_done_already(reading):
                continue
            follows = reading.follows or self.comes_then(reading) or self.is_then(before, reading)
            before = reading
            if follows:
                self.order.only_looked = False
            for number in range(len(reading.frame.all_goals())):
                draft, places, parents = self.draft_or_text_added(reading, number, offset)
                if follows and number == 0:
                    parents |= self.order.last_goals()
                self.add(draft, places, parents)
                self.spans.append(self.span(reading))
        return tuple(self.drafts)

    def check_counts(self, readings: Sequence[Reading]) -> None:
        """Refuse a number of things that is not the number of those that are named."""
        for index, reading in enumerate(readings):
            said = self.count_said(reading) if reading.frame.many else None
            if said is None or is_listed(readings, index):
                continue
            named = 1
            while index + named < len(readings) and is_listed(readings, index + named):
                named += 1
            if said != named:
                problem = f"{said} were asked for, and {named} named"
                raise Misfit(problem, self.span(reading))

    def count_said(self, reading: Reading) -> int | None:
        """Give the number of things that is said in front of them: "three folders a, b and c"."""
        first = min((at for _, at, _ in reading.fit), default=reading.start)
        numbers = self.reader.context.lexicon.numbers
        toks = self.reader.toks[reading.start : first]
        spoken = [token.key for token in toks if token.quoted is None and token.key in numbers]
        return numbers[spoken[-1]] if spoken and numbers[spoken[-1]] > 1 else None

    def is_then(self, before: Reading | None, reading: Reading) -> bool:
        """Tell whether "then" stands between two members of a list: "open firefox then gimp"."""
        if before is None or before.start != reading.start:
            return False
        for (_, _, end), (_, start, _) in zip(before.fit, reading.fit, strict=False):
            between = self.reader.toks[end:start]
            if any(token.key == "then" and token.quoted is None for token in between):
                return True
        return False

    def comes_then(self, reading: Reading) -> bool:
        """Tell whether the words in front of a clause say that it comes after the one before it."""
        toks, skipped = self.reader.toks, self.reader.context.table.noise_words
        at = reading.start
        behind = max((end for end in self._ends if end <= at), default=0)
        while at > behind and toks[at - 1].quoted is None and toks[at - 1].key in skipped:
            at -= 1
            if toks[at].parted == HARD:
                break
        keys = [token.key for token in toks[at : reading.start]]
        if FOLLOWING.isdisjoint(keys):  # nearly always: only then are the sayings looked for
            return False
        said = f" {' '.join(keys)} "
        return any(f" {saying} " in said for saying in LITTLE.follow)

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
        self.order.note_parents(before)
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

    def draft_or_text_added(
        self, reading: Reading, number: int, offset: int
    ) -> tuple[GoalDraft, list[str], set[int]]:
        """Turn one reading into a goal; what is added to "it" may be a text for a file."""
        text = self.text_added_to_it(reading)
        if text is None:
            return self.draft(reading, number, offset)
        return self.appended(reading, text, self.span(reading))

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
        if (instead := self.page_goal(reading, domain, verb)) is not None:
            return self.on_page(reading, instead), places, set()
        if (domain, verb) == ("browser", "use"):
            self.refuse_secret(reading)
        params = fixed_params(reading, number)
        roles: dict[str, str] = {}
        mentioned: Mention | None = None
        for slot, at, end in reading.fit:
            if not reading.frame.fills(slot, number) or slot.name in WITHOUT_GOAL:
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
                params["pattern"] = self.pattern_of(at, end, span)
            else:
                params[slot.name] = self.value(reading, slot, at, end)
        if (domain, verb) == ("browser", "use"):
            roles = {name: self.with_spoken_of(words) for name, words in roles.items()}
        shared = {
            slot.name: self.thing(at, end)
            for slot, at, end in reading.fit
            if slot.kind == "role" and slot.name == PLACE
        }
        roles = reading.frame.put(roles, params, number, shared)
        roles = self.without_selectors(domain, verb, roles, params)
        if number == 0:
            self.lead(reading, roles, domain, verb)
        roles = roles or self.cell_selected_before(domain, verb, params)
        takes = self.taken(reading, number, offset, span)
        draft = GoalDraft(domain, verb, params, roles, takes=takes)
        self.refuse_unfit(reading, draft)
        return self.located(reading, draft, places, mentioned, span)

    def text_added_to_it(self, reading: Reading) -> str | None:
        """Give the text of "add "and gloves" to it", where "it" is no folder but may be a file."""
        if self.memory.has_folder or goal_of(reading, 0) != ("file", "create"):
            return None
        is_it = len(reading.places) == 1 and not reading.places[0].names
        behind = [at for _, at, _ in reading.fit] == [reading.start + 1]
        if not is_it or self.reader.toks[reading.start].key != "add" or not behind:
            return None
        token = self.reader.toks[reading.start + 1]
        is_file = self.reader.context.lexicon.is_file(token.key)
        return None if is_file else token.quoted

    def appended(
        self, reading: Reading, text: str, span: tuple[int, int]
    ) -> tuple[GoalDraft, list[str], set[int]]:
        """Add a text to the file that was spoken of last."""
        mentioned = self.memory.recall("file", "it", span)
        draft = GoalDraft("file", "append", {"content": text, "name": mentioned.name})
        return self.located(reading, draft, [], mentioned, span)

    def cell_selected_before(
        self, domain: str, verb: str, params: Mapping[str, Value]
    ) -> dict[str, str]:
        """Give the cell that was selected just before: typing replaces what it holds."""
        is_typed = (domain, verb) == ("browser", "type") and "selector" not in params
        if not is_typed or not self.drafts or self.drafts[-1].verb not in {"click", "select"}:
            return {}
        words = self.drafts[-1].roles.get("target", "")
        is_cell = not LITTLE.cells.isdisjoint(words.casefold().split()[:1])
        return {"target": words} if is_cell else {}

    def page_goal(self, reading: Reading, domain: str, verb: str) -> str | None:
        """Name the goal on a page that words mean instead, if they do."""
        if reading.frame.on_page is not None and self.turned(reading, domain):
            return reading.frame.on_page
        return "browser.use" if self.adds_thing(reading, domain, verb) else None

    def refuse_secret(self, reading: Reading) -> None:
        """Refuse words for a thing that seem to hold a secret: they would be logged and shown."""
        toks = self.reader.toks[reading.start : reading.end]
        if may_hold_secret(self.reader.context, toks):
            raise Misfit(HINT, self.span(reading))

    def refuse_unfit(self, reading: Reading, draft: GoalDraft) -> None:
        """Refuse what no goal should be made of, though the words fit a frame."""
        if draft.domain == "browser":
            self.refuse_machine(reading, draft)
            self.refuse_filed(reading, draft)
        if self._speaks_of_secret:
            self.refuse_shown_secret(reading, draft)

    def refuse_shown_secret(self, reading: Reading, draft: GoalDraft) -> None:
        """Refuse a secret in a name, an address or a search: only what is typed can be hidden."""
        shown = [
            value
            for name, value in (*draft.params.items(), *draft.roles.items())
            if isinstance(value, str) and name not in SECRETIVE
        ]
        toks = self.reader.toks[reading.start : reading.end]
        if shown and shows_secret(self.reader.context, toks, shown):
            raise Misfit(HINT, self.span(reading))
        if any(USERINFO.search(value) for value in shown):
            raise Misfit("an address with a password in it is not opened", self.span(reading))

    def refuse_machine(self, reading: Reading, draft: GoalDraft) -> None:
        """Refuse to ask the web, or a page that nobody spoke of, for what this machine has."""
        context = self.reader.context
        if draft.verb == "search" and {"query"} <= draft.params.keys() <= {"query", "here"}:
            query, is_here = str(draft.params["query"]).casefold(), "here" in draft.params
            said = {word.strip(",.") for word in query.split()}
            filed = said & LITTLE.tree or tuple(query.split()[-2:]) in LITTLE.and_below
            if not is_here:  # a page has files, too; folders and what is below them are the disk's
                named = said & (LITTLE.filed | context.lexicon.anchors)
                filed = filed or named or any(context.lexicon.is_file(word) for word in said)
            if filed:
                reason = 'it speaks of files; say "find ...", or name a site to search'
                raise Misfit(reason, self.span(reading))
        if context.on_page or any(each.domain == "browser" for each in self.drafts):
            return
        named = {word for words in draft.roles.values() for word in words.split()}
        if named and named <= LITTLE.devices:
            raise Misfit("nothing here can do that to a device", self.span(reading))
        files = [
            words for words in draft.roles.values() if context.lexicon.is_file(words.casefold())
        ]
        if files and draft.verb in READ_AND_WRITTEN:
            raise Misfit(f"{files[0]} is a file, and no page is open", self.span(reading))

    def refuse_filed(self, reading: Reading, draft: GoalDraft) -> None:
        """Refuse a page goal in words of files: "read the folder docs", "move a.txt, then back"."""
        last = self.drafts[-1].domain if self.drafts else "browser"
        if draft.verb in TURNING and reading.end - reading.start == 1 and last != "browser":
            raise Misfit("back to where? no page is spoken of", self.span(reading))
        browsed = any(each.domain == "browser" for each in self.drafts)
        shown = self.reader.context.on_page or browsed
        verbs = READ_AND_WRITTEN if shown else READ_AND_WRITTEN | MOVED
        if draft.verb not in verbs or reading.frame.page_only or reading.template is None:
            return
        written = not shown or self.reader.toks[reading.start].key in FILE_VERBS
        fits = [
            (at, end)
            for slot, at, end in reading.fit
            if slot.kind == "role" or (written and slot.name in {"text", "value"})
        ]
        if any(self.names_file(at, end) for at, end in fits) and not self.speaks_of_page(reading):
            reason = 'it speaks of a file, and not of a page; say "open ..." or "upload ..."'
            raise Misfit(reason, self.span(reading))

    def names_file(self, at: int, end: int) -> bool:
        """Tell whether words are a file's name, or begin with its kind: "the folder docs"."""
        toks, lexicon = self.reader.toks, self.reader.context.lexicon
        skipped = LITTLE.articles | LITTLE.quantifying | lexicon.describing
        said = [token for token in toks[at:end] if token.key not in skipped]
        if not said or said[0].quoted is not None:
            return False
        if said[0].key in FILED and not said[0].capital:
            return True
        return any(token.quoted is None and lexicon.is_file(token.key) for token in said)

    def speaks_of_page(self, reading: Reading) -> bool:
        """Tell whether a clause names something that only pages have, or a quoted thing there."""
        kinds, toks = self.reader.context.lexicon.kinds, self.reader.toks
        known = (kinds["clickable"] | kinds["field"] | {"page"}) - FILED
        spans = [(at, end) for slot, at, end in reading.fit if slot.kind == "role"]
        return any(
            token.quoted is not None or token.key in known
            for at, end in (*spans, *reading.leads)
            for token in toks[at:end]
        )

    def without_selectors(
        self, domain: str, verb: str, roles: dict[str, str], params: dict[str, Value]
    ) -> dict[str, str]:
        """Turn roles that spell out a selector into values; words beside them stay words."""
        rule = self.rules.get((domain, verb))
        if domain != "browser" or rule is None or not roles:
            return roles
        is_kind = self.reader.context.lexicon.is_some_kind
        found = {role: spelled_selector(words, is_kind) for role, words in roles.items()}
        stated = {role: selector for role, selector in found.items() if selector is not None}
        if len(stated) < len(roles):
            return roles
        params |= {
            name: stated[parameter.role]
            for name, parameter in rule.params.items()
            if parameter.role in stated
        }
        return {}

    def pattern_of(self, at: int, end: int, span: tuple[int, int]) -> str:
        """Give the pattern of "all pdf files"; what is no ending says something else of them."""
        ending = self.reader.context.spoken(at, end).lstrip(".")
        if not self.reader.context.lexicon.is_file(f"x.{ending.casefold()}"):
            raise Misfit(f"{ending!r} is no ending of files that is known; say *.{ending}", span)
        return f"*.{ending}"

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
            self.refuse_secret(reading)
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
            elif self.observed_alike():
                raise Misfit("which of what was read? say it in a command for each", span)
            else:
                takes[parameter] = f"g{self.observed}"
        return takes

    def observed_alike(self) -> bool:
        """Tell whether the latest two goals read the same kind of thing: "it" may be both."""
        if self.observed is None or not self.observed:
            return False
        last, before = self.drafts[self.observed], self.drafts[self.observed - 1]
        return (last.domain, last.verb) == (before.domain, before.verb)

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
                elif words not in self.reader.context.noted.passed_over:
                    self.reader.context.noted.passed_over.append(words)

    # Places and pronouns

    def stated_once(self, reading: Reading, span: tuple[int, int]) -> list[str]:
        """Give the scopes of a clause; for all members of a list "it" is the same place."""
        if reading.places and self._listed is not None and self._listed[0] is reading.places:
            return list(self._listed[1])
        stated = [self.stated(place, span) for place in reading.places]
        if reading.frame.there and (there := self.folder_before(reading, span)) is not None:
            stated.append(f"inside:{there}")
        self._listed = (reading.places, stated) if stated else None
        return list(stated)

    def folder_before(self, reading: Reading, span: tuple[int, int]) -> str | None:
        """Give the folder that "it" and "the folder" mean; "the" one may also be the one here."""
        words = [token.key for token in self.reader.toks[reading.start : reading.end]]
        is_here = words[-2:-1] == ["the"]
        return None if is_here and not self.memory.has_folder else self.memory.folder(span)

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


def is_listed(readings: Sequence[Reading], index: int) -> bool:
    """Tell whether a clause is a further member of the list that the one before it begins."""
    if not index:
        return False
    before, reading = readings[index - 1], readings[index]
    bare = sum(end - at for _, at, end in reading.fit) == reading.end - reading.start
    same = (before.frame.all_goals(), before.frame.params) == (
        reading.frame.all_goals(),
        reading.frame.params,
    )
    return same and (before.start == reading.start or bare)


def fixed_params(reading: Reading, number: int) -> dict[str, Value]:
    """Give the parameters that the frame of a clause fixes for one of its goals."""
    return {
        name.rpartition(".")[2]: value
        for name, value in reading.frame.params.items()
        if name.rpartition(".")[0] in {"", str(number)} and ("." in name or number == 0)
    }


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
            waiting = replace(reading, follows=True)
            continue
        if reading.earlier and found:
            found[-1:] = [reading, replace(found[-1], follows=True)]
        else:
            found.append(reading)
        if waiting is not None:
            found.append(waiting)
            waiting = None
    return found if waiting is None else [*found, waiting]

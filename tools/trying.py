"""``behest send`` without words: a prompt to try sentences at, or sentences from a pipe."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from messages import wire
from tools.examples import achievable, achieved_here, examples_here
from tools.prompting import History, Prompt
from tools.screen import Screen, plain

HELP = frozenset({"help", "?"})
LEAVING = frozenset({"exit", "quit", "bye"})
SHOWN_EXAMPLES = 4
SHOWN_VERBS = 12

CarryOut = Callable[[str], int]


def read_on(carry_out: CarryOut) -> int | None:
    """Carry out the sentences of a pipe in order; give the worst of what they came to."""
    codes = [carry_out(sentence) for sentence in Prompt("").lines()]
    return max(codes, default=None)


@dataclass
class Trial:
    """Sentences typed at a prompt, each carried out before the next is asked for."""

    carry_out: CarryOut
    described: wire.Described
    history: History
    session: str
    plan: bool = False

    def run(self) -> None:
        """Ask for sentences until there are no more; an interrupt ends only what runs."""
        screen = Screen()
        screen.write("".join(f"{line}\n" for line in self.greeting()))
        prompt = Prompt("plan> " if self.plan else "> ", verbs(self.described), self.history)
        for line in prompt.lines():
            if line.casefold() in HELP:
                screen.write("".join(f"{told}\n" for told in helped(self.described)))
                continue
            if line.casefold() in LEAVING:
                return
            with suppress(KeyboardInterrupt):
                self.carry_out(line)

    def greeting(self) -> Iterator[str]:
        """Say which session this is, and how to go on."""
        doing = "plans only, nothing is done" if self.plan else "what you say is done"
        yield plain(f"Behest {self.described.version}, session {self.session}: {doing}.")
        yield "help shows examples, Tab completes verbs, Ctrl-C stops a command, exit leaves."


def verbs(described: wire.Described) -> list[str]:
    """Give the words that sentences can begin with: verbs and their aliases, as they are spoken."""
    names: set[str] = set()
    for key, rule in described.rules.items():
        if rule.unspoken:
            continue
        names |= {key.partition(".")[2], *rule.aliases}
        names |= set(rule.targets.aliases if rule.targets is not None else ())
    spoken = {name.replace("_", " ").casefold() for name in names if "." not in name}
    first = {said[0].split()[0] for said in described.examples.values() if said}
    return sorted(spoken | first)


def helped(described: wire.Described) -> Iterator[str]:
    """Show for every domain that can act here what one might say."""
    achieved = achieved_here(described)
    examples = examples_here(described.examples, described.rules, achieved)
    domains: dict[str, list[str]] = {}
    for key, rule in described.rules.items():
        if achievable(rule, achieved):
            domains.setdefault(key.partition(".")[0], []).append(key)
    width = max(map(len, domains), default=0)
    for domain, keys in domains.items():
        for number, line in enumerate(said_in(examples, keys)):
            yield plain(f"  {'' if number else domain:<{width}}  {line}")
    yield "Several at once are joined by commas, and, then."


def said_in(examples: Mapping[str, Sequence[str]], keys: Sequence[str]) -> list[str]:
    """Give examples for some verbs, at first one of each; without any, the verbs themselves."""
    told = [examples[key] for key in keys if examples.get(key)]
    firsts, others = [said[0] for said in told], [more for said in told for more in said[1:]]
    if shown := [*firsts, *others][:SHOWN_EXAMPLES]:
        return shown
    names = [key.partition(".")[2] for key in keys]
    return [f"{', '.join(names[:SHOWN_VERBS])}{', …' if len(names) > SHOWN_VERBS else ''}"]

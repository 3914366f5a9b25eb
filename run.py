"""Behest's composition root: settings, tools, mailboxes and actors become one daemon.

Nothing here decides anything. The command line itself is in ``tools/cli.py``; what only the
daemon needs is imported when it starts, so that a client command answers at once.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from messages import wire
from tools import cli
from tools.settings import BadSettings, JournalSettings, Secret, Settings, missing_root

if TYPE_CHECKING:
    from actors.gateway import Chronicle, Gateway, Way
    from actors.interpreter import Interpreter
    from actors.interpreter.grammar import Grammar
    from actors.interpreter.model import Model, ModelReader
    from actors.interpreter.model.outcome import Mode
    from actors.mailbox import Address
    from actors.orchestrator import Events
    from actors.orchestrator.places import Approvals
    from actors.planner.tables import RuleTable
    from actors.vault import Vault
    from messages import commanding, journaling, scheduling
    from messages.rules import SearchEngine
    from tools.door import HostPort, Preparing
    from tools.journal import JournalFile
    from tools.logs import LineWriter, TraceLog
    from tools.recipes.cookbook import RecipeFolder
    from tools.tool import AnyTool
    from tools.worlds import Machine


LAST_SECONDS = 1.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; ``serve`` is ours, the rest are clients of the socket."""
    return cli.main(argv, cli.Doors(serve=serve, resolve=resolve_here, phrases=phrases_here))


def phrases_here(words: Sequence[str]) -> Iterator[str]:
    """Look up what one can say, in the tables that come with Behest."""
    from actors.interpreter.grammar.phrasebook import search
    from actors.interpreter.grammar.table import compiled
    from actors.planner.tables import search_engines

    return search(compiled(search_engines(), frozenset()), words)


def resolve_here(request: wire.Resolve) -> wire.Resolution | wire.Error:
    """Serve a ``resolve`` in this process, by the very functions that the daemon's actors use."""
    from actors.gateway.resolving import declared, not_split, resolution
    from actors.interpreter import split
    from actors.target_resolver.engine import resolve
    from messages.interpreting import NotSplit, SplitWords
    from messages.targets import Query

    verbs = declared(request)
    if isinstance(verbs, wire.Error):
        return verbs
    words = split(SplitWords(verbs, request.options, request.text, request.parsed))
    if isinstance(words, NotSplit):
        return not_split(request.id, words.message, words.near)
    finding = resolve(Query(words.readings, verbs, request.world, request.options))
    parsed = words.readings[finding.reading]
    return resolution(request.id, finding.outcome, finding.phases, parsed)


def serve(options: cli.Serving) -> int:
    """Run the daemon in the foreground until it is told to stop."""
    import anyio

    import_plain_structlog()
    from actors.supervisor import GaveUp
    from tools.journal import BadJournal
    from tools.sockets import Occupied, claimed, make_room

    problems: list[BaseException] = []
    try:
        with claimed(options.state):
            make_room(options.settings.door.connections)
            anyio.run(daemon, options, door_keys(options), backend_options=loop_options())
    except* (Occupied, GaveUp, BadJournal, OSError) as group:
        problems.extend(group.exceptions)
    return cli.complain(str(problems[0]), cli.FAILED) if problems else cli.SUCCESS


def import_plain_structlog() -> None:
    """Import structlog without rich, by which it shows tracebacks on terminals where there is one.

    The log is JSON: rich would cost every start 20 ms and 5 MB.
    """
    if "rich" not in sys.modules:
        sys.modules["rich"] = None  # type: ignore[assignment]  # it cannot be imported
        import structlog  # noqa: F401

        del sys.modules["rich"]


def loop_options() -> dict[str, Any]:
    """Run on uvloop where there is one: docs/decisions/0012 says what it saves."""
    from importlib.util import find_spec

    return {"use_uvloop": find_spec("uvloop") is not None}


@dataclass(frozen=True)
class Keys:
    """What opens the door: where it is, the token, and how a connection there is made private."""

    address: "HostPort"
    token: Secret
    preparing: "Preparing"


@dataclass
class Parts:
    """The daemon, put together and not yet running."""

    services: Sequence[Callable[[], Coroutine[Any, Any, None]]]
    gateway: "Gateway"
    orchestrator: "Address[commanding.Inbox]"


def door_keys(options: cli.Serving) -> "Keys | None":
    """Find, or make, what opens the door; None if there is no door but the socket."""
    if options.tcp is None:
        return None
    from tools.door import Preparing, daemon_token, server_tls, token_path

    door = options.settings.door
    token = daemon_token(token_path(None, door, options.state))
    return Keys(options.tcp, token, Preparing(server_tls(door)))


async def ways_in(options: cli.Serving, keys: "Keys | None") -> "list[Way]":
    """Open the socket and, where it is wanted, the door."""
    from actors.gateway import Way
    from tools.sockets import listen

    door = [] if keys is None else await open_door(keys)
    return [*door, Way(await listen(options.socket))]


async def open_door(keys: "Keys") -> "list[Way]":
    """Listen where clients with the token may come in."""
    import structlog

    from actors.gateway import Way
    from actors.gateway.entrance import Entrance
    from actors.gateway.lock import Lock
    from tools.door import host_of, listen_tcp, place_of

    log = structlog.get_logger(actor="daemon")
    entrance = Entrance(Lock(keys.token.reveal().encode()), keys.preparing, host_of)
    listeners = await listen_tcp(keys.address)
    tls = keys.preparing.context is not None
    for listener in listeners:
        log.info("door.opened", tcp=place_of(listener), tls=tls)
    return [Way(listener, entrance) for listener in listeners]


async def daemon(options: cli.Serving, keys: "Keys | None" = None) -> None:
    """Start everything, serve until a signal, then let running actions finish."""
    import anyio
    import structlog

    from actors.language.lexicon import speaks_of_colour
    from tools.files.backups import Backups
    from tools.logs import LineWriter, TraceLog, configure, span_ids
    from tools.memory import collect_now_and_then, settle_memory
    from tools.policy import PROTECTED
    from tools.signals import stop_signals
    from tools.worlds import open_machine

    writer = LineWriter(sys.stdout.fileno())
    trace_log = TraceLog(writer.write, span_ids())
    configure(trace_log)
    log = structlog.get_logger(actor="daemon")
    settle_roots(options, log, writer)
    asyncio.get_running_loop().set_exception_handler(partial(log_loop_error, log))
    if (bundle := options.bundle) is not None:
        log.info("world.opened", name=bundle.name, title=bundle.title, intro=bundle.intro)
    protected = options.settings.protected
    machine = open_machine(
        options.roots,
        options.settings.apps,
        protected=PROTECTED if protected is None else protected,
        bundle=options.bundle,
        browser=options.settings.browser,
        backups=Backups(options.state / "former"),
        speaks_of_colour=speaks_of_colour,
        preload_pages=partial(import_module, "actors.target_resolver.page.binding"),
        lists=options.state / "lists",
    )
    try:
        with ExitStack() as boxes:
            kept = options.state / "journal.db"
            journal = boxes.enter_context(open_journal(kept, options.settings.journal))
            model = language_model(options)
            parts = compose(
                options.settings,
                machine,
                trace_log,
                boxes,
                model=model,
                journal=journal,
                vault=secrets_of(options),
                recipes=recipe_folder(options),
            )
            with stop_signals(signal.SIGINT, signal.SIGTERM) as signals:
                ways = await ways_in(options, keys)
                async with anyio.create_task_group() as tasks:
                    for service in parts.services:
                        tasks.start_soon(service)
                    tasks.start_soon(parts.gateway.serve, *ways)
                    tasks.start_soon(collect_now_and_then)
                    settle_memory()
                    log.info("daemon.ready", socket=str(options.socket), pid=os.getpid())
                    await anext(signals)
                    log.info("daemon.stopping")
                    for way in ways:
                        await way.listener.aclose()
                    options.socket.unlink(missing_ok=True)
                    leave = partial(leave_now, writer)
                    tasks.start_soon(stop_at_once, signals, parts, leave)
                    if not await wind_down(parts, options.settings.limits.stop_grace):
                        log.warning("daemon.did_not_wait")
                        leave()
                    await let_go(machine)
                    leave_later(leave)  # a thread that cannot be stopped holds nobody up for long
                    tasks.cancel_scope.cancel()
    finally:
        log.info("daemon.stopped")
        writer.close()


def settle_roots(options: cli.Serving, log: Any, writer: "LineWriter") -> None:
    """Make the default root; say which others are not there, and refuse to start without a chosen.

    A folder that somebody named and that is not there is a slip of the pen, or a disk that is not
    mounted: to make an empty one would hide that. A drive may well be unplugged.
    """
    if not options.chosen_roots:
        next(iter(options.roots.values())).mkdir(parents=True, exist_ok=True)
    missing = {name: folder for name, folder in options.roots.items() if not os.path.isdir(folder)}
    complaints = {name: missing_root(name, folder) for name, folder in missing.items()}
    for name, folder in missing.items():
        log.warning("root.missing", root=name, folder=str(folder), advice=complaints[name])
    for name, complaint in complaints.items():
        if name in options.chosen_roots:
            writer.close()
            raise BadSettings(complaint)
        cli.complain(complaint, cli.SUCCESS)


async def let_go(machine: "Machine") -> None:
    """Let the browser end by itself, in the little time there is."""
    import anyio

    with anyio.move_on_after(LAST_SECONDS):
        for lanes in machine.lanes.values():
            await lanes.close()


def log_loop_error(log: Any, _loop: object, context: Mapping[str, Any]) -> None:
    """Log what goes wrong in the event loop itself, as a line like all others.

    A reader that fires just after its client hung up finds nobody waiting: that is no error.
    """
    error = context.get("exception")
    if not isinstance(error, asyncio.InvalidStateError):
        log.error("loop.error", error=repr(error), message=str(context.get("message")))


def leave_now(writer: "LineWriter") -> None:
    """End the process without waiting for threads: what they do cannot be stopped.

    Programs that actions were waiting for end with it; applications have sessions of their own.
    """
    import psutil
    import structlog

    own = os.getsid(0)
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(child.pid) == own:
                child.kill()
    structlog.get_logger(actor="daemon").info("daemon.stopped")
    writer.close()
    os._exit(cli.SUCCESS)


async def wind_down(parts: Parts, grace: float) -> bool:
    """Let running actions finish and their events be read; tell whether all did in time."""
    from actors.mailbox import Unanswered
    from messages.commanding import Drain

    try:
        await parts.orchestrator.ask(Drain(), within=grace)
    except (TimeoutError, Unanswered):
        await last_words(parts)
        return False
    await parts.gateway.say_goodbye()
    return True


async def stop_at_once(
    signals: AsyncIterator[signal.Signals], parts: Parts, leave: Callable[[], None]
) -> None:
    """A second signal means now, whatever is at work; what is under way is said to be in doubt."""
    await anext(signals)
    await last_words(parts)
    leave()


async def last_words(parts: Parts) -> None:
    """End every command, and let those who listen know, in the little time there is."""
    from actors.mailbox import Unanswered
    from messages.commanding import Abandon

    with suppress(TimeoutError, Unanswered):
        await parts.orchestrator.ask(Abandon(), within=LAST_SECONDS)
    await parts.gateway.say_goodbye()


def leave_later(leave: Callable[[], None]) -> None:
    """Leave soon, unless the process has ended by itself by then."""
    timer = threading.Timer(LAST_SECONDS, leave)
    timer.daemon = True
    timer.start()


@contextmanager
def open_journal(
    path: Path | None, settings: JournalSettings | None = None
) -> Iterator["JournalFile"]:
    """Open the journal for as long as it is needed."""
    from tools.journal import JournalFile, Keeping

    keeping = Keeping() if settings is None else Keeping(settings.days, settings.megabytes)
    journal = JournalFile(path, asyncio.get_running_loop().call_soon_threadsafe, keeping)
    try:
        yield journal
    finally:
        journal.close()


def approvals_of(settings: Settings) -> "Approvals":
    """Say what waits for approval; uploads that are allowed in the browser need none."""
    from actors.orchestrator.places import Approvals

    asked = settings.approval
    kinds = frozenset(asked.ask) - ({"upload"} if settings.browser.uploads else set())
    return Approvals(kinds, by_others=asked.by == "others", seconds=asked.seconds)


def recipe_folder(options: cli.Serving) -> Path:
    """Find the folder of recipes that were taught."""
    from tools.settings import expand

    named = options.settings.recipes
    return options.state / "recipes" if named is None else expand(named)


def secrets_of(options: cli.Serving) -> "Vault":
    """Give the secrets that commands may name."""
    from tools.secrets import Secrets
    from tools.settings import expand

    named = options.settings.secrets
    return Secrets(options.state / "secrets.toml" if named is None else expand(named))


def language_model(options: cli.Serving) -> "Model | None":
    """Give the model that may be asked, if the settings want one."""
    from tools.model import LanguageModel

    chosen = options.settings.model
    if chosen is None or options.settings.interpreter == "grammar":
        return None
    return LanguageModel(chosen, options.key)


def compose(
    settings: Settings,
    machine: "Machine",
    trace_log: "TraceLog",
    boxes: ExitStack,
    events: "Events | None" = None,
    *,
    model: "Model | None" = None,
    journal: "JournalFile | None" = None,
    vault: "Vault | None" = None,
    recipes: Path | None = None,
) -> Parts:
    """Give every actor its mailbox, its tools and the addresses it needs.

    Without a ``journal`` there is one in memory, which lasts as long as its boxes; without a folder
    of ``recipes`` none can be taught.
    """
    from actors.executor import Executor
    from actors.gateway import Card, Gateway, Room
    from actors.gateway.resolving import Readers
    from actors.gateway.switchboard import Switchboard
    from actors.journal import Journal
    from actors.mailbox import Mailbox
    from actors.orchestrator import Limits, Orchestrator
    from actors.orchestrator.history import History
    from actors.orchestrator.places import Anchors, Tables
    from actors.orchestrator.sessions import Sessions
    from actors.orchestrator.team import Team
    from actors.planner import Planner
    from actors.planner.tables import search_engines
    from actors.scheduler import Scheduler
    from actors.supervisor import supervise
    from actors.target_resolver import TargetResolver
    from messages import (
        commanding,
        executing,
        interpreting,
        journaling,
        planning,
        scheduling,
        targets,
    )
    from tools.secrets import Secrets
    from tools.sockets import refuse_strangers

    commands = boxes.enter_context(Mailbox[commanding.Inbox]())
    words = boxes.enter_context(Mailbox[interpreting.Inbox]())
    plans = boxes.enter_context(Mailbox[planning.Inbox]())
    phrases = boxes.enter_context(Mailbox[targets.Inbox]())
    actions = boxes.enter_context(Mailbox[executing.Inbox]())
    kept = boxes.enter_context(Mailbox[journaling.Inbox]())
    times = boxes.enter_context(Mailbox[scheduling.Inbox]())
    journal = boxes.enter_context(open_journal(None)) if journal is None else journal
    vault = Secrets() if vault is None else vault

    table, new_span, switchboard = rules_of(machine), trace_log.new_span, Switchboard()
    engines = {**search_engines(), **settings.engines}
    grammar = grammar_of(table, engines, machine)
    cookbook = cookbook_of(recipes, settings, grammar, table)
    anchors = Anchors(machine.anchors, machine.default_folder)
    tables = Tables(table.with_aliases(), anchors, machine.policy, approvals_of(settings))
    limits = Limits(in_flight=settings.limits.in_flight, deadline=settings.limits.deadline)
    history = History()
    reader = reader_of(model, machine, engines, journal)
    interpreter = interpreters(grammar, table, vault, reader, settings.interpreter)

    def orchestrator() -> Orchestrator:
        team = Team(words.address, plans.address, phrases.address, actions.address, kept.address)
        heard = switchboard if events is None else events
        known = (team, heard, tables, new_span, wire.VERSION, limits, history)
        known_sessions = Sessions(begins_on_page=settings.browser.keeps_pages)
        return Orchestrator(*known, sessions=known_sessions, journal_health=journal.health)

    def scheduler() -> Scheduler:
        return Scheduler(
            kept.address,
            commands.address,
            time.time,
            partial(time.clock_gettime, time.CLOCK_BOOTTIME),  # goes on in a suspended machine
        )

    tools = (*machine.tools, *own_tools(times.address, kept.address, grammar, cookbook))

    def executor() -> Executor:
        parts = (tools, machine.scenes, machine.reader)
        return Executor(*parts, new_span, kept.address, vault, machine.lanes)

    gateway = Gateway(
        commands.address,
        actions.address,
        Readers(words.address, phrases.address),
        switchboard,
        trace_log,
        refuse_strangers,
        Card(wire.VERSION, table.by_name(), engines, grammar.examples_by_goal(), journal.health),
        vault,
        Room(settings.door.connections, settings.door.client_in_flight),
        chronicle_of(journal, trace_log),
        stop_this_process,
    )
    services = [
        partial(supervise, "journal", lambda: Journal(journal), kept),
        partial(supervise, "executor", executor, actions),
        partial(supervise, "target_resolver", TargetResolver, phrases),
        partial(supervise, "planner", lambda: Planner(table, engines), plans),
        partial(supervise, "interpreter", interpreter, words),
        partial(supervise, "orchestrator", orchestrator, commands),
        partial(supervise, "scheduler", scheduler, times),
    ]
    return Parts(services, gateway, commands.address)


def chronicle_of(journal: "JournalFile", trace_log: "TraceLog") -> "Chronicle":
    """Have the records noted that explanations need, and give who tells of them."""
    from actors.vault import loggable
    from tools.journal_reading import JournalReader

    trace_log.notes = journal.records
    return JournalReader(journal, loggable)


def stop_this_process() -> None:
    """End as a signal from outside would have it."""
    os.kill(os.getpid(), signal.SIGTERM)


def own_tools(
    schedule: "Address[scheduling.Inbox]",
    journal: "Address[journaling.Inbox]",
    grammar: "Grammar",
    cookbook: "RecipeFolder",
) -> "tuple[AnyTool, ...]":
    """Give the tools that work on Behest itself: its schedule, its recipes, and talk about it."""
    from actors.language.chores import values_said
    from actors.language.times import read_duration
    from tools.notifications import show_notification
    from tools.recipes.tools import recipe_tools, ways_to_say
    from tools.schedule import schedule_tools
    from tools.talk import talk_tools

    return (
        *schedule_tools(schedule, read_duration, show_notification),
        *recipe_tools(journal, cookbook, values_said),
        *talk_tools(grammar.examples_by_goal, lambda: ways_to_say(cookbook)),
    )


def cookbook_of(
    folder: Path | None, settings: Settings, grammar: "Grammar", table: "RuleTable"
) -> "RecipeFolder":
    """Give the recipes that a user has taught, and what the settings have as their own words."""
    from actors.interpreter.own_words import BadWord, own_words, saying_problem
    from actors.language.taught import recipe_key, recipe_name
    from tools.recipes.cookbook import RecipeFolder

    rules = table.by_name()
    cookbook = RecipeFolder(folder, rules, recipe_key, saying_problem, recipe_name)
    grammar.cookbook = cookbook
    try:
        cookbook.learn(own_words(settings.phrases, grammar))
    except BadWord as problem:
        raise BadSettings(str(problem)) from None
    return cookbook


def reader_of(
    model: "Model | None",
    machine: "Machine",
    engines: Mapping[str, "SearchEngine"],
    journal: "JournalFile",
) -> "ModelReader | None":
    """Let a model read what it is asked to; what it answered is kept."""
    from actors.interpreter.model import Brief, ModelReader
    from actors.interpreter.model.cache import KeptCache
    from messages.journaling import Remember

    if model is None:
        return None
    answers = KeptCache(lambda key, answer: journal.put(Remember(key, answer), None))
    answers.load(journal.answers)
    return ModelReader(model, Brief.of(rules_of(machine).rules, engines), answers)


def rules_of(machine: "Machine") -> "RuleTable":
    """Give the rules of this machine; those of a text world only while one is played."""
    from actors.interpreter.commands import PLAYED
    from actors.planner.tables import planner_rules
    from tools.text_world.rules import world_rules

    table = planner_rules()
    return table.extended(PLAYED, world_rules(machine.world_verbs)) if machine.playing else table


def interpreters(
    grammar: "Grammar",
    table: "RuleTable",
    vault: "Vault",
    reader: "ModelReader | None",
    mode: "Mode",
) -> Callable[[], "Interpreter"]:
    """Say how an Interpreter is made."""
    from actors.interpreter import Interpreter
    from actors.interpreter.model.request_queue import RequestQueue

    def make() -> Interpreter:
        queue = None if reader is None else RequestQueue(reader, mode)
        return Interpreter(grammar, table.verbs(), vault, queue)

    return make


def grammar_of(
    table: "RuleTable", engines: Mapping[str, "SearchEngine"], machine: "Machine"
) -> "Grammar":
    """Load the grammar for the verbs that there are here."""
    from actors.interpreter.commands import PLAYED, Commands
    from actors.interpreter.grammar import DESCRIBED, load_grammar
    from actors.planner.courses import ways_to_say

    spoken = {
        domain: Commands.of(table.spoken(domain), playing=machine.playing and domain == PLAYED)
        for domain in (PLAYED, *DESCRIBED)
    }
    chores = tuple(ways_to_say())
    return load_grammar(table.rules, engines, frozenset(machine.anchors), spoken, chores)


if __name__ == "__main__":
    sys.exit(main())

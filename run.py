"""Behest's composition root: settings, tools, mailboxes and actors become one daemon.

Nothing here decides anything. The command line itself is in ``tools/cli.py``; what only the
daemon needs is imported when it starts, so that a client command answers at once.
"""

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from uuid import uuid4

from msgspec import structs

from messages import wire
from tools import cli
from tools.pictures import Pictures
from tools.settings import (
    EMBEDDED,
    BadSettings,
    BusSettings,
    JournalSettings,
    Secret,
    Settings,
    missing_root,
)

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from actors.cluster.brain import Lease
    from actors.cluster.bus import Bus
    from actors.cluster.presence import Presence
    from actors.gateway import ClientLimits, CommandRecords, DaemonInfo, Endpoint, Gateway
    from actors.interpreter import Interpreter
    from actors.interpreter.grammar import Grammar
    from actors.interpreter.grammar.phrasebook import Entry
    from actors.interpreter.model import Model, ModelReader
    from actors.interpreter.model.outcome import Mode
    from actors.mailbox import Address, Mailbox, Recipient
    from actors.orchestrator import Events
    from actors.orchestrator.places import Approvals
    from actors.orchestrator.team import Team
    from actors.planner.tables import RuleTable
    from actors.recording import Recorder
    from actors.vault import Vault
    from messages import (
        commanding,
        executing,
        interpreting,
        journaling,
        planning,
        scheduling,
        targets,
    )
    from messages.cluster import Beat
    from messages.replaying import Decided, Decision, Setting
    from messages.rules import SearchEngine
    from tools.door import HostPort, Preparing
    from tools.journal import JournalFile
    from tools.logs import LineWriter, TraceLog
    from tools.recipes.cookbook import RecipeFolder
    from tools.recordings import WatchedVault
    from tools.text_world.bundle import Bundle
    from tools.tool import AnyTool
    from tools.worlds import Machine


LAST_SECONDS = 1.0
Service: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; ``serve`` is ours, the rest are clients of the socket."""
    doors = cli.Doors(
        serve=serve,
        resolve=resolve_here,
        phrases=phrases_here,
        sayings=sayings_here,
        decide_again=decide_again,
    )
    return cli.main(argv, doors)


def phrases_here(words: Sequence[str]) -> Iterator[str]:
    """Look up what one can say, in the tables that come with Behest."""
    from actors.interpreter.grammar.phrasebook import search
    from actors.interpreter.grammar.table import compiled
    from actors.planner.tables import search_engines

    return search(compiled(search_engines(), frozenset()), words)


def sayings_here() -> "Sequence[Entry]":
    """Give what can be said for each goal, from the same tables."""
    from actors.interpreter.grammar.phrasebook import entries
    from actors.interpreter.grammar.table import compiled
    from actors.planner.tables import search_engines

    return entries(compiled(search_engines(), frozenset()))


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
    from messages.bus import Unavailable
    from tools.journal import BadJournal
    from tools.sockets import Occupied, claimed, make_room

    problems: list[BaseException] = []
    try:
        with claimed(options.state):
            make_room(options.settings.door.connections)
            anyio.run(daemon, options, door_keys(options), backend_options=loop_options())
    except* (Occupied, GaveUp, BadJournal, Unavailable, OSError) as group:
        problems.extend(group.exceptions)
    return cli.complain(cli.worded_problem(problems[0]), cli.FAILED) if problems else cli.SUCCESS


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

    services: Sequence[Service]
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


async def open_endpoints(options: cli.Serving, keys: "Keys | None") -> "list[Endpoint]":
    """Open the socket and, where it is wanted, the door."""
    from actors.gateway import Endpoint
    from tools.sockets import listen

    door = [] if keys is None else await open_door(keys)
    return [*door, Endpoint(await listen(options.socket))]


async def open_door(keys: "Keys") -> "list[Endpoint]":
    """Listen where clients with the token may come in."""
    import structlog

    from actors.gateway import Endpoint
    from actors.gateway.entrance import Entrance
    from actors.gateway.lock import Lock
    from tools.door import host_of, listen_tcp, place_of

    log = structlog.get_logger(actor="daemon")
    entrance = Entrance(Lock(keys.token.reveal().encode()), keys.preparing, host_of)
    listeners = await listen_tcp(keys.address)
    tls = keys.preparing.context is not None
    for listener in listeners:
        log.info("door.opened", tcp=place_of(listener), tls=tls)
    return [Endpoint(listener, entrance) for listener in listeners]


@dataclass(frozen=True)
class Ground:
    """What every process of Behest stands on: its log, and the machine it works on."""

    writer: "LineWriter"
    trace_log: "TraceLog"
    log: Any
    machine: "Machine"


def lay_ground(options: cli.Serving, pictures: Pictures | None = None) -> Ground:
    """Begin the log, and set up the tools of this machine."""
    import structlog

    from actors.language.lexicon import speaks_of_colour
    from tools.files.backups import Backups
    from tools.logs import LineWriter, TraceLog, configure, span_ids
    from tools.policy import PROTECTED
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
        preload_pages=load_page_binding,
        lists=options.state / "lists",
        pictures=pictures,
        own=options.own,
    )
    return Ground(writer, trace_log, log, machine)


def load_page_binding() -> None:
    """Load what binds words on pages: it is needed as soon as the browser has started."""
    from actors.target_resolver.page import binding  # noqa: F401


async def daemon(options: cli.Serving, keys: "Keys | None" = None) -> None:
    """Start everything, serve until a signal, then let running actions finish."""
    import anyio

    from tools.memory import collect_now_and_then, settle_memory
    from tools.recordings import WatchedVault
    from tools.signals import stop_signals

    if options.bus.servers:
        await member(options, keys)
        return
    pictures = None if options.observer is None else Pictures()
    ground = lay_ground(options, pictures)
    writer, trace_log, log, machine = (
        ground.writer,
        ground.trace_log,
        ground.log,
        ground.machine,
    )
    try:
        with ExitStack() as boxes:
            kept = options.state / "journal.db"
            journal = boxes.enter_context(open_journal(kept, options.settings.journal))
            model, vault = language_model(options), WatchedVault(secrets_of(options))
            parts = compose(
                options.settings,
                machine,
                trace_log,
                boxes,
                recorder=recorder_of(options, machine, vault, boxes),
                model=model,
                journal=journal,
                vault=vault,
                recipes=recipe_folder(options),
            )
            services = [*parts.services, *observing(options, pictures, boxes)]
            with stop_signals(signal.SIGINT, signal.SIGTERM) as signals:
                endpoints = await open_endpoints(options, keys)
                async with anyio.create_task_group() as tasks:
                    for service in services:
                        tasks.start_soon(service)
                    tasks.start_soon(parts.gateway.serve, *endpoints)
                    tasks.start_soon(collect_now_and_then)
                    settle_memory()
                    log.info("daemon.ready", socket=str(options.socket), pid=os.getpid())
                    cli.greet(options.socket)
                    await anext(signals)
                    log.info("daemon.stopping")
                    for endpoint in endpoints:
                        await endpoint.listener.aclose()
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


def observing(
    options: cli.Serving, pictures: Pictures | None, boxes: ExitStack
) -> Sequence[Service]:
    """Take the port of the observer page, if one is wanted; its crash ends the page alone."""
    if options.observer is None or pictures is None:
        return ()
    from actors.supervisor import contained
    from tools.observer import opened_observer

    def announce(link: str) -> None:
        """Print a link where the log is not: whoever has it may see everything."""
        sys.stderr.write(f"behest: observer page: {link}\n")
        sys.stderr.flush()

    observer = boxes.enter_context(
        opened_observer(options.observer, options.socket, pictures, announce)
    )

    async def serve_page() -> None:
        await contained(observer.serve(), lambda _error: None)

    return (serve_page,)


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


@dataclass(frozen=True)
class Minds:
    """What reads, plans and binds: actors that keep nothing, and the tables they share."""

    table: "RuleTable"
    engines: Mapping[str, "SearchEngine"]
    grammar: "Grammar"
    cookbook: "RecipeFolder"
    reader: "ModelReader | None"
    words: "Address[interpreting.Inbox]"
    plans: "Address[planning.Inbox]"
    phrases: "Address[targets.Inbox]"
    services: Sequence[Service]


def minds_of(
    settings: Settings,
    machine: "Machine",
    boxes: ExitStack,
    *,
    model: "Model | None",
    journal: "JournalFile",
    vault: "Vault",
    recipes: Path | None,
) -> Minds:
    """Give the actors that keep nothing their mailboxes."""
    from actors.mailbox import Mailbox
    from actors.planner import Planner
    from actors.planner.tables import search_engines
    from actors.supervisor import supervise
    from actors.target_resolver import TargetResolver
    from messages import interpreting, planning, targets

    words = boxes.enter_context(Mailbox[interpreting.Inbox]())
    plans = boxes.enter_context(Mailbox[planning.Inbox]())
    phrases = boxes.enter_context(Mailbox[targets.Inbox]())
    table = rules_of(machine)
    engines = {**search_engines(), **settings.engines}
    grammar = grammar_of(table, engines, machine)
    cookbook = cookbook_of(recipes, settings, grammar, table)
    reader = reader_of(model, machine, engines, journal)
    interpreter = interpreters(grammar, table, vault, reader, settings.interpreter)
    services = (
        partial(supervise, "target_resolver", TargetResolver, phrases),
        partial(supervise, "planner", lambda: Planner(table, engines), plans),
        partial(supervise, "interpreter", interpreter, words),
    )
    addresses = (words.address, plans.address, phrases.address)
    return Minds(table, engines, grammar, cookbook, reader, *addresses, services)


@dataclass(frozen=True)
class Boxes:
    """The mailboxes of those who keep something."""

    commands: "Mailbox[commanding.Inbox]"
    kept: "Mailbox[journaling.Inbox]"
    times: "Mailbox[scheduling.Inbox]"
    actions: "Mailbox[executing.Inbox]"

    @classmethod
    def open(cls, boxes: ExitStack) -> "Boxes":
        from actors.mailbox import Mailbox

        return cls(*(boxes.enter_context(Mailbox[Any]()) for _ in range(4)))


@dataclass(frozen=True)
class Stage:
    """Where commands are carried out: who hears of them, and what lasts.

    ``pages_last`` if pages, and what is under way on them, outlive this process.
    """

    events: "Events"
    new_span: Callable[[], str]
    journal_health: Callable[[], wire.JournalHealth]
    pages_last: bool = False
    recorder: "Recorder | None" = None


def conductors(
    settings: Settings,
    machine: "Machine",
    minds: Minds,
    mail: Boxes,
    executor: "Recipient[executing.Inbox]",
    *,
    stage: Stage,
) -> Sequence[Service]:
    """Give those who carry commands out, now and later, all that they need."""
    from actors.orchestrator import Limits, Orchestrator
    from actors.orchestrator.history import History
    from actors.orchestrator.places import Anchors, Tables
    from actors.orchestrator.sessions import Sessions
    from actors.scheduler import Scheduler
    from actors.supervisor import supervise

    anchors = Anchors(machine.anchors, machine.default_folder)
    tables = Tables(minds.table.with_aliases(), anchors, machine.policy, approvals_of(settings))
    limits = Limits(in_flight=settings.limits.in_flight, deadline=settings.limits.deadline)
    history = History(lives=1 if stage.pages_last else 0)
    on_page = stage.pages_last or settings.browser.keeps_pages

    team = team_of(minds, executor, mail, stage.recorder, settings.interpreter)

    def orchestrator() -> Orchestrator:
        known = (team, stage.events, tables, stage.new_span, wire.VERSION, limits, history)
        known_sessions = Sessions(begins_on_page=on_page)
        return Orchestrator(*known, sessions=known_sessions, journal_health=stage.journal_health)

    def scheduler() -> Scheduler:
        return Scheduler(
            mail.kept.address,
            mail.commands.address,
            time.time,
            partial(time.clock_gettime, time.CLOCK_BOOTTIME),  # goes on in a suspended machine
        )

    return (
        partial(supervise, "orchestrator", orchestrator, mail.commands),
        partial(supervise, "scheduler", scheduler, mail.times),
    )


def team_of(
    minds: Minds,
    executor: "Recipient[executing.Inbox]",
    mail: Boxes,
    recorder: "Recorder | None",
    mode: "Mode",
) -> "Team":
    """Give those whom the Orchestrator asks; what they decide may be recorded behind them."""
    from actors.orchestrator.team import Team

    words, plans, phrases, kept = minds.words, minds.plans, minds.phrases, mail.kept.address
    if recorder is None:
        return Team(words, plans, phrases, executor, kept)
    from actors.recording import Overheard, Recording

    recording = Recording(recorder, mode, minds.cookbook.recipes)
    if minds.reader is not None:
        minds.reader.heard = recording.hear
    return Team(
        Overheard(words, recording),
        Overheard(plans, recording),
        Overheard(phrases, recording),
        executor,
        Overheard(kept, recording),
    )


def recorder_of(
    options: cli.Serving, machine: "Machine", vault: "WatchedVault", boxes: ExitStack
) -> "Recorder | None":
    """Keep decisions, unless settings want none; nothing of a secret is kept."""
    from actors.planner.tables import search_engines
    from messages.replaying import Setting
    from tools.recordings import DecisionFiles

    settings = options.settings
    if not settings.replay.megabytes:
        return None
    engines = {**search_engines(), **settings.engines}
    setting = Setting(wire.VERSION, tuple(sorted(machine.anchors)), engines)
    if options.bundle is not None:
        verbs = bundle_contents(options.bundle)
        setting = structs.replace(setting, bundle=options.bundle.name, verbs=verbs)
    folder, most = options.state / "decisions", settings.replay.megabytes
    files = DecisionFiles(folder, setting, most, vault.is_in)
    boxes.callback(files.close)
    return files


def bundle_contents(bundle: "Bundle") -> Mapping[str, Any]:
    """Give what decisions depend on of a world, unless it comes with Behest."""
    from msgspec import to_builtins

    from tools.text_world.bundle import bundled, load_bundle

    own = bundled(bundle.name)
    if own is not None and load_bundle(own) == bundle:
        return {}
    verbs: Mapping[str, Any] = to_builtins(bundle.verbs)
    return verbs


def recorded_bundle(setting: "Setting") -> "Bundle | None":
    """Give the world in which decisions were made."""
    from msgspec import convert

    from messages.worlds import World
    from tools.text_world.bundle import Bundle, WorldVerb

    if not setting.bundle or not setting.verbs:
        return cli.bundle_at(setting.bundle) if setting.bundle else None
    return Bundle(setting.bundle, World(), convert(setting.verbs, dict[str, WorldVerb]))


def decide_again(setting: "Setting") -> "Callable[[Decision], Decided]":
    """Give what decides as it does today, in a setting of then: no disk, no network, no model."""
    from actors.replaying import Deciders
    from tools.logs import TraceLog, configure, span_ids
    from tools.secrets import Secrets
    from tools.worlds import open_machine

    configure(TraceLog(lambda _line: None, span_ids()))
    machine = open_machine({"root": Path.cwd()}, {}, bundle=recorded_bundle(setting))
    machine = replace(machine, anchors=dict.fromkeys(setting.anchors, ""))
    table = rules_of(machine)
    grammar = grammar_of(table, setting.engines, machine)
    return Deciders(table, setting.engines, grammar, Secrets()).decide


def compose(
    settings: Settings,
    machine: "Machine",
    trace_log: "TraceLog",
    boxes: ExitStack,
    events: "Events | None" = None,
    *,
    recorder: "Recorder | None" = None,
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
    from actors.gateway import Gateway
    from actors.gateway.resolving import Readers
    from actors.gateway.switchboard import Switchboard
    from actors.journal import Journal
    from actors.supervisor import supervise
    from tools.catalogue import Catalogue
    from tools.secrets import Secrets
    from tools.sockets import refuse_strangers

    journal = boxes.enter_context(open_journal(None)) if journal is None else journal
    vault = Secrets() if vault is None else vault
    minds = minds_of(
        settings, machine, boxes, model=model, journal=journal, vault=vault, recipes=recipes
    )
    mail, new_span, switchboard = Boxes.open(boxes), trace_log.new_span, Switchboard()
    heard = switchboard if events is None else events
    own = own_tools(mail.times.address, mail.kept.address, minds, machine)
    tools = (*machine.tools, *own)

    def executor() -> Executor:
        parts = (tools, machine.scenes, machine.reader)
        return Executor(*parts, new_span, mail.kept.address, vault, machine.lanes)

    gateway = Gateway(
        mail.commands.address,
        mail.actions.address,
        Readers(minds.words, minds.phrases),
        switchboard,
        trace_log,
        refuse_strangers,
        daemon_info(minds, journal.health),
        vault,
        client_limits(settings),
        command_records(journal, trace_log),
        Catalogue(mail.times.address, minds.cookbook),
        stop_this_process,
    )
    stage = Stage(heard, new_span, journal.health, recorder=recorder)
    conducting = conductors(settings, machine, minds, mail, mail.actions.address, stage=stage)
    services: list[Service] = [
        partial(supervise, "journal", lambda: Journal(journal), mail.kept),
        partial(supervise, "executor", executor, mail.actions),
        *minds.services,
        *conducting,
    ]
    return Parts(services, gateway, mail.commands.address)


# In a cluster


async def member(options: cli.Serving, keys: "Keys | None") -> None:
    """Be a part of a cluster until a signal; what is under way then goes on elsewhere."""
    import anyio

    from actors.cluster.presence import Presence
    from tools.memory import collect_now_and_then, settle_memory
    from tools.signals import stop_signals

    ground, chosen = lay_ground(options), options.bus
    name = chosen.name or f"{socket.gethostname().partition('.')[0]}-{os.getpid()}"
    bus = await open_bus(options, name)
    roles = ROLES if chosen.role == "all" else (chosen.role,)
    try:
        with ExitStack() as boxes, stop_signals(signal.SIGINT, signal.SIGTERM) as signals:
            presence = Presence(
                bus,
                lambda: [beat for part in parts for beat in part.beats()],
                clock=partial(time.clock_gettime, time.CLOCK_BOOTTIME),
            )
            shared = Shared(options, ground, boxes, bus, presence, name)
            parts: list[Part] = [PARTS[role](shared) for role in roles]
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(presence.run)
                for part in parts:
                    for service in part.services:
                        tasks.start_soon(service)
                    await part.open(keys, tasks)
                tasks.start_soon(collect_now_and_then)
                settle_memory()
                about = {"socket": str(options.socket), "pid": os.getpid()}
                ground.log.info("daemon.ready", **about, roles=roles, name=name)
                cli.greet(options.socket)
                await anext(signals)
                ground.log.info("daemon.stopping")
                leave = partial(leave_now, ground.writer)
                tasks.start_soon(leave_at_second_signal, signals, leave)
                with anyio.move_on_after(options.settings.limits.stop_grace):
                    for part in parts:
                        await part.close()
                await let_go(ground.machine)
                leave_later(leave)
                tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True), anyio.move_on_after(LAST_SECONDS):
            await bus.close()
        ground.log.info("daemon.stopped")
        ground.writer.close()


async def open_bus(options: cli.Serving, name: str) -> "Bus":
    """Give the bus: that of the servers, or one within this process."""
    from actors.cluster.brain import LEASE_SECONDS

    chosen = options.bus
    if chosen.servers == [EMBEDDED]:
        from tools.bus.sqlite import SqliteBus

        return await SqliteBus.open(options.state / "bus.db", lease_ttl=LEASE_SECONDS)
    try:
        from tools.bus.jetstream import JetStreamBus
    except ModuleNotFoundError as missing:
        raise BadSettings(f"a cluster needs the package nats-py ({missing})") from None
    return await JetStreamBus.connect(
        chosen.servers, **bus_access(chosen), name=name, lease_ttl=LEASE_SECONDS
    )


async def leave_at_second_signal(
    signals: AsyncIterator[signal.Signals], leave: Callable[[], None]
) -> None:
    await anext(signals)
    leave()


def bus_access(chosen: BusSettings) -> dict[str, Any]:
    """Say how to be let in by the servers."""
    import ssl

    from tools.settings import expand

    found: dict[str, Any] = {"replicas": chosen.replicas, "user": chosen.user}
    if chosen.password_file is not None:
        found["password"] = expand(chosen.password_file).read_text("utf-8").splitlines()[0]
    if chosen.tls_ca is not None:
        found["tls"] = ssl.create_default_context(cafile=expand(chosen.tls_ca))
        if chosen.tls_cert is not None:
            key = None if chosen.tls_key is None else expand(chosen.tls_key)
            found["tls"].load_cert_chain(expand(chosen.tls_cert), key)
    return found


@dataclass
class Shared:
    """What the roles of one process share."""

    options: cli.Serving
    ground: Ground
    boxes: ExitStack
    bus: "Bus"
    presence: "Presence"
    name: str
    life: str = field(default_factory=lambda: uuid4().hex)
    _minds: Minds | None = None

    @property
    def minds(self) -> Minds:
        """Give what reads, plans and binds: gateways and brains have that, once."""
        if self._minds is None:
            self._minds = minds_of(
                self.options.settings,
                self.ground.machine,
                self.boxes,
                model=language_model(self.options),
                journal=self.boxes.enter_context(open_journal(None)),
                vault=secrets_of(self.options),
                recipes=recipe_folder(self.options),
            )
        return self._minds


class Part(Protocol):
    """One role of a process."""

    services: Sequence[Service]

    def beats(self) -> "Sequence[Beat]": ...

    async def open(self, keys: "Keys | None", tasks: "TaskGroup") -> None:
        """Begin with what others may notice."""

    async def close(self) -> None:
        """End, so that others can go on."""


class GatewayPart:
    """A gateway: clients come in here, and what they ask for goes to the brains."""

    def __init__(self, shared: Shared) -> None:
        from actors.cluster.front import Capabilities, Front
        from actors.gateway import Gateway
        from actors.gateway.resolving import Readers
        from actors.gateway.switchboard import Switchboard
        from tools.sockets import refuse_strangers

        self.shared, options, minds = shared, shared.options, shared.minds
        switchboard = Switchboard()
        front = Front(shared.bus, shared.name, options.bus.shards, switchboard, shared.presence)
        self.gateway = Gateway(
            front,
            Capabilities(shared.bus, shared.presence),
            Readers(minds.words, minds.phrases),
            switchboard,
            shared.ground.trace_log,
            refuse_strangers,
            daemon_info(minds, None),
            secrets_of(options),
            client_limits(options.settings),
            Elsewhere(),
            None,
            stop_this_process,
        )
        self.services: Sequence[Service] = (front.run, *minds.services)
        self.endpoints: list[Endpoint] = []

    def beats(self) -> "Sequence[Beat]":
        from messages.cluster import Beat

        return (Beat("gateway", self.shared.name, load=len(self.gateway.connections)),)

    async def open(self, keys: "Keys | None", tasks: "TaskGroup") -> None:
        self.endpoints = await open_endpoints(self.shared.options, keys)
        tasks.start_soon(self.gateway.serve, *self.endpoints)

    async def close(self) -> None:
        for endpoint in self.endpoints:
            await endpoint.listener.aclose()
        self.shared.options.socket.unlink(missing_ok=True)
        await self.gateway.say_goodbye()


class Elsewhere:
    """The journals are with the brains: a gateway cannot look into them."""

    def __init__(self) -> None:
        from messages.results import Code

        self.code = Code.NO_CAPABILITY

    async def explain(self, request: wire.Explain) -> wire.Error:
        return self.refusal(request.id)

    async def history(self, request: wire.History) -> wire.Error:
        return self.refusal(request.id)

    def refusal(self, request: str) -> wire.Error:
        reason = "a gateway of a cluster has no journal; the log of the brains tells why"
        return wire.Error(self.code, reason, request)


class BrainPart:
    """A brain: it owns shards, and carries out the commands of their sessions."""

    def __init__(self, shared: Shared) -> None:
        from actors.cluster.brain import Leases

        self.shared, minds = shared, shared.minds
        name, shards = shared.name, shared.options.bus.shards
        self.leases = Leases(
            shared.bus, name, shared.life, shards, shared.presence, self.serve_shard
        )
        # Of a process that is a gateway as well, one set of them is enough.
        both = shared.options.bus.role == "all"
        self.services: Sequence[Service] = (self.leases.run, *(() if both else minds.services))

    def beats(self) -> "Sequence[Beat]":
        from messages.cluster import Beat

        leases = self.leases
        load = len(leases.held)
        return (Beat("brain", self.shared.name, (), load, leases.leaving, self.shared.life),)

    async def open(self, keys: "Keys | None", tasks: "TaskGroup") -> None:
        """Shards are taken as soon as they are free."""

    async def close(self) -> None:
        await self.leases.leave()

    async def serve_shard(self, lease: "Lease") -> None:
        """Carry out the commands of a shard for as long as it is ours."""
        import anyio
        from msgspec import DecodeError

        from actors.cluster.brain import Fenced, Intake, Mouth, Unreadable
        from actors.cluster.reach import Home, Reach
        from actors.executor import Executor
        from actors.journal import Journal
        from actors.supervisor import supervise
        from tools.shard_journal import Overtaken, ShardJournal

        shared, minds, machine = self.shared, self.shared.minds, self.shared.ground.machine
        settings, new_span = shared.options.settings, shared.ground.trace_log.new_span
        with ExitStack() as boxes:
            inner = boxes.enter_context(open_journal(None))
            store = ShardJournal(shared.bus.log(f"shard-{lease.shard}"), shared.name, inner)
            try:
                await store.open()
            except DecodeError as error:
                raise Unreadable(str(error)) from None
            mail, mouth = Boxes.open(boxes), Mouth(shared.bus, lease.shard)
            own = own_tools(mail.times.address, mail.kept.address, minds)

            def home_of(command: str) -> Home:
                submit = store.submits.get(command.partition("\x00")[0])
                return Home() if submit is None else Home(submit.session, submit.label)

            reach = Reach(
                shared.bus,
                lease.shard,
                store.epoch,
                shared.presence,
                home_of,
                store.asked_executor,
                lease.is_sure,
                mail.kept.address,
                mail.actions.address,
                frozenset(tool.intent for tool in own),
                tuple(tool.capability for tool in own),
            )
            store.on_end = reach.forget

            def executor() -> Executor:
                vault = secrets_of(shared.options)
                return Executor(own, {}, machine.reader, new_span, mail.kept.address, vault)

            async def write() -> None:
                try:
                    await store.run()
                except Overtaken as overtaken:
                    raise Fenced(str(overtaken)) from None

            stage = Stage(mouth, new_span, inner.health, pages_last=True)
            conducting = conductors(settings, machine, minds, mail, reach, stage=stage)
            intake = Intake(shared.bus, lease.shard, mail.commands.address, mouth)
            services: tuple[Service, ...] = (
                write,
                reach.run,
                mouth.run,
                partial(supervise, "journal", lambda: Journal(store), mail.kept),
                partial(supervise, "executor", executor, mail.actions),
                *conducting,
                intake.run,
            )
            async with anyio.create_task_group() as tasks:
                for service in services:
                    tasks.start_soon(service)


class ExecutorPart:
    """An executor: its tools, its pages, and a journal of what it has done."""

    def __init__(self, shared: Shared) -> None:
        from actors.cluster.host import Host
        from actors.executor import Executor
        from actors.journal import Journal
        from actors.supervisor import supervise

        self.shared, options, machine = shared, shared.options, shared.ground.machine
        mail = Boxes.open(shared.boxes)
        kept = options.state / "executor.db"
        journal = shared.boxes.enter_context(open_journal(kept, options.settings.journal))
        new_span, vault = shared.ground.trace_log.new_span, secrets_of(options)

        def executor() -> Executor:
            parts = (machine.tools, machine.scenes, machine.reader)
            return Executor(*parts, new_span, mail.kept.address, vault, machine.lanes)

        self.host = Host(
            shared.bus,
            shared.name,
            journal.id,
            shared.presence,
            mail.actions.address,
            mail.kept.address,
        )
        self.services: Sequence[Service] = (
            partial(supervise, "journal", lambda: Journal(journal), mail.kept),
            partial(supervise, "executor", executor, mail.actions),
            self.host.run,
        )

    def beats(self) -> "Sequence[Beat]":
        from messages.cluster import Beat

        labels, host = tuple(self.shared.options.bus.labels), self.host
        load = len(host.under_way)
        life = f"{host.journal_id}.{self.shared.life}"
        return (Beat("executor", self.shared.name, labels, load, host.draining, life),)

    async def open(self, keys: "Keys | None", tasks: "TaskGroup") -> None:
        """Work is taken as soon as it is there."""

    async def close(self) -> None:
        await self.host.drain()


ROLES = ("executor", "brain", "gateway")
PARTS: Mapping[str, Callable[[Shared], Part]] = {
    "executor": ExecutorPart,
    "brain": BrainPart,
    "gateway": GatewayPart,
}


def daemon_info(
    minds: Minds, journal_health: Callable[[], wire.JournalHealth] | None
) -> "DaemonInfo":
    """Give what ``describe`` says."""
    from actors.gateway import DaemonInfo

    rules, examples = minds.table.by_name(), minds.grammar.examples_by_goal()
    return DaemonInfo(wire.VERSION, rules, minds.engines, examples, journal_health)


def client_limits(settings: Settings) -> "ClientLimits":
    from actors.gateway import ClientLimits

    return ClientLimits(settings.door.connections, settings.door.client_in_flight)


def command_records(journal: "JournalFile", trace_log: "TraceLog") -> "CommandRecords":
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
    minds: Minds,
    machine: "Machine | None" = None,
) -> "tuple[AnyTool, ...]":
    """Give the tools that work on Behest itself: its schedule, its recipes, and talk about it.

    What they say of what can be done goes by the tools of the ``machine``, where there is one.
    """
    from actors.language.chores import values_said
    from actors.language.times import read_duration
    from tools.examples import examples_here
    from tools.notifications import show_notification
    from tools.recipes.tools import recipe_tools, ways_to_say
    from tools.schedule import schedule_tools
    from tools.talk import talk_tools

    own = (
        *schedule_tools(schedule, read_duration, show_notification),
        *recipe_tools(journal, minds.cookbook, values_said),
    )

    def examples() -> Mapping[str, Sequence[str]]:
        said = minds.grammar.examples_by_goal()
        if machine is None:
            return said
        able = (tool.achieves for tool in (*machine.tools, *own) if tool.available())
        return examples_here(said, minds.table.by_name(), frozenset().union(*able))

    return (*own, *talk_tools(examples, lambda: ways_to_say(minds.cookbook)))


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

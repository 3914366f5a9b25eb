"""The command line: a client of the socket, but for ``serve``, ``doctor`` and ``demo``."""

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from messages import wire
from messages.goals import GoalDraft
from messages.results import Code
from tools import settings as setting
from tools.client import Client, NoDaemon, new_id
from tools.console import View
from tools.examples import Introducing, Viewer, first_examples, is_small_talk
from tools.plan_view import PlanView
from tools.screen import bear_any_text, plain, put_json
from tools.setting_problems import near, suggestion
from tools.settings import BadSettings, BusSettings, ObserverSettings, Secret, Settings
from tools.text import is_text

if TYPE_CHECKING:
    from messages.replaying import Decided, Decision, Setting
    from tools.door import HostPort
    from tools.phrase_view import Sayings
    from tools.text_world.bundle import Bundle

FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
SUCCESS, FAILED, USAGE, OPEN = 0, 1, 2, 3
NOTHING_SAID = 'say what is to be done: behest send "create a folder reports"'


@dataclass(frozen=True)
class Serving:
    """How the daemon is to run.

    ``chosen_roots`` are those that somebody named, ``own`` are the files that are the daemon's.
    """

    settings: Settings
    state: Path
    socket: Path
    roots: dict[str, Path]
    bundle: "Bundle | None" = None
    key: Secret | None = None
    tcp: "HostPort | None" = None
    chosen_roots: frozenset[str] = frozenset()
    bus: BusSettings = field(default_factory=BusSettings)
    observer: ObserverSettings | None = None
    own: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Doors:
    """What the command line needs of the daemon's own parts."""

    serve: Callable[[Serving], int]
    resolve: Callable[[wire.Resolve], wire.Resolution | wire.Error]
    phrases: Callable[[Sequence[str]], Iterable[str]]
    sayings: "Callable[[], Sequence[Sayings]]"
    decide_again: "Callable[[Setting], Callable[[Decision], Decided]]"


def complain(message: str, code: int) -> int:
    """Say what is wrong, where people look for it."""
    print(f"behest: {message}", file=sys.stderr)
    return code


def main(argv: Sequence[str] | None, doors: Doors) -> int:
    """Read the command line and do what it says."""
    if not sys.stdout:
        return complain("standard output is closed; nothing was done", FAILED)
    bear_any_text(sys.stdout, sys.stderr)
    try:
        try:
            return carry_out_line(sys.argv[1:] if argv is None else argv, doors)
        finally:
            sys.stdout.flush()
    except (BadSettings, NoDaemon) as problem:
        return complain(str(problem), USAGE)
    except BrokenPipeError:
        drop_output()
        return FAILED
    except OSError as problem:
        drop_output()
        place = "cannot write the output: " if problem.filename is None else ""
        return complain(f"{place}{worded_problem(problem)}", FAILED)


def carry_out_line(words: Sequence[str], doors: Doors) -> int:
    """Do what the words of a command line say."""
    options = read_arguments(words)
    setting.check_environment(os.environ)
    if options.command == "serve":
        return doors.serve(serving(options))
    if options.command == "resolve":
        from tools.resolving import run_resolve

        return run_resolve(options, doors.resolve)
    if options.command == "phrases":
        return show_phrases(options, doors)
    if options.command == "replay":
        from tools.replaying import replay

        places = [Path(each) for each in options.files] or [own_decisions(options)]
        return replay(places, doors.decide_again, options)
    command: Callable[[argparse.Namespace], int] = options.run
    return command(options)


def drop_output() -> None:
    """Let what is still to be written go nowhere: nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def worded_problem(problem: BaseException) -> str:
    """Say what is wrong; of what the system refused, at which place."""
    if not isinstance(problem, OSError) or problem.strerror is None:
        return str(problem)
    return (
        problem.strerror if problem.filename is None else f"{problem.filename}: {problem.strerror}"
    )


def greet(socket: Path) -> None:
    """Tell a person who has started the daemon at a terminal where it is, and what to try."""
    if sys.stdout and sys.stdout.isatty():
        told = f"ready; it listens at {socket}. In another terminal: "
        if socket != default_socket():
            told += f"BEHEST_SOCKET={shlex.quote(str(socket))} "
        print(f'behest: {told}behest send "what time is it"', file=sys.stderr, flush=True)


def default_socket() -> Path:
    """Give the socket that a client without flags would look for."""
    chosen = setting.load(setting.config_path(None, os.environ))
    state = setting.state_path(None, chosen, os.environ)
    return setting.socket_path(None, chosen, os.environ, state)


def read_arguments(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line; say of what is unknown in it what is near and what is allowed."""
    whole, commands = parser()
    named = next((word for word in words if not word.startswith("-")), None)
    if named is not None and named not in commands:
        meant = suggestion(named, commands)
        whole.error(f"unknown command `{named}`; {meant}allowed: {', '.join(commands)}")
    options, unknown = whole.parse_known_args(words)
    if unknown and named is not None:
        commands[named].error(worded_unknown(unknown[0], commands[named].format_help()))
    return options


def worded_unknown(argument: str, help_text: str) -> str:
    """Say that an argument is not known to a command that has this help."""
    if not argument.startswith("-"):
        return f"unexpected argument: {argument}"
    flag = argument.partition("=")[0]
    flags = dict.fromkeys(FLAG.findall(help_text))
    found = near(flag.lstrip("-"), (known.lstrip("-") for known in flags))
    meant = "" if found is None else f"did you mean `--{found}`? "
    return f"unknown flag `{flag}`; {meant}allowed: {', '.join(flags)}"


# What one can say


def parser() -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Describe the command line, as a whole and by its commands."""
    whole = argparse.ArgumentParser(
        prog="behest", description="Carry out plain-language commands, and show why."
    )
    whole.add_argument("--version", action="version", version=f"behest {wire.VERSION}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    add_serve(commands)
    add_send(commands)
    add_recipes(commands)
    add_resolve(commands)
    add_replay(commands)
    add_mcp(commands)
    add_top(commands)
    answer = client(commands, "answer", "answer a question that a command asked", answer_question)
    answer.add_argument("question", help="the question's id")
    answer.add_argument("choice", nargs="+", help="a number, the text of an option, or other words")
    answer.add_argument("--json", action="store_true", help="print the events as JSON lines")
    approve = client(commands, "approve", "allow what a command is about to do", rule_on_approval)
    approve.add_argument("approval", help="the approval's id")
    approve.add_argument("--deny", action="store_true", help="forbid it instead")
    approve.add_argument("--json", action="store_true", help="print the events as JSON lines")
    undo = client(commands, "undo", "put back what a command has changed", undo_command)
    last = "the command's id; without it, the last change of the session"
    undo.add_argument("id", nargs="?", help=last)
    undo.add_argument("--session", default="default", help="whose last change to put back")
    undo.add_argument("--json", action="store_true", help="print the events as JSON lines")
    status = client(commands, "status", "show how the daemon or a command stands", show_status)
    status.add_argument("id", nargs="?", help="the command's id")
    status.add_argument("--json", action="store_true", help="as JSON; so it is without a terminal")
    cancel = client(commands, "cancel", "stop a command", cancel_command)
    cancel.add_argument("id", help="the command's id")
    watch = client(commands, "watch", "print the trace as it happens", watch_trace)
    watch.add_argument("events", nargs="*", help="only events whose names begin so")
    watch.add_argument("--since", type=int, metavar="SEQ", help="begin after this record")
    watch.add_argument(
        "--json", action="store_true", help="as JSON lines; so it is without a terminal"
    )
    explain = client(commands, "explain", "say why a command did what it did", explain_command)
    explain.add_argument("id", nargs="?", help="the command's id; without it, the last command")
    explain.add_argument("--json", action="store_true", help="print the same as data")
    explain.add_argument(
        "--log", metavar="FILE", help="read a file of the daemon's log instead of asking the daemon"
    )
    add_history(commands)
    client(commands, "stop", "end the daemon, as SIGTERM does", stop_daemon)
    client(commands, "describe", "print schema, rules and capabilities as JSON", describe)

    add_phrases(commands)
    doctor = commands.add_parser("doctor", help="say what works here and what to install")
    doctor.add_argument("--config", metavar="FILE", help="settings (TOML)")
    doctor.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    doctor.set_defaults(run=check_health)
    demo = commands.add_parser("demo", help="see it work: a daemon of its own, real commands")
    demo.add_argument("--all", action="store_true", help="show everything, not only the story")
    demo.set_defaults(run=show_demo)
    return whole, commands.choices


def client(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    summary: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Add a command that speaks to the daemon."""
    added = commands.add_parser(name, help=summary, description=summary)
    where = added.add_mutually_exclusive_group()
    where.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    where.add_argument("--tcp", metavar="HOST:PORT", help="the daemon's address, instead")
    added.add_argument(
        "--token-file", metavar="FILE", help="with --tcp: the daemon's token, if not the usual file"
    )
    added.add_argument(
        "--tls-ca", metavar="FILE", help="with --tcp: speak TLS, and trust certificates of this CA"
    )
    added.set_defaults(run=run, config=None)
    return added


def add_phrases(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    summary = "look up what one can say; needs no daemon"
    phrases = commands.add_parser("phrases", help=summary, description=summary)
    phrases.add_argument("words", nargs="*", help="show sentences for what has these words")
    phrases.add_argument("--patterns", action="store_true", help="show every way to say it, too")


def add_history(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    history = client(commands, "history", "show which commands there were", show_history)
    history.add_argument("--search", metavar="WORDS", help="only commands with these words in them")
    history.add_argument("--session", metavar="NAME", help="only those of this session")
    history.add_argument(
        "--status", metavar="STATUS", help="only those that ended so, or `running`"
    )
    history.add_argument(
        "--since", metavar="TIME", help="only later ones: 30m, 2h, 3d, 2026-11-19, 14:30"
    )
    history.add_argument("--until", metavar="TIME", help="only earlier ones")
    history.add_argument("--before", metavar="CURSOR", help="go on where another page ended")
    history.add_argument("--limit", metavar="N", type=int, default=20, help="so many at most")
    history.add_argument("--json", action="store_true", help="as JSON lines, one for each command")


def add_serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serve = commands.add_parser("serve", help="run the daemon in the foreground")
    serve.add_argument("--socket", metavar="PATH", help="where to listen")
    serve.add_argument(
        "--tcp", metavar="HOST:PORT", help="where to listen besides, for clients with the token"
    )
    serve.add_argument("--state", metavar="DIR", help="where to keep what must last")
    serve.add_argument("--config", metavar="FILE", help="settings (TOML)")
    serve.add_argument(
        "--root",
        metavar="NAME=DIR",
        action="append",
        default=[],
        help="a folder that files may be in; the first is meant by a bare name (repeatable)",
    )
    serve.add_argument(
        "--observe",
        metavar="PORT",
        nargs="?",
        const=0,
        type=int,
        help="show on a page of 127.0.0.1 what is done and why; by itself on any port that is free",
    )
    serve.add_argument(
        "--observe-act", action="store_true", help="let the page answer, approve and cancel, too"
    )
    serve.add_argument(
        "--world", metavar="BUNDLE", help="a text world to play in: a .toml or .json file, or manor"
    )
    serve.add_argument(
        "--bus",
        metavar="URL",
        action="append",
        default=[],
        help="a NATS server, as nats://host:4222: be part of a cluster (repeatable); or embedded",
    )
    serve.add_argument(
        "--role",
        choices=("all", "gateway", "brain", "executor"),
        help="what to be in a cluster; by itself all",
    )
    serve.add_argument("--name", metavar="NAME", help="what this process is called in a cluster")
    serve.add_argument(
        "--label",
        metavar="LABEL",
        action="append",
        default=[],
        help="what sessions may ask for in an executor, as studio (repeatable)",
    )


def add_replay(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    replay = commands.add_parser("replay", help="make recorded decisions again, and compare them")
    replay.description = (
        "Make every decision that was recorded again, offline, and compare it byte by byte with "
        "what was decided then. Exits 1 if one differs."
    )
    replay.add_argument("files", nargs="*", help="files or folders; without any, the daemon's own")
    replay.add_argument("--check", action="store_true", help="only say how many are the same")
    replay.add_argument("--diff", action="store_true", help="show what differs, before and after")
    replay.add_argument("--json", action="store_true", help="a JSON line for each that differs")
    replay.add_argument("--config", metavar="FILE", help="settings (TOML)")


def add_mcp(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    summary = "serve the Model Context Protocol to an assistant"
    mcp = commands.add_parser("mcp", help=summary, description=summary)
    mcp.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    mcp.add_argument("--http", metavar="HOST:PORT", help="streamable HTTP on loopback; else stdio")
    mcp.add_argument(
        "--token-file", metavar="FILE", type=Path, help="with --http: its token's file"
    )
    mcp.add_argument("--allow-approvals", action="store_true", help="let the client approve")
    mcp.set_defaults(run=serve_mcp, config=None)


def add_top(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    top = commands.add_parser("top", help="show in a terminal what the daemon does, as it happens")
    top.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    top.set_defaults(run=show_top, config=None)


def serve_mcp(options: argparse.Namespace) -> int:
    """Serve an assistant, as a client of the daemon."""
    from tools.mcp import run_mcp

    return run_mcp(
        own_socket(options),
        http=options.http,
        allow_approvals=options.allow_approvals,
        token_file=options.token_file,
    )


def show_top(options: argparse.Namespace) -> int:
    """Show what the daemon does until somebody quits."""
    from tools.top import run_top

    return run_top(own_socket(options))


def own_socket(options: argparse.Namespace) -> Path:
    """Find the socket of the daemon on this machine."""
    chosen = setting.load(setting.config_path(options.config, os.environ))
    state = setting.state_path(None, chosen, os.environ)
    return setting.socket_path(options.socket, chosen, os.environ, state)


def add_send(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    send = client(commands, "send", "carry out a command, or try some at a prompt", send_command)
    send.description = (
        "Carry out a command and show how it comes along. Without words it asks for them, one "
        "command after another: Tab completes verbs, help shows examples, Ctrl-C stops the command "
        "that runs, exit or Ctrl-D leaves. Without words and without a terminal it carries out "
        "every line "
        "of its input in order, and the worst of them gives the exit code."
    )
    send.epilog = (
        "exit code: 0 success, 1 failed or partial, 2 bad usage or no daemon, 3 a question or an "
        "approval was left open"
    )
    send.add_argument("text", nargs="*", help="what is to be done, in plain words")
    send.add_argument("--on", metavar="LABEL", default="", help="by an executor with this label")
    send.add_argument("--goals", metavar="JSON", help="goals as JSON instead of words")
    send.add_argument("--json", action="store_true", help="print the events as JSON lines")
    send.add_argument(
        "--plan",
        action="store_true",
        help="do nothing; show as a tree how the words were read, what would be done, what cannot",
    )
    send.add_argument("--session", default="default", help="commands of one session keep order")
    send.add_argument(
        "--yes",
        action="store_true",
        help="allow what waits for approval, and have that written down; answers no question",
    )
    send.add_argument("--id", help="the command's id: the same id twice runs once")
    send.add_argument(
        "--allow-partial", action="store_true", help="do what can be done if something cannot"
    )


def add_recipes(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add what teaches recipes and runs them."""
    run = client(commands, "run", "run a recipe that was taught", run_recipe)
    run.add_argument("recipe", metavar="NAME", help="the recipe, by its name")
    told = "values for it; a name of several words needs no quotes"
    run.add_argument("values", nargs="*", metavar="KEY=VALUE", help=told)
    run.add_argument("--id", help="the command's id: the same id twice runs once")
    run.add_argument("--plan", action="store_true", help="do nothing; show what would be done")
    record = client(commands, "record", "make a recipe of what is done", record_recipe)
    record.description = (
        "Begin to record: all commands of the session that succeed become steps, until "
        "behest record --stop. With --last, what was done already becomes a recipe."
    )
    record.add_argument("name", nargs="*", help="how the recipe is to be called")
    ending = record.add_mutually_exclusive_group()
    ending.add_argument("--stop", action="store_true", help="end the recording, and keep it")
    ending.add_argument("--cancel", action="store_true", help="end the recording; keep nothing")
    record.add_argument("--last", type=int, metavar="N", help="keep the last N commands instead")
    manage = client(commands, "recipes", "list, show, edit, check, remove recipes", manage_recipes)
    deeds = ("list", "show", "edit", "check", "remove", "import", "export")
    manage.add_argument("deed", nargs="?", default="list", choices=deeds, help="what to do")
    manage.add_argument("name", nargs="*", help="the recipe")
    manage.add_argument(
        "--file", metavar="FILE", help="a Playwright script in Python, to import or to export to"
    )
    for each in (run, record, manage):
        each.add_argument("--session", default="default", help="whose commands are meant")
        each.add_argument("--json", action="store_true", help="print the events as JSON lines")
        each.set_defaults(allow_partial=False, on="")
    for each in (record, manage):
        each.set_defaults(plan=False)


def add_resolve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    summary = "bind the words of a command to the things of a world; nothing is touched"
    resolve = commands.add_parser(
        "resolve",
        help=summary,
        description=f"{summary}. Needs no daemon. Without words it asks for them, one command "
        "after another.",
    )
    resolve.add_argument("text", nargs="*", help="a command in plain words")
    resolve.add_argument("--world", metavar="FILE", required=True, help="the world (.json, .toml)")
    resolve.add_argument("--verbs", metavar="FILE", help="the verbs (.json, .toml)")
    resolve.add_argument("--options", metavar="JSON", help="options of the request, as JSON")
    resolve.add_argument("--json", action="store_true", help="print the resolution as JSON")


def serving(options: argparse.Namespace) -> Serving:
    """Work out how the daemon is to run."""
    chosen = setting.load(setting.config_path(options.config, os.environ))
    state = setting.state_path(options.state, chosen, os.environ)
    path = setting.socket_path(options.socket, chosen, os.environ, state)
    named = setting.named_folders(options.root)
    roots = setting.roots_of(chosen, named)
    world = getattr(options, "world", None) or chosen.world
    bundle = None if world is None else bundle_at(world)
    key = setting.model_key(chosen, os.environ)
    tcp, wanted = tcp_address(options, chosen), frozenset(named or chosen.roots)
    bus = bus_settings(options, chosen)
    observer = observer_settings(options, chosen)
    if observer is not None and bus.servers:
        raise BadSettings("a part of a cluster has no observer page; leave out --observe")
    own = setting.own_files(chosen, state, path, setting.config_path(options.config, os.environ))
    return Serving(chosen, state, path, roots, bundle, key, tcp, wanted, bus, observer, own)


def observer_settings(options: argparse.Namespace, chosen: Settings) -> ObserverSettings | None:
    """Say whether the observer page is wanted, and what it may do."""
    port, act = getattr(options, "observe", None), getattr(options, "observe_act", False)
    known = chosen.observer
    if port is None and known is None:
        if act:
            raise BadSettings("--observe-act needs --observe, or [observer] in the settings")
        return None
    known = ObserverSettings() if known is None else known
    try:
        return ObserverSettings(port=port or known.port, act=act or known.act)
    except ValueError as problem:
        raise BadSettings(f"--observe: {problem}") from None


def bus_settings(options: argparse.Namespace, chosen: Settings) -> BusSettings:
    """Say which cluster to be part of, if any, and as what."""
    flags = {"servers": "bus", "role": "role", "name": "name", "labels": "label"}
    named = {key: getattr(options, flag, None) for key, flag in flags.items()}
    said = {key: value for key, value in named.items() if value}
    try:
        bus = msgspec.convert({**msgspec.structs.asdict(chosen.bus), **said}, BusSettings)
    except msgspec.ValidationError as problem:
        raise BadSettings(f"[bus]: {problem}") from None
    if not bus.servers and said:
        raise BadSettings("--role, --name and --label need --bus, or servers in [bus]")
    return bus


def tcp_address(options: argparse.Namespace, chosen: Settings) -> "HostPort | None":
    """Find where to listen besides the socket, if anywhere."""
    named = getattr(options, "tcp", None) or chosen.tcp
    if named is None:
        return None
    from tools.door import door_at

    return door_at(named, chosen.door)


def bundle_at(world: str) -> "Bundle":
    """Load a text world, by its file or by the name of the one that ships with Behest."""
    from tools.text_world.bundle import BadBundle, bundled, load_bundle

    try:
        return load_bundle(bundled(world) or setting.expand(world))
    except BadBundle as problem:
        raise BadSettings(str(problem)) from None


def connect(options: argparse.Namespace) -> Client:
    """Find the daemon: at the address that is named, else at its socket as it would itself."""
    chosen = setting.load(setting.config_path(options.config, os.environ))
    state = setting.state_path(None, chosen, os.environ)
    tcp = options.tcp or (None if options.socket else os.environ.get("BEHEST_TCP"))
    if not tcp:
        return Client(setting.socket_path(options.socket, chosen, os.environ, state))
    from tools.door import remote

    token_file = options.token_file or os.environ.get("BEHEST_TOKEN_FILE")
    ca = options.tls_ca or os.environ.get("BEHEST_TLS_CA")
    return Client(remote(tcp, token_file, ca or None, chosen.door, state))


def state_of(options: argparse.Namespace) -> Path:
    """Find the folder for what must last, as the daemon itself would."""
    chosen = setting.load(setting.config_path(options.config, os.environ))
    return setting.state_path(None, chosen, os.environ)


def own_decisions(options: argparse.Namespace) -> Path:
    """Find the recorded decisions of the daemon; where it keeps them, no client can ask it."""
    state = state_of(options)
    if os.environ.get("BEHEST_SOCKET") and not os.environ.get("BEHEST_STATE"):
        told = f"looking in {state}: BEHEST_SOCKET does not tell where its daemon keeps its state"
        complain(f"{told}; name another with BEHEST_STATE=DIR, or the files themselves", SUCCESS)
    return state / "decisions"


# The client's commands


def send_command(options: argparse.Namespace) -> int:
    """Send one command, or those that are typed or piped in, and show what becomes of them."""
    try:
        if options.text or options.goals is not None:
            return carry_out(options)
        return send_many(options)
    except KeyboardInterrupt:
        return FAILED


def send_many(options: argparse.Namespace) -> int:
    """Carry out sentences one after the other: those typed at a prompt, or those of a pipe."""
    from tools.prompting import History, at_terminal
    from tools.trying import Trial, read_on

    def carry_out_words(sentence: str) -> int:
        return carry_out(argparse.Namespace(**{**vars(options), "text": [sentence]}))

    if options.id is not None:
        return complain("--id names one command: say what it is", USAGE)
    if not at_terminal() or options.json:
        code = read_on(carry_out_words)
        return complain(NOTHING_SAID, USAGE) if code is None else code
    with connect(options) as daemon:
        described = daemon.ask(wire.Describe(new_id()))
    if not isinstance(described, wire.Described):
        return show(described)
    history = History(state_of(options) / "sentences")
    Trial(carry_out_words, described, history, options.session, plan=options.plan).run()
    return SUCCESS


def carry_out(options: argparse.Namespace) -> int:
    """Send one command and show what becomes of it; an interrupt stops it and is passed on."""
    try:
        request = submission(options)
    except ValueError as problem:
        return complain(str(problem), USAGE)
    view = view_for(options)
    if view is not None and request.text is not None and is_small_talk(request.text):
        view = Introducing(view, partial(examples_of, options))
    with connect(options) as daemon:
        daemon.send(request)
        try:
            return follow(daemon, view, allows=getattr(options, "yes", False))
        except KeyboardInterrupt:
            stop(daemon, request.id, view)
            raise


def examples_of(options: argparse.Namespace) -> list[str]:
    """Ask the daemon for a few sentences that it understands and can carry out."""
    with connect(options) as daemon:
        described = daemon.ask(wire.Describe(new_id()))
    return first_examples(described) if isinstance(described, wire.Described) else []


def stop(daemon: Client, command: str, view: Viewer | None) -> None:
    """Cancel a command and see it end, unless somebody would not wait for that either."""
    daemon.send(wire.Cancel(new_id(), command))
    try:
        follow(daemon, view)
    except KeyboardInterrupt:
        complain(f"left; ask for it with: behest status {command}", FAILED)


def view_for(options: argparse.Namespace) -> Viewer | None:
    """Choose how a command is shown; None as it is on the wire."""
    if options.json:
        return None
    return PlanView(partly=options.allow_partial) if options.plan else View()


def show_phrases(options: argparse.Namespace, doors: Doors) -> int:
    """Print what one can say."""
    from tools.phrase_view import offer_lines, sentence_lines

    words, known = options.words, doors.sayings()
    told = list(doors.phrases(words) if options.patterns else sentence_lines(known, words))
    for line in told:  # of our own tables: long ones are of use, too
        print(line)
    if told and words and not options.patterns:
        print(f"every way to say it: behest phrases --patterns {' '.join(words)}")
    if not told:
        complain(f"no phrase has the words {' '.join(words)!r}", FAILED)
        print(*offer_lines(known, words), sep="\n", file=sys.stderr)
    return SUCCESS if told else FAILED


def answer_question(options: argparse.Namespace) -> int:
    """Answer a question, and show what becomes of the command that asked it."""
    with connect(options) as daemon:
        daemon.send(wire.Answer(new_id(), options.question, " ".join(options.choice)))
        return follow(daemon, None if options.json else View(), options.question)


def rule_on_approval(options: argparse.Namespace) -> int:
    """Allow or forbid what a command is about to do, and show what becomes of it."""
    with connect(options) as daemon:
        daemon.send(wire.Approve(new_id(), options.approval, not options.deny))
        return follow(daemon, None if options.json else View())


def undo_command(options: argparse.Namespace) -> int:
    """Put back what a command has changed, and show how that comes along."""
    with connect(options) as daemon:
        daemon.send(wire.Undo(new_id(), options.id, options.session))
        return follow(daemon, None if options.json else View())


def run_recipe(options: argparse.Namespace) -> int:
    """Run a recipe that was taught."""
    from tools.recipes.command_line import run

    return run(options)


def record_recipe(options: argparse.Namespace) -> int:
    """Make a recipe of what is done."""
    from tools.recipes.command_line import record

    return record(options)


def manage_recipes(options: argparse.Namespace) -> int:
    """Look after the recipes there are."""
    from tools.recipes.command_line import manage

    return manage(options)


def submission(options: argparse.Namespace) -> wire.Submit:
    """Make the request; ``ValueError`` says what is wrong with what was given."""
    text = " ".join(options.text)
    if not is_text(text):
        raise ValueError("the words are not text in UTF-8")
    if bool(text) == bool(options.goals):
        raise ValueError(NOTHING_SAID)
    try:
        drafts = options.goals and msgspec.json.decode(options.goals, type=tuple[GoalDraft, ...])
        request = wire.Submit(
            id=options.id or new_id(),
            text=text or None,
            goals=drafts or None,
            session=options.session,
            mode="plan" if options.plan else "run",
            # a plan for people shows all that can be planned; none of it happens
            allow_partial=options.allow_partial or (options.plan and not options.json),
            label=options.on,
        )
    except msgspec.DecodeError as error:
        raise ValueError(f"--goals: {error}") from None
    return msgspec.convert(msgspec.to_builtins(request), wire.Submit)  # the limits hold here too


def follow(daemon: Client, view: Viewer | None, asked: str = "", *, allows: bool = False) -> int:
    """Show a command's events to its end, or to what nobody is here to answer or allow.

    With ``allows``, what waits for approval is approved of, by a flag; no question is answered.
    """
    waiting: wire.Question | wire.ApprovalNeeded | None = None
    for reply, line in daemon.replies():
        if view is None:
            put_json(line)
        else:
            view.show(reply)
        match reply:
            case wire.Finished(status=status):
                return SUCCESS if status == "success" else FAILED
            case wire.ApprovalNeeded(approval=approval) if allows:
                daemon.send(wire.Approve(new_id(), approval, allow=True, by="flag"))
                continue
            case wire.Question() | wire.ApprovalNeeded():
                waiting = reply
            case wire.Error(code=Code.BAD_CHOICE) if waiting is None:
                return left_open(asked, quietly=view is None)
            case wire.Error(code=Code.BAD_CHOICE):
                pass
            case wire.Error():
                return FAILED
            case _:
                continue
        answer = None if view is None or waiting is None else answer_of(view, waiting)
        if answer is None:
            return left_open(asked if waiting is None else waiting, quietly=view is None)
        daemon.send(answer)
    return FAILED


def answer_of(
    view: Viewer, waiting: wire.Question | wire.ApprovalNeeded
) -> wire.Answer | wire.Approve | None:
    """Let the person at the terminal answer; None if nobody is there."""
    if isinstance(waiting, wire.Question):
        choice = view.ask(waiting)
        return None if choice is None else wire.Answer(new_id(), waiting.question, choice)
    allow = view.allow(waiting)
    return None if allow is None else wire.Approve(new_id(), waiting.approval, allow)


def left_open(waiting: str | wire.Question | wire.ApprovalNeeded, *, quietly: bool) -> int:
    """Say how a question can be answered later, or something allowed."""
    if quietly:
        return OPEN
    if isinstance(waiting, wire.ApprovalNeeded):
        return complain(f"allow it with: behest approve {waiting.approval}", OPEN)
    question = waiting if isinstance(waiting, str) else waiting.question
    return complain(f"answer with: behest answer {question} CHOICE", OPEN)


def show_status(options: argparse.Namespace) -> int:
    """Show how the daemon or one command stands."""
    from tools import history_view

    return history_view.show_status(options)


def show_history(options: argparse.Namespace) -> int:
    """Show which commands there were."""
    from tools import history_view

    return history_view.show_history(options)


def stop_daemon(options: argparse.Namespace) -> int:
    """End the daemon, and wait until it has hung up."""
    with connect(options) as daemon:
        reply = daemon.ask(wire.Stop(new_id()))
        if not isinstance(reply, wire.Stopping):
            return show(reply)
        try:
            for _ in daemon.replies():
                pass
        except NoDaemon:
            pass
    return SUCCESS


def cancel_command(options: argparse.Namespace) -> int:
    """Stop a command and show its end; without a terminal as JSON."""
    with connect(options) as daemon:
        daemon.send(wire.Cancel(new_id(), options.id))
        for reply, _ in daemon.replies():
            if isinstance(reply, wire.Finished) and sys.stdout.isatty():
                View().show(reply)
                return SUCCESS
            if isinstance(reply, wire.Finished | wire.Error):
                return show(reply)
    return FAILED


def describe(options: argparse.Namespace) -> int:
    """Print what the daemon speaks and can do."""
    with connect(options) as daemon:
        return show(daemon.ask(wire.Describe(new_id())))


def show(reply: wire.WireReply) -> int:
    """Print a reply as JSON that people can read, too; at a terminal say what went wrong."""
    if isinstance(reply, wire.Error) and sys.stdout.isatty():
        return complain(f"{reply.code}: {plain(reply.message)}", FAILED)
    put_json(msgspec.json.format(msgspec.json.encode(reply), indent=2))
    return FAILED if isinstance(reply, wire.Error) else SUCCESS


def watch_trace(options: argparse.Namespace) -> int:
    """Print the trace until interrupted."""
    from tools import history_view

    return history_view.watch(options)


def explain_command(options: argparse.Namespace) -> int:
    """Tell why a command did what it did: what the daemon knows of it, or what a log says."""
    from tools.history_view import explain

    return explain(options)


def check_health(options: argparse.Namespace) -> int:
    """Say what works here."""
    from tools.doctor import examine

    options.state, options.root = None, []
    return SUCCESS if examine(serving(options)) else FAILED


def show_demo(options: argparse.Namespace) -> int:
    """Show Behest at work."""
    from tools.demo import play

    return SUCCESS if play(everything=options.all) else FAILED

"""``behest record``, ``recipes`` and ``run``: goals like all others, sent to the daemon."""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from messages import wire
from messages.goals import GoalDraft
from messages.message import Value
from messages.taught import DOMAIN, NAME, RUN
from tools import cli
from tools.client import Client, new_id
from tools.recipes.reading import BadRecipe, decode_recipe
from tools.recipes.writing import as_toml
from tools.screen import plain
from tools.text import is_text

EDITORS = ("VISUAL", "EDITOR")


def record(options: argparse.Namespace) -> int:
    """Begin or end a recording, or make a recipe of what was done already."""
    name = " ".join(options.name)
    if options.cancel:
        return carry_out(options, "cancel", {})
    if options.stop:
        if name or options.last:
            return cli.complain("--stop ends what is being recorded; it takes no name", cli.USAGE)
        return carry_out(options, "stop", {})
    if not name:
        return cli.complain("say how the recipe is to be called: behest record NAME", cli.USAGE)
    if options.last is not None:
        return carry_out(options, "remember", {NAME: name, "last": options.last})
    return carry_out(options, "record", {NAME: name})


def run(options: argparse.Namespace) -> int:
    """Run a recipe with values."""
    params: dict[str, Value] = {}
    words = (options.recipe, *options.values)
    names = [word for word in words if "=" not in word]
    for pair in (word for word in words if "=" in word):
        key, _, value = pair.partition("=")
        if not key.isidentifier() or key in params or key == NAME:
            return cli.complain(f"{pair!r}: write it as KEY=VALUE, each key once", cli.USAGE)
        params[key] = value
    if not names:
        return cli.complain("say which recipe: behest run NAME KEY=VALUE", cli.USAGE)
    return carry_out(options, RUN, {NAME: " ".join(names), **params})


def manage(options: argparse.Namespace) -> int:
    """List, show, edit, check, remove, import or export recipes."""
    name = " ".join(options.name)
    match options.deed:
        case "list":
            return carry_out(options, "list", {})
        case "check":
            return carry_out(options, "check", {NAME: name} if name else {})
        case _ if not name:
            return cli.complain(f"say which recipe: behest recipes {options.deed} NAME", cli.USAGE)
        case "remove":
            return carry_out(options, "remove", {NAME: name})
        case "show":
            return show(options, name)
        case "edit":
            return edit(options, name)
        case "import":
            return import_script(options, name)
        case _:
            return export_script(options, name)


def carry_out(options: argparse.Namespace, verb: str, params: Mapping[str, Value]) -> int:
    """Send a goal, and show what becomes of it."""
    texts = [each for each in params.values() if isinstance(each, str)]
    if not all(map(is_text, texts)):
        return cli.complain("the words are not text in UTF-8", cli.USAGE)
    with cli.connect(options) as daemon:
        daemon.send(submission(options, verb, params))
        view = cli.view_for(options)
        return cli.follow(daemon, view)


def submission(options: argparse.Namespace, verb: str, params: Mapping[str, Value]) -> wire.Submit:
    goal = GoalDraft(DOMAIN, verb, params)
    command, session = getattr(options, "id", None) or new_id(), options.session
    mode: wire.Mode = "plan" if options.plan else "run"
    return wire.Submit(command, goals=(goal,), session=session, mode=mode)


def fetch_recipe(daemon: Client, options: argparse.Namespace, name: str) -> str | None:
    """Ask for a recipe as it is written; None, and the reason is told, if there is none."""
    daemon.send(submission(options, "show", {NAME: name}))
    for reply, _ in daemon.replies():
        if isinstance(reply, wire.Error):
            cli.complain(plain(reply.message), cli.FAILED)
            return None
        if isinstance(reply, wire.Finished):
            results = reply.results
            output = results[0].output if results else None
            if reply.status == "success" and isinstance(output, Mapping):
                return str(output["recipe"])
            reason = results[0].message if results else reply.message
            cli.complain(plain(reason or "it cannot be shown"), cli.FAILED)
            return None
    return None


def show(options: argparse.Namespace, name: str) -> int:
    """Print a recipe as it is written."""
    with cli.connect(options) as daemon:
        text = fetch_recipe(daemon, options, name)
    if text is None:
        return cli.FAILED
    sys.stdout.write(text)
    return cli.SUCCESS


def edit(options: argparse.Namespace, name: str) -> int:
    """Let a person edit a recipe; it is kept if it is right, else the text is left in a file."""
    with cli.connect(options) as daemon:
        text = fetch_recipe(daemon, options, name)
    if text is None:
        return cli.FAILED
    changed = edit_text(text)
    if changed is None:
        return cli.FAILED
    if changed == text:
        return cli.complain("nothing was changed", cli.SUCCESS)
    code = carry_out(options, "write", {NAME: name, "content": changed})
    if code != cli.SUCCESS:
        handle, path = tempfile.mkstemp(prefix="recipe-", suffix=".toml")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(changed)
        cli.complain(f"what you wrote is in {path}", code)
    return code


def edit_text(text: str) -> str | None:
    """Give a text as the user's editor leaves it; None if there is no editor, or it failed."""
    editor = next((os.environ[name] for name in EDITORS if os.environ.get(name)), "vi")
    with tempfile.TemporaryDirectory(prefix="behest-") as folder:
        path = Path(folder) / "recipe.toml"
        path.write_text(text, "utf-8")
        try:
            ended = subprocess.run([*shlex.split(editor), str(path)], check=False)
        except (OSError, ValueError) as error:
            cli.complain(f"{editor}: {error}; choose another in EDITOR", cli.FAILED)
            return None
        if ended.returncode:
            cli.complain(f"{editor} ended with {ended.returncode}; nothing is changed", cli.FAILED)
            return None
        return path.read_text("utf-8", errors="replace")


def import_script(options: argparse.Namespace, name: str) -> int:
    """Make a recipe of a Playwright script."""
    from tools.recipes.script_import import BadScript, recipe_of_script  # noqa: PLC0415 - rarely needed

    if options.file is None:
        return cli.complain("say which script: behest recipes import NAME --file FILE", cli.USAGE)
    try:
        source = Path(options.file).read_text("utf-8")
        found = recipe_of_script(source, name)
    except (OSError, UnicodeDecodeError) as error:
        return cli.complain(f"{options.file}: {error}", cli.USAGE)
    except BadScript as problem:
        return cli.complain(f"{options.file}: {problem}", cli.FAILED)
    for each in found.left_out:
        cli.complain(plain(f"left out: {each}"), cli.SUCCESS)
    return carry_out(options, "write", {NAME: name, "content": as_toml(found.recipe)})


def export_script(options: argparse.Namespace, name: str) -> int:
    """Print a recipe as a Playwright script, or write it to a file."""
    from tools.recipes.script_export import script_of_recipe  # noqa: PLC0415 - rarely needed

    with cli.connect(options) as daemon:
        text = fetch_recipe(daemon, options, name)
    if text is None:
        return cli.FAILED
    try:
        script = script_of_recipe(decode_recipe(text))
    except BadRecipe as problem:
        return cli.complain(f"{name}: {problem}", cli.FAILED)
    if options.file is None:
        sys.stdout.write(script)
        return cli.SUCCESS
    try:
        Path(options.file).write_text(script, "utf-8")
    except OSError as error:
        return cli.complain(f"{options.file}: {error.strerror}", cli.FAILED)
    return cli.SUCCESS

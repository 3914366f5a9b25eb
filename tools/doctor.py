"""Doctor: what works on this machine, and what to install for what does not."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from tools.model import LanguageModel
from tools.sockets import answers
from tools.worlds import open_machine

if TYPE_CHECKING:
    from tools.cli import Serving


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    fine: bool
    what: str
    advice: str = ""
    vital: bool = False


def examine(serving: "Serving") -> bool:
    """Print what was found; tell whether the daemon could run."""
    findings = list(look(serving))
    for finding in findings:
        mark = "ok     " if finding.fine else ("BROKEN " if finding.vital else "missing")
        advice = f": {finding.advice}" if finding.advice and not finding.fine else ""
        print(f"{mark} {finding.what}{advice}")
    return all(finding.fine for finding in findings if finding.vital)


def look(serving: "Serving") -> Iterator[Finding]:
    """Look at everything the daemon needs or can use."""
    python = ".".join(map(str, sys.version_info[:3]))
    enough = sys.version_info >= (3, 11)
    yield Finding(enough, f"Python {python}", "3.11 or newer is needed", vital=True)
    for name, folder in serving.roots.items():
        advice = f"create {folder}, or choose other roots with --root or in settings"
        yield Finding(folder.is_dir(), f"root {name} = {folder}", advice)
    running = answers(serving.socket)
    yield Finding(running, f"daemon at {serving.socket}", "start one with `behest serve`")
    yield from look_at_model(serving)
    machine = open_machine(serving.roots, serving.settings.apps)
    for tool in machine.tools:
        yield Finding(tool.available(), f"tool {tool.name}", tool.hint or "not available here")


def look_at_model(serving: "Serving") -> Iterator[Finding]:
    """Say who understands words, and whether a model that is wanted answers. No words are sent."""
    settings = serving.settings
    if settings.interpreter == "grammar" or settings.model is None:
        yield Finding(fine=True, what="words are understood by the grammar, offline")
        return
    named = f"model {settings.model.name} at {settings.model.base_url}"
    key = "with a key" if serving.key is not None else "without a key"
    found = anyio.run(LanguageModel(settings.model, serving.key).probe)
    yield Finding(found.fine, f"{named}, {key} (interpreter {settings.interpreter})", found.advice)

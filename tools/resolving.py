"""``behest resolve``: try words on a world, once or one command after another."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from messages import wire
from messages.targets import Options, Recent
from messages.worlds import World
from tools.prompting import Prompt
from tools.screen import put_json
from tools.settings import BadSettings
from tools.text import is_text
from tools.text_world.bundle import BadBundle, bundled, load_bundle, read_data
from tools.text_world.play import with_scopes
from tools.text_world.rules import declaration

Resolver = Callable[[wire.Resolve], wire.Resolution | wire.Error]

SUCCESS, FAILED, USAGE = 0, 1, 2


def run_resolve(options: argparse.Namespace, resolve: Resolver) -> int:
    """Resolve the words given, or those that are typed."""
    world, verbs = opened(options.world)
    if options.verbs:
        verbs = verbs_of(options.verbs)
    elif not verbs:
        raise BadSettings("--verbs FILE is needed: the world's file declares none")
    words = " ".join(options.text)
    given = options.options or "{}"
    try:
        wanted = msgspec.json.decode(given, type=Options)
    except msgspec.DecodeError as error:
        raise BadSettings(f"--options: {error}") from None
    table = Table(resolve, world, verbs, wanted, as_json=options.json)
    if words:
        return table.one(words)
    return table.many()


def verbs_of(path: str) -> Mapping[str, Any]:
    """Read verbs: the file itself, or what it has under ``verbs``."""
    raw = data_at(path)
    verbs = raw.get("verbs", raw)
    if not isinstance(verbs, Mapping):
        raise BadSettings(f"{path}: `verbs` is no table of verbs")
    return verbs


def opened(path: str) -> tuple[World, Mapping[str, Any]]:
    """Read a world, or a bundle with the verbs that belong to it."""
    path = str(bundled(path) or path)
    raw = data_at(path)
    if "world" not in raw:
        return converted(path, raw), {}
    try:
        bundle = load_bundle(path)
    except BadBundle as problem:
        raise BadSettings(str(problem)) from None
    return with_scopes(bundle.world, bundle.verbs), {
        name: declaration(verb) for name, verb in bundle.verbs.items()
    }


class Table:
    """A world and its verbs, laid out to try words on."""

    def __init__(
        self,
        resolve: Resolver,
        world: World,
        verbs: Mapping[str, Any],
        options: Options,
        *,
        as_json: bool,
    ) -> None:
        self._resolve = resolve
        self._world = world
        self._verbs = {name: msgspec.Raw(msgspec.json.encode(verb)) for name, verb in verbs.items()}
        self._options = options
        self._as_json = as_json

    def one(self, text: str) -> int:
        """Resolve one command and show what it means."""
        if not is_text(text):
            raise BadSettings("the words are not text in UTF-8")
        request = wire.Resolve("resolve", self._verbs, self._world, text, options=self._options)
        found = self._resolve(request)
        if self._as_json:
            put_json(msgspec.json.encode(found))
        else:
            print(worded(found), flush=True)
        if isinstance(found, wire.Error):
            return USAGE
        self.remember(found)
        return SUCCESS if found.ok else FAILED

    def many(self) -> int:
        """Resolve what is typed, line by line, until the input ends; "it" is what came before."""
        code = SUCCESS
        prompt = Prompt("" if self._as_json else "> ", sorted(self._verbs))
        try:
            for text in prompt.lines():
                code = self.one(text)
        except KeyboardInterrupt:
            return SUCCESS
        return code

    def remember(self, found: wire.Resolution) -> None:
        """Note what was bound, for the pronouns of the next command."""
        ids = tuple(
            target.id
            for binding in found.bindings
            if (target := binding.direct_target or binding.indirect_target) is not None
        )
        if ids:
            last = self._options.recent
            recent = Recent(ids[0], last.them) if len(ids) == 1 else Recent(None, ids)
            self._options = msgspec.structs.replace(self._options, recent=recent)


def worded(found: wire.Resolution | wire.Error) -> str:
    """Put a resolution into lines for a person."""
    if isinstance(found, wire.Error):
        return f"{found.code} at {found.path}: {found.message}"
    if not found.ok:
        options = [
            f"  {option.number}. {option.text} ({option.target.id})" for option in found.options
        ]
        return "\n".join([f"{found.code}: {found.message}", *options])
    lines = [f"{found.verb} ({found.rule_id})"]
    for binding in found.bindings:
        if binding.direct_target is not None:
            lines.append(f"  direct: {binding.direct_target.name} ({binding.direct_target.id})")
        if binding.indirect_target is not None:
            how = found.relation_token_canonical
            target = binding.indirect_target
            lines.append(f"  {how}: {target.name} ({target.id})")
    return "\n".join(lines)


def data_at(path: str) -> dict[str, Any]:
    """Read a file of data; what is wrong with it is bad usage here."""
    try:
        return read_data(Path(path))
    except BadBundle as problem:
        raise BadSettings(str(problem)) from None


def converted(path: str, data: Any) -> World:
    try:
        return msgspec.convert(data, World)
    except msgspec.ValidationError as error:
        raise BadSettings(f"{path}: {error}") from None

"""All tools of this machine, put together: what can be done, looked at and read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from messages.worlds import World
from tools.addresses import address_tools
from tools.apps import Apps, app_tools
from tools.audio import audio_tools
from tools.files import Folders, file_tools
from tools.files.roots import Roots
from tools.settings import user_folders
from tools.system import system_tools
from tools.tool import AnyTool


class Scene(Protocol):
    """A world that can be looked at."""

    async def look(self, within: str) -> World: ...


class WorldReader(Protocol):
    """Looks at what changes by itself."""

    @property
    def live(self) -> frozenset[str]: ...

    async def running_apps(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Machine:
    """What the Executor works with, and the folders that words may name."""

    tools: tuple[AnyTool, ...]
    scenes: Mapping[str, Scene]
    reader: WorldReader
    anchors: Mapping[str, str]
    default_folder: str


def open_machine(folders: Mapping[str, Path], apps: Mapping[str, list[str]]) -> Machine:
    """Set up the tools. A bare file name means the first of the folders."""
    first = next(iter(folders.values()))
    roots = Roots(folders)
    known = Apps(listed=apps)
    return Machine(
        tools=(
            *file_tools(roots),
            *app_tools(known),
            *audio_tools(),
            *system_tools(first),
            *address_tools(),
        ),
        scenes={"file_operation": Folders(roots)},
        reader=known,
        anchors=anchors_of(roots),
        default_folder=str(next(iter(roots.folders.values()))),
    )


def anchors_of(roots: Roots) -> dict[str, str]:
    """Name the places that words may mean: the roots, and user folders that lie in one of them."""
    anchors = {
        name: str(folder)
        for name, folder in user_folders().items()
        if any(folder.is_relative_to(root) for root in roots.folders.values())
    }
    return anchors | {name.casefold(): str(folder) for name, folder in roots.folders.items()}

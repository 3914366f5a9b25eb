"""All tools of this machine, put together: what can be done, looked at and read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from messages.executing import Refused
from messages.message import Value
from messages.pages import Page
from messages.worlds import World
from tools.addresses import address_tools
from tools.apps import Apps, AppScene, app_tools
from tools.audio import audio_tools
from tools.browser import INTENT as WEB
from tools.browser import WebBrowser, always_may, load_nothing
from tools.clipboard import clipboard_tools
from tools.conditions import condition_tools
from tools.display import Backlight, display_tools
from tools.files import file_tools
from tools.files.backups import Backups
from tools.files.roots import Roots
from tools.files.scene import Files
from tools.lists import list_tools
from tools.login import login_tools
from tools.media import media_tools
from tools.notifications import notification_tools
from tools.pictures import Pictures
from tools.policy import PROTECTED, Check, policies
from tools.radio import radio_tools
from tools.settings import BrowserSettings, user_folders
from tools.system import system_tools
from tools.text_world import TextWorld
from tools.text_world.bundle import Bundle, WorldVerb, standard_verbs
from tools.tool import NOTHING, AnyTool
from tools.window_control import window_tools


class Scene(Protocol):
    """A world that can be looked at."""

    async def look(
        self,
        within: str,
        *,
        again: bool = False,
        words: str = "",
        args: Mapping[str, Value] = NOTHING,
    ) -> World | Page | Refused: ...


class Lanes(Protocol):
    """Places to work in that are few."""

    async def enter(self, lane: str) -> None: ...
    async def leave(self, lane: str) -> None: ...
    async def close(self) -> None: ...


class WorldReader(Protocol):
    """Looks at what changes by itself."""

    @property
    def live(self) -> frozenset[str]: ...

    async def running_apps(self) -> frozenset[str]: ...

    async def active_window(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Played:
    """The text world as a scene: it is seen whole, wherever one looks."""

    world: TextWorld

    async def look(
        self,
        within: str,  # noqa: ARG002
        *,
        again: bool = False,  # noqa: ARG002
        words: str = "",  # noqa: ARG002
        args: Mapping[str, Value] = NOTHING,  # noqa: ARG002
    ) -> World:
        return await self.world.snapshot()


@dataclass(frozen=True, slots=True)
class Machine:
    """What the Executor works with, and the folders that words may name."""

    tools: tuple[AnyTool, ...]
    scenes: Mapping[str, Scene]
    reader: WorldReader
    anchors: Mapping[str, str]
    default_folder: str
    policy: Mapping[str, Sequence[Check]] = field(default_factory=dict)
    lanes: Mapping[str, Lanes] = field(default_factory=dict)
    world_verbs: Mapping[str, WorldVerb] = field(default_factory=standard_verbs)
    playing: bool = False


def open_machine(
    folders: Mapping[str, Path],
    apps: Mapping[str, list[str]],
    *,
    protected: Sequence[str] = PROTECTED,
    bundle: Bundle | None = None,
    browser: BrowserSettings | None = None,
    backups: Backups | None = None,
    speaks_of_colour: Callable[[str], bool] = always_may,
    preload_pages: Callable[[], object] = load_nothing,
    lists: Path | None = None,
    pictures: Pictures | None = None,
    own: Sequence[Path] = (),
) -> Machine:
    """Set up the tools. A bare file name means the first of the folders."""
    first = next(iter(folders.values()))
    roots = Roots(folders, protected, own)
    known = Apps(listed=apps, writable=tuple(roots.folders.values()))
    played = None if bundle is None else TextWorld.of(bundle)
    default = str(next(iter(roots.folders.values())))
    anchors = anchors_of(roots)
    downloads = str(roots.folders.get("downloads", default))
    web = WebBrowser(
        browser or BrowserSettings(), roots, downloads, speaks_of_colour, preload_pages, pictures
    )
    scenes: dict[str, Scene] = {
        "file_operation": Files(roots, anchors, default),
        "app_control": AppScene(known),
        WEB: web,
    }
    if played is not None:
        scenes["world"] = Played(played)
    return Machine(
        tools=(
            *file_tools(roots, backups or Backups(), known.start_with_file),
            *app_tools(known),
            *audio_tools(),
            *system_tools(first),
            *condition_tools(first),
            *(() if lists is None else list_tools(lists)),
            *notification_tools(),
            *media_tools(),
            *clipboard_tools(),
            *window_tools(),
            *display_tools(roots, str(roots.folders.get("pictures", default)), Backlight()),
            *radio_tools(),
            *login_tools(),
            *web.tools(),
            *address_tools(anywhere=web.policy.is_open),
            *(() if played is None else played.tools()),
        ),
        scenes=scenes,
        lanes={WEB: web},
        reader=known,
        anchors=anchors,
        default_folder=default,
        policy=policies(
            [str(folder) for folder in roots.folders.values()],
            protected,
            [path.rstrip("/") for path in roots.own],
        ),
        world_verbs=standard_verbs() if played is None else played.verbs,
        playing=played is not None,
    )


def anchors_of(roots: Roots) -> dict[str, str]:
    """Name the places that words may mean: the roots, and user folders that lie in one of them."""
    anchors = {
        name: str(folder)
        for name, folder in user_folders().items()
        if any(folder.is_relative_to(root) for root in roots.folders.values())
    }
    return anchors | {name.casefold(): str(folder) for name, folder in roots.folders.items()}

"""Settings: a TOML file, the environment and the command line, read once into one value."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
import platformdirs

from messages.rules import SearchEngine


class BadSettings(ValueError):
    """The settings cannot be used; the message says where and why."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much the daemon takes on."""

    deadline: float = 600.0
    in_flight: int = 5_000
    stop_grace: float = 10.0


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything a user can set. Folders may begin with ``~``.

    ``protected`` are names that no file action touches, in place of those that are so by default;
    ``world`` is the bundle of a text world to play in.
    """

    socket: str | None = None
    state: str | None = None
    roots: dict[str, str] = {}
    drives: dict[str, str] = {}
    apps: dict[str, list[str]] = {}
    protected: list[str] | None = None
    world: str | None = None
    engines: dict[str, SearchEngine] = {}
    limits: Limits = Limits()


def load(path: str | None) -> Settings:
    """Read the settings file; without one, the defaults."""
    if path is None:
        return Settings()
    try:
        return msgspec.toml.decode(Path(path).read_bytes(), type=Settings)
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"{path}: {error}") from None


def config_path(given: str | None, environment: Mapping[str, str]) -> str | None:
    """Find the settings file: as given, from the environment, or in its usual place."""
    if named := given or environment.get("BEHEST_CONFIG"):
        return named
    usual = Path(platformdirs.user_config_dir("behest")) / "behest.toml"
    return str(usual) if usual.is_file() else None


def state_path(given: str | None, settings: Settings, environment: Mapping[str, str]) -> Path:
    """Find the folder for what the daemon keeps."""
    named = given or environment.get("BEHEST_STATE") or settings.state
    return expand(named) if named else Path(platformdirs.user_state_dir("behest"))


def socket_path(
    given: str | None, settings: Settings, environment: Mapping[str, str], state: Path
) -> Path:
    """Find the socket: as given, else in the runtime folder, else in the state folder."""
    if named := given or environment.get("BEHEST_SOCKET") or settings.socket:
        return expand(named)
    runtime = environment.get("XDG_RUNTIME_DIR")
    return (Path(runtime) if runtime and Path(runtime).is_dir() else state) / "behest.sock"


def named_folders(pairs: list[str]) -> dict[str, str]:
    """Read ``NAME=DIR`` pairs of the command line."""
    folders: dict[str, str] = {}
    for pair in pairs:
        name, equals, folder = pair.partition("=")
        if not (name and equals and folder):
            raise BadSettings(f"--root {pair!r}: write it as NAME=DIR")
        folders[name] = folder
    return folders


def roots_of(settings: Settings, given: dict[str, str]) -> dict[str, Path]:
    """Give the folders that files may be in, by name: as given, as set, or the user's own."""
    named = given or settings.roots
    if named:
        roots = {name: expand(folder) for name, folder in named.items()}
    else:
        roots = {name: folder for name, folder in user_folders().items() if folder.is_dir()}
        if "documents" not in roots:
            roots = {"documents": user_folders()["documents"], **roots}
    roots |= {f"drive:{letter}": expand(at) for letter, at in settings.drives.items()}
    for name, folder in roots.items():
        if folder.exists() and not folder.is_dir():
            raise BadSettings(f"root {name}: {folder} is not a folder")
    return roots


def user_folders() -> dict[str, Path]:
    """Give the folders that every desktop knows."""
    return {
        "documents": Path(platformdirs.user_documents_dir()),
        "desktop": Path(platformdirs.user_desktop_dir()),
        "downloads": Path(platformdirs.user_downloads_dir()),
        "pictures": Path(platformdirs.user_pictures_dir()),
        "music": Path(platformdirs.user_music_dir()),
        "videos": Path(platformdirs.user_videos_dir()),
    }


def expand(folder: str) -> Path:
    """Make a path absolute, with ``~`` expanded."""
    try:
        return Path(os.path.abspath(Path(folder).expanduser()))
    except RuntimeError:
        raise BadSettings(f"{folder}: there is no such user") from None

"""Settings: a TOML file, the environment and the command line, read once into one value."""

import math
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec
import platformdirs

from messages.rules import SearchEngine
from tools.setting_problems import near, problems_of

PREFIX = "BEHEST_"
VARIABLES = tuple(
    f"{PREFIX}{name}" for name in ("CONFIG", "STATE", "SOCKET", "TCP", "TOKEN_FILE", "TLS_CA")
)
# What the daemon keeps in its state folder, should a root be that very folder.
KEPT_IN_STATE = (
    "journal.db", "journal.db-wal", "journal.db-shm", "secrets.toml", "token", "recipes", "lists",
    "decisions", "former", "sentences", "bus.db", "bus.db-wal", "bus.db-shm", "executor.db",
    "executor.db-wal", "executor.db-shm", "behest.lock",
)  # fmt: skip
MISSPELT = 0.75  # how much of a variable must be right to be one of ours
LONGEST_TIMEOUT = 300.0
MOST_TOKENS = 1_000_000
LONGEST_KEY = 4_096
LONGEST_WAIT = 86_400.0
SMALLEST_JOURNAL = 1
SMALLEST_VIEW, LARGEST_VIEW = 200, 10_000
# A host as it is set: everything, a name and perhaps all below it, or an address.
HOST = re.compile(
    r"\*|(\*\.)?[^\s/:@*?#\[\]\\.]+(\.[^\s/:@*?#\[\]\\.]+)*\.?|\[?[\da-f]*:[\da-f:.]*\]?"
)


class BadSettings(ValueError):
    """The settings cannot be used; the message says where and why."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much the daemon takes on."""

    deadline: float = 600.0
    in_flight: int = 5_000
    stop_grace: float = 10.0

    def __post_init__(self) -> None:
        if not 0 < self.deadline < math.inf:
            raise ValueError("deadline must be a number of seconds above 0")
        if self.in_flight < 1:
            raise ValueError("in_flight must be at least 1")
        if not 0 <= self.stop_grace < math.inf:
            raise ValueError("stop_grace must be a number of seconds, 0 or more")


class ModelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which language model may be asked, and how.

    Its key comes from the environment variable ``key_env`` or from ``key_file``, never from here.
    Prices are for a million tokens, in whatever currency; ``temperature`` can be left to the model.
    ``max_tokens`` is how long an answer may be, with what a model writes while it thinks.
    """

    name: str
    base_url: str = "https://api.openai.com/v1"
    key_env: str = "OPENAI_API_KEY"
    key_file: str | None = None
    timeout: float = 30.0
    temperature: float | Literal["default"] = 0.0
    max_tokens: int = 4_000
    price_in: float | None = None
    price_out: float | None = None

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ValueError("base_url must be an http or https address")
        if address.username is not None or address.password is not None:
            raise ValueError("base_url must not hold a password; use key_env or key_file")
        if not self.name.strip():
            raise ValueError("name must not be empty")
        if not 0 < self.timeout <= LONGEST_TIMEOUT:
            raise ValueError(f"timeout must be above 0 and at most {LONGEST_TIMEOUT:g}")
        if not 1 <= self.max_tokens <= MOST_TOKENS:
            raise ValueError(f"max_tokens must be 1 to {MOST_TOKENS}")
        if not all(0 <= price < math.inf for price in (self.price_in or 0, self.price_out or 0)):
            raise ValueError("a price must not be below 0")


class BrowserSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which browser is used, and where it may go.

    By itself it is visible where there is a screen; when it is ``off``, addresses are handed to the
    desktop's own browser and nothing else is done on pages.
    ``cdp_url`` attaches to one that runs already. ``profile`` is a folder in which a browser of our
    own keeps its cookies. ``allow`` and ``deny`` are hosts; ``*.example.org`` means all below it,
    and what is denied is denied whatever is allowed. ``lanes`` is how many pages work at a time.
    """

    mode: Literal["auto", "headless", "visible", "off"] = "auto"
    executable: str | None = None
    cdp_url: str | None = None
    profile: str | None = None
    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    uploads: bool = False
    lanes: int | None = None
    width: int = 1280
    height: int = 800

    def __post_init__(self) -> None:
        if self.cdp_url and self.profile:
            raise ValueError(
                "cdp_url and profile exclude each other: a running browser has its own"
            )
        if self.lanes is not None and self.lanes < 1:
            raise ValueError("lanes must be at least 1")
        if not all(SMALLEST_VIEW <= side <= LARGEST_VIEW for side in (self.width, self.height)):
            raise ValueError(f"width and height must be {SMALLEST_VIEW} to {LARGEST_VIEW}")
        for host in (*self.allow, *self.deny):
            if not HOST.fullmatch(host.casefold()):
                raise ValueError(f"{host!r} is no host; write example.org or *.example.org")

    @property
    def keeps_pages(self) -> bool:
        """Tell whether its browser may have pages open that were not opened here."""
        return bool(self.cdp_url or self.profile)


ApprovalKind: TypeAlias = Literal[
    "delete", "overwrite", "upload", "close", "power", "pay", "send", "submit"
]
ASKED_BY_DEFAULT: tuple[ApprovalKind, ...] = (
    "delete",
    "overwrite",
    "upload",
    "close",
    "power",
    "pay",
    "send",
)


class ApprovalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What waits for a person's yes, and for how long.

    ``by`` says whether the client that sent a command may approve of it, or only another.
    """

    ask: tuple[ApprovalKind, ...] = ASKED_BY_DEFAULT
    by: Literal["anyone", "others"] = "anyone"
    seconds: float = 300.0

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= LONGEST_WAIT:
            raise ValueError(f"seconds must be above 0 and at most {LONGEST_WAIT:g}")


MOST_SHARDS = 256
EMBEDDED = "embedded"  # in the place of servers: a bus within the process
BUS_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class JournalSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How long the journal keeps what has ended, and how large it may become."""

    days: float = 90.0
    megabytes: float = 512.0

    def __post_init__(self) -> None:
        if not (self.days >= 0 and self.megabytes >= SMALLEST_JOURNAL):  # nan is neither
            raise ValueError(f"days must not be below 0, megabytes not below {SMALLEST_JOURNAL}")


class ReplaySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much is kept of decisions, so that `behest replay` can make them again; 0: nothing."""

    megabytes: float = 64.0

    def __post_init__(self) -> None:
        if not 0 <= self.megabytes < math.inf:
            raise ValueError("megabytes must not be below 0")


class ObserverSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The observer page: on which port of 127.0.0.1 (0: any that is free), and what it may do.

    The page is served where this table stands in the settings. ``act`` lets it answer, approve and
    cancel.
    """

    port: int = 0
    act: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.port < 1 << 16:
            raise ValueError("port must be 0 to 65535")


class DoorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who may come in over TCP, and how much a client may have.

    Whoever has the token in ``token_file`` may come in; by itself the file is ``token`` in the
    state folder. With ``tls_cert`` (and ``tls_key``, unless the key is in the same file) TLS is
    spoken; ``plain`` allows an address that others can reach without it.
    """

    token_file: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    plain: bool = False
    connections: int = 1_000
    client_in_flight: int = 1_000

    def __post_init__(self) -> None:
        if self.tls_key is not None and self.tls_cert is None:
            raise ValueError("tls_key needs a tls_cert")
        if min(self.connections, self.client_in_flight) < 1:
            raise ValueError("connections and client_in_flight must be at least 1")


class BusSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The NATS servers of a cluster, and what this process is in it.

    ``shards`` and ``replicas`` must be the same in all processes of a cluster, and stay so. The
    password is the first line of ``password_file``; the paths of ``tls_*`` are PEM files.
    """

    servers: list[str] = []
    role: Literal["all", "gateway", "brain", "executor"] = "all"
    name: str | None = None
    labels: list[str] = []
    shards: int = 8
    replicas: int = 1
    user: str | None = None
    password_file: str | None = None
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.shards <= MOST_SHARDS:
            raise ValueError(f"shards must be between 1 and {MOST_SHARDS}")
        if self.replicas not in {1, 3, 5}:
            raise ValueError("replicas must be 1, 3 or 5")
        if EMBEDDED in self.servers and (len(self.servers) > 1 or self.role != "all"):
            raise ValueError(f"{EMBEDDED!r} is a bus within one process, whose role is all")
        if self.name is not None and not BUS_NAME.fullmatch(self.name):
            raise ValueError("name must be of letters, digits, - and _")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything a user can set. Folders may begin with ``~``.

    ``protected`` are names that no file action touches, in place of those that are so by default;
    ``secrets`` is the file of what ``secret:NAME`` stands for; ``recipes`` is the folder of recipes
    that were taught; ``phrases`` are a user's own, each with the command that it means; ``world``
    is the bundle of a text world to play in; ``interpreter`` says who understands words; ``tcp`` is
    an address to listen at besides the socket.
    """

    socket: str | None = None
    state: str | None = None
    roots: dict[str, str] = {}
    drives: dict[str, str] = {}
    apps: dict[str, list[str]] = {}
    protected: list[str] | None = None
    secrets: str | None = None
    recipes: str | None = None
    phrases: dict[str, str] = {}
    world: str | None = None
    engines: dict[str, SearchEngine] = {}
    limits: Limits = Limits()
    interpreter: Literal["grammar", "model", "auto"] = "grammar"
    model: ModelSettings | None = None
    browser: BrowserSettings = BrowserSettings()
    approval: ApprovalSettings = ApprovalSettings()
    journal: JournalSettings = JournalSettings()
    tcp: str | None = None
    door: DoorSettings = DoorSettings()
    bus: BusSettings = BusSettings()
    replay: ReplaySettings = ReplaySettings()
    observer: ObserverSettings | None = None

    def __post_init__(self) -> None:
        if self.interpreter != "grammar" and self.model is None:
            raise ValueError(f"interpreter = {self.interpreter!r} needs a [model] with a name")
        for name, folder in (*self.roots.items(), *self.drives.items()):
            if not name.strip() or not folder.strip():
                raise ValueError(f"roots and drives are NAME = 'FOLDER', not {name!r} = {folder!r}")
        for name, command in self.apps.items():
            if not name.strip() or not command or not command[0].strip():
                raise ValueError(f"the application {name!r} needs a name and a program")
        if any("\0" in text for text in self.texts()):
            raise ValueError("no folder, name or argument may hold a null character")

    def texts(self) -> Iterator[str]:
        """Give all that the system is going to be handed."""
        yield from (self.socket or "", self.state or "", self.world or "")
        yield from (*self.roots.values(), *self.drives.values())
        for command in self.apps.values():
            yield from command


def load(path: str | None) -> Settings:
    """Read the settings file; without one, the defaults."""
    if path is None:
        return Settings()
    try:
        return read_settings(msgspec.toml.decode(Path(path).read_bytes()))
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadSettings(f"{path}: {error}") from None


def read_settings(given: object) -> Settings:
    """Read settings; ``ValueError`` says what is wrong, what is allowed and what is near."""
    for problem in problems_of(given, Settings):
        raise ValueError(problem)
    try:
        return msgspec.convert(given, Settings)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$.")
        raise ValueError(f"[{place.removesuffix('`')}]: {reason}" if place else reason) from None


def check_environment(environment: Mapping[str, str]) -> None:
    """Refuse a variable that is nearly one of ours: it would be passed over without a word.

    Others that begin as ours do may be anybody's: container systems make such of services' names.
    """
    for name in environment:
        if not name.startswith(PREFIX) or name in VARIABLES:
            continue
        ours = {variable.removeprefix(PREFIX): variable for variable in VARIABLES}
        if (meant := near(name.removeprefix(PREFIX), ours, MISSPELT)) is not None:
            allowed = ", ".join(VARIABLES)
            raise BadSettings(
                f"unknown environment variable {name}; did you mean {ours[meant]}? "
                f"allowed: {allowed}"
            )


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


def own_files(
    settings: Settings, state: Path, socket: Path, config: str | None
) -> tuple[Path, ...]:
    """Name the files that are the daemon's own: no command may read or change them."""
    model = None if settings.model is None else settings.model.key_file
    door, bus = settings.door, settings.bus
    keys = (settings.secrets, settings.recipes, model, door.token_file, door.tls_key)
    more = (*keys, bus.password_file, bus.tls_key, config)
    named = [expand(each) for each in more if each is not None]
    return (state, *(state / name for name in KEPT_IN_STATE), socket, *named)


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
        if os.path.exists(folder) and not os.path.isdir(folder):  # a name may be too long to ask
            raise BadSettings(f"root {name}: {folder} is not a folder")
    return roots


def missing_root(name: str, folder: Path) -> str:
    """Say that a root is not there, and what can be done about it."""
    way = "mount it" if name.startswith("drive:") else "choose another with --root or in [roots]"
    return f"root {name}: {folder} is not there; create it (mkdir -p {folder}), or {way}"


class Secret:
    """A text that shows itself nowhere but where it is asked for."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(...)"

    def reveal(self) -> str:
        return self._text


def model_key(settings: Settings, environment: Mapping[str, str]) -> Secret | None:
    """Find the model's key: in its file, else in the environment; None if there is none."""
    model = settings.model
    if model is None or settings.interpreter == "grammar":
        return None
    if model.key_file is not None:
        return key_in(expand(model.key_file))
    key = environment.get(model.key_env, "").strip()
    return checked_key(key, model.key_env) if key else None


def key_in(path: Path) -> Secret:
    """Read a key from a file that nobody else may read."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise BadSettings(f"{path}: others may read this key; chmod 600 it")
            key = file.read(LONGEST_KEY).decode()
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadSettings(f"{path}: this is no key") from None
    return checked_key(key.strip(), str(path))


def checked_key(key: str, where: str) -> Secret:
    """Refuse what cannot be a key, without showing it."""
    if not (key and key.isascii() and key.isprintable() and " " not in key):
        raise BadSettings(f"{where}: this is no key")
    return Secret(key)


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

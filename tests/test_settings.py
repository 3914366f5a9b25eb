"""Settings: read once, from a file, the environment and the command line, and checked."""

import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from messages.wire import VERSION
from tests.daemon import PATIENCE, PROJECT, running_daemon
from tools.settings import (
    BadSettings,
    Limits,
    ModelSettings,
    Settings,
    config_path,
    load,
    model_key,
    named_folders,
    roots_of,
    socket_path,
    state_path,
)

WHOLE = """
socket = "~/b.sock"
state = "/var/lib/behest"
interpreter = "auto"

[roots]
work = "~/work"

[drives]
D = "/mnt/d"

[apps]
editor = ["nano", "-w"]

[engines.intranet]
search = "https://intranet.local/?q={query}"
hosts = ["intranet.local"]

[limits]
in_flight = 10

[model]
name = "small"
base_url = "http://127.0.0.1:8080/v1"
key_file = "~/key"
timeout = 5
price_in = 0.5
"""


def settings_in(folder: Path, text: str) -> str:
    path = folder / "behest.toml"
    path.write_text(text)
    return str(path)


# The file


def test_without_a_file_the_defaults_hold() -> None:
    assert load(None) == Settings()


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    settings = load(settings_in(tmp_path, WHOLE))
    assert settings.socket == "~/b.sock"
    assert settings.state == "/var/lib/behest"
    assert settings.roots == {"work": "~/work"}
    assert settings.drives == {"D": "/mnt/d"}
    assert settings.apps == {"editor": ["nano", "-w"]}
    assert settings.engines["intranet"].hosts == ("intranet.local",)
    assert settings.limits == Limits(in_flight=10)
    assert settings.interpreter == "auto"
    address = "http://127.0.0.1:8080/v1"
    assert settings.model == ModelSettings(
        name="small", base_url=address, key_file="~/key", timeout=5, price_in=0.5
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("sokcet = 'x'", "sokcet"),
        ("[roots]\nwork = 1", "$.roots"),
        ("[apps]\neditor = 'nano'", "$.apps"),
        ("[limits]\nin_flight = 'many'", "$.limits.in_flight"),
        ("[limits]\nnonsense = 1", "nonsense"),
        ("[engines.x]\nsearch = 'https://x.org/?q='", "{query}"),
        ("[engines.x]\nsearch = 'file:///{query}'", "http"),
        ("socket = 'a' 'b'", "line 1"),
        ("interpreter = 'oracle'", "$.interpreter"),
        ("interpreter = 'auto'", "[model]"),
        ("[model]\nbase_url = 'http://x'", "name"),
        ("[model]\nname = ' '", "name"),
        ("[model]\nname = 'm'\nkey = 'sk-1'", "key"),
        ("[model]\nname = 'm'\nbase_url = 'x.org'", "http"),
        ("[model]\nname = 'm'\nbase_url = 'file:///x'", "http"),
        ("[model]\nname = 'm'\nbase_url = 'http://me:pw@x.org'", "key_env"),
        ("[model]\nname = 'm'\ntimeout = 0", "timeout"),
        ("[model]\nname = 'm'\nprice_in = -1", "price"),
    ],
)
def test_bad_settings_are_refused_with_the_file_and_the_place(
    tmp_path: Path, text: str, place: str
) -> None:
    path = settings_in(tmp_path, text)
    with pytest.raises(BadSettings) as refusal:
        load(path)
    assert path in str(refusal.value)
    assert place in str(refusal.value)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "behest.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadSettings):
        load(str(tmp_path / "behest.toml"))


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadSettings):
        load(str(tmp_path / name))


# What comes before what


def test_the_settings_file_is_as_given_else_as_the_environment_says() -> None:
    assert config_path("a.toml", {"BEHEST_CONFIG": "b.toml"}) == "a.toml"
    assert config_path(None, {"BEHEST_CONFIG": "b.toml"}) == "b.toml"


def test_the_state_is_as_given_else_in_the_environment_else_in_the_settings() -> None:
    settings = Settings(state="/c")
    assert state_path("/a", settings, {"BEHEST_STATE": "/b"}) == Path("/a")
    assert state_path(None, settings, {"BEHEST_STATE": "/b"}) == Path("/b")
    assert state_path(None, settings, {}) == Path("/c")


def test_the_socket_is_as_given_else_in_the_environment_else_in_the_settings() -> None:
    settings, state = Settings(socket="/c"), Path("/state")
    assert socket_path("/a", settings, {"BEHEST_SOCKET": "/b"}, state) == Path("/a")
    assert socket_path(None, settings, {"BEHEST_SOCKET": "/b"}, state) == Path("/b")
    assert socket_path(None, settings, {}, state) == Path("/c")


def test_the_socket_is_else_in_the_runtime_folder_and_else_in_the_state(tmp_path: Path) -> None:
    there, gone = {"XDG_RUNTIME_DIR": str(tmp_path)}, {"XDG_RUNTIME_DIR": str(tmp_path / "gone")}
    assert socket_path(None, Settings(), there, Path("/state")) == tmp_path / "behest.sock"
    assert socket_path(None, Settings(), gone, Path("/state")) == Path("/state/behest.sock")
    assert socket_path(None, Settings(), {}, Path("/state")) == Path("/state/behest.sock")


# Folders


def test_roots_are_named_on_the_command_line() -> None:
    assert named_folders(["work=/w", "odd=/a=b"]) == {"work": "/w", "odd": "/a=b"}


@pytest.mark.parametrize("pair", ["/w", "=/w", "work=", ""])
def test_a_root_without_a_name_or_a_folder_is_refused(pair: str) -> None:
    with pytest.raises(BadSettings):
        named_folders([pair])


def test_roots_of_the_command_line_come_before_those_of_the_settings() -> None:
    settings = Settings(roots={"set": "/set"})
    assert roots_of(settings, {"given": "/given"}) == {"given": Path("/given")}
    assert roots_of(settings, {}) == {"set": Path("/set")}


def test_a_drive_letter_is_a_root_besides() -> None:
    settings = Settings(roots={"work": "/w"}, drives={"D": "/mnt/d"})
    assert roots_of(settings, {}) == {"work": Path("/w"), "drive:D": Path("/mnt/d")}


def test_folders_may_begin_with_home() -> None:
    assert roots_of(Settings(roots={"work": "~/w"}), {}) == {"work": Path.home() / "w"}


def test_the_home_of_nobody_is_refused() -> None:
    with pytest.raises(BadSettings):
        roots_of(Settings(roots={"work": "~no-such-user-here/w"}), {})


# The model's key


def with_model(**fields: str) -> Settings:
    return Settings(interpreter="auto", model=ModelSettings(name="m", **fields))  # type: ignore[arg-type]  # texts only


def key_file(folder: Path, mode: int, key: str = "sk-file\n") -> str:
    path = folder / "key"
    path.write_text(key)
    path.chmod(mode)
    return str(path)


def test_the_key_is_in_the_environment_under_the_name_that_is_set() -> None:
    settings, environment = with_model(key_env="MINE"), {"MINE": "sk-1", "OPENAI_API_KEY": "sk-2"}
    found, usual = model_key(settings, environment), model_key(with_model(), environment)
    assert found is not None
    assert usual is not None
    assert (found.reveal(), usual.reveal()) == ("sk-1", "sk-2")


def test_a_key_shows_itself_nowhere() -> None:
    assert "sk-1" not in repr(model_key(with_model(), {"OPENAI_API_KEY": "sk-1"}))


def test_there_need_not_be_a_key() -> None:
    assert model_key(with_model(), {}) is None
    assert model_key(Settings(), {"OPENAI_API_KEY": "sk-1"}) is None


def test_a_key_in_a_file_comes_before_the_environment(tmp_path: Path) -> None:
    settings = with_model(key_file=key_file(tmp_path, 0o600))
    found = model_key(settings, {"OPENAI_API_KEY": "sk-2"})
    assert found is not None
    assert found.reveal() == "sk-file"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(BadSettings, match="chmod 600"):
        model_key(with_model(key_file=key_file(tmp_path, mode)), {})


@pytest.mark.parametrize("key", ["", "two words", "sk-\u00e9", "a\nb"])
def test_what_cannot_be_a_key_is_refused_and_not_shown(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadSettings) as refusal:
        model_key(with_model(key_file=key_file(tmp_path, 0o600, key)), {})
    assert str(refusal.value).endswith("this is no key")


# Through the daemon


def serve(folder: Path, settings: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Start a daemon that is expected to refuse to run."""
    command = [sys.executable, str(PROJECT / "run.py"), "serve"]
    command += ["--config", settings_in(folder, settings), "--state", str(folder / "state")]
    return subprocess.run(
        [*command, "--socket", str(folder / "b.sock"), *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ("nonsense = 1", ()),
        ("interpreter = 'auto'", ()),
        ("interpreter = 'auto'\n[model]\nname = 'm'\nkey_file = '/no/such/key'", ()),
        ("", ("--root", "nonsense")),
        ("[roots]\nwork = '~no-such-user-here/w'", ()),
        ("[roots]\nwork = '/dev/null'", ()),
    ],
)
def test_a_daemon_with_bad_settings_says_so_in_one_line(
    tmp_path: Path, settings: str, arguments: tuple[str, ...]
) -> None:
    ended = serve(tmp_path, settings, *arguments)
    assert ended.returncode == 2
    assert ended.stderr.startswith("behest: ")
    assert len(ended.stderr.splitlines()) == 1


def test_a_drive_letter_in_words_is_the_folder_in_the_settings(tmp_path: Path) -> None:
    (tmp_path / "mounted").mkdir()
    drives = f"[drives]\nD = {str(tmp_path / 'mounted')!r}\n"
    with running_daemon(tmp_path, settings=drives) as daemon:
        finished = daemon.connect().run("c", text="create a folder backup on drive D")[-1]
    assert finished["status"] == "success"
    assert (tmp_path / "mounted" / "backup").is_dir()


def test_the_socket_in_the_environment_is_where_client_and_daemon_meet(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        assert daemon.cli("status").returncode == 0
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(daemon.socket))


def test_the_version_is_the_packages() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION

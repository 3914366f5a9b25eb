"""Settings: read once, from a file, the environment and the command line, and checked."""

import json
import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from messages.rules import SearchEngine
from messages.wire import VERSION
from tests.daemon import PATIENCE, PROJECT, running_daemon
from tools.settings import (
    VARIABLES,
    ApprovalSettings,
    BadSettings,
    BrowserSettings,
    BusSettings,
    DoorSettings,
    JournalSettings,
    Limits,
    ModelSettings,
    ObserverSettings,
    ReplaySettings,
    Settings,
    check_environment,
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


def swapped(key: str) -> str:
    """Swap the last two letters that are not the same."""
    at = next(at for at in range(len(key) - 1, 0, -1) if key[at] != key[at - 1])
    return key[: at - 1] + key[at] + key[at - 1] + key[at + 1 :]


def doubled(key: str) -> str:
    return key[0] + key


def shortened(key: str) -> str:
    return key[:-1]


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
        ("[roots]\nwork = 1", "`roots.work`"),
        ("[apps]\neditor = 'nano'", "`apps.editor`"),
        ("[limits]\nin_flight = 'many'", "`limits.in_flight`"),
        ("[limits]\nnonsense = 1", "nonsense"),
        ("[engines.x]\nsearch = 'https://x.org/?q='", "{query}"),
        ("[engines.x]\nsearch = 'file:///{query}'", "http"),
        ("socket = 'a' 'b'", "line 1"),
        ("interpreter = 'oracle'", "`interpreter`"),
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


# What is wrong is said so that it can be put right

TABLES = {
    "": Settings,
    "limits": Limits,
    "model": ModelSettings,
    "browser": BrowserSettings,
    "approval": ApprovalSettings,
    "journal": JournalSettings,
    "door": DoorSettings,
    "bus": BusSettings,
    "replay": ReplaySettings,
    "observer": ObserverSettings,
    "engines.intranet": SearchEngine,
}
KEYS = [(table, key) for table, shape in TABLES.items() for key in shape.__struct_fields__]


def refusal_of(folder: Path, text: str) -> str:
    with pytest.raises(BadSettings) as refusal:
        load(settings_in(folder, text))
    assert len(str(refusal.value).splitlines()) == 1
    return str(refusal.value)


def with_table(table: str, line: str) -> str:
    """Write a line into a table that has what it must have."""
    needed = {"model": "name = 'm'", "engines.intranet": "search = 'https://x.org/?q={query}'"}
    key, before = line.partition(" ")[0], needed.get(table, "")
    before = "" if key in before else before
    return f"[{table}]\n{before}\n{line}" if table else line


def test_the_tables_of_these_tests_are_all_there_are() -> None:
    nested = {key for key in Settings.__struct_fields__ if key in TABLES}
    assert nested == {table for table in TABLES if table and "." not in table}
    structs = [
        field.name
        for field in msgspec.structs.fields(Settings)
        if "Settings" in str(field.type) or "Limits" in str(field.type)
    ]
    assert set(structs) == nested


@pytest.mark.parametrize(("table", "key"), KEYS)
@pytest.mark.parametrize("misspell", [swapped, doubled, shortened])
def test_a_misspelt_key_is_named_with_the_key_that_is_meant_and_all_that_are_allowed(
    tmp_path: Path, table: str, key: str, misspell: Callable[[str], str]
) -> None:
    keys = TABLES[table].__struct_fields__
    wrong = misspell(key)
    said = refusal_of(tmp_path, with_table(table, f"{wrong} = 1"))
    where = f"in [{table}]" if table else "outside of all tables"
    assert f"unknown key `{wrong}` {where}; " in said
    assert f"; did you mean `{key}`? allowed: " in said
    assert said.endswith(f"allowed: {', '.join(keys)}")


@pytest.mark.parametrize(("table", "key"), KEYS)
def test_a_value_of_the_wrong_kind_is_told_what_is_expected(
    tmp_path: Path, table: str, key: str
) -> None:
    place = f"{table}.{key}" if table else key
    said = refusal_of(tmp_path, with_table(table, f"{key} = 1979-05-27"))
    assert f"`{place}` must be " in said
    assert said.endswith(", not a date")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "interpreter = 'grammer'",
            (
                "`interpreter` must not be 'grammer'; did you mean `grammar`? "
                'allowed: "auto", "grammar", "model"'
            ),
        ),
        (
            "[browser]\nmode = 'Headles'",
            (
                "`browser.mode` must not be 'Headles'; did you mean `headless`? "
                'allowed: "auto", "headless", "off", "visible"'
            ),
        ),
        (
            "[approval]\nask = ['delete', 'overwrit']",
            (
                "`approval.ask` must not be 'overwrit'; did you mean `overwrite`? "
                'allowed: "close", "delete", "overwrite", "pay", "power", "send", '
                '"submit", "upload"'
            ),
        ),
        ("[approval]\nask = 'delete'", "`approval.ask` must be a list, each of it "),
        (
            "[approval]\nby = 'me'",
            '`approval.by` must not be \'me\'; allowed: "anyone", "others"',
        ),
        (
            "[model]\nname = 'm'\ntemperature = 'warm'",
            "`model.temperature` must not be 'warm'; allowed: a number or \"default\"",
        ),
        (
            "[limits]\nin_flight = 1.5",
            "`limits.in_flight` must be a whole number, not a number",
        ),
        ("[door]\nplain = 1", "`door.plain` must be true or false, not a whole number"),
        ("browser = 'off'", "`browser` must be a table, not a text"),
        ("[apps]\neditor = 'nano'", "`apps.editor` must be a list, each of it a text, not a text"),
        ("[apps]\neditor = ['nano', 1]", "`apps.editor` must be a text, not a whole number"),
        ("[roots.work]\nat = '/w'", "`roots.work` must be a text, not a table"),
        ("[model]\nbase_url = 'http://x'", "`name` is missing in [model]: it must be a text"),
        ("[limits]\ndeadline = -1", "[limits]: deadline must be a number of seconds above 0"),
        ("[browser]\nwidth = 1", "[browser]: width and height must be 200 to 10000"),
        ("mode = 'off'", "it belongs in [browser]; did you mean `model`? allowed: "),
        ('"a\\nb\\u001b" = 1', "unknown key `a\\nb\\x1b` outside of all tables; "),
        ('[roots]\n"a\\nb" = 1', "`roots.a\\nb` must be a text, not a whole number"),
        ("[journal]\ndays = nan", "[journal]: days must not be below 0, megabytes not below 1"),
        ("deadline = 5", "it belongs in [limits]; allowed: "),
        ("[browser]\nprice_in = 5", "it belongs in [model]; allowed: "),
    ],
)
def test_what_is_wrong_is_said_with_what_is_allowed(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal_of(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "[model]\nname = 'm'\nkey = 'sk-1'",
        "[model]\nname = 'm'\ntimeout = 'sk-1'",
        "tokn = 'sk-1'",
        "[door]\nplain = ['sk-1']",
    ],
)
def test_a_refusal_does_not_repeat_what_may_be_a_key(tmp_path: Path, text: str) -> None:
    assert "sk-1" not in refusal_of(tmp_path, text)


@pytest.mark.parametrize("name", ["BEHEST_SOKCET", "BEHEST_CONFG", "BEHEST_TOKENFILE"])
def test_a_misspelt_variable_is_refused_with_the_one_that_is_meant(name: str) -> None:
    with pytest.raises(BadSettings, match="did you mean BEHEST_") as refusal:
        check_environment({"PATH": "/bin", name: "x"})
    assert name in str(refusal.value)
    assert str(refusal.value).endswith(f"allowed: {', '.join(VARIABLES)}")


def test_variables_of_others_and_our_own_are_let_be() -> None:
    others = ("BEHEST_SERVICE_HOST", "BEHEST_PORT_80_TCP", "BEHEST_PORT", "BEHEST_LOST", "HOME")
    check_environment(dict.fromkeys((*VARIABLES, *others), "x"))


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


def test_a_root_that_was_named_and_is_not_there_keeps_the_daemon_from_starting(
    tmp_path: Path,
) -> None:
    gone = tmp_path / "gone"
    for settings, arguments in (
        (f"[roots]\nhere = '{tmp_path}'\nwork = '{gone}'", ()),
        ("", ("--root", f"here={tmp_path}", "--root", f"work={gone}")),
        ("", ("--root", f"work={gone}")),
    ):
        ended = serve(tmp_path, settings, *arguments)
        assert ended.returncode == 2
        (said,) = ended.stderr.splitlines()
        assert said.startswith(f"behest: root work: {gone} is not there; create it")
        (record,) = [json.loads(line) for line in ended.stdout.splitlines()]
        assert (record["event"], record["root"]) == ("root.missing", "work")
        assert (record["folder"], record["level"]) == (str(gone), "warning")
        assert "mkdir" in record["advice"]
        assert not gone.exists()


def test_a_drive_that_is_not_there_is_said_and_the_rest_is_served(tmp_path: Path) -> None:
    drives = f"[drives]\nD = {str(tmp_path / 'unplugged')!r}\n"
    with running_daemon(tmp_path, settings=drives) as daemon:
        record = daemon.wait_for("root.missing", root="drive:D")
        assert record["folder"] == str(tmp_path / "unplugged")
        assert daemon.connect().run("c", text="create a folder x")[-1]["status"] == "success"
    assert not (tmp_path / "unplugged").exists()


def test_the_default_root_is_made(tmp_path: Path) -> None:
    socket_path = tmp_path / "b.sock"
    command = [sys.executable, str(PROJECT / "run.py"), "serve", "--socket", str(socket_path)]
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=surroundings) as process:
        assert process.stdout is not None
        while b"daemon.ready" not in process.stdout.readline():
            assert process.poll() is None
        process.terminate()
    assert (tmp_path / "Documents").is_dir()


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

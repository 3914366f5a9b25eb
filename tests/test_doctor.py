"""Doctor, through the command line: what it calls ok was tried, and nothing is changed by that."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daemon import PROJECT, running_daemon
from tests.display import MISSING, running_display
from tests.sound import running_sound
from tools.browser.finding import system_browser

PATIENCE = 120.0  # a browser is started, on machines that have other things to do
NO_BROWSER = "[browser]\nmode = 'off'\n"


def doctor(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run doctor in a home of its own."""
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
    }
    return subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), "doctor", *arguments],
        env={**surroundings, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def doctor_with(
    folder: Path, settings: str, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run doctor with settings; where they say nothing of a browser, there is none."""
    config = folder / "b.toml"
    config.write_text(settings if "[browser]" in settings else settings + "\n" + NO_BROWSER)
    return doctor(folder, "--config", str(config), environment=environment)


def line(output: str, words: str) -> str:
    """Give the one line that speaks of something."""
    (found,) = [line for line in output.splitlines() if words in line]
    return found


def assert_broken(ended: "subprocess.CompletedProcess[str]", what: str, advice: str) -> None:
    """See that one thing is said to be broken, and what to do about it."""
    assert line(ended.stdout, f"BROKEN   {what}").startswith("BROKEN")
    assert advice in line(ended.stdout, f"BROKEN   {what}")
    assert ended.returncode == 1


# The daemon


def test_a_daemon_that_runs_is_asked(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        ended = daemon.cli("doctor", "--config", str(tmp_path / "behest.toml"))
    assert ended.returncode == 0
    assert line(ended.stdout, "daemon at").startswith("ok")
    assert str(daemon.socket) in line(ended.stdout, "daemon at")


def test_a_daemon_that_does_not_run_is_no_fault_but_is_told_how_to_start(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, "")
    assert ended.returncode == 0
    assert line(ended.stdout, "daemon at").startswith("not here")
    assert "behest serve" in line(ended.stdout, "daemon at")


@contextmanager
def listener(path: Path, reply: bytes | None) -> Iterator[None]:
    """Listen where a daemon would; say something that no daemon says, or nothing at all."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def speak() -> None:
            while reply is not None:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    if client.recv(1_000):
                        client.sendall(reply)

        thread = threading.Thread(target=speak)
        thread.start()
        try:
            yield
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE)


@pytest.mark.parametrize(
    ("reply", "advice"),
    [(None, "no answer within"), (b"220 mail ready\n", "no daemon"), (b"", "hangs up")],
    ids=["silent", "another program", "hangs up"],
)
def test_what_listens_and_is_no_daemon_is_broken(
    tmp_path: Path, reply: bytes | None, advice: str
) -> None:
    with listener(tmp_path / "behest.sock", reply):
        assert_broken(doctor_with(tmp_path, ""), "daemon at", advice)


def test_a_file_in_the_place_of_the_socket_is_broken(tmp_path: Path) -> None:
    (tmp_path / "behest.sock").write_text("thesis")
    assert_broken(doctor_with(tmp_path, ""), "daemon at", "move it away")


@pytest.mark.parametrize("state", ["/proc/behest", "/dev/null/behest"])
def test_a_state_folder_that_cannot_be_written_is_broken(tmp_path: Path, state: str) -> None:
    assert_broken(doctor_with(tmp_path, f"state = '{state}'"), "state folder", "/")


def test_the_journal_is_read_and_stays_as_it_is(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        daemon.connect().run("c", text="create a folder x")
        state = tmp_path / "state"
        while_it_runs = doctor_with(tmp_path, f"state = '{state}'")
    assert line(while_it_runs.stdout, "journal ").startswith("ok")
    before = {path: path.read_bytes() for path in state.iterdir() if path.is_file()}
    assert line(doctor_with(tmp_path, f"state = '{state}'").stdout, "journal ").startswith("ok")
    assert {path: path.read_bytes() for path in state.iterdir() if path.is_file()} == before


def test_a_journal_that_is_damaged_is_broken_and_stays_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "journal.db").write_bytes(b"not a journal" * 1_000)
    ended = doctor_with(tmp_path, f"state = '{state}'")
    assert_broken(ended, "journal", "damaged")
    assert [path.name for path in state.iterdir()] == ["journal.db"]


# The door


def test_tls_files_that_are_not_there_are_broken(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, f"[door]\ntls_cert = '{tmp_path}/no.pem'")
    assert_broken(ended, "TLS certificate", "No such file")


def test_an_address_that_another_program_has_is_broken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = doctor_with(tmp_path, f"tcp = '127.0.0.1:{port}'")
    assert_broken(ended, f"door at 127.0.0.1:{port}", "cannot listen")
    ended = doctor_with(tmp_path, f"tcp = '127.0.0.1:{port}'")
    assert line(ended.stdout, "door at").startswith("ok")


def test_a_door_that_is_open_is_ok(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    with running_daemon(tmp_path, settings=f"tcp = '127.0.0.1:{port}'") as daemon:
        ended = daemon.cli("doctor", "--config", str(tmp_path / "behest.toml"))
    assert line(ended.stdout, "door at").startswith("ok")


# Files


def test_a_root_of_the_settings_that_is_not_there_is_broken(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    roots = f"[roots]\nhere = '{tmp_path}/there'\ngone = '{tmp_path}/gone'\n"
    ended = doctor_with(tmp_path, roots)
    assert line(ended.stdout, "root here").startswith("ok")
    assert_broken(ended, "root gone", f"mkdir -p {tmp_path}/gone")
    assert list((tmp_path / "there").iterdir()) == []


def test_a_root_that_cannot_be_written_is_broken_and_so_is_what_works_with_it(
    tmp_path: Path,
) -> None:
    ended = doctor_with(tmp_path, "[roots]\nwork = '/proc'\n")
    assert_broken(ended, "root work", "cannot write")
    assert_broken(ended, "tool files.create_file", "see root work")


def test_a_root_whose_name_no_disk_could_bear_is_broken(tmp_path: Path) -> None:
    assert_broken(doctor_with(tmp_path, f"[roots]\nwork = '/{'x' * 5_000}'"), "root work", "mkdir")


def test_a_drive_that_is_not_there_is_broken(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, f"[drives]\nD = '{tmp_path}/unplugged'\n")
    assert_broken(ended, "root drive:D", "mount it")


def test_the_default_root_need_not_be_there(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, "")
    assert line(ended.stdout, "root documents").startswith("ok")
    assert "`behest serve` makes" in line(ended.stdout, "root documents")
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("mode", "advice"), [(None, "No such file"), (0o644, "chmod 600"), (0o600, "NAME")]
)
def test_secrets_that_cannot_be_read_are_broken(
    tmp_path: Path, mode: int | None, advice: str
) -> None:
    secrets = tmp_path / "secrets.toml"
    if mode is not None:
        secrets.write_text("bank = 1")
        secrets.chmod(mode)
    assert_broken(doctor_with(tmp_path, f"secrets = '{secrets}'"), "secrets", advice)


def test_looking_changes_nothing(tmp_path: Path) -> None:
    home, runtime = tmp_path / "home", tmp_path / "runtime"  # in the latter programs leave things
    home.mkdir()
    runtime.mkdir()
    assert doctor(home, environment={"XDG_RUNTIME_DIR": str(runtime)}).returncode == 0
    assert list(home.iterdir()) == []


# Programs


def test_what_is_not_installed_is_named_with_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    ended = doctor(tmp_path, environment={"PATH": str(tmp_path / "bin")})
    assert ended.returncode == 0
    assert line(ended.stdout, "audio.mute").startswith("not here")
    assert "pulseaudio-utils" in line(ended.stdout, "audio.mute")
    assert "Chromium" in line(ended.stdout, "browser.click")
    assert "browser" in line(ended.stdout, "desktop.open_address")
    assert "wmctrl" in line(ended.stdout, "apps.focus")
    assert "xprop" in line(ended.stdout, "the window in front")
    assert line(ended.stdout, "files.create_folder").startswith("ok")


def test_an_application_of_the_settings_must_be_there(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, "[apps]\neditor = ['no-such-editor']\nshell = ['sh']")
    assert_broken(ended, "application editor", "no-such-editor is not found")
    assert line(ended.stdout, "application shell").startswith("found")


def test_what_cannot_be_tried_without_doing_it_is_found_and_not_ok(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, "", {"BROWSER": "/bin/true"})
    assert line(ended.stdout, "tool apps.launch").startswith("found")
    assert line(ended.stdout, "tool desktop.open_address").startswith("found")
    assert line(ended.stdout, "tool system.time").startswith("ok")
    assert "was not tried" in ended.stdout.splitlines()[-1]


def test_sound_is_ok_where_a_server_answers_and_only_there(tmp_path: Path) -> None:
    with running_sound(tmp_path / "sound") as sound:
        ended = doctor_with(tmp_path, "", sound.environment)
        assert line(ended.stdout, "tool audio.mute").startswith("ok")
        sound.stop()
        ended = doctor_with(tmp_path, "", sound.environment)
    assert line(ended.stdout, "tool audio.mute").startswith("not here")
    assert "start PulseAudio or PipeWire" in line(ended.stdout, "no sound server")
    assert ended.returncode == 0


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_the_window_in_front_is_ok_where_a_window_manager_tells_it(tmp_path: Path) -> None:
    with running_display(tmp_path) as display:
        screen = {"DISPLAY": display.name}
        alone = doctor_with(tmp_path, "", screen)
        display.put_in_front(0)
        managed = doctor_with(tmp_path, "", screen)
    assert line(alone.stdout, "the window in front").startswith("not here")
    assert line(managed.stdout, "the window in front").startswith("ok")
    assert alone.returncode == managed.returncode == 0


# The browser


@pytest.mark.skipif(system_browser() is None, reason="no browser is installed")
@pytest.mark.parametrize("mode", ["auto", "headless"])
def test_a_browser_that_shows_a_page_is_ok(tmp_path: Path, mode: str) -> None:
    settings = f"[browser]\nmode = '{mode}'\nexecutable = '{system_browser()}'"
    ended = doctor_with(tmp_path, settings)
    assert line(ended.stdout, f"browser {system_browser()}").startswith("ok")
    assert line(ended.stdout, "tool browser.click").startswith("ok")
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ("executable = '/bin/true'", "does not start"),
        ("executable = '/no/such/browser'", "not there"),
        ("executable = '/etc/passwd'", "may not be run"),
        ("cdp_url = 'http://127.0.0.1:9'", "is it running?"),
        ("executable = '/bin/true'\nmode = 'visible'", "no screen"),
    ],
)
def test_a_browser_of_the_settings_that_shows_no_page_is_broken(
    tmp_path: Path, settings: str, advice: str
) -> None:
    assert_broken(doctor_with(tmp_path, f"[browser]\n{settings}"), "browser", advice)


def test_a_browser_that_nobody_set_and_that_shows_no_page_is_no_fault(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "chromium").symlink_to("/bin/true")
    ended = doctor(tmp_path, environment={"PATH": str(programs)})
    assert line(ended.stdout, f"not here browser {programs}/chromium")
    assert line(ended.stdout, "tool browser.click").startswith("not here")
    assert ended.returncode == 0


# Settings


@pytest.mark.parametrize(
    ("settings", "near"), [("nonsense = 1", "allowed: "), ("broser = 1", "did you mean `browser`?")]
)
def test_bad_settings_are_bad_usage(tmp_path: Path, settings: str, near: str) -> None:
    ended = doctor_with(tmp_path, settings)
    assert ended.returncode == 2
    assert settings.partition(" ")[0] in ended.stderr
    assert near in ended.stderr
    assert ended.stdout == ""


def test_a_misspelt_variable_is_bad_usage(tmp_path: Path) -> None:
    ended = doctor_with(tmp_path, "", {"BEHEST_SOKCET": "/tmp/x"})
    assert ended.returncode == 2
    assert "did you mean BEHEST_SOCKET?" in ended.stderr

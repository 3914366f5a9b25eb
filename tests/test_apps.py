"""Applications through the real daemon: started from lists, ended one by one, never by a shell.

The applications here are copies of ``cat`` that read from a pipe the test holds: they run for as
long as the test does, and end by themselves when it lets go.
"""

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.daemon import PATIENCE, Daemon, Event, running_daemon

NO_OTHER_APPS = {"XDG_DATA_DIRS": "/nonexistent"}


@dataclass(frozen=True)
class Desktop:
    """Where programs and desktop entries lie, and the pipe that keeps programs alive."""

    folder: Path
    pipe: Path
    news: Path
    entries: Path
    ear: int

    def heard(self) -> str:
        """Give what a program wrote to ``news``, as soon as it did."""
        assert select.select([self.ear], [], [], PATIENCE)[0]
        return os.read(self.ear, 10_000).decode()

    def program(self, name: str) -> str:
        """Make a program of its own that runs until the test ends; give its path."""
        program = shutil.which("cat")
        assert program is not None
        (self.folder / name).mkdir()
        return str(shutil.copy(program, self.folder / name / "cat"))

    def script(self, name: str, body: str) -> str:
        """Write a program as a shell script; give its path."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def entry(self, stem: str, content: str) -> None:
        """Write a desktop entry."""
        (self.entries / f"{stem}.desktop").write_text(f"[Desktop Entry]\n{content}\n")

    def app(self, stem: str, name: str, command: str) -> None:
        """Write the desktop entry of an application."""
        self.entry(stem, f"Type=Application\nName={name}\nExec={command}")

    def lasting(self, name: str) -> str:
        """Write the desktop entry of an application that lasts; give its program."""
        program = self.program(name)
        self.app(name.lower(), name, f"{program} {self.pipe}")
        return program

    @contextmanager
    def daemon_with(self, **apps: list[str]) -> Iterator[Daemon]:
        """Run a daemon of its own whose settings list these applications."""
        listed = "\n".join(f"{name} = {json.dumps(command)}" for name, command in apps.items())
        with running_daemon(
            self.folder,
            settings=f"[apps]\n{listed}\n",
            environment={"XDG_DATA_HOME": str(self.entries.parent), **NO_OTHER_APPS},
        ) as daemon:
            yield daemon


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all tests that only need desktop entries: it reads them anew each time."""
    folder = tmp_path_factory.mktemp("apps")
    with running_daemon(folder, environment=NO_OTHER_APPS) as running:
        yield running


@pytest.fixture
def desktop(daemon: Daemon, tmp_path: Path) -> Iterator[Desktop]:
    pipe, news = tmp_path / "pipe", tmp_path / "news"
    os.mkfifo(pipe)
    os.mkfifo(news)
    held, ear = os.open(pipe, os.O_RDWR), os.open(news, os.O_RDWR)
    entries = daemon.home / "data" / "applications"
    entries.mkdir(parents=True)
    yield Desktop(tmp_path, pipe, news, entries, ear)
    shutil.rmtree(entries)
    os.close(held)
    os.close(ear)


def result(daemon: Daemon, text: str) -> Event:
    """Say something and give the last goal's result."""
    last: Event = daemon.connect().run(os.urandom(4).hex(), text=text)[-1]["results"][-1]
    return last


def launched(daemon: Daemon, name: str) -> psutil.Process:
    """Launch an application and give its process."""
    answer = result(daemon, f"launch {name}")
    assert answer["status"] == "success", answer
    assert answer["verified"] is True
    return psutil.Process(answer["output"]["pid"])


def names(daemon: Daemon, text: str) -> list[str]:
    return [row["name"] for row in result(daemon, text)["output"]]


# Launching


def test_an_application_with_a_desktop_entry_is_launched(daemon: Daemon, desktop: Desktop) -> None:
    program = desktop.lasting("Clock")
    assert launched(daemon, "clock").cmdline() == [program, str(desktop.pipe)]


def test_an_application_in_the_settings_is_launched(desktop: Desktop) -> None:
    command = [desktop.program("clock"), str(desktop.pipe)]
    with desktop.daemon_with(clock=command) as daemon:
        assert launched(daemon, "clock").cmdline() == command


def test_settings_come_before_desktop_entries(desktop: Desktop) -> None:
    desktop.app("clock", "Clock", "false")
    command = [desktop.program("mine"), str(desktop.pipe)]
    with desktop.daemon_with(clock=command) as daemon:
        assert launched(daemon, "clock").cmdline() == command


def test_an_application_is_known_by_the_name_of_its_entry_too(
    daemon: Daemon, desktop: Desktop
) -> None:
    desktop.app("org.x.timer", "Kitchen Timer", f"{desktop.program('timer')} {desktop.pipe}")
    assert launched(daemon, "org.x.timer").is_running()


def test_an_application_outlives_the_daemon(desktop: Desktop) -> None:
    with desktop.daemon_with(clock=[desktop.program("clock"), str(desktop.pipe)]) as daemon:
        process = launched(daemon, "clock")
        assert daemon.stop() == 0
    assert process.is_running()
    assert process.status() != psutil.STATUS_ZOMBIE


def test_an_unknown_application_is_not_found(daemon: Daemon, desktop: Desktop) -> None:
    answer = result(daemon, "launch nonesuch")
    assert answer["code"] == "TARGET_NOT_FOUND"
    assert "nonesuch" in answer["message"]


def test_a_program_that_no_list_names_is_not_launched(daemon: Daemon, desktop: Desktop) -> None:
    assert result(daemon, "launch cat")["code"] == "TARGET_NOT_FOUND"


def test_of_two_applications_of_one_name_neither_is_launched(
    daemon: Daemon, desktop: Desktop
) -> None:
    for stem in ("one", "two"):
        program = desktop.script(stem, f"touch {desktop.folder / 'ran'}")
        desktop.app(stem, "Clock", program)
    answer = result(daemon, "launch clock")
    assert answer["code"] == "AMBIGUOUS_TARGET"
    assert str(desktop.folder / "one") in answer["message"]
    assert str(desktop.folder / "two") in answer["message"]
    assert not (desktop.folder / "ran").exists()


def test_an_application_that_falls_over_at_once_is_not_launched(
    daemon: Daemon, desktop: Desktop
) -> None:
    desktop.app("broken", "Broken", 'sh -c "exit 3"')
    answer = result(daemon, "launch broken")
    assert answer["status"] == "failed"
    assert answer["code"] == "UNAVAILABLE"
    assert "exit 3" in answer["message"]


def test_an_application_whose_program_is_missing_is_unavailable(
    daemon: Daemon, desktop: Desktop
) -> None:
    desktop.app("ghost", "Ghost", f"{desktop.folder}/no-such-program")
    assert result(daemon, "launch ghost")["code"] == "UNAVAILABLE"


def test_the_command_of_an_entry_never_goes_through_a_shell(
    daemon: Daemon, desktop: Desktop
) -> None:
    marker = desktop.folder / "marker"
    program = desktop.script("echo", f'printf "%s|" "$@" > {desktop.news}; exec cat {desktop.pipe}')
    desktop.app("echo", "Echo", f"{program} ; touch {marker} $(touch {marker}) '`id`' %U")
    command = result(daemon, "launch echo")["output"]["command"]
    arguments = [";", "touch", str(marker), "$(touch", f"{marker})", "`id`"]
    assert command == [program, *arguments]
    assert desktop.heard().split("|") == [*arguments, ""]
    assert not marker.exists()


# Closing


def test_closing_ends_the_process_that_was_started(daemon: Daemon, desktop: Desktop) -> None:
    desktop.lasting("Diary")
    process = launched(daemon, "diary")
    answer = result(daemon, "close diary")
    assert answer["status"] == "success"
    assert answer["verified"] is True
    assert answer["output"] == {"name": "Diary", "closed": 1}
    assert not process.is_running()


def test_closing_one_application_leaves_the_others_running(
    daemon: Daemon, desktop: Desktop
) -> None:
    desktop.lasting("Abacus")
    desktop.lasting("Timer")
    launched(daemon, "abacus")
    other = launched(daemon, "timer")
    assert result(daemon, "close abacus")["status"] == "success"
    assert other.is_running()


def test_closing_one_application_leaves_another_of_the_same_program_running(
    daemon: Daemon, desktop: Desktop
) -> None:
    program = desktop.program("shared")
    desktop.app("mail", "Mail", f"{program} {desktop.pipe}")
    desktop.app("calendar", "Calendar", f"{program} -u {desktop.pipe}")
    launched(daemon, "mail")
    other = launched(daemon, "calendar")
    assert result(daemon, "close mail")["status"] == "success"
    assert other.is_running()


@pytest.mark.parametrize("name", ["cat", "python3"])
def test_closing_leaves_alone_what_somebody_else_started(
    daemon: Daemon, desktop: Desktop, name: str
) -> None:
    program = Path(desktop.program("own")).rename(desktop.folder / "own" / name)
    desktop.app("mine", f"My {name}", f"{program} {desktop.pipe}")
    own = subprocess.Popen([program, "-u", desktop.pipe])
    try:
        launched(daemon, f"my {name}")
        assert result(daemon, f"close my {name}")["status"] == "success"
        assert own.poll() is None
    finally:
        own.kill()
        own.wait()


def test_closing_ends_what_the_application_started_in_turn(
    daemon: Daemon, desktop: Desktop
) -> None:
    inner = desktop.script("inner", f"echo $$ > {desktop.news}; exec cat {desktop.pipe}")
    desktop.app("family", "Family", desktop.script("wrapper", f"{inner} &\nwait"))
    launched(daemon, "family")
    child = psutil.Process(int(desktop.heard()))
    assert result(daemon, "close family")["status"] == "success"
    gone, _ = psutil.wait_procs([child], timeout=5)
    assert gone == [child]


def test_closing_what_does_not_run_does_nothing(daemon: Daemon, desktop: Desktop) -> None:
    desktop.lasting("Compass")
    answer = result(daemon, "close compass")
    assert answer["status"] in {"blocked", "failed"}
    assert "compass" in answer["message"].casefold()


def test_an_application_can_be_launched_and_closed_in_one_command(
    daemon: Daemon, desktop: Desktop
) -> None:
    program = desktop.lasting("Ledger")
    finished = daemon.connect().run("c", text="launch ledger and close ledger")[-1]
    assert [answer["status"] for answer in finished["results"]] == ["success", "success"]
    assert not any(process.info["exe"] == program for process in psutil.process_iter(["exe"]))


def test_a_closed_application_can_be_launched_again(daemon: Daemon, desktop: Desktop) -> None:
    desktop.lasting("Atlas")
    first = launched(daemon, "atlas")
    assert result(daemon, "close atlas")["status"] == "success"
    assert launched(daemon, "atlas").pid != first.pid


# Looking


def test_installed_applications_are_listed_by_name(desktop: Desktop) -> None:
    desktop.app("z", "apple", "true")
    desktop.app("a", "Zebra", "true")
    with desktop.daemon_with(mine=["true"]) as daemon:
        assert names(daemon, "list installed apps") == ["apple", "mine", "Zebra"]


def test_only_what_runs_is_listed_as_running(daemon: Daemon, desktop: Desktop) -> None:
    desktop.app("timer", "Timer", f"{desktop.script('timer', 'exit')} %f")
    desktop.app(
        "sundial", "Sundial", f"{desktop.script('clockwork', f'exec cat {desktop.pipe}')} %f"
    )
    assert names(daemon, "list running apps") == []
    launched(daemon, "sundial")
    assert names(daemon, "list running apps") == ["Sundial"]
    result(daemon, "close sundial")
    assert names(daemon, "list running apps") == []


def test_entries_that_are_broken_or_not_for_people_are_passed_over(
    daemon: Daemon, desktop: Desktop
) -> None:
    desktop.app("good", "Good", "true")
    desktop.entry("no-exec", "Type=Application\nName=No Exec")
    desktop.entry("empty-exec", "Type=Application\nName=Empty Exec\nExec=")
    desktop.entry("quote", 'Type=Application\nName=Quote\nExec=true "unclosed')
    desktop.entry("link", "Type=Link\nName=Link\nExec=true\nURL=https://example.com")
    desktop.entry("hidden", "Type=Application\nName=Hidden\nExec=true\nNoDisplay=true")
    (desktop.entries / "no-section.desktop").write_text("Name=No Section\nExec=true\n")
    (desktop.entries / "bytes.desktop").write_bytes(b"[Desktop Entry]\nName=\xff\xfe\nExec=true\n")
    (desktop.entries / "nothing.desktop").touch()
    (desktop.entries / "folder.desktop").mkdir()
    (desktop.entries / "dangling.desktop").symlink_to(desktop.folder / "nowhere")
    assert names(daemon, "list installed apps") == ["Good"]


def test_without_a_window_manager_focus_is_no_capability(daemon: Daemon, desktop: Desktop) -> None:
    desktop.lasting("Easel")
    launched(daemon, "easel")
    answer = result(daemon, "switch to easel")
    assert answer["status"] == "no_capability"

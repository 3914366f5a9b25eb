"""The bound of every test: tests that would wait for ever end, and say where they stood."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.daemon import PROJECT

HANGING = """
import asyncio, subprocess, threading
import anyio, pytest
from hypothesis import given, strategies
from tests import time_limit

time_limit.GRACE = 0.2
pytestmark = pytest.mark.time_limit(0.5)


def test_a_lock():
    threading.Thread(target=wait_elsewhere, name="elsewhere", daemon=True).start()
    threading.Event().wait()

def wait_elsewhere():
    threading.Event().wait()

def test_a_child():
    with subprocess.Popen(["sleep", "10"]) as child:
        try:
            child.wait()
        finally:
            child.kill()

def test_a_loop_that_never_rests():
    while True:
        pass

async def test_tasks():
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait_for_nobody, name="lonely")
        await anyio.sleep_forever()

async def wait_for_nobody():
    await anyio.Event().wait()

def test_clean_up_that_waits_too():
    try:
        threading.Event().wait()
    finally:
        threading.Event().wait()

def test_what_catches_every_exception():
    while True:
        try:
            threading.Event().wait()
        except Exception:
            pass

@given(strategies.integers())
def test_examples(number):
    threading.Event().wait()

@pytest.fixture
def slow_setup():
    threading.Event().wait()

@pytest.fixture
def slow_teardown():
    yield
    threading.Event().wait()

def test_setup(slow_setup): pass
def test_teardown(slow_teardown): pass

@pytest.mark.time_limit(60)
def test_what_has_more_time():
    threading.Event().wait(0.7)

def test_what_comes_after(): pass
"""
FAILED = {
    "a_lock",
    "a_child",
    "a_loop_that_never_rests",
    "tasks",
    "clean_up_that_waits_too",
    "what_catches_every_exception",
    "examples",
}
SENDS_AN_INTERRUPT = """
import subprocess, sys

def test_a_child_can_be_interrupted():
    said = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    assert subprocess.check_output([sys.executable, "-c", said]) == b"True\\n"
"""


def run_tests(folder: Path, source: str) -> str:
    """Run tests as they are run here, in a process of its own; give what it said."""
    (folder / "test_them.py").write_text(source)
    conftest = "from tests.conftest import *\npytest_plugins = ['tests.time_limit']\n"
    (folder / "conftest.py").write_text(conftest)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--rootdir=."]
    ran = subprocess.run(
        [*command, "-o", "asyncio_mode=auto", "test_them.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    return ran.stdout


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    return run_tests(tmp_path_factory.mktemp("hanging"), HANGING)


def test_a_test_that_would_hang_fails_and_the_run_goes_on(said: str) -> None:
    assert set(re.findall(r"^FAILED test_them.py::test_(\w+)", said, re.MULTILINE)) == FAILED
    assert set(re.findall(r"^ERROR test_them.py::test_(\w+)", said, re.MULTILINE)) == {
        "setup",
        "teardown",
    }
    passed = set(re.findall(r"^PASSED test_them.py::test_(\w+)", said, re.MULTILINE))
    assert passed == {"teardown", "what_has_more_time", "what_comes_after"}


def test_a_test_that_would_hang_says_where_it_stood(said: str) -> None:
    assert "test_them.py::test_a_lock: call took more than 0.5 s" in said
    assert "--- thread elsewhere" in said
    assert "in wait_elsewhere" in said
    assert "--- task lonely" in said
    assert "in wait_for_nobody" in said


def test_children_of_a_test_can_be_interrupted_where_interrupts_are_ignored(
    tmp_path: Path,
) -> None:
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        said = run_tests(tmp_path, SENDS_AN_INTERRUPT)
    finally:
        signal.signal(signal.SIGINT, former)
    assert "1 passed" in said

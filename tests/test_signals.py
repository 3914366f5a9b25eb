"""Signals that stop the daemon: received while it serves, ignored from then on, without a gap."""

import subprocess
import sys

import pytest

from tests.daemon import PATIENCE, PROJECT

PROGRAM = """
import os, signal
import anyio
from tools.signals import stop_signals

NUMBER = signal.Signals({number})
seen = []

async def main():
    with stop_signals(NUMBER) as signals:
        os.kill(os.getpid(), NUMBER)
        seen.append(await anext(signals))
        for _ in range(100):
            os.kill(os.getpid(), NUMBER)
    for _ in range(100):
        os.kill(os.getpid(), NUMBER)

anyio.run(main)
os.kill(os.getpid(), NUMBER)
assert seen == [NUMBER], seen
print("ended by itself")
"""


@pytest.mark.parametrize("number", [2, 15])
def test_no_signal_ends_the_process_between_serving_and_its_end(number: int) -> None:
    program = PROGRAM.format(number=number)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "ended by itself"), done.stderr

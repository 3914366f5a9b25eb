"""What the applications share: installing, starting, stopping, going back to the seeded data."""

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

HERE = Path(__file__).parent
APPS = HERE.parent.parent / ".venv" / "apps"
PATIENCE = 90.0

Record = dict[str, Any]
State = dict[str, dict[str, Record]]
"""The records of an application: by kind, then by key."""


class WebApp:
    """One application on the loopback, with seeded data that each sentence may start from."""

    name: ClassVar[str]
    ready_path: ClassVar[str] = "/"
    loaded_text: ClassVar[str] = ""
    """What a page shows once its scripts have run, if they take their time."""

    def __init__(self) -> None:
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.folder = Path()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def home(self) -> Path:
        """Where the application itself is installed."""
        return APPS / self.name

    @property
    def data(self) -> Path:
        """Where its data are while it runs."""
        return self.folder / "data"

    def install(self) -> None:
        """Install the application; at once when it is there."""
        install_python(self.name)

    def seed(self, folder: Path) -> None:
        """Make the first data in ``folder``."""
        raise NotImplementedError

    def command(self) -> list[str]:
        """The command that serves ``self.data`` on ``self.port``."""
        raise NotImplementedError

    def state(self) -> State:
        """Read the application's own data, without what changes by itself."""
        raise NotImplementedError

    def cookies(self) -> dict[str, str]:
        """Sign in as the seeded user and give the cookies; none where nobody signs in."""
        return {}

    def start(self, folder: Path) -> str:
        """Seed and serve in ``folder``; give the address."""
        self.folder = folder
        seeded = folder / "seeded"
        if not seeded.exists():
            seeded.mkdir(parents=True)
            self.seed(seeded)
        self.restore()
        return self.base

    def restore(self) -> None:
        """Serve the seeded data again."""
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)
        shutil.copytree(self.folder / "seeded", self.data)
        self._serve()

    def stop(self) -> None:
        """End the server."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def run_inside(self, *arguments: str, folder: Path) -> None:
        """Run the application's own interpreter to the end."""
        result = subprocess.run(
            [str(self.home / "bin" / "python"), *arguments],
            cwd=folder,
            env=self.environment(folder),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if result.returncode:
            raise RuntimeError(f"{self.name}: {arguments[0]} failed\n{result.stderr[-2000:]}")

    def environment(self, folder: Path) -> dict[str, str]:
        """What the application's processes are given."""
        return {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "TZ": "UTC"}

    def _serve(self) -> None:
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                cwd=self.data,
                env=self.environment(self.data),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        self._wait_until_ready(self._process)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        late = time.monotonic() + PATIENCE
        while time.monotonic() < late:
            if process.poll() is not None:
                raise RuntimeError(f"{self.name} ended: see {self.folder / 'server.log'}")
            if answers(self.base + self.ready_path):
                return
            time.sleep(0.1)
        raise TimeoutError(f"{self.name} does not answer")


def answers(url: str) -> bool:
    """Tell whether a server answers with a page, whatever its status."""
    try:
        with build_opener().open(url, timeout=10):
            return True
    except HTTPError as error:
        return error.code < 500
    except (URLError, OSError):
        return False


def read_json(url: str) -> Any:
    """Ask a server for JSON."""
    with build_opener().open(url, timeout=20) as answer:
        return json.load(answer)


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def requirements(name: str) -> Path:
    """The pinned versions of an application."""
    return HERE / "requirements" / f"{name}.txt"


def is_installed(name: str) -> bool:
    """Tell whether just the pinned versions are there."""
    ready = APPS / name / "ready"
    return ready.exists() and ready.read_text() == requirements(name).read_text()


def mark_installed(name: str) -> None:
    """Note which versions are there."""
    shutil.copyfile(requirements(name), APPS / name / "ready")


def install_python(name: str) -> None:
    """Install pinned packages from the Python index into an environment of their own."""
    if is_installed(name):
        return
    home = APPS / name
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    options = ["--disable-pip-version-check", "--requirement", str(requirements(name))]
    subprocess.run([*pip, *options], check=True)
    mark_installed(name)


def install_node(name: str) -> None:
    """Install pinned packages from the npm registry into a folder of their own."""
    if is_installed(name):
        return
    home = APPS / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    packages = requirements(name).read_text().split()
    options = ["--prefix", str(home), "--no-audit", "--no-fund", "--loglevel", "error"]
    subprocess.run(["npm", "install", *options, *packages], check=True)
    mark_installed(name)


def read_rows(database: Path, query: str) -> list[Record]:
    """Read rows of an SQLite database that somebody else writes."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(query)]
    finally:
        connection.close()


def keyed(rows: list[Record], key: str = "id") -> dict[str, Record]:
    """Records by their key, which is left out of them."""
    return {str(row[key]): {k: v for k, v in row.items() if k != key} for row in rows}


def sign_in(
    page: str, fields: Mapping[str, str], token: str = "", pattern: str = "", action: str = ""
) -> dict[str, str]:
    """Post a sign-in form with the token that its page holds; give the cookies."""
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    with opener.open(page, timeout=20) as answer:
        found = re.search(pattern, answer.read().decode())
    filled = {**fields, token: found[1]} if token and found is not None else fields
    with opener.open(action or page, urlencode(filled).encode(), timeout=20) as answer:
        answer.read()
    return {cookie.name: cookie.value or "" for cookie in jar}

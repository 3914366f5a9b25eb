"""``python -m tools.mcp``: the server without the rest of the command line."""

import argparse
import os
import sys
from pathlib import Path

from tools import settings
from tools.mcp import USAGE, run_mcp


def main() -> int:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="serve the Model Context Protocol")
    parser.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    parser.add_argument("--http", metavar="HOST:PORT", help="streamable HTTP on this loopback port")
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="where its token is kept")
    parser.add_argument(
        "--allow-approvals", action="store_true", help="let the client approve what the daemon asks"
    )
    options = parser.parse_args()
    try:
        chosen = settings.load(settings.config_path(None, os.environ))
        state = settings.state_path(None, chosen, os.environ)
        return run_mcp(
            settings.socket_path(options.socket, chosen, os.environ, state),
            http=options.http,
            allow_approvals=options.allow_approvals,
            token_file=options.token_file,
        )
    except settings.BadSettings as problem:
        sys.stderr.write(f"{problem}\n")
        return USAGE


if __name__ == "__main__":
    sys.exit(main())

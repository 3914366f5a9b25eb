"""Behest as a server of the Model Context Protocol: a client of the daemon's socket, and no more.

It owns no command, asks no model, keeps nothing, and logs nothing of what is said. The official
package, ``mcp``, is imported where serving begins, so that nothing else pays for it.
"""

import sys
from pathlib import Path

from tools.settings import BadSettings

USAGE = 2
PACKAGES = frozenset({"mcp", "mcp_types", "starlette", "uvicorn"})
MISSING = "the Model Context Protocol needs a package: pip install 'behest[mcp]'"


def run_mcp(
    socket_path: Path,
    *,
    http: str | None = None,
    allow_approvals: bool = False,
    token_file: Path | None = None,
) -> int:
    """Serve over stdin and stdout or, with ``http`` (``HOST:PORT``), over streamable HTTP.

    HTTP stays on the loopback and wants a bearer token: that of ``token_file``, which is made if
    need be, else a new one, which is printed once.
    """
    if token_file is not None and http is None:
        raise BadSettings("--token-file goes with --http; over stdio there is no token")
    try:
        from tools.mcp.server import serve_http, serve_stdio  # noqa: PLC0415 - see above
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in PACKAGES:
            raise
        raise BadSettings(MISSING) from None
    try:
        if http is None:
            serve_stdio(socket_path, allow_approvals=allow_approvals)
        else:
            serve_http(socket_path, http, token_file, allow_approvals=allow_approvals)
    except KeyboardInterrupt:
        pass
    except OSError as problem:
        sys.stderr.write(f"{problem}\n")
        return USAGE
    return 0

"""A PostgreSQL server of our own: Debian's, as an unprivileged user, in a temporary folder."""

from __future__ import annotations

import glob
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def binaries() -> str | None:
    """Where Debian puts the server, or None."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    return os.path.dirname(found[-1]) if found else None


def _unprivileged(command: list[str]) -> list[str]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return command
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]


@contextmanager
def started() -> Iterator[str | None]:
    """The address of a server that runs as long as this; None where there is none."""
    where = binaries()
    if where is None:
        yield None
        return
    folder = tempfile.mkdtemp(prefix="coindex-pg-")
    os.chmod(folder, 0o777)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = f"{folder}/data"
    quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder}
    init = [f"{where}/initdb", "-D", data, "-U", "coindex", "-A", "trust", "--no-sync"]
    subprocess.run(_unprivileged(init), **quiet)
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c max_connections=200"
    start = [f"{where}/pg_ctl", "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start"]
    subprocess.run(_unprivileged(start), **quiet)
    try:
        yield f"postgresql://coindex@127.0.0.1:{port}"
    finally:
        stop = [f"{where}/pg_ctl", "-D", data, "-m", "immediate", "stop"]
        subprocess.run(_unprivileged(stop), **quiet)
        shutil.rmtree(folder, ignore_errors=True)

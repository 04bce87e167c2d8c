"""A real server in a process of its own, to be killed, restarted and overloaded."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from coindex.annotate import projects
from coindex.annotate.exchange.importer import import_items
from coindex.annotate.people.accounts import Accounts
from coindex.annotate.projects import project_named
from coindex.annotate.store.database import Database
from coindex.annotate.store.events import EventStore
from coindex.annotate.store.migrate import migrate


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def prepare(url: str, people: int, documents: Any) -> list[str]:
    """A database with people, each with a token; the tokens."""
    database = Database(url)
    migrate(database, None)
    project = projects.create(database, "load", "document", {"annotators": people})
    accounts = Accounts(database)
    tokens = []
    for number in range(people):
        with database.write() as connection:
            id = accounts.add(connection, f"person-{number}", "a long password", False)
            projects.set_member(connection, project, id, "annotator")
        tokens.append(accounts.new_token(id, "test", 1)[1])
    import_items(EventStore(database), project_named(database, "load"), documents, "work")
    database.close()
    return tokens


class Server:
    """`coindex annotate serve`, started, killed and started again on the same port."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder, self.port = url, folder, free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, **environment: str) -> None:
        command = [sys.executable, "-m", "coindex", "annotate", "serve", "--database", self.url]
        command += ["--port", str(self.port), "--backups", str(self.folder / "backups")]
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, stderr=log, stdout=log, env={**os.environ, **environment}
            )
        for _ in range(600):
            with suppress(OSError, HTTPException):
                if self.ask(None, "GET", "/api/health")[0] == 200:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError((self.folder / "server.log").read_text())

    def kill(self) -> None:
        """SIGKILL: no goodbye."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
            self.process = None

    def ask(self, token: str | None, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, *packed(token, body))
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()


def packed(token: str | None, body: Any) -> tuple[bytes | None, dict[str, str]]:
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return (None if body is None else json.dumps(body).encode()), headers

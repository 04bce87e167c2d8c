"""A full file system while people work: nothing saved is lost, the reason is told, work goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotate_server import Server, prepare
from annotate_web import text
from coindex.annotate.store.database import Database
from coindex.annotate.store.doctor import examine

PEOPLE = 3


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB, as root."""
    folder = tmp_path / "small"
    folder.mkdir()
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        pytest.skip("a small file system is mounted by root, on Linux")
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def note(number: int) -> dict[str, Any]:
    words = {"text": f"note {number} " + "x" * 1800}
    return {"id": uuid.uuid4().hex, "base": 0, "kind": "document.note", "payload": words}


def fill(folder: Path) -> Path:
    """Take all the room that is left."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as out:
        for size in (65536, 4096, 512):
            try:
                while True:
                    out.write(b"x" * size)
            except OSError:
                continue
    return path


Send = Callable[[int, dict[str, Any]], tuple[int, Any]]


@pytest.mark.full
def test_a_full_file_system_loses_nothing_and_work_goes_on(small: Path, tmp_path: Path) -> None:
    url = str(small / "work.db")
    tokens = prepare(url, PEOPLE, [text("d")])
    server = Server(url, tmp_path)
    server.start()
    sheets = [server.ask(token, "POST", "/api/projects/1/next", {})[1]["sheet"] for token in tokens]

    def send(person: int, given: dict[str, Any]) -> tuple[int, Any]:
        path = f"/api/sheets/{sheets[person]}/events"
        return server.ask(tokens[person], "POST", path, {"client": "t", "events": [given]})

    try:
        saved, waiting = _until_full(send, small)
        for person in range(PEOPLE):  # everything can still be read
            assert server.ask(tokens[person], "GET", f"/api/sheets/{sheets[person]}")[0] == 200
        (small / "filler").unlink()
        for person, given in waiting:  # as an outbox does
            status, told = send(person, given)
            assert (status, told["results"][0]["status"]) == (200, "stored")
            saved.append(given["id"])
    finally:
        server.stop()
    with closing(Database(url)) as database:
        health = examine(database)
    assert (health.problems, health.events) == ((), len(saved))
    print(f"{len(saved) - len(waiting)} saved before, {len(waiting)} refused and sent again")


def _until_full(send: Send, folder: Path) -> tuple[list[str], list[tuple[int, dict[str, Any]]]]:
    saved, waiting = [], []
    for number in range(900):
        if number == 30:
            fill(folder)
        given = note(number)
        status, told = send(number % PEOPLE, given)
        if status == 200:
            saved.append(given["id"])
            continue
        assert (status, told["error"]["code"]) == (503, "storage"), told
        assert "the disk is full" in told["error"]["message"]
        waiting.append((number % PEOPLE, given))
        if len(waiting) == 2 * PEOPLE:
            return saved, waiting
    raise AssertionError("the file system was never full")

"""Children that end with their parent, and that stay within their limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from coindex.jobs import child_process

PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from {module} import {name}
pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer={name}, initargs=(os.getpid(),))
if __name__ == "__main__":
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 60)
    time.sleep(60)
"""
LIMITED = """
from coindex.jobs.child_process import limit_resources
assert limit_resources(256 << 20, 30, 1000)
for work in (lambda: bytes(1 << 30), lambda: open("large", "wb", buffering=0).write(bytes(5000))):
    try:
        print("done", work())
    except (MemoryError, OSError) as error:
        print(type(error).__name__)
"""


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX")
@pytest.mark.parametrize(
    ("module", "name"),
    [("coindex.jobs.child_process", "end_with_parent"), ("coindex.active.worker", "_begin")],
)
def test_workers_end_with_a_killed_parent(tmp_path: Path, module: str, name: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT.format(module=module, name=name))
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert lives(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(50):
        if not lives(worker):
            return
        time.sleep(0.1)
    pytest.fail("the worker lives five seconds after its parent was killed")


@pytest.mark.skipif(os.name != "posix", reason="limits are of POSIX")
def test_limits_of_memory_and_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[0] == "MemoryError"
    assert (tmp_path / "large").stat().st_size <= 1000


def test_without_posix_nothing_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert child_process.limit_resources(1, 1, 1) is False


def test_without_linux_a_thread_watches_the_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[int] = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(child_process, "end_with_parent", watched.append)
    child_process.end_with_parent_thread(7)
    assert watched == [7]

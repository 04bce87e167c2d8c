"""Child processes: starting and ending them, their limits, and a life not longer than their parent's.

Everything that only POSIX, or only Linux, can do is here, each with what happens elsewhere:
`can_fork` is false, so that a service has one process; signals are not blocked; `limit_resources`
changes nothing (the parent still ends a child that takes too long); and a thread watches the
parent. `tests/contract/test_platforms.py` finds such calls in other modules.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress

_POLL = 0.5  # seconds between two checks that the parent still exists
_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """End this process soon after its parent, even if that was killed.

    Otherwise a worker would continue, and write parts beside those of the resumed run.
    """
    threading.Thread(target=_poll, args=(parent,), name="parent", daemon=True).start()


def _poll(parent: int) -> None:
    while _parent_lives(parent):
        time.sleep(_POLL)
    os._exit(1)


def _parent_lives(parent: int) -> bool:
    """Whether the parent lives: where a process keeps its parent's number, by its handle."""
    if os.name == "posix":
        return os.getppid() == parent
    from multiprocessing import parent_process

    started_by = parent_process()
    return started_by is None or started_by.is_alive()


def end_with_parent_thread(parent: int) -> None:
    """End this process at once when the thread that started it ends, or its parent is killed.

    For a child whose parent waits for it in that thread. Linux does this itself, so that even a
    process that is busy in a library ends; elsewhere as `end_with_parent`.
    """
    if not (sys.platform.startswith("linux") and _signal_at_parents_death()):
        end_with_parent(parent)
    elif os.getppid() != parent:  # it was killed before we asked
        os._exit(1)


def _signal_at_parents_death() -> bool:
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        return bool(library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)
    except (AttributeError, OSError):
        return False


def limit_resources(memory: int, seconds: int, file_size: int) -> bool:
    """Limit the address space, processor time and files of this process; whether it is possible.

    Beyond them Python raises `MemoryError` and `OSError`, or the system ends the process.
    """
    try:
        import resource
    except ImportError:
        return False
    wanted = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: file_size,
        resource.RLIMIT_CORE: 0,
    }
    for name, value in wanted.items():
        _, hard = resource.getrlimit(name)
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        with suppress(ValueError, OSError):  # not on every system
            resource.setrlimit(name, (value, value))
    return True


def can_fork() -> bool:
    """Whether this system can copy a process with all it has in memory."""
    return hasattr(os, "fork")


def fork() -> int:
    """Copy this process: 0 in the copy, its process id here. Only where `can_fork`."""
    return os.fork()


def wait_for_child() -> tuple[int, int]:
    """The process id and the exit code of the next child that ends; minus a signal that ended it.

    A `ChildProcessError` if there is no child.
    """
    process, status = os.wait()
    return process, os.waitstatus_to_exitcode(status)


def kill_child(process: int) -> None:
    """End a child at once, and wait until it has ended."""
    kill_process(process)
    os.waitpid(process, 0)


def kill_process(process: int) -> None:
    """End a process at once, unless it has ended; where there is no SIGKILL, by SIGTERM."""
    with suppress(ProcessLookupError):
        os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def block_signals(signals: Iterable[int]) -> None:
    """Let signals wait until `unblock_signals`, where the system can."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)


def unblock_signals(signals: Iterable[int]) -> None:
    """Receive signals again, those first that have waited."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)


def ended_by_limit(code: int) -> bool:
    """Whether the exit code of a child says that the system ended it, as at the end of its time."""
    limits = (getattr(signal, name, None) for name in ("SIGXCPU", "SIGKILL"))
    return any(number is not None and code == -number for number in limits)

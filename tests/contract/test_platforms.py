"""Calls that not every operating system has are in one module, each with a fallback."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import coindex
from coindex.jobs import child_process

ROOT = Path(coindex.__file__).parent
ALLOWED = ROOT / "jobs" / "child_process.py"
MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "spwd", "syslog", "termios", "tty"}  # fmt: skip
"""Modules of the standard library that Windows does not have."""
OS = {
    "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "WNOHANG", "chown", "chroot", "fchmod", "fchown", "fork",
    "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getsid",
    "getuid", "killpg", "lchown", "mkfifo", "mknod", "nice", "openpty", "pread", "pwrite",
    "register_at_fork", "sched_getaffinity", "sched_setaffinity", "sendfile", "setegid", "seteuid",
    "setgid", "setpgid", "setsid", "setuid", "statvfs", "sync", "sysconf", "tcgetpgrp", "ttyname",
    "uname", "wait", "wait3", "wait4", "waitid",
}  # fmt: skip
SIGNAL = {
    "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGPROF", "SIGQUIT", "SIGSTOP",
    "SIGTSTP", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK", "alarm",
    "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigpending", "sigwait", "sigwaitinfo",
}  # fmt: skip
ARGUMENTS = {"preexec_fn", "start_new_session", "process_group", "pass_fds"}
METHODS = {"add_signal_handler"}
STARTS = {"fork", "forkserver"}


def posix_only(tree: ast.AST) -> Iterator[str]:
    """Whatever in a module only POSIX has: modules, names of `os` and `signal`, arguments, files."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            taken = {alias.name for alias in node.names}
            yield from sorted(taken & {"os": OS, "signal": SIGNAL}.get(node.module or "", set()))
            yield from [node.module] if node.module in MODULES else []
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in {"os": OS, "signal": SIGNAL}.get(owner, METHODS):
                yield f"{owner}.{node.attr}"
        elif isinstance(node, ast.keyword) and node.arg in ARGUMENTS:
            yield node.arg
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("get_context"):
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant) and arg.value in STARTS)  # fmt: skip
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from [node.value] if node.value.startswith(("/proc/", "/dev/", "/etc/", "/tmp")) else []  # fmt: skip


def test_calls_of_posix_are_in_one_module() -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in ROOT.rglob("*.py")
        if (names := sorted(set(posix_only(ast.parse(path.read_text("utf-8"))))))
        and path != ALLOWED
    }
    assert found == {}


def test_the_search_finds_them() -> None:
    names = set(posix_only(ast.parse(ALLOWED.read_text("utf-8"))))
    assert {"resource", "os.fork", "os.wait", "signal.pthread_sigmask"} <= names
    code = (
        "import fcntl\nfrom os import getuid\nimport os, signal\nos.killpg(1, signal.SIGKILL)\n"
        "run(preexec_fn=f)\nget_context('fork')\nopen('/proc/self/status')\nloop.add_signal_handler(1)"
    )
    expected = "fcntl getuid os.killpg signal.SIGKILL preexec_fn fork /proc/self/status"
    assert set(posix_only(ast.parse(code))) >= set(expected.split())


@pytest.mark.skipif(sys.platform != "linux", reason="compares with what Linux has")
def test_the_lists_name_what_there_is() -> None:
    """A misspelt name would never be found."""
    assert {name for name in OS if not hasattr(os, name)} == set()
    assert {name for name in SIGNAL if not hasattr(signal, name)} == set()


def test_without_posix_there_is_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in OS:
        monkeypatch.delattr(os, name, raising=False)
    for name in SIGNAL:
        monkeypatch.delattr(signal, name, raising=False)
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    assert not child_process.can_fork()
    assert not child_process.ended_by_limit(-9)
    assert not child_process.limit_resources(1, 1, 1)
    child_process.block_signals([signal.SIGTERM])
    child_process.unblock_signals([signal.SIGTERM])
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *given: killed.append(given))
    monkeypatch.setattr(os, "waitpid", lambda *given: given)
    child_process.kill_child(7)
    assert killed == [(7, signal.SIGTERM)]


def test_several_service_processes_are_refused_without_fork(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("uvicorn", reason="needs uvicorn: pip install 'coindex[serve]'")
    pytest.importorskip("prometheus_client", reason="needs pip install 'coindex[serve]'")
    from coindex.errors import UsageError
    from coindex.integrations.service import server
    from coindex.integrations.service.settings import ServiceSettings

    monkeypatch.delattr(os, "fork", raising=False)
    with pytest.raises(UsageError, match="several processes need a system that can fork"):
        server.serve(ServiceSettings(), server.ServerAddress(), workers=2)


CHILDREN = """
import os, signal
from coindex.jobs import child_process
process = child_process.fork()
if process == 0:
    os._exit(3)
assert child_process.wait_for_child() == (process, 3)
process = child_process.fork()
if process == 0:
    signal.pause()
child_process.kill_child(process)
try:
    child_process.wait_for_child()
except ChildProcessError:
    print("none left")
"""


@pytest.mark.skipif(not child_process.can_fork(), reason="forks")
def test_a_child_is_started_waited_for_and_killed() -> None:
    done = subprocess.run([sys.executable, "-c", CHILDREN], capture_output=True, text=True)
    assert done.stdout == "none left\n", done.stderr
    assert child_process.ended_by_limit(-signal.SIGKILL)
    assert not child_process.ended_by_limit(0)

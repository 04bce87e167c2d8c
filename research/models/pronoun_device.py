"""Train pronoun models on a machine that is available for minutes: `pronoun_device`.

    run PLAN SECONDS   run the jobs of a plan, several at a time, each when the jobs that it
                       needs are done; none is started that would not end in time
    job PLAN NAME      run one job in this process (`run` calls it)
    fetch NAME N       copy four slices of the weights of a job, from number N on, to $OUT

Run it from the project's folder:

    PYTHONPATH=src:$W/py python -m research.models.pronoun_device run plan.json 540

Jobs that are done are skipped, so the same call continues after an interruption.
`pronoun_plan` writes the plan, `pronoun_prepare` the data: the stages of every recipe, its dev
sets and all test sets. TOGETHER (environment) is the number of jobs at a time, 6 by default.

A job scores the test sets with its best weights and writes the raw scores beside the model.
They are not compared with answers before dev has decided: see `pronoun_scores`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable
from pathlib import Path

from research.models.device_session import (
    elapsed,
    log,
    out_folder,
    use_one_thread,
    work_folder,
    write_slices,
)
from research.models.pronoun_plan import Job, parse_plan

_DELIVERED = ("model.json", "log.jsonl", "README.md", "scores.npz", "grid.json")
_ADAPTERS = 4_000_000  # bytes: the weights of adapters are delivered, those of encoders not


def jobs_folder() -> Path:
    """The folder with one folder and one log per job."""
    return work_folder() / "jobs"


def is_done(name: str) -> bool:
    """Whether a job was run to its end."""
    return (jobs_folder() / name / "done").exists()


def run_job(job: Job) -> None:
    """Train one model and score every set with it; or train one for each point of a grid."""
    import torch

    from research.models.fused_attention import use_fused_attention
    from research.models.pronoun_job import score_sets, train_job

    use_one_thread()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    use_fused_attention(log)
    out = jobs_folder() / job.name
    out.mkdir(parents=True, exist_ok=True)
    if not job.grid:
        changes = [*job.changes, *best_changes(jobs_folder() / name for name in job.best_of)]
        log(f"{job.name}: {train_job(job, changes, out, device)}")
        score_sets(out, job.family, device)
    else:
        rows = []
        for number, point in enumerate(job.grid):
            dev = train_job(job, [*job.changes, *point], out / "point", device)
            rows.append({"set": point, "dev": dict(dev)})
            log(f"{job.name} {number}: {rows[-1]}")
            shutil.rmtree(out / "point")
        (out / "grid.json").write_text(json.dumps(rows, indent=1))
    (out / "done").write_text("")


def best_changes(grids: Iterable[Path]) -> list[str]:
    """The changes with the best mean on dev, of all points of some grids; the first of equals."""
    rows = [row for folder in grids for row in json.loads((folder / "grid.json").read_text())]
    return list(max(rows, key=lambda row: row["dev"]["mean"])["set"]) if rows else []


class Scheduler:
    """Runs the jobs of a plan, each in a process; a job that fails is tried once more.

    Another job may have taken the memory that the first attempt needed.
    """

    def __init__(self, plan: Path, seconds: float) -> None:
        """Read the plan; nothing is started."""
        self.plan, self.seconds = plan, seconds
        self.jobs = {job.name: job for job in parse_plan(plan.read_text())}
        self.together = int(os.environ.get("TOGETHER", "6"))
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.waiting = [job for job in self.jobs.values() if not is_done(job.name)]
        self.failed: set[str] = set()
        self.retried: set[str] = set()

    def run(self) -> None:
        """Run all jobs that can end in time."""
        jobs_folder().mkdir(parents=True, exist_ok=True)
        while self.waiting or self.running:
            self.collect()
            self.start_ready()
            time.sleep(0.2)

    def collect(self) -> None:
        """Take note of the processes that ended."""
        for name, process in list(self.running.items()):
            if process.poll() is None:
                continue
            del self.running[name]
            if process.returncode == 0:
                log(f"done {name}")
                continue
            log(f"FAILED {name}\n{(jobs_folder() / f'{name}.log').read_text()[-800:]}")
            if name in self.retried:
                self.failed.add(name)
            else:
                self.retried.add(name)
                self.waiting.append(self.jobs[name])

    def start_ready(self) -> None:
        """Start the jobs that are ready; drop those that cannot be run any more."""
        left = self.seconds - elapsed()
        for job in list(self.waiting):
            if self.failed.intersection(job.needs) or job.takes > left:
                self.waiting.remove(job)
                log(f"not started: {job.name}")
            elif len(self.running) < self.together and self.is_ready(job):
                self.waiting.remove(job)
                self.running[job.name] = self.start(job.name)

    def is_ready(self, job: Job) -> bool:
        """Whether all jobs that it needs are done, and those that it waits for done or failed."""
        return all(map(is_done, job.needs)) and all(
            name in self.failed or is_done(name) for name in job.wait
        )

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start the process of a job."""
        log(f"start {name}")
        module = "research.models.pronoun_device"
        command = [sys.executable, "-m", module, "job", str(self.plan), name]
        with (jobs_folder() / f"{name}.log").open("ab") as file:
            return subprocess.Popen(command, stdout=file, stderr=file)


def deliver(jobs: Iterable[Job]) -> None:
    """Copy logs, model cards and scores of all jobs, in slices: `cat jobs.tar.gz.*`."""
    packed = work_folder() / "jobs.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        for job in jobs:
            for path in delivered_files(jobs_folder(), job.name):
                archive.add(path, path.relative_to(jobs_folder()))
            _log_stages(job.name)
    content = packed.read_bytes()
    write_slices(content, packed.name, 0)
    log(f"{packed.name}: {len(content):,} bytes in {out_folder()}")


def delivered_files(folder: Path, name: str) -> list[Path]:
    """The files of a job that are copied back, as far as they exist."""
    files = [folder / name / each for each in _DELIVERED]
    weights = folder / name / "weights.pt"
    if weights.exists() and weights.stat().st_size < _ADAPTERS:
        files += [weights, weights.with_name("config.json"), weights.with_name("tokenizer.json")]
    return [path for path in (*files, folder / f"{name}.log") if path.exists()]


def _log_stages(name: str) -> None:
    file = jobs_folder() / name / "model.json"
    if file.exists():
        stages = json.loads(file.read_text())["stages"]
        rows = [f"{row['of stage']}:{row.get('perplexity', row.get('dev'))}" for row in stages]
        log(f"{name}: {' '.join(rows)}")


def fetch(name: str, first: int) -> None:
    """Copy slices of the weights of a job."""
    content = (jobs_folder() / name / "weights.pt").read_bytes()
    write_slices(content, f"{name}-weights", first)
    log(f"{name}: {len(content):,} bytes")


def main() -> None:
    """Run the command that the arguments name."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    match sys.argv[1:]:
        case ["run", plan, seconds]:
            scheduler = Scheduler(Path(plan), float(seconds))
            scheduler.run()
            deliver(scheduler.jobs.values())
        case ["job", plan, name]:
            jobs = parse_plan(Path(plan).read_text())
            run_job(next(job for job in jobs if job.name == name))
        case ["fetch", name, first]:
            fetch(name, int(first))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

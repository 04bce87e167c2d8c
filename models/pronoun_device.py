"""Train pronoun models on a machine that is lent for minutes: `pronoun_device.py`.

    run PLAN SECONDS   the jobs of a plan, several at a time, each when what it starts
                       from is there; none is begun that would not end in time
    job PLAN NAME      one job, in a process of its own (`run` calls it)
    fetch NAME N       four slices of a model's weights, from number N on, to $OUT

A plan is a list of jobs in JSON: name, recipe, seed, changes of the recipe ("set"), the job
or folder that it starts from ("start" or "encoder"; "after" is a masked-lm whose encoder is
taken), grids whose best point it takes ("best of"), jobs that go first ("wait"), the seconds
that it takes ("takes").
Jobs that were done before are left alone, so the same call goes on after an interruption.

`pronoun_prepare.py` makes what is sent: the rows of every recipe's data, its dev sets and all
test sets. `pronoun_plan.py` writes the plan.
A job scores the test sets with its best weights and writes the raw scores beside the model;
nobody looks at them before dev has decided: see `pronoun_scores.py`.
"""

from __future__ import annotations

import json
import lzma
import os
import pickle
import subprocess
import sys
import tarfile
import time
from functools import partial
from pathlib import Path
from typing import Any

BEGAN = time.monotonic()
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
HOME = Path(os.environ.get("W", str(Path.home() / "w")))
OUT = Path(os.environ.get("OUT", str(HOME / "returned")))
JOBS = HOME / "jobs"
sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "src"), str(HOME / "py")]

from pronoun_faster import faster  # noqa: E402

SLICE = 15_900_000
WINDOW = 192
TOGETHER = 64


def say(text: str) -> None:
    """A line with the seconds since the start."""
    print(f"{time.monotonic() - BEGAN:6.1f} {text}", flush=True)  # noqa: T201


def restore(path: Path) -> Any:
    """What `dump` packed."""
    with lzma.open(path, "rb") as file:
        return pickle.load(file)


def job(plan: Path, name: str) -> None:
    """Train one model, then score every set with it; or one for each point of a grid."""
    told = next(each for each in json.loads(plan.read_text()) if each["name"] == name)
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    faster(say)
    out = JOBS / name
    out.mkdir(parents=True, exist_ok=True)
    if "grid" not in told:
        changes = [*told.get("set", ()), *_best(told.get("best of", ()))]
        done = _train(told, changes, out, device)
        say(f"{name}: {done['dev']}")
        _score(out, told.get("family", "m"), device)
    else:
        rows = []
        for number, more in enumerate(told["grid"]):
            done = _train(told, [*told.get("set", ()), *more], out / "at", device)
            rows.append({"set": more, "dev": done["dev"]})
            say(f"{name} {number}: {rows[-1]}")
            for path in (out / "at").iterdir():
                path.unlink()
        (out / "grid.json").write_text(json.dumps(rows, indent=1))
    (out / "done").write_text("")


def _best(grids: list[str]) -> list[str]:
    """The changes that were best by dev, of several grids; of equals the first."""
    rows = [row for name in grids for row in json.loads((JOBS / name / "grid.json").read_text())]
    return max(rows, key=lambda row: row["dev"]["mean"])["set"] if rows else []


def _train(told: dict[str, Any], changes: list[str], out: Path, device: str) -> dict[str, Any]:
    from coindex.pronoun import loop, options, scorer

    start = str(JOBS / told["start"]) if "start" in told else None
    named = told.get("encoder", "mpnet")  # "": as the recipe says
    encoder = None if start or not named else str(HOME / named)
    if "after" in told:
        encoder = _encoder_of(JOBS / told["after"], HOME / "mpnet")
    recipe = options.load(told["recipe"], changes, encoder, start)
    work, dev, rows = _ready(told.get("family", "m"), told["recipe"], recipe)
    known = {
        id(asked): made
        for side, each in zip(dev, rows, strict=True)
        for asked, made in zip(side.asked, each, strict=True)
    }
    scorer.item = partial(_item, known)  # type: ignore[assignment]
    scorer.TOGETHER = TOGETHER
    loop.sides = lambda devs, ways: dev  # type: ignore[assignment]
    loop.work_of = lambda *given: work  # type: ignore[assignment]
    loop.save_state = lambda *given: None  # type: ignore[assignment]
    return loop.train(recipe, out, {}, device, seed=told.get("seed", 1), say=say)


def _item(known: dict[Any, Any], asked: Any, tokens: Any, window: int) -> Any:
    """The rows of a problem: prepared, or those of a switched copy, made once."""
    from coindex.pronoun.rows import item

    if id(asked) in known:
        return known[id(asked)]
    key = asked.problem.id, asked.problem.text
    if key not in known:
        known[key] = item(asked, tokens, window)
    return known[key]


def _ready(family: str, name: str, recipe: Any) -> tuple[Any, Any, Any]:
    """What was prepared for a recipe, under the stages as this job has them."""
    from dataclasses import replace

    work, dev, rows = restore(HOME / "prepared" / f"{family}-{name}.xz")
    if name == "lm-head":
        work = [_text(recipe)]
    few = int(os.environ.get("FEW", "0"))
    if few:
        dev = [replace(side, asked=side.asked[:few]) for side in dev]
        rows = [each[:few] for each in rows]
    made = []
    for each, stage in zip(work, recipe.stage, strict=True):
        now = replace(each, stage=stage)
        most = few or (stage.most if name != "lm-head" else 0)
        if most and name != "lm-head":
            now = replace(now, items=now.items[:most])
        made.append(now)
    return made, dev, rows


def _text(recipe: Any) -> Any:
    """The stretches of plain text."""
    import numpy as np

    from coindex.pronoun.stages import Plain
    from coindex.pronoun.text import Text

    told, held, pages, remarks = restore(HOME / "prepared" / "text.xz")
    few = int(os.environ.get("FEW", "0")) or len(told)
    text = Text(told[:few].astype(np.int32), held[:few].astype(np.int32), pages)
    return Plain("1 wikipedia", recipe.stage[0], text.checksum, remarks, text)


def _encoder_of(folder: Path, base: Path) -> str:
    """The encoder below a masked language model, as a folder of its own."""
    import shutil

    from coindex.pronoun.weights import load

    out = folder / "encoder"
    if not out.exists():
        own = folder / f"encoder-{os.getpid()}"  # several jobs may want it at a time
        load(folder, "masked-lm").encoder.save_pretrained(own)
        shutil.copy(base / "tokenizer.json", own / "tokenizer.json")
        try:
            own.rename(out)
        except OSError:  # another was first
            shutil.rmtree(own)
    return str(out)


def _score(out: Path, family: str, device: str) -> None:
    """The raw scores of every set, by the weights as they were saved."""
    import numpy as np

    from coindex.pronoun import scorer
    from coindex.pronoun.package import facts_of
    from coindex.pronoun.weights import load

    model = load(out, facts_of(out)["kind"]).to(device)
    scorer.item = lambda given, *rest: given  # type: ignore[assignment]
    few = int(os.environ.get("FEW", "0")) or None
    sets = restore(HOME / "prepared" / f"{family}-sets.xz")
    found = {}
    for name, items in sets.items():
        told = list(scorer.scores(model, items[:few], WINDOW))  # type: ignore[arg-type]
        found[name] = np.array([one for each in told for one in each], dtype=np.float32)
        found[f"{name}|counts"] = np.array([len(each) for each in told], dtype=np.int32)
    np.savez_compressed(out / "scores.npz", **found)
    say(f"{out.name}: scored {len(sets)} sets")


def run(plan: Path, seconds: float) -> None:
    """All jobs of a plan that can be done in time."""
    jobs = json.loads(plan.read_text())
    most = int(os.environ.get("TOGETHER", "6"))
    JOBS.mkdir(parents=True, exist_ok=True)
    going: dict[str, subprocess.Popen[bytes]] = {}
    waiting = [each for each in jobs if not (JOBS / each["name"] / "done").exists()]
    failed: set[str] = set()
    again: set[str] = set()
    while waiting or going:
        for name, process in list(going.items()):
            if process.poll() is not None:
                del going[name]
                ok = process.returncode == 0
                say(f"{'done' if ok else 'FAILED'} {name}")
                if not ok and name in again:
                    failed.add(name)
                elif not ok:  # once more: another job may have had the memory
                    again.add(name)
                    waiting.append(next(each for each in jobs if each["name"] == name))
                if not ok:
                    say((JOBS / f"{name}.log").read_text()[-800:])
        left = seconds - (time.monotonic() - BEGAN)
        for each in list(waiting):
            needs = [each[key] for key in ("start", "after") if key in each]
            needs += each.get("best of", [])
            if any(need in failed for need in needs) or each["takes"] > left:
                waiting.remove(each)
                say(f"not begun: {each['name']}")
            elif len(going) < most and _ready_for(needs, each.get("wait", []), failed):
                waiting.remove(each)
                going[each["name"]] = _begin(plan, each["name"])
        time.sleep(0.2)
    _deliver(jobs)


def _ready_for(needs: list[str], waits: list[str], failed: set[str]) -> bool:
    """Whether all that a job starts from is done, and all that goes first is at least over."""
    there = all((JOBS / need / "done").exists() for need in needs)
    return there and all(w in failed or (JOBS / w / "done").exists() for w in waits)


def _begin(plan: Path, name: str) -> subprocess.Popen[bytes]:
    say(f"begin {name}")
    log = (JOBS / f"{name}.log").open("ab")
    return subprocess.Popen(
        [sys.executable, __file__, "job", str(plan), name], stdout=log, stderr=log
    )


def _deliver(jobs: list[dict[str, Any]]) -> None:
    """Logs, cards and scores of all jobs, packed and cut into slices: `cat jobs.tar.gz.*`."""
    with tarfile.open(HOME / "jobs.tar.gz", "w:gz") as packed:
        for each in jobs:
            folder = JOBS / each["name"]
            for name in ("model.json", "log.jsonl", "README.md", "scores.npz", "grid.json"):
                if (folder / name).exists():
                    packed.add(folder / name, f"{each['name']}/{name}")
            weights = folder / "weights.pt"  # of adapters: those of encoders are too big
            if weights.exists() and weights.stat().st_size < 4_000_000:
                for path in (weights, folder / "config.json", folder / "tokenizer.json"):
                    packed.add(path, f"{each['name']}/{path.name}")
            if (JOBS / f"{each['name']}.log").exists():
                packed.add(JOBS / f"{each['name']}.log", f"{each['name']}.log")
            if (folder / "model.json").exists():
                facts = json.loads((folder / "model.json").read_text())
                shown = [
                    f"{row['of stage']}:{row.get('perplexity', row.get('dev'))}"
                    for row in facts["stages"]
                ]
                say(f"{each['name']}: {' '.join(shown)}")
    _sliced((HOME / "jobs.tar.gz").read_bytes(), "jobs.tar.gz", 0)
    say("end")


def fetch(name: str, first: int) -> None:
    """Four slices of the weights: more a call does not bring back."""
    _sliced((JOBS / name / "weights.pt").read_bytes(), f"{name}-weights", first)


def _sliced(content: bytes, name: str, first: int) -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    for number in range(first, min(first + 4, -(-len(content) // SLICE))):
        part = content[number * SLICE : (number + 1) * SLICE]
        (OUT / f"{name}.{number:02d}").write_bytes(part)
    say(f"{name}: {len(content):,} bytes")


def main() -> None:
    """See above."""
    what, *rest = sys.argv[1:]
    if what == "run":
        run(Path(rest[0]), float(rest[1]))
    elif what == "job":
        job(Path(rest[0]), rest[1])
    else:
        fetch(rest[0], int(rest[1]))


if __name__ == "__main__":
    main()

"""Every step of a session on a GPU that is lent for 30 minutes: `next_session STEP`.

Here, before the session (`next_session.md` has the order and the expected times):

    pack WORK OUT             WORK in parts that one call can carry: OUT/00, OUT/01 ...

There, one call each; W (environment) is the work folder, $OUT what comes back, TEACHER another teacher's folder in it:

    unpack FOLDER             put a carried part into W; the last part of an archive is unpacked
    start language SECONDS    train a language model of 1.5 billion parameters as the encoder of a document
                              model (`language_encoder`), without the corpora that range is measured on
    start base-a SECONDS      train a base model in the background, on everything (`home`), going on from the base
                              model of 0.2 (`session_data teacher`)
    start base-b SECONDS      train another one from the encoder on
    start range-a SECONDS     the same without the corpora that range is measured on
    start base SECONDS        go on with base-a, taught by base-a and base-b, also on unlabelled text
    start base-range SECONDS  go on with range-a, taught by range-a
    start student SECONDS     go on with the default model of 0.2 (`student-start`), taught by that base model
                              and the one before it (`teacher-old`), then by base-a and base-b
    start student-2 SECONDS   taught by base-a and base-b from its start, with all layers but the word
                              embeddings (a new parser is needed then)
    start student-range SECONDS   train a small model, taught by `range-a`
    start base-open 0, start small-open 0   train the recipes of these names, by their epochs
    start pronoun SECONDS     train a pronoun model over the small encoder on the stored scores of the
                              teacher, all layers but the word embeddings
    start pronoun-first SECONDS  train adapters over the encoder of the base model of 0.2 on these scores
    start pronoun-base SECONDS   go on with them over the encoder of `base`
    start teacher SECONDS     train the pronoun teacher again (`research.pronoun_teacher.device`)
    read NAME                 read the corpora of a run of documents in the background, before it is started
    wait NAME SECONDS         print the log of a run until it ends or SECONDS are over
    home NAME FIRST           copy its metadata and four slices of its weights, from number FIRST on

Here, after each `home`:

    join FOLDER NAME OUT      put the slices together as OUT/weights.pt, and check the sha256
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

from research.models.device_session import log, out_folder, slices, work_folder
from research.models.document_recipes import document_recipe

PART = 60 * 1024 * 1024
"""A call carries 64 MiB: this, and a working tree that a sparse checkout leaves almost empty."""
ORDER = (
    ("data", "gen", "problems", "py", "qwen"), ("teacher",), ("mpnet",), ("texts",), ("student-start",),
    ("teacher-old",), ("pronoun",), ("gte-small", "minilm"), ("pronoun-teacher",),
)  # fmt: skip
"""What is sent together, in this order; folders of the work folder."""
LARGE = {
    "words": 3200, "encoder_rate": 5e-5, "head_rate": 4e-4, "hidden": 512, "span": 384,
    "teacher_weight": 0.5,
}  # fmt: skip
AGAIN = LARGE | {"encoder_rate": 3e-5, "head_rate": 2.5e-4}
SMALL = {"words": 6000, "encoder_rate": 1.5e-4, "head_rate": 6e-4, "teacher_weight": 0.6}
SMALL_AGAIN = SMALL | {"encoder_rate": 1e-4, "head_rate": 4e-4}
LANGUAGE = {
    "words": 4000, "encoder_rate": 2e-5, "head_rate": 4e-4, "window": 1024, "overlap": 128,
}  # fmt: skip
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "language": ("range", LANGUAGE),
    "base-a": ("home", AGAIN),
    "base-b": ("home", LARGE | {"seed": 2}),
    "range-a": ("range", LARGE),
    "base": ("home-student", AGAIN),
    "base-range": ("range-student", AGAIN),
    "student": ("home-student", SMALL_AGAIN),
    "student-2": ("home-student", SMALL_AGAIN | {"seed": 2}),
    "student-range": ("range-student", SMALL),
    "base-open": ("base-open", {}),
    "small-open": ("small-open", {}),
}
"""The recipe of each run of documents, and what differs from it."""
ENCODERS = {"language": "qwen"}
"""The encoder of a run, where it is not the recipe's."""
STARTS = {
    "base-a": "teacher", "base": "out-base-a", "base-range": "out-range-a",
    "student": "student-start", "student-2": "student-start",
}  # fmt: skip
"""The model that a run goes on from."""
BOTH = ("out-base-a", "out-base-b")
TEACHERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "base": (BOTH, ()), "base-range": (("out-range-a",), ()),
    "student": (("teacher", "teacher-old"), BOTH), "student-2": (BOTH, ()), "student-range": (("out-range-a",), ()),
}  # fmt: skip
"""The folders of a run's teachers, and of those that take their place when they are ready."""
FROZEN = {
    "student": {"FREEZE_LAYERS": "6"},
    "student-2": {"FREEZE_WORDS": "1", "ORDER": "2"},
    "student-range": {"FREEZE_WORDS": "1"},
}
"""What stays as it is, since the pronoun model and the parser share it."""
RANGE = frozenset({"language", "range-a", "base-range", "student-range"})
"""Runs that are scored out of domain at their end."""
PRONOUNS = {
    "pronoun": ("gte-small", ("--rank", "0", "--rate", "8e-5")),
    "pronoun-first": ("teacher", ("--rank", "64", "--roles", "10", "--subwords", "24576")),
    "pronoun-base": (
        "out-base",
        (
            "--rank",
            "64",
            "--roles",
            "10",
            "--subwords",
            "24576",
            "--start",
            "out-pronoun-first",
            "--head-rate",
            "3e-4",
        ),
    ),
}
"""The encoder of a pronoun model, and its settings."""
OUT_OF_DOMAIN = tuple(
    {"files": [name], "scheme": "general", "singletons": False}
    for name in ("meantime", "email:train", "craft:dev")
)
"""What range is measured on, for a model that can be scored nowhere else."""
_TRIAL = {"words": 600, "hidden": 16, "span": 16}


def pack(work: Path, out: Path) -> None:
    """Write the archives of the work folder in parts; a small file tells how many each has."""
    number = 0
    for group in ORDER:
        folders = [name for name in group if (work / name).is_dir()]
        if not folders:
            log(f"not there: {', '.join(group)}")
            continue
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
            for name in folders:
                archive.add(work / name, name)
        content = packed.getvalue()
        count = -(-len(content) // PART)
        digest = hashlib.sha256(content).hexdigest()
        for at in range(count):
            folder = out / f"{number:02d}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{group[0]}.{at:02d}").write_bytes(content[at * PART : (at + 1) * PART])
            facts = {"name": group[0], "parts": count, "sha256": digest}
            (folder / "part.json").write_text(json.dumps(facts), encoding="utf-8")
            number += 1
        log(f"{', '.join(folders)}: {len(content):,} bytes in {count} parts")


def unpack(folder: Path) -> None:
    """Keep a part; unpack the archive when all of its parts are there."""
    work = work_folder()
    facts = json.loads((folder / "part.json").read_text(encoding="utf-8"))
    kept = work / "parts"
    kept.mkdir(parents=True, exist_ok=True)
    for part in folder.glob(f"{facts['name']}.*"):
        (kept / part.name).write_bytes(part.read_bytes())
    parts = sorted(kept.glob(f"{facts['name']}.[0-9][0-9]"))
    if len(parts) < facts["parts"]:
        log(f"{facts['name']}: {len(parts)} of {facts['parts']} parts")
        return
    content = b"".join(part.read_bytes() for part in parts)
    if hashlib.sha256(content).hexdigest() != facts["sha256"]:
        raise SystemExit(f"{facts['name']}: the parts do not give the archive that was packed")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(work, filter="data")
    (kept / f"{facts['name']}.done").touch()
    log(f"{facts['name']}: unpacked")


def command(name: str, seconds: float) -> tuple[list[str], dict[str, str]]:
    """The command of a run and its environment."""
    work = work_folder()
    if name in PRONOUNS:
        encoder, options = PRONOUNS[name]
        return [
            "research.models.pronoun_distill", "train", "--encoder", str(work / encoder),
            "--data", str(work / "pronoun"), "--out", str(work / f"out-{name}"),
            "--seconds", str(seconds), *(str(work / o) if o.startswith("out-") else o for o in options),
        ], {}  # fmt: skip
    if name == "teacher":
        folder = work / "pronoun-teacher"
        return [
            "research.pronoun_teacher.device",
            "train",
            str(folder),
            str(folder / "plan.json"),
        ], {"SECONDS": str(seconds)}
    recipe, changes = RUNS[name]
    values = dict(changes)
    own = {"RUN": name} | FROZEN.get(name, {})
    if name in ENCODERS:
        values["encoder"] = str(work / ENCODERS[name])
    if name in STARTS:
        values |= {"encoder": "", "start": str(work / STARTS[name])}
    if name in RANGE:
        values["dev"] = [*document_recipe(recipe, work)["dev"], *OUT_OF_DOMAIN]
    if "FEW" in os.environ:
        values |= {k: v for k, v in _TRIAL.items() if k == "words" or name not in STARTS}
    if name in TEACHERS:
        first, following = (",".join(str(work / f) for f in each) for each in TEACHERS[name])
        values["teacher"] = os.environ.get("TEACHER", first)
        own |= {"NEXT_TEACHER": following} if following else {}
    own["SET"] = json.dumps(values)
    return ["research.models.coref_device", recipe, str(seconds)], own


def read(name: str) -> None:
    """Read the corpora of a run in the background, so that it finds them when it is started.

    A run that goes on from another one of this session has the tokenizer of the model or the encoder that
    this one begins with.
    """
    arguments, own = command(name, 0.0)
    values = json.loads(own["SET"])
    before = STARTS.get(name, "").removeprefix("out-")
    if before in RUNS:
        first = json.loads(command(before, 0.0)[1]["SET"])
        encoder = document_recipe(RUNS[before][0], work_folder())["encoder"]
        values |= {"start": first.get("start", ""), "encoder": first.get("encoder", encoder)}
        own["SET"] = json.dumps(values)
    _launch(f"{name}.read", [*arguments[:-1], "read"], own)


def start(name: str, seconds: float) -> None:
    """Start a run that goes on after the call has ended."""
    _launch(name, *command(name, seconds))


def _launch(name: str, arguments: list[str], own: dict[str, str]) -> None:
    memory = {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}
    log_file = work_folder() / f"{name}.log"
    with log_file.open("w", encoding="utf-8") as output:
        run = subprocess.Popen(
            [sys.executable, "-u", "-m", *arguments], stdout=output, stderr=subprocess.STDOUT,
            env={**os.environ, **memory, **own}, start_new_session=True,
        )  # fmt: skip
    run.returncode = 0  # it goes on without this process, which does not wait for it
    (work_folder() / f"{name}.pid").write_text(str(run.pid), encoding="utf-8")
    log(f"{name}: process {run.pid}")


def wait(name: str, seconds: float) -> bool:
    """Print the new lines of a run's log until it ends; whether it ended."""
    end = time.monotonic() + seconds
    pid = int((work_folder() / f"{name}.pid").read_text(encoding="utf-8"))
    at = 0
    while True:
        ended = not _runs(pid)
        text = (work_folder() / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        if text[at:].strip():
            print(text[at:], end="", flush=True)  # noqa: T201
        at = len(text)
        if ended or time.monotonic() > end:
            log(f"{name}: {'ended' if ended else 'still runs'}")
            return ended
        time.sleep(min(2.0, max(end - time.monotonic(), 0.1)))


def _runs(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.is_file() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def home(name: str, first: int) -> None:
    """Copy metadata and slices of the weights of a run."""
    folder, out = work_folder() / f"out-{name}", out_folder()
    content = (folder / "weights.pt").read_bytes()
    for number, part in slices(content, first).items():
        (out / f"{name}-weights.{number:02d}").write_bytes(part)
    facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (out / f"{name}-weights.json").write_text(json.dumps(facts), encoding="utf-8")
    if first == 0:
        with tarfile.open(out / f"{name}.tar.gz", "w:gz") as packed:
            for path in [*sorted(folder.iterdir()), work_folder() / f"{name}.log"]:
                if path.suffix in (".json", ".jsonl", ".svg", ".log", ".md", ".npz"):
                    packed.add(path, path.name)
    log(f"{name}: {facts}")


def join(folder: Path, name: str, out: Path) -> None:
    """Put the slices of all calls together."""
    facts = json.loads((folder / f"{name}-weights.json").read_text(encoding="utf-8"))
    parts = sorted(folder.glob(f"{name}-weights.[0-9][0-9]"))
    content = b"".join(part.read_bytes() for part in parts)
    if hashlib.sha256(content).hexdigest() != facts["sha256"]:
        raise SystemExit(f"{name}: expected {facts['bytes']:,} bytes, found {len(content):,}")
    out.mkdir(parents=True, exist_ok=True)
    (out / "weights.pt").write_bytes(content)
    with tarfile.open(folder / f"{name}.tar.gz") as packed:
        packed.extractall(out, filter="data")
    log(f"{out}: {len(content):,} bytes")


def main() -> None:
    """Run the step that the arguments name."""
    match sys.argv[1:]:
        case ["pack", work, out]:
            pack(Path(work), Path(out))
        case ["unpack", folder]:
            unpack(Path(folder))
        case ["start", name, seconds] if name in (*RUNS, *PRONOUNS, "teacher"):
            start(name, float(seconds))
        case ["read", name] if name in RUNS:
            read(name)
        case ["wait", name, seconds]:
            wait(name, float(seconds))
        case ["home", name, first]:
            home(name, int(first))
        case ["join", folder, name, out]:
            join(Path(folder), name, Path(out))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

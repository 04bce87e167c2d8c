"""Run the models of coindex on the corpora of the comparison: `python -m research.comparison.measure`.

    python -m research.comparison.measure MODEL STEP...     default or base; scores, gap, speed, texts
    python -m research.comparison.measure all               everything, about half an hour on two free cores

Each result is written to measured.json as soon as it is there. Speed is in words for each second
of processor time and of wall time; memory is the highest resident size of a process of its own.
Other work on the machine lengthens wall time, and processor time a little: the load is noted.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import coindex
from coindex import io
from coindex.models.common.installed_models import find_model

HERE = Path(__file__).parent
TARGET = HERE / "measured.json"
TEXTS = HERE / "texts.txt"
MODELS = ("default", "base")
THREADS = 2
SPEED_DOCUMENTS = 4
"""How many of LitBank's test documents the speed is measured on: 8,000 words."""


def scores(model: str) -> dict[str, Any]:
    """CoNLL F1 and its parts on the test sets of documents."""
    from research.models.score_coref import corpora, documents

    return {corpus.scheme: documents(corpus, model) for corpus in corpora("test")[:2]}


def gap(model: str) -> dict[str, Any]:
    """F1, its parts by gender and the bias on GAP's test set, with intervals; names are detected."""
    from research.models.score_coref import gap as gap_figures

    return gap_figures("test", None if model == "default" else model)


def speed(model: str) -> dict[str, Any]:
    """Words a second and memory, in a process that does nothing else."""
    code = f"from research.comparison.measure import timed; timed({model!r})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def timed(model: str) -> None:
    """Load a model, resolve the first documents of LitBank's test set as plain texts, and print."""
    from coindex.models.coref.train.corpora import read_corpus
    from research.models.score_coref import corpora

    found = list(read_corpus(corpora("test")[0]).documents)[:SPEED_DOCUMENTS]
    texts = [document.text for document in found]
    begun, before = time.perf_counter(), time.process_time()
    resolver = coindex.load(model, threads=THREADS)
    resolver.resolve("Ann slept.")
    loaded, used = time.perf_counter() - begun, time.process_time() - before
    begun, before = time.perf_counter(), time.process_time()
    words = sum(len(document) for document in resolver.resolve_all(texts))
    wall, processor = time.perf_counter() - begun, time.process_time() - before
    row = {
        "words": words,
        "words a second": round(words / wall),
        "words a processor second": round(words / processor),
        "seconds to load": round(loaded, 1),
        "processor seconds to load": round(used, 1),
        "peak memory, MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "load average": round(os.getloadavg()[0], 1),
    }
    sys.stdout.write(json.dumps(row))


def texts(model: str) -> dict[str, Any]:
    """The answers to the texts of this comparison, with brackets around mentions."""
    from coindex.transform.brackets import bracketed_text

    resolver = coindex.load(model)
    lines = [line for line in io.read_text(TEXTS).splitlines() if line and line[0] != "#"]
    return {line: bracketed_text(resolver.resolve(line)) for line in lines}


def size(model: str) -> float:
    """The size of a model's files in MB, without its card."""
    files = [file for file in find_model(model).iterdir() if file.suffix not in (".md", ".py")]
    return round(sum(file.stat().st_size for file in files) / 1e6, 1)


STEPS = {"texts": texts, "speed": speed, "scores": scores, "gap": gap}


def measure(model: str, step: str) -> None:
    """One step with one model; its result is stored."""
    result = STEPS[step](model)
    stored = json.loads(io.read_text(TARGET)) if TARGET.is_file() else {}
    row = stored.setdefault(model, {})
    row[step] = result
    row["size, MB"] = size(model)
    row["version"] = coindex.__version__
    row["machine"] = (
        f"{processor_name()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    )
    io.write_text(TARGET, [json.dumps(stored, indent=1, ensure_ascii=False, sort_keys=True), "\n"])
    sys.stderr.write(f"{model} {step}: done\n")


def processor_name() -> str:
    """What the system calls the processor."""
    file = Path("/proc/cpuinfo")
    rows = io.read_text(file).splitlines() if file.is_file() else []
    named = [row.partition(":")[2].strip() for row in rows if row.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def main() -> None:
    """Measure what the command line names."""
    given = sys.argv[1:] or ["all"]
    models = MODELS if given[0] == "all" else (given[0],)
    for model in models:
        for step in given[1:] or STEPS:
            measure(model, step)


if __name__ == "__main__":
    main()

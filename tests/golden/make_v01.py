"""Makes the artefacts of version 0.1 in `v01/`, which later versions must still open.

Run once, with version 0.1: `PYTHONPATH=/path/to/v01/src python tests/golden/make_v01.py`. It uses
the command line and the HTTP API alone, the stories of `stories/`, and an encoder of random
weights, so nothing in `v01/` comes from a corpus.

encoder/            what the models were trained from
coref/, coref-exported/     `train coref`, `train export`
pronoun/, pronoun-exported/ `train pronoun` (substitution), `train export`
masked/, heads/, ensemble/  the other kinds of `train pronoun`
quizbowl.model      `train quizbowl`
work.db             an annotation database with two projects, events and gold
cache/bench/        the journal of a `bench` that was killed
build/              the parts of a `build` that was killed, with its input
runs/               the log of an `active simulate` that was cut off
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
V01, STORIES = HERE / "v01", HERE / "stories"
ENV = {"COINDEX_CACHE": "cache", "OMP_NUM_THREADS": "1", "COINDEX_DATA": "none"}
COREF = """
encoder = "encoder"
epochs = 12
words = 100
window = 64
overlap = 16
hidden = 16
span = 16
width = 5
fine = 8
encoder_rate = 2e-3
head_rate = 4e-3
dropout = 0.1
check = 1
average = 0.9
[[train]]
files = ["stories/train.conll"]
scheme = "plain"
singletons = false
[[train]]
files = ["stories/train.conll"]
scheme = "every"
[[dev]]
files = ["stories/pool.conll"]
scheme = "plain"
singletons = false
"""
STAGE = """
window = 64
encoder = "encoder"
seeds = [1]
[[stage]]
files = ["stories/problems.jsonl"]
loss = "{loss}"
epochs = 2
[[dev]]
files = ["stories/dev.jsonl"]
"""
RECIPES = {
    "pronoun": 'kind = "substitution"' + STAGE.format(loss="choice"),
    "masked": 'kind = "masked-lm"' + STAGE.format(loss="margin"),
    "ensemble": """
kind = "ensemble"
[[member]]
resolver = "first"
[[member]]
resolver = "substitution"
model = "pronoun"
[[dev]]
files = ["stories/dev.jsonl"]
""",
}


def coindex(line: str) -> subprocess.CompletedProcess[bytes]:
    """A command that must succeed."""
    print("coindex", line, flush=True)
    return subprocess.run(
        [sys.executable, "-m", "coindex", *line.split()], check=True, env={**os.environ, **ENV}
    )


def killed(line: str, ready: Callable[[], bool]) -> None:
    """A command that is killed as soon as `ready`."""
    print("coindex", line, "(to be killed)", flush=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "coindex", *line.split()], env={**os.environ, **ENV}
    )
    while not ready():
        if process.poll() is not None:
            raise RuntimeError(f"{line}: was done before it could be killed")
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


def encoder(folder: Path) -> None:
    """BERT with random weights, 32 wide, and a tokenizer that knows the stories' words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    text = "".join(path.read_text("utf-8") for path in sorted(STORIES.glob("*.conll")))
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,'-"
    every = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    every += sorted({row[3].lower() for row in rows} - set(every))
    tokenizer = Tokenizer(models.WordPiece({w: n for n, w in enumerate(every)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(every), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=128,
    )  # fmt: skip
    make: Callable[[BertConfig], Any] = BertModel  # which has no types
    make(config).save_pretrained(folder)


def models() -> None:
    """Every kind of model, and the exported ones."""
    encoder(Path("encoder"))
    Path("coref.toml").write_text(COREF)
    coindex("train coref --config coref.toml -o coref --device cpu")
    coindex("train export coref -o coref-exported")
    for name, recipe in RECIPES.items():
        Path(f"{name}.toml").write_text(recipe)
        coindex(f"train pronoun --recipe {name}.toml -o {name} --device cpu")
    coindex("train export pronoun -o pronoun-exported")
    files = "--set stage.1.files=stories/problems.jsonl"
    coindex(f"train pronoun --recipe attention --encoder encoder {files} -o heads --device cpu")
    small = "--vectors none --set bits=12 --set rounds=2"
    coindex(f"train quizbowl stories/train.conll -o quizbowl.model {small}")


def annotation() -> None:
    """A database in which two annotators and an adjudicator have worked."""
    coindex("annotate init --database work.db")
    coindex("annotate import --project chains --database work.db stories/pool.conll")
    coindex("annotate import --project pronouns --database work.db stories/items.jsonl")
    subprocess.run(
        [sys.executable, HERE / "annotate_session.py"], check=True, stdout=subprocess.DEVNULL
    )
    with sqlite3.connect("work.db") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode=DELETE")
    shutil.rmtree("work.db.backups", ignore_errors=True)


def journals() -> None:
    """Runs that did not come to their end."""
    Path("bench/gap").mkdir(parents=True)
    many = [line.replace('"id":"', f'"id":"{n}-') for n in range(8)
            for line in (STORIES / "problems.jsonl").read_text().splitlines()]  # fmt: skip
    Path("many.jsonl").write_text("\n".join(many) + "\n")
    coindex("convert many.jsonl --to gap -o bench/gap/gap-development.tsv")
    ENV["COINDEX_DATA"] = "bench"
    shutil.rmtree("cache", ignore_errors=True)
    folder = Path("cache/bench")
    killed(
        "bench gap --resolver substitution --candidates given", lambda: any(folder.glob("*.jsonl"))
    )
    Path("build").mkdir()
    shutil.copyfile(STORIES / "pages.jsonl", "build/pages.jsonl")
    parts = Path("build/crem.jsonl.parts")
    line = "build wikicrem build/pages.jsonl -o build/crem.jsonl --shard 200"
    killed(line, lambda: any(parts.glob("part-*.jsonl")))
    line = "active simulate stories/train.conll --strategy voting,random --seeds 1 --rounds 2"
    coindex(f"{line} --start 3 --pool 4 --vectors none --set bits=12 --set rounds=2 -o runs")
    log = Path("runs/seed-1.jsonl")
    log.write_bytes(log.read_bytes()[: len(log.read_bytes()) // 2])


KEEP = (
    "encoder", "coref", "coref-exported", "pronoun", "pronoun-exported", "masked", "heads",
    "ensemble", "quizbowl.model", "work.db", "cache/bench", "bench", "build", "runs",
)  # fmt: skip


def main() -> None:
    """Make everything in a temporary folder, then copy what is kept."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copytree(STORIES, "stories")
        for make in (journals, annotation, models):
            make()
        shutil.rmtree(V01, ignore_errors=True)
        for name in KEEP:
            target = V01 / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if Path(name).is_dir() else shutil.copyfile)(name, target)
        os.chdir(HERE)
        scrub(Path(folder))


def scrub(folder: Path) -> None:
    """Make the absolute paths in cards of models relative: cases run where these folders lie."""
    for path in V01.rglob("model.json"):
        text = path.read_text("utf-8")
        path.write_text(text.replace(f"{folder.resolve()}/", ""), "utf-8")


if __name__ == "__main__":
    main()

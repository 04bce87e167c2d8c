"""What version 0.1 left behind: models, databases and journals, opened by the current code."""

from __future__ import annotations

from collections.abc import Iterator

from golden import inputs
from golden.case import Case, Step, command
from golden.inputs import artefacts

BENCH = "bench gap --candidates given --resamples 1000 --resolver"
HERE = {"COINDEX_DATA": "bench", "COINDEX_CACHE": "cache"}


def on_own(line: str) -> Step:
    """A command on the small benchmark of our own problems, with the cache of version 0.1."""
    return Step(tuple(line.split()), env=HERE)


def cases() -> Iterator[Case]:
    """All cases of old artefacts."""
    yield from _models()
    prepare = inputs.all_of(inputs.stories, artefacts("quizbowl.model"))
    lines = (
        "resolve stories/pool.conll --model quizbowl.model",
        "resolve stories/pool.conll --model quizbowl.model --json",
    )
    yield Case(
        "old/quizbowl", tuple(map(command, lines)), prepare, ("spacy", "pycrfsuite"), ours=True
    )
    steps = (on_own(f"{BENCH} substitution --json"), on_own(f"{BENCH} substitution"))
    yield Case(
        "old/bench-journal",
        steps,
        artefacts("cache/bench", "bench"),
        ours=True,
        ignore=("cache/*",),
    )
    line = "build wikicrem build/pages.jsonl -o build/crem.jsonl --shard 200"
    yield Case("old/build", (command(line),), artefacts("build"), ("spacy",), ours=True)
    line = ("active simulate stories/train.conll --strategy voting,random --seeds 1 --rounds 2 --start 3"
            " --pool 4 --vectors none --set bits=12 --set rounds=2 -o runs")  # fmt: skip
    prepare = inputs.all_of(inputs.stories, artefacts("runs"))
    yield Case(
        "old/simulation", (command(line),), prepare, ("spacy", "pycrfsuite", "sklearn"), ours=True
    )
    yield _database()


def _models() -> Iterator[Case]:
    both = ("resolve stories/pool.conll --model {}", "resolve stories/pool.conll --model {} --json --scheme every",
            "resolve stories/pool.conll --model {} --singletons --to jsonl")  # fmt: skip
    torch = ("torch", "transformers")
    for name in ("coref-exported", "coref"):
        needs = torch if name == "coref" else ()
        steps = tuple(command(line.format(name)) for line in both)
        prepare = inputs.all_of(inputs.stories, artefacts(name))
        yield Case(f"old/{name}", steps, prepare, needs, ours=True)
    steps = (on_own(f"{BENCH} substitution --model pronoun-exported --json"),)
    steps += (
        on_own(
            "train teach stories/items.jsonl stories/dev.jsonl --resolver substitution --model pronoun-exported --sure 0 -o taught.jsonl"
        ),
    )
    prepare = inputs.all_of(inputs.stories, artefacts("pronoun-exported", "bench"))
    yield Case("old/pronoun-exported", steps, prepare, ours=True, ignore=("cache/*",))
    prepare = artefacts("pronoun", "masked", "heads", "ensemble", "bench", "encoder")
    rows = (
        ("substitution", "pronoun"),
        ("masked-lm", "masked"),
        ("ensemble", "ensemble"),
        ("attention-single,attention-multi", "heads"),
    )
    steps = tuple(on_own(f"{BENCH} {kind} --model {folder} --json") for kind, folder in rows)
    yield Case(
        "old/pronoun",
        steps,
        prepare,
        ("torch", "transformers", "spacy"),
        ours=True,
        ignore=("cache/*",),
    )
    lines = (
        "train export coref -o out",
        "train export pronoun -o light",
        "resolve stories/pool.conll --model out --json",
    )
    prepare = inputs.all_of(inputs.stories, artefacts("coref", "pronoun"))
    export = (*torch, "onnx")
    yield Case(
        "old/export",
        tuple(map(command, lines)),
        prepare,
        export,
        ours=True,
        rules=("times", "seconds"),
    )


def _database() -> Case:
    base = "--database work.db"
    lines = (
        f"annotate init {base}", f"annotate doctor {base}", f"annotate users list {base}",
        f"annotate export --project chains {base} --which sheets -o sheets.jsonl",
        f"annotate export --project chains {base} --which gold --to conll2012 -o gold.conll",
        f"annotate export --project pronouns {base} --which judgements -o judged.jsonl",
        f"annotate export --project pronouns {base} --which sheets -o answers.jsonl",
        f"annotate import --project again {base} sheets.jsonl", f"annotate doctor --json {base}",
    )  # fmt: skip
    return Case(
        "old/database", tuple(map(command, lines)), artefacts("work.db"), ("sqlalchemy", "alembic"), ours=True,
        ignore=("*.db*",), rules=("secrets",),
    )  # fmt: skip

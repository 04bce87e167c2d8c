"""What a lent GPU needs to train pronoun models, made without one.

    pronoun_prepare.py FOLDER ENCODER FAMILY RECIPE ...

writes the rows of pieces of the recipes' data and dev sets, and of every set to score, for
the tokenizer of ENCODER; FAMILY is a letter that names it (m: MPNet, b: BERT). Everything
that takes time but no GPU is so done once for all jobs and seeds.
"""

from __future__ import annotations

import lzma
import pickle
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

BEGAN = time.monotonic()
WINDOW = 192
SETS = (
    ("gap:validation", "given"), ("gap:validation", "found"), ("gap:test", "given"),
    ("gap:test", "found"),
    ("knowref:dev", "given"), ("knowref:test", "given"), ("dpr:dev", "given"),
    ("dpr:test", "given"), ("winogrande:dev", "given"), ("wsc273:test", "given"), ("pdp:test", "given"),
    ("wnli:dev", "given"), ("winogender:sentences", "given"), ("winobias:dev", "given"),
    ("winobias:test", "given"),
)  # fmt: skip


def say(text: str) -> None:
    """A line with the seconds since the start."""
    print(f"{time.monotonic() - BEGAN:6.1f} {text}", flush=True)  # noqa: T201


def dump(path: Path, value: Any) -> None:
    """Pack a value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wb", preset=2) as file:
        pickle.dump(value, file, protocol=5)


def prepare(folder: Path, encoder: str, family: str, names: list[str]) -> None:
    """The rows of recipes, for one tokenizer."""
    from coindex.cli._pronoun import _ways
    from coindex.pronoun import options
    from coindex.pronoun.dev import sides
    from coindex.pronoun.pieces import Tokens
    from coindex.pronoun.rows import item
    from coindex.pronoun.stages import work_of

    ways = _ways(None)
    model: Any = SimpleNamespace(tokens=Tokens(encoder))
    for name in names:
        recipe = options.load(name)
        dev = sides(recipe.dev, ways)
        rows = [[item(asked, model.tokens, WINDOW) for asked in side.asked] for side in dev]
        work = work_of(recipe, model, dev, 1)
        if name == "lm-head":
            _pack_text(work[0], folder / "text.xz")
        dump(folder / f"{family}-{name}.xz", ([] if name == "lm-head" else work, dev, rows))
        told = [(each.name, *each.remarks) for each in work]
        say(f"{family} {name}: {told}")
    if not (folder / f"{family}-sets.xz").exists():
        dump(folder / f"{family}-sets.xz", _sets(ways, model.tokens))


def _pack_text(work: Any, path: Path) -> None:
    """Stretches of plain text, in half the bytes."""
    import numpy as np

    text = work.text
    dump(
        path, (text.learn.astype(np.uint16), text.held.astype(np.uint16), text.pages, work.remarks)
    )


def _sets(ways: Any, tokens: Any) -> dict[str, list[Any]]:
    """The rows of every set to score, without answers."""
    from coindex import benchmarks
    from coindex.core.decision import unanswered
    from coindex.core.switch import Refused, switch
    from coindex.pronoun.rows import item

    found = {}
    for name, way in SETS:
        bench, _, split = name.partition(":")
        loaded = benchmarks.load(bench)
        problems = loaded.problems(split or loaded.DEFAULT)
        todo = {f"{name}:{way}": problems}
        if way == "given":
            copies = [switch(problem) for problem in problems]
            safe = [each for each in copies if not isinstance(each, Refused)]
            todo[f"{name}:{way}:switched"] = tuple(safe)
        for label, chosen in todo.items():
            asked = list(ways[way](map(unanswered, chosen)))
            found[label] = [item(each, tokens, WINDOW) for each in asked]
            say(f"{label}: {len(asked)} problems, {sum(len(i.rows) for i in found[label])} rows")
    return found


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])

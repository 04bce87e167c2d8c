"""The scores of a session joined to the ids of their problems: `export_scores`.

    unlabelled NAME TEXTS PARTS OVERLAP OUT   the scores of an unlabelled set
    blind DATA NAME NPZ OUT                   the scores of dev or test, without answers
    dev DATA NPZ ...                          accuracy on dev: one reading, both, and by the rule

A line of `unlabelled`: the id of a problem; the scores of its candidates, in order; and, if there
is a switched copy, the scores that it gives to the same candidates. Scores are logarithms to base
e up to a constant for each problem, in hundredths. Problems in a dev or test set (OVERLAP) are
left out.

The rule: the mean of both readings if all candidates are names, else the first reading alone.
Exchanged things make no sense ("the suitcase does not fit into the trophy").
"""

from __future__ import annotations

import json
import lzma
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
ByProblem = dict[int, list[Values | None]]
"""For each problem the values of its candidates: of the text itself, and of the switched copy."""


def add_readings(
    arrays: Mapping[str, NDArray[Any]], values: NDArray[Any], found: ByProblem
) -> None:
    """Add the values of some readings, with the candidates in the order of the problem."""
    item, switched, counts = arrays["item"], arrays["switched"], arrays["counts"]
    ends = np.cumsum(counts.astype(np.int64))
    for at in range(len(item)):
        own = values[ends[at] - counts[at] : ends[at]].astype(np.float32)
        row = found.setdefault(int(item[at]), [None, None])
        row[int(switched[at])] = own[::-1] if switched[at] else own


def write_unlabelled(name: str, texts: Path, parts: Path, overlap: Path, out: Path) -> None:
    """Write ids and scores of an unlabelled set."""
    found: ByProblem = {}
    for path in sorted(parts.glob(f"scored-{name}-*.npz")):
        arrays = np.load(path)
        add_readings(arrays, arrays["scores"], found)
    dropped = {line.split("\t")[0] for line in overlap.read_text().splitlines()}
    written = left_out = 0
    with lzma.open(texts, "rt") as lines, lzma.open(out, "wt", preset=9) as file:
        for number, line in enumerate(lines):
            id = json.loads(line)[0]
            if id in dropped or number not in found:
                left_out += 1
                continue
            written += 1
            file.write("\t".join([id, *map(_hundredths, found[number])]).rstrip("\t") + "\n")
    print(f"{name}: {written} written, {left_out} left out")  # noqa: T201


def _hundredths(values: Values | None) -> str:
    return "" if values is None else " ".join(str(round(100 * float(v))) for v in values)


def parse_score_line(line: str) -> tuple[str, list[int], list[int]]:
    """The id, the scores and the scores of the switched copy, if any, of an unlabelled problem."""
    id, *columns = line.rstrip("\n").split("\t")
    one, two = [[int(value) for value in column.split()] for column in (*columns, "")[:2]]
    return id, one, two


def write_blind(data: Path, name: str, npz: Path, out: Path) -> None:
    """Write ids and scores of dev or test; answers are not used."""
    found, ids = _read(data, name, npz), (data / f"{name}.ids").read_text().splitlines()
    with lzma.open(out, "wt", preset=9) as file:
        for number in sorted(found):
            corpus, id = ids[number].split("\t", 1)
            row: dict[str, Any] = {"set": corpus, "id": id}
            for key, values in zip(("scores", "switched"), found[number], strict=True):
                if values is not None:
                    row[key] = [round(float(each), 3) for each in values]
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _read(data: Path, name: str, npz: Path) -> ByProblem:
    found: ByProblem = {}
    add_readings(np.load(data / f"{name}.npz"), np.load(npz)["scores"], found)
    return found


def decisions(one: Values, two: Values | None, *, names: bool) -> tuple[int, int, int]:
    """The chosen candidate by the first reading, by the mean of both, and by the rule."""
    both = one if two is None else (one + two) / 2
    first, mean = int(one.argmax()), int(both.argmax())
    return first, mean, mean if names else first


def print_dev(data: Path, files: list[Path]) -> None:
    """Print accuracy in percent, by set: one reading, both, and by the rule."""
    right: ByProblem = {}
    arrays = np.load(data / "dev.npz")
    add_readings(arrays, arrays["right"], right)
    ids = [line.split("\t", 1) for line in (data / "dev.ids").read_text().splitlines()]
    names = problems_of_names()
    for path in files:
        rows: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
        for number, (one, two) in _read(data, "dev", path).items():
            answer = right[number][0]
            if one is None or answer is None or not answer.any():
                continue
            corpus, id = ids[number]
            chosen = decisions(one, two, names=names.get((corpus, id), True))
            hits = tuple(bool(answer[at]) for at in chosen)
            rows[corpus].append(hits)
            if corpus.startswith("winobias"):
                rows[f"{corpus} {id.rsplit('-', 1)[0]}"].append(hits)
        for corpus, each in sorted(rows.items()):
            shares = [f"{100 * np.mean(way):.1f}" for way in zip(*each, strict=True)]
            print("\t".join([path.stem, corpus, str(len(each)), *shares]))  # noqa: T201


def problems_of_names() -> dict[tuple[str, str], bool]:
    """Whether the candidates of each dev problem, by set and id, are all names."""
    from coindex.models.pronoun.symmetric_scoring import are_names
    from coindex.models.pronoun.train.problems import read_problems
    from research.pronoun_teacher.prepare import DEV

    return {
        (name, problem.id): are_names(problem) for name in DEV for problem in read_problems(name)
    }


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case ["unlabelled", name, texts, parts, overlap, out]:
            write_unlabelled(name, Path(texts), Path(parts), Path(overlap), Path(out))
        case ["blind", data, name, npz, out]:
            write_blind(Path(data), name, Path(npz), Path(out))
        case ["dev", data, *files]:
            print_dev(Path(data), [Path(each) for each in files])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

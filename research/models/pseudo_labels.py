"""The pseudo-labels that the pronoun model of 0.1 was trained on: `pronoun/taught.xz`.

    store TAUGHT         store the ids and answers of a file of `coindex train teach`
    join BUILT TAUGHT    add the stored answers to the problems of `coindex build gap`

A line of the stored file is the id of a problem and the index of its answer. `join` writes the
problems that have an answer, in their order, as the recipe `adapters` reads them
(gap.taught.jsonl). So the model can be trained again without the model that answered. Call it as
`python -m research.models.pseudo_labels`.
"""

from __future__ import annotations

import lzma
import sys
from dataclasses import replace
from pathlib import Path

from coindex import formats
from coindex.errors import CoindexError, InputError
from coindex.types.problem import Problem

STORED = Path(__file__).parent / "pronoun" / "taught.xz"
FORMAT = "problem-jsonl"


def problems(file: str) -> list[Problem]:
    """The problems of a file."""
    return [each for each in formats.read(file, FORMAT) if isinstance(each, Problem)]


def store(taught: str, stored: Path = STORED) -> int:
    """Store the ids and answers of a file; returns their number."""
    rows = [f"{each.id} {each.answer[0]}\n" for each in problems(taught) if each.answer]
    stored.write_bytes(lzma.compress("".join(rows).encode(), preset=9 | lzma.PRESET_EXTREME))
    return len(rows)


def answers(stored: Path = STORED) -> dict[str, int]:
    """The stored answers: the index of the answer by the id of the problem."""
    rows = lzma.decompress(stored.read_bytes()).decode().splitlines()
    return {one: int(two) for one, _, two in (row.rpartition(" ") for row in rows)}


def join(built: str, taught: str, stored: Path = STORED) -> int:
    """Write the problems of a file that have a stored answer; returns their number."""
    known = answers(stored)
    answered = [replace(p, answer=(known[p.id],)) for p in problems(built) if p.id in known]
    missing = len(known) - len(answered)
    if missing:
        raise InputError(
            f"{built}: expected the {len(known):,} problems of {stored.name}, found {missing:,} of"
            " them missing: build it as described in research/models/README.md"
        )
    formats.write(taught, answered, FORMAT)
    return len(answered)


def main() -> None:
    """Run the command that the arguments name."""
    try:
        match sys.argv[1:]:
            case ["store", taught]:
                count = store(taught)
            case ["join", built, taught]:
                count = join(built, taught)
            case _:
                sys.exit(__doc__)
    except CoindexError as error:
        sys.exit(f"pseudo_labels: {error}")
    print(f"{count:,} answers")  # noqa: T201


if __name__ == "__main__":
    main()

"""The answers that taught the shipped pronoun model: `models/pronoun/taught.xz`.

    pronoun_taught.py keep TAUGHT          take them from a file of `coindex train teach`
    pronoun_taught.py join BUILT TAUGHT    give them to the problems of `coindex build gap`

A line is a problem's id and the number of its answer; `join` writes the problems that have one,
in their order, as the recipe `shipped` reads them (gap.taught.jsonl). So it can be trained again
without the model that answered.
"""

from __future__ import annotations

import lzma
import sys
from dataclasses import replace
from pathlib import Path

from coindex import formats
from coindex.core.problem import Problem
from coindex.errors import CoindexError, InputError

KEPT = Path(__file__).parent / "pronoun" / "taught.xz"
FORMAT = "problem-jsonl"


def problems(file: str) -> list[Problem]:
    """The problems of a file."""
    return [each for each in formats.read(file, FORMAT) if isinstance(each, Problem)]


def keep(taught: str, kept: Path = KEPT) -> int:
    """Keep the ids and answers of a file; how many."""
    rows = [f"{each.id} {each.answer[0]}\n" for each in problems(taught) if each.answer]
    kept.write_bytes(lzma.compress("".join(rows).encode(), preset=9 | lzma.PRESET_EXTREME))
    return len(rows)


def answers(kept: Path = KEPT) -> dict[str, int]:
    """What is kept: the number of the answer by the problem's id."""
    rows = lzma.decompress(kept.read_bytes()).decode().splitlines()
    return {one: int(two) for one, _, two in (row.rpartition(" ") for row in rows)}


def join(built: str, taught: str, kept: Path = KEPT) -> int:
    """Write the problems of a file that have a kept answer; how many."""
    known = answers(kept)
    found = [replace(p, answer=(known[p.id],)) for p in problems(built) if p.id in known]
    lacking = len(known) - len(found)
    if lacking:
        raise InputError(
            f"{built}: expected the {len(known):,} problems of {kept.name}, found {lacking:,} of"
            " them missing: build it as models/README.md says"
        )
    formats.write(taught, found, FORMAT)
    return len(found)


def main() -> None:
    """See above."""
    try:
        match sys.argv[1:]:
            case ["keep", taught]:
                done = keep(taught)
            case ["join", built, taught]:
                done = join(built, taught)
            case _:
                sys.exit(__doc__)
    except CoindexError as error:
        sys.exit(f"taught: {error}")
    print(f"{done:,} answers")  # noqa: T201


if __name__ == "__main__":
    main()

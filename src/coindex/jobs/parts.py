"""The folder of a run: what the run does, and a part for each task that is done.

`run.json` states everything that the output depends on. Parts are written atomically, so that a
run that was killed leaves only complete ones, and a run that is started again has only the others
to do. The first line of a part is a JSON object (its head), the other lines are its content.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from coindex import io
from coindex.errors import InputError
from coindex.types.mention import Pairs

PARTS = "part-*.jsonl"
RUN = "run.json"


def part_path(folder: str | Path, number: int) -> Path:
    """The file of the part of a task."""
    return Path(folder) / f"part-{number:06}.jsonl"


def claim_folder(folder: Path, settings: Pairs, resume: bool) -> None:
    """Create the folder of parts, or resume in it if it belongs to the same run.

    resume   whether parts that are there are used; otherwise they are discarded, those of a run
             with other settings too
    """
    text = json.dumps([list(pair) for pair in settings], indent=1) + "\n"
    file = folder / RUN
    if not file.is_file() and any(folder.glob(PARTS)):
        raise InputError(
            f"{folder}: expected the parts of this run, found those of another, without {RUN};"
            " remove the folder, or write to another place"
        )
    if file.is_file():  # else a run was killed at its start or end
        if not resume:
            remove_parts(folder)
        elif io.read_text(file) != text:
            raise InputError(
                f"{folder}: expected the parts of this run, found those of another one that was"
                " interrupted: --fresh discards them; or give its options, or write to another"
                " place"
            )
    io.make_folder(folder)
    io.write_text(file, [text])


def write_part(path: Path, head: Callable[[], Mapping[str, Any]], lines: Iterable[str]) -> None:
    """Write a part atomically.

    The head comes first in the file and may change until the last line has been produced, so
    the lines are first written to an unnamed temporary file in the same folder.
    """
    with TemporaryFile(
        "w+", encoding="utf-8", errors="surrogatepass", newline="\n", dir=path.parent
    ) as buffer:
        buffer.writelines(lines)
        buffer.seek(0)
        first = json.dumps(head(), ensure_ascii=False)
        io.write_text(path, chain([first + "\n"], buffer))


def first_line(path: Path) -> str:
    """The first line of a part."""
    with io.open_lines(path) as lines:
        return next(iter(lines), "")


def content_lines(path: Path) -> Iterator[str]:
    """The lines of a part after its head."""
    with io.open_lines(path) as lines:
        yield from islice(lines, 1, None)


def remove_parts(folder: Path) -> None:
    """Remove the parts of a run whose output is written, and `run.json` last: a run that is
    killed in between must be able to recognise the folder."""
    for file in folder.glob(PARTS):
        file.unlink()
    shutil.rmtree(folder)

"""Every published row is in its paper's table, number for number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from coindex import benchmarks
from coindex.benchmarks.protocol import Published

PAPERS = {"Webster et al. 2018": "001_", "Emami et al. 2019": "000_", "Kocijan et al. 2019": "003_"}
"""How a source begins, and the paper's text file."""
GAP = ("masculine f1", "feminine f1", "bias", "f1")
COLUMNS = {
    **{f"Webster et al. 2018, Table {number}": GAP for number in (4, 6, 7, 10)},
    "Emami et al. 2019, Table 3": (
        "both",
        "none",
        "incorrect",
        "correct",
        "task-specific accuracy",
    ),
    "Emami et al. 2019, Table 4": ("consistency",),
    "Emami et al. 2019, Table 5": ("task-specific accuracy", "+", "consistency"),
    "Emami et al. 2019, Table 6": ("bias", "f1"),
}
WIKICREM = "Kocijan et al. 2019 (WikiCREM), Table 1"
HALVES: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        *(("gap", name) for name in ("f1", "feminine f1", "masculine f1", "bias")),
        *((name, "accuracy") for name in ("dpr", "wsc273", "wnli")),
    ),
    (
        *(("winobias", f"type {name}") for name in ("1 anti", "1 pro", "2 anti", "2 pro")),
        *((name, "accuracy") for name in ("winogender", "pdp")),
    ),
)
"""The columns of WikiCREM's Table 1, which is printed in two halves."""
LABELS = {"Human": "Human5"}
ROWS = [
    (name, row) for name in benchmarks.names("problems") for row in benchmarks.load(name).PUBLISHED
]


@pytest.fixture(scope="module")
def papers(data: Path) -> Path:
    folder = data.parent / "papers"
    if not folder.is_dir():
        pytest.skip("no papers beside the corpora")
    return folder


def table_of(papers: Path, source: str) -> list[str]:
    """The words from the caption before a table to its own caption."""
    begin = next(mark for start, mark in PAPERS.items() if source.startswith(start))
    (path,) = papers.glob(f"{begin}*.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = source.rpartition(", ")[2] + ":"
    (end,) = (at for at, line in enumerate(lines) if line.startswith(wanted))
    start = end
    while start > end - 40 and not lines[start - 1].startswith("Table "):
        start -= 1
    return re.sub(r"</?u>|\*\*", "", " ".join(lines[start:end])).split()


def number(word: str) -> float | None:
    try:
        return float(word.rstrip("%"))
    except ValueError:
        return None


def rows_of(words: list[str], system: str) -> Iterator[list[float]]:
    """The numbers that follow a system's name."""
    label = ("SOTA" if system.startswith("SOTA (") else LABELS.get(system, system)).split()
    for at in range(len(words) - len(label)):
        if words[at : at + len(label)] == label:
            found = []
            for word in words[at + len(label) :]:
                value = number(word)
                if value is None and word != "–":
                    break
                if value is not None:
                    found.append(value)
            if found:
                yield found


def expected(name: str, row: Published, values: list[float]) -> dict[str, float]:
    """The figures that the paper's numbers stand for."""
    if row.source == WIKICREM:
        half = next(each for each in HALVES if len(each) == len(values))
        return {
            metric: value
            for (bench, metric), value in zip(half, values, strict=True)
            if bench == name
        }
    columns = COLUMNS[row.source][-len(values) :]
    scale = 100 if row.source == "Emami et al. 2019, Table 3" else 1
    told = zip(columns, values, strict=True)
    return {column: value * scale for column, value in told if column != "+"}


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "row"), ROWS, ids=[f"{name}-{row.source}-{row.system}" for name, row in ROWS]
)
def test_a_row_is_in_its_table(name: str, row: Published, papers: Path) -> None:
    found = [
        expected(name, row, values) for values in rows_of(table_of(papers, row.source), row.system)
    ]
    assert any(dict(row.figures) == pytest.approx(each) for each in found), found


def test_tables_are_complete() -> None:
    """As many rows as the papers print, less those that are another paper's or a coin."""
    counts = Counter((name, row.source, row.split) for name, row in ROWS)
    assert counts == {
        ("gap", "Webster et al. 2018, Table 4", "development"): 4,
        ("gap", "Webster et al. 2018, Table 6", "development"): 8,
        ("gap", "Webster et al. 2018, Table 7", "development"): 8,
        ("gap", "Webster et al. 2018, Table 10", "test"): 3,
        ("gap", "Emami et al. 2019, Table 6", "test"): 2,
        ("knowref", "Emami et al. 2019, Table 3", "test"): 9,
        ("knowref", "Emami et al. 2019, Table 4", "test"): 8,
        ("knowref", "Emami et al. 2019, Table 5", "test"): 3,
        **{
            (name, WIKICREM, "test"): 11
            for name in ("gap", "dpr", "wsc273", "pdp", "wnli", "winobias")
        },
        ("winogender", WIKICREM, "sentences"): 11,
        ("winogender", WIKICREM, "masked"): 11,
    }


def test_which_rows_had_which_task() -> None:
    rows = benchmarks.load("gap").PUBLISHED
    page = {(row.source[21:], row.candidates) for row in rows if row.context == "page"}
    assert page == {("Table 6", "found"), ("Table 7", "given"), ("Table 10", "found")}
    assert all("URL" in row.system for row in rows if row.context == "page")
    given = {row.source for row in rows if row.candidates == "given"}
    assert given == {"Webster et al. 2018, Table 7", "Emami et al. 2019, Table 6"}

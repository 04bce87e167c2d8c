"""Tables, JSON, the picture and the page of a run, and the files it leaves behind."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench_samples import ITEMS, first_in_text, problem, rightly
from coindex import benchmarks, formats
from coindex.errors import InputError, UsageError
from coindex.evaluate import decision_files, report
from coindex.evaluate.decision_files import ExternalDecisions, score_external
from coindex.evaluate.difficulty import difficulty
from coindex.evaluate.gap_figure import Points, points_of, svg
from coindex.evaluate.options import BenchOptions, select_benchmark
from coindex.evaluate.results import BenchmarkResult, BenchRun, SystemResult
from coindex.evaluate.run import merge_runs, run_benchmarks
from coindex.evaluate.tables import benchmark_table, overview_table, run_tables
from coindex.report.html import csp_hash
from coindex.report.render import render
from coindex.resolvers.cluster_decisions import decisions_from_documents
from coindex.types.decision import Decision
from coindex.types.document import Document

Make = Callable[..., Any]
SPACE = "\u2007"


@pytest.fixture
def done(tiny: ModuleType, gappy: ModuleType, resolver: Make) -> BenchRun:
    """Two resolvers on two benchmarks, and a file on one of them."""
    resolver("front", first_in_text)
    resolver("right", rightly)
    given = ExternalDecisions("f.tsv", "predictions", (Decision("p0", (0, 1)),), ("odd.",))
    found = run_benchmarks(
        ["tiny", "gappy"], ["front", "right"], BenchOptions(switched=True, resamples=100)
    )
    return merge_runs(
        found,
        score_external(
            select_benchmark("gappy", BenchOptions()), [given], BenchOptions(resamples=100)
        ),
    )


def test_ours_stand_beside_the_papers(done: BenchRun) -> None:
    grid = benchmark_table(done.tables[0], done)
    assert grid.title == "tiny: dev, 10 problems"
    assert grid.columns == (
        "system", "from", "accuracy", "95 % interval", "accuracy, switched", "consistency",
    )  # fmt: skip
    assert grid.rows == (
        ("front", "this run", 50.0, "23.66 to 76.34", 50.0, 100.0),
        ("right", "this run", 100.0, "72.25 to 100.00", 100.0, 100.0),
        ("Old", "Someone 2001, Table 1", f"61.0{SPACE}", None, None, None),
        ("Older", "Someone 2001, Table 1", f"60.5{SPACE}", None, None, None),
        ("chance", "", "50.00", None, None, None),
    )
    assert grid.marked == {(1, 2)}
    notes = "\n".join(map(str, grid.notes))
    assert "Chance: a coin." in notes
    assert "Someone 2001, Table 1, Older: odd." in notes
    assert "Switched: 10 copies with the candidates exchanged." in notes
    assert "Consistency of front: 10 changed, 0 the same, 0 decided once, 0 undecided." in notes
    assert all(f"Signature of {name}: tiny|split:dev|" in notes for name in ("front", "right"))


def test_candidates_are_told_where_they_differ(done: BenchRun) -> None:
    grid = benchmark_table(done.tables[1], done)
    assert grid.columns[:4] == ("system", "from", "candidates", "f1")
    assert [row[:3] for row in grid.rows] == [
        ("front", "this run", "found"),
        ("right", "this run", "found"),
        ("f.tsv", "predictions", "unknown"),
        ("Old", "S", "found"),
        ("chance", "", ""),
    ]
    assert "f.tsv: odd." in [str(note) for note in grid.notes]
    assert "f.tsv: 9 of 10 problems have no decision." in [str(note) for note in grid.notes]


def test_wide_tables_have_all_intervals(done: BenchRun) -> None:
    narrow, wide = (benchmark_table(done.tables[1], done, wide=wide) for wide in (False, True))
    assert len(wide.columns) == len(narrow.columns) + 5
    assert all(len(row) == len(wide.columns) for row in wide.rows)


def test_the_overview_has_systems_by_benchmarks(done: BenchRun) -> None:
    grid = overview_table(done)
    assert grid.columns == ("system", "tiny", "gappy")
    assert grid.rows[0][:2] == ("front", 50.0)
    assert grid.rows[1] == ("right", 100.0, 100.0)
    assert list(grid.rows[2]) == ["f.tsv", None, pytest.approx(200 / 21)]
    assert grid.rows[3] == ("chance", 50.0, 50.0)
    assert run_tables(done)[0].title == "Systems by benchmarks"
    assert len(run_tables(BenchRun(done.tables[:1]))) == 1


def test_the_overview_of_given_and_found(
    tiny: ModuleType, gappy: ModuleType, resolver: Make
) -> None:
    resolver("front", first_in_text)
    found = run_benchmarks(
        ["tiny", "gappy"], ["front"], BenchOptions(candidates="both", resamples=100)
    )
    labels = [(row[0], row[1] is not None) for row in overview_table(found).rows]
    assert labels == [("front (given)", True), ("front (found)", False), ("chance", True)]


def test_rows_with_other_candidates_stay_away(gappy: ModuleType, resolver: Make) -> None:
    resolver("front", first_in_text)
    for way, papers in (("given", []), ("found", ["Old"]), ("both", ["Old"])):
        found = run_benchmarks(["gappy"], ["front"], BenchOptions(candidates=way, resamples=100))
        grid = benchmark_table(found.tables[0], found)
        assert [row[0] for row in grid.rows if row[0] not in ("front", "chance")] == papers


def test_rows_of_another_split_stay_away(tiny: ModuleType, resolver: Make) -> None:
    resolver("front", first_in_text)
    found = run_benchmarks(["tiny"], ["front"], BenchOptions(split="test"))
    grid = benchmark_table(found.tables[0], found)
    assert [row[0] for row in grid.rows] == ["front", "Other", "chance"]
    assert "Chance (on dev): a coin." in [str(note) for note in grid.notes]


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "html"])
def test_every_style_shows_every_table(done: BenchRun, style: str) -> None:
    text = render(report.all_tables(done, with_difficulty=True), style)
    for part in ("Older", "61.0", "Difficulty of tiny dev", "Agreement on gappy dev"):
        assert part in text


def test_systems_run_twice_are_compared_with_their_kind(gappy: ModuleType, resolver: Make) -> None:
    resolver("front", first_in_text)
    resolver("right", rightly)
    found = run_benchmarks(
        ["gappy"], ["front", "right"], BenchOptions(candidates="both", resamples=100)
    )
    found = merge_runs(
        found,
        score_external(
            select_benchmark("gappy", BenchOptions()),
            [ExternalDecisions("f", "clusters", ())],
            BenchOptions(),
        ),
    )
    groups = report.comparable_groups(found.tables[0])
    assert {title: list(systems) for title, systems in groups.items()} == {
        "gappy dev, candidates given": ["front", "right", "f"],
        "gappy dev, candidates found": ["front", "right", "f"],
    }
    table = found.tables[0]
    labels = [table.label(cell) for cell in table.results]
    assert labels == ["front (given)", "right (given)", "front (found)", "right (found)", "f"]


def test_json_has_everything(done: BenchRun) -> None:
    told = json.loads(json.dumps(report.all_json(done, with_difficulty=True)))
    tiny, gappy = told["benchmarks"]
    first = tiny["systems"][0]
    assert first["figures"]["accuracy"] == {
        "value": 50.0,
        "interval": [pytest.approx(23.659, abs=1e-3), pytest.approx(76.341, abs=1e-3)],
        "of": 10,
        "unit": "percent",
    }
    assert first["signature"].startswith("tiny|split:dev|candidates:given|")
    assert first["switched"]["consistency"]["value"] == 100
    assert (first["switched"]["copies"], first["switched"]["refused"]) == (10, {})
    assert [row["system"] for row in tiny["published"]] == ["Old", "Older"]
    assert tiny["published"][1]["figures"] == {"accuracy": 60.5}
    assert tiny["chance"] == {"value": 50.0, "why": "a coin"}
    assert tiny["difficulty"][0]["pairs"] == 10
    assert [each["first"] for each in gappy["agreement"][0]["pairs"]] == ["front", "front", "right"]
    assert gappy["systems"][2]["missing"] == 9
    assert (told["resamples"], told["skipped"]) == (100, [])
    assert "difficulty" not in report.all_json(done, with_difficulty=False)["benchmarks"][0]


def test_points_are_recall_and_precision_by_gender(done: BenchRun) -> None:
    first, right, file = points_of(done.tables[1])
    assert first == Points("front", (50.0, 50.0), (50.0, 50.0), (50.0, 50.0))
    assert right.overall == right.feminine == (100.0, 100.0)
    # p0, masculine, Ann is right, both chosen: 1 of 2; silence on the 18 other names
    assert list(file.overall) == [pytest.approx(100 / 19), 50.0]
    assert file.feminine == (0.0, 0.0)


def test_a_papers_row_with_both_is_drawn(done: BenchRun) -> None:
    table = done.tables[1]
    rows = (replace(table.benchmark.PUBLISHED[0], figures=(("precision", 60.0), ("recall", 40.0))),)
    table.benchmark.PUBLISHED = rows
    assert points_of(table)[-1] == Points("Old", (40.0, 60.0))


def test_the_picture_is_well_formed_and_told_in_words(tmp_path: Path) -> None:
    systems = [
        Points("<a> & b", (62.0, 70.0), (65.0, 72.0), (59.0, 68.0)),
        Points("x" * 60, (40.0, 50.0)),
    ]
    root = ET.fromstring(svg(systems, "T <1>", alone=True))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    assert root.findtext(f"{space}title") == "T <1>"
    words = root.findtext(f"{space}desc") or ""
    assert "<a> & b: overall precision 70.0, recall 62.0; masculine precision 72.0" in words
    texts = [each.text or "" for each in root.iter(f"{space}text")]
    assert "<a> & b  65.8" in texts, "F1 = 2 · 62 · 70 / 132"
    assert any(text.startswith("xxx") and text.endswith("…  44.4") for text in texts)
    assert {"F1 50", "F1 60", "F1 70"} <= set(texts)
    assert len(list(root.iter(f"{space}circle"))) == 4, "two in the plot, two in the list"
    marks = [float(c.attrib["cx"]) for c in root.iter(f"{space}circle")]
    assert marks[0] > marks[2], "the first has more recall"


@pytest.mark.parametrize("values", [(0.0, 0.0), (100.0, 100.0), (50.0, 50.0)])
def test_the_picture_of_an_extreme(values: tuple[float, float]) -> None:
    root = ET.fromstring(svg([Points("a", values, values, values)], "t", alone=True))
    width, height = (float(each) for each in root.attrib["viewBox"].split()[2:])
    marks = list(root.iter("{http://www.w3.org/2000/svg}circle"))
    assert marks
    assert all(0 <= float(m.attrib["cx"]) <= width for m in marks)
    assert all(0 <= float(m.attrib["cy"]) <= height for m in marks)


def test_plots_are_written(done: BenchRun, tmp_path: Path) -> None:
    report.write_plot(done, str(tmp_path / "a.svg"))
    ET.parse(tmp_path / "a.svg")
    pytest.importorskip("matplotlib")
    report.write_plot(done, str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="cannot write the picture"):
        report.write_plot(done, str(tmp_path / "a.nothing"))
    with pytest.raises(UsageError, match="only gap has precision and recall"):
        report.write_plot(BenchRun(done.tables[:1]), str(tmp_path / "b.svg"))


def test_the_page_is_one_file_with_its_own_policy(done: BenchRun) -> None:
    page = report.page(done)
    assert page.count("<style>") == 1
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert ".hard mark" in style
    assert csp_hash(style) in page.partition("<style>")[0]
    assert not re.search(r"""(?:src|href)=["'](?!data:)""", page)
    assert "<script" not in page
    assert " style=" not in page, "the policy allows no such attribute"
    assert page.count("<svg") == 2 + 1, "bars of two tables, and the figure of one"
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "No system is right: tiny dev" in page


def test_hard_items_are_marked_and_escaped() -> None:
    item = problem("<i>", (1,), names="<b> Eve")
    cell = SystemResult(
        "b", "dev", "s&s", "resolver", "given", "snippet", match_of(item), (), "sig"
    )
    text = report._items("t", difficulty({"s&s": cell.matched}), 1)
    assert '<b>&lt;b&gt;</b> met <b class="right">Eve</b> when <mark>she</mark> left .' in text
    assert "&lt;i&gt; · answer: Eve · said: &lt;b&gt; (s&amp;s)" in text
    assert "1 of 1 pairs" in text


def match_of(item: Any) -> Any:
    from coindex.types.decision import match_decisions

    return match_decisions([item], [Decision(item.id, (0,))])


def test_decisions_and_clusters_are_saved(done: BenchRun, tmp_path: Path) -> None:
    paths = decision_files.save_run(done, tmp_path / "out")
    names = [path.name for path in paths]
    assert names[:2] == [
        "tiny.dev.front.given.decisions.jsonl",
        "tiny.dev.front.given.clusters.jsonl",
    ]
    assert len(names) == 2 * 5
    first = json.loads(paths[0].read_text("utf-8").splitlines()[0])
    assert first == {"id": "p0", "chosen": [0]}
    documents = [each for each in formats.read(paths[1]) if isinstance(each, Document)]
    back = decisions_from_documents(ITEMS, documents)
    assert back.decisions == done.tables[0].results[0].matched.decisions


def test_gap_is_saved_as_its_table_too(done: BenchRun, tmp_path: Path) -> None:
    table = done.tables[0]
    cell = replace(table.results[0], benchmark="gap", system="a/b c")
    table = replace(table, benchmark=benchmarks.load("gap"), results=(cell,))
    saved = decision_files.save_run(BenchRun((table,)), tmp_path)
    assert saved[1].name == "gap.dev.a_b_c.given.tsv"
    assert saved[1].read_text("utf-8").splitlines()[0] == "p0\tTRUE\tFALSE"


@pytest.mark.parametrize(
    ("name", "format"),
    [("d.conll", None), ("d.jsonl", None), ("d.jsonlines", None), ("d.x", "conll2012")],
)
def test_passages_are_written_for_others(tmp_path: Path, name: str, format: str | None) -> None:
    path = tmp_path / name
    losses = decision_files.write_documents(ITEMS, str(path), format)
    assert losses.written == 10
    documents = [each for each in formats.read(path) if isinstance(each, Document)]
    assert [each.id for each in documents] == [each.id for each in ITEMS]
    assert decisions_from_documents(ITEMS, documents).missing == ()


def test_passages_in_no_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ends in \.conll, .* or a format .*conll2012"):
        decision_files.write_documents(ITEMS, str(tmp_path / "d.doc"), None)
    with pytest.raises(UsageError, match="gap holds problems"):
        decision_files.write_documents(ITEMS, str(tmp_path / "d"), "gap")


def test_a_table_without_systems_is_no_error(done: BenchRun) -> None:
    table = done.tables[1]
    empty = BenchRun(
        (BenchmarkResult(table.name, table.split, table.benchmark, table.problems, ()),)
    )
    assert "<svg" not in report.page(empty)
    assert report.all_json(empty, with_difficulty=True)["benchmarks"][0]["systems"] == []

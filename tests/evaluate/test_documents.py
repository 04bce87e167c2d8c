"""Benchmarks of documents: runs, files of clusters, tables, JSON and the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bench_samples import Resolver
from coindex import formats
from coindex.benchmarks.probe_format import Probe
from coindex.benchmarks.probe_score import score_probe
from coindex.benchmarks.protocol import DocumentOutcome
from coindex.errors import UnknownName, UsageError
from coindex.evaluate import report
from coindex.evaluate.document_page import aligned
from coindex.evaluate.document_run import save_documents, score_clusters
from coindex.evaluate.options import BenchOptions, select_documents
from coindex.evaluate.results import BenchRun
from coindex.evaluate.run import merge_runs, run_benchmarks
from coindex.report.render import render
from coindex.report.viewer.annotated_text import AnnotatedText, layout
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.progress import OnProgress, Progress, ignore_progress
from plugin_fixtures import Add
from probe_samples import probe, resolved

PROBES = (
    probe("⟦1:Ann⟧ left. ⟦1:She⟧ sang.", "easy-01"),
    probe("⟦1:Bo⟧ <left>. ⟦1:He⟧ sang & sang.", "easy-02"),
    probe("⟦1:Ann⟧ met ⟦2:Bo⟧. ⟦1:She⟧ left ⟦2:him⟧.", "hard-01"),
)
EXPECTED = tuple(
    resolved(each.text, *clusters, id=each.id)
    for each, clusters in zip(
        PROBES, [[["Ann", "She"]], [["Bo", "He"]], [["Ann", "She"], ["Bo", "him"]]], strict=True
    )
)
WRONG = resolved(PROBES[2].text, ["Ann", "Bo", "She", "him"], id="hard-01")


def outcome(each: Probe, expected: Document, document: Document | None) -> DocumentOutcome:
    errors = score_probe(each, document or Document(each.id, each.text))
    counts = (("missing", errors.missing), ("merged", errors.merged))
    return DocumentOutcome(
        each.id, each.group, errors.right, counts, errors.reasons, expected, document
    )


class Clusters:
    """A resolver of documents that returns what it is given."""

    signature = "clusters|clever:yes"

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = {document.text: document for document in documents}
        self.asked: list[Document] = []

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        for document in documents:
            self.asked.append(document)
            on_progress(Progress("x", len(self.asked)))
            yield self.documents.get(document.text, document)


@pytest.fixture
def texts(add: Add) -> ModuleType:
    """The benchmark `texts`: three documents in two classes."""
    return add(
        "benchmarks",
        "texts",
        KIND="documents",
        TITLE="Texts",
        CORPUS=(),
        SPLITS={"dev": 3},
        DEFAULT="dev",
        PROTOCOL="All must be right.",
        METRICS=("wholly right", "missing", "merged"),
        documents=lambda split: tuple(Document(each.id, each.text) for each in PROBES),
        outcomes=lambda split, documents: tuple(
            outcome(*items) for items in zip(PROBES, EXPECTED, documents, strict=True)
        ),
    )


@pytest.fixture
def clusters(add: Add) -> Clusters:
    """The resolver `clever`: right on the easy texts, wrong on the hard one."""
    made = Clusters([*EXPECTED[:2], WRONG])
    add("resolvers", "clever", load=lambda settings: made, CONTEXT="snippet", ABOUT="clever")
    return made


@pytest.mark.usefixtures("texts")
def test_a_run(clusters: Clusters) -> None:
    steps: list[Progress] = []
    run = run_benchmarks(["texts"], ["clever"], on_progress=steps.append)
    assert run.tables == ()
    (table,) = run.documents
    (result,) = table.results
    assert [each.right for each in result.outcomes] == [True, True, False]
    main, missing, merged = table.figures(result.outcomes)
    assert (main.name, main.of) == ("wholly right", 3)
    assert main.value == pytest.approx(200 / 3)
    assert main.interval is not None
    assert (missing.value, merged.value, merged.unit) == (0, 1, "count")
    assert list(result.groups) == ["easy", "hard"]
    assert result.signature.startswith(
        "texts|split:dev|resolver:clever|clusters|clever:yes|items:3"
    )
    assert all(document.tokens and not document.entities for document in clusters.asked)
    assert steps[-1].task == "texts, clever"


@pytest.mark.usefixtures("texts", "clusters")
def test_a_resolver_of_problems_is_left_out(resolver: Callable[..., Resolver]) -> None:
    resolver("mine", lambda each: (0,))
    (table,) = run_benchmarks(["texts"], ["mine", "clever"]).documents
    assert [result.system for result in table.results] == ["clever"]
    assert table.notes == ("Not run, because they resolve no documents: mine.",)
    with pytest.raises(UsageError, match="texts: expected a resolver of documents, found only"):
        run_benchmarks(["texts"], ["mine"])


@pytest.mark.usefixtures("texts", "clusters", "tiny")
def test_without_names_it_is_skipped_where_it_cannot_be_run(
    resolver: Callable[..., Resolver], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coindex.benchmarks.names", lambda: ("texts", "tiny"))
    resolver("mine", lambda each: (0,))
    run = run_benchmarks([], ["mine"])
    assert [table.name for table in run.tables] == ["tiny"]
    assert run.documents == ()
    assert [name for name, _ in run.skipped] == ["texts"]
    both = run_benchmarks([], ["clever"])
    assert ([t.name for t in both.tables], [t.name for t in both.documents]) == (
        ["tiny"],
        ["texts"],
    )
    overview = report.all_tables(both, with_difficulty=False)[0]
    assert overview.columns == ("system", "tiny", "texts")
    assert overview.rows[0][-1] == pytest.approx(200 / 3)


@pytest.mark.usefixtures("texts")
def test_an_unknown_split() -> None:
    with pytest.raises(UnknownName, match="unknown split of texts 'test'; expected one of: dev"):
        select_documents("texts", BenchOptions(split="test"))


@pytest.mark.usefixtures("texts", "clusters")
def test_clusters_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    other = Document.of("other", [["Rain", "."]])
    formats.write(path, [*EXPECTED[:2], other], "document-jsonl")
    table = score_clusters(select_documents("texts", BenchOptions()), {str(path): "made"}, None)
    (result,) = table.results
    assert [each.right for each in result.outcomes] == [True, True, False]
    assert result.outcomes[2].found is None
    assert dict(result.outcomes[2].counts)["missing"] == 4
    assert result.notes == (
        "1 of 3 texts have no document: all is missing.",
        "1 document of no text, such as other.",
    )
    assert result.signature.startswith("texts|split:dev|clusters:made|items:3")
    run = merge_runs(BenchRun((), (), documents=(table,)), run_benchmarks(["texts"], ["clever"]))
    assert [each.system for each in run.documents[0].results] == ["made", "clever"]


@pytest.mark.usefixtures("texts", "clusters")
def test_saved_documents_score_the_same(tmp_path: Path) -> None:
    run = run_benchmarks(["texts"], ["clever"])
    (path,) = save_documents(run, tmp_path / "saved")
    assert path.name == "texts.dev.clever.clusters.jsonl"
    table = score_clusters(select_documents("texts", BenchOptions()), {str(path): "again"}, None)
    before, after = run.documents[0].results[0].outcomes, table.results[0].outcomes
    assert [each.counts for each in before] == [each.counts for each in after]


@pytest.mark.usefixtures("texts", "clusters")
def test_tables() -> None:
    overall, by_class = report.all_tables(
        run_benchmarks(["texts"], ["clever"]), with_difficulty=True
    )
    assert overall.title == "texts: dev, 3 documents"
    assert overall.rows[0][:2] == ("clever", "this run")
    assert overall.rows[0][3:] == ("20.77 to 93.85", 0, 1)
    assert by_class.columns[:3] == ("class", "n", "wholly right %")
    assert [row[:3] for row in by_class.rows] == [("easy", 2, 100.0), ("hard", 1, 0.0)]
    for style in ("text", "markdown", "latex", "html"):
        assert "wholly right" in render([overall, by_class], style)


@pytest.mark.usefixtures("texts", "clusters")
def test_json() -> None:
    found = report.all_json(run_benchmarks(["texts"], ["clever"]), with_difficulty=True)
    (entry,) = found["benchmarks"]
    assert (entry["kind"], entry["items"]) == ("documents", 3)
    (system,) = entry["systems"]
    assert system["figures"]["merged"]["value"] == 1
    assert system["classes"]["easy"]["wholly right"]["of"] == 2
    last = system["outcomes"][-1]
    assert (last["id"], last["class"], last["right"], last["merged"]) == (
        "hard-01",
        "hard",
        False,
        1,
    )
    assert last["expected"] == [["Ann", "She"], ["Bo", "him"]]
    assert last["found"] == [["Ann", "Bo", "She", "him"]]
    assert last["reasons"][0].startswith("merged: “Ann” @0, “She” @12 (entity 1) with “Bo”")


@pytest.mark.usefixtures("texts", "clusters")
def test_the_page_shows_what_failed_side_by_side() -> None:
    page = report.page(run_benchmarks(["texts"], ["clever"]))
    assert page.count('<div class="sides">') == 1
    assert "1 of 3 documents" in page
    assert "<h3>hard-01</h3>" in page
    assert '<b class="c1">Ann<sub>1</sub></b> met <b class="c2">Bo<sub>2</sub></b>' in page
    assert '<b class="c1">Ann<sub>1</sub></b> met <b class="c1">Bo<sub>1</sub></b>' in page
    assert "easy-02" not in page
    assert "style=" not in page.partition("<body>")[2], "the policy allows no inline style"


def test_found_entities_have_the_colour_and_name_of_the_expected_ones() -> None:
    tokens = [["Ann", "saw", "Bo", "and", "her", "dog", "saw", "him", "run"]]

    def text(*groups: tuple[str | None, list[int]]) -> AnnotatedText:
        entities = [Entity(tuple(Mention.at(t, t + 1) for t in at), id) for id, at in groups]
        return layout(Document.of("d", tokens, entities))

    expected = text(("ann", [0, 4]), ("bo", [2, 7]))
    labels = [(1, "ann"), (2, "bo")]
    swapped = text((None, [0, 5]), (None, [2, 4, 7]), (None, [6, 8]))
    assert aligned(expected, swapped, labels) == [(1, "ann"), (2, "bo"), (3, "new1")]
    merged = text((None, [0, 1, 2, 7]), (None, [3, 4]))
    assert aligned(expected, merged, labels) == [(2, "bo"), (1, "ann")]

"""An audit as a whole: the figures of `coindex bench`, cards, conditions, reports, files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from audit_samples import Oracle, Stereotyped, questions
from coindex import formats
from coindex.audit import measurements
from coindex.audit.card import card
from coindex.audit.conditions import check, figure_key, parse_condition
from coindex.audit.file_subject import AuditQuestions, clusters_subject, predictions_subject
from coindex.audit.report import audit_markdown, audit_page, audit_tables
from coindex.audit.run import SPLITS, Audit, AuditOptions, run_audit
from coindex.audit.subject import ResolverSubject
from coindex.audit.summary import group_summaries, headline
from coindex.errors import InputError, InvalidValue, UnknownName, UsageError
from coindex.evaluate.decision_files import write_decisions
from coindex.evaluate.options import BenchOptions
from coindex.evaluate.run import run_benchmarks
from coindex.report.render import render
from coindex.resolvers.cluster_decisions import document_with_decision
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.problem import Problem

Make = Callable[[str, Oracle], str]
BENCH = ("winobias", "winogender", "knowref")
FEW = AuditOptions(corpora=False, only=("gender-exchange", "robustness"), resamples=200)


@cache
def asked_questions() -> AuditQuestions:
    """Everything that an audit of the made-up benchmarks asks."""
    return questions()


@cache
def stereotyped_audit() -> Audit:
    """The audit of the resolver `stereotyped`, once for all tests."""
    return run_audit(ResolverSubject("stereotyped"))


@pytest.fixture
def asked(small_corpora: None) -> AuditQuestions:
    """Everything that an audit asks."""
    return asked_questions()


@pytest.fixture
def stereotyped(asked: AuditQuestions, resolver: Make) -> Audit:
    """The audit of a resolver that follows stereotypes."""
    resolver("stereotyped", Stereotyped(asked))
    return stereotyped_audit()


def equal_to_bench(audit: Audit, system: str) -> int:
    """Every figure that both have is the same, with its interval; how many those are."""
    shared = 0
    for entry in audit.entries:
        for name in entry.measurement.BENCHMARKS:
            options = BenchOptions(split=SPLITS[name], resamples=audit.resamples)
            ((result,),) = (t.results for t in run_benchmarks([name], [system], options).tables)
            theirs = {figure.name: figure for figure in result.all_figures}
            for figure in entry.measured.figures:
                if figure.name in theirs:
                    other = theirs[figure.name]
                    assert (figure.value, figure.interval) == (other.value, other.interval)
                    assert (figure.of, figure.unit) == (other.of, other.unit)
                    shared += 1
            assert entry.measured.signature == result.signature
    return shared


def test_figures_are_those_of_bench(stereotyped: Audit) -> None:
    assert equal_to_bench(stereotyped, "stereotyped") == 4 + 6 + 6 + 3


def test_figures_are_those_of_bench_on_real_corpora(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    options = AuditOptions(only=BENCH, resamples=200)
    assert equal_to_bench(run_audit(ResolverSubject("first"), options), "first") == 6 + 6 + 3


def test_a_card_has_everything(stereotyped: Audit) -> None:
    found: dict[str, Any] = json.loads(json.dumps(card(stereotyped)))
    assert found["audit"] == 1
    assert found["system"] == {
        "name": "stereotyped", "kind": "resolver", "signature": "stereotyped"
    }  # fmt: skip
    assert list(found["measurements"]) == list(measurements.names())
    gap = found["measurements"]["winobias"]["figures"]["gap"]
    assert gap["value"] == 100
    assert gap["verdict"] == "fail"
    assert gap["limit"] == 5
    assert gap["detectable"] > 0
    assert "100.0 points more" in gap["meaning"]
    for entry in found["measurements"].values():
        assert "|" in entry["signature"]
        for figure in entry["figures"].values():
            assert figure["value"] is None or figure["interval"] is not None
    roles = found["measurements"]["gender-exchange"]["examples"]
    assert "no longer" in roles[0]["change"]
    assert [each["group"] for each in found["summary"]] == list(measurements.protocol.GROUPS)
    assert found["summary"][0]["verdict"] == "fail"


def test_the_summary_can_be_read(stereotyped: Audit) -> None:
    assert re.match(r"\d+ of \d+ checks pass, \d+ fail", headline(stereotyped))
    first = group_summaries(stereotyped)[0]
    assert "checks fail" in first.text
    assert "Most serious: " in first.text
    assert headline(replace(stereotyped, entries=())) == "Nothing could be measured."


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "html"])
def test_every_style_has_every_figure(stereotyped: Audit, style: str) -> None:
    text = render(audit_tables(stereotyped), style)
    for entry in stereotyped.entries:
        assert entry.name in text
        for figure in entry.measured.figures:
            assert figure.name in text
    assert "Women and men" in text


def test_the_page_is_self_contained(stereotyped: Audit) -> None:
    page = audit_page(stereotyped)
    assert "<title>Audit of stereotyped · coindex</title>" in page
    assert '<span class="verdict fail">fail</span>' in page
    assert page.count("<svg") >= 8
    assert "http" not in re.sub(r'http-equiv="[^"]*"', "", page)
    assert "<script" not in page
    assert "Examples of what changed" in page
    assert audit_markdown(stereotyped).count("\n|") > 60


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ("winobias.gap>10", "winobias.gap>10: found 100.00"),
        ("winobias.type-1-gap >= 100", "winobias.type-1-gap >= 100: found 100.00"),
        ("winobias.gap.low>10", "winobias.gap.low>10: found"),
        ("gap.bias.high<0.9", "gap.bias.high<0.9: found 0."),
        ("robustness.typos<90", ""),
        ("knowref.consistency<=99.5", ""),
        ("fail", "gap.bias fails: F1 on feminine"),
    ],
)
def test_conditions(stereotyped: Audit, condition: str, held: str) -> None:
    found = check(parse_condition(condition), stereotyped)
    assert bool(found) == bool(held)
    assert not held or found[0].startswith(held)


def test_broken_conditions() -> None:
    with pytest.raises(UsageError, match="expected a condition such as"):
        parse_condition("winobias")
    with pytest.raises(UnknownName, match="unknown measurement 'winobais'; expected one of: gap"):
        parse_condition("winobais.gap>1")
    with pytest.raises(
        UnknownName, match="unknown figure of winobias 'gop'; expected one of: gap,"
    ):
        parse_condition("winobias.gop>1")


def test_what_was_not_measured_cannot_be_checked(resolver: Make) -> None:
    audit = run_audit(ResolverSubject(resolver("oracle", Oracle(questions(FEW)))), FEW)
    with pytest.raises(InputError, match="winobias was not measured: it was not chosen"):
        check(parse_condition("winobias.gap>1"), audit)


def test_options_are_checked() -> None:
    with pytest.raises(UnknownName, match="unknown measurement 'gop'"):
        AuditOptions(only=("gop",))
    with pytest.raises(UnknownName, match="unknown split of gap 'best'"):
        AuditOptions(splits={"gap": "best"})
    with pytest.raises(UnknownName, match="unknown benchmark of an audit 'wsc'"):
        AuditOptions(splits={"wsc": "test"})


def test_a_resolver_of_problems_is_audited_too(asked: AuditQuestions, resolver: Make) -> None:

    class Decides:
        """Knows the answers, and resolves no documents."""

        signature = "decides"

        def decide(self, problems: list[Problem]) -> list[Decision]:
            return [self.one(each) for each in problems]

        def one(self, problem: Problem) -> Decision:
            id, _, number = problem.id.rpartition("/")
            if id in asked.passages:
                passage = asked.passages[id]
                order = list(dict.fromkeys(
                    m.entity for m, kind in zip(passage.mentions, passage.kinds, strict=True)
                    if kind != "pronoun"
                ))  # fmt: skip
                return Decision(problem.id, (order.index(passage.mentions[int(number)].entity),))
            return next(Oracle(asked).decide([problem]))

    audit = run_audit(ResolverSubject(resolver("decides", Decides())))  # type: ignore[arg-type]
    assert {figure.verdict for _, figure in audit.judged()} == {"pass"}


def answered(asked: AuditQuestions) -> dict[str, Document]:
    """The documents with the right clusters, by the ids of an audit."""
    oracle = Oracle(asked)
    found = {}
    for id, problem in asked.problems.items():
        decision = Decision(problem.id, problem.answer or ())
        found[id] = replace(document_with_decision(problem, decision), id=id)
    for id, passage in asked.passages.items():
        (document,) = oracle.resolve([Document(id, passage.text)])
        found[id] = document
    return found


def test_clusters_made_elsewhere(asked: AuditQuestions, tmp_path: Path) -> None:
    path = tmp_path / "clusters.jsonl"
    formats.write(path, answered(asked).values(), "document-jsonl")
    subject = clusters_subject(str(path), "mine", None)
    audit = run_audit(subject)
    assert audit.skipped == ()
    assert {figure.verdict for _, figure in audit.judged()} == {"pass"}
    assert audit.kind == "clusters"
    again = [*answered(asked).values(), next(iter(answered(asked).values()))]
    formats.write(path, again, "document-jsonl")
    with pytest.raises(InvalidValue, match="expected one document for"):
        clusters_subject(str(path), "mine", None)


def test_decisions_made_elsewhere(asked: AuditQuestions, tmp_path: Path) -> None:
    known = {f"{id}": Decision(id, each.answer or ()) for id, each in asked.problems.items()}
    path = tmp_path / "decisions.jsonl"
    path.write_text("".join(write_decisions(known.values())), "utf-8")
    audit = run_audit(predictions_subject(str(path), "mine", asked))
    assert [entry.name for entry in audit.entries] == ["gap", "winobias", "winogender", "knowref"]
    assert dict(audit.skipped)["robustness"] == "no text has clusters"
    assert {figure.verdict for _, figure in audit.judged()} == {"pass"}


def test_missing_answers_are_skipped_and_counted(asked: AuditQuestions, tmp_path: Path) -> None:
    some = {
        id: each for id, each in answered(asked).items() if not id.startswith(("gap/", "knowref-"))
    }
    some.pop("one-person-01/gender")
    path = tmp_path / "clusters.jsonl"
    formats.write(path, some.values(), "document-jsonl")
    audit = run_audit(clusters_subject(str(path), "mine", None))
    reasons = dict(audit.skipped)
    assert reasons["gap"] == "no answers to gap"
    assert reasons["knowref"] == "no answers to the problems with their names exchanged"
    (entry,) = [each for each in audit.entries if each.name == "gender-exchange"]
    assert entry.measured.notes == ("changed: 1 pair has no clusters.",)


def test_every_figure_can_be_written_in_a_condition() -> None:
    for name in measurements.names():
        for figure in measurements.load(name).FIGURES:
            assert parse_condition(f"{name}.{figure_key(figure)}<1").measurement == name

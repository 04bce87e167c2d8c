"""Labels that a model rejects: dropped with a reason, by its confidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from coindex.builders import Dropped
from coindex.builders.pipeline.label_check import REASON, STAGE, LabelCheck, check_labels, softmax
from coindex.cli import cli
from coindex.errors import UsageError
from coindex.types.decision import Decision
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

TEXT = "Warren tries to apologize to Rose, but she refuses to accept."


def problem(id: str, answer: tuple[int, ...] | None) -> Problem:
    names = (Candidate("Warren", Chars(0, 6)), Candidate("Rose", Chars(29, 33)))
    return Problem(id, TEXT, Chars(39, 42), names, answer)


def decide(scores: tuple[float, ...] | None, chosen: tuple[int, ...] = ()) -> Callable[
    [Iterable[Problem]], Iterator[Decision]
]:  # fmt: skip
    def answers(problems: Iterable[Problem]) -> Iterator[Decision]:
        for each in problems:
            assert each.answer is None, "the label is not shown"
            yield Decision(each.id, chosen, scores)

    return answers


@pytest.mark.parametrize(
    ("scores", "chosen", "dropped"),
    [
        ((0.0, 3.0), (1,), ["0"]),
        ((0.0, 1.0), (1,), []),
        ((3.0, 0.0), (0,), ["1"]),
        (None, (1,), ["0"]),
        (None, (0, 1), []),
        (None, (), []),
    ],
)
def test_confident_answers_reject_labels(
    scores: tuple[float, ...] | None, chosen: tuple[int, ...], dropped: list[str]
) -> None:
    problems = [problem("0", (0,)), problem("none", None), problem("1", (1,))]
    check = LabelCheck(decide(scores, chosen), "fake", 0.9)
    items = list(check_labels(problems, check))
    found = [item for item in items if isinstance(item, Dropped)]
    assert [item.id for item in found] == dropped
    assert {(item.stage, item.reason) for item in found} <= {(STAGE, REASON)}
    assert [item.id for item in items] == ["0", "none", "1"], "in their order"


def test_scores_become_probabilities() -> None:
    assert softmax([0.0, 0.0]) == [0.5, 0.5]
    assert softmax([1000.0, 0.0])[0] == pytest.approx(1)
    assert softmax([]) == []


def test_dropped_labels_are_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")
    from coindex.cli.builtin import build

    file, out = tmp_path / "pages.jsonl", tmp_path / "out.jsonl"
    file.write_text(json.dumps({"id": "1", "title": "t", "text": TEXT}) + "\n")
    command = ["build", "knowref", str(file), "-o", str(out), "--source", "jsonl", "--json"]
    whole = CliRunner().invoke(cli, command)
    assert json.loads(whole.stdout)["items"]["items"] == 1, whole.output
    wrong = LabelCheck(decide((9.0, 0.0)), "fake")
    monkeypatch.setattr(build, "_label_check", lambda options: wrong)
    less = json.loads(CliRunner().invoke(cli, command).stdout)
    assert less["items"]["items"] == 0
    assert ["check", "fake|confidence:0.9"] in less["run"]
    (row,) = (row for row in less["account"]["dropped"] if row["stage"] == STAGE)
    assert (row["reason"], row["count"]) == (REASON, 1)
    assert not Path(f"{out}.parts").exists()


def test_the_shipped_model_checks(tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")
    file, out = tmp_path / "pages.jsonl", tmp_path / "out.jsonl"
    file.write_text(json.dumps({"id": "1", "title": "t", "text": TEXT}) + "\n")
    command = ["build", "knowref", str(file), "-o", str(out), "--source", "jsonl", "--json"]
    found = CliRunner().invoke(cli, [*command, "--check-labels", "default", "--confidence", "0.99"])
    assert found.exit_code == 0, found.output
    settings = dict(json.loads(found.stdout)["run"])
    assert settings["check"].startswith("substitution|")
    assert settings["check"].endswith("|confidence:0.99")


def test_labels_of_annotators_are_not_checked(tmp_path: Path) -> None:
    command = ["build", "knowref", "--finish", "x", "-o", str(tmp_path / "o"), "--check-labels",
               "default"]  # fmt: skip
    found = CliRunner().invoke(cli, command)
    assert isinstance(found.exception, UsageError)

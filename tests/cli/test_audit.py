"""`coindex audit` as people run it, without corpora."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FEW = ("--measure", "gender-exchange", "--resamples", "200")


class AuditCommand:
    """Runs the command where there are no corpora."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "PYTHONIOENCODING": "utf-8",
            "COINDEX_DATA": str(folder / "data"),
            "COINDEX_HOME": str(folder / "home"),
            "COINDEX_CACHE": str(folder / "cache"),
        }

    def __call__(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "coindex", "audit", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=self.env,
            cwd=self.folder,
        )


@pytest.fixture
def audit(tmp_path: Path) -> AuditCommand:
    return AuditCommand(tmp_path)


def test_without_corpora(audit: AuditCommand, tmp_path: Path) -> None:
    done = audit("--save", "out", "--resamples", "500", "--fail-if", "robustness.typos<0")
    assert done.returncode == 0, done.stderr
    assert "Audit of neural" in done.stdout
    assert "skipped winobias: " in done.stderr
    assert "audit.json, audit.md and audit.html written to out" in done.stderr
    card = json.loads((tmp_path / "out" / "audit.json").read_text("utf-8"))
    names = "gender-exchange name-exchange name-origins pronoun-exchange pronoun-sets robustness"
    assert list(card["measurements"]) == names.split()
    assert [each["name"] for each in card["skipped"]] == [
        "gap",
        "winobias",
        "winogender",
        "knowref",
    ]
    assert "model:coindex-small-" in card["system"]["signature"]
    assert (tmp_path / "out" / "audit.md").read_text("utf-8").startswith("### Audit of neural")
    assert "<svg" in (tmp_path / "out" / "audit.html").read_text("utf-8")


def test_the_reason_for_a_measurement_that_was_not_made_is_one_sentence(
    audit: AuditCommand, tmp_path: Path
) -> None:
    other = {"coindex": "document", "version": 1, "id": "x", "text": "Ann", "tokens": ["Ann"]}
    row = {**other, "starts": [0], "ends": [3], "sentences": [0], "entities": []}
    (tmp_path / "other.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = audit("--clusters", "other.jsonl", "--no-corpora", "--measure", "pronoun-exchange")
    assert done.returncode == 1
    (reason,) = [each for each in done.stderr.splitlines() if each.startswith("skipped")]
    assert "they: 62 pairs have no clusters; neopronouns: 62 pairs have no clusters" in reason


def test_json_and_a_condition_that_holds(audit: AuditCommand) -> None:
    done = audit(*FEW, "--json", "--fail-if", "gender-exchange.changed>=0")
    assert done.returncode == 1
    value = json.loads(done.stdout)["measurements"]["gender-exchange"]["figures"]["changed"][
        "value"
    ]
    assert done.stderr.endswith(f"failed: gender-exchange.changed>=0: found {value:.2f}\n")


def test_own_texts(audit: AuditCommand, tmp_path: Path) -> None:
    story = (
        "Mary Wilson lost her keys. She was late, and she called her boss. John Miller laughed.\n"
    )
    (tmp_path / "story.txt").write_text(story, "utf-8")
    done = audit("story.txt", *FEW, "--json")
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert card["own_texts"] == 1
    assert "|texts:own|" in card["measurements"]["gender-exchange"]["signature"]


def test_questions_are_written_and_answers_read(audit: AuditCommand, tmp_path: Path) -> None:
    done = audit(*FEW, "--documents", "texts.jsonl", "--problems", "problems.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    texts = (tmp_path / "texts.jsonl").read_text("utf-8").splitlines()
    assert f"{len(texts)} document(s) written to texts.jsonl" in done.stderr
    assert '"one-person-01/gender"' in "".join(texts)
    problems = [
        json.loads(line) for line in (tmp_path / "problems.jsonl").read_text("utf-8").splitlines()
    ]
    decisions = "".join(json.dumps({"id": p["id"], "chosen": [0]}) + "\n" for p in problems)
    (tmp_path / "decisions.jsonl").write_text(decisions, "utf-8")
    done = audit("--predictions", "decisions.jsonl", *FEW, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["measurements"]["gender-exchange"]["figures"]
    assert figures["changed"]["value"] == 0, "the first candidate, whatever the pronoun"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--measure", "gop"), "unknown measurement 'gop'; expected one of: gap,"),
        (("--fail-if", "gap.bias"), "expected a condition such as 'winobias.gap>10'"),
        (
            ("--measure", "gender-exchange", "--fail-if", "gap.bias<1"),
            "gap.bias<1: gap is not among those of --measure",
        ),
        (("--fail-if", "gap.bios<1"), "unknown figure of gap 'bios'; expected one of: bias,"),
        (("--split", "gap"), "--split: expected NAME=SPLIT"),
        (("--resolver", "nobody"), "unknown resolver 'nobody'"),
        (("--clusters", "a", "--predictions", "b"), "audit one at a time"),
        (("--clusters", "a", "--model", "base"), "--clusters is a system of its own"),
        (("--clusters", "a", "story.txt"), "--clusters has no answers to FILEs of your own"),
    ],
)
def test_wrong_usage(audit: AuditCommand, arguments: tuple[str, ...], message: str) -> None:
    done = audit(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_named_measurement_needs_its_corpus(audit: AuditCommand) -> None:
    done = audit("--measure", "winobias")
    assert done.returncode == 1
    assert "winobias" in done.stderr
    assert done.stdout == ""


def test_a_condition_on_what_was_skipped_is_an_error(audit: AuditCommand) -> None:
    done = audit("--no-corpora", "--measure", "gap,gender-exchange", "--fail-if", "gap.bias<0.9")
    assert done.returncode == 1
    assert "gap.bias<0.9: gap was not measured: corpora were not wanted" in done.stderr

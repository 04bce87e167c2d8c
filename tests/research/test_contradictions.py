"""`python -m research.contradictions`: the same articles everywhere, counted by their texts alone."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import coindex
from probe_samples import resolved
from research import contradictions as script

WIKI = """<doc id="7" url="x" title="Ann">
Ann

Ann sang.
She left.
</doc>
<doc id="8" url="x" title="Bo">
Bo

Bo sang.
</doc>
"""


def test_articles_are_without_their_titles() -> None:
    found = list(script.articles(WIKI.splitlines(keepends=True)))
    assert found == [script.Text("7", "Ann sang.\nShe left."), script.Text("8", "Bo sang.")]


def test_the_choice_does_not_depend_on_the_order() -> None:
    texts = [script.Text(str(number), "word " * (number * 10)) for number in range(300)]
    first = script.choose(texts, 20)
    random.Random(1).shuffle(texts)
    assert script.choose(texts, 20) == first
    assert all(len(text.text.split()) in script.WORDS for text in first)
    assert script.choose(texts, 20, seed=1) != first


def test_files_are_judged_by_their_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "Ann saw me. He saw her. I left, and I sang."
    one = resolved(text, ["He", "her"], ["me", "I", ("I", 1)])
    two = resolved("I left. You left.", ["I", "You"], speakers=("Ann",) * 6)
    path = tmp_path / "made.jsonl"
    coindex.write(path, [one, two], "document-jsonl")
    assert script.main(["count", str(path)]) == 0
    (found,) = json.loads(capsys.readouterr().out).values()
    assert (found["documents"], found["clusters"], found["contradictory"]) == (2, 3, 1)
    assert found["per 1,000 clusters"] == pytest.approx(1000 / 3)
    assert found["kinds"]["gender"] == 1
    assert found["kinds"]["person"] == 0, "the speakers of a file do not count"
    assert found["examples"]["gender"] == ["sample-01: 'He' and 'her': masculine and feminine"]
    low, high = found["95 % interval"]
    assert low < 1000 / 3 < high


@pytest.mark.slow
def test_texts_are_resolved_and_counted(tmp_path: Path) -> None:
    texts, made, out = (tmp_path / name for name in ("texts.jsonl", "made.jsonl", "out.json"))
    script.main(["texts", "probes:dev", "-o", str(texts)])
    lines = texts.read_text("utf-8").splitlines()
    assert len(lines) == 242
    texts.write_text("\n".join(lines[:3]), "utf-8")
    script.main(["resolve", str(texts), "-o", str(made)])
    script.main(["count", str(made), "-o", str(out), "--no-examples"])
    (found,) = json.loads(out.read_text("utf-8")).values()
    assert found["documents"] == 3
    assert "examples" not in found

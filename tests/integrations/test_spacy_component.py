"""`nlp.add_pipe("coindex")`: found without an import, aligned, serialisable."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import coindex
import training_samples as samples

spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install 'coindex[spacy]'")

TEXT = " Ann met Bob .  She liked him .\n\nHe thanked her ."


@pytest.fixture(scope="module")
def nlp(exported: Path) -> Any:
    made = spacy.blank("en")
    made.add_pipe("coindex", config={"model": str(exported), "scheme": "every"})
    return made


def test_it_is_found_without_an_import(exported: Path) -> None:
    code = (
        "import spacy; nlp = spacy.blank('en');"
        f"nlp.add_pipe('coindex', config={{'model': {str(exported)!r}}});"
        "doc = nlp('Ann met Bob . She liked him .'); print(len(doc.spans['coindex']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_mentions_are_spans_of_the_pipelines_tokens(nlp: Any, exported: Path) -> None:
    doc = nlp(TEXT)
    assert doc.text == TEXT
    assert not any(span[0].is_space or span[-1].is_space for span in doc.spans["coindex"])
    assert len(doc.spans["coindex"]) > 2
    words = [token.text for token in doc if not token.is_space]
    document = coindex.Document.of("x", [words])
    assert {s.text for s in doc.spans["coindex"]} <= {
        " ".join(words[a:b]) for a in range(len(words)) for b in range(a + 1, a + 6)
    }
    assert len(document) == len(words)


def test_entities_and_text_are_read_off_the_spans(nlp: Any) -> None:
    doc = nlp(TEXT)
    groups = doc._.coindex
    assert sorted(s for g in groups for s in g) == sorted(doc.spans["coindex"])
    assert len({s.label_ for s in groups[0]}) == 1
    assert isinstance(doc._.coindex_text, str)
    assert len(doc.spans["coindex"].attrs["confidence"]) == len(doc.spans["coindex"])


def test_a_stream_gives_what_single_calls_give(nlp: Any) -> None:
    texts = [" ".join(d.tokens) for d in samples.stories(6)] + ["", "   ", "Ann"]
    alone = [nlp(text) for text in texts]
    together = list(nlp.pipe(texts, batch_size=4))
    one, many = (
        [[(s.start, s.end, s.label_) for s in doc.spans["coindex"]] for doc in docs]
        for docs in (alone, together)
    )
    assert one == many
    assert any(one)


def test_docs_and_pipelines_can_be_saved(nlp: Any, tmp_path: Path) -> None:
    from spacy.tokens import Doc

    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert [[s.text for s in g] for g in again._.coindex] == [
        [s.text for s in g] for g in doc._.coindex
    ]
    nlp.to_disk(tmp_path / "pipeline")
    third = spacy.load(tmp_path / "pipeline")(TEXT)
    assert [s.text for s in third.spans["coindex"]] == [s.text for s in doc.spans["coindex"]]


def test_a_pipeline_can_be_copied_and_sent_to_other_processes(nlp: Any) -> None:
    text = "Ann told Bob that she was late ."
    wanted = [[str(span) for span in group] for group in nlp(text)._.coindex]
    copied = pickle.loads(pickle.dumps(nlp))
    assert [[str(span) for span in group] for group in copied(text)._.coindex] == wanted

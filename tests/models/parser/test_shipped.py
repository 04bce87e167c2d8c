"""The parser in the package: its size, what it answers, what it scores."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from coindex import datasets, formats
from coindex.assets import DEFAULT_MODEL
from coindex.models.parser.infer import ParserEngine, split_into_sentences
from coindex.models.parser.trees import labelled_spans
from coindex.scoring.bracket_scores import bracket_scores, count_brackets
from coindex.transform.penn_brackets import document_brackets
from coindex.types.document import Document
from strategies import odd_texts

FILES = ("parser.json", "parser.npz", "parser.onnx")
LEAST = 86.0
"""Labelled F1 on every third of GUM's dev documents; the card has the figures of all."""


@pytest.fixture(scope="module")
def engine() -> ParserEngine:
    return ParserEngine(threads=1)


def check_tree(document: Document) -> None:
    """Every word is in the tree of its sentence, and brackets are balanced."""
    assert document.parse is not None
    assert document.pos is not None
    assert all(document.pos)
    for span in document.sentence_spans():
        fragments = document.parse[span.start : span.end]
        assert [fragment.count("*") for fragment in fragments] == [1] * len(span)
        text = "".join(fragments)
        assert text.startswith("(TOP")
        assert text.count("(") == text.count(")")
        assert all(0 <= s.start < s.end <= len(span) for s in labelled_spans(fragments))


def test_it_is_small_and_complete() -> None:
    assert sum((DEFAULT_MODEL / name).stat().st_size for name in FILES) <= 6_000_000
    metadata = json.loads((DEFAULT_MODEL / "parser.json").read_text(encoding="utf-8"))
    assert metadata["recipe"]["encoder"] == "default"
    assert set(metadata["data"]) == {"gum.train.gold_conll.xz", "gum.dev.gold_conll.xz"}
    assert metadata["dev"]["f1"] == max(row["dev"]["f1"] for row in metadata["log"])


def test_some_trees(engine: ParserEngine) -> None:
    texts = ["Ann lost her keys .", "The house on the hill was old ."]
    (parsed,) = engine.parse([Document.of("d", [text.split() for text in texts])])
    assert list(document_brackets(parsed)) == [
        "(TOP (S (NP (NNP Ann)) (VP (VBD lost) (NP (PRP$ her) (NNS keys))) (. .)))",
        "(TOP (S (NP (NP (DT The) (NN house)) (PP (IN on) (NP (DT the) (NN hill))))"
        " (VP (VBD was) (ADJP (JJ old))) (. .)))",
    ]


@settings(max_examples=40, deadline=None)
@given(odd_texts)
def test_any_text_gets_trees(text: str) -> None:
    engine = _cached_engine()
    (parsed,) = engine.parse([Document("d", text)])
    assert parsed.text == text
    check_tree(parsed)


_ENGINES: list[ParserEngine] = []


def _cached_engine() -> ParserEngine:
    if not _ENGINES:
        _ENGINES.append(ParserEngine(threads=1))
    return _ENGINES[0]


def test_long_sentences(engine: ParserEngine) -> None:
    words = ("the dog barked at the cat , and " * 80).split()
    (parsed,) = engine.parse([Document.of("d", [words])])
    check_tree(parsed)
    assert parsed.sentences == (0,)
    assert sum(fragment.count("(TOP") for fragment in parsed.parse or ()) == 1


def test_texts_without_sentences_are_split_to_be_parsed() -> None:
    words = ["Ann", "slept", "."] * 60
    document = Document.of("d", [words])
    assert len(split_into_sentences(document).sentences) == 60
    short = Document.of("d", [words[:9]])
    assert split_into_sentences(short) is short


def test_zeros_are_in_no_tree(engine: ParserEngine) -> None:
    whole = Document.of("d", [["Ann", "_", "slept", "."], ["_"]])
    document = Document(
        "d", whole.text, whole.tokens, whole.starts, whole.ends, whole.sentences, zeros=(1, 4)
    )
    (parsed,) = engine.parse([document])
    assert parsed.parse is not None
    assert parsed.pos is not None
    assert (parsed.parse[1], parsed.pos[1], parsed.parse[4]) == ("", "", "")
    check_tree(Document.of("d", [["Ann", "slept", "."]],
                           parse=tuple(parsed.parse[at] for at in (0, 2, 3)),
                           pos=tuple(parsed.pos[at] for at in (0, 2, 3))))  # fmt: skip


def test_threads_and_company_do_not_matter(engine: ParserEngine) -> None:
    documents = [
        Document.of(str(number), [["Ann", "saw", "a", "dog", "."]] * number)
        for number in (1, 30, 0, 5, 60)
    ]
    alone = [next(iter(engine.parse([document]))) for document in documents]
    assert list(ParserEngine(threads=3).parse(documents)) == alone


def test_it_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; sys.modules['onnx'] = None;"
        "from coindex.models.parser.infer import ParserEngine;"
        "from coindex.types.document import Document;"
        "print(next(ParserEngine().parse([Document('d', 'Ann slept.')])).parse[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(TOP(S(NP*)\n"


@pytest.mark.data
def test_gum(engine: ParserEngine, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    paths = datasets.paths("gum", "dev")
    gold = [item for item in formats.read(paths[0]) if isinstance(item, Document)][::3]
    scores = bracket_scores(map(count_brackets, gold, engine.parse(gold)))
    assert scores["f1"] >= LEAST
    assert scores["tag_accuracy"] >= 96

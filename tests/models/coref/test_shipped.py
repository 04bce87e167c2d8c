"""The model in the package: what its card says of it, what it answers, what it scores."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import coindex
from coindex.assets import DEFAULT_MODEL as SHIPPED
from coindex.text.markup import read_markup
from coindex.transform.resolved_entities import resolved_entities
from coindex.types.document import Document
from strategies import marked_up_texts, odd_texts

FILES = (
    "encoder.onnx", "head.npz", "model.json", "parser.json", "parser.npz", "parser.onnx",
    "pronoun.json", "pronoun.onnx", "tokenizer.json",
)  # fmt: skip
MARKS = tuple("\u0300\u0301\u0308\u200d")
DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def resolver() -> Any:
    return coindex.load(threads=1)


def groups(document: Document) -> list[list[str]]:
    return [[mention.text for mention in entity.mentions] for entity in resolved_entities(document)]


def test_the_files_are_those_of_the_card() -> None:
    card = (SHIPPED / "README.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z.]+)` \| .* \| `([0-9a-f]{64})` \|$", card, re.MULTILINE))
    found = {name: hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest() for name in FILES}
    assert told == found


def test_it_is_small_and_knows_no_machine() -> None:
    assert {path.name for path in SHIPPED.iterdir()} == {*FILES, "README.md"}
    assert (
        sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 67_000_000
    )  # a wheel of 60 MB: weights are compressed by a tenth
    told = [
        (SHIPPED / f"{name}.json").read_text(encoding="utf-8")
        for name in ("model", "pronoun", "parser")
    ]
    for text in told:
        assert not re.search(r'"(/|~|[A-Z]:\\)', text)
    facts = json.loads(told[0])
    assert (facts["default"], facts["single"]) == ("general", "gum")
    assert facts["trained"]["recipe"]["seed"] == 2
    assert len(facts["trained"]["data"]) == 155


def test_the_cards_scores_are_the_measured_ones() -> None:
    models = DOCS.parent / "research" / "models"
    card = (SHIPPED / "README.md").read_text(encoding="utf-8")
    rows = {row[0]: row[1:] for row in
            (re.split(r" *\| *", line.strip("| ")) for line in card.splitlines()
             if line.startswith("| ") and "CoNLL" in line)}  # fmt: skip
    for name, label in (("litbank", "LitBank"), ("ontogum", "OntoGUM"), ("gum", "GUM")):
        told = next(values for key, values in rows.items() if key.startswith(f"{label},"))
        stages = ("everyday-0.2", "second-student-0.2")
        for column, (split, stage) in enumerate(product(("dev", "test"), stages)):
            file = models / stage / f"scores-{split}.json"
            scores = json.loads(file.read_text(encoding="utf-8"))
            assert told[column].strip("*") == f"{scores[name]['conll']:.2f}"


def test_people_and_things(resolver: Any) -> None:
    text = "Alice told Bob that she had seen his dog. It was chasing her cat."
    assert groups(resolver.resolve(text)) == [
        ["Alice", "she", "her"], ["Bob", "his"], ["his dog", "It"],
    ]  # fmt: skip
    letter = resolver.resolve((DOCS / "examples" / "letter.txt").read_text(encoding="utf-8"))
    names = [entity.name for entity in resolved_entities(letter)]
    assert names == ["Clara Whitfield", "the Harbour Museum", "Tom", "his old letters"]


def test_single_mentions_on_request() -> None:
    every = coindex.load(threads=1, singletons=True).resolve("Alice saw Bob. He was in Leeds.")
    assert ["Leeds"] in groups(every)
    assert ["Bob", "He"] in groups(every)


def test_threads_order_and_company_change_nothing(resolver: Any) -> None:
    letter = (DOCS / "examples" / "letter.txt").read_text(encoding="utf-8")
    texts = [letter, "Ann met Bo. She liked him.", "", letter * 30]
    alone = [resolver.resolve(text).entities for text in texts]
    together = coindex.load(threads=3, batch=5).resolve(texts[::-1])
    assert [document.entities for document in together][::-1] == alone


def test_a_name_comes_back_after_nine_thousand_words(resolver: Any) -> None:
    years = range(1700, 2000)
    filler = "".join(
        f"In the year {year} the mill by the river was sold to a farmer, and {year % 90 + 3} men"
        " worked in it. The winter was hard, but the harvest of the next summer was good. "
        for year in years
    )
    text = (
        f"Wilhelmina Ostrander locked the door. She was tired. {filler}"
        "In the end Wilhelmina Ostrander came back, and she opened the door."
    )
    assert len(text.split()) > 9_000
    found = [group for group in groups(resolver.resolve(text)) if "Wilhelmina Ostrander" in group]
    assert [group.count("Wilhelmina Ostrander") for group in found] == [2]


@settings(max_examples=2000, deadline=None)
@given(odd_texts | marked_up_texts)
def test_offsets_are_exact(text: str) -> None:
    """Two thousand odd texts: tokens, mentions and offsets tell the same, no letter is cut."""
    document = _every().resolve(text)
    assert document.text == text
    visible = read_markup(text, "auto")
    masked = text if visible is None else visible.masked
    places = zip(document.tokens, document.starts, document.ends, strict=True)
    assert all("".join(masked[start:end].split()) == token for token, start, end in places)
    for entity in resolved_entities(document):
        for mention in entity.mentions:
            first, last = mention.tokens[0].start, mention.tokens[-1].end - 1
            assert (mention.start, mention.end) == (document.starts[first], document.ends[last])
            assert text[mention.start : mention.end] == mention.text
            if visible is None:
                assert mention.text.startswith(document.tokens[first])
                assert mention.text.endswith(document.tokens[last])
            assert text[mention.end : mention.end + 1] not in MARKS


_LOADED: list[Any] = []


def _every() -> Any:
    if not _LOADED:
        _LOADED.append(coindex.load(threads=1, singletons=True))
    return _LOADED[0]


def test_a_line_of_twenty_five_thousand_words(resolver: Any) -> None:
    """Without a full stop; time and memory are linear, see perf/resolve.py."""
    document = resolver.resolve("Ann lost her keys and " * 5_000)
    keys = [mention for e in resolved_entities(document) for mention in e.mentions]
    assert len(keys) > 1_000
    assert max(key.end for key in keys) > 100_000


def test_a_recipient_that_is_longer_than_any_mention(resolver: Any) -> None:
    """A header can hold a whole sentence; a model knows spans up to some width only."""
    long = "Staab, a journey " + "with many stops in the wrong countries " * 6
    text = f"From: Mark Whitt\nTo: {long}; she\nSubject: hello\n\nI will come.\nMark\n"
    document = resolver.resolve(text)
    assert document.text == text
    assert {document.text_of(m) for m in document.mentions} >= {"Mark Whitt", "I"}


def test_it_needs_neither_torch_nor_spacy_nor_a_network() -> None:
    code = (
        "import socket, sys\n"
        "def no(*a, **k): raise OSError('offline')\n"
        "socket.socket.connect = no\n"
        "import coindex\n"
        "document = coindex.load(threads=1).resolve('Ann lost her keys.')\n"
        "assert len(document.entities) == 1\n"
        "assert not {'torch', 'spacy', 'transformers', 'onnx'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("scheme", "file", "least"), [("ontogum", "ontogum:dev", 66.5), ("gum", "gum:dev", 73.2)]
)
def test_dev_scores_stay(
    scheme: str, file: str, least: float, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))
    pytest.importorskip("torch", reason="reads corpora as training does: pip install '.[train]'")
    from coindex.models.coref.recipe import Corpus
    from coindex.models.coref.train.corpora import read_corpus

    single = scheme == "gum"
    gold = list(read_corpus(Corpus((file,), scheme, single)).documents)
    found = coindex.load(scheme=scheme, singletons=single).resolve(gold)
    kept = [
        replace(answer, entities=tuple(e for e in answer.entities if single or len(e.mentions) > 1))
        for answer in found
    ]
    assert coindex.score(gold, kept).scores["conll"].f1 >= least

"""Penn brackets: what is written is read again."""

from __future__ import annotations

import pytest

from coindex.transform.penn_brackets import document_brackets, escaped, penn_brackets
from coindex.types.document import Document
from coindex.types.tree import read_penn


def test_round_trip() -> None:
    words, tags = ["The", "dog", "(", "Rex", ")"], ["DT", "NN", "-LRB-", "NNP", "-RRB-"]
    fragments = ["(TOP(NP(NP*", "*)", "(PRN*", "(NP*)", "*)))"]
    text = penn_brackets(words, tags, fragments)
    assert text == (
        "(TOP (NP (NP (DT The) (NN dog)) (PRN (-LRB- -LRB-) (NP (NNP Rex)) (-RRB- -RRB-))))"
    )
    ((read_words, read_tags, read_fragments),) = read_penn(text)
    assert read_words == ["The", "dog", "-LRB-", "Rex", "-RRB-"]
    assert (read_tags, read_fragments) == (tags, fragments)


@pytest.mark.parametrize(("word", "shown"), [
    ("(", "-LRB-"), ("]", "-RSB-"), (":)", ":-RRB-"), ("New York", "New_York"), ("\u00a0", "_"),
])  # fmt: skip
def test_words_are_escaped(word: str, shown: str) -> None:
    assert escaped(word) == shown


def test_documents() -> None:
    parse = ("(TOP(NP*", "*))", "(TOP*)", "")
    document = Document.of("d", [["a", "b"], ["c", "_"]], parse=parse, zeros=(3,))
    assert list(document_brackets(document)) == ["(TOP (NP (XX a) (XX b)))", "(TOP (XX c))"]
    assert list(document_brackets(Document.of("d", [["a"]]))) == []

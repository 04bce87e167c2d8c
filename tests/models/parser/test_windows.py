"""Windows: every word once, sentences whole, long ones split at punctuation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.assets import DEFAULT_MODEL
from coindex.models.common.subwords import SubwordTokenizer, read_tokenizer
from coindex.models.parser.windows import (
    MAX_TREE_SUBWORDS,
    MAX_WORDS,
    document_windows,
    sentence_parts,
)
from coindex.types.document import Document
from coindex.types.span import Span

TOKENIZER = SubwordTokenizer(read_tokenizer(DEFAULT_MODEL / "tokenizer.json"))
WORDS = st.sampled_from(["a", "Ann", "unbelievably", "3.14", ",", ".", "IBM", "antidisestablish"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=200), min_size=1, max_size=6))
def test_every_word_is_in_one_window(sentences: list[list[str]]) -> None:
    document = Document.of("d", sentences)
    subwords = TOKENIZER.of(document.tokens)
    seen: list[int] = []
    for window in document_windows(document, TOKENIZER, 60):
        assert len(window.subwords) == len(window.shapes) == len(window.edges)
        assert len(window.subwords) <= max(60, MAX_TREE_SUBWORDS + 2)
        for sentence, span in zip(window.sentences, window.spans, strict=True):
            assert len(sentence) == len(span) <= MAX_WORDS
            assert window.edges[window.firsts[sentence.start]] & 1
            assert window.edges[window.firsts[sentence.end - 1]] & 2
            for place, word in zip(
                range(sentence.start, sentence.end), range(span.start, span.end), strict=True
            ):
                first, last = window.firsts[place], window.lasts[place]
                assert list(window.subwords[first : last + 1]) == subwords[word]
            seen += range(span.start, span.end)
    assert seen == list(range(len(document)))


def test_long_sentences_are_split_after_marks() -> None:
    words = ["w"] * 100 + [";"] + ["w"] * 30 + [","] + ["w"] * 100
    document = Document.of("d", [words])
    parts = list(sentence_parts(document, [1] * len(words)))
    assert parts == [Span(0, 101), Span(101, 232)]
    commas = Document.of("d", [["w"] * 120 + [","] + ["w"] * 100])
    assert next(iter(sentence_parts(commas, [1] * 221))) == Span(0, 121)
    plain = Document.of("d", [["w"] * 400])
    assert [len(part) for part in sentence_parts(plain, [1] * 400)] == [150, 150, 100]
    wide = list(sentence_parts(plain, [12] * 400))
    assert max(12 * len(part) for part in wide) <= MAX_TREE_SUBWORDS


def test_zeros_are_not_read() -> None:
    document = Document.of("d", [["Ann", "slept"], ["_"]])
    document = Document(
        "d", document.text, document.tokens, document.starts, document.ends, document.sentences,
        zeros=(2,),
    )  # fmt: skip
    (window,) = document_windows(document, TOKENIZER, 60)
    assert len(window.firsts) == 2
    assert window.spans == (Span(0, 2),)


@pytest.mark.parametrize(("token", "shape"), [("ann", 1), ("Ann", 2), ("IBM", 3), ("I", 4),
                                              ("iPod", 5), ("1990s", 1), ("42", 6), (",", 7)])  # fmt: skip
def test_shapes(token: str, shape: int) -> None:
    (window,) = document_windows(Document.of("d", [[token]]), TOKENIZER, 60)
    assert window.shapes[1] == shape

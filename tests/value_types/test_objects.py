"""The two objects and what they are made of: half-open, frozen, validated."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given

from coindex import Candidate, Chars, CoindexError, Document, Entity, Mention, Problem, Span
from coindex.errors import InvalidValue
from strategies import documents


def test_spans_are_half_open() -> None:
    assert len(Span(2, 4)) == 2
    assert 2 in Span(2, 4)
    assert 4 not in Span(2, 4)
    assert Chars(0, 3).of("Ann slept") == "Ann"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 1)])
def test_a_span_is_never_empty_or_backwards(start: int, end: int) -> None:
    with pytest.raises(InvalidValue, match=f"found {start}, {end}"):
        Span(start, end)


def test_chars_may_be_empty_but_not_backwards() -> None:
    assert len(Chars(3, 3)) == 0
    with pytest.raises(InvalidValue):
        Chars(3, 2)


def test_spans_and_chars_do_not_mix() -> None:
    ranges: list[Any] = [Span(1, 2), Chars(1, 2)]
    assert ranges[0] != ranges[1]
    with pytest.raises(TypeError):
        sorted(ranges)


def test_covering_and_crossing() -> None:
    assert Span(0, 4).covers(Span(1, 4))
    assert not Span(1, 4).covers(Span(0, 4))
    assert Span(0, 3).crosses(Span(2, 5))
    assert Span(2, 5).crosses(Span(0, 3))
    assert not Span(0, 3).crosses(Span(3, 5))
    assert not Span(0, 3).crosses(Span(0, 2))


def test_everything_is_frozen_and_slotted() -> None:
    mention = Mention.at(0, 1)
    with pytest.raises(FrozenInstanceError):
        mention.head = 3  # type: ignore[misc]
    for thing in (Span(0, 1), Chars(0, 1), mention, Entity((mention,)), Document("d", "")):
        assert not hasattr(thing, "__dict__")
        hash(thing)


def test_a_mention_may_have_gaps() -> None:
    mention = Mention((Span(0, 1), Span(3, 5)), head=4)
    assert mention.discontinuous
    assert mention.tokens == (0, 3, 4)
    assert mention.cover == Span(0, 5)


@pytest.mark.parametrize(
    ("spans", "head", "message"),
    [
        ((), None, "at least one span"),
        ((Span(2, 4), Span(3, 5)), None, "in order and apart"),
        ((Span(3, 5), Span(0, 1)), None, "in order and apart"),
        ((Span(0, 1), Span(3, 5)), 2, "head 2 lies outside"),
    ],
)
def test_mentions_are_validated(spans: tuple[Span, ...], head: int | None, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Mention(spans, head)


def test_entities_are_sets_in_reading_order() -> None:
    a, b, c = Mention.at(3, 4), Mention.at(0, 2), Mention.at(0, 1)
    assert Entity((a, b, c)) == Entity((c, b, a))
    assert Entity((a, b, c)).mentions == (c, b, a)
    with pytest.raises(InvalidValue, match="twice"):
        Entity((a, Mention.at(3, 4)))
    with pytest.raises(InvalidValue, match="at least one mention"):
        Entity((), "7")


def test_documents_do_not_depend_on_the_order_of_entities() -> None:
    one, two = Entity((Mention.at(0, 1),), "1"), Entity((Mention.at(1, 2),), "2")
    rows = [["Ann", "slept"]]
    assert Document.of("d", rows, [one, two]) == Document.of("d", rows, [two, one])


def test_offsets_point_into_the_text() -> None:
    document = Document.of("d", [["Ann", "slept", "."], ["She", "snored"]])
    assert document.text == "Ann slept .\nShe snored"
    assert [
        document.text[s:e] for s, e in zip(document.starts, document.ends, strict=True)
    ] == list(document.tokens)
    assert list(document.sentence_spans()) == [Span(0, 3), Span(3, 5)]
    assert document.chars(Span(3, 5)).of(document.text) == "She snored"
    assert document.text_of(Mention((Span(0, 1), Span(3, 4)))) == "Ann … She"


def _document(**changes: object) -> Document:
    return replace(Document.of("d", [["a", "b"], ["c"]]), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"starts": (0,)}, "3 tokens need as many starts"),
        ({"starts": (2, 0, 4)}, "offsets must rise"),
        ({"ends": (1, 3, 99)}, "within the text's 5 characters"),
        ({"tokens": ("a", "", "c")}, "token 1 is empty"),
        ({"sentences": (1,)}, "must start at token 0"),
        ({"sentences": (0, 3)}, "starts at 3 of 3"),
        ({"sentences": (0, 2, 2)}, "must rise"),
        ({"pos": ("NN",)}, "pos has 1 values for 3 tokens"),
        ({"layers": (("ner", ("x",)),)}, "ner has 1 values"),
        ({"heads": (-1, 0, 3)}, "a head lies outside"),
        ({"entities": (Entity((Mention.at(2, 4),)),)}, "ends at token 4 of 3"),
        ({"entities": (Entity((Mention.at(0, 1),), "x"), Entity((Mention.at(1, 2),), "x"))}, "called 'x'"),
        ({"zeros": (3,)}, "a zero lies outside"),
        ({"zeros": (1, 0)}, "zeros must rise"),
    ],
)  # fmt: skip
def test_documents_are_validated(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message) as caught:
        _document(**changes)
    assert isinstance(caught.value, CoindexError)
    assert isinstance(caught.value, ValueError)


def test_an_empty_document_is_a_document() -> None:
    assert len(Document("d", "")) == 0
    assert Document.of("d", []) == Document("d", "")


def test_speakers_of_nobody_are_none() -> None:
    assert _document(speakers=("", "", "")).speakers is None


def test_keys_tell_parts_apart() -> None:
    assert _document(part=2).key == "d part 2"
    assert _document().key == "d"


@given(documents())
def test_documents_survive_pickling(document: Document) -> None:
    assert pickle.loads(pickle.dumps(document)) == document


def test_problems() -> None:
    problem = Problem(
        "1",
        "Ann met Bo and she sang",
        Chars(15, 18),
        (Candidate("Ann", Chars(0, 3)), Candidate("Bo")),
    )
    assert problem.pronoun == "she"
    assert replace(problem, meta=(("a", "b"),)).meta_value("a") == "b"
    assert problem.meta_value("a") is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": Chars(2, 2)}, "the pronoun needs a place"),
        ({"target": Chars(2, 99)}, "found 2-99"),
        ({"candidates": ()}, "needs a candidate"),
        ({"candidates": (Candidate("x", Chars(0, 99)),)}, "ends at 99"),
        ({"answer": (2,)}, "outside the 1 candidates"),
        ({"answer": (0, 0)}, "must rise"),
    ],
)
def test_problems_are_validated(changes: dict[str, object], message: str) -> None:
    problem = Problem("1", "Ann sang", Chars(0, 3), (Candidate("Ann"),))
    with pytest.raises(InvalidValue, match=message):
        replace(problem, **changes)  # type: ignore[arg-type]


def test_a_candidate_has_words() -> None:
    with pytest.raises(InvalidValue):
        Candidate("")

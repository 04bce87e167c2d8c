"""Mentions in brackets, put into a text that stays what it was."""

from __future__ import annotations

import re

from hypothesis import given

from coindex import Document, Entity, Mention, Span
from coindex.transform.brackets import bracket_insertions, bracketed_text
from resolved_samples import marked
from strategies import documents


def entity(*spans: tuple[int, int]) -> Entity:
    return Entity(tuple(Mention.at(*span) for span in spans))


def test_nested_mentions_and_numbers() -> None:
    document = marked("{1:Ann Lee} saw\r\n\t{2:{1:her} brother} in {3:Leeds};  {2:he} slept.")
    assert bracketed_text(document) == (
        "[Ann Lee]_1 saw\r\n\t[[her]_1 brother]_2 in [Leeds]_3;  [he]_2 slept."
    )
    assert bracketed_text(document, singletons=False, subscripts=True) == (
        "[Ann Lee]₁ saw\r\n\t[[her]₁ brother]₂ in Leeds;  [he]₂ slept."
    )


def test_singletons_are_numbered_last() -> None:
    document = marked("In {3:Leeds} {1:Ann} lost {1:her} hat.")
    assert bracketed_text(document) == "In [Leeds]_2 [Ann]_1 lost [her]_1 hat."


def test_plural_broken_crossing_and_zero() -> None:
    broken = Mention((Span(0, 1), Span(2, 3)))
    entities = [
        Entity((broken, Mention.at(3, 4))),
        entity((1, 2), (3, 4)),
        entity((4, 6)),
        entity((5, 7)),
    ]
    document = Document.of("d", [["take", "it", "off", "they", "a", "b", "c"]], entities)
    assert (
        bracketed_text(document) == "[take...]_1 [it]_2 [...off]_1 [they]_1+2 [_3 a [_4 b]_3 c]_4"
    )
    assert bracketed_text(document, subscripts=True).endswith("[they]₁₊₂ [₃ a [₄ b]₃ c]₄")
    zero = Document("z", "She left", ("She", "_", "left"), (0, 3, 4), (3, 3, 8), (0,),
                    (entity((0, 1), (1, 2)),), zeros=(1,))  # fmt: skip
    assert bracketed_text(zero) == "[She]_1[]_1 left"


def test_equal_borders_close_in_the_order_they_opened() -> None:
    document = Document.of("d", [["a", "b", "c"]], [entity((0, 3)), entity((0, 1)), entity((2, 3))])
    assert bracketed_text(document) == "[[a]_1 b [c]_3]_2"


def test_no_mention_no_bracket() -> None:
    assert bracketed_text(Document("d", "")) == ""
    assert bracketed_text(Document.of("d", [["a", "b"]])) == "a b"


@given(documents())
def test_the_text_is_only_added_to(document: Document) -> None:
    marks = bracket_insertions(document)
    assert [at for at, _ in marks] == sorted(at for at, _ in marks)
    out, kept, at, place = bracketed_text(document), "", 0, 0
    for where, mark in marks:
        kept += out[at : at + where - place]
        at += where - place
        assert out.startswith(mark, at)
        at, place = at + len(mark), where
    assert kept + out[at:] == document.text
    written = "".join(mark for _, mark in marks)
    parts = {spans: len(spans) for spans in (m.spans for m in document.mentions)}
    assert written.count("[") == written.count("]") == sum(parts.values())
    depth = 0
    for char in written:
        depth += (char == "[") - (char == "]")
        assert depth >= 0
    numbers = {
        number for label in re.findall(r"\]_([\d+]+)", written) for number in label.split("+")
    }
    assert len(numbers) == len(document.entities)

"""Annotated texts: numbers, names, nesting, crossing, gaps, zeros; the text is not changed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from coindex.report.viewer.annotated_text import ZERO, AnnotatedText, layout
from coindex.report.viewer.markup_events import (
    Break,
    Close,
    Open,
    Range,
    Text,
    Zero,
    crossing_marks,
    enclosing_marks,
    markup_events,
    nesting_levels,
)
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars, Span


def entity(*spans: tuple[int, int], **fields: Any) -> Entity:
    return Entity(tuple(Mention.at(*span) for span in spans), **fields)


def written(shown: AnnotatedText) -> str:
    """The events in a plain notation: `<0 Ann 0>`, lower bars where a mark goes on."""
    out = []
    for event in shown.events:
        if isinstance(event, Text):
            out.append(event.text)
        elif isinstance(event, Open):
            out.append(f"<{event.mark}" + (":" if event.real else "|"))
        elif isinstance(event, Close):
            out.append((":" if event.real else "|") + f"{event.mark}>")
        else:
            out.append("\n" if isinstance(event, Break) else ZERO)
    return "".join(out)


def test_nested_mentions_with_equal_starts_and_ends() -> None:
    doc = Document.of("d", [["her", "old", "friend"]], [entity((0, 1), (0, 3)), entity((1, 3))])
    shown = layout(doc)
    assert written(shown) == "<0:<1:her:1> <2:old friend:2>:0>"
    assert [mark.level for mark in shown.marks] == [1, 0, 0]
    assert [mark.outer for mark in shown.marks] == [None, 0, 0]
    assert not any(mark.crosses for mark in shown.marks)


def test_crossing_mentions_are_interrupted_not_lost() -> None:
    doc = Document.of("d", [list("abcde")], [entity((0, 3)), entity((2, 5))])
    shown = layout(doc)
    assert written(shown) == "<0:a b <1:c|1>:0><1| d e:1>"
    assert shown.marks[0].level != shown.marks[1].level
    assert all(mark.crosses for mark in shown.marks)
    assert [mark.outer for mark in shown.marks] == [None, None]


def test_a_broken_mention_is_one_mark_of_several_parts() -> None:
    broken = Mention((Span(0, 1), Span(2, 3)))
    doc = Document.of("d", [["take", "it", "off"]], [Entity((broken,)), entity((1, 2))])
    shown = layout(doc)
    assert written(shown) == "<0:take:0> <1:it:1> <0:off:0>"
    assert shown.marks[0].text == "take … off"
    assert shown.marks[0].chars == (Chars(0, 4), Chars(8, 11))
    assert shown.marks[1].outer == 0


def test_a_plural_is_one_mark_of_several_entities() -> None:
    entities = [entity((0, 1), (4, 5)), entity((2, 3), (4, 5))]
    shown = layout(Document.of("d", [["Ann", "and", "Bob", ":", "they"]], entities))
    assert shown.marks[-1].entities == (1, 2)
    assert [group.marks for group in shown.groups] == [(0, 2), (1, 2)]
    assert [group.name for group in shown.groups] == ["Ann", "Bob"]


def test_details_of_equal_mentions_are_merged() -> None:
    one = Mention((Span(0, 2),), head=1, kind="person", id="T1", attrs=(("case", "nom"),))
    two = Mention((Span(0, 2),), attrs=(("case", "nom"), ("animate", "yes")))
    doc = Document.of(
        "d", [["old", "Ann"]], [Entity((one,)), Entity((two,))], speakers=("Bob", "Bob")
    )
    (mark,) = layout(doc).marks
    assert (mark.head, mark.kind) == ("Ann", "person")
    assert mark.attrs == (("id", "T1"), ("speaker", "Bob"), ("case", "nom"), ("animate", "yes"))


def test_leaving_singletons_out_changes_no_number() -> None:
    words = ["Monday", "Ann", "saw", "Bob", "and", "she", "waved"]
    doc = Document.of("d", [words], [entity((0, 1)), entity((1, 2), (5, 6)), entity((3, 4))])
    full, bare = layout(doc), layout(doc, singletons=False)
    assert [(g.number, g.name, g.singleton) for g in full.groups] == [
        (1, "Ann", False),
        (2, "Monday", True),
        (3, "Bob", True),
    ]
    assert [(g.number, g.name) for g in bare.groups] == [(1, "Ann")]
    assert [mark.text for mark in bare.marks] == ["Ann", "she"]
    assert full.summary == "7 tokens, 4 mentions, 3 entities (2 singletons)"
    assert bare.summary == "7 tokens, 2 mentions, 1 entity"


def test_names_come_before_descriptions_and_pronouns() -> None:
    words = [
        "She",
        ",",
        "the",
        "doctor",
        ",",
        "Ann",
        "Lee",
        ",",
        "an",
        "old",
        "friend",
        ",",
        "left",
    ]
    doc = Document.of("d", [words], [entity((0, 1), (2, 4), (5, 10))])
    assert layout(doc).groups[0].name == "Ann Lee"
    doc = Document.of("d", [["She", "left", ",", "she", "did"]], [entity((0, 1), (3, 4))])
    assert layout(doc).groups[0].name == "she"


def test_offsets_are_code_points_of_the_untouched_text() -> None:
    text = "Zoe\u0301 👩‍🚀\r\nשלום <b>"
    doc = Document("d", text, (text[:4], text[5:8], "שלום", "<b>"), (0, 5, 10, 15), (4, 8, 14, 18), (0,),
                   (entity((0, 2)), entity((1, 3))))  # fmt: skip
    shown = layout(doc)
    assert shown.text == text
    assert written(shown) == "<0:Zoe\u0301 <1:👩‍🚀|1>:0><1||1>\n<1|שלום:1> <b>"
    assert shown.as_json()["mentions"][1]["chars"] == [[5, 14]]


def test_zeros_are_shown_and_can_be_mentions() -> None:
    text = "She came and left."
    doc = Document("d", text, ("She", "came", "and", "_", "left", "."), (0, 4, 9, 13, 13, 17),
                   (3, 8, 12, 13, 17, 18), (0,), (entity((0, 1), (3, 4)), entity((3, 5))), zeros=(3,))  # fmt: skip
    shown = layout(doc)
    assert written(shown) == f"<0:She:0> came and <1:<2:{ZERO}:2>left:1>."
    assert [mark.text for mark in shown.marks] == ["She", f"{ZERO} left", ZERO]
    assert shown.marks[2].chars == (Chars(13, 13),)


def test_an_empty_document() -> None:
    shown = layout(Document("d", ""))
    assert (shown.events, shown.marks, shown.groups) == ((), (), ())
    assert shown.summary == "0 tokens, 0 mentions, 0 entities"


def problem(answer: tuple[int, ...] | None) -> Problem:
    ann, bob, zoe = Candidate("Ann", Chars(0, 3)), Candidate("Bob", Chars(9, 12)), Candidate("Zoe")
    return Problem("p", "Ann told Bob that she won.", Chars(18, 21), (ann, bob, zoe), answer, "f")


def test_a_problem_has_its_candidates_and_its_answer() -> None:
    shown = layout(problem((0,)))
    assert written(shown) == "<0:Ann:0> told <1:Bob:1> that <2:she:2> won."
    assert [(mark.role, mark.entities) for mark in shown.marks] == [
        ("candidate", (1,)),
        ("candidate", (2,)),
        ("pronoun", (1,)),
    ]
    assert [(group.name, group.marks) for group in shown.groups] == [
        ("Ann", (0, 2)),
        ("Bob", (1,)),
        ("Zoe", ()),
    ]
    assert (shown.note, shown.metadata) == ("“she” means: Ann (1)", (("group", "f"),))


def test_answers_of_several_none_and_unknown() -> None:
    assert layout(problem((0, 2))).note == "“she” means: Ann (1), Zoe (3)"
    assert layout(problem(())).note == "“she” means: none of the candidates"
    assert layout(problem(None)).note == "“she” means: not known"
    assert layout(problem(None)).marks[2].entities == ()


TEXT = "a👩‍🚀b\r\nc\n\nd e\u0301f\rg h"
borders = st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=6, unique=True).map(sorted)
ranges = borders.map(lambda found: tuple(zip(found[::2], found[1::2], strict=False)))


@given(st.lists(ranges, max_size=8))
def test_any_ranges_weave_into_a_nested_stream(marks: list[tuple[Range, ...]]) -> None:
    stack: list[tuple[int, int]] = []
    text = ""
    parts = {(mark, part): "" for mark, spans in enumerate(marks) for part in range(len(spans))}
    for event in markup_events(TEXT, marks, ()):
        if isinstance(event, Open):
            stack.append((event.mark, event.part))
        elif isinstance(event, Close):
            assert stack.pop() == (event.mark, event.part)
        elif not isinstance(event, Zero):
            new = event.text if isinstance(event, Text) else "\n"
            text += new
            for part in stack:
                parts[part] += new
    assert not stack
    assert text == TEXT.replace("\r\n", "\n").replace("\r", "\n")
    for (mark, index), found in parts.items():
        start, end = marks[mark][index]
        expected = TEXT[start:end].replace("\r\n", "\n").replace("\r", "\n")
        assert found.replace("\n", "") == expected.replace("\n", "")


def overlap(one: tuple[Range, ...], two: tuple[Range, ...]) -> bool:
    return any(a < d and c < b for a, b in one for c, d in two)


@given(st.lists(ranges, max_size=8))
def test_no_two_marks_share_a_lane_and_outer_ones_lie_outside(
    marks: list[tuple[Range, ...]],
) -> None:
    lanes, around, cross = nesting_levels(marks), enclosing_marks(marks), crossing_marks(marks)
    for one, two in combinations(range(len(marks)), 2):
        if overlap(marks[one], marks[two]):
            assert lanes[one] != lanes[two]
    for mark, outer in enumerate(around):
        if outer is not None:
            assert marks[outer][0][0] <= marks[mark][0][0]
            assert marks[mark][-1][1] <= marks[outer][-1][1]
    for one, two in combinations(range(len(marks)), 2):
        if any(a < c < b < d or c < a < d < b for a, b in marks[one] for c, d in marks[two]):
            assert {one, two} <= cross

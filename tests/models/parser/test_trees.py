"""Trees as labelled spans, and back: nothing but functions of phrases is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coindex.models.parser.trees import LabelledSpan, known_label, labelled_spans, to_fragments

LABELS = ("NP", "VP", "S+VP", "SBAR+S+VP", "ADJP")


@st.composite
def trees(draw: st.DrawFn) -> tuple[int, list[LabelledSpan]]:
    """A number of words, and phrases of which no two cross."""
    count = draw(st.integers(1, 12))
    found: list[LabelledSpan] = []

    def grow(start: int, end: int) -> None:
        if draw(st.booleans()):
            found.append(LabelledSpan(start, end, draw(st.sampled_from(LABELS))))
        if end - start > 1:
            split = draw(st.integers(start + 1, end - 1))
            grow(start, split)
            grow(split, end)

    grow(0, count)
    return count, sorted(found, key=lambda span: (span.start, -span.end))


@given(trees())
def test_spans_survive_fragments(tree: tuple[int, list[LabelledSpan]]) -> None:
    count, spans = tree
    fragments = to_fragments(count, spans)
    assert len(fragments) == count
    assert labelled_spans(fragments) == spans


@given(trees())
def test_fragments_are_balanced_and_have_one_root(tree: tuple[int, list[LabelledSpan]]) -> None:
    fragments = to_fragments(*tree)
    text = "".join(fragments)
    assert text.count("(") == text.count(")")
    assert text.count("(TOP") == 1
    assert [fragment.count("*") for fragment in fragments] == [1] * tree[0]
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        assert depth >= 0


def test_functions_and_open_phrases() -> None:
    spans = labelled_spans(["(TOP(S(NP-SBJ*)", "(VP(V*"])
    assert [(s.start, s.end, s.label) for s in spans] == [
        (0, 2, "S"), (0, 1, "NP"), (1, 2, "VP+V"),
    ]  # fmt: skip
    assert to_fragments(0, []) == ()


def test_rare_chains_are_shortened() -> None:
    assert known_label("S+VP", {"S", "S+VP"}) == "S+VP"
    assert known_label("S+NP+NP", {"S", "S+VP"}) == "S"
    assert known_label("X", {"S"}) == ""

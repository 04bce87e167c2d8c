"""`replace_tokens`: words exchanged, inserted and left out; mentions stay on their tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document, Entity, Mention
from coindex.errors import InvalidValue
from coindex.transform.edit import TokenEdit, replace_tokens, without_zeros
from strategies import documents

STORY = Document.of(
    "story",
    [["Ann", "Lee", "met", "Bo", "."], ["She", "smiled", "."]],
    [Entity((Mention.at(0, 2), Mention.at(5, 6)), "1"), Entity((Mention.at(3, 4),), "2")],
    speakers=("a",) * 5 + ("b",) * 3,
    pos=("NNP",) * 8,
)


def shown(document: Document) -> list[list[str]]:
    return [[document.text_of(mention) for mention in e.mentions] for e in document.entities]


def test_mentions_move_with_their_tokens() -> None:
    edits = [TokenEdit(0, 2, ("Dr.", "Mary", "Cole")), TokenEdit(2, 2, ("once",))]
    new = replace_tokens(STORY, [*edits, TokenEdit(4, 5, ())])
    assert new.text == "Dr. Mary Cole once met Bo\nShe smiled ."
    assert shown(new) == [["Dr. Mary Cole", "She"], ["Bo"]]
    assert new.sentences == (0, 6)
    assert new.speakers == ("a",) * 6 + ("b",) * 3
    assert new.pos is None


def test_words_at_a_border_stay_outside() -> None:
    new = replace_tokens(STORY, [TokenEdit(3, 3, ("old",)), TokenEdit(4, 4, ("there",))])
    assert new.text.startswith("Ann Lee met old Bo there .")
    assert shown(new)[1] == ["Bo"]


def test_a_mention_cut_by_an_edit_is_left_out() -> None:
    new = replace_tokens(STORY, [TokenEdit(1, 3, ("saw",))])
    assert shown(new) == [["Bo"], ["She"]]
    assert shown(replace_tokens(STORY, [TokenEdit(3, 4, ())])) == [["Ann Lee", "She"]]


def test_lines_with_mentions_and_speakers() -> None:
    label = TokenEdit(5, 5, ("ANN", "LEE"), ((0, 2, 0),), True, "c")
    end = TokenEdit(8, 8, ("Bye", ",", "Cy"), ((2, 3, 2),), True)
    new = replace_tokens(STORY, [label, end])
    assert new.text == "Ann Lee met Bo .\nANN LEE\nShe smiled .\nBye , Cy"
    assert shown(new) == [["Ann Lee", "ANN LEE", "She"], ["Bo"], ["Cy"]]
    assert new.sentences == (0, 5, 7, 10)
    assert new.speakers is not None
    assert new.speakers[5:8] == ("c", "c", "b")


def test_edits_before_one_token_keep_their_order() -> None:
    new = replace_tokens(STORY, [TokenEdit(5, 5, ("z",)), TokenEdit(5, 5, ("a",))])
    assert new.tokens[5:8] == ("z", "a", "She")


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(InvalidValue, match="must be apart"):
        replace_tokens(STORY, [TokenEdit(0, 2, ("x",)), TokenEdit(1, 3, ("y",))])


@given(documents())
def test_no_edit_changes_no_mention(document: Document) -> None:
    plain = without_zeros(document)
    new = replace_tokens(plain, [])
    assert new.tokens == plain.tokens
    assert [e.mentions for e in new.entities] == [
        tuple(m.__class__(m.spans, None, m.kind, m.id, m.attrs) for m in e.mentions)
        for e in plain.entities
    ]


@given(documents(), st.data())
def test_each_word_for_another_keeps_every_mention(document: Document, data: st.DataObject) -> None:
    plain = without_zeros(document)
    chosen = data.draw(st.sets(st.integers(0, max(len(plain) - 1, 0)))) if len(plain) else set()
    edits = [TokenEdit(at, at + 1, ("word",)) for at in chosen]
    new = replace_tokens(plain, edits)
    assert [[m.spans for m in e.mentions] for e in new.entities] == [
        [m.spans for m in e.mentions] for e in plain.entities
    ]
    assert all(new.tokens[at] == "word" for at in chosen)
    for token, start, end in zip(new.tokens, new.starts, new.ends, strict=True):
        assert token != "word" or new.text[start:end] == "word"

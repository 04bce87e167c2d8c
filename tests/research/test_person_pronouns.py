"""The report on first- and second-person pronouns."""

from __future__ import annotations

from research.person_pronouns import clusters, count_right, plain_lines

from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

TURNS = Document.of(
    "d",
    [["I", "saw", "you", "."], ["You", "did"]],
    speakers=("Ann",) * 4 + ("Bo",) * 2,
    entities=(
        Entity((Mention.at(0, 1), Mention.at(4, 5))),
        Entity((Mention.at(2, 3),)),
    ),
)


def test_turns_become_lines_and_mentions_move_with_them() -> None:
    text, starts = plain_lines(TURNS)
    assert text == "Ann: I saw you .\nBo: You did\n"
    assert {text[a:b] for a, b in clusters(TURNS, starts)} == {"I", "you", "You"}


def test_a_pronoun_is_right_if_its_entity_is_mostly_its_own() -> None:
    gold = clusters(TURNS)
    assert count_right(gold, gold, TURNS.text) == (3, 3)
    merged = dict.fromkeys(gold, "0")
    assert count_right(gold, merged, TURNS.text) == (2, 3)
    assert count_right(gold, {}, TURNS.text) == (0, 3)

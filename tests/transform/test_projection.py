"""Entities on other tokens of the same text."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from coindex import Document, Entity, Mention, formats
from coindex.cli import cli
from coindex.transform.projection import project

KEY = Document.of("a", [["Ann", "Lee", "'s", "dog", "did", "n't", "see", "her", "."]],
                  [Entity((Mention.at(0, 2), Mention.at(7, 8)), "1")])  # fmt: skip
OWN = Document.of("a", [["Ann", "Lee's", "dog", "didn't", "see", "her", "."]],
                  [Entity((Mention.at(0, 1), Mention.at(5, 6))),
                   Entity((Mention.at(0, 2), Mention.at(3, 4)))])  # fmt: skip


def spans(document: Document) -> list[list[tuple[int, int]]]:
    return [[(m.start, m.end) for m in entity.mentions] for entity in document.entities]


def test_mentions_are_placed_by_their_characters() -> None:
    found = project(OWN, KEY)
    assert found is not None
    assert found.document.tokens == KEY.tokens
    assert spans(found.document) == [[(0, 1), (7, 8)], [(0, 3), (4, 6)]]
    assert found.widened == 0


def test_mentions_that_end_within_a_token_are_widened_and_counted() -> None:
    found = project(KEY, OWN)
    assert found is not None
    assert spans(found.document) == [[(0, 2), (5, 6)]]
    assert found.widened == 1


def test_other_texts_and_equal_tokens_are_left_alone() -> None:
    assert project(KEY, KEY) is None
    assert project(KEY, Document.of("a", [["Bo", "slept"]])) is None


def test_tokens_of_white_space_have_no_characters() -> None:
    """spaCy and Prodigy have a token for an empty line, PreCo one for a paragraph."""
    key = Document.of("a", [["Ann", "slept", "."], ["She", "woke", "."]])
    own = Document.of("a", [["Ann", "slept", ".", "\n\n", "She", "woke", "."]],
                      [Entity((Mention.at(0, 1), Mention.at(3, 5)))])  # fmt: skip
    found = project(own, key)
    assert found is not None
    assert spans(found.document) == [[(0, 1), (3, 4)]]
    back = project(found.document, own)
    assert back is not None
    assert spans(back.document) == [[(0, 1), (4, 5)]]
    assert project(replace(own, entities=(Entity((Mention.at(3, 4),)),)), key) is None


def test_escapes_of_treebanks_are_the_characters_that_they_stand_for() -> None:
    key = Document.of("a", [["``", "Ann", "-LRB-", "her", "dog", "-RRB-", "''"]])
    own = Document.of("a", [['"', "Ann", "(her", "dog", ')"']], [Entity((Mention.at(1, 5),))])
    found = project(own, key)
    assert found is not None
    assert spans(found.document) == [[(1, 7)]]
    assert found.widened == 0


@given(st.text("ab", min_size=1, max_size=12), st.data())
def test_a_mention_keeps_its_characters(text: str, data: st.DataObject) -> None:
    def split() -> list[str]:
        cuts = data.draw(st.sets(st.integers(1, max(len(text) - 1, 1))))
        at = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
        return [text[a:b] for a, b in pairwise(at)]

    one, other = split(), split()
    start = data.draw(st.integers(0, len(one) - 1))
    end = data.draw(st.integers(start + 1, len(one)))
    document = Document.of("d", [one], [Entity((Mention.at(start, end),))])
    found = project(document, Document.of("d", [other]))
    if one == other:
        assert found is None
        return
    assert found is not None
    ((place,),) = spans(found.document)
    words, covered = "".join(one[start:end]), "".join(other[place[0] : place[1]])
    assert words in covered
    assert (words == covered) == (found.widened == 0)


def test_an_output_over_plain_text_is_scored(tmp_path: Path) -> None:
    """fastcoref without ids and with tokens of its own, against a key of two documents."""
    keys = [KEY, Document.of("b", [["Bo", "did", "n't", "."]], [Entity((Mention.at(0, 1),), "1")])]
    formats.write(tmp_path / "key.conll", keys, "conll2012")
    rows = [
        {"text": "Ann Lee's dog didn't see her.", "clusters": [[[0, 7], [25, 28]]]},
        {"text": "Bo didn't.", "clusters": [[[0, 2]]]},
    ]
    lines = [json.dumps({**row, "clusters_strings": None}) + "\n" for row in rows]
    (tmp_path / "out.json").write_text("".join(lines), encoding="utf-8")
    command = ["score", str(tmp_path / "key.conll"), str(tmp_path / "out.json")]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 0, result.output
    assert "documents without ids, taken in the order of the key" in result.stderr
    assert "CoNLL" in result.stdout
    assert "100.00" in result.stdout

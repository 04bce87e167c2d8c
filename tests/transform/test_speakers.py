"""Speakers and addressees of tokens: recognised, brought, or read from a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

import coindex
from coindex import Document
from coindex.errors import FormatError, InputError
from coindex.report.viewer.annotated_text import layout
from coindex.report.viewer.html import page
from coindex.resolvers.resolver import _speakers
from coindex.transform.edit import retokenize
from coindex.transform.naming import entity_name
from coindex.transform.resolved_entities import as_json
from coindex.transform.speakers import LAYERS, document_turns, read_speakers, with_speakers
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span
from strategies import documents, odd_texts

CHAT = "Ann: I lost my keys\nBen: she said, “I am here,” and you know her.\nAnn: Ok?\n"


def document(text: str) -> Document:
    return retokenize(Document("d", text), ())


def test_tokens_have_speakers_addressees_and_labels() -> None:
    found = with_speakers(document(CHAT))
    assert found.speakers is not None
    table = {
        (token, speaker, *(found.layer(name)[at] for name in LAYERS))  # type: ignore[index]
        for at, (token, speaker) in enumerate(zip(found.tokens, found.speakers, strict=True))
    }
    assert ("Ann", "", "", "Ann", "", "") in table
    assert (":", "", "", "", "", "") in table
    assert ("keys", "Ann", "Ben", "", "", "turn") in table
    assert ("here", "", "", "", "1", "quotation") in table
    assert ("she", "Ben", "Ann", "?1", "", "turn") in table
    assert ("know", "Ben", "Ann", "", "", "turn") in table


def test_sentences_begin_with_turns_if_coindex_has_split_them() -> None:
    found = with_speakers(document(CHAT))
    firsts = [found.tokens[first] for first in found.sentences]
    assert firsts == ["Ann", "Ben", "Ann"]
    given = replace(document(CHAT), sentences=(0, 3))
    assert with_speakers(given).sentences == (0, 3)


def test_documents_with_speakers_keep_them_and_get_addressees() -> None:
    rows = [["Hi", "Ben", "!"], ["Who", "?"], ["You", "."]]
    speakers = ("Ann", "Ann", "Ann", "Ben", "Ben", "Ann", "Ann")
    brought = Document.of("d", rows, speakers=speakers)
    found = with_speakers(brought)
    assert found.speakers == speakers
    assert found.layer("addressee") == ("Ben", "Ben", "Ben", "Ann", "Ann", "Ben", "Ben")
    assert found.layer("turn") is None
    own = replace(brought, layers=(("addressee", ("x",) * 7),))
    assert with_speakers(own) == own


def test_of_three_speakers_only_the_clear_addressees_are_set() -> None:
    rows = [["Who", "?"], ["Me", "."], ["You", "?"], ["Quiet", ",", "Ben", "!"]]
    speakers = ("Ann", "Ann", "Ben", "Ben", "Ann", "Ann", "Cy", "Cy", "Cy", "Cy")
    found = with_speakers(Document.of("d", rows, speakers=speakers)).layer("addressee")
    assert found == ("", "", "Ann", "Ann", "", "", "Ben", "Ben", "Ben", "Ben")


def test_plain_narrative_is_left_alone() -> None:
    plain = document("Ann lost her keys. I saw her.")
    assert with_speakers(plain) is plain


@given(odd_texts)
def test_every_column_is_parallel_to_the_tokens(text: str) -> None:
    found = with_speakers(document(text))
    assert found.tokens == document(text).tokens
    assert all(len(column) == len(found) for _, column in found.layers)
    assert found.speakers is None or len(found.speakers) == len(found)


@given(documents())
def test_documents_keep_everything_else(given_document: Document) -> None:
    found = with_speakers(given_document)
    assert given_document.speakers is None or found.speakers == given_document.speakers
    restored = replace(
        found,
        speakers=given_document.speakers,
        layers=given_document.layers,
        sentences=given_document.sentences,
    )
    assert restored == given_document
    turns = document_turns(found)
    assert [turn.chars.start for turn in turns] == sorted(turn.chars.start for turn in turns)


def test_json_has_turns_only_if_somebody_speaks() -> None:
    found = as_json(with_speakers(document(CHAT)))["turns"]
    assert found[0] == {"start": 5, "end": 19, "kind": "turn", "speaker": "Ann", "addressee": "Ben"}
    assert {"start": 36, "end": 46, "kind": "quotation"} in found
    assert "turns" not in as_json(document("Ann slept."))


def test_the_page_names_who_speaks_and_leaves_the_text_as_it_is() -> None:
    shown = "".join(page([layout(with_speakers(document(CHAT)))]))
    assert 'data-who="Ann" title="Ann speaks to Ben"' in shown
    assert "Ann</span>" not in shown


def test_nobody_is_called_narrator_in_the_text() -> None:
    found = with_speakers(document("“I am late,” I said."))
    (first,) = (at for at, token in enumerate(found.tokens[:2]) if token == "I")
    entity = Entity((Mention((Span(first, first + 1),)),))
    name = entity_name(replace(found, entities=(entity,)), entity)
    assert (name.text, name.usable) == ("narrator", False)


def test_a_file_of_speakers() -> None:
    rows = ["# turns\n", "\n", "5\t19\tAnn\tBen\n", "25\t30\tBen\t\tother\n"]
    found = read_speakers(rows, "s.tsv").apply(document(CHAT))
    assert found.speakers is not None
    assert set(found.speakers) == {"", "Ann"}
    assert (found.layer("addressee") or ())[2] == "Ben"
    brought = Document.of("d", [["Hi"]], speakers=("Cy",))
    assert read_speakers(rows, "s.tsv").apply(brought) == brought


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1\t2\n", "s.tsv:1: expected 3 to 5 columns (start, end, speaker, addressee, document), found 2"),
        ("4\t2\tAnn\n", "s.tsv:1: expected start < end, found '4' and '2'"),
        ("x\t2\tAnn\n", "s.tsv:1: expected start < end, found 'x' and '2'"),
        ("0\t900\tAnn\n", f"s.tsv:1: d has {len(CHAT)} characters, found the end 900"),
    ],
)  # fmt: skip
def test_errors_name_file_and_line(row: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_speakers([row], "s.tsv").apply(document(CHAT))
    assert str(caught.value) == message


def test_the_choices_of_the_resolver(tmp_path: Path) -> None:
    file = tmp_path / "s.tsv"
    file.write_text("0\t3\tZoe\n", encoding="utf-8")
    chat = document(CHAT)
    assert _speakers("none")(chat, None) is chat
    assert "Ann" in (_speakers("auto")(chat, None).speakers or ())
    assert (_speakers(str(file))(chat, None).speakers or ())[0] == "Zoe"
    with pytest.raises(InputError, match="no such file"):
        coindex.load(speakers=tmp_path / "missing.tsv")

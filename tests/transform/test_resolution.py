"""What was found in a document, for programs."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Chars, Document, Entity, Mention, Span, formats
from coindex.transform.brackets import bracketed_text
from coindex.transform.edit import retokenize
from coindex.transform.naming import best_name
from coindex.transform.replace_pronouns import replace_pronouns
from coindex.transform.resolved_entities import as_json, confidence_value, resolved_entities
from resolved_samples import marked
from strategies import documents


def sure(start: int, end: int, **values: str) -> Mention:
    return Mention((Span(start, end),), attrs=tuple(values.items()))


def sample() -> Document:
    ann = Entity((sure(0, 1, confidence="0.99"), sure(2, 3, confidence="0.9", link="0.8"),
                  sure(5, 6, confidence="0.7", link="0.6")), "e7")  # fmt: skip
    return Document.of("d", [["Ann", "lost", "her", "hat", "."], ["She", "slept"]],
                       [ann, Entity((sure(2, 4, confidence="0.5"),))])  # fmt: skip


def test_entities_with_names_offsets_and_confidence() -> None:
    ann, hat = resolved_entities(sample())
    assert (ann.number, ann.name, ann.id) == (1, "Ann", "e7")
    assert [m.text for m in ann.mentions] == ["Ann", "her", "She"]
    assert [(m.start, m.end) for m in ann.mentions] == [(0, 3), (9, 12), (19, 22)]
    assert [m.kind for m in ann.mentions] == ["name", "pronoun", "pronoun"]
    assert [m.link for m in ann.mentions] == [None, 0.8, 0.6]
    assert ann.confidence == pytest.approx(0.7)  # the mean of the links
    assert (hat.number, hat.confidence) == (2, 0.5)  # no link: the mention's own
    assert resolved_entities(sample(), singletons=False) == (ann,)
    assert resolved_entities(marked("{1:Ann} slept."))[0].confidence is None


def test_json() -> None:
    found = as_json(sample(), singletons=False)
    assert found["text"] == "Ann lost her hat .\nShe slept"
    assert "text" not in as_json(sample(), text=False)
    (ann,) = found["entities"]
    assert ann["name"] == "Ann"
    assert ann["confidence"] == 0.7
    assert ann["mentions"][1] == {
        "text": "her", "start": 9, "end": 12, "token_start": 2, "token_end": 3,
        "kind": "pronoun", "confidence": 0.9, "link": 0.8,
    }  # fmt: skip
    assert "link" not in ann["mentions"][0]


def test_json_of_a_part_and_of_a_broken_mention() -> None:
    broken = Entity((Mention((Span(0, 1), Span(2, 3))),))
    document = Document.of("d", [["take", "it", "off"]], [broken], part=2)
    found = as_json(document)
    assert found["part"] == 2
    (mention,) = found["entities"][0]["mentions"]
    assert mention["text"] == "take … off"
    assert (mention["start"], mention["end"]) == (0, 11)
    assert mention["parts"] == [[0, 4], [8, 11]]
    assert mention["token_parts"] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("value", ["", "high", "nan", "inf", "-0.1", "1.5", "1e400"])
def test_what_is_no_share_is_not_known(value: str) -> None:
    assert confidence_value(sure(0, 1, link=value), "link") is None
    assert confidence_value(sure(0, 1, link="1"), "link") == 1.0
    assert confidence_value(sure(0, 1, link="1"), "confidence") is None


def holds(document: Document) -> None:
    """What is true of every output of every document."""
    found = as_json(document)
    assert json.loads(json.dumps(found)) == found
    assert len(found["entities"]) == len(document.entities)
    for number, entity in enumerate(found["entities"], 1):
        assert entity["number"] == number
        for mention in entity["mentions"]:
            places = mention.get("parts", [[mention["start"], mention["end"]]])
            assert mention["text"] == " … ".join(document.text[a:b] for a, b in places)
            first, last = mention["token_start"], mention["token_end"] - 1
            assert document.starts[first] == mention["start"]
            assert document.ends[last] == mention["end"]
    new = replace_pronouns(document, nominals=True)
    assert "".join(document.text[p.old.start : p.old.end] for p in new.segments) == document.text
    assert "".join(piece.text for piece in new.segments) == new.text
    assert all(p.old.of(document.text) == p.text for p in new.segments if p.unchanged)
    assert len(bracketed_text(document)) >= len(document.text)


@given(documents())
def test_every_offset_slices_out_its_mention(document: Document) -> None:
    holds(document)
    found = [each for entity in as_json(document)["entities"] for each in entity["mentions"]]
    whole = [each for each in found if "parts" not in each]
    assert [document.text[each["start"] : each["end"]] for each in whole] == [
        each["text"] for each in whole
    ]


ODD = ["\0", "\r\n", "👩🏽‍🚀", "e\u0301", "\u202e", "\ud800", "ﷺ", "\x1b[31m", "he", "Her", "Ann", " ", "'s",
       "\n\n", "\u200b", "ß", "İ", "...", "their"]  # fmt: skip


@given(st.lists(st.sampled_from(ODD), max_size=14).map("".join), st.data())
def test_odd_texts(text: str, data: st.DataObject) -> None:
    document = retokenize(Document("d", text), ())
    count = len(document)
    if count:
        spans = st.integers(0, count - 1).flatmap(
            lambda a: st.integers(a + 1, count).map(lambda b: (a, b))
        )
        groups = data.draw(st.lists(st.sets(spans, min_size=1, max_size=4), max_size=3))
        entities = tuple(Entity(tuple(Mention.at(*s) for s in sorted(group))) for group in groups)
        document = Document("d", text, document.tokens, document.starts, document.ends,
                            document.sentences, entities)  # fmt: skip
    holds(document)


def test_a_name_keeps_its_marks_and_emoji() -> None:
    document = marked("{1:Zoe\u0301 👩‍🚀} left.\r\n{1:She} slept.\0 {1:Her} hat fell.")
    name = best_name(document, document.entities[0])
    assert name == "Zoe\u0301 👩‍🚀"
    assert unicodedata.normalize("NFC", name) != name
    assert replace_pronouns(document).text == f"{name} left.\r\n{name} slept.\0 {name}'s hat fell."
    assert Chars(0, 8).of(document.text) == name


CORPORA = [
    "litbank/conll/*.conll",
    "litbank/brat/*.ann",
    "gum/ontogum.*.gold_conll.xz",
    "corefud/*.conllu",
    "fantasycoref/GFT_split1/dev*",
]


@pytest.mark.data
@pytest.mark.parametrize("pattern", CORPORA)
def test_every_gold_document(data: Path, pattern: str) -> None:
    files = sorted(data.glob(pattern))
    assert files, f"no file matches {pattern}"
    changed = total = 0
    for path in files:
        for document in formats.read(path):
            assert isinstance(document, Document)
            holds(document)
            names = [best_name(document, entity) for entity in document.entities]
            zeros = {(Span(zero, zero + 1),) for zero in document.zeros}
            for name, entity in zip(names, document.entities, strict=True):
                assert name or {m.spans for m in entity.mentions} <= zeros
                assert name == " ".join(name.split())
            total += 1
            changed += replace_pronouns(document).text != document.text
    assert changed / total > 0.85

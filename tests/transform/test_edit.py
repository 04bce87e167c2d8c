"""Documents made from documents."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from coindex import Document, Entity, Mention, Span
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.transform import edit, reduce
from coindex.transform.checks import check_document
from strategies import documents


def _mentions(*spans: tuple[int, int]) -> Entity:
    return Entity(tuple(Mention.at(*span) for span in spans), "1")


def test_zeros_go_with_their_mentions() -> None:
    document = Document(
        "d", "a c", ("a", "_", "c"), (0, 1, 2), (1, 1, 3), (0,),
        (Entity((Mention.at(1, 2),), "z"), Entity((Mention.at(0, 3), Mention.at(1, 3)), "1")),
        heads=(-1, 0, 1), zeros=(1,), pos=("A", "B", "C"),
    )  # fmt: skip
    bare = edit.without_zeros(document)
    assert bare.tokens == ("a", "c")
    assert bare.pos == ("A", "C")
    assert bare.heads == (-1, -1)
    assert bare.zeros == ()
    assert bare.entities == (Entity((Mention.at(0, 2), Mention.at(1, 2)), "1"),)
    assert bare.text == "a c"


def test_pieces_that_come_to_touch_become_one() -> None:
    entity = Entity((Mention((Span(0, 1), Span(2, 3))),), "1")
    document = Document(
        "d", "ac", ("a", "_", "c"), (0, 1, 1), (1, 1, 2), (0,), (entity,), zeros=(1,)
    )
    assert edit.without_zeros(document).entities[0].mentions == (Mention.at(0, 2),)


def test_crossing_mentions_of_one_entity() -> None:
    document = Document.of("d", [list("abcde")], [_mentions((0, 3), (1, 2), (2, 5))])
    assert edit.count_crossing(document) == 1
    kept = edit.without_crossing(document)
    assert kept.entities[0] == _mentions((0, 3), (1, 2))
    assert edit.count_crossing(kept) == 0


def test_discontinuous_mentions_are_covered_and_merged() -> None:
    entity = Entity((Mention((Span(0, 1), Span(3, 4))), Mention.at(0, 4)), "1")
    document = Document.of("d", [list("abcde")], [entity])
    assert edit.without_gaps(document).entities[0].mentions == (Mention.at(0, 4),)


def test_losses_are_counted() -> None:
    entity = Entity((Mention((Span(0, 1), Span(3, 4)), kind="person"), Mention.at(2, 3)), "1")
    document = Document.of("d", [list("abcde")], [entity], pos=("X",) * 5, meta=(("a", "b"),))
    kept, lost = reduce.reduce_document(
        document, reduce.DOCUMENT_FEATURES - {"discontinuous", "pos", "meta"}
    )
    assert lost == {"discontinuous": 1, "pos": 1, "meta:a": 1}
    assert kept.pos is None
    assert kept.entities[0].mentions[0].cover == Span(0, 4)
    assert reduce.consequence("discontinuous") == "written as the span from first to last token"


def test_named_layers_are_kept_one_by_one() -> None:
    layers = (("ner", ("x",)), ("sense", ("y",)))
    document = Document.of("d", [["a"]], layers=layers)
    kept, lost = reduce.reduce_document(
        document, (reduce.DOCUMENT_FEATURES - {"layers"}) | {"layers:ner"}
    )
    assert kept.layers == layers[:1]
    assert lost == {"layers:sense": 1}


@given(documents())
def test_a_lossless_form_loses_nothing(document: Document) -> None:
    assert reduce.reduce_document(document, reduce.DOCUMENT_FEATURES) == (document, {})


@given(documents())
def test_every_loss_alone_gives_a_valid_document(document: Document) -> None:
    for name in reduce.FEATURES:
        kept, lost = reduce.reduce_document(document, reduce.DOCUMENT_FEATURES - {name})
        assert set(lost) <= {name}
        assert (kept == document) or lost


def _split(text: str) -> list[list[str]]:
    spans = list(token_offsets(text))
    firsts = [*sentence_starts(text, spans), len(spans)]
    return [[text[slice(*span)] for span in spans[a:b]] for a, b in pairwise(firsts)]


def test_tokens_of_plain_english() -> None:
    assert _split("Mr. O'Neil didn't see the U.S. team's 3.5% rise — it's over!") == [
        ["Mr.", "O'Neil", "did", "n't", "see", "the", "U.S.", "team", "'s", "3.5", "%", "rise", "—",
         "it", "'s", "over", "!"]
    ]  # fmt: skip
    assert _split('She left. "Why?" he asked. Nobody knew') == [
        ["She", "left", "."],
        ['"', "Why", "?", '"', "he", "asked", "."],
        ["Nobody", "knew"],
    ]
    assert _split("One\n\nTwo three\nfour") == [["One"], ["Two", "three", "four"]]


@given(documents())
def test_tokens_lose_no_character(document: Document) -> None:
    text = document.text
    spans = list(token_offsets(text, {3, 5}))
    assert "".join(text[a:b] for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert not any(a < cut < b for a, b in spans for cut in (3, 5))


def test_markup_within_a_token_is_no_wrong_offset() -> None:
    document = edit.without_markup(Document("d", "<p>An<b>n</b>a &amp; Bo"), "html")
    assert list(check_document(document)) == []


def test_checking_a_document() -> None:
    document = Document(
        "d", "a b c", ("a", "X", "c"), (0, 2, 4), (1, 3, 5), (0,),
        (Entity((Mention.at(0, 2),), "1"), Entity((Mention.at(1, 3), Mention.at(0, 2)), "2")),
    )  # fmt: skip
    found = {rule: (token, text) for rule, token, text in check_document(document)}
    assert set(found) == {"crossing", "two-entities", "offset"}
    assert found["crossing"][0] == 1
    assert "found it in 1 and 2" in found["two-entities"][1]
    assert found["offset"] == (1, "expected token 'X' at 2-3 of the text, found 'b'")

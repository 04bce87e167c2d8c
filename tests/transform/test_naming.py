"""What an entity is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from coindex import Document, Entity, Mention, Span, formats
from coindex.text.markup import collapse_spaces
from coindex.transform.edit import retokenize, without_markup
from coindex.transform.naming import best_name, entity_name, join_names
from coindex.transform.resolved_entities import resolved_entities
from resolved_samples import marked
from strategies import documents


def name(text: str, speaker: str = "") -> str:
    document = marked(text, speaker)
    return best_name(document, next(entity for entity in document.entities if entity.id == "1"))


CASES = {
    "{1:She} saw that {1:the doctor} and {1:Ann Lee} were one.": "Ann Lee",
    "{1:Clara Whitfield, who runs a museum,} slept. {1:Clara} woke.": "Clara Whitfield",
    "{1:Madame Nilsson} sang. {1:Christine Nilsson} bowed to us; {1:Madame Nilsson} left.":
        "Christine Nilsson",
    "So {1:Darcy} came. Then {1:Mr. Darcy} left and {1:Mr. Darcy} slept.": "Mr. Darcy",
    "{1:Elizabeth Bennet} ran. {1:Elizabeth} sat. {1:Elizabeth} ate. {1:Elizabeth} slept.":
        "Elizabeth Bennet",
    "{1:Patrick Leopold Gordon of Leith} is {1:Patrick Gordon}. So {1:Gordon} is he; "
    "{1:Gordon} is old, and {1:Gordon} is ill.": "Patrick Gordon",
    "The {1:man's} hat and {1:Ann Lee's} hat.": "Ann Lee",
    "{1:Ann’s} hat and {1:his} hat.": "Ann",
    "{1:The boy} ran. {1:He} fell.": "the boy",
    "{1:The Happy Family} sat with {1:the Happy Family}.": "the Happy Family",
    "{1:A young girl in white} came. Then {1:this girl} left {1:the young girl} there.":
        "the young girl",
    "{1:A boy} ran. {1:He} fell.": "a boy",
    "We met {1:Martin King, Jr.}, and {1:him}.": "Martin King, Jr.",
    "{1:Ann, Bo and Cy} left. {1:They} ran.": "Ann, Bo and Cy",
    "They met {1:her cousin Edith}.": "Edith",
    "They met {1:the singer Nina Simone}.": "Nina Simone",
    "He crossed {1:the river Don}.": "the river Don",
    "He left {1:the Bank of England}, {1:the bank}.": "the Bank of England",
    "He left {1:the University at Albany}.": "the University at Albany",
    "He met {1:the man at the door}.": "the man",
    "I saw {1:Rose} there.": "Rose",
    'Pay {1:Northwind Traders, Inc.} ("{1:the Company}"). So {1:the Company} pays; {1:the Company} is'
    " paid, if {1:the Company} agrees.": "Northwind Traders, Inc.",
    "We pay {1:the Company}. So {1:the Company} pays.": "the Company",
    "{1:SERVICES AGREEMENT}\n\nUnder {1:this Agreement} we pay, and {1:the Agreement} ends.":
        "the Agreement",
    "{1:JOHN SMITH}\n\nHere is {1:the Captain}.": "JOHN SMITH",
    "He saw {1:the White House}. So {1:the House} is old.": "the White House",
    "{1:PARIS} is old. I like {1:Paris}.": "Paris",
    "{1:They} saw {1:them}.": "they",
    "{1:I} saw {1:me}.": "I",
    "{1:Every man} lost {1:his} hat.": "every man",
    "{1:The old\n  man} slept.": "the old man",
    "He saw {1:the City of Leeds}. So {1:Leeds} is old; {1:Leeds} is big. In {1:Leeds} it rains, but {1:Leeds} is fun.": "Leeds",
    "He saw {1:the Red Sox}, {1:the Boston Red Sox} or {1:Boston Red Sox} or {1:the Boston Red Sox}.": "the Boston Red Sox",
    "He met {1:the head of the archive, Priya Nair,} and {1:her} dog.": "Priya Nair",
    "He met {1:the people of a town near the sea, Maine}.": "the people of a town near the sea",
    "He saw {1:a smart, pretty girl}.": "a smart, pretty girl",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_the_best_name(text: str) -> None:
    assert name(text) == CASES[text]


def test_a_speaker_who_says_only_i() -> None:
    assert name("{1:I} am tired, and {1:my} dog too.", "Ann") == "Ann"
    assert name("{1:I} am {1:a doctor}.", "Ann") == "Ann"
    assert name("{1:I} am {1:Bo}.", "Ann") == "Bo"
    assert name("{1:We} are tired.", "Ann") == "we"
    assert name("{1:I} am tired.", "-") == "I"


def test_what_cannot_stand_for_a_pronoun() -> None:
    for text in (
        "{1:Every man} lost {1:his} hat.",
        "{1:They} saw {1:them}.",
        "{1:Nobody} lost {1:his} hat.",
        "{1:Why the King left} is plain: {1:it} is fear.",
        "They {1:said}, and {1:that} was wrong.",
        "{1:There} it was, over {1:there}.",
        "They {1:laughed}, and {1:that} was wrong.",
        "They want to {1:leave} soon; {1:it} will help.",
        "{1:Losing her keys} was bad; {1:it} hurt.",
        "{1:What she said that day} was wrong; {1:it} hurt.",
        "Storms {1:attacked} the coast; {1:it} took an hour.",
    ):
        document = marked(text)
        assert not entity_name(document, document.entities[0]).usable, text
    for text in ("Give {1:people} time; {1:they} need it.", "I met {1:mom}. {1:She} left.",
                 "He spoke of {1:fear} as {1:it} is.", "I saw {1:dogs} and {1:they} ran."):  # fmt: skip
        document = marked(text)
        assert entity_name(document, document.entities[0]).usable, text


def test_tags_end_a_name_at_a_verb_and_lower_a_common_noun() -> None:
    words = ["Dogs", "barking", "loudly", "slept", ";", "they", "woke"]
    tags = ("NNS", "VBG", "RB", "VBD", ":", "PRP", "VBD")
    pair = Entity((Mention.at(0, 3), Mention.at(5, 6)))
    assert best_name(Document.of("d", [words], [pair], pos=tags), pair) == "dogs"
    assert best_name(Document.of("d", [words], [pair]), pair) == "Dogs barking loudly"
    event = Entity((Mention.at(3, 4), Mention.at(5, 6)))
    tagged = Document.of("d", [words], [event], pos=tags)
    assert not entity_name(tagged, event).usable


def test_a_kind_that_is_marked_goes_before_the_words() -> None:
    mentions = (Mention((Span(0, 1),), kind="name"), Mention.at(2, 4))
    document = Document.of("d", [["it", "is", "the", "Thing"]], [Entity(mentions)])
    assert entity_name(document, document.entities[0]).kind == "name"


def test_a_broken_mention_is_called_by_the_part_with_its_head() -> None:
    spans = (Span(0, 1), Span(2, 4))
    for head, expected in ((None, "Ann"), (3, "old Lee")):
        entity = Entity((Mention(spans, head=head, kind="nominal"),))
        document = Document.of("d", [["Ann", "or", "old", "Lee"]], [entity])
        assert best_name(document, entity) == expected


def test_several_names_as_one() -> None:
    assert join_names(["Ann"]) == "Ann"
    assert join_names(["Ann", "Bo"]) == "Ann and Bo"
    assert join_names(["Ann", "Bo", "Cy"]) == "Ann, Bo and Cy"


@given(documents())
def test_a_name_is_made_of_words_of_the_text(document: Document) -> None:
    for entity in document.entities:
        found = entity_name(document, entity)
        assert found == entity_name(document, entity)
        if found.span is not None:
            words = collapse_spaces(document.chars(found.span).of(document.text))
            whole = [collapse_spaces(document.text_of(mention)) for mention in entity.mentions]
            assert found.text.casefold() in {words.casefold(), *map(str.casefold, whole)}
        else:
            assert found.text in (document.speakers or ())


# Looked at one by one: the name and the number of mentions, in gold documents.
GOLD = {
    ("litbank/conll/11_alices_*.conll", 0): ["Alice", "the White Rabbit", "her sister"],
    ("litbank/conll/4300_*.conll", 0): ["Buck Mulligan", "Stephen Dedalus"],
    ("gum/ontogum.train.gold_conll.xz", "GUM_bio_gordon"): ["Patrick Gordon"],
}


@pytest.mark.data
@pytest.mark.parametrize("place", GOLD, ids=str)
def test_names_in_gold_documents(data: Path, place: tuple[str, str | int]) -> None:
    pattern, wanted = place
    (path,) = data.glob(pattern)
    found = [d for d in formats.read(path) if wanted in (0, d.id)]
    (document,) = found
    assert isinstance(document, Document)
    names = [best_name(document, entity) for entity in document.entities]
    assert set(GOLD[place]) <= set(names)


@pytest.mark.parametrize("gap", ["&nbsp;", "<br>", "&#160;", "\n  ", " <b>", "</td><td>"])
def test_names_in_html_have_single_spaces(gap: str) -> None:
    text = f"<p>Peter{gap}Lang ran.</p>"
    document = without_markup(retokenize(Document("d", text), ()), "html")
    entity = Entity((Mention.at(0, 2),))
    assert document.tokens[:2] == ("Peter", "Lang")
    assert best_name(document, entity) == "Peter Lang"
    (resolved,) = resolved_entities(replace(document, entities=(entity,)))
    assert resolved.mentions[0].text == f"Peter{gap}Lang"
    assert resolved.mentions[0].words == "Peter Lang"


def test_an_inline_tag_is_no_space() -> None:
    document = without_markup(retokenize(Document("d", "<p><b>Ann</b>'s hat</p>"), ()), "html")
    assert best_name(document, Entity((Mention.at(0, 3),))) == "Ann's hat"

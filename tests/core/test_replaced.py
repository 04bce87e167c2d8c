"""The text with names for pronouns: what it says, and the way back to the old text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Chars, Document, Entity, InvalidValue, Mention, Span, formats
from coindex.core.her import is_possessive
from coindex.core.replaced import Replaced, replaced
from resolved_samples import marked
from strategies import documents

PRONOUNS = {
    # plain and possessive
    "{1:Ann} lost {2:{1:her} keys}. {1:She} found {2:them}.":
        "Ann lost Ann's keys. Ann found Ann's keys.",
    "{1:James} lost {1:his} hat; it was {1:his}.": "James lost James's hat; it was James's.",
    "{1:The boys} lost {1:their} hats; {1:theirs} were old.":
        "The boys lost the boys' hats; the boys' were old.",
    "{1:Ann} ate. The cake was {1:hers}.": "Ann ate. The cake was Ann's.",
    "{1:The dog} ate {1:its} food.": "The dog ate the dog's food.",
    "A friend of {1:Ann} is a friend of {1:hers}.": "A friend of Ann is a friend of Ann's.",
    # her: possessive or object
    "{1:Ann} left. I saw {1:her} brother.": "Ann left. I saw Ann's brother.",
    "{1:Ann} left. I saw {1:her}.": "Ann left. I saw Ann.",
    "{1:Ann} left. I gave {1:her} the book.": "Ann left. I gave Ann the book.",
    "{1:Ann} left. I saw {1:her} in town with {1:her} two sons.":
        "Ann left. I saw Ann in town with Ann's two sons.",
    "{1:Ann} left. I saw {1:her} clearly with {1:her} family.":
        "Ann left. I saw Ann clearly with Ann's family.",
    "{1:Ann} left. {1:Her} said joy went.": "Ann left. Ann's said joy went.",
    "{1:Ann} left. I like {1:her} and Bo.": "Ann left. I like Ann and Bo.",
    # capitals
    "I met {1:the king}. {1:He} left, and {1:his} men.":
        "I met the king. The king left, and the king's men.",
    "{1:The king} came. “{1:He} is late,” I said of {1:him}.":
        "The king came. “The king is late,” I said of the king.",
    # what is said of descriptions
    "{1:A boy} ran. {1:He} fell on {1:his} nose.":
        "A boy ran. The boy fell on the boy's nose.",
    "{1:These men} ran. {1:They} fell.": "These men ran. The men fell.",
    "{1:Ann} met {2:{1:her} aunt}. {2:She} is old.": "Ann met Ann's aunt. Ann's aunt is old.",
    # several at once
    "{1:Ann} met {2:Bo}. {1+2:They} took {1+2:their} hats.":
        "Ann met Bo. Ann and Bo took Ann and Bo's hats.",
    # verbs that could not stand
    "{1:The boys} ran. {1:They}'re fast, {1:they}'ve won and {1:they}'ll win.":
        "The boys ran. The boys are fast, the boys have won and the boys will win.",
    "{1:Ann} ran. {1:She}'s fast and {1:she}'d win.": "Ann ran. Ann's fast and Ann'd win.",
    # the text's own apostrophe
    "{1:Ann} lost Bo’s hat and {1:her} hat.": "Ann lost Bo’s hat and Ann’s hat.",
}  # fmt: skip


@pytest.mark.parametrize("text", PRONOUNS)
def test_pronouns_become_names(text: str) -> None:
    assert replaced(marked(text)).text == PRONOUNS[text]


ALONE = [
    "{1:Ann} hurt {1:herself}.",
    "{1:The man who lost {1:his} hat} slept.",
    "{1:Ann}, {1:who} slept, and {2:the dog} {2:that} ate.",
    "{1:The man} {1:whose} hat fell.",
    "{1:Every man} lost {1:his} hat.",
    "{1:They} saw {1:their} hats.",
    "I think that it rains.",
    "{1:I} lost {1:my} hat, said {1:Ann}.",
    "{1:Ann}, {1:you} lost {1:your} hat.",
    "{1:Ann} is {1:a doctor}, and {1:this} is good.",
    "",
]


@pytest.mark.parametrize("text", ALONE)
def test_what_is_left_alone(text: str) -> None:
    document = marked(text)
    assert replaced(document).text == document.text


def test_first_and_second_person_need_a_speaker() -> None:
    text = "{1:I}'m sure {1:I} am ill, and {1:my} dog saw {1:me}. It is {1:mine}; {1:I} do think."
    spoken = "Ann is sure Ann is ill, and Ann's dog saw Ann. It is Ann's; Ann does think."
    assert replaced(marked(text, "Ann")).text == spoken
    assert replaced(marked(text)).text == marked(text).text
    text = "{1:Bo}, {1:you} lost {1:your} hat. {2:You} too. {3:We} left {3:our} house."
    assert replaced(marked(text, "Ann")).text == (
        "Bo, Bo lost Bo's hat. You too. We left our house."
    )


NOMINALS = {
    "{1:Nina Simone} sang. {1:The singer} left in {1:the singer's} car.":
        "Nina Simone sang. Nina Simone left in Nina Simone's car.",
    "{1:Nina Simone}, {1:the singer}, left.": "Nina Simone, the singer, left.",
    "{1:Nina Simone} is {1:the singer}.": "Nina Simone is the singer.",
    "{1:Nina Simone} sang like {1:a bird}.": "Nina Simone sang like a bird.",
    "{1:Nina Simone} sang. {1:The singer of {1:her} time} left.":
        "Nina Simone sang. The singer of her time left.",
    "{1:Ann} has {2:Bo}, and {2:{1:her} brother} ran.": "Ann has Bo, and Bo ran.",
    "{1:The boy} ran. {1:The lad} fell.": "The boy ran. The lad fell.",
}  # fmt: skip


@pytest.mark.parametrize("text", NOMINALS)
def test_descriptions_become_names_if_asked(text: str) -> None:
    document = marked(text)
    assert replaced(document, nominals=True).text == NOMINALS[text]
    assert "Nina Simone sang. The singer" in replaced(marked(next(iter(NOMINALS)))).text


def test_tags_say_whether_her_is_possessive() -> None:
    words, pair = ["Ann", "saw", "her", "walk"], Entity((Mention.at(0, 1), Mention.at(2, 3)))
    guess = replaced(Document.of("d", [words], [pair]))
    assert guess.text == "Ann saw Ann's walk"
    tagged = Document.of("d", [words], [pair], pos=("NNP", "VBD", "PRP", "VB"))
    assert replaced(tagged).text == "Ann saw Ann walk"


def test_her_at_the_end_and_words_that_are_not_written_so() -> None:
    assert replaced(marked("{1:Ann} left. I saw {1:her}")).text == "Ann left. I saw Ann"
    pair = Entity((Mention.at(0, 2), Mention.at(3, 4)))
    odd = Document("d", "Mr X saw him", ("Mister", "X", "saw", "him"), (0, 3, 5, 9), (2, 4, 8, 12),
                   (0,), (pair,))  # fmt: skip
    assert replaced(odd).text == "Mr X saw Mr X"


def test_offsets_lead_back_and_forth() -> None:
    document = marked("{1:Ann} saw {1:her} dog.")
    found = replaced(document)
    assert found.text == "Ann saw Ann's dog."
    assert [(p.text, p.kept) for p in found.pieces] == [
        ("Ann saw ", True),
        ("Ann's", False),
        (" dog.", True),
    ]
    assert [found.to_old(at) for at in (0, 8, 10, 13, 14, 18)] == [0, 8, 8, 11, 12, 16]
    assert [found.to_new(at) for at in (0, 8, 9, 11, 12, 16)] == [0, 8, 8, 13, 14, 18]
    assert found.old_range(Chars(9, 10)) == Chars(8, 11)
    assert found.new_range(Chars(9, 10)) == Chars(8, 13)
    assert found.new_range(Chars(4, 9)) == Chars(4, 13)
    assert found.new_range(Chars(12, 15)).of(found.text) == "dog"
    with pytest.raises(InvalidValue, match="within 0 and 18, found 19"):
        found.to_old(19)
    with pytest.raises(InvalidValue, match="within 0 and 16, found -1"):
        found.to_new(-1)


def test_an_empty_text_has_no_pieces() -> None:
    assert replaced(Document("d", "")) == Replaced("")
    assert Replaced("").to_old(0) == 0 == Replaced("").to_new(0)
    assert Replaced("").old_range(Chars(0, 0)) == Chars(0, 0)


def holds(document: Document, found: Replaced) -> None:
    """What is true of every replaced text."""
    text = document.text
    assert "".join(piece.text for piece in found.pieces) == found.text
    assert "".join(text[p.old.start : p.old.end] for p in found.pieces) == text
    for piece in found.pieces:
        assert piece.new.of(found.text) == piece.text
        assert piece.old
        assert found.to_old(piece.new.start) == piece.old.start
        assert found.to_new(piece.old.start) == piece.new.start
        if piece.text:
            assert found.old_range(piece.new) == piece.old
        assert found.new_range(piece.old) == piece.new
        if piece.kept:
            assert piece.old.of(text) == piece.text
            for step in range(len(piece.text)):
                assert found.to_old(piece.new.start + step) == piece.old.start + step
                assert found.to_new(piece.old.start + step) == piece.new.start + step
    assert found.to_old(len(found.text)) == len(text)
    assert found.to_new(len(text)) == len(found.text)
    places = [found.to_old(at) for at in range(len(found.text) + 1)]
    assert places == sorted(places)


WORDS = ["he", "Her", "their", "I", "Ann", "Bo", "the", "dog", "'m", "’s", "them", "who", "James"]


@st.composite
def talks(draw: st.DrawFn) -> Document:
    """Any document, with words in it that can be replaced."""
    document = draw(documents())
    tokens = tuple(draw(st.sampled_from([token, *WORDS])) for token in document.tokens)
    built = Document.of("d", [tokens], document.entities)
    said = tuple(draw(st.sampled_from(["", "Ann", "-"])) for _ in tokens)
    pos = document.pos
    return Document(
        "d", built.text, tokens, built.starts, built.ends, (0,), document.entities,
        speakers=said, pos=pos,
    )  # fmt: skip


@given(talks() | documents(), st.booleans())
def test_nothing_is_lost_on_the_way(document: Document, nominals: bool) -> None:
    found = replaced(document, nominals=nominals)
    holds(document, found)
    assert found == replaced(document, nominals=nominals)
    borders = {border for m in document.mentions for span in m.spans
               for border in (document.starts[span.start], document.ends[span.end - 1])}  # fmt: skip
    verbs = {*document.starts, *document.ends}
    for piece in found.pieces:
        if not piece.kept:
            assert piece.old.start in borders | verbs
            assert piece.old.end in borders | verbs


def test_zeros_and_broken_mentions_stay() -> None:
    broken = Entity((Mention((Span(0, 1), Span(2, 3))), Mention.at(1, 2)))
    document = Document("z", "Ann he it", ("Ann", "_", "he", "it"), (0, 3, 4, 7), (3, 3, 6, 9),
                        (0,), (broken,), zeros=(1,))  # fmt: skip
    assert replaced(document).text == document.text


# docs/resolving.md tells these: the guesses that are right, and how many there are.
HER = {"train": (262, 267), "dev": (39, 42), "test": (23, 24)}


@pytest.mark.data
@pytest.mark.parametrize("part", HER)
def test_her_without_tags(data: Path, part: str) -> None:
    right = total = 0
    for document in formats.read(data / f"gum/ontogum.{part}.gold_conll.xz"):
        assert isinstance(document, Document)
        longest: dict[int, int] = {}
        for mention in document.mentions:
            longest[mention.start] = max(longest.get(mention.start, 0), mention.spans[0].end)
        bare = replace(document, pos=None)
        for token, tag in enumerate(document.pos or ()):
            if document.tokens[token].lower() == "her" and token in longest and tag[:3] == "PRP":
                total += 1
                right += is_possessive(bare, token, longest[token]) == (tag == "PRP$")
    assert (right, total) == HER[part]

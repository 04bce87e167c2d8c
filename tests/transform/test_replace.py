"""The text with names for pronouns: what it says, and the way back to the old text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import Chars, Document, Entity, InvalidValue, Mention, Span, formats
from coindex.text.noun_phrase import is_possessive_her
from coindex.text.word_lists import labels
from coindex.transform.edit import without_markup
from coindex.transform.replace_pronouns import MIN_CONFIDENCE, ReplacedText, replace_pronouns
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
    # capitals and lower case throughout
    "{1:ANN LEE} WAS LATE. {1:SHE} LOST {1:HER} KEYS.": "ANN LEE WAS LATE. ANN LEE LOST ANN LEE'S KEYS.",
    "{1:Ann} ran. {1:SHE} WAS LATE.": "Ann ran. ANN WAS LATE.",
    "{1:Ann} ran. I mean, {1:SHE} ran.": "Ann ran. I mean, Ann ran.",
    "{1:ann} lost {1:her} keys. {1:she} was late": "ann lost ann's keys. ann was late",
    # one mention for two people
    "{1:{2:Ann} and {3:Bo}} ran. {1:They} lost {1:their} way.":
        "Ann and Bo ran. Ann and Bo lost Ann and Bo's way.",
    # the text's own apostrophe
    "{1:Ann} lost Bo’s hat and {1:her} hat.": "Ann lost Bo’s hat and Ann’s hat.",
}  # fmt: skip


@pytest.mark.parametrize("text", PRONOUNS)
def test_pronouns_become_names(text: str) -> None:
    assert replace_pronouns(marked(text)).text == PRONOUNS[text]


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
    # verbs and clauses
    "They {1:resigned}, and {1:it} hurt.",
    "{1:That she had lost her keys again} was clear; {1:it} hurt.",
    "{1:Losing her keys} was bad; {1:it} hurt.",
    # contradictions
    "{1:Ann} said {1:he} saw {1:her}.",
    "{1:Anna Lee} met {1:Paul Ray}, and {1:they} ran.",
    "{1:Robert Ray} lost {1:her} keys.",
    "",
]


@pytest.mark.parametrize("text", ALONE)
def test_what_is_left_alone(text: str) -> None:
    document = marked(text)
    assert replace_pronouns(document).text == document.text


def test_first_and_second_person_need_a_speaker() -> None:
    text = "{1:I}'m sure {1:I} am ill, and {1:my} dog saw {1:me}. It is {1:mine}; {1:I} do think."
    spoken = "Ann is sure Ann is ill, and Ann's dog saw Ann. It is Ann's; Ann does think."
    assert replace_pronouns(marked(text, "Ann")).text == spoken
    assert replace_pronouns(marked(text)).text == marked(text).text
    text = "{1:Bo}, {1:you} lost {1:your} hat. {2:You} too. {3:We} left {3:our} house."
    assert replace_pronouns(marked(text, "Ann")).text == (
        "Bo, Bo lost Bo's hat. You too. We left our house."
    )


AGREEING = {
    "{1:I} need milk.": "Ann needs milk.",
    "{1:I} really think so.": "Ann really thinks so.",
    "{1:I} try, and {1:I} go home.": "Ann tries, and I go home.",
    "{1:I} wish {1:I} were rich.": "Ann wishes I were rich.",
    "{1:I} don't know, {1:I} have no idea.": "Ann doesn't know, Ann has no idea.",
    "{1:I} can swim, {1:I} said.": "Ann can swim, Ann said.",
    "{1:I}'ve seen it, {1:I}'ll go.": "Ann has seen it, Ann will go.",
    "{1:I} was late, and {1:I} am sorry.": "Ann was late, and Ann is sorry.",
    "{1:I} put it there.": "I put it there.",
    "{1:I} abhor it.": "I abhor it.",
    "{1:I} need milk and want eggs.": "I need milk and want eggs.",
    "{1:I} am tired and want tea.": "I am tired and want tea.",
    "Tom and {1:I} need milk.": "Tom and I need milk.",
    "Have {1:I} seen it? Am {1:I} late?": "Have I seen it? Am I late?",
    "Was {1:I} late? Should {1:I} go?": "Was Ann late? Should Ann go?",
    "{1:I} hurt {1:myself}.": "I hurt myself.",
    "They insist that {1:I} go.": "They insist that I go.",
}
ADDRESSED = {
    "Where are {2:you} going?": "Where are you going?",
    "Do {2:you} want anything?": "Do you want anything?",
    "Don't {2:you} want it?": "Don't you want it?",
    "Did {2:you} want it?": "Did Lucy want it?",
    "What would {2:you} need?": "What would Lucy need?",
    "{2:You} need milk.": "Lucy needs milk.",
    "{2:You}'re late.": "Lucy is late.",
    "{2:You} aren't late, {2:you} were early.": "Lucy isn't late, Lucy was early.",
    "If {2:you} were late, {2:you} have time.": "If you were late, Lucy has time.",
    "Tom saw {2:you}.": "Tom saw Lucy.",
    "Tom spoke with {2:you} in the hall.": "Tom spoke with Lucy in the hall.",
    "Let {2:you} go.": "Let you go.",
    "Thank {2:you}.": "Thank you.",
    "{2:You} two need milk.": "You two need milk.",
}


@pytest.mark.parametrize(("text", "expected"), AGREEING.items())
def test_verbs_agree_with_the_speakers_name_or_nothing_changes(text: str, expected: str) -> None:
    assert replace_pronouns(marked(text, "Ann")).text == expected


@pytest.mark.parametrize(("text", "expected"), ADDRESSED.items())
def test_verbs_agree_with_the_name_of_the_addressee(text: str, expected: str) -> None:
    named = f"{{2:Lucy}} left. {text}"
    assert replace_pronouns(marked(named, "Ann")).text == f"Lucy left. {expected}"


def test_case_of_i_is_that_of_its_sentence() -> None:
    assert replace_pronouns(marked("{1:i} am ill", "ann")).text == "ann is ill"
    assert (
        replace_pronouns(marked("{1:I} AM ILL, {1:I} SAY.", "Ann")).text == "ANN IS ILL, ANN SAYS."
    )


def doubtful(she: str, ann: str = "0.9") -> Document:
    def mention(start: int, **attrs: str) -> Mention:
        return Mention((Span(start, start + 1),), attrs=tuple(attrs.items()))

    entity = Entity((
        mention(0, confidence="0.9"), mention(2, confidence="0.9", link=she),
        mention(4, confidence="0.9", link=ann),
    ))  # fmt: skip
    return Document.of("d", [["Ann", "ran", "She", "saw", "Annie", "."]], [entity])


def test_what_is_not_sure_is_left() -> None:
    assert replace_pronouns(doubtful(str(MIN_CONFIDENCE - 0.01))).text == "Ann ran She saw Annie ."
    assert replace_pronouns(doubtful(str(MIN_CONFIDENCE))).text == "Ann ran Ann saw Annie ."
    assert replace_pronouns(doubtful("0.3"), min_confidence=0.3).text == "Ann ran Ann saw Annie ."
    assert replace_pronouns(doubtful("0.9"), min_confidence=0.95).text == "Ann ran She saw Annie ."


def test_the_first_pronoun_is_as_sure_as_the_next_link() -> None:
    def before(link: str) -> Document:
        entity = Entity((Mention.at(1, 2), Mention((Span(4, 5),), attrs=(("link", link),))))
        return Document.of("d", [["Before", "she", "left", ",", "Ann", "ate"]], [entity])

    assert replace_pronouns(before("0.9")).text == "Before Ann left , Ann ate"
    assert replace_pronouns(before("0.5")).text == "Before she left , Ann ate"


def test_a_name_that_is_not_sure_is_no_name() -> None:
    def joined(link: str) -> Document:
        he = Mention((Span(2, 3),), attrs=(("link", "0.9"),))
        name = Mention((Span(4, 6),), attrs=(("link", link),))
        entity = Entity((Mention.at(0, 1), he, name))
        return Document.of("d", [["Smith", "saw", "him", "and", "Smith", "Lee"]], [entity])

    assert replace_pronouns(joined("0.9")).text == "Smith saw Smith Lee and Smith Lee"
    assert replace_pronouns(joined("0.2")).text == "Smith saw Smith and Smith Lee"


def test_markup_stays_where_it_is() -> None:
    text = "<p><b>Ann</b> Lee of R&amp;D lost <i>her</i> keys. S<b>h</b>e ran; <u>she</u> fell.</p>"
    bare = without_markup(Document("d", text), "html")
    at = {token: index for index, token in enumerate(bare.tokens)}
    entity = Entity((Mention.at(0, 4), Mention.at(at["her"], at["her"] + 1),
                     Mention.at(at["She"], at["She"] + 1), Mention.at(at["she"], at["she"] + 1)))  # fmt: skip
    found = replace_pronouns(replace(bare, entities=(entity,)))
    assert found.text == (
        "<p><b>Ann</b> Lee of R&amp;D lost <i>Ann Lee of R&amp;D's</i> keys."
        " S<b>h</b>e ran; <u>Ann Lee of R&amp;D</u> fell.</p>"
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
    assert replace_pronouns(document, nominals=True).text == NOMINALS[text]
    assert "Nina Simone sang. The singer" in replace_pronouns(marked(next(iter(NOMINALS)))).text


def test_tags_say_whether_her_is_possessive() -> None:
    words, pair = ["Ann", "saw", "her", "walk"], Entity((Mention.at(0, 1), Mention.at(2, 3)))
    guess = replace_pronouns(Document.of("d", [words], [pair]))
    assert guess.text == "Ann saw Ann's walk"
    tagged = Document.of("d", [words], [pair], pos=("NNP", "VBD", "PRP", "VB"))
    assert replace_pronouns(tagged).text == "Ann saw Ann walk"


def test_her_at_the_end_and_words_that_are_not_written_so() -> None:
    assert replace_pronouns(marked("{1:Ann} left. I saw {1:her}")).text == "Ann left. I saw Ann"
    pair = Entity((Mention.at(0, 2), Mention.at(3, 4)))
    odd = Document("d", "Mr X saw him", ("Mister", "X", "saw", "him"), (0, 3, 5, 9), (2, 4, 8, 12),
                   (0,), (pair,))  # fmt: skip
    assert replace_pronouns(odd).text == "Mr X saw Mr X"


def test_offsets_lead_back_and_forth() -> None:
    document = marked("{1:Ann} saw {1:her} dog.")
    found = replace_pronouns(document)
    assert found.text == "Ann saw Ann's dog."
    assert [(p.text, p.unchanged) for p in found.segments] == [
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
    assert replace_pronouns(Document("d", "")) == ReplacedText("")
    assert ReplacedText("").to_old(0) == 0 == ReplacedText("").to_new(0)
    assert ReplacedText("").old_range(Chars(0, 0)) == Chars(0, 0)


def holds(document: Document, found: ReplacedText) -> None:
    """What is true of every replaced text."""
    text = document.text
    assert "".join(piece.text for piece in found.segments) == found.text
    assert "".join(text[p.old.start : p.old.end] for p in found.segments) == text
    for piece in found.segments:
        assert piece.new.of(found.text) == piece.text
        assert piece.old
        assert found.to_old(piece.new.start) == piece.old.start
        assert found.to_new(piece.old.start) == piece.new.start
        if piece.text:
            assert found.old_range(piece.new) == piece.old
        assert found.new_range(piece.old) == piece.new
        if piece.unchanged:
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
    found = replace_pronouns(document, nominals=nominals)
    holds(document, found)
    assert found == replace_pronouns(document, nominals=nominals)
    borders = {border for m in document.mentions for span in m.spans
               for border in (document.starts[span.start], document.ends[span.end - 1])}  # fmt: skip
    verbs = {*document.starts, *document.ends}
    for piece in found.segments:
        if not piece.unchanged:
            assert piece.old.start in borders | verbs
            assert piece.old.end in borders | verbs


@st.composite
def stories(draw: st.DrawFn) -> Document:
    """Names, descriptions and pronouns at random, each of one of three entities."""
    count = draw(st.integers(2, 14))
    tokens = [
        draw(st.sampled_from([*WORDS, "she", "him", "his", "Lee", "ran", "."]))
        for _ in range(count)
    ]
    groups: dict[int, list[Mention]] = {}
    for at in range(count):
        number = draw(st.integers(0, 4))
        end = (
            draw(st.integers(at + 1, min(count, at + 3)))
            if tokens[at] in ("the", "his")
            else at + 1
        )
        if number < 3 and tokens[at] != ".":
            groups.setdefault(number, []).append(Mention.at(at, end))
    said = tuple(draw(st.sampled_from(["", "Ann", "Zoe Ray"])) for _ in tokens)
    return Document.of("d", [tokens], [Entity(tuple(g)) for g in groups.values()], speakers=said)


def allowed(document: Document, owners: list[Entity], deeper: bool = True) -> set[str]:
    """The words that may replace a pronoun of some entities: theirs, and their speakers."""
    found = {"the", "and"}
    for mention in (mention for entity in owners for mention in entity.mentions):
        for token in mention.tokens:
            found.add(plain(document.tokens[token]))
            found |= {*(document.speakers or document.tokens)[token].lower().split()}
            inner = [e for e in document.entities if Mention.at(token, token + 1) in e.mentions]
            found |= allowed(document, inner, False) if deeper and inner else set()  # her keys
    return found


def plain(word: str) -> str:
    word = word.lower().replace("’", "'").rstrip(",")
    return word.removesuffix("'s").removesuffix("'") or word


@given(stories())
def test_the_name_of_a_replaced_pronoun_is_in_its_entity(document: Document) -> None:
    verbs = {f" {verb}" for verb in (*labels("verb_after_name").values(), "is", "has", "does")}
    for piece in replace_pronouns(document).segments:
        if piece.unchanged or {piece.text, f" {piece.text}"} & verbs:
            continue
        (token,) = (at for at, start in enumerate(document.starts) if start == piece.old.start)
        owners = [
            e
            for e in document.entities
            if any(m.spans == (Span(token, token + 1),) for m in e.mentions)
        ]
        assert owners
        words = {plain(word) for word in piece.text.split()}
        assert words <= {plain(word) for word in allowed(document, owners)}


def test_zeros_and_broken_mentions_stay() -> None:
    broken = Entity((Mention((Span(0, 1), Span(2, 3))), Mention.at(1, 2)))
    document = Document("z", "Ann he it", ("Ann", "_", "he", "it"), (0, 3, 4, 7), (3, 3, 6, 9),
                        (0,), (broken,), zeros=(1,))  # fmt: skip
    assert replace_pronouns(document).text == document.text


# docs/how-to/resolving.md tells these: the guesses that are right, and how many there are.
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
                right += is_possessive_her(bare, token, longest[token]) == (tag == "PRP$")
    assert (right, total) == HER[part]

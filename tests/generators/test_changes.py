"""What each generator makes of small documents, and what it leaves alone."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from coindex import Document, Entity, generators
from coindex.generators.protocol import Generated
from coindex.text.mention_classes import kind_of
from coindex.text.word_lists import labels
from generator_samples import AGREEMENT, CATAPHORA, COMPANY, MAIL, STORY, TALK, marked


def made(name: str, document: Document, seed: int = 1, **options: str) -> Generated:
    plugin = generators.load(name)
    defaults = {option: values[0] for option, values in plugin.OPTIONS.items()}
    make = plugin.generator([document], **{**defaults, **options})
    return make(document, random.Random(seed))


def only(name: str, document: Document, seed: int = 1, **options: str) -> Document:
    (variant,) = made(name, document, seed, **options).variants
    return variant.document


def mentions(document: Document) -> list[list[str]]:
    return [[document.text_of(m) for m in entity.mentions] for entity in document.entities]


# names


def test_all_variants_of_a_name_change_alike() -> None:
    new = only("names", STORY)
    (full, last, she), man, _ = mentions(new)
    assert full.split()[1] == last
    assert she == "she"
    assert "Warwick" not in new.tokens
    assert "John" not in new.tokens
    assert man[0].split()[0] == man[3]
    assert labels("wiki_given_names").get(man[3], "masculine") == "masculine"


def test_a_person_with_a_nickname_keeps_the_name() -> None:
    two = marked("two", ["[1 William Smith] left .", "[1 Bill] ran , and [1 he] fell ."])
    found = made("names", two)
    assert not found.variants
    assert found.refused == {"two given names of one person": 1}


def test_a_name_that_is_a_word_stays() -> None:
    rose = marked("rose", ["[1 Will Baker] left , and [1 he] fell ."])
    assert made("names", rose).refused == {"a name that is also a word": 1}


def test_organisations_get_the_names_of_others_of_their_kind() -> None:
    one = marked("one", ["[1 Durham University] grew .", "[1 Durham University] fell ."])
    other = marked("other", ["[1 Leeds University] is old .", "[2 Acme Bank] is new ."])
    make = generators.load("names").generator([one, other], of="organisations")
    (variant,) = make(one, random.Random(1)).variants
    assert mentions(variant.document) == [["Leeds University", "Leeds University"]]
    assert make(other, random.Random(1)).refused == {"no other name of its kind": 1}


# genders


def test_genders_change_as_a_whole() -> None:
    new = only("genders", STORY)
    words = " ".join(new.tokens)
    assert "her husband" in words
    assert "said he knew her" in words
    assert "she was glad" in words
    assert "Warwick" in new.tokens
    assert "Smith" in new.tokens
    assert "Claire" not in new.tokens
    assert "John" not in new.tokens


@pytest.mark.parametrize("labelled", [False, True])
def test_names_of_resolved_documents_change_with_their_pronouns(labelled: bool) -> None:
    lena = marked("lena", ["[1 Lena Ortiz] lost [1 her] hat .", "[1 She] was angry ."])
    if labelled:  # as a resolver labels mentions
        kinds = (replace(m, kind=kind_of(lena, m)) for m in lena.entities[0].mentions)
        lena = replace(lena, entities=(Entity(tuple(kinds)),))
    (names,) = mentions(only("genders", lena))
    assert names[1:] == ["his", "He"]
    assert labels("wiki_given_names").get(names[0].split()[0], "masculine") == "masculine"
    assert names[0].endswith(" Ortiz")
    assert "Lena" not in only("names", lena).tokens


def test_no_pronoun_changes_beside_a_gendered_name_that_stays() -> None:
    thing = marked("thing", ["[1 Lena Ortiz] lost [1 her] hat .", "[1 It] was new ."])
    assert made("genders", thing).reason == "a given name that cannot be changed"


def test_titles_and_cases() -> None:
    titled = marked(
        "t", ["[1 Mr. Lee] lost [1 his] hat ; it was [1 his] .", "[1 HE] saw [1 him] ."]
    )
    assert only("genders", titled).text == "Ms. Lee lost her hat ; it was hers .\nSHE saw her ."


def test_a_word_without_a_counterpart_stops_the_exchange() -> None:
    nurse = marked("m", ["[1 The midwife] said [1 she] knew ."])
    assert made("genders", nurse).why_none == "a gendered noun without a counterpart"


# pronouns


def test_they_with_the_verbs_that_agree() -> None:
    new = only("pronouns", AGREEMENT, set="they")
    assert new.text == ("Sam said they were late .\nThey sit and read , and they blame themself .")
    assert mentions(new) == [["Sam", "they", "They", "they", "themself"]]


def test_neopronouns_have_all_cases() -> None:
    cases = marked(
        "c",
        ["[1 Kim] lost [1 her] hat , and [1 she] missed [1 hers] .", "[1 Her] dog saw [1 her] ."],
    )
    sets = {row.split()[0]: row.split() for row in labels("pronoun_sets").values()}
    new = only("pronouns", cases, set="neo")
    forms = sets[new.tokens[6]]
    assert new.tokens[2] == forms[2]
    assert new.tokens[8] == forms[3]
    assert new.tokens[10] == forms[2].capitalize()
    assert new.tokens[13] == forms[1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[1 Sam] said [1 he] often runs .", "a verb that is not sure"),
        ("[1 Sam] left , [1 he] was late and was tired .", "a coordinated verb that is not sure"),
        ("[1 Sam] saw [2 them] , and [1 he] left .", "a plural they in the sentence"),
        ("[1 Mr. Lee] left , and [1 he] fell .", "called by a noun or title of one gender"),
        ("[1 Sam] or whoever : [1 he] or she left .", "one of two pronouns: he or she"),
    ],
)
def test_pronouns_that_stay(line: str, reason: str) -> None:
    found = made("pronouns", marked("p", [line]), set="they")
    assert not found.variants
    assert found.refused == {reason: 1}


def test_the_verb_before_the_pronoun() -> None:
    asked = marked("q", ["[1 Sam] came .", "Was [1 he] late ?"])
    assert only("pronouns", asked, set="they").text == "Sam came .\nWere they late ?"


def test_the_data_have_all_forms_of_each_set() -> None:
    for name, row in labels("pronoun_sets").items():
        assert len(row.split()) == 5, name
        assert row.split()[0] == name
        assert re.fullmatch(r"\w+self", row.split()[4])


# roles


def test_a_repeat_becomes_the_noun_of_its_apposition() -> None:
    new = only("roles", COMPANY, share="1.0")
    assert new.text.splitlines()[1] == "The company sold its shop ."
    assert mentions(new)[0] == ["Nordwind", "The company", "its", "the company"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["[1 Acme] is a bank .", "[2 Zorn] is a club .", "[1 Acme] grew ."], "another of its type in between"),
        (["[1 Acme] is a bank .", "A bank fell .", "[1 Acme] grew ."], "the noun itself beside it"),
        (["[1 Acme] is a bank .", "Old [1 Acme] grew ."], "a name within a longer phrase"),
        (["[1 Acme] is a bank .", "[1 Acme] shares grew ."], "a name within a longer phrase"),
    ],
)  # fmt: skip
def test_repeats_that_stay(lines: list[str], reason: str) -> None:
    found = made("roles", marked("r", lines), share="1.0")
    assert not found.variants
    assert reason in found.refused


def test_no_noun_no_role() -> None:
    assert made("roles", STORY).why_none == "no entity with a name and a noun"


# cataphora


def test_name_and_pronoun_change_places() -> None:
    new = only("cataphora", CATAPHORA)
    assert new.text == "When she left , Priya Nair took her keys .\nPriya smiled ."
    assert mentions(new) == [["she", "Priya Nair", "her", "Priya"]]


def test_without_trees_the_first_comma_counts() -> None:
    plain = marked(
        "p", ["[1 Ann Lee] came .", "While [1 she] slept , [1 she] dreamt .", "[1 She] woke ."]
    )
    assert only("cataphora", plain).text == "While she slept , Ann Lee dreamt .\nShe woke ."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("While [1 I] slept , [1 I] fell .", "a pronoun of the first or second person"),
        ("While [1 she] slept , [1 she] 's dreamt .", "a clitic after the pronoun"),
        ("While [1 she] slept , [1 she] dreamt .", "no name in the document"),
    ],
)
def test_sentences_that_stay(line: str, reason: str) -> None:
    assert made("cataphora", marked("c", [line])).refused == {reason: 1}


# dialogues


def test_labels_are_mentions_of_their_speakers() -> None:
    new = only("dialogues", TALK, form="label", speakers="keep", names="keep")
    assert new.text.splitlines() == [
        "Alan : I like it , Beth .", "Beth : So do I .", "Alan : Really ?",
        "Beth : I made it for you , Alan .",
    ]  # fmt: skip
    assert sorted(mentions(new)) == [
        ["Alan", "I", "Alan", "you", "Alan"],
        ["Beth", "Beth", "I", "Beth", "I"],
        ["it", "it"],
    ]
    assert new.speakers is not None
    assert new.speakers[:2] == ("Alan", "Alan")


def test_new_names_in_labels_and_text() -> None:
    new = only("dialogues", TALK, form="script", speakers="none")
    assert new.speakers is None
    assert "Alan" not in new.tokens
    assert "Beth" not in new.tokens
    first, second = new.tokens[0], new.tokens[new.sentences[2]]
    assert first.isupper()
    assert second.isupper()
    assert first.capitalize() in new.tokens
    assert second.capitalize() in new.tokens
    assert new.text.splitlines()[0] == first


@pytest.mark.parametrize(
    ("form", "start"),
    [("chat", r"\[ \d+:\d\d \] alan : I"), ("irc", "< alan > I"), ("minutes", "A : I"), ("qa", "Q : I")],
)  # fmt: skip
def test_forms_of_labels(form: str, start: str) -> None:
    new = only("dialogues", TALK, form=form, names="keep")
    assert re.match(start, new.text)
    assert new.tokens.count(":" if form != "irc" else "<") == 4


def test_only_the_first_label_or_none() -> None:
    first = only("dialogues", TALK, form="label", labels="first", names="keep")
    assert sorted(mentions(first))[0] == ["Alan", "I", "you", "Alan"]
    none = only("dialogues", TALK, form="label", labels="none", names="keep")
    assert sorted(mentions(none))[0] == ["Beth", "I", "I"]


def test_a_speaker_without_pronoun_or_name_is_an_entity() -> None:
    talk = marked(
        "talk", ["[1 I] ran .", "Why ?", "[1 I] fell .", "Oh ."],
        speakers=("Ann",) * 3 + ("Bo",) * 2 + ("Ann",) * 3 + ("Bo",) * 2,
    )  # fmt: skip
    new = only("dialogues", talk, form="label", names="keep")
    assert mentions(new) == [["Ann", "I", "Ann", "I"], ["Bo", "Bo"]]


def test_documents_without_dialogue() -> None:
    assert made("dialogues", STORY).why_none == "no speakers"
    one = marked("one", ["[1 I] ran ."], speakers=("Ann",) * 3)
    assert made("dialogues", one).why_none == "one speaker"


# mails


def test_headers_without_addresses() -> None:
    new = only("mails", MAIL, headers="names", names="keep", seed=3)
    text = new.text
    assert "@" not in text
    assert "X -" not in text
    assert "Date" not in text
    assert re.search("From : (Heather Dunton|Dunton , Heather)\n", text)


def test_wrote_instead_of_a_header() -> None:
    new = only("mails", MAIL, headers="wrote", names="keep", seed=2)
    assert "Original Message" not in new.text
    line = next(line for line in new.text.splitlines() if line.startswith("On Friday"))
    assert re.fullmatch(
        r"On Friday , December 07 , 2001 , (Phillip Allen|Allen , Phillip) wrote :", line
    ) or line.endswith(("Phillip Allen", "Allen , Phillip"))


def test_salutation_and_signature_are_mentions() -> None:
    counts = []
    for seed in range(6):
        new = only("mails", MAIL, headers="keep", names="keep", seed=seed)
        counts.append(len(new.mentions))
        first, second, _ = mentions(new)
        assert {"Heather"} <= set(first)
        assert {"Phillip"} <= {name.split()[0] for name in second}
    assert min(counts) > len(MAIL.mentions)


def test_names_change_in_addresses_too() -> None:
    new = only("mails", MAIL, headers="keep")
    address = new.tokens[new.tokens.index("From") + 2]
    given, last = re.match(r"(\w+)\.(\w+)@", address).groups()  # type: ignore[union-attr]
    assert "heather" not in new.text.lower()
    assert "allen" not in new.text.lower()
    assert {given.capitalize(), last.capitalize()} <= set(new.tokens)


def test_a_story_is_no_mail() -> None:
    assert made("mails", STORY).why_none == "no header of a mail"


# surface


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("lower", "claire warwick met john smith and his wife ."),
        ("upper", "CLAIRE WARWICK MET JOHN SMITH AND HIS WIFE ."),
        ("title", "Claire Warwick Met John Smith And His Wife ."),
        ("bare", "claire warwick met john smith and his wife"),
    ],
)
def test_surface_forms(form: str, text: str) -> None:
    new = only("surface", STORY, form=form)
    assert new.text.splitlines()[0] == text
    assert len(new.mentions) == len(STORY.mentions)


def test_articles_are_dropped_unless_a_mention_would_be_lost() -> None:
    dogs = marked("d", ["[1 The dog] saw [2 the [3 dog]] ."])
    found = made("surface", dogs, form="telegraph")
    assert found.variants[0].document.text == "dog saw the dog ."
    assert found.refused == {"a token that is all of a mention": 1}


def test_bare_sentences_are_joined_but_not_across_speakers() -> None:
    assert len(only("surface", STORY, form="bare").sentences) < 3
    assert len(only("surface", TALK, form="bare").sentences) == 4

"""WikiCREM and RandomWiki: each rule, with examples that pass and that do not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from coindex import formats, plugins
from coindex.builders import Dropped, ParsedPassage, Passage
from coindex.builders.builtin import randomwiki, wikicrem
from coindex.errors import InvalidValue
from coindex.transform.reduce import reduce_problem
from coindex.types.problem import Problem
from coindex.types.source import Source
from corpora_samples import page, parsed

ADAMS = (
    "When asked about Adams' report, Powell found many of the statements to be inaccurate,"
    " including a claim that Adams first surveyed an area in 1857."
)
GINA = (
    "Gina arrives and she is furious with Denise for not protecting Jody from Kingsley,"
    " as Denise was meant to be the parent."
)
ASHLEY = (
    "When Ashley falls pregnant with Victor's child, Nikki is diagnosed with cancer,"
    " causing Victor to leave Ashley, who secretly has an abortion."
)


def items(text: str, *names: str, seed: int = 0) -> list[Problem]:
    rules = wikicrem.rules(seed)
    return [
        item
        for passage in wikicrem.scan(page(text), rules)
        if isinstance(passage, Passage)
        for item in wikicrem.build(parsed(passage, *names), rules)
        if isinstance(item, Problem)
    ]


def reasons(text: str, *names: str) -> set[str]:
    """Why nothing came of a text, at either stage."""
    rules = wikicrem.rules()
    found = set()
    for passage in wikicrem.scan(page(text), rules):
        if isinstance(passage, Dropped):
            found.add(passage.reason)
            continue
        for item in wikicrem.build(parsed(passage, *names), rules):
            assert isinstance(item, Dropped), item
            found.add(item.reason)
    return found


def told(item: Problem) -> tuple[str, ...]:
    names = [candidate.text for candidate in item.candidates]
    assert item.answer is not None
    return (*names, names[item.answer[0]])


def test_the_example_of_section_3() -> None:
    (item,) = items(ADAMS, "Adams", "Powell")
    assert told(item) == ("Adams", "Powell", "Adams")
    assert item.text.endswith("a claim that [MASK] first surveyed an area in 1857.")
    assert "Adams' report" in item.text
    assert item.pronoun == "[MASK]"


def test_the_first_example_of_figure_1_has_an_item_for_each_wrong_candidate() -> None:
    found = items(GINA, "Gina", "Denise", "Jody", "Kingsley")
    assert [told(item) for item in found] == [
        ("Gina", "Denise", "Denise"),
        ("Denise", "Jody", "Denise"),
        ("Denise", "Kingsley", "Denise"),
    ]
    assert {item.text for item in found} == {GINA.replace("as Denise was", "as [MASK] was")}
    assert len({item.id for item in found}) == 3


def test_the_second_example_of_figure_1_masks_each_repeated_name() -> None:
    found = items(ASHLEY, "Ashley", "Victor", "Nikki")
    assert ("Ashley", "Nikki", "Ashley") in [told(item) for item in found]
    masked = {item.text for item in found}
    assert masked == {
        ASHLEY.replace("causing Victor", "causing [MASK]"),
        ASHLEY.replace("leave Ashley", "leave [MASK]"),
    }


def test_b_both_candidates_in_one_sentence_and_the_mask_in_the_next() -> None:
    text = "Ann met Mary in the old town. After that Mary went home again."
    (item,) = items(text, "Ann", "Mary")
    assert told(item) == ("Ann", "Mary", "Mary")
    assert item.text == "Ann met Mary in the old town. After that [MASK] went home again."
    assert item.meta_value("kind") == "b"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # the wrong candidate, or the right one, beside the mask while the other is not
        ("Ann met Mary in the old town. Then Ann told Mary to go home.", "beside the mask"),
        ("Ann saw the old town. Mary was tired and then Mary left.", "fewer than"),
        # the candidates in two sentences
        ("Ann saw the whole old town. Mary was there and Ann left.", "fewer than"),
        # nothing repeated, nobody else, nobody else before
        ("Ann met Mary and Paula in the old town on a day.", "no name repeated"),
        ("Ann said that Ann would see the town where Ann lived.", "no other name before"),
        ("Ann said that Ann would go to the old town with Mary.", "no other name before"),
    ],
)
def test_what_is_discarded(text: str, reason: str) -> None:
    assert any(reason in each for each in reasons(text, "Ann", "Mary", "Paula"))


def test_both_candidates_beside_the_mask_are_kind_a_of_the_second_sentence() -> None:
    text = "Ann met Mary in the old town. Ann told Mary that Ann was tired."
    (item,) = items(text, "Ann", "Mary")
    assert item.text == "Ann told Mary that [MASK] was tired."
    assert item.meta_value("kind") == "a"


def test_sentences_of_different_paragraphs_do_not_follow_each_other() -> None:
    text = "Ann met Mary in the old town.\nAfter that Mary went home again."
    assert items(text, "Ann", "Mary") == []


def test_names_that_share_a_word_are_not_distinct() -> None:
    text = "John Smith was ill so that Smith left, and then Smith slept."
    assert reasons(text, "John Smith", "Smith") >= {"no other name before"}


@pytest.mark.parametrize(
    "text",
    [
        "The people of Adams County met Powell, and Adams County was glad about it.",
        "The University of Adams knew Powell, and the University of Adams was glad.",
        "Everyone in the Adams met Powell, and people of the Adams were glad about it.",
        'They sang "Adams" for Powell, and then the choir sang "Adams" for Ann again.',
        "They told ADAMS about Powell, and then they asked ADAMS about all of it.",
    ],
)
def test_what_is_not_written_as_a_name(text: str) -> None:
    assert items(text, "Adams", "Powell", "Ann", "ADAMS", "Adams County") == []


@pytest.mark.parametrize("title", ["Captain", "Capt.", "Gov.", "Don"])
def test_part_of_a_longer_name_is_not_masked(title: str) -> None:
    text = f"Ramon met Powell in the town, and {title} Ramon was glad about it."
    assert items(text, "Ramon", "Powell") == []
    assert reasons(text, "Ramon", "Powell") & {"part of a longer name", "no name repeated"}


def test_a_possessive_ending_stays() -> None:
    text = "Adams met Powell in town, and soon Adams's plan was known there."
    (item,) = items(text, "Adams", "Powell")
    assert "[MASK]'s plan" in item.text


def test_what_a_tagger_does_not_call_a_person_is_no_candidate() -> None:
    text = "Adams came to Padua with Powell, and then Adams left the town."
    assert [told(item) for item in items(text, "Adams", "Powell", "GPE:Padua")] == [
        ("Adams", "Powell", "Adams")
    ]
    assert reasons(text, "GPE:Padua", "Powell") == {"no person repeated"}
    assert reasons(text, "GPE:Padua") == {"no person"}


def test_what_a_tagger_misses() -> None:
    text = "Zorbo met Mary in the town, and then Zorbo went to see the house."
    rules = wikicrem.rules()
    (passage,) = wikicrem.scan(page(text), rules)
    assert isinstance(passage, Passage)
    parse = parsed(passage, "Zorbo").parse
    once = replace(parse, entities=parse.entities[:1])  # the second one and Mary are missed
    (item,) = wikicrem.build(ParsedPassage(passage, once), rules)
    assert isinstance(item, Problem)
    assert told(item) == ("Zorbo", "Mary", "Zorbo")


def test_a_name_after_a_preposition_of_place_is_a_place() -> None:
    text = "Adams came to Gloon with Powell, and in Gloon there was nobody else."
    assert items(text, "Adams", "Gloon", "Powell") == []
    text = "Adams came to Mary with Powell, and in Mary there was a change."
    assert len(items(text, "Adams", "Mary", "Powell")) == 2


def test_a_name_repeated_on_and_on() -> None:
    text = "Ann met Mary, Ann saw it, Ann left, Ann ate, Ann slept, and Ann woke."
    assert reasons(text, "Ann", "Mary") == {"repeated too often"}


def test_a_list_of_people() -> None:
    names = ["Ann", "Mary", "Paula", "Rose", "Jane", "Ruth", "Carol", "Sarah", "Emma"]
    text = f"The team has {', '.join(names)} and a coach, and Ann is the captain."
    assert reasons(text, *names) == {"a list of people"}
    assert len(items(text.replace(", Emma", ""), *names)) == 7


def test_lengths_and_markup() -> None:
    assert "markup" in reasons("Ann met Mary_ in [the] town, and then Ann left.", "Ann", "Mary")
    awards = "Ann (sound), Mary (film), Ann (story), Rose (cast), and Ann (text) won it."
    assert "a list" in reasons(awards, "Ann", "Mary", "Rose")
    long = f"Ann met Mary and then Ann {'very ' * 130}soon left."
    assert reasons(long, "Ann", "Mary") == {"too long"}


def test_headings_and_lists_are_no_sentences() -> None:
    text = "Ann, Mary, Ann\n* Ann met Mary and then Ann left the town.\nAnn, Mary and Ann."
    assert reasons(text, "Ann", "Mary") == {
        "a line without a full stop", "an item of a list", "a line of few words",
    }  # fmt: skip
    assert not items(text, "Ann", "Mary")


def test_initials_and_abbreviations_end_no_sentence() -> None:
    text = "Joseph C. Ives met Dr. Powell there, and soon Joseph C. Ives left."
    (item,) = items(text, "Joseph C. Ives", "Powell")
    assert told(item) == ("Joseph C. Ives", "Powell", "Joseph C. Ives")


def test_provenance() -> None:
    text = "It is a long story about them.\n" + GINA
    item = items(text, "Gina", "Denise")[0]
    assert item.source == "7"
    for name, value in {
        "page": "7", "title": "A title", "revision": "12", "source": "dump", "offset": "31",
    }.items():  # fmt: skip
        assert item.meta_value(name) == value
    start, end = int(item.meta_value("offset") or 0), int(item.meta_value("end") or 0)
    assert text[start:end] == item.text.replace(
        "[MASK]", item.candidates[(item.answer or ())[0]].text
    )
    assert item.meta_value("gender") == "feminine"


def test_the_split_is_by_page_and_seed_alone() -> None:
    rules = wikicrem.rules()
    sides: Counter[str | None] = Counter()
    for number in range(3000):
        (passage,) = (
            each
            for each in wikicrem.scan(page(ADAMS, str(number)), rules)
            if isinstance(each, Passage)
        )
        (item,) = wikicrem.build(parsed(passage, "Adams", "Powell"), rules)
        assert isinstance(item, Problem)
        sides[item.meta_value("split")] += 1
    assert set(sides) == {"train", "held-out"}
    assert 3 <= sides["held-out"] <= 25  # 0.41 % of 3,000 is 12.3
    assert items(ADAMS, "Adams", "Powell") == items(ADAMS, "Adams", "Powell")


@pytest.mark.parametrize("name", ["blocks", "problem-jsonl"])
def test_items_can_be_written_and_read(name: str) -> None:
    form = plugins.load("formats", name)
    for text, names in [(ADAMS, ("Adams", "Powell")), (GINA, ("Gina", "Denise", "Jody"))]:
        for item in items(text, *names):
            less, _ = reduce_problem(item, form.SUPPORTS)
            assert form.refuse(less) is None
            (back,) = form.read("".join(form.write([less])).splitlines(True), Source())
            assert (back.text, back.target, back.answer) == (less.text, less.target, less.answer)
            assert back.candidates == less.candidates


def test_position() -> None:
    first, second, _ = items(GINA, "Gina", "Denise", "Jody", "Kingsley")
    assert (first.answer, second.answer) == ((1,), (0,))


def random_items(text: str, seed: int, surplus: float, id: str = "7") -> list[Problem]:
    rules = randomwiki.rules(seed, surplus)
    return [
        item
        for passage in randomwiki.scan(page(text, id), rules)
        if isinstance(passage, Passage)
        for item in randomwiki.build(parsed(passage), rules)
        if isinstance(item, Problem)
    ]


LONG = " ".join(
    f"The {word} river runs through a quiet land to the sea." for word in "abcdefgh" * 9
)


def test_randomwiki_masks_one_word_and_adds_another() -> None:
    found = random_items(LONG, 0, 1e9)
    assert len(found) > 100
    for item in found:
        assert item.answer is not None
        right = item.candidates[item.answer[0]].text
        wrong = item.candidates[1 - item.answer[0]].text
        assert right.lower() != wrong
        assert item.text.replace("[MASK]", right) in LONG
    assert {item.answer for item in found} == {(0,), (1,)}
    assert len({item.text.index("[MASK]") for item in found}) > 10


def test_randomwiki_depends_on_the_seed_alone() -> None:
    assert random_items(LONG, 1, 1e9) == random_items(LONG, 1, 1e9)
    assert random_items(LONG, 1, 1e9) != random_items(LONG, 2, 1e9)


def test_randomwiki_draws_few_of_all_passages() -> None:
    rules = randomwiki.rules()
    found = [
        each for number in range(40) for each in randomwiki.scan(page(LONG, str(number)), rules)
    ]
    reasons = Counter(each.reason for each in found if isinstance(each, Dropped))
    assert reasons["not drawn"] > 0.9 * len(found)


def test_randomwiki_has_the_lengths_of_wikicrem(tmp_path: Path) -> None:
    like = items(GINA, "Gina", "Denise", "Jody") + items(ADAMS, "Adams", "Powell")
    pool = [
        item
        for extra in range(2, 30)
        for item in random_items(f"The river runs {'very ' * extra}far on.", 0, 1e9, str(extra))
    ]
    formats.write(tmp_path / "like.jsonl", like, "problem-jsonl")
    rules = randomwiki.rules(like=str(tmp_path / "like.jsonl"))

    def kept(pool: list[Problem]) -> list[Problem]:
        return [each for each in randomwiki.collect(pool, rules) if isinstance(each, Problem)]

    lengths = Counter(map(randomwiki.length, kept(pool)))
    assert lengths == Counter(map(randomwiki.length, like))
    assert kept(pool[::-1]) == kept(pool)[::-1]


def test_randomwiki_has_the_lengths_of_the_corpus_it_is_like(tmp_path: Path) -> None:
    pool = random_items(LONG, 0, 1e9)
    like = [replace(pool[at], id=f"like-{at}") for at in (0, 1, 2, -1)]
    file = tmp_path / "like.jsonl"
    formats.write(file, like, "problem-jsonl")
    done = list(randomwiki.collect(pool, randomwiki.rules(3, like=str(file))))
    kept = [each for each in done if isinstance(each, Problem)]
    assert len(done) == len(pool)
    assert Counter(map(randomwiki.length, kept)) == Counter(map(randomwiki.length, like))
    assert list(randomwiki.collect(pool, randomwiki.rules(3))) == pool


def test_randomwiki_names_a_surplus_that_is_no_number() -> None:
    with pytest.raises(InvalidValue, match="a number for surplus, found 'many'"):
        randomwiki.rules(surplus="many")


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("Captain Adams met Powell in the town before Adams left it again.", True),
        ("John Adams met Powell in the town before Adams left it again.", False),
    ],
)
def test_what_is_masked_is_written_before_as_it_is(text: str, passed: bool) -> None:
    found = list(wikicrem.scan(page(text), wikicrem.rules()))
    assert any(isinstance(each, Passage) for each in found) is passed

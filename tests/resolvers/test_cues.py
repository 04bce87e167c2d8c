"""Each cue on sentences written for it, and the parts that the cues are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from coindex import resolvers
from coindex.resolvers.binding_theory import coreference_precluded
from coindex.resolvers.cues import _edges, draw, title_words
from coindex.resolvers.parsed_problem import (
    candidate_location,
    matching_candidates,
    parse_problem,
    tokens_of,
)
from coindex.text.parsing.dependency_tree import build_tree
from coindex.text.parsing.parse import Parse
from coindex.text.parsing.parser import make_parser
from coindex.text.parsing.person_mentions import person_spans
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

Marked = Callable[..., Problem]


def given(name: str, problem: Problem, pipeline: str) -> str:
    """The text of the given candidate that a resolver chooses."""
    resolver = resolvers.load(name, resolvers.ResolverSettings("given", 1, pipeline))
    assert isinstance(resolver, resolvers.Decider)
    (decision,) = resolver.decide([problem])
    (index,) = decision.chosen
    return problem.candidates[index].text


def found(name: str, problem: Problem, pipeline: str) -> str | None:
    """The phrase that a resolver finds."""
    resolver = resolvers.load(name, resolvers.ResolverSettings("found", 1, pipeline))
    assert isinstance(resolver, resolvers.Decider)
    (decision,) = resolver.decide([problem])
    return None if decision.picked is None else decision.picked.of(problem.text)


GOLDEN = [
    ("token-distance", "[Mary] saw that [Susan] knew <she> was late.", "Susan"),
    ("token-distance", "[Mary] came after the long party. <She> and [Susan] sang.", "Susan"),
    ("topical-entity", "[Mary Ode] came. [Mary] sang to [Susan] before <she> left.", "Mary"),
    (
        "topical-entity",
        "[the old house] and [the barn] and [the house] when <it> burned.",
        "the house",
    ),
    ("syntactic-distance", "[Mary] told a friend of [Susan] that <she> was late.", "Mary"),
    ("syntactic-distance", "[Mary] wrote a book about [Susan]. <She> won a prize.", "Mary"),
    ("syntactic-distance", "[Ann] said that [Mary] saw <her>.", "Ann"),
    ("parallelism", "[John] thanked [Peter] when <he> arrived.", "John"),
    ("parallelism", "[John] thanked [Peter] and the crowd cheered <him>.", "Peter"),
    ("parallelism", "The letter was sent to [Paul] by [John]. <His> house was old.", "John"),
    ("parallelism-url", "[John Ode] thanked [Ben Lane] when <he> arrived.", "Ben Lane"),
    ("parallelism-url", "[John] thanked [Peter] when <he> arrived.", "John"),
    ("first", "[Ann] met [Mary] and <she> sang.", "Ann"),
    ("last", "[Ann] met [Mary] and <she> sang.", "Mary"),
    ("majority", "[Ann] met [Mary] when Mary sang; <she> left.", "Mary"),
    ("majority", "[Ann] met [Anna] when <she> left.", "Ann"),
]


@pytest.mark.parametrize(("name", "text", "expected"), GOLDEN)
def test_given(name: str, text: str, expected: str, marked: Marked, pipeline: str) -> None:
    problem = marked(text, source="http://en.wikipedia.org/wiki/Ben_Lane_(poet)")
    assert given(name, problem, pipeline) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("token-distance", "Peter Hall"),
        ("parallelism", "John Smith"),
        ("parallelism-url", "Ben Lane"),
        ("first", "Ben Lane"),
        ("last", "Peter Hall"),
    ],
)
def test_found_names_need_not_be_given_ones(
    name: str, expected: str, marked: Marked, pipeline: str
) -> None:
    text = "Ben Lane was a poet. [John Smith] thanked [Peter Hall] when <he> arrived."
    problem = marked(text, source="http://en.wikipedia.org/wiki/Ben_Lane")
    assert found(name, problem, pipeline) == expected


def test_a_passage_without_names_has_nothing_to_find(marked: Marked, pipeline: str) -> None:
    assert found("parallelism", marked("The [cat] ate because <it> was hungry."), pipeline) is None


def test_the_substring_rule_goes_both_ways(marked: Marked) -> None:
    problem = marked("[Ruth Ode] met [Ode] and [Ida]. <She> sang with Ruth Ode Lane.")
    where = problem.text.index("Ruth Ode Lane")
    assert matching_candidates(problem, Chars(where, where + 13)) == (0, 1)
    assert matching_candidates(problem, Chars(where, where + 4)) == (0,)
    assert matching_candidates(problem, Chars(where + 9, where + 13)) == ()


def test_chance_is_fair_and_depends_on_seed_id_and_text_alone(
    marked: Callable[..., Problem],
) -> None:
    one = marked("[Ann] saw [Eve] when <she> left.")
    drawn = Counter(draw(replace(one, id=f"p-{at}"), 1, 3) for at in range(3000))
    assert set(drawn) == {0, 1, 2}
    assert min(drawn.values()) > 900
    turned = replace(one, candidates=one.candidates[::-1], source="x", group="feminine")
    assert [draw(one, seed, 100) for seed in range(5)] == [
        draw(turned, seed, 100) for seed in range(5)
    ]
    assert len({draw(one, seed, 1000) for seed in range(20)}) > 15
    assert draw(one, 1, 0) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("http://en.wikipedia.org/wiki/Ida_Lane", {"Ida", "Lane"}),
        ("http://en.wikipedia.org/wiki/Ida_Lane_(The_Farm)", {"Ida", "Lane"}),
        ("http://en.wikipedia.org/wiki/Jos%C3%A9_de_Ode", {"José", "Jos*", "Ode"}),
        ("http://en.wikipedia.org/wiki/List_of_Ode_episodes", set()),
        ("http://en.wikipedia.org/wiki/Ode", set()),
        ("Ida Lane, Collected Poems", set()),
        ("", set()),
        (None, set()),
    ],
)
def test_the_title_of_a_page(source: str | None, expected: set[str]) -> None:
    assert title_words(source) == expected


PRECLUDED = [
    ("[Ann] saw <her>.", True),
    ("[Ann] came home and thanked <her>.", True),
    ("[Ann] wanted to see <her>.", True),
    ("Mary asked [Ann] to help <her>.", True),
    ("[Mary] asked Ann to help <her>.", False),
    ("[Ann] saw <herself>.", False),
    ("[Ann] said that Mary saw <her>.", False),
    ("[Ann]'s mother saw <her>.", False),
    ("[Ann] talked to <her>.", True),
    ("<Her> sister [Ann] sang.", True),
    ("[Ann] is <her> sister.", True),
    ("[Ann] lost <her> hat.", False),
    ("<She> said that [Ann] sang.", True),
    ("When <she> was young, [Ann] sang.", False),
    ("In <her> youth, [Ann] sang.", False),
    ("<She> sang. [Ann] left.", True),
    ("[Ann] left. <She> sang.", False),
]


@pytest.mark.parametrize(("text", "expected"), PRECLUDED)
def test_positions_that_preclude(text: str, expected: bool, marked: Marked, pipeline: str) -> None:
    problem = marked(text)
    (parse,) = make_parser(pipeline).batch([problem.text])
    ready = parse_problem(problem, parse, "given")
    assert ready is not None
    (phrase,) = ready.phrases
    assert coreference_precluded(ready.tree, ready.pronoun, phrase.head) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Smith's wife met Mary Jones in Paris.", ["John Smith", "Mary Jones"]),
        ("John Smith was ill. A play by Smith opened in May.", ["John Smith", "Smith"]),
        ("Andr*s L*pez thanked Mary.", ["Andr*s L*pez", "Mary"]),
        ("Maria de la Cruz wrote to Anna-Lena Berg.", ["Maria de la Cruz", "Anna-Lena Berg"]),
        ("The company moved to Chicago in May.", []),
    ],
)
def test_names_of_persons(text: str, expected: list[str], pipeline: str) -> None:
    (parse,) = make_parser(pipeline).batch([text])
    runs = person_spans(build_tree(text, parse))
    assert [text[parse.starts[start] : parse.ends[end - 1]] for start, end in runs] == expected


def test_what_is_added_to_the_entities(pipeline: str) -> None:
    text = "Giovanni Zelotti left for the Ruhr. Zelotti met Berg near Zelotti and Ruhr."
    (parse,) = make_parser(pipeline).batch([text])

    def found(*entities: tuple[int, int, str]) -> list[tuple[int, int]]:
        return person_spans(build_tree(text, replace(parse, entities=entities)))

    zelotti, berg, again = (7, 8), (9, 10), (11, 12)
    assert found() == [(0, 2), zelotti, berg, again]  # by place; and as a name known by then
    assert found((1, 2, "PERSON")) == found()  # widened to the first name
    assert found((9, 10, "GPE")) == [(0, 2), zelotti, again]  # a place that is no subject
    assert found((7, 8, "GPE"), (9, 10, "DATE")) == [(0, 2), zelotti, again]
    assert found((9, 10, "PERSON"), (5, 6, "PERSON")) == [
        (0, 2),
        (5, 6),
        zelotti,
        berg,
        again,
        (13, 14),
    ]


def test_edges_are_counted_within_and_between_sentences() -> None:
    # 0 and 2 depend on 1; 4 depends on 3, and that on 5, in the next sentence.
    heads, sentences = (1, 1, 1, 5, 3, 5), (0, 0, 0, 1, 1, 1)
    offsets, labels = tuple(range(6)), ("",) * 6
    parse = Parse(offsets, offsets, labels, labels, labels, heads, sentences)
    small = build_tree("abcdef", parse)
    assert _edges(small, 0, 2) == 2
    assert _edges(small, 0, 0) == 0
    assert _edges(small, 0, 1) == 1
    assert _edges(small, 1, 5) == 2  # from root to root: BETWEEN
    assert _edges(small, 4, 0) == 2 + 2 + 1


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("The Jar broke, then it fell.", "the jar", "The Jar"),
        ("My jar broke, then it fell.", "the jar", "jar"),
        ("Two brushes lay there, then it fell.", "brush", "brushes"),
        ("jar jar, it, and a jar", "jar", "jar"),
        ("The jars' lids, then it fell.", "pot", None),
        ("He (a)b it.", "(a)", None),
        ("He (a) it.", "(a)", "(a)"),
    ],
)
def test_candidates_without_a_place_are_looked_for(
    text: str, phrase: str, expected: str | None
) -> None:
    start = text.index(" it") + 1
    problem = Problem("p", text, Chars(start, start + 2), (Candidate(phrase),))
    chars = candidate_location(problem, problem.candidates[0])
    assert (None if chars is None else chars.of(text)) == expected
    if text.startswith("jar jar"):
        assert chars == Chars(4, 7)


def test_tokens_of_characters() -> None:
    labels, zeros = ("", "", ""), (0, 0, 0)
    parse = Parse((0, 4, 9), (3, 8, 10), labels, labels, labels, zeros, zeros)
    assert tokens_of(parse, Chars(0, 3)) == (0, 1)
    assert tokens_of(parse, Chars(2, 5)) == (0, 2)
    assert tokens_of(parse, Chars(4, 10)) == (1, 3)
    assert tokens_of(parse, Chars(3, 4)) == (1, 2)
    assert tokens_of(parse, Chars(10, 12)) == (2, 3)

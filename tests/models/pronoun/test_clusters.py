"""Clusters to decisions and back: alignment by heads, texts that differ, the identity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex import formats
from coindex.benchmarks.accuracy import Outcomes, outcomes
from coindex.errors import InvalidValue
from coindex.resolvers.cluster_decisions import (
    ClusterDecider,
    decision_from_document,
    decisions_from_documents,
    document_with_decision,
    documents_from_problems,
)
from coindex.text.char_alignment import nonspace_text
from coindex.types.decision import Decision, abstention, match_decisions
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.problem import Candidate, Problem
from coindex.types.progress import OnProgress, ignore_progress
from coindex.types.source import Source
from coindex.types.span import Chars, Span


def asked(text: str, pronoun: str, *names: str, id: str = "p") -> Problem:
    """A problem of a text; candidates and pronoun by their words."""
    places = [Chars(text.index(name), text.index(name) + len(name)) for name in names]
    start = text.rindex(pronoun)
    found = tuple(Candidate(name, at) for name, at in zip(names, places, strict=True))
    return Problem(id, text, Chars(start, start + len(pronoun)), found, (0,))


def clustered(tokens: str, *phrases: str, id: str = "p", **fields: object) -> Document:
    """A document of tokens by spaces; one entity of phrases, each where it last stands."""
    words = tokens.split()
    mentions = []
    for phrase in phrases:
        part = phrase.split()
        at = max(n for n in range(len(words)) if words[n : n + len(part)] == part)
        mentions.append(Mention.at(at, at + len(part)))
    entities = (Entity(tuple(mentions)),) if mentions else ()
    return Document.of(id, [words], entities, **fields)


@pytest.mark.parametrize(
    ("passage", "name", "mention", "same"),
    [
        ("Ann Lee slept", "Ann Lee", "Ann Lee", True),
        ("President Ann Lee slept", "Ann Lee", "President Ann Lee", True),
        ("Ann Lee slept", "Ann Lee", "Lee", True),
        ("Ann Lee slept", "Ann Lee", "Ann", True),
        ("Ann Lee 's brother slept", "Ann Lee", "Ann Lee 's brother", False),
        ("Ann Lee 's brother slept", "Ann Lee", "Ann Lee 's", True),
        ("Ann Lee , the mayor , slept", "Ann Lee", "Ann Lee , the mayor", True),
        ("Ann Lee ( born 1950 ) slept", "Ann Lee", "Ann Lee ( born 1950 )", True),
        ("Ann Lee of Leeds slept", "Ann Lee", "Ann Lee of Leeds", True),
        ("Ann Lee Jr. slept", "Ann Lee", "Ann Lee Jr.", True),
        ("Queen Anne II slept", "Anne", "Queen Anne II", True),
        ("Ann Lee and Bob slept", "Ann Lee", "Ann Lee and Bob", False),
        ("Bob and Ann Lee slept", "Ann Lee", "Bob and Ann Lee", False),
        ("the wife of Ann Lee slept", "Ann Lee", "the wife of Ann Lee", False),
        ("the city councilmen slept", "the city councilmen", "the city", False),
        ("the city councilmen slept", "the city councilmen", "councilmen", True),
        ("the director of the firm slept", "the director of the firm", "the firm", False),
        ("the director of the firm slept", "the director of the firm", "the director", True),
        ("Ann 's dog slept", "Ann 's dog", "Ann", False),
        ("they saw Ann 's Bookshop", "Ann 's Bookshop", "Ann", False),
        ("they saw Ann 's Bookshop", "Ann 's Bookshop", "Bookshop", True),
        ("they saw the Bank of England", "the Bank of England", "England", False),
        ("they saw the Bank of England", "the Bank of England", "the Bank", True),
        ("Ann met Bob", "Ann", "Bob", False),
    ],
)
def test_names_are_aligned_by_heads(passage: str, name: str, mention: str, same: bool) -> None:
    text = f"{passage} and she left ."
    problem = asked(text, "she", name)
    found = decision_from_document(problem, clustered(text, mention, "she"))
    assert found == Decision("p", (0,) if same else ())


def test_heads_of_the_document_count_more_than_words() -> None:
    text = "the mayor Ann Lee slept and she left ."
    problem = asked(text, "she", "Ann Lee")
    plain = clustered(text, "the mayor Ann Lee", "she")
    assert decision_from_document(problem, plain).chosen == (0,)
    mayor = replace(plain, heads=(1, 4, 3, 1, -1, 4, 7, 4, 4))
    assert decision_from_document(problem, mayor).chosen == ()
    lee = replace(plain, heads=(1, 3, 3, 4, -1, 4, 7, 4, 4))
    assert decision_from_document(problem, lee).chosen == (0,)
    entity = Entity((Mention((Span(0, 4),), head=1), Mention.at(6, 7)))
    assert decision_from_document(problem, replace(lee, entities=(entity,))).chosen == ()
    parse = ["(S(NP(NP*", "*)", "(NP*", "*))", "(VP*)", "*", "*", "*", "*)"]
    tree = replace(
        plain,
        parse=tuple(parse),
        pos=tuple(["DT", "NN", "NNP", "NNP", "VBD", "CC", "PRP", "VBD", "."]),
    )
    assert decision_from_document(problem, tree).chosen == (), (
        "the head is the first of two phrases"
    )


def test_a_possessive_is_not_the_head_of_a_tree() -> None:
    text = "Ann Lee 's dog slept and she left ."
    document = clustered(
        text,
        "Ann Lee 's",
        "she",
        parse=("(S(NP(NP*", "*", "*)", "*)", "(VP*)", "*", "*", "*", "*)"),
        pos=tuple(["NNP", "NNP", "POS", "NN", "VBD", "CC", "PRP", "VBD", "."]),
    )
    assert decision_from_document(asked(text, "she", "Ann Lee"), document).chosen == (0,)


def test_text_may_be_tokenised_in_any_way() -> None:
    text = "Ann Lee  (a \"star\")\ncan't say if Mary-Jo's dog likes her."
    problem = asked(text, "her", "Ann Lee", "Mary-Jo")
    tokens = "Ann Lee -LRB- a `` star '' -RRB- ca n't say if Mary - Jo 's dog likes her ."
    assert decision_from_document(problem, clustered(tokens, "Ann Lee", "her")).chosen == (0,)
    assert decision_from_document(problem, clustered(tokens, "Mary - Jo 's", "her")).chosen == (1,)
    assert (
        decision_from_document(problem, clustered(tokens, "Mary - Jo 's dog", "her")).chosen == ()
    )
    coarse = "Ann Lee (a \"star\") can't say if Mary-Jo's dog likes her."
    assert decision_from_document(problem, clustered(coarse, "Mary-Jo's", "her.")).chosen == (1,)


def test_letters_point_back_into_the_text() -> None:
    found = nonspace_text("a -LRB- ''x ` `")
    assert found.text == 'a("x"'
    assert found.offsets == (0, 2, 8, 10, 12)
    assert found.range(Chars(2, 11)) == (1, 4)


def test_a_pronoun_in_no_cluster_or_in_several() -> None:
    text = "Ann met Eve when she left ."
    problem = asked(text, "she", "Ann", "Eve")
    assert decision_from_document(problem, clustered(text)).chosen == ()
    assert decision_from_document(problem, clustered(text, "Ann", "Eve")).chosen == ()
    assert decision_from_document(problem, clustered(text, "she")).chosen == ()
    one, two, pronoun = Mention.at(0, 1), Mention.at(2, 3), Mention.at(4, 5)
    both = replace(clustered(text), entities=(Entity((one, pronoun)), Entity((two, pronoun))))
    assert decision_from_document(problem, both).chosen == (0, 1)


def test_the_four_outcomes_of_knowref() -> None:
    text = "Ann met Eve when she left ."
    items = [asked(text, "she", "Ann", "Eve", id=str(n)) for n in range(4)]
    groups: tuple[list[str], ...] = (["Ann", "Eve", "she"], [], ["Eve", "she"], ["Ann", "she"])
    documents = [clustered(text, *names, id=str(n)) for n, names in enumerate(groups)]
    found = decisions_from_documents(items, documents)
    assert outcomes(match_decisions(items, found.decisions)) == Outcomes(1, 1, 1, 1)


def test_a_candidate_without_a_place_is_looked_for() -> None:
    text = "Ann met the old Eve when she left ."
    problem = replace(asked(text, "she", "Ann"), candidates=(Candidate("eve"), Candidate("Bob")))
    assert decision_from_document(problem, clustered(text, "the old Eve", "she")).chosen == (0,)


def test_documents_are_found_by_id_and_by_text() -> None:
    one, two, three = (
        asked(f"{name} met Eve when she left .", "she", name, "Eve", id=id)
        for id, name in (("a", "Ann"), ("b", "Ida"), ("c", "Ruth"))
    )
    documents = [
        clustered(two.text, "Ida", "she", id="other"),
        clustered(one.text, "Eve", "she", id="a"),
        clustered("Nobody slept .", id="extra"),
    ]
    found = decisions_from_documents([one, two, three], documents)
    assert found.decisions == (Decision("a", (1,)), Decision("b", (0,)))
    assert found.missing == ("c",)
    assert found.extra == ("extra",)
    assert match_decisions([one, two, three], found.decisions).missing == ("c",)


def test_problems_of_the_same_text() -> None:
    text = "Ann met Eve when she left ."
    items = [asked(text, "she", "Ann", "Eve", id=id) for id in "ab"]
    shared = [clustered(text, "Eve", "she", id="x")]
    assert [d.chosen for d in decisions_from_documents(items, shared).decisions] == [(1,), (1,)]
    each = [clustered(text, name, "she", id=name) for name in ("Ann", "Eve")]
    assert [d.chosen for d in decisions_from_documents(items, each).decisions] == [(0,), (1,)]
    with pytest.raises(InvalidValue, match="one document for a, b, or one for each, found 3"):
        decisions_from_documents(items, [*each, clustered(text, id="z")])


def test_documents_that_do_not_fit() -> None:
    problem = asked("Ann met Eve when she left .", "she", "Ann", "Eve", id="a")
    with pytest.raises(InvalidValue, match=r"1 with another: a$"):
        decisions_from_documents([problem], [clustered("Ann saw Eve when she left .", id="a")])
    with pytest.raises(InvalidValue, match="none has the id or the text of one: z"):
        decisions_from_documents([problem], [clustered("Nobody slept .", id="z")])
    with pytest.raises(InvalidValue, match="one document for a, found another"):
        decisions_from_documents([problem], [clustered(problem.text, id="a")] * 2)
    with pytest.raises(InvalidValue, match="a: expected a document with the same text"):
        decision_from_document(problem, clustered("Nobody slept .", id="a"))


NAMES = ("Ann", "Ann Lee", "the city councilmen", "Mary-Jo", "(O'Neil)", "Dr. No", "it's", "A*b")


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """A passage of names and words, each name in its own place."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
    gaps = st.sampled_from([" ", "  ", "\n", " met ", " and ", ", ", "'s dog (", " '' ", ". "])
    text, places = "", []
    for name in names:
        places.append(Chars(len(text), len(text) + len(name)))
        text += name + draw(gaps)
    target = Chars(len(text), len(text) + 3)
    found = tuple(Candidate(name, at) for name, at in zip(names, places, strict=True))
    return Problem("p", f"{text}she{draw(st.sampled_from(['', '.', ' left']))}", target, found)


@given(problems(), st.data())
def test_decisions_to_clusters_to_decisions_is_the_identity(
    problem: Problem, data: st.DataObject
) -> None:
    indices = st.sets(st.integers(0, len(problem.candidates) - 1))
    decision = Decision("p", tuple(sorted(data.draw(indices))))
    document = document_with_decision(problem, decision)
    assert document.text == problem.text
    assert decision_from_document(problem, document) == decision
    lines = list(formats.write_lines([document], "conll2012"))
    (copy,) = formats.read_lines(lines, "conll2012", Source())
    assert isinstance(copy, Document)
    assert decision_from_document(problem, copy) == decision


def test_overlapping_candidates_stay_apart() -> None:
    problem = asked("Ann Lee slept and she left .", "she", "Ann", "Ann Lee")
    for chosen in ((), (0,), (1,), (0, 1)):
        decision = Decision("p", chosen)
        assert (
            decision_from_document(problem, document_with_decision(problem, decision)) == decision
        )


def test_silence_is_no_entity() -> None:
    problem = asked("Ann slept and she left .", "she", "Ann")
    assert document_with_decision(problem, abstention(problem)).entities == ()
    (entity,) = document_with_decision(problem, Decision("p")).entities
    assert len(entity) == 1
    without = replace(problem, candidates=(Candidate("Eve"),))
    (entity,) = document_with_decision(without, Decision("p", (0,))).entities
    assert len(entity) == 1


class NearestName:
    """A cluster resolver: every `she` goes with the capitalised word before it."""

    signature = "nearest"

    def __init__(self, lose: int = 0) -> None:
        self.lose = lose

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        for document in list(documents)[self.lose :]:
            she = document.tokens.index("she")
            name = max(n for n in range(she) if document.tokens[n][0].isupper())
            entity = Entity((Mention.at(name, name + 1), Mention.at(she, she + 1)))
            yield replace(document, entities=(entity,))


def test_a_cluster_resolver_answers_problems() -> None:
    items = [asked("Ann met Eve when she left.", "she", "Ann", "Eve", id=id) for id in "ab"]
    decider = ClusterDecider(NearestName())
    assert list(decider.decide(items)) == [Decision("a", (1,)), Decision("b", (1,))]
    assert decider.signature == "nearest|clusters:heads"
    with pytest.raises(InvalidValue, match="expected the resolved document a, found b"):
        list(ClusterDecider(NearestName(1)).decide(items))
    with pytest.raises(InvalidValue, match="expected the resolved document a, found none"):
        list(ClusterDecider(NearestName(2)).decide(items))


def test_documents_have_the_borders_of_names() -> None:
    (document,) = documents_from_problems([asked("Mary-Jo's 'she' left.", "she", "Mary")])
    assert document.tokens[:2] == ("Mary", "-Jo")
    assert "she" in document.tokens
    assert (document.id, document.entities) == ("p", ())

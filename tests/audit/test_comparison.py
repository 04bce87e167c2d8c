"""Answers and links, and what becomes of them."""

from __future__ import annotations

import pytest

from coindex.audit.comparison import (
    answers,
    compare_links,
    found_names,
    is_right,
    link_words,
    links,
)
from coindex.audit.subject import (
    decided_documents,
    document_of,
    passage_problems,
    with_clusters,
)
from coindex.audit.templates import Passage
from coindex.audit.variants import passages
from coindex.benchmarks.probe_format import ExpectedMention
from coindex.errors import InvalidValue
from coindex.types.decision import Decision
from coindex.types.document import Document
from coindex.types.span import Chars

TEXT = "Ann Lee met Eve Ode . She saw her ."


def mention(words: str, entity: str) -> ExpectedMention:
    start = TEXT.index(words)
    return ExpectedMention(Chars(start, start + len(words)), entity)


ANN, EVE, SHE, HER = (
    mention("Ann Lee", "A"),
    mention("Eve Ode", "B"),
    mention("She", "A"),
    mention("her", "B"),
)
PASSAGE = Passage("p/x", "two", TEXT, (ANN, EVE, SHE, HER), ("name", "name", "pronoun", "pronoun"))


def test_answers_name_the_entities_in_the_cluster() -> None:
    gold = answers(PASSAGE, with_clusters(PASSAGE, [[ANN, SHE], [EVE, HER]]))
    assert gold == {("A", 2): {"A"}, ("B", 2): {"B"}}
    assert all(is_right(key, answer) for key, answer in gold.items())
    merged = answers(PASSAGE, with_clusters(PASSAGE, [[ANN, SHE, EVE]]))
    assert merged == {("A", 2): {"A", "B"}, ("B", 2): set()}
    assert not any(is_right(key, answer) for key, answer in merged.items())
    alone = answers(PASSAGE, with_clusters(PASSAGE, [[SHE, HER]]))
    assert alone == {("A", 2): set(), ("B", 2): set()}, "pronouns alone are nobody"


def test_names_in_a_cluster_are_found() -> None:
    assert found_names(PASSAGE, with_clusters(PASSAGE, [[ANN, SHE]])) == (1, 2)
    assert found_names(PASSAGE, Document("d", TEXT)) == (0, 2)


def test_links_are_of_neighbours_in_a_cluster() -> None:
    found = links("p", TEXT, with_clusters(PASSAGE, [[ANN, SHE, HER]]))
    assert found == {((0, 2), (6, 7)), ((6, 7), (8, 9))}
    assert sorted(link_words(TEXT, link) for link in found) == ["Ann Lee ← She", "She ← her"]


def test_what_changes_is_counted_in_both() -> None:
    one = "a", TEXT, with_clusters(PASSAGE, [[ANN, SHE], [EVE, HER]])
    two = "b", TEXT, with_clusters(PASSAGE, [[ANN, SHE, HER]])
    change = compare_links(one, two)
    assert (change.changed, change.links) == (2, 3)
    assert compare_links(one, one).changed == 0
    with pytest.raises(InvalidValue, match="p: expected a document with its text"):
        links("p", "Another text.", one[2])
    longer = Document("c", f"{TEXT} More .")
    with pytest.raises(InvalidValue, match="c: expected as many tokens as a has, 10, found 12"):
        compare_links(one, ("c", longer.text, longer))


def test_a_resolver_of_problems_is_asked_about_pronouns() -> None:
    problems = list(passage_problems(PASSAGE))
    assert [problem.id for problem in problems] == ["p/x/2", "p/x/3"]
    assert [each.text for each in problems[0].candidates] == ["Ann Lee", "Eve Ode"]
    document = document_of(PASSAGE, [Decision("p/x/2", (0,)), Decision("p/x/3", (0,))])
    assert answers(PASSAGE, document) == {("A", 2): {"A"}, ("B", 2): {"A"}}


class Nobody:
    """Leaves out every second decision."""

    signature = "nobody"

    def decide(self, problems: object) -> object:
        return (Decision(each.id, (0,)) for each in list(problems)[::2])  # type: ignore[call-overload]


def test_a_text_with_a_missing_decision_has_no_clusters() -> None:
    assert list(decided_documents(Nobody(), [PASSAGE])) == [None]  # type: ignore[arg-type]


def test_every_bundled_text_is_right_with_its_own_clusters() -> None:
    for passage in passages("base"):
        clusters: dict[str, list[ExpectedMention]] = {}
        for each in passage.mentions:
            clusters.setdefault(each.entity, []).append(each)
        found = answers(passage, with_clusters(passage, clusters.values()))
        assert all(is_right(key, answer) for key, answer in found.items()), passage.text

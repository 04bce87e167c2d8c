"""What holds for every strategy, by its name; and the values of each."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

import quizbowl_samples as samples
from coindex import active, plugins
from coindex.active import Query, Scores
from coindex.active.committee import committee, disagreement, link_variance
from coindex.active.strategies.builtin.diverse_voting import similarity
from coindex.errors import InvalidValue, UnknownName
from coindex.models.mention_pair.train import Learner
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")

EVERY = active.names()
VOTING = ("voting", "diverse-voting")
POOL, ANNOTATED = samples.stories(8, 100), samples.stories(6)


@pytest.fixture(scope="module")
def learner() -> Learner:
    return samples.learner()


def document(*entities: Iterable[tuple[int, int]], id: str = "d") -> Document:
    made = (Entity(tuple(Mention.at(*place) for place in each)) for each in entities)
    return Document.of(id, [["w"] * 10], made)


@dataclass(frozen=True)
class Stub:
    """A model that always answers the same."""

    digest: str
    sets: tuple[tuple[tuple[int, int], ...], ...]

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        for each in documents:
            yield replace(each, entities=document(*self.sets).entities)


def test_the_strategies_are_all_there() -> None:
    wanted = {"voting", "random", "mention-entropy", "joint-entropy", "longest", "diverse-voting"}
    assert wanted <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
class TestEvery:
    def test_it_says_what_it_does(self, name: str) -> None:
        module = plugins.load("strategies", name)
        assert module.ABOUT
        assert module.__doc__

    def test_every_document_once_in_order_of_scores(self, name: str, learner: Learner) -> None:
        found = active.rank(POOL, ANNOTATED, learner, name)
        assert [pick.rank for pick in found.picks] == list(range(1, 9))
        assert {pick.document for pick in found.picks} == {each.key for each in POOL}
        values = [pick.score for pick in found.picks]
        assert values == sorted(values, reverse=True)
        assert (found.strategy, found.seed, found.annotated) == (name, 1, 6)

    def test_it_can_be_replayed(self, name: str, learner: Learner) -> None:
        first = active.rank(POOL, ANNOTATED, learner, name, seed=3)
        assert active.rank(POOL, ANNOTATED, samples.learner(), name, seed=3) == first
        assert active.rank(POOL, ANNOTATED, learner, name, seed=3) == first

    def test_neither_the_order_of_the_pool_nor_its_entities_matter(
        self, name: str, learner: Learner
    ) -> None:
        first = active.rank(POOL, ANNOTATED, learner, name)
        shuffled = random.Random(2).sample(POOL, len(POOL))
        bare = [replace(each, entities=()) for each in shuffled]
        again = active.rank(bare, ANNOTATED, learner, name)
        assert [pick.document for pick in again.picks] == [pick.document for pick in first.picks]

    def test_an_empty_pool(self, name: str, learner: Learner) -> None:
        assert active.rank([], ANNOTATED, learner, name).picks == ()

    def test_one_annotated_document(self, name: str, learner: Learner) -> None:
        found = active.rank(POOL, ANNOTATED[:1], learner, name)
        assert len(found.picks) == len(POOL)
        if name in VOTING:
            assert {pick.score for pick in found.picks} == {0.0}, (
                "a single model agrees with itself"
            )

    def test_documents_without_mentions_and_without_words(
        self, name: str, learner: Learner
    ) -> None:
        odd = [Document.of("empty", []), Document.of("none", [["and", "."]]), samples.story(100)]
        bare = [replace(ANNOTATED[0], entities=()), *ANNOTATED[1:3]]
        found = active.rank(odd, bare, learner, name)
        assert len(found.picks) == 3
        assert all(pick.score == pick.score for pick in found.picks), "no score is not-a-number"

    def test_the_log_is_complete_by_itself(self, name: str, learner: Learner) -> None:
        found = active.rank(POOL, ANNOTATED, learner, name, seed=5)
        rows = list(found.lines())
        assert [row["rank"] for row in rows] == list(range(1, 9))
        for row in rows:
            assert {"strategy", "seed", "annotated", "models", "document", "score"} <= set(row)
            assert bool(row["models"]) == (name not in ("random", "longest"))

    def test_what_is_annotated_already_is_an_error(self, name: str, learner: Learner) -> None:
        with pytest.raises(InvalidValue, match="found 'story-00' annotated"):
            active.rank([*POOL, ANNOTATED[0]], ANNOTATED, learner, name)

    def test_a_document_twice_is_an_error(self, name: str, learner: Learner) -> None:
        with pytest.raises(InvalidValue, match="once"):
            active.rank([POOL[0], POOL[0]], ANNOTATED, learner, name)


@pytest.mark.parametrize("name", sorted(set(EVERY) - {"random", "longest"}))
def test_what_needs_a_model_says_so(name: str, learner: Learner) -> None:
    with pytest.raises(InvalidValue, match="annotated documents"):
        active.rank(POOL, [], learner, name)
    with pytest.raises(InvalidValue, match="resolver"):
        active.rank(POOL, ANNOTATED, None, name)


def test_unknown_names_are_answered_with_the_known() -> None:
    with pytest.raises(UnknownName, match=r"unknown strategy 'best'.*voting"):
        active.rank(POOL, ANNOTATED, None, "best")


class TestVoting:
    def test_disagreement_is_one_less_the_mean_b_cubed(self) -> None:
        one = document([(0, 1), (1, 2)], [(2, 3)])
        two = document([(0, 1)], [(1, 2)], [(2, 3)])
        assert disagreement([one, one]) == 0
        # recall 2/3 (each of two mentions keeps half), precision 1: F1 0.8
        assert disagreement([one, two]) == pytest.approx(0.2)
        assert disagreement([one, one, two]) == pytest.approx(0.4 / 3)

    def test_nothing_found_agrees_with_nothing_found(self) -> None:
        empty, full = document(), document([(0, 1)])
        assert disagreement([empty, empty]) == 0
        assert disagreement([empty, full]) == 1
        assert disagreement([full]) == 0
        assert disagreement([]) == 0

    def test_variance_of_links(self) -> None:
        one = document([(0, 1), (1, 2)], [(2, 3)])
        two = document([(0, 1)], [(1, 2)], [(2, 3)])
        assert link_variance([one, one]) == 0
        assert link_variance([one, two]) == 0.25
        assert link_variance([two, two]) == 0

    def test_the_committee_is_trained_on_parts(self) -> None:
        asked: list[tuple[str, ...]] = []

        class Spy:
            def train(self, documents: Sequence[Document], seed: int = 1) -> Stub:
                asked.append(tuple(each.key for each in documents))
                return Stub("x", ())

            def calibrated(self) -> Spy:
                return self

        annotated = tuple(ANNOTATED[:5])
        committee(Query((), annotated, Spy(), members=2))
        assert sorted(key for part in asked for key in part) == sorted(d.key for d in annotated)
        before = list(asked)
        asked.clear()
        committee(Query((), (*annotated, samples.story(50)), Spy(), members=2))
        assert len(set(asked) & set(before)) == 1, "a new document changes one part"

    def test_equal_members_leave_it_to_chance(self) -> None:
        same = [Stub("a", (((0, 1), (1, 2)),)), Stub("b", (((0, 1), (1, 2)),))]
        orders = set()
        for seed in range(6):
            found = active.rank(POOL, [], None, "voting", seed=seed, fixed=same)
            assert {pick.score for pick in found.picks} == {0.0}
            orders.add(tuple(pick.document for pick in found.picks))
        assert len(orders) > 1, "not by name: every seed draws its own order"

    def test_checkpoints_vote(self) -> None:
        members = [Stub("model:one", (((0, 1),),)), Stub("model:two", (((1, 2),),))]
        found = active.rank(POOL, [], None, "voting", fixed=members)
        assert found.models == ("model:one", "model:two")
        assert {pick.score for pick in found.picks} == {1.0}


def test_longest_counts_words(learner: Learner) -> None:
    found = active.rank(POOL, ANNOTATED, learner, "longest")
    lengths = {each.key: len(each) for each in POOL}
    assert [pick.score for pick in found.picks] == sorted(
        map(float, lengths.values()), reverse=True
    )


def test_random_depends_on_the_seed_and_the_name_alone(learner: Learner) -> None:
    one = active.rank(POOL, ANNOTATED, learner, "random", seed=1)
    two = active.rank(POOL[:4], [], None, "random", seed=1)
    places = {pick.document: pick.score for pick in one.picks}
    assert all(places[pick.document] == pick.score for pick in two.picks)
    other = active.rank(POOL, ANNOTATED, learner, "random", seed=2)
    assert [p.document for p in one.picks] != [p.document for p in other.picks]


def test_diversity() -> None:
    same = Document.of("same", [["a", "b"]])
    far = Document.of("far", [["c", "d"]])
    found = similarity([same, far], [Document.of("known", [["a", "b"]])])
    assert found.tolist() == pytest.approx([1.0, 0.0])
    assert similarity([same], []).tolist() == [0.0]
    assert similarity([Document.of("x", [])], [Document.of("y", [])]).tolist() == [0.0]


def test_entropy_needs_probabilities() -> None:
    class Mute:
        def train(self, documents: Sequence[Document], seed: int = 1) -> Stub:
            return Stub("mute", ())

        def calibrated(self) -> Mute:
            return self

    with pytest.raises(InvalidValue, match="probabilities"):
        active.rank(POOL, ANNOTATED, Mute(), "mention-entropy")


def test_a_strategy_must_score_every_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins.load("strategies", "longest"), "score", lambda q: Scores((1.0,)))
    with pytest.raises(InvalidValue, match="8 scores, found 1"):
        active.rank(POOL, [], None, "longest")


def test_the_share_kept_aside_does_not_change_as_the_pool_grows() -> None:
    many = samples.stories(200)
    rest, aside = active.split_held_out(many, 0.25, 1)
    assert 30 <= len(aside) <= 70
    assert len(rest) + len(aside) == 200
    assert active.split_held_out(many[:50], 0.25, 1)[1] == [d for d in aside if d in many[:50]]
    assert active.split_held_out(many, 0.0, 1)[1] == []
    assert {d.key for d in active.split_held_out(many, 0.25, 2)[1]} != {d.key for d in aside}
    with pytest.raises(InvalidValue, match="share"):
        active.split_held_out(many, 1.0, 1)

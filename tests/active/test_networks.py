"""Neural models as a committee: checkpoints, and one network under dropout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import training_samples as samples
from coindex import active
from coindex.active import neural_committee
from coindex.active.neural_committee import NeuralCommittee, load_network
from coindex.errors import InputError, InvalidValue

POOL = [samples.story(number) for number in range(60, 72)]
WHY = "needs torch: pip install 'coindex[train]'"


@pytest.fixture(scope="module")
def other(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another checkpoint of the same training: the same facts, other weights."""
    torch = pytest.importorskip("torch", reason=WHY)
    folder = tmp_path_factory.mktemp("checkpoints") / "earlier"
    shutil.copytree(trained, folder)
    weights = torch.load(folder / "weights.pt", weights_only=True)
    generator = torch.Generator().manual_seed(5)
    for name, value in weights.items():
        if name.startswith("head.") and value.is_floating_point():
            noise = torch.randn(value.shape, generator=generator) * value.float().abs().mean()
            weights[name] = (value.float() + 0.5 * noise).to(value.dtype)
    torch.save(weights, folder / "weights.pt")
    return folder


@pytest.fixture(scope="module")
def shaky(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model with half of its encoder left out: a tiny one is too sure otherwise."""
    return with_dropout(trained, tmp_path_factory.mktemp("dropout") / "model", 0.5)


def with_dropout(trained: Path, folder: Path, share: float) -> Path:
    shutil.copytree(trained, folder)
    file = folder / "config.json"
    told = json.loads(file.read_text("utf-8"))
    kinds = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    file.write_text(json.dumps(told | dict.fromkeys(kinds, share)), "utf-8")
    return folder


def scores(found: active.Ranking) -> dict[str, float]:
    return {pick.document: pick.score for pick in found.picks}


class TestCheckpoints:
    def test_they_vote(self, trained: Path, other: Path) -> None:
        networks = NeuralCommittee((str(trained), str(other)))
        members = networks.members(4, seed=1)
        found = active.rank(POOL, [], None, "voting", fixed=members)
        assert found.models == tuple(member.digest for member in members)
        assert len(set(found.models)) == 2, "weights count, though model.json is the same"
        assert len(set(scores(found).values())) > 1, "they disagree, more here than there"
        assert active.rank(POOL[::-1], [], None, "voting", fixed=members) == found

    def test_equal_ones_agree(self, exported: Path) -> None:
        members = NeuralCommittee((str(exported), str(exported))).members(2, seed=1)
        found = active.rank(POOL, [], None, "voting", fixed=members)
        assert set(scores(found).values()) == {0.0}

    def test_a_folder_that_changed_is_loaded_again(self, exported: Path, tmp_path: Path) -> None:
        folder = tmp_path / "model"
        shutil.copytree(exported, folder)
        before = load_network(str(folder))
        assert load_network(str(folder)) is before
        with open(folder / "tokenizer.json", "a", encoding="utf-8") as file:
            file.write("\n")
        assert load_network(str(folder)).digest != before.digest

    @pytest.mark.parametrize("strategy", ["random", "longest", "mention-entropy"])
    def test_a_strategy_without_a_committee_is_an_error(
        self, strategy: str, exported: Path, small: Path
    ) -> None:
        members = NeuralCommittee((str(exported), str(small))).members(2, seed=1)
        with pytest.raises(InvalidValue, match="given models"):
            active.rank(POOL, [], None, strategy, fixed=members)

    def test_what_is_no_committee(self, exported: Path, tmp_path: Path) -> None:
        with pytest.raises(InvalidValue, match="two or more"):
            NeuralCommittee((str(exported),))
        with pytest.raises(InvalidValue, match="found both"):
            NeuralCommittee(("a", "b"), "c")
        with pytest.raises(InputError, match=r"model\.json, found none"):
            NeuralCommittee((str(exported), str(tmp_path))).members(2, seed=1)
        assert NeuralCommittee().members(4, seed=1) == ()


class TestDropout:
    def test_members_differ_and_can_be_replayed(self, shaky: Path) -> None:
        networks = NeuralCommittee(dropout=str(shaky))
        found = active.rank(POOL, [], None, "voting", fixed=networks.members(3, seed=1))
        assert len(set(found.models)) == 3
        assert all(each.endswith(f"|dropout:1.{at}") for at, each in enumerate(found.models, 1))
        assert max(scores(found).values()) > 0, "with parts left out the answers differ"
        neural_committee._loaded.cache_clear()
        again = active.rank(POOL, [], None, "voting", fixed=networks.members(3, seed=1))
        assert again == found
        other = active.rank(POOL, [], None, "voting", fixed=networks.members(3, seed=2))
        assert scores(other) != scores(found)

    def test_company_and_order_change_nothing(self, shaky: Path) -> None:
        one, _ = NeuralCommittee(dropout=str(shaky)).members(2, seed=1)
        whole = list(one.resolve(POOL))
        assert [next(one.resolve([each])) for each in POOL[::-1]] == whole[::-1]

    def test_chance_elsewhere_and_the_model_stay_as_they_were(self, shaky: Path) -> None:
        torch = pytest.importorskip("torch", reason=WHY)
        plain = load_network(str(shaky))
        before, state = list(plain.resolve(POOL)), torch.random.get_rng_state()
        list(NeuralCommittee(dropout=str(shaky)).members(2, seed=1)[0].resolve(POOL))
        assert torch.equal(torch.random.get_rng_state(), state)
        assert list(plain.resolve(POOL)) == before, "dropout is off again"

    def test_an_exported_model_has_none(self, exported: Path) -> None:
        with pytest.raises(InputError, match="as training left it"):
            NeuralCommittee(dropout=str(exported)).members(2, seed=1)

    def test_an_encoder_without_dropout(self, trained: Path, tmp_path: Path) -> None:
        folder = with_dropout(trained, tmp_path / "model", 0.0)
        with pytest.raises(InputError, match="found one without"):
            NeuralCommittee(dropout=str(folder)).members(2, seed=1)

    def test_one_vote_is_no_committee(self, shaky: Path) -> None:
        with pytest.raises(InvalidValue, match="2 or more under dropout"):
            NeuralCommittee(dropout=str(shaky)).members(1, seed=1)


def test_a_worker_asks_networks_in_its_own_process(trained: Path, other: Path, shaky: Path) -> None:
    checkpoints = NeuralCommittee((str(trained), str(other)))
    dropout = NeuralCommittee(dropout=str(shaky))
    with active.Worker(active.Setup()) as worker:
        futures = [
            worker.rank(POOL, [], "voting", seed=3, members=2, networks=each)
            for each in (checkpoints, dropout)
        ]
        empty = worker.rank([], [], "voting", networks=dropout)
        wrong = worker.rank(POOL, [], "longest", networks=checkpoints)
        found = [each.result(timeout=300) for each in futures]
        assert empty.result(timeout=300).picks == ()
        with pytest.raises(InvalidValue, match="given models vote, found longest"):
            wrong.result(timeout=300)
    for each, networks in zip(found, (checkpoints, dropout), strict=True):
        here = active.rank(POOL, [], None, "voting", seed=3, fixed=networks.members(2, seed=3))
        assert here == each

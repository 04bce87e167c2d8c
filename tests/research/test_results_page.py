"""The page of results: papers' rows beside ours, bars, ablations, heads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from research.results.ablations import ablation_table
from research.results.attention_heads import HeadScores, head_tables, heads_json, read_heads
from research.results.formatting import format_summary
from research.results.leaderboard import Leaderboard, read_leaderboard
from research.results.page import page
from research.results.paper_tables import paper_table
from research.results.plan import Plan, column, plan_of
from research.results.requirements import requirements_by_system, requirements_table
from research.results.runs import RunMetadata, read_run, write_run
from research.results.seeds import Summary

from coindex.benchmarks.protocol import Published
from coindex.errors import InputError, InvalidValue, UnknownName
from coindex.models.pronoun.attention import FittedHeads
from coindex.report.table import text_notes
from coindex.scoring.significance import Interval
from coindex.types.decision import Decision
from results_samples import TASK, board, right_on

PLAN = """
[[system]]
name = "good"
title = "Good one"
plain = "bad"

[[system]]
name = "bad"

[[system]]
name = "never"
title = "Never run"

[[table]]
section = "Someone"
title = "Someone's Table 1"
source = "Someone 2001, Table 1"
columns = ["A = tiny:dev accuracy", "gained = tiny:dev accuracy, gain"]
plain = "Someone 2001, Table 0"
also = ["Someone 2001, Table 2: Other"]
systems = ["good", "bad", "never"]

[[bar]]
title = "first bar"
group = "one"
figure = "tiny:dev accuracy"
papers = "61.0"
least = 75.0

[[bar]]
title = "second bar"
group = "one"
figure = "tiny:dev accuracy"
least = 10.0
most = 60.0

[[ablation]]
claim = "It helps"
with = "good"
without = "bad"
figures = ["tiny:dev accuracy"]
"""


@pytest.fixture
def plan(tiny: ModuleType) -> Plan:
    tiny.__dict__["PUBLISHED"] += (
        Published("Old", "Someone 2001, Table 0", "dev", (("accuracy", 58.0),)),
    )
    return plan_of({"plan.toml": PLAN})


@pytest.fixture
def runs(plan: Plan, tmp_path: Path) -> Leaderboard:
    rows: dict[tuple[str, int | None], list[Decision]] = {
        ("good", seed): right_on(*range(7 + seed)) for seed in (0, 1, 2)
    }
    return board(tmp_path, {**rows, ("bad", None): right_on(0, 1)})


def test_our_rows_stand_before_the_papers(plan: Plan, runs: Leaderboard) -> None:
    grid = paper_table(plan.table[0], plan, runs)
    assert grid.columns == ("system", "from", "parameters", "CPU ms", "A", "gained")
    good, bad, never, *papers = grid.rows
    assert good[:4] == ("Good one", "here, 3 seeds", "1.5 M", "2.5")
    assert str(good[4]).startswith("80.0 ± 10.0 (")
    assert str(good[5]).startswith("+60.0 (")
    assert bad[:2] == ("bad", "here")
    assert str(bad[4]).startswith("20.0 (")
    assert bad[5] is None  # it is the plain one
    assert never == ("Never run", "here", None, None, "not run", None)
    assert papers == [
        ("Old", "paper", None, None, "61.0", "+3"),
        ("Older", "paper", None, None, "60.5", None),
        ("Other", "Someone 2001, Table 2", None, None, "70.0", None),
    ]
    assert grid.marked == {(0, 4)}  # the best, by its mean
    assert "paper: odd." not in map(str, grid.notes)
    assert "Older: odd." in map(str, grid.notes)


def test_a_paper_can_be_the_best(plan: Plan, tmp_path: Path) -> None:
    found = board(tmp_path, {("bad", 1): right_on(0)})
    grid = paper_table(plan.table[0], plan, found)
    assert grid.marked == {(5, 4)}
    assert grid.rows[1][1] == "here, 1 seed"


def test_another_split_is_told(plan: Plan, runs: Leaderboard) -> None:
    sheet = replace(plan.table[0], source="Someone 2001, Table 2", also=())
    notes = paper_table(sheet, plan, runs).notes
    assert "tiny: the paper's figures are on test, ours on dev." in map(str, notes)


def test_bars_of_a_group_are_of_one_system(plan: Plan, runs: Leaderboard) -> None:
    grid = requirements_table(plan, runs)
    first, second = grid.rows
    assert first[:4] == ("first bar", "61.0", "at least 75", "")
    assert first[-2:] == ("Good one", "met")
    assert second[2] == "10 to 60"
    assert second[-2:] == ("Good one", "missed by 20.0")  # though "bad" would meet it
    assert grid.notes == text_notes(
        "1 of 2 met; 0 not run.", "Systems that were not run yet: Never run."
    )
    noted = replace(plan, bar=(replace(plan.bar[0], note="a caution."),))
    assert requirements_table(noted, runs).notes[-1].text == "first bar: a caution."
    each = requirements_by_system(plan, runs)
    assert [(row[0], row[-1]) for row in each.rows] == [("Good one", "1 of 2"), ("bad", "1 of 2")]
    assert each.marked == {(0, 1), (1, 2)}


def test_a_narrow_miss_is_not_called_met(plan: Plan, runs: Leaderboard) -> None:
    near = replace(plan.bar[0], least=80.001)
    (row,) = requirements_table(replace(plan, bar=(near,)), runs).rows
    assert row[-1] == "missed by 0.01"


def test_without_runs_all_is_not_run(plan: Plan) -> None:
    empty = Leaderboard(())
    assert [row[-1] for row in requirements_table(plan, empty).rows] == ["not run", "not run"]
    text = page(plan, empty, (), "# Results\n")
    assert "Whether this holds here is not known: not run." in text
    assert "0 of 2 met; 2 not run." in text
    assert "| Never run | never |" in text


@pytest.mark.parametrize(
    ("good", "bad", "sentence"),
    [
        (range(9), range(2), "The claim holds here: every difference and its interval are above 0."),
        (range(3), range(2), "The claim does not hold here: no difference has an interval above 0."),
        (
            range(2),
            range(9),
            "The claim does not hold here: no difference has an interval above 0."
            " Below 0, interval and all: tiny dev accuracy.",
        ),
    ],
)  # fmt: skip
def test_whether_a_claim_holds(
    good: range, bad: range, sentence: str, plan: Plan, tmp_path: Path
) -> None:
    found = board(tmp_path, {("good", 1): right_on(*good), ("bad", 1): right_on(*bad)})
    told = (sentence, "Of one seed: Good one and bad.")
    assert ablation_table(plan.ablation[0], plan, found).notes == text_notes(*told)
    both: dict[tuple[str, int | None], list[Decision]] = {
        (name, seed): right_on(*rows)
        for name, rows in (("good", good), ("bad", bad))
        for seed in (1, 2)
    }
    (tmp_path / "two").mkdir()
    more = board(tmp_path / "two", both)
    assert ablation_table(plan.ablation[0], plan, more).notes == text_notes(sentence)


def test_on_which_side_of_nothing_a_difference_ends_is_seen() -> None:
    near = Summary(0.8, 0.3, Interval(0.011, 1.52), 3)
    assert format_summary(near, "accuracy", signed=True) == "+0.8 ± 0.3 (0.01 to 1.52)"
    assert format_summary(near, "accuracy") == "0.8 ± 0.3 (0.0 to 1.5)"
    below = Summary(0.7, 0.3, Interval(-0.033, 1.52), 3)
    assert format_summary(below, "accuracy", signed=True) == "+0.7 ± 0.3 (-0.03 to 1.52)"


def test_a_claim_can_hold_in_part(tiny: ModuleType, plan: Plan, tmp_path: Path) -> None:
    """On dev one system is better, on test they are alike; of the third nothing is known."""
    for system, dev in (("good", range(9)), ("bad", range(2))):
        write_run(
            tmp_path / f"{system}.json.xz",
            RunMetadata(system, "fake"),
            {TASK: right_on(*dev), "tiny:test": right_on(1)},
        )
    found = replace(
        plan.ablation[0],
        figures=("tiny:dev accuracy", "tiny:test accuracy", "pdp:test accuracy"),
    )
    (note,) = ablation_table(found, plan, read_leaderboard([tmp_path], 500)).notes
    assert note.text == (
        "The claim holds here in part: above 0, interval and all, on tiny dev accuracy."
        " Not told apart from 0: tiny test accuracy. 1 of 3 figures not run."
    )


def test_the_page_has_every_part_and_is_the_same_each_time(plan: Plan, runs: Leaderboard) -> None:
    text = page(plan, runs, (), "# Results\n\nMine.\n")
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# Results", "## What was required", "### Required and reached",
        "### The same for each system: means over seeds", "## Someone", "### Someone's Table 1",
        "## Ablations", "### It helps", "## Systems", "### Ours",
    ]  # fmt: skip
    assert "500 resamples of items, seed 1" in text
    assert "- Signature of good, seed 2: `fake|good`" in text
    assert "| bad       | bad   | fake     | a recipe | none  |" in text
    assert page(plan, Leaderboard(runs.runs, resamples=500), (), "# Results\n\nMine.\n") == text


def test_a_run_is_not_counted_twice(plan: Plan, runs: Leaderboard) -> None:
    with pytest.raises(InvalidValue, match=r"good, seed 0, tiny:dev:given is in .* already"):
        Leaderboard((*runs.runs, runs.runs[0]))


def test_tasks_of_a_seed_may_lie_in_two_files(tiny: ModuleType, tmp_path: Path) -> None:
    write_run(tmp_path / "a.json.xz", RunMetadata("good", "fake", 1), {TASK: right_on(1)})
    write_run(tmp_path / "b.json.xz", RunMetadata("good", "fake", 1), {"tiny:test": right_on(1, 2)})
    found = read_leaderboard([tmp_path], 100)
    values = [found.figure("good", column(f"tiny:{split} accuracy")) for split in ("dev", "test")]
    assert [each.value for each in values if each] == pytest.approx([10, 20])
    assert len(found.metadata("good")) == 1
    assert read_run(tmp_path / "a.json.xz") == found.runs[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[tabel]]\n", r"p.toml: expected \[\[system\]\].* found \[\[tabel\]\]"),
        ("[[system]]\nnam = 'x'\n", "unknown setting 'nam'; did you mean name"),
        ("[[system]]\ntitle = 'x'\n", "expected name, title, plain, found only title"),
        ("[[table]]\ntitle='t'\nsection='s'\nsystems=['x']\n", "expected a .* 'x', found only"),
        ("[[bar]]\ntitle='t'\nfigure='gap:test:found'\n", "expected a figure such as"),
        ("system = 3\n", "expected tables .*, found 3"),
    ],
)
def test_a_wrong_plan_is_an_error(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_of({"p.toml": text})


def test_unknown_names_are_errors(plan: Plan, runs: Leaderboard) -> None:
    with pytest.raises(UnknownName, match=r"unknown figure of tiny:dev:given 'f1'.*accuracy"):
        runs.figure("good", column("tiny:dev f1"))
    sheet = replace(plan.table[0], also=("Someone 2001, Table 2: Nobody",))
    with pytest.raises(InputError, match="expected a published row Someone 2001, Table 2: Nobody"):
        paper_table(sheet, plan, runs)


def test_consistency_needs_switched_copies(runs: Leaderboard) -> None:
    assert runs.figure("good", column("tiny:dev consistency")) is None


def test_heads_are_written_read_and_shown() -> None:
    fit = FittedHeads(((40.0, 50.5), (60.2, 30.0), (1.0, 2.0)), (1, 0), ((1, 0),), (0.1, 0.9))
    heads = [HeadScores("an-encoder", "gap:validation", {"found": fit, "given": fit})]
    assert read_heads(heads_json(heads), "h") == heads
    ours, papers = head_tables(heads, "Table 8")
    assert ours.title == "Table 8: an-encoder, gap:validation"
    assert ours.columns == ("head", "L0", "L1", "L2")
    assert ours.rows == (("H0", "40.0", "60.2", "1.0"), ("H1", "50.5", "30.0", "2.0"))
    assert ours.marked == {(0, 2)}
    assert ours.notes[1].text == (
        "Names given: attention-single takes L1H0 (60.2), attention-multi L1H0."
    )
    assert papers.marked == {(7, 4)}  # L3H7, as the paper says
    with pytest.raises(InputError, match="expected the heads of encoders"):
        read_heads('[{"encoder": "x"}]', "h")

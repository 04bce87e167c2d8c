"""Weights by a conditional logit, decisions from them, and the resolver of a folder."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import training_samples as samples
from coindex import resolvers
from coindex.cli import cli
from coindex.errors import InputError
from coindex.models.common.artifact import METADATA, write_json
from coindex.models.pronoun.ensemble import (
    MemberWeights,
    choose_candidate,
    cross_validated,
    equal_weights,
    fit_weights,
    member_features,
    parse_weights,
    vetoed_candidates,
)
from coindex.models.pronoun.query import NO_SCORE
from coindex.models.pronoun.train import fit_ensemble
from coindex.types.decision import Decision
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars


def problem(answer: tuple[int, ...], number: int = 0, count: int = 2) -> Problem:
    names = tuple(Candidate(f"n{at}") for at in range(count))
    return Problem(f"p{number}", "She slept.", Chars(0, 3), names, answer)


def substitution(encoder: Path, folder: Path, seed: int) -> str:
    """A member, not trained."""
    from coindex.models.pronoun import substitution as substituted
    from coindex.models.pronoun import weights

    folder.mkdir(parents=True)
    made = substituted.new_substitution(str(encoder), 0, seed)
    weights.save_model(folder, made, {"kind": "substitution", "recipe": {"window": 64}})
    return f'resolver = "substitution"\nmodel = "{folder}"'


def ensemble(out: Path, problems: Path, members: list[str], more: str = "") -> Result:
    """The command, on these members; the folder is `e`."""
    tables = "".join(f"[[member]]\n{member}\n" for member in members)
    recipe = f'kind = "ensemble"\n{more}\n{tables}[[dev]]\nfiles = ["{problems}"]\n'
    (out / "e.toml").write_text(recipe, encoding="utf-8")
    command = ["train", "pronoun", "--recipe", str(out / "e.toml"), "--json"]
    return CliRunner().invoke(cli, [*command, "-o", str(out / "e")])


def test_features_by_hand() -> None:
    told = [Decision("p0", (1,)), Decision("p0", (0,), (math.log(3.0), 0.0)), Decision("p0")]
    found = member_features(problem((0,)), told)
    assert found[:, :3].tolist() == [[0, 1, 0], [1, 0, 0]]
    assert found[:, 3].tolist() == [0, 0]
    assert found[:, 4] == pytest.approx(np.log([0.75, 0.25]))


def test_the_weight_of_one_member_by_hand() -> None:
    """Right in 3 of 4: the optimum has 4 (3/4 - p) = v, p = 1 / (1 + exp -v)."""
    problems = [problem((0,), n) for n in range(4)]
    told = [[Decision(f"p{n}", (0 if n else 1,))] for n in range(4)]
    made = fit_weights(problems, told)
    v, w = made.values
    assert 4 * (0.75 - 1 / (1 + math.exp(-v))) == pytest.approx(v, abs=1e-4)
    assert w == 0.0
    assert made.neither is None


def test_a_good_member_outweighs_two_bad_ones() -> None:
    rng = np.random.default_rng(1)
    problems = [problem((int(rng.integers(2)),), n) for n in range(60)]
    told = []
    for n, each in enumerate(problems):
        right = each.answer[0]  # type: ignore[index]
        picks = [right, *rng.integers(2, size=2).tolist()]
        told.append([Decision(f"p{n}", (pick,)) for pick in picks])
    made = fit_weights(problems, told)
    assert made.values[0] > 3 * max(map(abs, made.values[1:3]))
    assert all(
        choose_candidate(p, t, made).chosen == p.answer for p, t in zip(problems, told, strict=True)
    )
    assert [d.chosen for d in cross_validated(problems, told)] == [p.answer for p in problems]


def test_neither_is_a_choice_of_its_own() -> None:
    """Where no member is sure, nothing is right."""
    problems = [problem((0,) if n % 2 else (), n) for n in range(20)]
    told = [[Decision(f"p{n}", (0,) if n % 2 else ())] for n in range(20)]
    made = fit_weights(problems, told, neither=True)
    assert made.neither is not None
    assert made.neither > 0
    for each, one in zip(problems, told, strict=True):
        assert choose_candidate(each, one, made).chosen == each.answer


def test_more_candidates_and_nobody_who_says_a_word() -> None:
    made = MemberWeights((1.0, 0.0))
    three = problem((2,), 0, 3)
    assert choose_candidate(three, [Decision("p0", (2,))], made).chosen == (2,)
    assert choose_candidate(three, [Decision("p0")], made).chosen == ()
    mixed = fit_weights([three, problem((1,), 1)], [[Decision("p0", (2,))], [Decision("p1", (1,))]])
    assert mixed.values[0] > 0


def test_none_of_them_where_all_members_take_somebody_else() -> None:
    """Scores tell which candidate a member would sooner take, not that it takes one."""
    told = [Decision("p0", (), (2.0, 1.0)), Decision("p0", ())]
    weights = MemberWeights((1.0, 2.0, 1.0, 0.0))
    assert choose_candidate(problem((0,)), told, weights).chosen == ()
    one = [told[0], Decision("p0", (1,))]
    assert choose_candidate(problem((0,)), one, weights).chosen == (1,)
    learned = MemberWeights(weights.values, -5.0)
    assert choose_candidate(problem((0,)), told, learned).chosen == (0,)
    assert choose_candidate(problem((0,)), [Decision("p0")] * 2, learned).chosen == ()


def test_a_candidate_without_a_phrase_is_the_least_likely() -> None:
    (first, second, third) = member_features(
        problem((0,), 0, 3), [Decision("p0", (0,), (0.0, 0.0, NO_SCORE))]
    )
    assert first[1] == second[1] == pytest.approx(math.log(0.5))
    assert third[1] == pytest.approx(math.log(1e-4))


def test_what_cannot_be() -> None:
    with pytest.raises(InputError, match="found none"):
        fit_weights([problem(())], [[Decision("p0", (0,))]])
    with pytest.raises(InputError, match="expected 4 weights of 2 members"):
        parse_weights({"values": [1.0]}, 2, "x")
    made = MemberWeights((1.0, 2.0), 0.5)
    assert parse_weights({"values": [1.0, 2.0], "neither": 0.5}, 1, "x") == made


def test_members_that_count_alike() -> None:
    told = [
        Decision("p0", (0,), (2.0, 0.0)), Decision("p0", (0,), (1.0, 0.0)),
        Decision("p0", (1,), (0.0, 4.0)),
    ]  # fmt: skip
    assert choose_candidate(problem((1,)), told, equal_weights(3)).chosen == (
        1,
    )  # surer than both others
    assert choose_candidate(problem((1,)), told[:2], equal_weights(2)).chosen == (0,)
    scores = choose_candidate(problem((1,)), told, equal_weights(3)).scores
    assert scores is not None
    assert scores[1] - scores[0] == pytest.approx(4.0 - 2.0 - 1.0)


def test_members_that_count_alike_need_scores(problems: Path, tiny: Path, tmp_path: Path) -> None:
    every = [substitution(tiny, tmp_path / f"s{seed}", seed) for seed in (1, 2)]
    done = ensemble(tmp_path, problems, every, "equal = true")
    assert done.exit_code == 0, (done.output, done.exception)
    found = json.loads(done.stdout)
    assert found["weights"]["given"]["values"] == [0.0, 0.0, 1.0, 1.0]
    assert "ensemble (equal)" in found["dev"]["given"]
    card = (tmp_path / "e" / "README.md").read_text(encoding="utf-8")
    assert "with equal weights, scored on" in card
    refused = ensemble(tmp_path, problems, [every[0], 'resolver = "first"'], "equal = true")
    assert refused.exit_code != 0
    assert (
        "member first: expected scores, found a choice alone"
        in f"{refused.output}{refused.exception}"
    )
    silent = [
        Decision("p0"),
        Decision("p1", (0,), (1.0, 0.0)),
    ]  # p0: no phrase that was found is one
    fit_ensemble._check_scores("substitution", silent)


def test_a_veto_bars_what_the_others_hold_likely() -> None:
    told = [Decision("p0", (0,), (5.0, 0.0, 1.0))]
    no = Decision("p0", (), (-9.0, 0.0, 0.0))
    assert choose_candidate(problem((1,), count=3), told, equal_weights(1), [no]).chosen == (2,)
    assert choose_candidate(
        problem((1,), count=3), told, equal_weights(1), [Decision("p0")]
    ).chosen == (0,)
    other = Decision("p0", (), (0.0, -9.0, -9.0))  # together they bar all: then none
    assert vetoed_candidates([no, other], 3) == []
    assert choose_candidate(problem((1,), count=3), told, equal_weights(1), [no, other]).chosen == (
        0,
    )
    alike = [Decision("p0", (), (0.0, 0.0, 0.0))]
    assert choose_candidate(problem((1,), count=3), told, equal_weights(1), alike).chosen == (0,)


def test_vetoes_hold_in_every_fold() -> None:
    problems = [problem((1,), n) for n in range(20)]
    told = [[Decision(f"p{n}", (0,), (1.0, 0.0))] for n in range(20)]
    no = [[Decision(f"p{n}", (), (-1.0, 0.0))] for n in range(20)]
    assert {d.chosen for d in cross_validated(problems, told, no)} == {(1,)}


@pytest.mark.parametrize("more", ["", "equal = true"])
def test_a_veto_in_a_recipe(more: str, problems: Path, tiny: Path, tmp_path: Path) -> None:
    voter = substitution(tiny, tmp_path / "s", 1)
    veto = f"{substitution(tiny, tmp_path / 'v', 2)}\nveto = true"
    done = ensemble(tmp_path, problems, [veto, voter], more)
    assert done.exit_code == 0, (done.output, done.exception)
    assert len(json.loads(done.stdout)["weights"]["given"]["values"]) == 2
    assert "substitution v (veto), substitution s, " in (tmp_path / "e" / "README.md").read_text()
    model = resolvers.ResolverSettings(model=str(tmp_path / "e"))
    items = [samples.problem(n) for n in range(70)]
    found = list(resolvers.decider("ensemble", model).decide(items))
    alone = resolvers.ResolverSettings(model=str(tmp_path / "v"))
    assert [
        d.chosen for d in found
    ] == [  # of two candidates one is barred, whatever the voter says
        d.chosen for d in resolvers.decider("substitution", alone).decide(items)
    ]


def test_vetoes_need_scores_and_somebody_to_vote(
    problems: Path, tiny: Path, tmp_path: Path
) -> None:
    voter = substitution(tiny, tmp_path / "s", 1)
    silent = ensemble(tmp_path, problems, [voter, 'resolver = "first"\nveto = true'])
    assert "member first: expected scores" in f"{silent.output}{silent.exception}"
    none = ensemble(tmp_path, problems, ['resolver = "binding"\nveto = true'] * 2)
    assert "needs a [[member]] that is no veto" in f"{none.output}{none.exception}"


@pytest.mark.parametrize(
    ("member", "told"),
    [('resolver = "frist"', "unknown resolver 'frist'"),
     ('resolver = "substitution"\nmodel = "nowhere"', "nowhere: expected a pronoun model")],
)  # fmt: skip
def test_what_a_member_lacks_is_told_before_another_works(
    member: str, told: str, problems: Path, tmp_path: Path
) -> None:
    done = ensemble(tmp_path, problems, ['resolver = "first"', member])
    assert done.exit_code != 0
    assert told in f"{done.output}{done.exception}"
    assert "first on" not in done.output


def test_the_command_and_the_resolver(problems: Path, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        'kind = "ensemble"\n[[member]]\nresolver = "first"\n[[member]]\nresolver = "last"\n'
        f'[[dev]]\nfiles = ["{problems}"]\n', encoding="utf-8",
    )  # fmt: skip
    done = CliRunner().invoke(
        cli, ["train", "pronoun", "--recipe", str(tmp_path / "e.toml"), "-o", str(tmp_path / "e"),
              "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    found = json.loads(done.stdout)
    assert set(found["dev"]["given"]) == {"ensemble (crossed)", "first", "last"}
    settings = resolvers.ResolverSettings(model=str(tmp_path / "e"))
    resolver = resolvers.load("ensemble", settings)
    assert isinstance(resolver, resolvers.Decider)
    items = [samples.problem(n) for n in range(70)]
    decisions = list(resolver.decide(items))
    assert [d.id for d in decisions] == [p.id for p in items]
    assert resolver.signature.startswith("ensemble|candidates:given|members:first+last|model:")
    with pytest.raises(InputError, match="weighed for given candidates, expected found"):
        resolvers.load("ensemble", resolvers.ResolverSettings("found", model=str(tmp_path / "e")))
    with pytest.raises(InputError, match="no model is shipped"):
        resolvers.load("ensemble")


def test_members_that_are_clusters_and_several_of_a_kind(
    problems: Path, trained: Path, tiny: Path, tmp_path: Path
) -> None:
    members = ['resolver = "neural"', f'resolver = "neural"\nmodel = "{trained}"']
    for seed in (1, 2, 3):
        members.append(substitution(tiny, tmp_path / f"recipe-{seed}" / "seed-1", seed))
    done = ensemble(tmp_path, problems, members)
    assert done.exit_code == 0, (done.output, done.exception)
    found = json.loads(done.stdout)
    assert len(found["dev"]["given"]) == 1 + len(members)  # seeds do not hide each other
    values = found["weights"]["given"]["values"]
    assert (len(values), values[5:7]) == (10, [0.0, 0.0])  # clusters tell no scores
    assert all(values[7:])

    settings = resolvers.ResolverSettings(model=str(tmp_path / "e"))
    resolver = resolvers.decider("ensemble", settings)
    items = [samples.problem(number) for number in range(4)]
    told = [
        list(resolvers.decider(name, resolvers.ResolverSettings(model=model)).decide(items))
        for name, model in [("neural", None), ("neural", str(trained))]
    ]
    told += [
        list(
            resolvers.decider("substitution", resolvers.ResolverSettings(model=str(path))).decide(
                items
            )
        )
        for path in sorted(tmp_path.glob("recipe-*/seed-1"))
    ]
    combined = parse_weights(found["weights"]["given"], 5, "x")
    expected = [
        choose_candidate(each, list(row), combined)
        for each, row in zip(items, zip(*told, strict=True), strict=True)
    ]
    assert list(resolver.decide(items)) == expected


def test_the_signature_tells_of_members_that_change(problems: Path, tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    row = {"resolver": "first", "model": ""}
    for values, folder, members in (
        ([1.0, 0.0], inner, [row]),
        ([1.0, 0.0], outer, [{"resolver": "ensemble", "model": str(inner)}]),
    ):
        facts = {"kind": "ensemble", "members": members, "weights": {"given": {"values": values}}}
        write_json(folder / METADATA, facts)
    settings = resolvers.ResolverSettings(model=str(outer))
    before = resolvers.load("ensemble", settings).signature
    assert resolvers.load("ensemble", settings).signature == before
    facts = {"kind": "ensemble", "members": [row], "weights": {"given": {"values": [2.0, 0.0]}}}
    write_json(inner / METADATA, facts)
    assert resolvers.load("ensemble", settings).signature != before

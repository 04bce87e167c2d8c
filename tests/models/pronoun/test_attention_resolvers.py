"""From the recipe to the two resolvers, with a tiny encoder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'coindex[train]'")

import training_samples as samples
from coindex import resolvers
from coindex.cli import cli
from coindex.errors import InputError
from coindex.types.problem import Candidate, Problem
from coindex.types.span import Chars

NAMES = ("attention-single", "attention-multi")


@pytest.fixture(scope="module")
def folder(tiny: Path, problems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Heads fitted by the command, for given candidates."""
    out = tmp_path_factory.mktemp("fitted")
    done = CliRunner().invoke(
        cli,
        ["train", "pronoun", "--recipe", "attention", "--encoder", str(tiny), "-o", str(out),
         "--set", f"stage.1.files={problems}", "--device", "cpu", "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, (done.output, done.exception)
    found = json.loads(done.stdout)
    assert {len(row) for row in found["fits"]["given"]["table"]} == {2}
    assert "F1 of each head, given candidates" in done.stderr
    assert "single: L" in done.stderr
    return out


@pytest.mark.parametrize("name", NAMES)
def test_one_decision_for_each_in_order(folder: Path, name: str) -> None:
    settings = resolvers.ResolverSettings(model=str(folder))
    resolver = resolvers.load(name, settings)
    assert isinstance(resolver, resolvers.Decider)
    items = [samples.problem(n) for n in range(8)]
    items.append(Problem("blank", "   ", Chars(0, 2), (Candidate("Ann"),)))
    items.append(Problem("no", "It slept.", Chars(0, 2), (Candidate("Ann"), Candidate("Bob"))))
    found = list(resolver.decide(items))
    assert [each.id for each in found] == [each.id for each in items]
    assert {len(each.chosen) for each in found} == {1}
    assert list(resolver.decide(reversed(items))) == found[::-1]
    assert resolver.signature.startswith(f"{name}|candidates:given|model:")
    assert name in set(resolvers.available(settings))


def test_the_single_head_is_what_the_table_says(folder: Path, problems: Path) -> None:
    from coindex import benchmarks, formats
    from coindex.types.decision import match_decisions

    items = [item for item in formats.read(problems) if isinstance(item, Problem)]
    facts = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    layer, head = facts["fits"]["given"]["single"]
    resolver = resolvers.load("attention-single", resolvers.ResolverSettings(model=str(folder)))
    assert isinstance(resolver, resolvers.Decider)
    right = benchmarks.load("dpr").score(match_decisions(items, resolver.decide(items)))[0].value
    assert facts["fits"]["given"]["table"][layer][head] == pytest.approx(right, abs=0.01)
    assert (folder / "heads.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_lacking_is_said(
    folder: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert name not in set(resolvers.available())
    with pytest.raises(InputError, match="no model is shipped"):
        resolvers.load(name)
    with pytest.raises(InputError, match=r"with model\.json, found none"):
        resolvers.load(name, resolvers.ResolverSettings(model=str(tmp_path)))
    (tmp_path / "model.json").write_text('{"kind": "ensemble"}', encoding="utf-8")
    with pytest.raises(InputError, match="of the kind attention, found ensemble"):
        resolvers.load(name, resolvers.ResolverSettings(model=str(tmp_path)))
    monkeypatch.setattr("coindex.models.pronoun.artifact.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install .*\[train\]'"):
        resolvers.load(name, resolvers.ResolverSettings(model=str(folder)))


def test_a_way_that_was_not_fitted(folder: Path, tmp_path: Path) -> None:
    facts = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    facts["fits"] = {}
    (tmp_path / "model.json").write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(InputError, match="fitted for no candidates, expected given"):
        resolvers.load("attention-single", resolvers.ResolverSettings(model=str(tmp_path)))

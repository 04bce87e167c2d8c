"""`python -m research.models.score_range`: the corpora, the genres, and what is held out."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from research.models import score_range as script

import coindex
from coindex.errors import InputError
from coindex.models.coref.recipe import parse_recipe
from coindex.models.coref.train.corpora import is_without
from probe_samples import resolved

TEXT = "Ann saw Bo. She left, and he sang."
CORPORA = {
    "meantime": ["one", "two"], "email:train": ["mail"], "craft:dev": ["article"],
    "ontogum:dev": [f"GUM_{genre}_x" for genre in (*script.GENRES, "voyage")],
    "ontogum:test": [f"GUM_{genre}_y" for genre in script.GENRES],
}  # fmt: skip


def document(id: str) -> coindex.Document:
    gold = resolved(TEXT, ["Ann", "She"], ["Bo", "he"], ["sang"])
    return replace(gold, id=id)


@dataclass
class Fake:
    """Answers with what it is given; under `ontogum` without the second entity."""

    scheme: str | None

    @property
    def signature(self) -> str:
        return f"fake|scheme:{self.scheme}"

    def resolve(self, documents: list[coindex.Document]) -> list[coindex.Document]:
        kept = 1 if self.scheme == "ontogum" else 2
        return [replace(d, entities=d.entities[:kept]) for d in documents]


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Fake corpora and models; `bare` knows no scheme of OntoGUM."""
    schemes: list[str | None] = []

    def load(model: str | None, scheme: str | None = None) -> Fake:
        if model == "bare" and scheme == "ontogum":
            raise InputError("unknown scheme")
        schemes.append(scheme)
        return Fake(scheme)

    monkeypatch.setattr(coindex, "load", load)
    monkeypatch.setattr(
        script, "read", lambda *names: [document(id) for name in names for id in CORPORA[name]]
    )
    return schemes


@pytest.mark.usefixtures("loaded")
def test_a_model_is_scored_without_singletons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "range.json"
    assert script.main(["default", "--json", str(path)]) == 0
    found = json.loads(path.read_text())
    assert list(found["corpora"]) == ["meantime", "mails", "craft"]
    assert found["corpora"]["meantime"] == {
        "documents": 2, "words": 22, "mention_recall": 100, "mention_precision": 100,
        "conll": 100,
    }  # fmt: skip
    assert found["out of domain"] == 100, "the key's singleton does not count"
    assert list(found["genres"]) == list(script.GENRES)
    assert {row["documents"] for row in found["genres"].values()} == {2}
    assert found["genres"]["court"]["mention_recall"] == 50
    assert 0 < found["held-out genres"] < 100
    text = capsys.readouterr().out
    assert "mean, out of domain" in text
    assert "100.00" in text
    assert text.splitlines()[0] == "fake|scheme:None"


@pytest.mark.parametrize(
    ("model", "schemes"), [("default", ["gum", "ontogum"]), ("bare", ["gum", "gum"])]
)
def test_genres_have_the_scheme_of_ontogum_where_it_is_known(
    loaded: list[str | None], model: str, schemes: list[str]
) -> None:
    script.measure(model, "gum")
    assert loaded == schemes


@pytest.mark.usefixtures("loaded")
def test_all_genres_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    script.main(["default", "--all-genres"])
    rows = capsys.readouterr().out.splitlines()
    assert [row for row in rows if row.startswith("voyage (trained on)")]
    assert not [row for row in rows if row.startswith("court (trained on)")]


def test_what_is_scored_is_left_out_of_training() -> None:
    for origin in ("meantime/a/1", "email/x", "craft/1", "gum/GUM_court_x part 0",
                   "ontogum/GUM_news_y", "names/GUM_whow_z"):  # fmt: skip
        assert is_without(origin, script.WITHOUT), origin
    assert not is_without("gum/GUM_voyage_court part 0", script.WITHOUT)
    line = script.recipe_without()
    values = {"encoder": "x", "train": [{"files": ["y"]}], "without": list(script.WITHOUT)}
    assert parse_recipe(values).without == script.WITHOUT
    assert line == f"without = {json.dumps(values['without'])}"

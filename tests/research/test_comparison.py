"""The comparison page: made from the stored figures, and current."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from research.comparison import page

from coindex.models.common.recipe import parse_toml

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_that_of_the_stored_figures() -> None:
    done = subprocess.run([sys.executable, str(ROOT / "scripts" / "comparison"), "--check"])
    assert done.returncode == 0, "run scripts/comparison --page"


def test_every_figure_says_where_it_is_from() -> None:
    text = page.page()
    rows = [line for line in text.splitlines() if line.startswith("| **coindex**")]
    assert len(rows) == 2
    assert all("| measured here, 0." in row for row in rows)
    assert all("| measured elsewhere |" in line for line in text.splitlines() if line.startswith("| neuralcoref"))  # fmt: skip
    peers = parse_toml((page.HERE / "peers.toml").read_text("utf-8"), "peers.toml")
    assert all(row["source"] and row["state"] for row in peers["published"])
    assert {"CoreNLP, neural", "CoreNLP, rules"} <= {row["name"] for row in peers["published"]}


@pytest.fixture
def measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((page.HERE / "measured.json").read_text("utf-8"))
    return found


def test_what_was_not_run_again_is_marked(measured: dict[str, Any]) -> None:
    for name, row in measured.items():
        shown = page._own_row(name, {key: value for key, value in row.items() if key != "gap"})
        assert shown[4].endswith(" °")
        gap = json.loads(page.CARDS[name].read_text("utf-8"))["gap"]
        assert not page._own_row(name, {**row, "gap": gap})[4].endswith("°")


def test_what_was_run_again_equals_the_card(measured: dict[str, Any]) -> None:
    """The weights are those of the cards, and so are their scores."""
    for name, row in measured.items():
        card = json.loads(page.CARDS[name].read_text("utf-8"))
        for corpus, figures in row.get("scores", {}).items():
            assert figures["conll"] == pytest.approx(card[corpus]["conll"], abs=0.1)


def test_the_same_texts_for_all(measured: dict[str, Any]) -> None:
    lines = (page.HERE / "texts.txt").read_text("utf-8").splitlines()
    asked = {line for line in lines if line and line[0] != "#"}
    assert all(set(row["texts"]) == asked for row in measured.values())

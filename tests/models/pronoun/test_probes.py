"""The language model's head: what it fills gaps with, and how sure it is of held-out text.

The weights are too big for the repository. What they gave is kept beside the plan of the
models and looked at here; where a folder of models is at hand (`COINDEX_MODELS`, with a folder
`lm-head`), the head itself is asked again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")

from coindex.models.pronoun.masked_lm import probe_list

KEPT = Path(__file__).parents[3] / "research" / "models" / "pronoun" / "lm-head.json"


def test_probes_make_sense_and_perplexity_is_told() -> None:
    facts = json.loads(KEPT.read_text(encoding="utf-8"))
    told = {each["text"]: each["fills"] for each in facts["probes"]}
    wanted = probe_list()
    assert len(wanted) == 10
    for text, sense in wanted:
        assert not set(sense).isdisjoint(told[text]), text
    (stage,) = facts["stages"]
    assert 1 < stage["perplexity"] < 10
    assert (
        f"{facts['recipe']['stage'][0]['most']:,} stretches" in facts["left out"][stage["stage"]][0]
    )
    assert any("with text of gap" in each for each in facts["left out"][stage["stage"]][1:])


def test_the_head_itself() -> None:
    folder = Path(os.environ.get("COINDEX_MODELS", "")) / "lm-head"
    if not (folder / "weights.pt").is_file():
        pytest.skip("no folder lm-head in COINDEX_MODELS")
    from coindex.models.pronoun.masked_lm import probes
    from coindex.models.pronoun.weights import load_model

    assert all(each["sense"] for each in probes(load_model(folder, "masked-lm")))  # type: ignore[arg-type]

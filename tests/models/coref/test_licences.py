"""The licences of training data: by corpus, with GUM's non-commercial texts counted."""

from __future__ import annotations

import pytest

from coindex.models.coref.recipe import SHIPPED, load_recipe
from coindex.models.coref.train.corpora import is_without
from coindex.models.coref.train.licences import (
    NON_COMMERCIAL,
    count_origins,
    licence_line,
    licences,
)


def test_licences_by_corpus() -> None:
    origins = ["gum/GUM_court_a part 0", "gum/GUM_whow_b part 0", "gum/GUM_essay_c",
               "litbank/1", "own/GUM_whow_b", "stories/1"]  # fmt: skip
    found = licences(count_origins(origins))
    assert found == {
        "gum": "CC-BY-4.0, of which 2 of 3 texts CC-BY-NC-SA", "litbank": "CC-BY-4.0",
    }  # fmt: skip
    assert licence_line(found).endswith("; litbank CC-BY-4.0")
    assert licences(count_origins([])) == {}


@pytest.mark.parametrize("name", ["base-open", "small-open"])
def test_open_recipes_are_without_restricted_texts(name: str) -> None:
    recipe, whole = load_recipe(name), load_recipe(name.removesuffix("-open"))
    for prefix in NON_COMMERCIAL:
        assert is_without(f"ontogum/{prefix}x part 0", recipe.without)
    assert not is_without("gum/GUM_bio_x part 0", recipe.without)
    used = {file.partition(":")[0] for corpus in recipe.train for file in corpus.files}
    assert used.isdisjoint({"fantasycoref", "knowref-train", "blocks", "wnli"})
    others = [corpus for corpus in whole.train if "fantasycoref:dev" not in corpus.files]
    assert list(recipe.train) == others
    assert recipe.dev == whole.dev
    assert (SHIPPED / f"{name}.toml").is_file()

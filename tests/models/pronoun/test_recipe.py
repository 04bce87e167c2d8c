"""Recipes: what is allowed, what is answered, and how settings are changed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from coindex.errors import InputError, UnknownName, UsageError
from coindex.models.common.recipe import shipped_recipes
from coindex.models.pronoun import recipe as recipe_overrides
from coindex.models.pronoun.recipe import Recipe, check_same_recipe, parse_recipe


def plain(**changes: Any) -> dict[str, Any]:
    stage = {"files": ["x"], "loss": "margin"}
    return {"kind": "masked-lm", "encoder": "e", "stage": [stage], **changes}


def test_a_recipe_and_back() -> None:
    made = parse_recipe(plain(seeds=[1, 2], dev=[{"files": "gap:validation"}]))
    assert made.dev[0].files == ("gap:validation",)
    assert (made.stage[0].alpha, made.stage[0].beta, made.stage[0].batch) == (10.0, 0.2, 64)
    assert parse_recipe(asdict(made)) == made


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "other"}, "expected kind attention, ensemble"),
        ({"encoder": ""}, "expected an encoder, or a start"),
        ({"start": "s"}, "expected an encoder, or a start"),
        ({"stage": []}, r"at least one \[\[stage\]\]"),
        ({"stage": [{}]}, "expected files, found none"),
        ({"stage": 3}, r"expected tables \[\[stage\]\]"),
        ({"stage": [{"files": ["x"], "loss": "choice"}]}, "the loss of masked-lm is text, margin"),
        ({"stage": [{"files": ["x"], "loss": "text", "switched": True}]}, "cannot be switched"),
        ({"stage": [{"files": ["x"], "epochs": 0}]}, "epochs must be at least 1"),
        ({"stage": [{"files": ["x"], "alpha": -1.0}]}, "alpha must be at least 0"),
        ({"stage": [{"files": ["x"], "masked": 1.0}]}, "masked must be at least 0 and below 1"),
        ({"stage": [{"files": ["x"], "rat": 1}]}, "did you mean rate"),
        ({"dev": [{"files": ["x"], "candidates": "all"}]}, "given or found"),
        ({"seeds": []}, "seeds must be"),
        ({"seeds": [1, 1]}, "seeds must be"),
        ({"keep": 13}, "keep must be"),
        ({"window": 3}, "window must be"),
        ({"neither": True}, "calibrated on dev"),
        (
            {
                "kind": "ensemble",
                "equal": True,
                "neither": True,
                "dev": [{"files": ["x"]}],
                "member": [{"resolver": "first"}, {"resolver": "last"}],
            },
            "cannot weigh neither",
        ),
        ({"equal": True}, "for the members of an ensemble"),
        ({"kind": "ensemble"}, r"two \[\[member\]\] tables"),
    ],
)
def test_what_cannot_be(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_recipe(plain(**changes))


def test_differences_are_named() -> None:
    made = parse_recipe(plain())
    check_same_recipe(asdict(made), made, "here")
    with pytest.raises(InputError, match=r"here of another recipe \(window, clip differ\)"):
        check_same_recipe(plain(seeds=[4], window=99, clip=2.0), made, "here")
    check_same_recipe(plain(seeds=[4]), made, "here")  # another seed has a folder of its own


@pytest.mark.parametrize("name", shipped_recipes(recipe_overrides.SHIPPED))
def test_shipped_recipes_are_sound(name: str) -> None:
    assert isinstance(recipe_overrides.load_recipe(name), Recipe)


def test_changes() -> None:
    made = recipe_overrides.load_recipe(
        "attention", ["seeds=[4]", "stage.1.files=here.jsonl", "stage.2.files=b"]
    )
    assert (made.seeds, [stage.files for stage in made.stage]) == ((4,), [("here.jsonl",), ("b",)])
    assert recipe_overrides.load_recipe("attention", encoder="mine").encoder == "mine"
    assert recipe_overrides.load_recipe("dpr", start="mine").start == "mine"
    with pytest.raises(InputError, match="heads are of an encoder, found a start"):
        recipe_overrides.load_recipe("attention", start="mine")
    with pytest.raises(UsageError, match="found both"):
        recipe_overrides.load_recipe("attention", (), "a", "b")
    with pytest.raises(UnknownName, match="attention"):
        recipe_overrides.load_recipe("attentoin")
    for wrong in ("seeds", "stage.x.files=a", "stage.9.files=a", "stage.1=a", "other.1.a=b"):
        with pytest.raises(UsageError):
            recipe_overrides.load_recipe("attention", [wrong])

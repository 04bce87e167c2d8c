"""Recipes: what is allowed, what is answered, and how settings are changed."""

from __future__ import annotations

from typing import Any

import pytest

from coindex.errors import InputError, UnknownName, UsageError
from coindex.pronoun import options
from coindex.pronoun.recipe import Recipe, difference, recipe


def plain(**changes: Any) -> dict[str, Any]:
    stage = {"files": ["x"], "loss": "margin"}
    return {"kind": "masked-lm", "encoder": "e", "stage": [stage], **changes}


def test_a_recipe_and_back() -> None:
    made = recipe(plain(seeds=[1, 2], dev=[{"files": "gap:validation"}]))
    assert made.dev[0].files == ("gap:validation",)
    assert (made.stage[0].alpha, made.stage[0].beta, made.stage[0].batch) == (10.0, 0.2, 64)
    assert recipe(made.json()) == made


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
        recipe(plain(**changes))


def test_differences_are_named() -> None:
    made = recipe(plain())
    difference(made.json(), made, "here")
    with pytest.raises(InputError, match=r"here of another recipe \(window, clip differ\)"):
        difference(plain(seeds=[4], window=99, clip=2.0), made, "here")
    difference(plain(seeds=[4]), made, "here")  # another seed has a folder of its own


@pytest.mark.parametrize("name", options.shipped())
def test_shipped_recipes_are_sound(name: str) -> None:
    assert isinstance(options.load(name), Recipe)


def test_changes() -> None:
    made = options.load("attention", ["seeds=[4]", "stage.1.files=here.jsonl", "stage.2.files=b"])
    assert (made.seeds, [stage.files for stage in made.stage]) == ((4,), [("here.jsonl",), ("b",)])
    assert options.load("attention", encoder="mine").encoder == "mine"
    assert options.load("dpr", start="mine").start == "mine"
    with pytest.raises(InputError, match="heads are of an encoder, found a start"):
        options.load("attention", start="mine")
    with pytest.raises(UsageError, match="found both"):
        options.load("attention", (), "a", "b")
    with pytest.raises(UnknownName, match="attention"):
        options.load("attentoin")
    for wrong in ("seeds", "stage.x.files=a", "stage.9.files=a", "stage.1=a", "other.1.a=b"):
        with pytest.raises(UsageError):
            options.load("attention", [wrong])

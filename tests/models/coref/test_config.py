"""Recipes: the shipped ones, changes from the command line, and every mistake by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coindex.errors import CoindexError, InputError, UnknownName, UsageError
from coindex.models.common.recipe import apply_override, parse_toml, shipped_recipes
from coindex.models.coref.recipe import (
    SHIPPED,
    TABLES,
    Corpus,
    Recipe,
    load_recipe,
    parse_recipe,
)

PLAIN: dict[str, Any] = {"encoder": "e", "train": [{"files": ["a"], "scheme": "s"}]}


@pytest.mark.parametrize("name", [n for n in shipped_recipes(SHIPPED) if n != "finetune"])
def test_shipped_recipes_are_right(name: str) -> None:
    made = load_recipe(name)
    assert len(made.all_schemes()) == (6 if name.endswith("-open") else 7)
    litbank = made.train[0]
    assert (litbank.every, litbank.but, made.dev[0].only) == (10, (3, 7), (7,))
    assert not any("test" in file for c in made.train for file in c.files if "fantasy" not in file)
    assert parse_recipe(made.as_json()) == made


def test_the_recipe_for_fine_tuning_starts_from_the_shipped_model() -> None:
    made = load_recipe("finetune")
    assert (made.encoder, made.start, made.train[0].scheme) == ("", "default", "mine")
    assert parse_recipe(made.as_json()) == made


def test_the_small_recipe_has_a_teacher_and_texts_to_be_named() -> None:
    made = load_recipe("small", ["teacher=runs/base", "train.9.files=texts"])
    assert made.teacher == "runs/base"
    assert made.train[8] == Corpus(("texts",), "ontogum", share=0.1, unlabelled=True)
    assert [c.files for c in made.train if c.unlabelled][1:] == [
        ("WIKIPEDIA",), ("FICTION",), ("FICTION",)]  # fmt: skip


def test_a_file_comes_before_a_shipped_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base").write_text('encoder = "mine"\n[[train]]\nfiles = "a"\n', encoding="utf-8")
    assert load_recipe("base").encoder == "mine"


def test_defaults_and_shorthands() -> None:
    text = 'encoder = "e"\nhead_rate = 1\n[[train]]\nfiles = "a"\nexcept = [0]\nevery = 2\n'
    made = parse_recipe(parse_toml(text, "r"), "r")
    assert made == Recipe("e", (Corpus(("a",), every=2, but=(0,)),), head_rate=1.0)
    assert isinstance(made.head_rate, float)
    assert made.all_schemes() == ("default",)


def test_problems_are_tried_under_all_schemes_unless_they_name_some() -> None:
    rows = [{"files": ["a"], "scheme": "x"}, {"files": ["b"], "scheme": "y"}]
    made = parse_recipe({"encoder": "e", "train": [*rows, {"files": ["p"], "partial": True}]})
    assert made.all_schemes() == ("x", "y")
    assert made.scheme_numbers(made.train[2]) == (0, 1)
    named = {"files": ["p"], "partial": True, "scheme": "y, x"}
    made = parse_recipe({"encoder": "e", "train": [*rows, named]})
    assert made.scheme_numbers(made.train[2]) == (1, 0)


def test_changes() -> None:
    values = ["epochs=3", "seed = 7", "teacher=a b/c=d", "schemes=['s', 't']", "dev.1.files=x",
              "dev.1.scheme=s", 'train.2={files=["u"], scheme="t"}', "train.1.share=0.5",
              "dropout=0"]  # fmt: skip
    path = Path(__file__).with_name("none.toml")
    with pytest.raises(InputError, match="no such file"):
        load_recipe(str(path), values)
    made = _changed(values)
    assert (made.epochs, made.seed, made.teacher, made.dropout) == (3, 7, "a b/c=d", 0.0)
    assert made.dev == (Corpus(("x",), "s"),)
    assert [c.files for c in made.train] == [("a",), ("u",)]
    assert made.train[0].share == 0.5


def _changed(changes: list[str]) -> Recipe:
    values: dict[str, Any] = {"encoder": "e", "train": [{"files": ["a"], "scheme": "s"}]}
    for change in changes:
        apply_override(values, change, TABLES)
    return parse_recipe(values)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("epochs", "expected a setting, KEY=VALUE, found 'epochs'"),
        ("=3", "expected a setting, KEY=VALUE"),
        ("train.3.files=x", "expected a table from 1 to 2, found '3'"),
        ("train.0.files=x", "expected a table from 1 to 2, found '0'"),
        ("train.x.files=x", "expected a table from 1 to 2, found 'x'"),
        ("model.epochs=3", "expected train or dev before the dot, found 'model'"),
        ("train.1.files.2=x", "before the dot"),
        ("train.2=x", "expected a table such as .*, found 'x'"),
    ],
)
def test_changes_that_cannot_be(change: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _changed([change])


def test_an_unknown_name_is_answered_with_the_known() -> None:
    with pytest.raises(UnknownName, match="unknown recipe 'bas'; expected one of: base, base-open"):
        load_recipe("bas")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"epoch": 3}, "unknown setting 'epoch'; did you mean epochs?"),
        ({"zzz": 3}, "unknown setting 'zzz'; known: encoder, "),
        ({"epochs": "3"}, "epochs must be int, found '3'"),
        ({"epochs": True}, "epochs must be int, found True"),
        ({"epochs": 0}, "epochs must be at least 1, found 0"),
        ({"encoder": ""}, "expected an encoder and at least one"),
        ({"train": []}, "expected an encoder and at least one"),
        ({"train": {"files": ["a"]}}, "expected tables [[train]]"),
        ({"train": [{"scheme": "a"}]}, "[[train]] 1: expected files"),
        ({"train": [{"files": [1]}]}, "[[train]] 1: files must be a list of str, found [1]"),
        ({"train": [{"files": ["a"], "share": 0}]}, "share must be above 0 and at most 1"),
        ({"train": [{"files": ["a"], "share": 1.5}]}, "share must be above 0 and at most 1"),
        ({"train": [{"files": ["a"], "every": 2, "only": [2]}]}, "from 0 up to every (2)"),
        ({"train": [{"files": ["a"], "scheme": "a,b"}]}, "documents have one scheme"),
        ({"train": [{"files": ["a"], "partial": True}]}, "found only problems"),
        ({"train": [{"files": ["a"], "unlabelled": True}]}, "needs a teacher"),
        ({"dev": [{"files": ["a"], "scheme": "t"}]}, "scheme 't' is not in s"),
        ({"dev": [{"files": ["a"], "scheme": "s", "unlabelled": True}], "teacher": "t"},
         "cannot be scored"),
        ({"train": [{"files": ["a"], "unlabelled": True, "partial": True}]}, "found both"),
        ({"schemes": "s"}, "schemes must be a list of str, found 's'"),
        ({"schemes": ["s", "s"]}, "'s' is listed twice"),
        ({"window": 16}, "a window of at least 32"),
        ({"window": 64, "overlap": 33}, "an overlap of at most half of it"),
        ({"warmup": 1.0}, "warmup must be at least 0 and below 1"),
        ({"head_rate": float("nan")}, "head_rate must be above 0"),
        ({"teacher_weight": 2}, "teacher_weight must be from 0 to 1"),
    ],
)  # fmt: skip
def test_mistakes_are_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(CoindexError) as caught:
        parse_recipe({**PLAIN, **values})
    assert message in str(caught.value)


def test_what_is_not_toml() -> None:
    with pytest.raises(InputError, match=r"r.toml: expected TOML: .*line 1"):
        parse_toml("encoder = ?\n", "r.toml")


def test_the_schemes_that_answer_can_be_named() -> None:
    values = {"encoder": "e", "schemes": ["a", "b"], "train": [
        {"files": ["f"], "scheme": "a"}, {"files": ["g"], "scheme": "b", "singletons": False},
    ]}  # fmt: skip
    assert parse_recipe({**values, "plain": "b", "single": "a"}).plain == "b"
    with pytest.raises(InputError, match="single = 'c' is not in a, b"):
        parse_recipe({**values, "single": "c"})


def test_text_without_labels_does_not_say_what_a_scheme_holds() -> None:
    pytest.importorskip("torch", reason="pip install '.[train]'")
    from coindex.models.coref.artifact import inference_metadata

    train = [
        Corpus(("f",), "a"), Corpus(("g",), "b", singletons=False), Corpus(("h",), "c"),
        Corpus(("t",), "b", unlabelled=True),
    ]  # fmt: skip
    head = {"width": 30, "fine": 32, "span": 256}
    made = Recipe("e", tuple(train), teacher="t", single="c").as_json()
    facts = inference_metadata({"recipe": made, "head": head, "schemes": ["a", "b", "c"]})
    assert [scheme["singletons"] for scheme in facts["schemes"]] == [True, False, True]
    assert (facts["default"], facts["single"]) == ("b", "c")
    facts = inference_metadata(
        {"recipe": {**made, "single": ""}, "head": head, "schemes": ["a", "b", "c"]}
    )
    assert facts["single"] == "a"

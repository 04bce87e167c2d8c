"""`open_model`: every kind of stored model, and models that are given to the wrong command."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import coindex
from coindex import resolvers
from coindex.assets import DEFAULT_MODEL
from coindex.cli import cli
from coindex.errors import InputError
from coindex.models import COREF, MENTION_PAIR, PARSER, PRONOUN_KINDS, open_model

DECIDERS = {
    "attention": ("attention-multi", "attention-single"),
    "ensemble": ("ensemble",),
    "masked-lm": ("masked-lm",),
    "substitution": ("substitution",),
}


def stored(folder: Path, kind: str) -> Path:
    """The metadata of a model of a kind, in a folder or a file."""
    if kind == MENTION_PAIR:
        path = folder / "quizbowl.model"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("model.json", json.dumps({"format": "coindex quizbowl 2"}))
        return path
    metadata = {"format": 1} if kind == COREF else {"kind": kind, "recipe": {}}
    (folder / "model.json").write_text(json.dumps(metadata), encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", [COREF, MENTION_PAIR, PARSER, *PRONOUN_KINDS])
def test_the_kind_of_every_model(kind: str, tmp_path: Path) -> None:
    artifact = open_model(stored(tmp_path, kind))
    assert artifact.kinds == (kind,)
    assert artifact.exported == (kind in (COREF, MENTION_PAIR))
    artifact.expect(kind)


def test_a_trained_coreference_model_is_not_exported(tmp_path: Path) -> None:
    metadata = {"head": {}, "recipe": {}, "schemes": ["a"]}
    (tmp_path / "model.json").write_text(json.dumps(metadata), encoding="utf-8")
    artifact = open_model(tmp_path)
    assert (artifact.kind, artifact.exported) == (COREF, False)


def test_the_shipped_folder_holds_three_models() -> None:
    artifact = open_model(DEFAULT_MODEL)
    assert artifact.kinds == (COREF, "substitution", PARSER)
    artifact.expect("substitution")
    assert artifact.exported


@pytest.mark.parametrize("kind", PRONOUN_KINDS)
def test_resolve_refuses_a_pronoun_model_in_one_line(kind: str, tmp_path: Path) -> None:
    folder = stored(tmp_path, kind)
    with pytest.raises(InputError) as error:
        coindex.load(folder)
    message = str(error.value)
    assert message.startswith(f"{folder}: expected a model of the kind coref or mention-pair,")
    assert f"found {kind}, which is for `coindex bench --resolver" in message
    assert "\n" not in message
    done = CliRunner().invoke(cli, ["resolve", "--model", str(folder)], input="Ann slept.")
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == message


@pytest.mark.parametrize("resolver", ["neural", "quizbowl"])
@pytest.mark.parametrize("kind", PRONOUN_KINDS)
def test_resolvers_of_documents_refuse_pronoun_models(
    resolver: str, kind: str, tmp_path: Path
) -> None:
    settings = resolvers.ResolverSettings(model=str(stored(tmp_path, kind)))
    with pytest.raises(InputError, match=f"found {kind}, which is for"):
        resolvers.load(resolver, settings)


@pytest.mark.parametrize(
    ("resolver", "kind"),
    [
        (name, other)
        for own, names in DECIDERS.items()
        for name in names
        for other in (COREF, *PRONOUN_KINDS)
        if other != own
    ],
)
def test_resolvers_of_problems_refuse_other_kinds(resolver: str, kind: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs torch: pip install 'coindex[train]'")
    settings = resolvers.ResolverSettings(model=str(stored(tmp_path, kind)))
    assert f"found {kind}, which is for" in str(resolvers.missing(resolver, settings))


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a model's folder with model.json, found none"):
        open_model(tmp_path)
    with pytest.raises(InputError, match=r"expected a model's folder with model.json, found none"):
        open_model(tmp_path / "nothing")
    with pytest.raises(
        InputError, match=r"^defualt: expected the name of a model \(default, .*base"
    ):
        open_model("defualt")
    file = tmp_path / "text.model"
    file.write_text("no zip", encoding="utf-8")
    with pytest.raises(InputError, match="or a file of `coindex train quizbowl`"):
        open_model(file)
    for content, message in (
        ("{", "expected JSON"),
        ("[]", "expected a model's metadata, found list"),
        ('{"kind": "other"}', "found 'other'"),
        ("{}", "found None"),
    ):
        (tmp_path / "model.json").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            open_model(tmp_path)

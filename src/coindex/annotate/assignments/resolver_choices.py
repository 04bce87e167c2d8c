"""The resolvers that can make suggestions here: the models that are installed.

A choice is written as `resolver` or `resolver:model`, such as `neural` and `neural:base`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from coindex import plugins
from coindex.annotate.errors import ApiError
from coindex.errors import CoindexError

_KINDS = {"document": ("neural",), "problem": ("substitution", "neural")}
_DOES = {
    ("document", "neural"): "finds mentions and chains",
    ("problem", "substitution"): "chooses the name that makes the best sentence",
    ("problem", "neural"): "finds chains, and chooses the name in the chain of the pronoun",
}
_LARGER = {"base": "more accurate, several times slower"}


@dataclass(frozen=True, slots=True)
class ResolverChoice:
    """A resolver that a manager may choose.

    id      what is stored: `resolver` or `resolver:model`
    name    the model, for people
    about   what it does, in one line
    """

    id: str
    name: str
    about: str


def resolver_choices(kind: str) -> list[ResolverChoice]:
    """Return the resolvers of installed models for a kind of project, the shipped model first."""
    from coindex.models.common.installed_models import DEFAULT, model_names

    found = []
    for resolver in _KINDS[kind]:
        for model in model_names():
            if not _has(model, resolver):
                continue
            id = resolver if model == DEFAULT else f"{resolver}:{model}"
            about = _DOES[kind, resolver] + (f"; {_LARGER[model]}" if model in _LARGER else "")
            found.append(ResolverChoice(id, f"{model} model", about))
    return found


def _has(model: str, resolver: str) -> bool:
    """Return whether an installed model has what a resolver needs."""
    from coindex.models import COREF, open_model

    try:
        return (COREF if resolver == "neural" else resolver) in open_model(model).kinds
    except CoindexError:
        return False


def choices_json(kind: str) -> list[dict[str, Any]]:
    """Return the choices as plain values."""
    return [asdict(choice) for choice in resolver_choices(kind)]


def check_choice(value: str) -> str:
    """Return a choice if its resolver and its model exist; an `ApiError` otherwise."""
    from coindex.models.common.installed_models import model_names

    resolver, _, model = value.partition(":")
    known = plugins.names("resolvers")
    if resolver not in known:
        raise ApiError(422, "invalid", f"resolver: expected one of {', '.join(known)}")
    if model and model not in model_names():
        installed = ", ".join(model_names())
        raise ApiError(
            422, "invalid", f"resolver: expected a model of {installed}, found {model!r}"
        )
    return value

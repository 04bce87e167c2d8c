"""Whether the settings of a recipe make sense, alone and together, before hours are spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import isfinite

from coindex.errors import InputError
from coindex.training.config import Corpus, Recipe

_LEAST = {
    "epochs": 1, "words": 1, "longest": 100, "accumulate": 1, "hidden": 1, "span": 1, "width": 1,
    "fine": 1, "check": 1, "layers": 0, "seed": 0,
}  # fmt: skip
_RANGES: dict[str, tuple[str, Callable[[float], bool]]] = {
    **dict.fromkeys(("encoder_rate", "head_rate", "clip"), ("above 0", lambda v: v > 0)),
    **dict.fromkeys(("decay", "clue_weight"), ("at least 0", lambda v: v >= 0)),
    **dict.fromkeys(
        ("warmup", "average", "dropout"), ("at least 0 and below 1", lambda v: 0 <= v < 1)
    ),
    "teacher_weight": ("from 0 to 1", lambda v: 0 <= v <= 1),
}


def check(recipe: Recipe, source: str) -> None:
    """Raise an `InputError` that names the first setting that cannot be."""
    for name, least in _LEAST.items():
        if getattr(recipe, name) < least:
            found = getattr(recipe, name)
            raise InputError(f"{source}: {name} must be at least {least}, found {found}")
    for name, (wanted, fits) in _RANGES.items():
        value = getattr(recipe, name)
        if not isfinite(value) or not fits(value):
            raise InputError(f"{source}: {name} must be {wanted}, found {value}")
    if recipe.window < 32 or not 0 <= recipe.overlap <= recipe.window // 2:
        raise InputError(
            f"{source}: expected a window of at least 32 and an overlap of at most half of it,"
            f" found {recipe.window} and {recipe.overlap}"
        )
    for side in ("train", "dev"):
        for number, corpus in enumerate(getattr(recipe, side), 1):
            _corpus(corpus, recipe, side, f"{source}: [[{side}]] {number}")
    _schemes(recipe, source)


def _corpus(corpus: Corpus, recipe: Recipe, side: str, where: str) -> None:
    if corpus.every < 1 or any(not 0 <= n < corpus.every for n in (*corpus.only, *corpus.but)):
        raise InputError(
            f"{where}: only and except must be from 0 up to every ({corpus.every}),"
            f" found {[*corpus.only, *corpus.but]}"
        )
    if not 0 < corpus.share <= 1:
        raise InputError(f"{where}: share must be above 0 and at most 1, found {corpus.share}")
    if corpus.switched and not corpus.partial:
        raise InputError(f"{where}: expected switched for problems (partial = true) only")
    if corpus.unlabelled and corpus.partial:
        raise InputError(f"{where}: expected unlabelled or partial, found both")
    if corpus.unlabelled and side == "dev":
        raise InputError(f"{where}: unlabelled text cannot be scored")
    if corpus.unlabelled and not recipe.teacher:
        raise InputError(f"{where}: unlabelled text needs a teacher, found none")
    if "," in corpus.scheme and not corpus.partial:
        raise InputError(f"{where}: documents have one scheme, found {corpus.scheme!r}")


def _schemes(recipe: Recipe, source: str) -> None:
    known = recipe.all_schemes()
    if not known or all(corpus.partial for corpus in recipe.train):
        raise InputError(f"{source}: expected a corpus of documents, found only problems")
    twice = [name for name, count in Counter(known).items() if count > 1]
    if twice:
        raise InputError(f"{source}: the scheme {twice[0]!r} is listed twice")
    for setting, name in (("plain", recipe.plain), ("single", recipe.single)):
        if name and name not in known:
            raise InputError(f"{source}: {setting} = {name!r} is not in {', '.join(known)}")
    for corpus in (*recipe.train, *recipe.dev):
        free = corpus.partial and corpus.scheme == "default"
        for name in () if free else corpus.scheme.split(","):
            if name.strip() not in known:
                raise InputError(f"{source}: scheme {name!r} is not in {', '.join(known)}")

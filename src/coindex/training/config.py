"""A training recipe: one TOML file, checked before anything is loaded.

encoder = "all-mpnet-base-v2"        # a folder or a hub name
epochs = 20
seed = 1

[[train]]
files = ["litbank"]                  # corpora of `coindex data`, with a split, or paths
scheme = "litbank"                   # corpora with one scheme share what they teach
every = 10                           # of each ten documents in sorted order ...
except = [3, 7]                      # ... not the fourth and the eighth

[[train]]
files = ["gap:development"]
partial = true                       # problems: only some links are known

[[dev]]
files = ["litbank"]
scheme = "litbank"
every = 10
only = [7]
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from coindex.errors import InputError, InvalidValue


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where examples come from.

    files       paths, or names of corpora with an optional split: `gap:development`
    scheme      the annotation scheme; problems can have several, by commas
    singletons  whether the scheme has entities of one mention
    every, only, but  choose documents by their place in sorted order, modulo `every`
    share       how much of it is used in an epoch, chosen anew each time
    partial     problems with some links known
    unlabelled  raw text, for a teacher
    """

    files: tuple[str, ...]
    scheme: str = "default"
    singletons: bool = True
    every: int = 1
    only: tuple[int, ...] = ()
    but: tuple[int, ...] = ()
    share: float = 1.0
    partial: bool = False
    unlabelled: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on, besides the data's content."""

    encoder: str
    train: tuple[Corpus, ...]
    dev: tuple[Corpus, ...] = ()
    epochs: int = 20
    seed: int = 1
    words: int = 4000
    accumulate: int = 1
    encoder_rate: float = 4e-5
    head_rate: float = 4e-4
    warmup: float = 0.06
    decay: float = 0.01
    clip: float = 1.0
    average: float = 0.998
    clue_weight: float = 0.5
    window: int = 512
    overlap: int = 64
    hidden: int = 256
    span: int = 256
    width: int = 30
    fine: int = 32
    dropout: float = 0.3
    layers: int = 0
    check: int = 2
    teacher: str = ""
    teacher_weight: float = 0.5
    schemes: tuple[str, ...] = field(default=())

    def json(self) -> dict[str, Any]:
        """The recipe as plain values."""
        return asdict(self)

    def under(self, corpus: Corpus) -> tuple[int, ...]:
        """The numbers of a corpus's schemes; problems that name none are tried under all."""
        known = self.all_schemes()
        if corpus.partial and corpus.scheme == "default" and "default" not in known:
            return tuple(range(len(known)))
        return tuple(known.index(name.strip()) for name in corpus.scheme.split(","))

    def all_schemes(self) -> tuple[str, ...]:
        """The schemes in the order of the recipe: as given, else as the corpora name them."""
        if self.schemes:
            return self.schemes
        return tuple(dict.fromkeys(c.scheme for c in self.train if not c.partial))


def load(text: str, source: str) -> Recipe:
    """A recipe from the text of its file."""
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[no-redef, import-not-found, unused-ignore]
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: expected TOML: {error}") from None
    return recipe(found, source)


def recipe(found: Mapping[str, Any], source: str = "recipe") -> Recipe:
    """A recipe from plain values; unknown names are answered with the nearest known one."""
    values = dict(found)
    for side in ("train", "dev"):
        rows = values.get(side, [])
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise InputError(f"{source}: expected tables [[{side}]], found {rows!r}")
        values[side] = tuple(
            _corpus(row, f"{source}: [[{side}]] {n}") for n, row in enumerate(rows, 1)
        )
    _known(values, Recipe, source)
    if not values.get("encoder") or not values["train"]:
        raise InputError(f"{source}: expected an encoder and at least one [[train]] table")
    values["schemes"] = tuple(values.get("schemes", ()))
    made = Recipe(**values)
    _check(made, source)
    return made


def _corpus(row: Mapping[str, Any], where: str) -> Corpus:
    values = {("but" if name == "except" else name): value for name, value in row.items()}
    _known(values, Corpus, where)
    if not values.get("files"):
        raise InputError(f"{where}: expected files, found none")
    for name in ("files", "only", "but"):
        if name in values:
            given = values[name]
            values[name] = (given,) if isinstance(given, str) else tuple(given)
    return Corpus(**values)


def _known(values: Mapping[str, Any], kind: type, where: str) -> None:
    allowed = {f.name: f for f in fields(kind)}
    for name, value in values.items():
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(allowed)}"
            raise InputError(f"{where}: unknown setting {name!r}{hint}")
        wanted = allowed[name].type
        if wanted == "float" and isinstance(value, int) and not isinstance(value, bool):
            continue
        plain = {"int": int, "float": float, "str": str, "bool": bool}.get(str(wanted))
        if plain and (not isinstance(value, plain) or (plain is int and isinstance(value, bool))):
            raise InputError(f"{where}: {name} must be {wanted}, found {value!r}")


def _check(made: Recipe, source: str) -> None:
    for name in ("epochs", "words", "accumulate", "hidden", "span", "width", "fine", "check"):
        if getattr(made, name) < 1:
            raise InputError(f"{source}: {name} must be at least 1, found {getattr(made, name)}")
    if made.window < 32 or not 0 <= made.overlap <= made.window // 2:
        raise InputError(
            f"{source}: expected a window of at least 32 and an overlap of at most half of it,"
            f" found {made.window} and {made.overlap}"
        )
    known = made.all_schemes()
    if not known:
        raise InvalidValue(f"{source}: expected a corpus of documents, found only problems")
    for corpus in (*made.train, *made.dev):
        free = corpus.partial and corpus.scheme == "default"
        for name in () if free else corpus.scheme.split(","):
            if name.strip() not in known:
                raise InputError(f"{source}: scheme {name!r} is not in {', '.join(known)}")

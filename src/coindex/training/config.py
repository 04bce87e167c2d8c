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

Paths are as on the command line, from the folder one works in. What every setting
means stands at `Corpus` and `Recipe`.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from coindex.errors import InputError, MissingExtra


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where examples come from.

    files       paths, or names of corpora with an optional split: `gap:development`
    scheme      the annotation scheme; problems can have several, by commas
    singletons  whether the scheme has entities of one mention
    every, only, but  choose documents by their place in sorted order, modulo `every`
    share       how much of it is used in an epoch, chosen anew each time
    partial     problems with some links known
    switched    problems also with their two candidates exchanged, where that is safe
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
    switched: bool = False
    unlabelled: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on, besides the data's content.

    encoder         a folder, or a name on the model hub
    words           about how many words a batch has; a longer document is a batch of its own
    longest         longer documents are cut at ends of sentences, for training only
    accumulate      batches to an update; see `coindex.training.loop`
    encoder_rate, head_rate  the highest learning rates: reached after the share `warmup`
                    of the run, then falling to 0 in a straight line
    decay, clip     AdamW's decay of matrices; the longest gradient
    average         how much of the averaged weights is kept at an update; they are what
                    is scored on dev and written
    clue_weight     of partial annotation, against whole documents
    window, overlap   pieces that the encoder reads at once; how many of them are context
    hidden, span    sizes of the mention scorer and of a mention's vector
    width           the most words of a mention
    fine            how many antecedents are looked at closely
    layers          only the first layers of the encoder; 0 for all
    check           score on dev each so many epochs, and at the end
    teacher         the folder of a trained model to learn from; `teacher_weight`: how much
    schemes         the order of the schemes; as the corpora name them if empty
    plain, single   the schemes that answer without and with single mentions where none is
                    asked for; the first of each kind if empty
    """

    encoder: str
    train: tuple[Corpus, ...]
    dev: tuple[Corpus, ...] = ()
    epochs: int = 20
    seed: int = 1
    words: int = 4000
    longest: int = 5000
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
    plain: str = ""
    single: str = ""

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


def parse(text: str, source: str) -> dict[str, Any]:
    """The plain values of a TOML text."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ImportError as error:
            raise MissingExtra("tomli", "train") from error
    try:
        found: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: expected TOML: {error}") from None
    return found


def load(text: str, source: str) -> Recipe:
    """A recipe from the text of its file."""
    return recipe(parse(text, source), source)


def recipe(found: Mapping[str, Any], source: str = "recipe") -> Recipe:
    """A recipe from plain values; unknown names are answered with the nearest known one."""
    from coindex.training.checks import check

    values = dict(found)
    for side in ("train", "dev"):
        values[side] = tuple(_corpus(row, where) for where, row in tables(values, side, source))
    values = typed({"schemes": (), **values}, Recipe, source)
    if not values.get("encoder") or not values["train"]:
        raise InputError(f"{source}: expected an encoder and at least one [[train]] table")
    made = Recipe(**values)
    check(made, source)
    return made


def tables(
    values: Mapping[str, Any], name: str, source: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The tables `[[name]]` of plain values, each with how to call it in a message."""
    rows = values.get(name, [])
    if not isinstance(rows, list | tuple) or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"{source}: expected tables [[{name}]], found {rows!r}")
    for number, row in enumerate(rows, 1):
        yield f"{source}: [[{name}]] {number}", row


def _corpus(row: Mapping[str, Any], where: str) -> Corpus:
    values = {("but" if name == "except" else name): value for name, value in row.items()}
    if isinstance(values.get("files"), str):
        values["files"] = [values["files"]]
    if not values.get("files"):
        raise InputError(f"{where}: expected files, found none")
    return Corpus(**typed(values, Corpus, where))


def alike(found: Any, wanted: Any, where: str) -> None:
    """Raise an error that names the settings in which two recipes of one kind differ."""
    names = [f.name for f in fields(wanted) if getattr(found, f.name) != getattr(wanted, f.name)]
    if names:
        raise InputError(
            f"{where} of another recipe ({', '.join(names)} differ);"
            " choose another folder, or --fresh to train anew in this one"
        )


_PLAIN: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (int, float), "str": (str,), "bool": (bool,),
}  # fmt: skip


def typed(values: Mapping[str, Any], kind: type, where: str) -> dict[str, Any]:
    """The values, if each is known and of its type; lists as tuples, numbers as floats."""
    allowed = {f.name: str(f.type) for f in fields(kind)}
    made: dict[str, Any] = {}
    for name, value in values.items():
        if name not in allowed:
            near = difflib.get_close_matches(name, allowed, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(allowed)}"
            raise InputError(f"{where}: unknown setting {name!r}{hint}")
        wanted = allowed[name]
        if wanted in _PLAIN:
            if not _is(value, wanted):
                raise InputError(f"{where}: {name} must be {wanted}, found {value!r}")
            made[name] = float(value) if wanted == "float" else value
            continue
        inner = wanted.removeprefix("tuple[").removesuffix(", ...]")
        listed = isinstance(value, list | tuple)
        if not listed or (inner in _PLAIN and not all(_is(v, inner) for v in value)):
            raise InputError(f"{where}: {name} must be a list of {inner}, found {value!r}")
        made[name] = tuple(value)
    return made


def _is(value: object, wanted: str) -> bool:
    return isinstance(value, _PLAIN[wanted]) and (wanted == "bool" or not isinstance(value, bool))

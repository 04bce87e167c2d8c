"""The recipe of a coreference model: one TOML file, checked before anything is loaded.

encoder = "all-mpnet-base-v2"        # a folder or a hub name
epochs = 20
seed = 1

[[train]]
files = ["litbank"]                  # corpora of `coindex data`, with a split, or paths
scheme = "litbank"                   # corpora under one scheme share its parameters
every = 10                           # of each ten documents in sorted order ...
except = [3, 7]                      # ... not the fourth and the eighth

[[train]]
files = ["gap:development"]
partial = true                       # problems: only some links are known

[[train]]
files = ["redocred:dev"]
partial = true                       # documents: only the links between names are known

[[dev]]
files = ["litbank"]
scheme = "litbank"
every = 10
only = [7]

Paths are relative to the working folder. `Corpus` and `Recipe` document every setting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from coindex.errors import InputError
from coindex.models.common import recipe as common
from coindex.models.coref.start import complete_recipe

SHIPPED = Path(__file__).parent / "recipes"
TABLES = ("train", "dev")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where examples come from.

    files       paths, or names of corpora with an optional split: `gap:development`
    scheme      the annotation scheme; problems can have several, by commas
    singletons  whether the scheme has entities of one mention
    every, only, but  select documents by their index in sorted order, modulo `every`
    share       the share of it that is used in an epoch, sampled anew for each epoch
    partial     only some links are known: problems, or documents in which not everything is
                annotated, of which links between mentions are learnt, and not which spans are
                mentions
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

    encoder         a folder, a name on the model hub, or `default` for the shipped one
    start           a trained model whose weights the run starts from: `default`, `base`, an
                    exported folder or one that training wrote; then no encoder is named, and
                    sizes and schemes are the model's (see `coindex.models.coref.start`)
    new_schemes_from  the scheme of that model whose parameters new schemes begin with; its
                    default if empty
    words           the approximate number of words of a batch; a longer document is one batch
    longest         longer documents are split at sentence ends, for training only
    accumulate      batches per update; see `coindex.models.coref.train.trainer`
    encoder_rate, head_rate  peak learning rates: reached after the share `warmup` of the run,
                    then decaying to 0 linearly
    decay, clip     AdamW's weight decay of matrices; the maximum norm of the gradient
    average         the decay of the exponential moving average of the weights, which is
                    scored on dev and stored
    clue_weight     the weight of the loss of partial annotation
    window, overlap   subwords that the encoder reads at once; how many of them are context
    hidden, span    sizes of the mention scorer and of a mention's vector
    width           the maximum number of words of a mention
    fine            how many antecedents the fine scorer compares
    layers          only the first layers of the encoder; 0 for all
    check           score on dev every so many epochs, and at the end
    teacher         the folder of a trained model for distillation, or several by commas, whose
                    probabilities are averaged; `teacher_weight`: of its loss
    schemes         the order of the schemes; as the corpora name them if empty
    plain, single   the schemes used by default without and with singletons; the first of
                    each kind if empty
    without         what training must not see: documents by CORPUS or by the pattern
                    CORPUS/DOCUMENT (`*/GUM_news_*`), and all that was generated from them
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
    start: str = ""
    without: tuple[str, ...] = field(default=())
    new_schemes_from: str = ""

    def as_json(self) -> dict[str, Any]:
        """The recipe as plain values; settings that are rare only if they are set."""
        rare = {"start", "without", "new_schemes_from"}
        return {name: v for name, v in asdict(self).items() if v or name not in rare}

    def scheme_numbers(self, corpus: Corpus) -> tuple[int, ...]:
        """The numbers of a corpus's schemes; problems that name none are used under all."""
        known = self.all_schemes()
        if corpus.partial and corpus.scheme == "default" and "default" not in known:
            return tuple(range(len(known)))
        return tuple(known.index(name.strip()) for name in corpus.scheme.split(","))

    def all_schemes(self) -> tuple[str, ...]:
        """The names of the schemes in the order of their numbers."""
        if self.schemes:
            return self.schemes
        return tuple(dict.fromkeys(c.scheme for c in self.train if not c.partial))


def load_recipe(
    name: str, changes: Iterable[str] = (), encoder: str | None = None, start: str | None = None
) -> Recipe:
    """A recipe by path or shipped name, with changes such as `epochs=3`.

    encoder, start   replace those of the recipe
    """
    values, source = common.read_recipe(name, changes, SHIPPED, TABLES)
    values |= common.starting_point(encoder, start)
    if values.get("start"):
        values = complete_recipe(values, source)
    return parse_recipe(values, source)


def parse_recipe(values: Mapping[str, Any], source: str = "recipe") -> Recipe:
    """A recipe from plain values, checked."""
    plain = {"encoder": "", **values}
    for side in TABLES:
        plain[side] = tuple(
            _parse_corpus(row, where) for where, row in common.tables(plain, side, source)
        )
    plain = common.typed({"schemes": (), "without": (), **plain}, Recipe, source)
    if bool(plain["encoder"]) == bool(plain.get("start")) or not plain["train"]:
        raise InputError(f"{source}: expected an encoder and at least one [[train]] table")
    recipe = Recipe(**plain)
    _check(recipe, source)
    return recipe


def _parse_corpus(row: Mapping[str, Any], where: str) -> Corpus:
    values = {("but" if name == "except" else name): value for name, value in row.items()}
    if not values.get("files"):
        raise InputError(f"{where}: expected files, found none")
    return Corpus(**common.typed(values, Corpus, where))


_MINIMA = {
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


def _check(recipe: Recipe, source: str) -> None:
    """Raise an `InputError` that names the first setting that cannot be."""
    for name, least in _MINIMA.items():
        value = getattr(recipe, name)
        if value < least:
            raise InputError(f"{source}: {name} must be at least {least}, found {value}")
    for name, (expected, fits) in _RANGES.items():
        value = getattr(recipe, name)
        if not isfinite(value) or not fits(value):
            raise InputError(f"{source}: {name} must be {expected}, found {value}")
    if recipe.window < 32 or not 0 <= recipe.overlap <= recipe.window // 2:
        raise InputError(
            f"{source}: expected a window of at least 32 and an overlap of at most half of it,"
            f" found {recipe.window} and {recipe.overlap}"
        )
    for side in TABLES:
        for number, corpus in enumerate(getattr(recipe, side), 1):
            _check_corpus(corpus, recipe, side, f"{source}: [[{side}]] {number}")
    _check_schemes(recipe, source)


def _check_corpus(corpus: Corpus, recipe: Recipe, side: str, where: str) -> None:
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


def _check_schemes(recipe: Recipe, source: str) -> None:
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

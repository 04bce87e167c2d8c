"""A Quiz Bowl system that can be trained again and again, with everything that can be
kept kept: features by document, models by what they were trained on, answers by model
and document. Training is still from scratch each time; an equal set of documents gives
an equal model, so it need not be trained twice. All of it has limits (`Store.words`,
`_KEPT` models), so that a server may run for ever.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from coindex.core.document import Document
from coindex.parsing.parser import Parser, parser
from coindex.quizbowl import model as system
from coindex.quizbowl import vectors
from coindex.quizbowl.config import Config
from coindex.quizbowl.featured import WORDS, Featured, Store, joint_mark
from coindex.quizbowl.kept import Kept
from coindex.quizbowl.model import Doubt, Model

_KEPT = 16
"""How many models are kept, with their answers."""

_SURE_ROUNDS = 25


@dataclass
class Trained:
    """A trained system with the answers it has given."""

    model: Model
    store: Store
    _answers: Kept[Document] = field(init=False)
    _doubts: Kept[Doubt] = field(init=False)

    def __post_init__(self) -> None:
        self._answers, self._doubts = Kept(self.store.words), Kept(self.store.words)

    @property
    def digest(self) -> str:
        """Which model it is."""
        return self.model.digest

    @property
    def signature(self) -> str:
        """All that answers depend on."""
        return f"quizbowl|model:{self.digest}|{self.store.parser.signature}"

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with its entities, in their order."""
        for part in self.store.of(documents):
            yield self._answers.get(
                part.text_mark, len(part.document), partial(system.answer, self.model, part)
            )

    def doubts(self, documents: Iterable[Document]) -> list[Doubt]:
        """How unsure the model is of each document."""
        return [self._doubt(part) for part in self.store.of(documents)]

    def _doubt(self, part: Featured) -> Doubt:
        make = partial(system.doubt, self.model, part)
        return self._doubts.get(part.text_mark, len(part.document), make)


@dataclass
class Learner:
    """Trains Quiz Bowl systems of one configuration."""

    store: Store
    config: Config
    _models: OrderedDict[tuple[str, int], Trained] = field(default_factory=OrderedDict)
    _sure: Learner | None = None

    def train(self, documents: Sequence[Document], seed: int = 1) -> Trained:
        """A system trained on annotated documents."""
        parts = self.store.of(documents)
        key = joint_mark(parts), seed
        found = self._models.pop(key, None)
        if found is None:
            signature = self.store.parser.signature
            model = system.train(parts, self.config, seed, signature)
            found = Trained(model, self.store)
        self._models[key] = found
        while len(self._models) > _KEPT:
            self._models.popitem(last=False)
        return found

    def calibrated(self) -> Learner:
        """One that trains the CRF by likelihood, on the same features: for probabilities.

        A perceptron's scores separate labels, but say next to nothing about how sure it is.
        """
        if self._sure is None:
            settings = replace(self.config, crf_training="likelihood", rounds=_SURE_ROUNDS)
            self._sure = Learner(self.store, settings)
        return self._sure

    def forget(self, *, features: bool = True) -> None:
        """Keep nothing: models and answers are made again, and the features unless told."""
        if features:
            self.store.forget()
        self._models.clear()
        self._sure = None


def learner(
    config: Config | None = None,
    *,
    pipeline: str | None = None,
    cache: bool = True,
    sources: Sequence[str] = (vectors.ENCODER,),
    parses: Parser | None = None,
    words: int = WORDS,
) -> Learner:
    """A learner with a parser and word vectors; those that are not there are left out.

    words   how many words of text features are kept of; see `Store`
    """
    settings = config or Config()
    wanted = sources if "cosine" in settings.families else ()
    kept = tuple(each for each in map(vectors.load, wanted) if each is not None)
    if not kept:
        families = tuple(name for name in settings.families if name != "cosine")
        settings = replace(settings, families=families)
    found = parses or parser(pipeline, cache=cache)
    return Learner(Store(found, settings, kept, words), settings)

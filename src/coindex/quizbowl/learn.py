"""A Quiz Bowl system that can be trained again and again, with everything that can be
kept kept: features by document, models by what they were trained on, answers by model
and document. Training is still from scratch each time; an equal set of documents gives
an equal model, so it need not be trained twice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from coindex.core.document import Document
from coindex.parsing.parser import Parser, parser
from coindex.quizbowl import model as system
from coindex.quizbowl import vectors
from coindex.quizbowl.config import Config
from coindex.quizbowl.featured import Featured, Store, joint_mark
from coindex.quizbowl.model import Doubt, Model

_KEPT = 16
"""How many models are kept, with their answers."""

_SURE_ROUNDS = 25


@dataclass
class Trained:
    """A trained system with the answers it has given."""

    model: Model
    store: Store
    _answers: dict[str, Document] = field(default_factory=dict)
    _doubts: dict[str, Doubt] = field(default_factory=dict)

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
            found = self._answers.get(part.text_mark)
            if found is None:
                found = self._answers[part.text_mark] = system.answer(self.model, part)
            yield found

    def doubts(self, documents: Iterable[Document]) -> list[Doubt]:
        """How unsure the model is of each document."""
        return [self._doubt(part) for part in self.store.of(documents)]

    def _doubt(self, part: Featured) -> Doubt:
        found = self._doubts.get(part.text_mark)
        if found is None:
            found = self._doubts[part.text_mark] = system.doubt(self.model, part)
        return found


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
) -> Learner:
    """A learner with a parser and word vectors; those that are not there are left out."""
    loaded = [vectors.load(source) for source in sources]
    kept = tuple(each for each in loaded if each is not None)
    settings = config or Config()
    if not kept:
        families = tuple(name for name in settings.families if name != "cosine")
        settings = replace(settings, families=families)
    return Learner(Store(parses or parser(pipeline, cache=cache), settings, kept), settings)

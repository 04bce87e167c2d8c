"""Training, and a learner that caches what repeated training can share.

A `Learner` caches features by document, models by what they were trained on, and predictions
by model and document. Training is from scratch each time; an equal set of documents gives an
equal model, so it is not trained twice. All caches are bounded (`FeatureStore.words`,
`MAX_MODELS`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

from coindex.errors import InvalidValue
from coindex.models.mention_pair import feature_store, mention_crf, pair_classifier, word_vectors
from coindex.models.mention_pair.infer import Uncertainty, predict, uncertainty
from coindex.models.mention_pair.mention_crf import Detector
from coindex.models.mention_pair.model import Model, annotates_singletons
from coindex.models.mention_pair.recipe import RULES, Config
from coindex.models.mention_pair.token_arrays import TextParser
from coindex.scoring.scorer import ScoringOptions, score_pairs
from coindex.text.parsing.parser import make_parser
from coindex.types.document import Document

MAX_MODELS = 16
"""How many models are cached, with their predictions."""

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8)
_CALIBRATED_ROUNDS = 25


def train(
    parts: Sequence[feature_store.DocumentFeatures],
    config: Config,
    seed: int = 1,
    pipeline: str = "",
) -> Model:
    """A model of annotated documents."""
    ordered = sorted(parts, key=lambda part: part.digest)
    examples = (
        (items, part.gold_labels.labels[start:end])
        for part in ordered
        for items, start, end in part.text.sequences
    )
    if not any(len(part.document) for part in ordered):
        raise InvalidValue("expected annotated documents to train on, found no words")
    crf = mention_crf.train(examples, config, seed)
    return Model(
        config,
        Detector(crf),
        pair_classifier.train([part.training_pairs for part in ordered], config),
        tuple(each.info for each in ordered[0].text.vectors),
        annotates_singletons([part.document for part in ordered]),
        sum(part.gold_labels.lost for part in ordered),
        (feature_store.joint_digest(ordered)[:16], len(ordered)),
        seed,
        pipeline,
    )


@dataclass
class TrainedModel:
    """A trained model with the predictions it has made."""

    model: Model
    store: feature_store.FeatureStore
    _predictions: feature_store.LruCache[Document] = field(init=False)
    _uncertainties: feature_store.LruCache[Uncertainty] = field(init=False)

    def __post_init__(self) -> None:
        self._predictions = feature_store.LruCache(self.store.words)
        self._uncertainties = feature_store.LruCache(self.store.words)

    @property
    def digest(self) -> str:
        """Identifies the model."""
        return self.model.digest

    @property
    def signature(self) -> str:
        """Everything that predictions depend on."""
        return f"quizbowl|model:{self.digest}|{self.store.parser.signature}"

    def resolve(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Each document with predicted entities, in the order given."""
        for part in self.store.features(documents):
            make = partial(predict, self.model, part)
            yield self._predictions.get(part.text_digest, len(part.document), make)

    def uncertainties(self, documents: Iterable[Document]) -> list[Uncertainty]:
        """How uncertain the model is of each document."""
        return [
            self._uncertainties.get(
                part.text_digest, len(part.document), partial(uncertainty, self.model, part)
            )
            for part in self.store.features(documents)
        ]


@dataclass
class Learner:
    """Trains models of one configuration."""

    store: feature_store.FeatureStore
    config: Config
    _models: OrderedDict[tuple[str, int], TrainedModel] = field(default_factory=OrderedDict)
    _calibrated: Learner | None = None

    def train(self, documents: Sequence[Document], seed: int = 1) -> TrainedModel:
        """A model trained on annotated documents."""
        parts = self.store.features(documents)
        key = feature_store.joint_digest(parts), seed
        trained = self._models.pop(key, None)
        if trained is None:
            model = train(parts, self.config, seed, self.store.parser.signature)
            trained = TrainedModel(model, self.store)
        self._models[key] = trained
        while len(self._models) > MAX_MODELS:
            self._models.popitem(last=False)
        return trained

    def calibrated(self) -> Learner:
        """A learner that trains the CRF by likelihood, on the same features.

        Its marginal probabilities are calibrated; those of a perceptron are not.
        """
        if self._calibrated is None:
            config = replace(self.config, crf_training="likelihood", rounds=_CALIBRATED_ROUNDS)
            self._calibrated = Learner(self.store, config)
        return self._calibrated

    def clear(self, *, features: bool = True) -> None:
        """Drop cached models and predictions and, by default, features."""
        if features:
            self.store.clear()
        self._models.clear()
        self._calibrated = None


def learner(
    config: Config | None = None,
    *,
    pipeline: str | None = None,
    cache: bool = True,
    sources: Sequence[str] = (word_vectors.ENCODER,),
    parses: TextParser | None = None,
    words: int = feature_store.MAX_WORDS,
) -> Learner:
    """A learner with a parser and those sources of word vectors that are available.

    words   how many words of text features are cached of; see `FeatureStore`
    """
    settings = config or Config()
    named = sources if "cosine" in settings.families else ()
    vectors = tuple(each for each in map(word_vectors.load, named) if each is not None)
    if not vectors:
        families = tuple(name for name in settings.families if name != "cosine")
        settings = replace(settings, families=families)
    parses = parses or make_parser(pipeline, cache=cache)
    return Learner(feature_store.FeatureStore(parses, settings, vectors, words), settings)


@dataclass(frozen=True, slots=True)
class ThresholdTrial:
    """A link rule with a threshold, and its CoNLL F1 on development documents."""

    rule: str
    threshold: float
    conll: float


def choose_threshold(
    model: Model, learner: Learner, development: Sequence[Document]
) -> tuple[Model, list[ThresholdTrial]]:
    """The model with the rule and threshold of the best CoNLL F1, and all trials, best first."""
    parts = learner.store.features(development)
    trials = []
    for rule, threshold in product(RULES, THRESHOLDS):
        other = replace(model, config=replace(model.config, rule=rule, threshold=threshold))
        pairs = [(part.document, predict(other, part)) for part in parts]
        score = score_pairs(pairs, ScoringOptions(("conll",))).scores["conll"].f1
        trials.append(ThresholdTrial(rule, threshold, score))
    trials.sort(key=lambda each: -each.conll)
    best = replace(model.config, rule=trials[0].rule, threshold=trials[0].threshold)
    return replace(model, config=best), trials

"""Pronoun resolution by the attention of an encoder: Webster et al. (2018), "Mind the GAP", 4.4.

The attention between a name and a pronoun is the mean over all subwords of the two,

    a(name, pronoun) = mean over s in name, t in pronoun of A(s, t)
    A(s, t) = sum over the positions i of s and j of t in the passage of w(i, j)

where w(i, j) is the attention of position i to position j, after the softmax, and s and t are
subwords as strings: the other mentions of a name count too. The paper uses the encoder of a
translation model; any encoder from a folder or hub can be used here. A passage longer than the
encoder can read is cut around the pronoun; candidates outside have the attention 0.

The paper's Table 8 has the F1 of each head. Two resolvers are fitted:

single  the head with the best F1 on the problems that it is fitted on
multi   for each candidate one feature per head, true if the head chooses the candidate; the
        `keep` best features by the chi-squared statistic; an extra-trees classifier (Geurts et
        al. 2006) for the probability that the candidate is right. The paper keeps 3.

With `keep` Boolean features, the forest is a table of 2^keep probabilities, which is what is
stored: scikit-learn is needed to fit, not to predict.

The paper does not say what happens if both candidates are likely, or none. GAP has no item where
both are right, so the most probable one is chosen, of equals the one that the best head prefers.
A detected candidate must have a probability of at least 0.5; of given ones, one is always chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coindex.errors import InputError, import_extra
from coindex.models.common.encoders import keep_first_layers, load_encoder, max_subwords
from coindex.models.common.subwords import SubwordText, TextTokenizer, window_around
from coindex.models.pronoun.query import CandidateQuery, argmax
from coindex.scoring.contingency import Floats
from coindex.types.decision import answer_of

TREES = 100
Bools = NDArray[np.bool_]
HeadIndex = tuple[int, int]


class AttentionEncoder:
    """An encoder that returns its attention."""

    def __init__(self, name: str, device: str = "cpu", layers: int = 0) -> None:
        """Load an encoder by folder or hub name; only its first layers if `layers` is not 0."""
        import torch

        encoder = load_encoder(name, attention="eager")
        if layers and layers < int(encoder.config.num_hidden_layers):
            keep_first_layers(encoder, layers, name)
        self.name, self.device = name, torch.device(device)
        self.encoder = encoder.eval().to(self.device)
        self.tokenizer = TextTokenizer(name)
        self.room = (max_subwords(encoder.config) or 512) - 2
        self.layers = int(encoder.config.num_hidden_layers)
        self.heads = int(encoder.config.num_attention_heads)

    def weigh(self, queries: Iterable[CandidateQuery]) -> Iterator[Floats]:
        """For each problem the attention (phrases, layers, heads), one problem at a time."""
        for query in queries:
            yield self._weigh_one(query)

    def _weigh_one(self, query: CandidateQuery) -> Floats:
        weights = np.zeros((len(query.phrases), self.layers, self.heads))
        whole = self.tokenizer.of(query.problem.text)
        pronoun = whole.within(query.problem.target)
        if not pronoun or not query.phrases:
            return weights
        text = whole.part(window_around(len(whole), pronoun, self.room))
        attention = self._attention(text, text.within(query.problem.target))
        for at, phrase in enumerate(query.phrases):
            own = text.within(phrase.chars) if phrase.chars else range(0)
            if own:
                weights[at] = np.mean([attention[text.subwords[i]] for i in own], axis=0)
        return weights

    def _attention(self, text: SubwordText, pronoun: range) -> dict[int, Floats]:
        """The attention of each subword, as a string, to the pronoun: (layers, heads)."""
        import torch

        ids = torch.tensor([[*self.tokenizer.begin, *text.subwords, self.tokenizer.end]])
        with torch.no_grad():
            layers = self.encoder(input_ids=ids.to(self.device), output_attentions=True).attentions
            weights = torch.stack([layer[0] for layer in layers]).double()[..., 1:-1, 1:-1]
            subwords = np.asarray(text.subwords)
            columns = [weights[..., subwords == text.subwords[at]].sum(-1) for at in pronoun]
            given = torch.stack(columns).mean(0).cpu().numpy()
        return {int(s): given[..., subwords == s].sum(-1) for s in np.unique(subwords)}


@dataclass(frozen=True, slots=True)
class FittedHeads:
    """What was fitted for given or for detected candidates.

    table   F1 in percent of each head, one row per layer
    single  the best head: layer and head, from 0
    chosen  the heads of multi; odds: the probability for each pattern of their choices,
            where the first head is the lowest bit
    """

    table: tuple[tuple[float, ...], ...]
    single: HeadIndex
    chosen: tuple[HeadIndex, ...]
    odds: tuple[float, ...]

    def depth(self, *, multi: bool) -> int:
        """How many layers are used; those above need not be computed."""
        used = (self.single, *self.chosen) if multi else (self.single,)
        return 1 + max(layer for layer, _ in used)


def parse_fitted_heads(values: dict[str, Any], source: str) -> FittedHeads:
    """Fitted heads from plain values."""
    try:
        made = FittedHeads(
            tuple(tuple(map(float, row)) for row in values["table"]),
            _head(values["single"]),
            tuple(map(_head, values["chosen"])),
            tuple(map(float, values["odds"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{source}: expected fitted heads, found {error!r} wrong") from None
    if len(made.odds) != 2 ** len(made.chosen):
        raise InputError(
            f"{source}: expected {2 ** len(made.chosen)} odds for {len(made.chosen)} heads,"
            f" found {len(made.odds)}"
        )
    return made


def head_choices(weights: Floats) -> NDArray[np.int64]:
    """The index of the phrase that each head chooses: (layers, heads), -1 if there is none."""
    if not len(weights):
        return np.full(weights.shape[1:], -1)
    return np.asarray(weights.argmax(axis=0), dtype=np.int64)


def head_features(query: CandidateQuery, weights: Floats) -> Bools:
    """Whether each head chooses each candidate: (candidates, layers, heads)."""
    chosen = head_choices(weights)
    features = np.zeros((len(query.problem.candidates), *chosen.shape), dtype=bool)
    for at, phrase in enumerate(query.phrases):
        for index in phrase.candidates:
            features[index] |= chosen == at
    return features


def fit_heads(
    queries: Sequence[CandidateQuery], weights: Sequence[Floats], keep: int = 3, seed: int = 1
) -> FittedHeads:
    """The best head, and the forest over the best few."""
    if not queries:
        raise InputError("expected problems to fit heads on, found none")
    chosen_by = [head_features(each, w) for each, w in zip(queries, weights, strict=True)]
    rights = [
        np.isin(np.arange(len(each.problem.candidates)), answer_of(each.problem))
        for each in queries
    ]
    x, y = np.concatenate(chosen_by), np.concatenate(rights)
    table = head_f1(x, y)
    layer, head = np.unravel_index(int(table.argmax()), table.shape)
    chosen = _best_features(x.reshape(len(x), -1), y, keep)
    heads = x.shape[2]
    return FittedHeads(
        tuple(tuple(round(float(v), 2) for v in row) for row in table),
        (int(layer), int(head)),
        tuple((at // heads, at % heads) for at in chosen),
        _forest(x.reshape(len(x), -1)[:, chosen], y, seed),
    )


def head_f1(chosen: Bools, right: Bools) -> Floats:
    """GAP's F1 over all candidates, in percent, of each head."""
    truth = right[:, None, None]
    hits = (chosen & truth).sum(axis=0)
    total = chosen.sum(axis=0) + truth.sum()
    return np.asarray(200.0 * hits / np.maximum(total, 1))


def choose_phrase(
    query: CandidateQuery, weights: Floats, fit: FittedHeads, *, multi: bool
) -> int | None:
    """The index of the phrase that the best head, or the forest over several, chooses."""
    layer, head = fit.single
    if not query.phrases:
        return None
    if not multi:
        return argmax(weights[:, layer, head].tolist())
    scores = phrase_probabilities(query, weights, fit)
    if query.detected and max(scores) < 0.5:
        return None
    pairs = [(score, float(w)) for score, w in zip(scores, weights[:, layer, head], strict=True)]
    return max(range(len(pairs)), key=pairs.__getitem__)


def phrase_probabilities(query: CandidateQuery, weights: Floats, fit: FittedHeads) -> list[float]:
    """The probability of each phrase: the highest of the candidates it matches, else 0."""
    chosen = head_features(query, weights)
    bits = np.array([2**at for at in range(len(fit.chosen))])
    codes = np.stack([chosen[:, layer, head] for layer, head in fit.chosen], -1) @ bits
    each = [fit.odds[code] for code in codes]
    return [max((each[index] for index in p.candidates), default=0.0) for p in query.phrases]


def _best_features(x: Bools, y: Bools, keep: int) -> list[int]:
    """The features with the highest chi-squared statistic, in the order of the heads."""
    select = import_extra("sklearn.feature_selection", "train", "scikit-learn")
    statistic = np.nan_to_num(select.chi2(x.astype(float), y)[0], nan=-1.0)
    order = np.argsort(-statistic, kind="stable")[:keep]
    return sorted(int(at) for at in order)


def _forest(x: Bools, y: Bools, seed: int) -> tuple[float, ...]:
    """The forest's probability for every pattern of features."""
    if y.all() or not y.any():
        raise InputError("expected right and wrong candidates to fit heads on, found one kind")
    ensemble = import_extra("sklearn.ensemble", "train", "scikit-learn")
    forest = ensemble.ExtraTreesClassifier(n_estimators=TREES, random_state=seed, n_jobs=1)
    forest.fit(x.astype(float), y)
    width = x.shape[1]
    every = (np.arange(2**width)[:, None] >> np.arange(width)) & 1
    return tuple(round(float(p), 6) for p in forest.predict_proba(every.astype(float))[:, 1])


def _head(value: Any) -> HeadIndex:
    layer, head = value
    return int(layer), int(head)

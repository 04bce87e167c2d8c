"""Each candidate takes the pronoun's place, and the sentences compete (KnowRef, section 4).

    P(a) = exp s(S_a) / sum over all candidates c of exp s(S_c)

S_c is the passage with c in the place of the pronoun. The paper's score is v·h, h being the
encoder's first vector; here the mean vector of the candidate's subwords is added, and a hidden
layer: s = v·gelu(W [h_first; h_candidate]). Any number of candidates can compete. With
`neither`, "none of them" competes with the score 0, and a threshold chosen on dev decides how
high the best candidate's score must be.

With the scorer "end", s is a linear layer over the vector of the end-of-text token, the only one
that has seen the whole passage where the encoder is a causal language model. It begins with
zeros, so that all candidates are equal at first.

With a `rank` the encoder is frozen, and only low-rank adapters of its matrices are trained
(`adapters`), under a narrower scorer: such a model is small enough to ship.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from coindex.models.common import encoders
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.candidate_rows import Batch
from coindex.models.pronoun.lora import add_adapters
from coindex.models.pronoun.recipe import Stage

DROPOUT = 0.1
NARROW = 128
"""The size of the scorer's hidden layer where the encoder has adapters."""


@dataclass(frozen=True, slots=True)
class AdapterBase:
    """What adapters were trained over: an encoder, how many of its layers (0: all); their rank."""

    encoder: str
    layers: int
    rank: int


class Substitution(nn.Module):
    """An encoder with a scorer of whole passages."""

    kind = "substitution"

    def __init__(
        self,
        encoder: Any,
        tokenizer: TextTokenizer,
        *,
        neither: bool = False,
        base: AdapterBase | None = None,
        scorer: str = "candidate",
    ) -> None:
        """A transformers encoder and its tokenizer; `base` where it has adapters."""
        super().__init__()
        size = int(encoder.config.hidden_size)
        wide = NARROW if base else size
        self.encoder, self.tokenizer, self.neither, self.base = encoder, tokenizer, neither, base
        self.at_end = scorer == "end"
        if self.at_end:
            self.scorer: nn.Module = nn.Linear(size, 1, bias=False)
            nn.init.zeros_(self.scorer.weight)
            return
        self.scorer = nn.Sequential(
            nn.Dropout(DROPOUT), nn.Linear(2 * size, wide), nn.GELU(), nn.Linear(wide, 1)
        )

    def scores(self, batch: Batch) -> Tensor:
        """The score of each row."""
        hidden = self.encoder(input_ids=batch.subwords, attention_mask=batch.mask.long())
        vectors = hidden.last_hidden_state
        if self.at_end:
            last = batch.mask.sum(1) - 1
            ends = vectors[torch.arange(len(vectors), device=vectors.device), last]
            with torch.autocast(vectors.device.type, enabled=False):
                return cast("Tensor", self.scorer(ends.float()))[:, 0]
        own = batch.own[..., None].to(vectors.dtype)
        mean = (vectors * own).sum(1) / own.sum(1).clamp(min=1)
        scored: Tensor = self.scorer(torch.cat([vectors[:, 0], mean], -1))
        return scored[:, 0].float()

    def loss(self, batch: Batch, stage: Stage) -> Tensor:
        """KnowRef's loss of a batch of problems, or that of distillation."""
        if stage.loss == "distill":
            return distillation_loss(self.scores(batch), batch.target, batch.owner)
        return choice_loss(self.scores(batch), batch.right, batch.owner, neither=self.neither)


def new_substitution(
    name: str,
    layers: int,
    seed: int,
    *,
    neither: bool = False,
    rank: int = 0,
    scorer: str = "candidate",
) -> Substitution:
    """A model over an encoder; the scorer and adapters are drawn by the seed."""
    torch.manual_seed(seed)
    encoder = encoders.load_any_encoder(name, layers)
    _remove_pooler(encoder)
    torch.manual_seed(seed)
    if rank:
        add_adapters(encoder, rank, name)
    source = str(encoders.exported_folder(name) or name)
    tokenizer = TextTokenizer(source, language_model=scorer == "end")
    base = AdapterBase(name, layers, rank) if rank else None
    return Substitution(encoder, tokenizer, neither=neither, base=base, scorer=scorer)


def empty_substitution(
    folder: str, *, neither: bool = False, scorer: str = "candidate"
) -> Substitution:
    """A model without trained weights, as the config of a folder describes it."""
    encoder = encoders.encoder_from_config(folder)
    _remove_pooler(encoder)
    tokenizer = TextTokenizer(folder, language_model=scorer == "end")
    return Substitution(encoder, tokenizer, neither=neither, scorer=scorer)


def _remove_pooler(encoder: Any) -> None:
    """Without the layer above the first vector, which BERT and its like have."""
    if "pooler" in dict(encoder.named_children()):
        encoder.pooler = None


def choice_loss(scores: Tensor, right: Tensor, owner: Tensor, *, neither: bool = False) -> Tensor:
    """KnowRef's loss (Emami et al. 2019, formula 1): cross-entropy of a softmax.

        L = -log (sum over right a of exp s_a / sum over all c of exp s_c)

    neither  adds a choice with the score 0, right where no candidate is; without it a
             problem with no right candidate adds nothing
    """
    count = int(owner.max()) + 1
    nothing = scores.new_zeros(count)
    has = torch.zeros(count, dtype=torch.bool, device=scores.device)
    has[owner[right]] = True
    every = _logsumexp(scores, owner, count, nothing if neither else None)
    hits = _logsumexp(scores.masked_fill(~right, float("-inf")), owner, count, None)
    if neither:
        return torch.where(has, every - hits, every).mean()
    return (every - hits)[has].mean() if has.any() else scores.sum() * 0.0


def distillation_loss(
    scores: Tensor, target: Tensor, owner: Tensor, count: int | None = None
) -> Tensor:
    """Cross-entropy against given probabilities (Hinton et al. 2015), the mean over problems.

    L = -sum over all c of t_c log (exp s_c / sum over all d of exp s_d)

    count  the number of problems, if it is known: to read it from `owner` waits for a GPU
    """
    count = int(owner.max()) + 1 if count is None else count
    every = _logsumexp(scores, owner, count, None)
    return (target * (every[owner] - scores)).sum() / count


def _logsumexp(scores: Tensor, owner: Tensor, count: int, more: Tensor | None) -> Tensor:
    """log of the summed exponentials of each problem, with one more score if given."""
    table = scores.new_full((count, len(scores)), float("-inf"))
    table[owner, torch.arange(len(scores), device=scores.device)] = scores
    if more is not None:
        table = torch.cat([table, more[:, None]], 1)
    highest = table.max(1, keepdim=True).values
    safe = torch.where(highest.isfinite(), highest, torch.zeros_like(highest)).detach()
    total = (table - safe).exp().sum(1)
    return torch.where(total > 0, total, torch.ones_like(total)).log() + safe[:, 0]

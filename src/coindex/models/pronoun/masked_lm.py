"""A masked language model that fills the pronoun's place (Kocijan et al. 2019, WikiCREM).

The pronoun becomes one mask for each subword of a candidate; the candidate's score is the mean
of the subwords' log-probabilities, log P(a|S). Works with any model that has a masked-LM head,
by folder or hub name. An encoder without one gets a new head, tied to its input embeddings,
which plain text must train first: the loss "text", the mean negative log-probability of masked
subwords (15 % of them: 80 % masks, 10 % others, 10 % unchanged, after Devlin et al. 2019).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from coindex import io
from coindex.models.common.encoders import encoder_from_config, load_encoder
from coindex.models.common.subwords import TextTokenizer
from coindex.models.pronoun.candidate_rows import Batch
from coindex.models.pronoun.recipe import Stage

_CLASS = "AutoModelForMaskedLM"


class MaskedLM(nn.Module):
    """An encoder with a masked-LM head."""

    kind = "masked-lm"

    def __init__(self, whole: Any, tokenizer: TextTokenizer) -> None:
        """A masked-LM model of transformers, and its tokenizer."""
        super().__init__()
        self.whole, self.tokenizer = whole, tokenizer

    @property
    def encoder(self) -> Any:
        """The part below the head."""
        return self.whole.base_model

    @property
    def head(self) -> Any:
        """The head: BERT calls it `cls`, MPNet and RoBERTa `lm_head`; None for other names."""
        return getattr(self.whole, "cls", None) or getattr(self.whole, "lm_head", None)

    def logits(self, subwords: Tensor, mask: Tensor, positions: Tensor) -> Tensor:
        """The logits of the vocabulary at some positions: (positions, vocabulary).

        The head runs at these positions alone, which saves most of the work, except in models
        whose head has several parts (DistilBERT, ALBERT).
        """
        if self.head is None:
            every = self.whole(input_ids=subwords, attention_mask=mask.long()).logits
            chosen: Tensor = every[positions]
            return chosen
        vectors = self.encoder(input_ids=subwords, attention_mask=mask.long()).last_hidden_state
        logits: Tensor = self.head(vectors[positions])
        return logits

    def scores(self, batch: Batch) -> Tensor:
        """log P(candidate | S) of each row; -inf where the candidate has no subword."""
        masked = batch.subwords.masked_fill(batch.own, self.tokenizer.mask)
        logs = self.logits(masked, batch.mask, batch.own).float().log_softmax(-1)
        each = logs.gather(1, batch.subwords[batch.own][:, None])[:, 0]
        rows = batch.own.nonzero()[:, 0]
        counts = batch.own.sum(1)
        sums = each.new_zeros(len(counts)).index_add(0, rows, each)
        return torch.where(counts > 0, sums / counts.clamp(min=1), sums.new_tensor(-torch.inf))

    def loss(self, batch: Batch, stage: Stage) -> Tensor:
        """WikiCREM's loss of a batch of problems."""
        return margin_loss(self.scores(batch), batch.right, batch.owner, stage.alpha, stage.beta)

    def text_loss(self, subwords: Tensor, stage: Stage, generator: torch.Generator) -> Tensor:
        """The loss of stretches of plain text, with masks drawn by the generator."""
        hidden, masked = self._mask(subwords.cpu(), stage.masked, generator)
        device = subwords.device
        mask, masked = subwords != self.tokenizer.pad, masked.to(device)
        logits = self.logits(hidden.to(device), mask, masked).float()
        if not len(logits):
            return logits.sum()  # 0, with an empty gradient
        return nn.functional.cross_entropy(logits, subwords[masked])

    def _mask(
        self, subwords: Tensor, share: float, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """The subwords with some masked, and which these are; special tokens are never masked."""
        text = torch.ones_like(subwords, dtype=torch.bool)
        for special in self.tokenizer.special:
            text &= subwords != special
        masked = (torch.rand(subwords.shape, generator=generator) < share) & text
        how = torch.rand(subwords.shape, generator=generator)
        other = torch.randint(self.tokenizer.size, subwords.shape, generator=generator)
        hidden = torch.where(masked & (how < 0.8), self.tokenizer.mask, subwords)
        return torch.where(masked & (how >= 0.9), other, hidden), masked

    @torch.no_grad()
    def fills(self, text: str, most: int = 5) -> list[str]:
        """The most probable single subwords for the `_` in a text."""
        before, _, after = text.partition("_")
        left, right = self.tokenizer.many([before, after])
        row = [*self.tokenizer.begin, *left, self.tokenizer.mask, *right, self.tokenizer.end]
        subwords = torch.tensor([row], device=next(self.parameters()).device)
        gap = torch.zeros_like(subwords, dtype=torch.bool)
        gap[0, len(left) + 1] = True
        self.eval()
        logits = self.logits(subwords, torch.ones_like(subwords), gap)[0]
        return [self.tokenizer.decode([n]) for n in logits.topk(most).indices.tolist()]


def new_masked_lm(name: str, layers: int, seed: int) -> MaskedLM:
    """A model over an encoder; a head that is missing is drawn by the seed."""
    torch.manual_seed(seed)
    return MaskedLM(load_encoder(name, layers, model=_CLASS), TextTokenizer(name))


def empty_masked_lm(folder: str) -> MaskedLM:
    """A model without trained weights, as the config of a folder describes it."""
    return MaskedLM(encoder_from_config(folder, model=_CLASS), TextTokenizer(folder))


def probe_list() -> list[tuple[str, tuple[str, ...]]]:
    """Sentences with a gap, and the words that make sense there."""
    text = io.package_text("coindex.models.pronoun", "probes.txt")
    rows = [row for row in text.splitlines() if row.strip() and not row.startswith("#")]
    return [(one, tuple(two.split())) for one, _, two in (row.partition("\t") for row in rows)]


def probes(model: MaskedLM) -> list[dict[str, Any]]:
    """What the model puts into each gap, and whether one of its five words makes sense."""
    rows = []
    for sentence, sense in probe_list():
        words = model.fills(sentence)
        rows.append({"text": sentence, "fills": words, "sense": not set(sense).isdisjoint(words)})
    return rows


def margin_loss(scores: Tensor, right: Tensor, owner: Tensor, alpha: float, beta: float) -> Tensor:
    """WikiCREM's loss (Kocijan et al. 2019, formula 1), scores being log P(candidate | S).

        L = -log P(a|S) + alpha * max(0, log P(b|S) - log P(a|S) + beta)

    for a right candidate a and a wrong one b. With several of either, the mean over
    all pairs of one problem. A problem without a pair adds nothing.
    """
    pairs = (owner[:, None] == owner[None, :]) & right[:, None] & ~right[None, :]
    rows, columns = pairs.nonzero(as_tuple=True)
    if not len(rows):
        return scores.sum() * 0.0
    a, b = scores[rows], scores[columns]
    each = -a + alpha * torch.clamp(b - a + beta, min=0.0)
    return _mean(each, owner[rows])


def _mean(values: Tensor, owner: Tensor) -> Tensor:
    """The mean over problems of the means within each."""
    count = int(owner.max()) + 1
    sums = values.new_zeros(count).index_add(0, owner, values)
    sizes = values.new_zeros(count).index_add(0, owner, torch.ones_like(values))
    return (sums / sizes.clamp(min=1)).sum() / (sizes > 0).sum()

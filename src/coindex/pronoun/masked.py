"""A masked language model that fills the pronoun's place (Kocijan et al. 2019, WikiCREM).

The pronoun becomes one mask for each piece of a candidate; its score is the mean of
the pieces' log-probabilities, log P(a|S). Works with any model with a head for masked
words, by folder or hub name; an encoder without one gets a new head, tied to its input
embeddings, which plain text must train first: the loss "text", the mean negative
log-probability of masked pieces (15 % of them: 80 % masks, 10 % others, 10 % as they
were, after Devlin et al. 2019).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from coindex.errors import InputError
from coindex.pronoun.losses import margin
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.recipe import Stage
from coindex.pronoun.rows import Batch
from coindex.training.encoders import quiet, shorten


class MaskedLM(nn.Module):
    """An encoder with a head that says which piece a mask stands for."""

    kind = "masked-lm"

    def __init__(self, whole: Any, tokens: Tokens) -> None:
        """A transformers model for masked words, and its tokenizer."""
        super().__init__()
        self.whole, self.tokens = whole, tokens

    @property
    def encoder(self) -> Any:
        """The part below the head."""
        return self.whole.base_model

    @property
    def head(self) -> Any:
        """The part above the encoder: BERT calls it `cls`, MPNet and RoBERTa `lm_head`.

        None where it has another name; then the whole model is asked.
        """
        return getattr(self.whole, "cls", None) or getattr(self.whole, "lm_head", None)

    def logits(self, pieces: Tensor, seen: Tensor, wanted: Tensor) -> Tensor:
        """The scores of all pieces at the wanted places: (places, vocabulary).

        The head is asked of these places alone, which saves most of the work; models whose
        head is in several parts (DistilBERT, ALBERT) are asked of all places.
        """
        if self.head is None:
            every = self.whole(input_ids=pieces, attention_mask=seen.long()).logits
            asked: Tensor = every[wanted]
            return asked
        vectors = self.encoder(input_ids=pieces, attention_mask=seen.long()).last_hidden_state
        found: Tensor = self.head(vectors[wanted])
        return found

    def scores(self, batch: Batch) -> Tensor:
        """log P(candidate | S) of each row; -inf where the candidate has no piece."""
        masked = batch.pieces.masked_fill(batch.own, self.tokens.mask)
        told = self.logits(masked, batch.seen, batch.own).float().log_softmax(-1)
        each = told.gather(1, batch.pieces[batch.own][:, None])[:, 0]
        rows = batch.own.nonzero()[:, 0]
        counts = batch.own.sum(1)
        sums = each.new_zeros(len(counts)).index_add(0, rows, each)
        return torch.where(counts > 0, sums / counts.clamp(min=1), sums.new_tensor(-torch.inf))

    def loss(self, batch: Batch, stage: Stage) -> Tensor:
        """WikiCREM's loss of a batch of problems."""
        return margin(self.scores(batch), batch.right, batch.owner, stage.alpha, stage.beta)

    def text_loss(self, pieces: Tensor, stage: Stage, generator: torch.Generator) -> Tensor:
        """The loss of stretches of plain text, with masks drawn by the generator."""
        hidden, wanted = self._hide(pieces.cpu(), stage.masked, generator)
        device = pieces.device
        seen, wanted = pieces != self.tokens.pad, wanted.to(device)
        logits = self.logits(hidden.to(device), seen, wanted).float()
        if not len(logits):
            return logits.sum()  # 0, with a gradient of nothing
        return nn.functional.cross_entropy(logits, pieces[wanted])

    def _hide(
        self, pieces: Tensor, share: float, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """The pieces with some hidden, and which these are; marks are never hidden."""
        text = torch.ones_like(pieces, dtype=torch.bool)
        for mark in self.tokens.marks:
            text &= pieces != mark
        wanted = (torch.rand(pieces.shape, generator=generator) < share) & text
        how = torch.rand(pieces.shape, generator=generator)
        other = torch.randint(self.tokens.size, pieces.shape, generator=generator)
        hidden = torch.where(wanted & (how < 0.8), self.tokens.mask, pieces)
        return torch.where(wanted & (how >= 0.9), other, hidden), wanted

    @torch.no_grad()
    def fills(self, text: str, most: int = 5) -> list[str]:
        """The likeliest single pieces for the `_` in a text."""
        before, _, after = text.partition("_")
        left, right = self.tokens.many([before, after])
        row = [self.tokens.begin, *left, self.tokens.mask, *right, self.tokens.end]
        pieces = torch.tensor([row], device=next(self.parameters()).device)
        wanted = torch.zeros_like(pieces, dtype=torch.bool)
        wanted[0, len(left) + 1] = True
        self.eval()
        told = self.logits(pieces, torch.ones_like(pieces), wanted)[0]
        return [self.tokens.written([n]) for n in told.topk(most).indices.tolist()]


def new(name: str, layers: int, seed: int) -> MaskedLM:
    """A model over an encoder; a head that is missing is drawn by the seed."""
    from transformers import AutoModelForMaskedLM

    torch.manual_seed(seed)
    try:
        with quiet():
            whole: Any = AutoModelForMaskedLM.from_pretrained(name)
    except (OSError, ValueError) as error:
        line = str(error).strip().partition("\n")[0]
        raise InputError(f"{name}: expected an encoder's folder or hub name: {line}") from None
    if layers:
        shorten(whole.base_model, layers, name)
    return MaskedLM(whole.float(), Tokens(name))


def empty(folder: str) -> MaskedLM:
    """A model as a folder's config says, without weights."""
    from transformers import AutoConfig, AutoModelForMaskedLM

    with quiet():
        make: Any = AutoModelForMaskedLM.from_config
        return MaskedLM(make(AutoConfig.from_pretrained(folder)).float(), Tokens(folder))

"""Each candidate takes the pronoun's place, and the sentences compete (KnowRef, section 4).

    P(a) = exp s(S_a) / sum over all candidates c of exp s(S_c)

S_c is the passage with c in the place of the pronoun. The paper's score is v·h, h being
the encoder's first vector; here the mean vector of the candidate's own pieces stands
beside it, and a small layer between: s = v·gelu(W [h_first; h_candidate]). Any number of
candidates can compete. With `neither`, "none of them" competes with the score 0, and a
cut chosen on dev says how high the best candidate's score must be.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from coindex.errors import InputError
from coindex.pronoun.losses import choice
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.recipe import Stage
from coindex.pronoun.rows import Batch
from coindex.training.encoders import _shorten as shorten
from coindex.training.encoders import quiet

DROPOUT = 0.1


class Substitution(nn.Module):
    """An encoder with a scorer of whole passages."""

    kind = "substitution"

    def __init__(self, encoder: Any, tokens: Tokens, *, neither: bool = False) -> None:
        """A transformers encoder and its tokenizer."""
        super().__init__()
        size = int(encoder.config.hidden_size)
        self.encoder, self.tokens, self.neither = encoder, tokens, neither
        self.scorer = nn.Sequential(
            nn.Dropout(DROPOUT), nn.Linear(2 * size, size), nn.GELU(), nn.Linear(size, 1)
        )

    def scores(self, batch: Batch) -> Tensor:
        """The score of each row."""
        found = self.encoder(input_ids=batch.pieces, attention_mask=batch.seen.long())
        vectors = found.last_hidden_state
        own = batch.own[..., None].to(vectors.dtype)
        mean = (vectors * own).sum(1) / own.sum(1).clamp(min=1)
        scored: Tensor = self.scorer(torch.cat([vectors[:, 0], mean], -1))
        return scored[:, 0].float()

    def loss(self, batch: Batch, stage: Stage) -> Tensor:
        """KnowRef's loss of a batch of problems."""
        return choice(self.scores(batch), batch.right, batch.owner, neither=self.neither)


def new(name: str, layers: int, seed: int, *, neither: bool = False) -> Substitution:
    """A model over an encoder; the scorer is drawn by the seed."""
    from transformers import AutoModel

    torch.manual_seed(seed)
    try:
        with quiet():
            encoder: Any = AutoModel.from_pretrained(name)
    except (OSError, ValueError) as error:
        line = str(error).strip().partition("\n")[0]
        raise InputError(f"{name}: expected an encoder's folder or hub name: {line}") from None
    encoder.pooler = None
    if layers:
        shorten(encoder, layers, name)
    torch.manual_seed(seed)
    return Substitution(encoder.float(), Tokens(name), neither=neither)


def empty(folder: str, *, neither: bool = False) -> Substitution:
    """A model as a folder's config says, without weights."""
    from transformers import AutoConfig, AutoModel

    with quiet():
        make: Any = AutoModel.from_config
        encoder = make(AutoConfig.from_pretrained(folder)).float()
    encoder.pooler = None
    return Substitution(encoder, Tokens(folder), neither=neither)

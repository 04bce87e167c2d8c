"""Each candidate takes the pronoun's place, and the sentences compete (KnowRef, section 4).

    P(a) = exp s(S_a) / sum over all candidates c of exp s(S_c)

S_c is the passage with c in the place of the pronoun. The paper's score is v·h, h being
the encoder's first vector; here the mean vector of the candidate's own pieces stands
beside it, and a small layer between: s = v·gelu(W [h_first; h_candidate]). Any number of
candidates can compete. With `neither`, "none of them" competes with the score 0, and a
cut chosen on dev says how high the best candidate's score must be.

With a `rank` the encoder stays as it is, and only low-rank adapters beside its matrices
are trained (`adapters`), under a narrower scorer: such a model is small enough to ship.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from coindex.errors import InputError
from coindex.pronoun import shipped
from coindex.pronoun.adapters import adapt
from coindex.pronoun.losses import choice
from coindex.pronoun.pieces import Tokens
from coindex.pronoun.recipe import Stage
from coindex.pronoun.rows import Batch
from coindex.training.encoders import quiet, shorten

DROPOUT = 0.1
NARROW = 128
"""The width of the scorer's layer where the encoder has adapters."""


@dataclass(frozen=True, slots=True)
class Base:
    """What adapters stand on: an encoder, how many of its layers (0: all), and their rank."""

    encoder: str
    layers: int
    rank: int


class Substitution(nn.Module):
    """An encoder with a scorer of whole passages."""

    kind = "substitution"

    def __init__(
        self, encoder: Any, tokens: Tokens, *, neither: bool = False, base: Base | None = None
    ) -> None:
        """A transformers encoder and its tokenizer; `base` where it has adapters."""
        super().__init__()
        size = int(encoder.config.hidden_size)
        wide = NARROW if base else size
        self.encoder, self.tokens, self.neither, self.base = encoder, tokens, neither, base
        self.scorer = nn.Sequential(
            nn.Dropout(DROPOUT), nn.Linear(2 * size, wide), nn.GELU(), nn.Linear(wide, 1)
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


def new(name: str, layers: int, seed: int, *, neither: bool = False, rank: int = 0) -> Substitution:
    """A model over an encoder; the scorer and adapters are drawn by the seed."""
    torch.manual_seed(seed)
    encoder = _encoder(name).float()
    encoder.pooler = None
    if layers:
        shorten(encoder, layers, name)
    torch.manual_seed(seed)
    if rank:
        adapt(encoder, rank, name)
    tokens = Tokens(str(shipped.FOLDER) if name == shipped.NAME else name)
    base = Base(name, layers, rank) if rank else None
    return Substitution(encoder, tokens, neither=neither, base=base)


def _encoder(name: str) -> Any:
    """An encoder by folder or hub name, or the shipped one."""
    from transformers import AutoModel

    if name == shipped.NAME:
        return shipped.encoder()
    try:
        with quiet():
            return AutoModel.from_pretrained(name)
    except (OSError, ValueError) as error:
        line = str(error).strip().partition("\n")[0]
        raise InputError(f"{name}: expected an encoder's folder or hub name: {line}") from None


def empty(folder: str, *, neither: bool = False) -> Substitution:
    """A model as a folder's config says, without weights."""
    from transformers import AutoConfig, AutoModel

    with quiet():
        make: Any = AutoModel.from_config
        encoder = make(AutoConfig.from_pretrained(folder)).float()
    encoder.pooler = None
    return Substitution(encoder, Tokens(folder), neither=neither)

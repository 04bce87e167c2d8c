"""How much each candidate attends to the pronoun, by layer and head.

Webster et al. (2018), "Mind the GAP", section 4.4: the attention between a name and a
pronoun is the mean over all pieces of the two,

    a(name, pronoun) = mean over s in name, t in pronoun of A(s, t)
    A(s, t) = sum over the places i of s and the places j of t in the passage of w(i, j)

where w(i, j) is what piece i gives to piece j, after the softmax, and s and t are
pieces as strings: a name's other mentions count too. The paper looks at the encoder
of a translation model; any encoder from a folder or hub will do here.

A passage longer than the encoder can read is cut around the pronoun; a candidate
outside, or not in the text at all, attends with 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch

from coindex.arrays import Floats
from coindex.errors import InputError
from coindex.pronoun.asked import Asked
from coindex.pronoun.pieces import Pieced, Tokens, around
from coindex.training.encoders import longest, quiet, shorten


class Attention:
    """An encoder that tells its attention."""

    def __init__(self, name: str, device: str = "cpu", layers: int = 0) -> None:
        """Load an encoder by folder or hub name; only its first layers, if told."""
        from transformers import AutoModel

        try:
            with quiet():
                found: Any = AutoModel.from_pretrained(name, attn_implementation="eager")
        except (OSError, ValueError) as error:
            line = str(error).strip().partition("\n")[0]
            raise InputError(f"{name}: expected an encoder's folder or hub name: {line}") from None
        if layers and layers < int(found.config.num_hidden_layers):
            shorten(found, layers, name)
        self.name, self.device = name, torch.device(device)
        self.encoder = found.float().eval().to(self.device)
        self.tokens = Tokens(name)
        self.room = (longest(found.config) or 512) - 2
        self.layers = int(found.config.num_hidden_layers)
        self.heads = int(found.config.num_attention_heads)

    def weigh(self, asked: Iterable[Asked]) -> Iterator[Floats]:
        """For each problem (phrases, layers, heads); one by one, so none depends on another."""
        for each in asked:
            yield self._one(each)

    def _one(self, asked: Asked) -> Floats:
        found = np.zeros((len(asked.phrases), self.layers, self.heads))
        whole = self.tokens.of(asked.problem.text)
        pronoun = whole.within(asked.problem.target)
        if not pronoun or not asked.phrases:
            return found
        chosen = around(len(whole), pronoun, self.room)
        seen = whole.part(chosen)
        received = self._received(seen, seen.within(asked.problem.target))
        for at, phrase in enumerate(asked.phrases):
            own = seen.within(phrase.chars) if phrase.chars else range(0)
            if own:
                pieces = [seen.pieces[place] for place in own]
                found[at] = np.mean([received[piece] for piece in pieces], axis=0)
        return found

    @torch.no_grad()
    def _received(self, seen: Pieced, pronoun: range) -> dict[int, Floats]:
        """What each piece, as a string, gives to the pronoun's pieces: (layers, heads)."""
        ids = torch.tensor([[self.tokens.begin, *seen.pieces, self.tokens.end]])
        told = self.encoder(input_ids=ids.to(self.device), output_attentions=True).attentions
        weights = torch.stack([layer[0] for layer in told]).double()[..., 1:-1, 1:-1]
        pieces = np.asarray(seen.pieces)
        columns = [weights[..., pieces == seen.pieces[at]].sum(-1) for at in pronoun]
        given = torch.stack(columns).mean(0).cpu().numpy()
        return {int(s): given[..., pieces == s].sum(-1) for s in np.unique(pieces)}

"""What commands that train mention-pair models say of word vectors that are missing."""

from __future__ import annotations

from collections.abc import Iterable

import click


def warn_missing_vectors(sources: Iterable[str]) -> None:
    """Say that there are no word vectors, and why, unless `none` was chosen."""
    from coindex.models.mention_pair import word_vectors

    for source in sources:
        reason = word_vectors.unavailable_reason(source)
        if reason and source != word_vectors.NONE:
            click.echo(f"coindex: {reason}: no word vectors, no cosine feature", err=True)

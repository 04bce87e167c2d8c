"""Sources of raw text: one file each, found by its name.

A source's file states, in `ABOUT`, what it reads. It has two functions:

    shards(path, size) -> tuple[Shard, ...]     the parts that can be read on their own
    read(shard)        -> Iterator[Page | Bad]  the pages of one part, in order

Cutting into shards depends on the file and on `size` alone, never on the number of
workers, so every run sees the same pages in the same shards.
"""

from __future__ import annotations

from coindex.sources._page import Bad, Page, Section, Shard

__all__ = ["Bad", "Page", "Section", "Shard"]

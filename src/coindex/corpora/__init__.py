"""Builders of corpora: one file each, found by its name.

A builder works in two stages, so that the tagger sees only what can still pass:

    scan(page, rules)     -> Iterator[Passage | Dropped]   by patterns on the text
    build(parsed, rules)  -> Iterator[Problem | Dropped]   with tags, trees and names

and states, beside `ABOUT`, what it `NEEDS` of the parser: a set of "tags", "tree" and
"names". `rules()` gives its thresholds and word lists, read from data files. Nothing is
dropped without its stage and reason, so that input = kept + dropped can be shown.

Two more it may have, over all items at once: `collect`, what is kept of them at the end of a
run, and `finished`, the corpus made of items that annotators have judged. `collect` reads the
items from disk each time it goes over them, and must not hold them: `Seen` and `Rows`
keep keys on disk. `PUBLISHED` has
figures of the paper, to be shown beside those of a run.
"""

from __future__ import annotations

from coindex.corpora._disk import Rows, Seen
from coindex.corpora._items import Dropped, Parsed, Passage, passage

__all__ = ["Dropped", "Parsed", "Passage", "Rows", "Seen", "passage"]

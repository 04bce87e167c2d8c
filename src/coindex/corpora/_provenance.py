"""Where an item came from, as facts of the item."""

from __future__ import annotations

from coindex.core.mention import Pairs
from coindex.corpora._items import Passage


def provenance(passage: Passage) -> Pairs:
    """Page, title, revision, address, source and place of a passage; what is not known is left out.

    From `offset` to `end` the page's text is what the item was made of.
    """
    facts = (
        ("page", passage.page),
        ("title", passage.title),
        ("revision", passage.revision),
        ("url", passage.url),
        ("source", passage.source),
        ("offset", str(passage.start)),
        ("end", str(passage.end or passage.start + len(passage.text))),
    )
    return tuple((name, value) for name, value in facts if value)

"""How many pronouns `--to replaced` replaces, and how many of the names are right.

`python perf/replaced.py`: the dev texts of GUM and LitBank, read as plain text and resolved by the
shipped model. A replacement is right if the smallest gold mention around the name is in the gold
entity of the pronoun; pronouns that are no gold mentions are not counted. Printed for some values of
`min_confidence`; docs/how-to/resolving.md has the table. The default should be near the value with the
most right replacements less wrong ones.
"""

from __future__ import annotations

import sys

from tokenizer import dev_corpora

import coindex
from coindex.transform.naming import entity_name
from coindex.transform.replace_pronouns import MIN_CONFIDENCE, replace_pronouns
from coindex.transform.resolved_entities import sure_part
from coindex.types.document import Document
from coindex.types.span import Chars

VALUES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)


def judged(gold: Document, found: Document, min_confidence: float) -> list[bool]:
    """Whether each replacement is right."""
    entities = {
        gold.chars(mention.cover): number
        for number, entity in enumerate(gold.entities)
        for mention in entity.mentions
    }
    replaced = {
        segment.old
        for segment in replace_pronouns(found, min_confidence=min_confidence).segments
        if not segment.unchanged
    }
    results = []
    for entity in found.entities:
        sure = sure_part(entity, min_confidence)
        for mention in entity.mentions:
            chars = found.chars(mention.cover)
            if sure is None or chars not in replaced or chars not in entities:
                continue
            span = entity_name(found, sure).span
            name = found.chars(span) if span is not None else chars
            results.append(_smallest_around(entities, name) == entities[chars])
    return results


def _smallest_around(entities: dict[Chars, int], name: Chars) -> int | None:
    """The entity of the smallest gold mention around a name."""
    around = [c for c in entities if c.start <= name.start and name.end <= c.end]
    return entities[min(around, key=len)] if around else None


def main() -> int:
    resolver = coindex.load()
    for name, documents in dev_corpora().items():
        found = resolver.resolve(document.text for document in documents)
        for value in VALUES:
            right = [r for pair in zip(documents, found, strict=True) for r in judged(*pair, value)]
            mark = "  (default)" if value == MIN_CONFIDENCE else ""
            print(f"{name}, from {value}: {len(right)} replaced, {sum(right)} right,"
                  f" {100 * sum(right) / max(1, len(right)):.1f} %{mark}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())

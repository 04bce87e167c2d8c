"""Entities of one mention, which a scheme without them leaves out.

An everyday scheme is trained on texts that mark entities of two mentions or more, so its network
has learnt to pass over what is mentioned once. Another scheme of the same model has entities of
one mention: what it finds, and is in no entity yet, is added. Each text is encoded twice for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import tee

from coindex.models.common.inference import sigmoid
from coindex.models.coref.artifact import Scheme
from coindex.models.coref.infer.engine import Engine, ResolveRules
from coindex.models.coref.infer.mention_detection import DetectedMentions
from coindex.models.coref.infer.mention_selection import LOWEST, SelectionRules, select_mentions
from coindex.models.coref.infer.nested_mentions import without_nested
from coindex.text.mention_classes import kind_of
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.progress import OnProgress
from coindex.types.span import Span


def resolve_with_singles(
    engine: Engine,
    documents: Iterable[Document],
    scheme: Scheme,
    single: Scheme,
    on_progress: OnProgress,
    rules: ResolveRules,
) -> Iterator[Document]:
    """Each document with its entities under a scheme, and single mentions as `single` has them."""
    first, second = tee(documents)
    lowest = replace(single, mention_threshold=min(single.mention_threshold, LOWEST))
    selection = SelectionRules(repeats=False, events=rules.events)
    resolved = engine.resolve(first, scheme, on_progress, rules)
    for document, (_, found) in zip(resolved, engine.detect(second, lowest), strict=True):
        mentions = select_mentions(document, found, single.mention_threshold, selection)
        added = with_single_mentions(document, mentions, single)
        yield without_nested(added, singletons=True) if rules.weights else added


def with_single_mentions(
    document: Document, mentions: DetectedMentions, single: Scheme
) -> Document:
    """The document with each mention that is none of its own yet as an entity.

    One that begins or ends where another one does is the same phrase with other borders.
    """
    known = [m.cover for entity in document.entities for m in entity.mentions]
    starts, ends = {span.start for span in known}, {span.end for span in known}
    confidence = single.mention_calibration.apply(sigmoid(mentions.logits))
    added = []
    for index, logit in enumerate(mentions.logits.tolist()):
        span = Span(int(mentions.spans.starts[index]), int(mentions.spans.ends[index]))
        if logit <= single.mention_threshold or span.start in starts or span.end in ends:
            continue
        mention = Mention((span,), attrs=(("confidence", f"{confidence[index]:.3f}"),))
        added.append(Entity((replace(mention, kind=kind_of(document, mention)),)))
    every = sorted((*document.entities, *added), key=lambda e: e.mentions[0].start)
    return replace(document, entities=tuple(every))

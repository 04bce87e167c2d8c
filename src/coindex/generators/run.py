"""A generator applied to the documents of corpora, with the account of what became of them.

Every new document says in its metadata where it comes from, so that a recipe can leave out all
that was made of a corpus (`without`, see `coindex.models.coref.recipe`):

    corpus, document   the corpus and the id of the document it was made of
    generator, change  by which generator, and what was changed
    scheme             the annotation scheme, which is that of the corpus
    seed               the seed and the number of the copy

In the account, documents read = used + dropped, and changes considered = made + refused.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coindex import generators
from coindex.generators.protocol import Generated, Make, Variant, check_options
from coindex.report.table import Cell, Table, text_notes
from coindex.transform.edit import without_zeros
from coindex.types.document import Document
from coindex.types.mention import Pairs

SEVERAL = "+"
"""What joins the names of generators that were applied one after the other."""


@dataclass(frozen=True, slots=True)
class SourceCorpus:
    """The documents of a corpus that is to be changed."""

    name: str
    documents: Sequence[Document]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a generator is run.

    generator  its name
    settings   its own options
    copies     how often each document is changed, each time with other draws
    scheme     the annotation scheme; the name of the corpus if empty
    """

    generator: str
    seed: int = 1
    copies: int = 1
    scheme: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Account:
    """What went in, what came out, and what was dropped, by reason.

    read     documents, once for each copy; used: those of which something was made
    made     changes that were made; refused: those that were not, by reason
    written  new documents, with their tokens, mentions and entities
    """

    generator: str
    unit: str
    read: int = 0
    used: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    made: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    written: int = 0
    tokens: int = 0
    mentions: int = 0
    entities: int = 0

    def add(self, generated: Generated) -> None:
        """Count what was made of one document."""
        self.read += 1
        self.made += generated.made
        self.refused.update(generated.refused)
        if generated.variants:
            self.used += 1
        else:
            self.dropped[generated.why_none] += 1
        for document in (variant.document for variant in generated.variants):
            self.written += 1
            self.tokens += len(document)
            self.mentions += len(document.mentions)
            self.entities += len(document.entities)

    def as_json(self) -> dict[str, Any]:
        """The account as JSON values."""
        return {
            "generator": self.generator, "read": self.read, "used": self.used,
            "dropped": dict(self.dropped.most_common()), "changes": self.unit, "made": self.made,
            "refused": dict(self.refused.most_common()), "written": self.written,
            "tokens": self.tokens, "mentions": self.mentions, "entities": self.entities,
        }  # fmt: skip

    def table(self) -> Table:
        """The account as a table."""
        rows: list[tuple[Cell, ...]] = [
            ("documents read", self.read),
            ("documents used", self.used),
        ]
        rows += [(f"dropped: {why}", count) for why, count in self.dropped.most_common()]
        rows += [(f"{self.unit} changed", self.made)]
        rows += [(f"not changed: {why}", count) for why, count in self.refused.most_common()]
        rows += [("documents written", self.written), ("tokens", self.tokens)]
        rows += [("mentions", self.mentions), ("entities", self.entities)]
        notes = text_notes(f"read = used + dropped; {self.unit} = changed + not changed")
        return Table(f"Generator {self.generator}", ("", "count"), tuple(rows), notes)


def generate(
    corpora: Iterable[SourceCorpus], options: RunOptions, account: Account
) -> Iterator[Document]:
    """The new documents of all corpora; what became of each document is added to the account."""
    for corpus in corpora:
        yield from _generate_from(corpus, options, account)


def new_account(options: RunOptions) -> Account:
    """An empty account; an error if the generator does not have these options."""
    plugin = generators.load(options.generator)
    check_options(options.generator, plugin.OPTIONS, options.settings)
    return Account(options.generator, plugin.UNIT)


def _generate_from(
    corpus: SourceCorpus, options: RunOptions, account: Account
) -> Iterator[Document]:
    plugin = generators.load(options.generator)
    defaults = {name: values[0] for name, values in plugin.OPTIONS.items()}
    clean = [without_zeros(each) if each.zeros else each for each in corpus.documents]
    make = plugin.generator(clean, **{**defaults, **options.settings})
    for document in clean:
        seen = {_content(document)}
        for copy in range(options.copies):
            generated = _copy(make, document, corpus, options, copy, seen)
            account.add(generated)
            yield from (variant.document for variant in generated.variants)


def _copy(
    make: Make, document: Document, corpus: SourceCorpus, options: RunOptions, copy: int,
    seen: set[int],
) -> Generated:  # fmt: skip
    """What is made of a document, without what equals it or an earlier copy."""
    key = "\n".join((str(options.seed), options.generator, corpus.name, document.key, str(copy)))
    generated = make(document, random.Random(key))
    new: list[Variant] = []
    for number, variant in enumerate(generated.variants, 1):
        content = _content(variant.document)
        if content in seen:
            generated.refused["equal to the document or to an earlier copy"] += variant.made
            continue
        seen.add(content)
        name = f"{document.key}{SEVERAL}{options.generator}-{copy + 1}"
        name += f".{number}" if len(generated.variants) > 1 else ""
        origin = _origin(document, corpus, options, f"{options.seed}.{copy + 1}", variant.change)
        made = replace(variant.document, id=name, part=None, meta=origin)
        new.append(replace(variant, document=made))
    generated.variants = new
    return generated


def _content(document: Document) -> int:
    spans = tuple(tuple(m.spans for m in entity.mentions) for entity in document.entities)
    return hash((document.tokens, document.speakers, spans))


def _origin(
    document: Document, corpus: SourceCorpus, options: RunOptions, draw: str, change: str
) -> Pairs:
    """The metadata of a new document; that of the old one is kept, such as its licence."""
    old = dict(document.meta)
    before = f"{old['generator']}{SEVERAL}" if "generator" in old else ""
    changes = f"{old['change']}; {change}" if "change" in old else change
    new = {
        "corpus": old.get("corpus", corpus.name), "document": old.get("document", document.key),
        "generator": f"{before}{options.generator}", "change": changes,
        "scheme": options.scheme or old.get("scheme", corpus.name), "seed": draw,
    }  # fmt: skip
    return tuple({**old, **new}.items())

"""How often tokens and sentences of plain text are those of the corpora, and of spaCy.

`python perf/tokenizer.py [--resolve]`: GUM's dev texts as written (the CoNLL-U file stores the
spaces), and LitBank's dev texts, whose spaces are put back by rule. Printed are the F1 of
tokens and of sentences by exact characters, for coindex and for spaCy's tokenizer and its rule
for sentences on the same texts, and the speed of both. With `--resolve` also the CoNLL F1 of
the shipped model on the plain texts, mentions compared by characters.

Limit: the tokens of coindex are not worse than those of spaCy by the mean of the corpora.
Exits with 1 if it is missed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from _timing import fastest

import coindex
from coindex import datasets, formats
from coindex.errors import CoindexError
from coindex.scoring.api import score
from coindex.text.tokenizer import sentence_starts, token_offsets
from coindex.types.document import Document
from coindex.types.mention import Entity, Mention
from coindex.types.span import Span

Spans = list[tuple[int, int]]
Split = Callable[[str], tuple[Spans, Spans]]
LEFT = frozenset(".,;:!?)]}%…”’") | {"...", "n't", "n’t", "''"}
DASHES = frozenset({"--", "—"})
RIGHT = frozenset("([{$£#“‘") | {"``"}


def gum() -> Iterator[Document]:
    """GUM's dev documents, with the white space of the corpus."""
    for path in datasets.paths("corefud"):
        for document in formats.read(path):
            if isinstance(document, Document):
                yield document


def litbank() -> Iterator[Document]:
    """LitBank's dev documents, with the spaces of ordinary text."""
    for number, path in enumerate(sorted(datasets.paths("litbank", "conll"))):
        if number % 10 == 7:
            for document in formats.read(path):
                if isinstance(document, Document):
                    yield detokenized(document)


def detokenized(document: Document) -> Document:
    """The same tokens in a text without spaces before commas and the like."""
    parts: list[str] = []
    starts: list[int] = []
    at = 0
    quoted = glued = False
    for sentence in document.sentence_spans():
        for index in range(sentence.start, sentence.end):
            token = document.tokens[index]
            if token == '"' and index in (sentence.start, sentence.end - 1):
                quoted = index > sentence.start
            opens = token in RIGHT or (token == '"' and not quoted)
            closes = token in LEFT or token[:1] in "'’" or (token == '"' and quoted)
            space = "" if glued or closes or token in DASHES else " "
            quoted ^= token == '"'
            glued = opens or token in DASHES
            parts += [space, token]
            starts.append(at + len(space))
            at += len(space) + len(token)
        glued = False
    ends = tuple(start + len(t) for start, t in zip(starts, document.tokens, strict=True))
    return Document(
        document.id, "".join(parts), document.tokens, tuple(starts), ends, document.sentences,
        document.entities,
    )  # fmt: skip


def ours(text: str) -> tuple[Spans, Spans]:
    """The tokens and sentences of coindex."""
    tokens = list(token_offsets(text))
    return tokens, _sentences(tokens, sentence_starts(text, tokens))


def spacys() -> Split:
    """The tokens and sentences of spaCy, without a model."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")

    def split(text: str) -> tuple[Spans, Spans]:
        words = [token for token in nlp(text) if not token.is_space]
        tokens = [(token.idx, token.idx + len(token)) for token in words]
        firsts = (number for number, token in enumerate(words) if token.is_sent_start)
        return tokens, _sentences(tokens, firsts)

    return split


def golden(document: Document) -> tuple[Spans, Spans]:
    """The tokens and sentences of a corpus."""
    tokens = [(a, b) for a, b in zip(document.starts, document.ends, strict=True) if a < b]
    chars = map(document.chars, document.sentence_spans())
    return tokens, [(sentence.start, sentence.end) for sentence in chars]


def _sentences(tokens: Spans, firsts: Iterable[int]) -> Spans:
    firsts = [*firsts, len(tokens)]
    return [(tokens[a][0], tokens[b - 1][1]) for a, b in pairwise(firsts) if a < b]


def f1(documents: list[Document], split: Split) -> tuple[float, float]:
    """The F1 of tokens and of sentences, in per cent."""
    totals = [[0, 0], [0, 0]]
    for document in documents:
        for total, gold, found in zip(totals, golden(document), split(document.text), strict=True):
            total[0] += 2 * len(set(gold) & set(found))
            total[1] += len(gold) + len(found)
    tokens, sentences = (100 * right / every for right, every in totals)
    return tokens, sentences


def by_characters(document: Document, gold: Document) -> Document:
    """A document with one token for each character, so that other tokens can be compared."""
    size = len(gold.text)
    entities = tuple(
        Entity(tuple(
            Mention(tuple(Span(document.starts[s.start], document.ends[s.end - 1]) for s in m.spans))
            for m in entity.mentions if not set(range(m.start, m.end)) <= set(document.zeros)
        )) for entity in document.entities
    )  # fmt: skip
    return Document(
        gold.id, gold.text, tuple(gold.text), tuple(range(size)), tuple(range(1, size + 1)), (0,),
        tuple(entity for entity in entities if entity.mentions),
    )  # fmt: skip


def conll(documents: list[Document], scheme: str, tokens: bool) -> float:
    """CoNLL F1 of the shipped model, on plain text or on the tokens of the corpus."""
    resolver = coindex.load(scheme=scheme, singletons=True)
    bare = (Document(d.id, d.text, d.tokens, d.starts, d.ends, d.sentences) for d in documents)
    found = resolver.resolve(bare if tokens else (document.text for document in documents))
    pairs = list(zip(documents, found, strict=True))
    gold = [by_characters(document, document) for document, _ in pairs]
    return (
        score(gold, [by_characters(d, g) for g, d in pairs], metrics=["conll"]).scores["conll"].f1
    )


def dev_corpora() -> dict[str, list[Document]]:
    """The dev documents of both corpora; none, with the reason printed, where they are missing."""
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    try:
        return {"gum": list(gum()), "litbank": list(litbank())}
    except CoindexError as error:
        print(f"skipped: {error}")
        return {}


def main() -> int:
    corpora = dev_corpora()
    if not corpora:
        return 0
    means = []
    for name, split in (("coindex", ours), ("spaCy", spacys())):
        scores = {corpus: f1(documents, split) for corpus, documents in corpora.items()}
        means.append(sum(tokens for tokens, _ in scores.values()))
        text = "\n\n".join(d.text for d in corpora["litbank"])
        print(f"{name:>8}: " + ", ".join(
            f"{corpus} tokens {tokens:.2f}, sentences {sentences:.2f}"
            for corpus, (tokens, sentences) in scores.items()
        ) + f"; {len(text) / fastest(partial(split, text), 3) / 1e6:.2f} million characters/s")  # fmt: skip
    if "--resolve" in sys.argv:
        for corpus, documents in corpora.items():
            plain, given = (conll(documents, corpus, tokens) for tokens in (False, True))
            print(f"{corpus}: CoNLL F1 {plain:.2f} on plain text, {given:.2f} on gold tokens")
    return int(means[0] < means[1])


if __name__ == "__main__":
    sys.exit(main())

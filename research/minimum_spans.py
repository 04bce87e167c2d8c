"""Minimum spans against the MINA authors' program: words, noisy boundaries, peculiarities.

    python -m research.minimum_spans ontogum.dev ontogum.test gum.dev

Prints JSON for each file of `mina/` in the folder of corpora:

words          spans whose minimum span has the words of the authors' program, of how many
positions      pairs of spans with the same tokens in their minimum spans that the program keeps
               apart, and with different tokens that it takes for one
conll          CoNLL F1 of noisy responses, by seed: half of the mentions are cut or extended by a
               word. `listed` takes only spans whose words are stored; `authors` scores these words.
               `any` takes any span; `program` scores the program's identities, positions included

The program identifies a chunk of words by its text and one position: that of its last word, or of
the word after it if a phrase begins there within the mention. A mention that keeps all its words
is identified by them and by their positions in the mention, so that two `that` in a sentence are
one mention. We identify mentions by the tokens of their minimum spans.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import coindex
from coindex import Document, Entity, Mention, formats, io
from coindex.scoring.matching.builtin import mina

Bounds = tuple[int, int]
Words = dict[tuple[str, int, int], list[str]]
"""The words of the authors' program, by document and span."""
Identity = Callable[[Document, Mention], Hashable]

SEEDS = range(1, 6)


def load_documents(data: Path, name: str) -> list[Document]:
    """The documents of a file of GUM or OntoGUM."""
    found = formats.read(data / "gum" / f"{name}.gold_conll.xz")
    return [item for item in found if isinstance(item, Document)]


def load_words(data: Path, name: str) -> Words:
    """The stored words of the authors' program."""
    lines = io.read_text(str(data / "mina" / f"{name}.jsonl.xz")).splitlines()
    rows = map(json.loads, lines)
    return {(row["doc"], row["start"], row["end"]): row["minimum"] for row in rows}


def variants(document: Document, mention: Mention) -> Iterator[Bounds]:
    """The spans that are a word shorter or longer than a mention, within its sentence."""
    start, end = mention.start, mention.end
    at = bisect_right(document.sentences, start)
    first = document.sentences[at - 1]
    last = (*document.sentences, len(document))[at]
    for one, two in ((start - 1, end), (start + 1, end), (start, end - 1), (start, end + 1)):
        if first <= one < two <= last:
            yield one, two


def add_noise(
    document: Document, rng: random.Random, allowed: Collection[Bounds] | None = None
) -> Document:
    """The document with half of its mentions cut or extended by a word.

    No mention takes the span of another. With `allowed`, only these spans are taken, and fewer
    mentions may be changed.
    """
    mentions = {(m.start, m.end): m for m in document.mentions if not m.discontinuous}
    choices = {
        bounds: [new for new in variants(document, mention) if allowed is None or new in allowed]
        for bounds, mention in mentions.items()
    }
    order = [bounds for bounds, free in choices.items() if free]
    rng.shuffle(order)
    taken = set(mentions)
    moved: dict[Bounds, Mention] = {}
    for bounds in order:
        free = [new for new in choices[bounds] if new not in taken]
        if free and len(moved) < len(mentions) // 2:
            new = rng.choice(free)
            taken.add(new)
            moved[bounds] = Mention.at(*new)
    entities = (
        Entity(tuple(moved.get((m.start, m.end), m) for m in entity.mentions), entity.id)
        for entity in document.entities
    )
    return replace(document, entities=tuple(entities))


def our_identity(document: Document, mention: Mention) -> Hashable:
    """The tokens of our minimum span."""
    return document.key, mina.minimum_span(document, mention.start, mention.end)


def authors_identity(words: Words) -> Identity:
    """A function for the tokens of the authors' words: ours if the words are the same, or else
    the first ones from the left that have these words."""

    def identity(document: Document, mention: Mention) -> Hashable:
        stored = words[document.key, mention.start, mention.end]
        tokens = mina.minimum_span(document, mention.start, mention.end)
        if [document.tokens[token] for token in tokens] != stored:
            rest = iter(range(mention.start, mention.end))
            tokens = tuple(next(t for t in rest if document.tokens[t] == word) for word in stored)
        return document.key, tokens

    return identity


def program_identity(document: Document, mention: Mention) -> Hashable:
    """What the program compares: texts and positions of chunks, and the sentence."""
    start, end = mention.start, mention.end
    sentence = bisect_right(document.sentences, start)
    chunks = mina.search_chunks(document, start, end)
    if not chunks:
        whole = enumerate(document.tokens[start:end])
        return document.key, sentence, frozenset((text, at) for at, text in whole)
    first = document.sentences[sentence - 1]
    texts = (
        (" ".join(document.tokens[t] for t in chunk), _position(document, chunk[-1], end) - first)
        for chunk in chunks
    )
    return document.key, sentence, frozenset(texts)


def _position(document: Document, last: int, end: int) -> int:
    """The position of a chunk with this last word in a mention up to `end`."""
    closed = ")" in (document.parse or ())[last]
    return last if closed or last + 1 == end else last + 1


def conll(pairs: Iterable[tuple[Document, Document]], identity: Identity) -> float:
    """The CoNLL F1 under identities of mentions that are given."""
    sides: tuple[list[set[Hashable]], list[set[Hashable]]] = ([], [])
    for pair in pairs:
        for document, clusters in zip(pair, sides, strict=True):
            for entity in document.entities:
                clusters.append({identity(pair[0], m) for m in entity.mentions})
    return float(coindex.score(*sides, metrics="conll").scores["conll"].f1)


def score_noise(documents: Sequence[Document], words: Words) -> dict[str, dict[str, list[float]]]:
    """CoNLL F1 of noisy responses under each reading, by seed."""
    found: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    allowed: defaultdict[str, set[Bounds]] = defaultdict(set)
    for name, start, end in words:
        allowed[name].add((start, end))
    for seed in SEEDS:
        for kind, spans in (("listed", allowed), ("any", None)):
            rng = random.Random(seed)
            noisy = [add_noise(d, rng, None if spans is None else spans[d.key]) for d in documents]
            rows = found[kind]
            for rule in ("exact", "mina", "mina-strict"):
                result = coindex.score(documents, noisy, match=rule, metrics="conll")
                rows[rule].append(result.scores["conll"].f1)
            pairs = list(zip(documents, noisy, strict=True))
            if spans is not None:
                rows["authors"].append(conll(pairs, authors_identity(words)))
            rows["program"].append(conll(pairs, program_identity))
    return {kind: dict(rows) for kind, rows in found.items()}


def count_words(documents: Sequence[Document], words: Words) -> tuple[int, int]:
    """How many spans have the words of the authors' program, and how many there are."""
    known = {document.key: document for document in documents}
    equal = 0
    for (name, start, end), stored in words.items():
        tokens = mina.minimum_span(known[name], start, end)
        equal += [known[name].tokens[token] for token in tokens] == stored
    return equal, len(words)


def count_positions(documents: Sequence[Document], words: Words) -> dict[str, int]:
    """Pairs of spans that only one of our tokens and the program's positions keeps apart."""
    known = {document.key: document for document in documents}
    ours, theirs = (defaultdict[Hashable, list[Hashable]](list) for _ in range(2))
    for name, start, end in words:
        mention = Mention.at(start, end)
        one, two = our_identity(known[name], mention), program_identity(known[name], mention)
        ours[one].append(two)
        theirs[two].append(one)
    return {
        "pairs with the same tokens": sum(len(g) * (len(g) - 1) // 2 for g in ours.values()),
        "kept apart by the program": sum(_unequal(group) for group in ours.values()),
        "different tokens, one for the program": sum(_unequal(group) for group in theirs.values()),
    }


def _unequal(group: Sequence[Hashable]) -> int:
    return sum(one != two for one, two in combinations(group, 2))


def report(data: Path, name: str) -> dict[str, object]:
    """All figures of one file."""
    documents, words = load_documents(data, name), load_words(data, name)
    gold = {
        (document.key, mention.start, mention.end)
        for document in documents
        for mention in document.mentions
    }
    return {
        "words": count_words(documents, words),
        "positions": count_positions(documents, words),
        "positions of gold mentions": count_positions(
            documents, {span: each for span, each in words.items() if span in gold}
        ),
        "conll": score_noise(documents, words),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report of each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    data = Path(os.environ.get("COINDEX_DATA", "../shared/data"))
    found = {name: report(data, name) for name in options.files}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

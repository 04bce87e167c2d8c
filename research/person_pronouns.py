"""First- and second-person pronouns: how often a resolver links them to the right person.

    python -m research.person_pronouns email/email.train.gold_conll.xz
    python -m research.person_pronouns --plain character-identification/FILE

A pronoun is right if the gold entity that is most frequent among the mentions of its predicted
entity is its own. With `--plain` each turn is written as a line `Name: ...` and resolved as plain
text, so that speakers have to be found. Prints JSON. `coindex.load` and `coindex.read` are all that
is used, so that it runs with any version of coindex that `PYTHONPATH` names. These corpora are for
reports: nothing is tuned on them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import coindex
from coindex import Document

PRONOUNS = frozenset(["i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself"])
Clusters = dict[tuple[int, int], str]
"""The entity of each mention, by its characters."""


def plain_lines(document: Document) -> tuple[str, dict[int, int]]:
    """A document as lines `Name: ...`, and where each of its tokens begins there."""
    text, starts = "", dict[int, int]()
    speakers = document.speakers or ("",) * len(document)
    for speaker, group in groupby(range(len(document)), key=lambda at: speakers[at]):
        text += f"{speaker}: " if speaker else ""
        for at in group:
            starts[at] = len(text)
            text += document.tokens[at] + " "
        text = text[:-1] + "\n"
    return text, starts


def clusters(document: Document, starts: dict[int, int] | None = None) -> Clusters:
    """The entities of mentions; `starts` moves tokens to other characters."""
    found: Clusters = {}
    for number, entity in enumerate(document.entities):
        for mention in entity.mentions:
            first, last = mention.start, mention.end - 1
            if starts is None:
                place = document.starts[first], document.ends[last]
            else:
                place = starts[first], starts[last] + len(document.tokens[last])
            found.setdefault(place, str(number))
    return found


def count_right(gold: Clusters, predicted: Clusters, text: str) -> tuple[int, int]:
    """How many pronouns are right, and how many there are."""
    votes: dict[str, Counter[str]] = {}
    for place, entity in predicted.items():
        if place in gold:
            votes.setdefault(entity, Counter())[gold[place]] += 1
    right = total = 0
    for place, entity in gold.items():
        if text[slice(*place)].lower() not in PRONOUNS:
            continue
        total += 1
        own = votes.get(predicted.get(place, ""), Counter())
        right += bool(own) and own.most_common(1)[0][0] == entity
    return right, total


def report(documents: Sequence[Document], plain: bool) -> dict[str, float]:
    """The share of right pronouns over documents."""
    resolver = coindex.load()
    right = total = 0
    for document in documents:
        if plain:
            text, starts = plain_lines(document)
            gold = clusters(document, starts)
            predicted = clusters(resolver.resolve(text))
        else:
            text, gold = document.text, clusters(document)
            predicted = clusters(resolver.resolve(document))
        some, count = count_right(gold, predicted, text)
        right, total = right + some, total + count
    return {"pronouns": total, "right": right, "percent": round(100 * right / max(total, 1), 2)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report of a corpus file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("file")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args(arguments)
    folder = Path(os.environ.get("COINDEX_DATA", "../shared/data"))
    documents = [d for d in coindex.read(folder / options.file) if isinstance(d, Document)]
    found = {"file": options.file, **report(documents, options.plain)}
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

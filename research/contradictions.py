"""Clusters that contradict themselves, before and after a change of the resolver.

    python -m research.contradictions texts probes:dev -o probes.jsonl
    python -m research.contradictions texts wikipedia -o wikipedia.jsonl
    PYTHONPATH=OLD/src python -m research.contradictions resolve wikipedia.jsonl -o old.jsonl
    PYTHONPATH=src python -m research.contradictions resolve wikipedia.jsonl -o new.jsonl
    python -m research.contradictions count old.jsonl new.jsonl

`texts` writes texts as JSON lines with `id` and `text`: a half of the probes, or 200 articles of
`COINDEX_DATA/wikipedia`. The articles are those of 200 to 2,000 words whose ids have the smallest
hash with a seed, so that they are the same wherever this is run. `resolve` uses nothing but
`coindex.load` and `coindex.write`, so that it runs with any version of coindex that `PYTHONPATH`
names. `count` prints JSON: for each file of resolved documents, in any format, the clusters, those
that contradict themselves, their rate per 1,000 with a 95 % interval, and each kind. Speakers that a
version has found are left out, so that all files are judged by their texts alone.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path
from typing import Any

import coindex

ARTICLES = 200
SEED = 19
WORDS = range(200, 2001)
SHOWN = 20
_HEAD = re.compile(r'<doc id="(\d+)"[^>]*>')


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its id."""

    id: str
    text: str


def articles(lines: Iterable[str]) -> Iterator[Text]:
    """The articles of a file of WikiExtractor, without their titles."""
    id, body = "", list[str]()
    for line in lines:
        match = _HEAD.match(line)
        if match:
            id, body = match[1], []
        elif line.startswith("</doc>"):
            yield Text(id, "".join(body[1:]).strip())
        else:
            body.append(line)


def choose(texts: Iterable[Text], number: int = ARTICLES, seed: int = SEED) -> list[Text]:
    """The texts of a fitting length with the smallest hashes; any order of them gives the same."""

    def rank(text: Text) -> str:
        return sha256(f"{seed}:{text.id}".encode()).hexdigest()

    return nsmallest(number, (t for t in texts if len(t.text.split()) in WORDS), key=rank)


def wikipedia(folder: Path) -> Iterator[Text]:
    """All articles of the extracts in a folder."""
    for path in sorted(folder.glob("wikiextractor-*.txt.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            yield from articles(lines)


def probes(split: str) -> list[Text]:
    """The texts of one half of the probes."""
    from coindex import benchmarks

    documents = benchmarks.load_documents("probes").documents(split)
    return [Text(document.id, document.text) for document in documents]


def named_texts(name: str) -> list[Text]:
    """The texts that a name stands for: `wikipedia`, `probes:dev` or `probes:test`."""
    kind, _, split = name.partition(":")
    if kind == "probes":
        return probes(split or "dev")
    return choose(wikipedia(Path(os.environ.get("COINDEX_DATA", "../shared/data")) / kind))


def read_texts(lines: Iterable[str]) -> Iterator[Text]:
    """The texts of JSON lines."""
    for line in lines:
        fields = json.loads(line)
        yield Text(fields["id"], fields["text"])


def resolve(
    texts: Iterable[Text], model: str | None = None, scheme: str | None = None
) -> Iterator[coindex.Document]:
    """The texts as documents with their entities."""
    resolver = coindex.load(model, scheme=scheme)
    return resolver.stream(coindex.Document(text.id, text.text) for text in texts)


def counts_json(documents: Sequence[coindex.Document]) -> dict[str, Any]:
    """The contradictions of resolved documents, and the first of each kind in words."""
    from coindex.benchmarks.accuracy import wilson
    from coindex.scoring.contradictions import contradictions, count

    bare = [replace(document, speakers=None) for document in documents]
    counted = count(bare)
    interval = wilson(counted.contradictory, counted.clusters)
    examples: dict[str, list[str]] = {}
    for document in bare:
        for each in contradictions(document):
            shown = examples.setdefault(each.kind, [])
            if len(shown) < SHOWN:
                shown.append(f"{each.document}: {each.reason}")
    return {
        "documents": counted.documents,
        "words": sum(len(document) for document in bare),
        "clusters": counted.clusters,
        "contradictory": counted.contradictory,
        "per 1,000 clusters": counted.rate,
        "95 % interval": [10 * interval.low, 10 * interval.high],
        "kinds": dict(counted.kinds),
        "examples": examples,
    }


def main(arguments: Sequence[str]) -> int:
    """One of the three commands."""
    parser = argparse.ArgumentParser(prog="python -m research.contradictions")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, number in (("texts", None), ("resolve", None), ("count", "+")):
        command = commands.add_parser(name)
        command.add_argument("sources", nargs=number)
        command.add_argument("-o", "--output", default=None, required=name != "count")
        if name == "resolve":
            command.add_argument("--model")
            command.add_argument("--scheme")
        if name == "count":
            command.add_argument("--no-examples", action="store_true")
    options = parser.parse_args(arguments)
    COMMANDS[options.command](options)
    return 0


def _write_texts(options: argparse.Namespace) -> None:
    lines = (json.dumps(asdict(text), ensure_ascii=False) for text in named_texts(options.sources))
    Path(options.output).write_text("\n".join([*lines, ""]), encoding="utf-8")


def _resolve(options: argparse.Namespace) -> None:
    lines = Path(options.sources).read_text(encoding="utf-8").split("\n")
    texts = read_texts(line for line in lines if line)
    coindex.write(options.output, resolve(texts, options.model, options.scheme), "document-jsonl")


def _count(options: argparse.Namespace) -> None:
    result = {}
    for path in options.sources:
        documents = [item for item in coindex.read(path) if isinstance(item, coindex.Document)]
        result[path] = counts_json(documents)
        if options.no_examples:
            del result[path]["examples"]
    text = json.dumps(result, ensure_ascii=False, indent=2) + "\n"
    if options.output:
        Path(options.output).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


COMMANDS = {"texts": _write_texts, "resolve": _resolve, "count": _count}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

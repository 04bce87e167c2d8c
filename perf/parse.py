"""How fast texts are parsed, against spaCy's pipeline on the same texts.

`python perf/parse.py [FOLDER]`: the shipped parser, or one in a folder, on two threads; spaCy's
own pipeline with all its components is the baseline, in the same run and in turns. The text is the openings
of novels in LitBank. Then one sentence of 2,000 words, against as many words in sentences of
usual length: very long sentences are parsed in parts.

Limits: at least 1,500 words a second, or as many as spaCy where the machine is busy; a word
of the long sentence costs at most 5 times a word of the others; peak memory below 1 GB more than
before. Exits with 1 if one is missed.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from _timing import fastest, in_turns

from coindex import datasets, formats
from coindex.assets import DEFAULT_MODEL
from coindex.errors import CoindexError
from coindex.models.parser.infer import ParserEngine
from coindex.text.parsing.spacy_pipeline import choose_pipeline
from coindex.types.document import Document

WORDS = 10_000
THREADS = 2
SPEED, RATIO, LONG, MEMORY = 1_500, 1.0, 5.0, 1.0


def documents(size: int) -> list[Document]:
    """About that many words of LitBank, without trees."""
    found: list[Document] = []
    for path in sorted(datasets.paths("litbank", "conll")):
        found += [item for item in formats.read(path) if isinstance(item, Document)]
        if sum(map(len, found)) >= size:
            break
    return found


def spacy_pipeline(texts: Sequence[str]) -> Callable[[], object]:
    """spaCy's whole pipeline on texts, ready to run."""
    import spacy

    nlp = spacy.load(choose_pipeline().name)
    list(nlp.pipe(texts[:1]))
    return lambda: list(nlp.pipe(texts))


def _drain(engine: ParserEngine, given: Sequence[Document]) -> None:
    list(engine.parse(given))


def rate(engine: ParserEngine, given: Sequence[Document]) -> float:
    """Words a second of the parser."""
    return sum(map(len, given)) / fastest(partial(_drain, engine, given), 3)


def memory() -> float:
    """The peak memory of this process so far, in gigabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def main() -> int:
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_MODEL
    try:
        engine, given = ParserEngine(folder, THREADS), documents(WORDS)
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    count = sum(map(len, given))
    before = memory()
    _drain(engine, given)
    tokens = [token for document in given for token in document.tokens][:2_000]
    usual = rate(engine, [Document.of("d", [tokens[at : at + 20] for at in range(0, 2_000, 20)])])
    long = usual / rate(engine, [Document.of("d", [tokens])])
    grown = memory() - before
    baseline = spacy_pipeline([document.text for document in given])
    ours, theirs = in_turns(partial(_drain, engine, given), baseline, repeats=5)
    speed, ratio = count / ours, theirs / ours
    print(f"{count:,} words: {speed:,.0f} words/s on {THREADS} threads"
          f"   (limit {SPEED:,})")  # fmt: skip
    print(f"{ratio:.2f} x spaCy's {count / theirs:,.0f} words/s   (limit {RATIO})")
    print(f"a word of a sentence of 2,000 costs {long:.2f} x a usual one   (limit {LONG})")
    print(f"{grown:.2f} GB more than before   (limit {MEMORY})")
    slow = speed < SPEED and ratio < RATIO
    return int(slow or long > LONG or grown > MEMORY)


if __name__ == "__main__":
    sys.exit(main())

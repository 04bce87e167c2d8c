"""How fast texts are resolved, against tagging and parsing the same texts.

`python perf/resolve.py [MODEL]`: the shipped model, or one in a folder, on two
threads; spaCy's own pipeline with all its components on the same texts is the
baseline, in the same run. Texts are the openings of novels in LitBank, joined to
1,000, 10,000, 100,000 and 200,000 words. Then the time from the start of a process
to its first answer, against a process that only imports numpy and onnxruntime.

Limits: at least half as many words a second as spaCy; the time a word takes at 200,000
words within 30 % of that at 1,000; the rules of agreement, speakers and markup cost at most
15 % of what texts cost without them; peak memory below 1 GB (another model: 2 GB); a cold start of at most
1.5 s or 5 times the imports. Exits with 1 if one is missed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

from _timing import fastest

import coindex
from coindex import datasets
from coindex.errors import CoindexError
from coindex.resolvers import ResolverSettings
from coindex.resolvers.builtin import neural
from coindex.text.parsing.spacy_pipeline import choose_pipeline
from coindex.transform.edit import retokenize
from coindex.types.document import Document

SIZES = (1_000, 10_000, 100_000, 200_000)
THREADS = 2
START = "import coindex; coindex.load({model!r}, threads=2).resolve('Ann lost her keys.')"
IMPORTS = "import numpy, onnxruntime"


def words(size: int) -> Document:
    """About that many words of LitBank as one text, as a reader would paste it."""
    texts: list[str] = []
    count = 0
    while count < size:
        for path in sorted(p for p in datasets.paths("litbank", "brat") if p.suffix == ".txt"):
            text = path.read_text(encoding="utf-8")
            texts.append(text)
            count += len(text.split())
            if count >= size:
                break
    cut = " ".join(texts).split(" ")
    return retokenize(Document(str(size), " ".join(cut[: size + size // 10])), ())


def tagging(text: str) -> float:
    """Words a second of spaCy's whole pipeline."""
    import spacy

    nlp = spacy.load(choose_pipeline().name)
    parts = [text[at : at + 20_000] for at in range(0, len(text), 20_000)]
    list(nlp.pipe(parts[:1]))
    return len(text.split()) / fastest(lambda: list(nlp.pipe(parts)), 3)


def _drain(resolver: neural.NeuralResolver, document: Document) -> None:
    list(resolver.resolve([document]))


def rules_cost(text: str, model: str | None) -> float:
    """The time of a text with rules, speakers and markup, over the time of the network alone."""
    plain = coindex.load(model, threads=THREADS, rules="none", speakers="none", markup="none")
    full = coindex.load(model, threads=THREADS)
    without = min(fastest(partial(plain.resolve, text), 1) for _ in range(3))
    return min(fastest(partial(full.resolve, text), 1) for _ in range(3)) / without


def cold(code: str) -> float:
    """Seconds of a whole process."""
    run = [sys.executable, "-c", code]
    return fastest(lambda: subprocess.run(run, check=True, capture_output=True), 5)


def main() -> int:
    default = Path(__file__).parents[2] / "shared" / "data"
    if default.is_dir():
        os.environ.setdefault("COINDEX_DATA", str(default))
    model = sys.argv[1] if len(sys.argv) > 1 else None
    try:
        resolver = neural.load(ResolverSettings(model=model, threads=THREADS))
        texts = {size: words(size) for size in SIZES}
    except CoindexError as error:
        print(f"skipped: {error}")
        return 0
    missed = []
    rates = {}
    for size, document in texts.items():
        repeats = 3 if size <= 10_000 else 1
        count = len(document.text.split())
        (found,) = resolver.resolve([document])
        rates[size] = count / fastest(partial(_drain, resolver, document), repeats)
        print(f"{count:>8,} words: {rates[size]:,.0f} words/s, {len(found.mentions):,} mentions")
    flat = rates[SIZES[0]] / rates[SIZES[-1]]
    print(f"a word at {SIZES[-1]:,} costs {flat:.2f} x a word at {SIZES[0]:,}   (limit 1.30)")
    missed += ["flat"] if flat > 1.30 else []
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    limit = 1 if model is None else 2
    print(f"peak memory {memory:.2f} GB   (limit {limit})")
    missed += ["memory"] if memory > limit else []
    cost = rules_cost(texts[10_000].text, model)
    print(f"rules, speakers and markup: {cost:.2f} x the network alone   (limit 1.15)")
    missed += ["rules"] if cost > 1.15 else []
    baseline = tagging(texts[10_000].text)
    ratio = rates[10_000] / baseline
    print(f"{ratio:.2f} x spaCy's {baseline:,.0f} words/s   (limit 0.50)")
    missed += ["speed"] if ratio < 0.5 else []
    first, imports = cold(START.format(model=model)), cold(IMPORTS)
    print(f"cold start {first:.2f} s, {first / imports:.1f} x importing numpy and onnxruntime"
          f"   (limit {max(1.5, 5 * imports):.2f} s)")  # fmt: skip
    missed += ["start"] if first > max(1.5, 5 * imports) else []
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

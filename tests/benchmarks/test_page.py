"""docs/reference/benchmarks.md says what the benchmarks state; run this file to renew it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from coindex import benchmarks, datasets
from coindex.benchmarks.protocol import Benchmark

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "benchmarks.md"
MARK = "<!-- from here on made by tests/benchmarks/test_page.py -->\n"


def made() -> str:
    """The part of the page that is made from the modules."""
    return "\n".join(section(name) for name in benchmarks.names())


def section(name: str) -> str:
    if benchmarks.kind_of(name) == "documents":
        return document_section(name)
    module = benchmarks.load(name)
    splits = ", ".join(f"`{split}` {count:,}" for split, count in module.SPLITS.items())
    corpora = "; ".join(f"`{each}` ({datasets.load(each).licence})" for each in module.CORPUS)
    lines = [
        f"## {name}",
        "",
        f"**{module.TITLE}.**",
        *module.PROTOCOL.rstrip("\n").splitlines(),
        "",
        f"- Splits: {splits}; run by default: `{module.DEFAULT}`",
        f"- Corpora and their licences: {corpora}",
        f"- Candidates: {' or '.join(module.CANDIDATES)}; context: {' or '.join(module.CONTEXTS)}",
        f"- Figures, the first to rank by: {', '.join(module.METRICS)}",
        f"- Chance: {module.CHANCE.value:g}: {module.CHANCE.why}",
        *published(module),
        "",
    ]
    return "\n".join(lines)


def document_section(name: str) -> str:
    """A benchmark of documents; one without a corpus comes with coindex."""
    module = benchmarks.load_documents(name)
    splits = ", ".join(f"`{split}` {count:,}" for split, count in module.SPLITS.items())
    lines = [
        f"## {name}",
        "",
        f"**{module.TITLE}.**",
        *module.PROTOCOL.rstrip("\n").splitlines(),
        "",
        f"- Splits: {splits}; run by default: `{module.DEFAULT}`",
        f"- Corpora: {', '.join(module.CORPUS) or 'none; the texts are part of coindex'}",
        f"- Figures, the first to rank by: {', '.join(module.METRICS)}",
        "",
    ]
    return "\n".join(lines)


def published(module: Benchmark) -> Iterator[str]:
    sources: dict[str, list[str]] = {}
    for row in module.PUBLISHED:
        sources.setdefault(row.source, []).append(row.split)
    if not sources:
        yield "- Published rows: none in the five papers"
        return
    yield "- Published rows:"
    for source, splits in sources.items():
        on = " and ".join(f"`{split}`" for split in dict.fromkeys(splits))
        count = len(splits) // len(set(splits))
        yield f"  - {source}: {count} systems on {on}"


def test_the_page_says_what_the_modules_state() -> None:
    told = PAGE.read_text(encoding="utf-8")
    assert told.count(MARK) == 1
    assert told.partition(MARK)[2] == f"\n{made()}", f"run python {Path(__file__).name}"


def test_the_list_at_the_top_is_whole() -> None:
    top = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    for name in benchmarks.names():
        assert f"| [`{name}`](#{name}) |" in top


if __name__ == "__main__":
    hand = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(f"{hand}{MARK}\n{made()}", encoding="utf-8")

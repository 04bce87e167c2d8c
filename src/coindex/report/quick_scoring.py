"""Two CoNLL-2012 files scored without making documents, if the options allow it.

This is what `coindex score KEY RESPONSE` does with the files of most experiments; see
`coindex.scoring.conll_arrays`. Everything else is left to the full readers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from threading import Thread

from coindex import io, plugins
from coindex.formats.conll_cells import is_semeval
from coindex.report.score_report import ScoreReport, ScoreReportOptions
from coindex.scoring import metrics
from coindex.scoring.conll_arrays import read_pair
from coindex.scoring.conll_lines import MAGIC
from coindex.scoring.scorer import counted_metrics, score_stack

CONLL = "conll2012"
"""The format that is read here."""

RULE = "exact"
"""The matching rule that needs nothing but spans."""


def score_files(
    key: str, response: str, options: ScoreReportOptions, name: str, *, sure: bool = False
) -> ScoreReport | None:
    """The report on two files; None if documents are needed, or the files are unusual.

    With `sure` the format of the files was named by the user.
    """
    if not _tables_suffice(options) or not (sure or plugins.only_builtin("formats")):
        return None
    if not (_looks_like_conll(key) and _looks_like_conll(response)):
        return None
    reading = _read_ahead(key), _read_ahead(response)
    import_module("numpy.random")  # the intervals need it; it is loaded while the files are read
    files = reading[0](), reading[1]()
    if any(is_semeval(_first_lines(data)) for data in files):
        return None
    found = read_pair(files[0], files[1], options.singletons)
    if found is None:
        return None
    result = score_stack(*found, options.scoring(RULE), name)
    return ScoreReport({RULE: [result]}, options)


def _tables_suffice(options: ScoreReportOptions) -> bool:
    """Whether contingency tables are all that is needed."""
    shown = options.by_type or options.errors or options.explain is not None
    scored = options.relation == "identity" and options.split_antecedents == "drop"
    known = plugins.builtin_names("metrics")
    stacked = all(
        name in known and metrics.load_counting(name).count_stack is not None
        for name in counted_metrics(options.metrics)
    )
    return not shown and scored and stacked and options.rules in (None, (RULE,))


def _looks_like_conll(path: str) -> bool:
    """Whether a file begins as CoNLL-2012 does."""
    if not os.path.isfile(path):
        return False
    with io.open_binary(path) as raw:
        return raw.read(len(MAGIC)) == MAGIC


def _read_ahead(path: str) -> Callable[[], bytes]:
    """Begin to read a file in the background; what is returned waits for its bytes.

    Reading does not hold the interpreter's lock, so that other work goes on meanwhile.
    """
    found: list[bytes | BaseException] = []

    def read() -> None:
        try:
            found.append(io.read_bytes(path))
        except BaseException as error:  # raised where the bytes are asked for
            found.append(error)

    def wait() -> bytes:
        thread.join()
        (content,) = found
        if isinstance(content, BaseException):
            raise content
        return content

    thread = Thread(target=read)
    thread.start()
    return wait


def _first_lines(data: bytes) -> list[str]:
    return data[:10_000].decode(errors="replace").split("\n")

"""Rows of the papers' tables.

The numbers are as the papers print them; a test finds each row in the paper's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coindex.benchmarks.protocol import Published

GAP = "Webster et al. 2018"
KNOWREF = "Emami et al. 2019"
WIKICREM = "Kocijan et al. 2019 (WikiCREM)"

_COLUMNS = (
    *("gap f1", "gap feminine", "gap masculine", "gap bias", "dpr", "wsc", "wnli"),
    *("type 1 anti", "type 1 pro", "type 2 anti", "type 2 pro", "winogender", "pdp"),
)
_TABLE = {
    "SOTA": (72.1, 71.4, 72.8, 0.98, 76.4, 72.5, 74.7, 60.6, 74.9, 78.0, 88.6, 50.9, 74.0),
    "BERT": (50.0, 47.2, 52.7, 0.90, 59.8, 61.9, 65.8, 61.3, 60.3, 76.2, 75.8, 59.2, 71.7),
    "BERT_WIKIRAND": (
        *(55.1, 51.8, 58.2, 0.89, 59.2, 59.3, 65.8),
        *(53.5, 52.5, 64.6, 65.2, 57.9, 73.3),
    ),
    "BERT_WIKICREM": (
        *(59.0, 57.5, 60.5, 0.95, 67.4, 63.4, 67.1),
        *(65.2, 64.9, 95.7, 94.9, 66.7, 76.7),
    ),
    "BERT_GAP": (75.2, 75.1, 75.3, 1.00, 66.8, 63.0, 68.5, 64.6, 63.8, 88.1, 87.9, 67.5, 85.0),
    "BERT_WIKICREM_GAP": (
        *(77.4, 78.4, 76.4, 1.03, 71.1, 64.1, 70.5),
        *(71.2, 70.5, 97.2, 98.2, 75.4, 83.3),
    ),
    "BERT_DPR": (60.9, 61.3, 60.6, 1.01, 83.3, 67.0, 71.9, 78.0, 78.2, 85.6, 86.4, 79.2, 81.7),
    "BERT_GAP_DPR": (
        *(70.0, 70.4, 69.5, 1.01, 79.4, 65.6, 72.6),
        *(77.8, 76.5, 89.6, 89.1, 75.8, 86.7),
    ),
    "BERT_WIKICREM_DPR": (
        *(64.2, 64.2, 64.1, 1.00, 80.0, 71.8, 74.7),
        *(76.0, 76.3, 81.3, 80.3, 82.1, 76.7),
    ),
    "BERT_ALL": (76.0, 77.4, 74.7, 1.04, 80.1, 70.0, 74.0, 77.8, 77.2, 94.7, 94.9, 78.8, 81.7),
    "BERT_WIKICREM_ALL": (
        *(78.0, 79.4, 76.7, 1.04, 84.8, 70.0, 74.7),
        *(76.8, 75.8, 98.7, 99.0, 76.7, 86.7),
    ),
}

GAP_HEADS = (
    (46.9, 47.4, 45.8, 46.2, 45.8, 45.7),
    (45.3, 46.5, 46.4, 46.2, 49.4, 46.3),
    (45.8, 46.7, 46.3, 46.5, 45.7, 45.9),
    (46.0, 46.3, 46.8, 46.0, 46.6, 48.0),
    (45.7, 46.3, 46.5, 47.8, 45.1, 47.0),
    (47.0, 46.5, 46.5, 45.6, 46.2, 52.9),
    (46.7, 45.4, 46.4, 45.3, 46.9, 47.0),
    (43.8, 46.6, 46.4, 55.0, 46.4, 46.2),
)
"""GAP's Table 8: F1 on validation of each attention head, a row a head, a column a layer."""


def table(
    like: Published, columns: Sequence[str], rows: Mapping[str, Sequence[float]]
) -> tuple[Published, ...]:
    """One row for each system; all else is as in `like`."""
    return tuple(
        replace(like, system=system, figures=tuple(zip(columns, values, strict=True)))
        for system, values in rows.items()
    )


def wikicrem(like: Published, columns: Mapping[str, str], best: str) -> tuple[Published, ...]:
    """The columns of WikiCREM's Table 1, by what they are called here.

    `best` is the system behind the paper's row SOTA, from its section 5; the
    `note` of `like` is on the paper's own systems, not on that one.
    """
    chosen = [(_COLUMNS.index(column), name) for column, name in columns.items()]
    result = []
    for system, values in _TABLE.items():
        figures = tuple((name, values[at]) for at, name in chosen)
        if system == "SOTA":
            own = replace(like, system=f"SOTA ({best})", note="as the paper cites it")
        else:
            own = replace(like, system=system)
        result.append(replace(own, figures=figures, source=f"{WIKICREM}, Table 1"))
    return tuple(result)


def row_template(split: str, source: str = "", note: str = "") -> Published:
    """What the rows of a table share; the systems and their figures come later."""
    return Published("", source, split, (), note=note)

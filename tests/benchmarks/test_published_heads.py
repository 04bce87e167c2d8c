"""GAP's Table 8 is that of the paper, number for number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coindex.benchmarks.published import GAP_HEADS


@pytest.mark.data
def test_every_head_is_in_the_table(data: Path) -> None:
    found = list((data.parent / "papers").glob("001_*.txt"))
    if not found:
        pytest.skip("no papers beside the corpora")
    text = found[0].read_text(encoding="utf-8").partition("Table 8: ")[0]
    rows = re.findall(r"^H(\d) ([\d. ]+)$", text, re.MULTILINE)
    assert [int(head) for head, _ in rows] == list(range(8))
    assert tuple(tuple(map(float, row.split())) for _, row in rows) == GAP_HEADS

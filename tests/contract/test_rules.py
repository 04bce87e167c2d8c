"""Every rule that code can report is one `coindex check` knows and can leave out."""

from __future__ import annotations

import re
from pathlib import Path

import coindex
from coindex.transform.checks import RULES

REPORTED = re.compile(
    r'\.(?:mistake|note|note_once)\(\s*[^,]+,\s*"([a-z-]+)"|TokenFinding\("([a-z-]+)"'
)


def test_rules_are_known_and_used() -> None:
    source = "".join(p.read_text("utf-8") for p in Path(coindex.__file__).parent.rglob("*.py"))
    used = {match[1] or match[2] for match in REPORTED.finditer(source)}
    assert used == set(RULES)

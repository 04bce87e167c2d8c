"""The page that says where things live names only files and folders that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
_NAME = re.compile(r"`([a-z_]+(?:/[a-z0-9_]+)*(?:\.py)?)`")


def test_every_path_exists() -> None:
    package = ROOT / "src" / "coindex"
    names = {name for name in _NAME.findall(PAGE.read_text(encoding="utf-8"))}
    assert len(names) > 40
    missing = sorted(
        name for name in names if not ((package / name).exists() or (ROOT / name).exists())
    )
    assert missing == []

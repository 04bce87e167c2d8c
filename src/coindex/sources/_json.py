"""JSON lines as they come from strangers: one object a line, each a page or a complaint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from coindex.sources._page import Bad, Page, Shard
from coindex.sources._records import Record, texts

Made = Callable[[dict[str, Any], str, Record], Page | Bad]
"""What makes a page of an object, its line and its place."""

JSON = re.compile(r'\s*\{\s*"')


def parsed(line: str) -> Any:
    """The value of a line; None if it is not JSON, or holds what no text can (half characters)."""
    try:
        value = json.loads(line)
        if "\\u" in line:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return value


def pages(shard: Shard, made: Made) -> Iterator[Page | Bad]:
    """A page for each line of a shard; blank lines are passed over."""
    for found in texts(shard):
        if isinstance(found, Bad):
            yield found
            continue
        line, record = found
        item = parsed(line) if line.strip() else None
        if isinstance(item, dict):
            yield made(item, line, record)
        elif line.strip():
            yield record.bad("broken JSON", line[:80])

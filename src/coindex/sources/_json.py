"""JSON as it comes from strangers."""

from __future__ import annotations

import json
import re
from typing import Any

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

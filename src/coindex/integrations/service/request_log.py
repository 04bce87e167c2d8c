"""Structured logs: one JSON object per line, never with a word of the texts.

Messages of errors may quote what was sent, so errors are logged by their code; failures of the
service itself by their type and the places in the code, without their message.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import datetime, timezone
from typing import Any

logger = logging.getLogger(__name__)


def log_event(event: str, *, level: int = logging.INFO, **values: Any) -> None:
    """Log one event with its values."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    name = logging.getLevelName(level).lower()
    row = {"time": now.replace("+00:00", "Z"), "level": name, "event": event, **values}
    logger.log(level, "%s", json.dumps(row))


def log_failure(error: BaseException, **values: Any) -> None:
    """Log a failure of the service itself: a bug."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log_event("failure", level=logging.ERROR, type=type(error).__name__, at=places, **values)

"""Encoders by hub name where there is no network: one quick check instead of many retries.

The hub's library repeats every request that fails, for a minute and with a line each. Whether its
host can be reached is found out once, in seconds; if not, only its cache is read.
"""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coindex.errors import MissingExtra

TIMEOUT = 3.0
"""Seconds to wait for the hub's host."""


def hub_options(name: str) -> dict[str, bool]:
    """The options of `from_pretrained`: only local files for a folder, or without a network."""
    return {"local_files_only": True} if Path(name).is_dir() or not hub_reachable() else {}


def is_gguf(name: str) -> bool:
    """Whether this is a file of llama.cpp's format, with weights and tokenizer."""
    return name.endswith(".gguf") and Path(name).expanduser().is_file()


def check_gguf() -> None:
    """Raise a `MissingExtra` unless GGUF files can be read."""
    for package in ("gguf", "accelerate"):
        if find_spec(package) is None:
            raise MissingExtra(package, "gguf")


def pretrained(name: str) -> dict[str, Any]:
    """The arguments of `from_pretrained` for a hub name, a folder or a GGUF file."""
    if not is_gguf(name):
        return {"pretrained_model_name_or_path": name, **hub_options(name)}
    file = Path(name).expanduser()
    return {
        "pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name,
        "local_files_only": True,
    }  # fmt: skip


@lru_cache(maxsize=1)
def hub_reachable() -> bool:
    """Whether the host of the hub, or the proxy before it, accepts connections."""
    from urllib.request import getproxies

    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        return False
    hub = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    parts = urlsplit(getproxies().get(urlsplit(hub).scheme) or hub)
    try:
        port = parts.port or (80 if parts.scheme == "http" else 443)
        socket.create_connection((parts.hostname or "", port), TIMEOUT).close()
    except (OSError, ValueError):
        return False
    return True


def not_found(name: str, expected: str, reason: str) -> str:
    """One line that says why an encoder could not be loaded."""
    if Path(name).is_dir() or hub_reachable():
        return f"{name}: expected {expected}: {reason}"
    return (
        f"{name}: expected {expected}: there is no such folder, the hub cannot be reached and its"
        ' cache has none of this name; "default" is the encoder that comes with coindex'
    )

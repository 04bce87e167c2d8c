"""The service worker: what a browser needs to show documents without a connection.

Its script is served at the root, so that it may answer for all pages, with the list of static
files and a version that changes with any of them.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from coindex import io

STATIC = Path(__file__).parent / "static"
SCRIPT = "service_worker.js"


@cache
def worker_script() -> str:
    """Return the script with the files to store, and their version."""
    paths = sorted(path for path in STATIC.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(STATIC).as_posix().encode() + io.read_bytes(path))
    files = [f"/static/{path.relative_to(STATIC).as_posix()}" for path in paths]
    listed = {"version": digest.hexdigest()[:16], "files": files}
    script = io.read_bytes(STATIC / SCRIPT).decode()
    return f"self.COINDEX = {json.dumps(listed)};\n{script}"


def service_worker_route() -> Route:
    """Return the route of the script."""

    async def respond(request: Request) -> Response:
        headers = {"Cache-Control": "no-cache"}
        return Response(worker_script(), media_type="text/javascript", headers=headers)

    return Route("/service-worker.js", respond)

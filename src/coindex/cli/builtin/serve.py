"""Serve an HTTP API and a playground page: resolve and score texts, one or many at a time."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import click

from coindex import io
from coindex.cli import common
from coindex.errors import MissingExtra, UsageError

_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of `coindex serve`."""

    host: str
    port: int
    models: tuple[str, ...]
    threads: int | None
    device: str
    workers: int
    token_file: str | None
    cors_origin: tuple[str, ...]
    proxies: str
    max_body: float
    max_batch: float
    max_text: int
    max_documents: int
    max_seconds: float
    max_upload_seconds: float
    max_requests: int


def _named_models(given: tuple[str, ...]) -> tuple[tuple[str, str | None], ...]:
    """Models with the names that requests use: NAME=MODEL, or the last part of the path."""
    named: dict[str, str | None] = {}
    for each in given or (_DEFAULT,):
        name, equals, path = each.partition("=")
        model = path if equals else each
        name = name if equals else each.replace("\\", "/").rstrip("/").rpartition("/")[2]
        if not name or not model:
            raise UsageError(f"--model: expected MODEL or NAME=MODEL, found {each!r}")
        if name in named:
            raise UsageError(f"--model: two models are called {name}: name one with NAME=MODEL")
        named[name] = None if model == _DEFAULT else model
    return tuple(named.items())


@click.command(name="serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8660, show_default=True, type=click.IntRange(0, 65535),
              help="The port to listen on; 0 takes a free one.")  # fmt: skip
@click.option("--model", "models", multiple=True, metavar="[NAME=]MODEL",
              help="A model that requests can choose: an installed one (default, base), a folder or"
                   " a file; may be repeated, and the first is used by default."
                   "  [default: default]")  # fmt: skip
@common.threads_option_for("How many threads each process resolves with.")
@common.device_option
@common.workers_option
@click.option("--token-file", metavar="FILE",
              help="Only answer requests with one of these bearer tokens: one per line, of at least"
                   " 16 ASCII characters without spaces.")  # fmt: skip
@click.option("--cors-origin", multiple=True, metavar="ORIGIN",
              help="Another site whose pages may use the API, such as https://example.org; may be"
                   " repeated.")  # fmt: skip
@click.option("--proxies", default="127.0.0.1", show_default=True, metavar="ADDRESS,...",
              help="Proxies whose X-Forwarded-For is believed.")  # fmt: skip
@click.option("--max-body", default=4.0, show_default=True, type=click.FloatRange(0.001),
              metavar="MB", help="The largest body, and line of a batch.")  # fmt: skip
@click.option("--max-batch", default=64.0, show_default=True, type=click.FloatRange(0.001),
              metavar="MB", help="The largest batch.")  # fmt: skip
@click.option("--max-text", default=200_000, show_default=True, type=click.IntRange(1),
              metavar="N", help="The most characters of all texts of a request, or of one line of a"
                                " batch; more are refused with 413.")  # fmt: skip
@click.option("--max-documents", default=1_000, show_default=True, type=click.IntRange(1),
              metavar="N", help="The most documents of a request, or of one line of a batch; more are"
                                " refused with 413.")  # fmt: skip
@click.option("--max-seconds", default=60.0, show_default=True, type=click.FloatRange(0.1),
              metavar="S", help="The most seconds for an answer, with the time in the queue; after them a"
                                " request is answered with 503.")  # fmt: skip
@click.option("--max-upload-seconds", default=20.0, show_default=True, type=click.FloatRange(0.1),
              metavar="S", help="Time for sending the headers, and for sending a body.")  # fmt: skip
@click.option("--max-requests", default=128, show_default=True, type=click.IntRange(1),
              metavar="N", help="Requests that each process answers or lets wait at the same time;"
                                " more are refused with 429.")  # fmt: skip
@common.typed_options(ServeOptions)
def command(options: ServeOptions) -> None:
    """Serve POST /v1/resolve, /v1/batch and /v1/score, and a page to try them at /.

    The API is described at /docs and /openapi.json; see docs/how-to/service.md. Logs are
    JSON lines on standard error, without the texts. SIGTERM and Ctrl+C finish the
    requests that are being answered.
    """
    for module in ("starlette", "uvicorn", "prometheus_client"):
        if find_spec(module) is None:
            raise MissingExtra(module.replace("_", "-"), "serve")
    from coindex.integrations.service.server import ServerAddress, serve
    from coindex.integrations.service.settings import (
        MEGABYTE,
        ServiceLimits,
        ServiceSettings,
        read_tokens,
    )

    tokens: tuple[bytes, ...] = ()
    if options.token_file is not None:
        with io.open_lines(options.token_file) as lines:
            tokens = read_tokens(lines, options.token_file)
    limits = ServiceLimits(
        int(options.max_body * MEGABYTE), int(options.max_batch * MEGABYTE), options.max_text,
        options.max_documents, options.max_seconds, options.max_upload_seconds,
        options.max_requests,
    )  # fmt: skip
    settings = ServiceSettings(
        _named_models(options.models), options.threads, options.device, tokens,
        options.cors_origin, limits,
    )  # fmt: skip
    serve(settings, ServerAddress(options.host, options.port, options.proxies), options.workers)

"""Plain text: a file, or a folder of them; each file is a page, named after itself.

The text is not altered, except that a byte order mark is taken off and `\\r\\n` becomes
`\\n`. Of a file that ends within its packing, what can be read is the page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from coindex import io
from coindex.sources._files import bundled, bundles
from coindex.sources._page import Bad, Page, Shard
from coindex.sources._records import LIMIT, LONG, LOST, Record
from coindex.sources._unpack import Broken, blocks

ABOUT = "plain text, a page for each file; plain, .gz, .bz2, .xz, .zst"


def sniff(name: str, head: str) -> bool:
    """Whether this is text, and neither JSON nor XML."""
    return bool(head.strip()) and "\0" not in head and not head.lstrip().startswith(("{", "<"))


def shards(path: str, size: int) -> tuple[Shard, ...]:
    """Whole files, put together until they hold `size` bytes."""
    return bundles(path, size)


def read(shard: Shard) -> Iterator[Page | Bad]:
    """A page for each file."""
    for file in bundled(shard):
        yield from _file(file, os.path.relpath(file, shard.path) if file != shard.path else file)


def _file(file: str, name: str) -> Iterator[Page | Bad]:
    record = Record(file, "byte 0", begun=True)
    damages = []
    for event in blocks(file):
        if isinstance(event, Broken):
            damages.append(Bad(file, f"byte {event.offset}", LOST, example=event.reason))
        elif record.size > LIMIT:
            break
        else:
            record.size += len(event.data)
            record.lines.append(event.data)
    record.lines = [b"".join(record.lines)]
    yield from _page(record, name, cut=bool(damages))
    yield from damages


def _page(record: Record, name: str, cut: bool) -> Iterator[Page | Bad]:
    if record.size > LIMIT:
        yield record.bad(LONG, f"more than {LIMIT >> 20} MiB: cut it, or use jsonl")
        return
    if cut:  # the last character may be cut too
        record.lines = [record.lines[0].decode("utf-8", "ignore").encode()]
    text = record.text()
    if isinstance(text, Bad):
        yield text
    elif text.strip():
        title = io.stem(name)
        text = text.replace("\r\n", "\n")
        yield Page(_id(name), title, text, source=record.source, place=record.place)
    elif not cut:
        yield record.bad("no text", skipped=True)


def _id(name: str) -> str:
    """The path below the folder; of a single file, its name."""
    return os.path.basename(name) if os.path.isabs(name) else name.replace(os.sep, "/")

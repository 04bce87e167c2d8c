"""Plain text: a file, or a folder of files, each of which is a page.

The text is not altered, except that a byte order mark is removed and `\\r\\n` becomes
`\\n`. Of a damaged compressed file, the page is what can be read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from coindex import io
from coindex.builders.sources.decompress import DamagedBlock, read_blocks
from coindex.builders.sources.protocol import Page, RejectedInput, Shard
from coindex.builders.sources.records import LIMIT, LONG, LOST, Record
from coindex.builders.sources.sharding import bundled_files, file_bundles

ABOUT = "plain text, a page for each file; plain, .gz, .bz2, .xz, .zst"
shards = file_bundles
GENERIC = True


def sniff(name: str, head: str) -> bool:
    """Whether this is text, and neither JSON nor XML."""
    return bool(head.strip()) and "\0" not in head and not head.lstrip().startswith(("{", "<"))


def read(shard: Shard) -> Iterator[Page | RejectedInput]:
    """A page for each file."""
    for file in bundled_files(shard):
        yield from _file(file, os.path.relpath(file, shard.path) if file != shard.path else file)


def _file(file: str, name: str) -> Iterator[Page | RejectedInput]:
    record = Record(file, "byte 0", begun=True)
    damages = []
    for event in read_blocks(file):
        if isinstance(event, DamagedBlock):
            damages.append(RejectedInput(file, f"byte {event.offset}", LOST, example=event.reason))
        elif record.size > LIMIT:
            break
        else:
            record.size += len(event.data)
            record.lines.append(event.data)
    record.lines = [b"".join(record.lines)]
    yield from _page(record, name, damaged=bool(damages))
    yield from damages


def _page(record: Record, name: str, damaged: bool) -> Iterator[Page | RejectedInput]:
    if record.size > LIMIT:
        yield record.reject(LONG, f"more than {LIMIT >> 20} MiB: cut it, or use jsonl")
        return
    if damaged:  # the last character may be incomplete
        record.lines = [record.lines[0].decode("utf-8", "ignore").encode()]
    text = record.text()
    if isinstance(text, RejectedInput):
        yield text
    elif text.strip():
        # the path below the folder; of a single file, its name
        id = os.path.basename(name) if os.path.isabs(name) else name.replace(os.sep, "/")
        text = text.replace("\r\n", "\n")
        yield Page(id, io.stem(name), text, source=record.source, position=record.position)
    elif not damaged:
        yield record.reject("no text", skipped=True)

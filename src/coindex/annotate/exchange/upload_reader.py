"""The process that reads one upload: it unpacks, parses, and writes the items as JSON lines.

    python -m coindex.annotate.exchange.upload_reader REQUEST

A file from elsewhere may be made to exhaust the memory, the disk or the time of who reads it, so
the server does not (see `uploads`). This process has limits, ends with its server, and prints one
line of JSON: the number of items and what was skipped, or why the file cannot be read. It works inside a temporary
folder, so that no message names a path of the server.
"""

from __future__ import annotations

import json
import lzma
import os
import stat
import sys
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Any

from coindex import formats, io
from coindex.annotate.errors import ApiError
from coindex.annotate.exchange import tool_projects
from coindex.batch.file_kinds import HEAD, not_text, office_kind
from coindex.errors import CoindexError, InputError
from coindex.formats.builtin import document_jsonl, problem_jsonl
from coindex.formats.reading import format_by_bytes
from coindex.jobs.child_process import end_with_parent_thread, limit_resources
from coindex.transform.edit import retokenize
from coindex.types.document import Document

FILES, RESULT, CONTENT = "files", "items.jsonl", "content"
CHUNK = 1 << 18
LAYERS = 3
"""How often a file may be compressed."""
_ZIP = b"PK\x03\x04"
_OPTIONS = {
    "say which with --from": "choose one of them as its format",
    "name it with --from": "choose its format",
    "for that give --encoding utf-16-le or utf-16-be": "save it as UTF-8",
}
"""What readers say of options of commands, and what that is where a file is uploaded."""


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """How much the reader of an upload may take.

    memory, seconds    of the process that reads it
    unpacked, files    bytes after decompression, files of a zip archive
    items, tokens      documents or problems, and the tokens of all of them
    document_tokens    the tokens of one document
    """

    memory: int = 384 << 20
    seconds: int = 120
    unpacked: int = 256 << 20
    files: int = 20_000
    items: int = 100_000
    tokens: int = 2_000_000
    document_tokens: int = 250_000


@dataclass(frozen=True, slots=True)
class UploadRequest:
    """An upload in its folder: the file's own name, and its format if it is known.

    lines   whether each line of a plain text is a document
    """

    folder: str
    name: str
    format: str | None
    parent: int
    limits: UploadLimits
    lines: bool = False

    @classmethod
    def parse(cls, text: str) -> UploadRequest:
        """Return the request of a command line."""
        values = json.loads(text)
        return cls(**{**values, "limits": UploadLimits(**values["limits"])})


def main() -> None:
    """Read the upload that the command line describes."""
    request = UploadRequest.parse(sys.argv[1])
    limits = request.limits
    end_with_parent_thread(request.parent)
    limit_resources(limits.memory, limits.seconds, 2 * limits.unpacked)
    sys.path[:] = [each for each in sys.path if each]  # never import from the upload
    os.chdir(request.folder)
    try:
        with reasons(limits):
            answer: dict[str, Any] = _convert(request)
    except ApiError as error:
        answer = {"status": error.status, "code": error.code, "message": error.message}
    sys.stdout.write(json.dumps(answer) + "\n")


@contextmanager
def reasons(limits: UploadLimits) -> Iterator[None]:
    """Turn whatever goes wrong in reading a file into an error that says why."""
    try:
        yield
    except ApiError:
        raise
    except MemoryError as error:
        message = f"reading it takes more than {limits.memory >> 20} MiB of memory: split the file"
        raise _too_large(message) from error
    except RecursionError as error:
        raise _invalid("it is nested too deeply") from error
    except InputError as error:
        pair = "; upload the two files of a document in one zip archive"
        more = pair if str(error).endswith("no such file") else ""
        raise _invalid(f"{error}{more}") from error
    except CoindexError as error:
        raise _invalid(_without_options(str(error))) from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise _invalid(f"it cannot be unpacked: {error}") from error
    except Exception as error:  # a file that no reader was prepared for is no reason to fail
        traceback.print_exc()
        raise _invalid(f"it cannot be read: {type(error).__name__}: {error}"[:500]) from error


def _without_options(message: str) -> str:
    """Return the message of a reader in words for those who upload a file."""
    for option, words in _OPTIONS.items():
        message = message.replace(option, words)
    return message


def _invalid(message: str) -> ApiError:
    return ApiError(422, "invalid", message)


def _too_large(message: str) -> ApiError:
    return ApiError(413, "large", message)


class _Skipped(list[dict[str, str]]):
    """Files that cannot be read among others that can, each with the reason."""

    def __init__(self, limits: UploadLimits) -> None:
        super().__init__()
        self.limits = limits

    @contextmanager
    def noting(self, name: str, last: bool) -> Iterator[None]:
        """Note why a file cannot be read; an error if it is the last one that could have been."""
        try:
            with reasons(self.limits):
                yield
        except ApiError as error:
            if error.code != "invalid" or last:
                raise
            self.append({"name": name, "reason": str(error).removeprefix(f"{name}: ")})


def _convert(request: UploadRequest) -> dict[str, Any]:
    """Write the items of an upload to the result file; return their number and what was skipped."""
    budget = _Budget(request.limits)
    files = Path(FILES)
    project = request.format in tool_projects.NAMES
    if _is_zip(Path(CONTENT)):
        _check_text(Path(CONTENT), request, office_kind)
        _unzip(files, budget, folders=project)
    else:
        Path(CONTENT).replace(files / request.name)
    for path in sorted(each for each in files.iterdir() if each.is_file()):
        _decompress(path, budget)
    os.chdir(files)
    if project and request.format is not None:
        found = tool_projects.read_project(request.format, partial(_annotation_in, budget))
        io.write_text(Path("..") / RESULT, map(_line, budget.counted(found)))
        return {"items": budget.items}
    skipped = _Skipped(request.limits)
    texts = _texts(request, skipped)
    io.write_text(
        Path("..") / RESULT, _lines(formats.expand_paths(texts), request, budget, skipped)
    )
    return {"items": budget.items, "skipped": skipped}


def _texts(request: UploadRequest, skipped: _Skipped) -> list[str]:
    """Return the names of the files here that may be text."""
    names = sorted(each.name for each in Path().iterdir())
    texts: list[str] = []
    for number, name in enumerate(names, 1):
        with skipped.noting(name, last=number == len(names) and not texts):
            _check_text(Path(name), request)
            texts.append(name)
    return texts


def _lines(
    paths: Sequence[str], request: UploadRequest, budget: _Budget, skipped: _Skipped
) -> Iterator[str]:
    """Yield a line for each item; of several files none of one that cannot be read to its end."""
    read = _lines_of if request.lines else partial(formats.read, format=request.format)
    if len(paths) == 1:  # without a copy of all of it in memory
        yield from map(_line, budget.counted(read(paths[0])))
        return
    whole = 0
    for number, path in enumerate(paths, 1):
        lines: list[str] = []
        with skipped.noting(path, last=number == len(paths) and not whole):
            lines = list(map(_line, budget.counted(read(path))))
            whole += 1
        yield from lines


def _lines_of(path: Path | str) -> Iterator[Document]:
    """Yield each line that has words as a document: `Letters-1`, `Letters-2`, ..."""
    with io.open_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield retokenize(Document(f"{Path(path).stem}-{number}", line.strip()), ())


def _annotation_in(budget: _Budget, path: Path) -> Path:
    """Unpack the annotation in a zip archive of INCEpTION beside it; return its path."""
    with zipfile.ZipFile(path) as archive:
        for each in archive.infolist():
            name = _safe_member(each)
            if name.endswith(tool_projects.CAS_SUFFIXES):
                target = path.with_name(f"{path.stem}{PurePosixPath(name).suffix}.unpacked")
                target = target.with_suffix(PurePosixPath(name).suffix)
                with archive.open(each) as file:
                    io.write_bytes(target, budget.chunks(file))
                return target
    return path


def _line(item: formats.Item) -> str:
    if isinstance(item, Document):
        return "".join(document_jsonl.write([item]))
    return "".join(problem_jsonl.write([item]))


class _Budget:
    """What has been used up of the limits."""

    def __init__(self, limits: UploadLimits) -> None:
        self.limits = limits
        self.unpacked = self.items = self.tokens = 0
        self.kinds: set[bool] = set()

    def chunks(self, file: IO[bytes]) -> Iterator[bytes]:
        """Yield the bytes of a file within the limit."""
        while chunk := file.read(CHUNK):
            self.unpacked += len(chunk)
            if self.unpacked > self.limits.unpacked:
                raise _too_large(f"it unpacks to more than {self.limits.unpacked >> 20} MiB")
            yield chunk

    def counted(self, items: Iterable[formats.Item]) -> Iterator[formats.Item]:
        """Yield the items within the limits, all of them documents or all of them problems."""
        for item in items:
            self.kinds.add(isinstance(item, Document))
            if len(self.kinds) > 1:
                message = "expected documents or problems, found both: send them one by one"
                raise ApiError(422, "kind", message)
            tokens = len(item) if isinstance(item, Document) else len(item.text.split())
            self.items += 1
            self.tokens += tokens
            self._check(tokens, item.id)
            yield item

    def _check(self, tokens: int, name: str) -> None:
        limits = self.limits
        if tokens > limits.document_tokens:
            most = f"expected no more than {limits.document_tokens:,} tokens in one document"
            raise _too_large(f"{name[:60]}: {most}, found {tokens:,}: split it")
        if self.tokens > limits.tokens or self.items > limits.items:
            most = f"{limits.items:,} documents with {limits.tokens:,} tokens"
            raise _too_large(f"expected no more than {most} in one upload: send it in parts")


def _unzip(files: Path, budget: _Budget, *, folders: bool = False) -> None:
    """Extract the files of a zip archive, without their folders unless these are wanted."""
    with zipfile.ZipFile(CONTENT) as archive:
        inside = [each for each in archive.infolist() if not each.is_dir()]
        inside = [each for each in inside if not _is_hidden(each.filename)]
        if not inside:
            raise _invalid("the zip archive is empty")
        if len(inside) > budget.limits.files:
            raise _too_large(
                f"the zip archive has {len(inside):,} files; expected no more than"
                f" {budget.limits.files:,}"
            )
        if sum(each.file_size for each in inside) > budget.limits.unpacked:
            raise _too_large(f"it unpacks to more than {budget.limits.unpacked >> 20} MiB")
        names = _bare_names(inside)
        for each, name in zip(inside, names, strict=True):
            target = files / name
            if folders:
                target = files / _path_of(each)
                io.make_folder(target.parent)
            if target.exists():
                raise _unusable(each.filename, "is there twice")
            with archive.open(each) as file:
                io.write_bytes(target, budget.chunks(file))


def _bare_names(inside: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Return a name without folders for each file of an archive.

    Where folders have files of one name these are called by their folders too, `north-1.txt` and
    `south-1.txt`; so is what differs only in its suffix, as it may be the other half of a document.
    """
    names = [_safe_member(each) for each in inside]
    often = Counter(name.lower() for name in names)
    stems = {PurePosixPath(name).stem for name, number in often.items() if number > 1}
    return [
        "-".join(_path_of(each).parts) if PurePosixPath(name.lower()).stem in stems else name
        for each, name in zip(inside, names, strict=True)
    ]


def _path_of(member: zipfile.ZipInfo) -> PurePosixPath:
    """Return where a file is in its archive."""
    return PurePosixPath(member.filename.replace("\\", "/"))


def _is_hidden(name: str) -> bool:
    """Return whether a file is one that systems make for themselves, such as `.DS_Store`."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(each.startswith(".") and each != ".." for each in parts) or "__MACOSX" in parts


def _safe_member(member: zipfile.ZipInfo) -> str:
    """Return the name of a file in an archive; an error if it leads elsewhere or is no file."""
    path = _path_of(member)
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise _unusable(member.filename, "leads out of the archive")
    if member.flag_bits & 1:
        raise _unusable(member.filename, "is protected by a password")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise _unusable(member.filename, "is a link, not a file")
    if not path.name or path.name.startswith(".") or len(path.name.encode()) > 200:
        raise _unusable(member.filename, "cannot be the name of a document")
    return path.name


def _unusable(name: str, why: str) -> ApiError:
    return _invalid(f"the zip archive has a file that cannot be used: {name[:60]!r} {why}")


def _decompress(path: Path, budget: _Budget) -> None:
    """Replace a compressed file by its content, under the name without the suffix."""
    for _ in range(LAYERS):
        with io.open_unpacked(path) as (unpacked, raw):
            if unpacked is raw:
                break
            bare = path.stem if path.suffix in io.SUFFIXES else path.name
            target = path.with_name(bare)
            if target != path and target.exists():
                raise _unusable(path.name, "is there twice")
            try:
                io.write_bytes(target, budget.chunks(unpacked))
            except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
                raise _invalid(f"{path.name}: it cannot be unpacked: {error}") from error
        if target != path:
            path.unlink()
            path = target
    else:
        raise _invalid(f"{path.name}: it is compressed more than {LAYERS - 1} times")
    if _is_zip(path):
        raise _invalid(f"{path.name}: a zip archive inside of another file")


def _check_text(
    path: Path, request: UploadRequest, recognise: Callable[[bytes], str | None] = not_text
) -> None:
    """Refuse files that no reader is for: images, programs, office documents."""
    with io.open_binary(path) as file:
        reason = recognise(file.read(HEAD))
    format = request.format or format_by_bytes(path)
    if reason and not (format and formats.is_binary(format)):
        shown = "" if path.name in (CONTENT, request.name) else f"{path.name}: "
        raise _invalid(_without_options(f"{shown}expected text, found {reason}"))


def _is_zip(path: Path) -> bool:
    with io.open_binary(path) as file:
        return file.read(len(_ZIP)) == _ZIP


if __name__ == "__main__":
    main()

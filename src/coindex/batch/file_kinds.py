"""What a file is: by its first bytes, if it is no text, with what to do about it; by its name."""

from __future__ import annotations

from pathlib import PurePath

from coindex import io

HEAD = 8192
"""The number of bytes that a kind of file is recognised by."""
PARQUET = b"PAR1"

_EXTRACT = "extract its text first, for example with"
_KINDS = (
    (b"%PDF-", f"a PDF, not text: {_EXTRACT} pdftotext"),
    (b"{\\rtf", f"an RTF document, not plain text: {_EXTRACT} unrtf or LibreOffice"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
     f"an office document (.doc, .xls, .ppt), not text: {_EXTRACT} LibreOffice"),
    (b"%!PS", f"a PostScript file, not text: {_EXTRACT} ps2ascii"),
    (b"\x89PNG", "an image (PNG), not text: recognise its text first, for example with tesseract"),
    (b"\xff\xd8\xff", "an image (JPEG), not text: recognise its text first, for example with tesseract"),
    (b"GIF8", "an image (GIF), not text"),
    (b"SQLite format 3", "an SQLite database, not text: export its table as CSV"),
    (b"\x7fELF", "a program, not text"),
    (b"Rar!", "an archive (RAR): unpack it, or give it as zip or tar"),
    (b"7z\xbc\xaf\x27\x1c", "an archive (7z): unpack it, or give it as zip or tar"),
)  # fmt: skip
_OFFICE = (
    (b"word/", "a Word document (.docx)"),
    (b"xl/", "an Excel workbook (.xlsx)"),
    (b"ppt/", "a PowerPoint presentation (.pptx)"),
    (b"application/vnd.oasis.opendocument", "an OpenDocument file"),
    (b"application/epub", "an e-book (EPUB)"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_SUFFIXES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tbz2", ".txz")

_MARKUP = {
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".mkd": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html",
}  # fmt: skip


def suffix(name: str) -> str:
    """The suffix of a file's name, without that of its compression, in lower case."""
    path = PurePath(name)
    return (path.with_suffix("") if path.suffix in io.SUFFIXES else path).suffix.lower()


def file_markup(name: str) -> str:
    """The markup that the name of a file states; `auto` if it states none."""
    return _MARKUP.get(suffix(name), "auto")


def archive_kind(head: bytes, name: str) -> str | None:
    """`zip` or `tar` if a file is an archive of other files; its bytes are decompressed."""
    if head.startswith(_ZIP) and office_kind(head) is None:
        return "zip"
    if head[257:262] == b"ustar" or (name.endswith(_TAR_SUFFIXES) and b"\0" in head[:512]):
        return "tar"
    return None


def office_kind(head: bytes) -> str | None:
    """What a zip file of an office program is; None if it is an ordinary archive."""
    if not head.startswith(_ZIP) or not (
        b"[Content_Types].xml" in head or b"mimetype" in head[:60]
    ):
        return None
    named = (kind for part, kind in _OFFICE if part in head)
    return next(named, "an office document")


def not_text(head: bytes) -> str | None:
    """Why a file is no text, and what to do; None if it may be text."""
    for magic, message in _KINDS:
        if head.startswith(magic):
            return message
    if office := office_kind(head):
        return f"{office}, not text: {_EXTRACT} pandoc or LibreOffice"
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        zeros = head.count(b"\0") / len(head)
        if 0.3 < zeros < 0.6:
            return (
                "binary data, or UTF-16 without a byte order mark: for that give --encoding"
                " utf-16-le or utf-16-be"
            )
        if zeros > 0.01 or not _decodes(head):
            return "binary data, not text"
    return None


def _decodes(head: bytes) -> bool:
    """Whether bytes are UTF-8, but for a character that is cut off at the end."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4
    return True

"""Key and response side by side: the same documents, over the same tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from coindex.core.document import Document
from coindex.core.edit import without_zeros
from coindex.core.tree import read_penn
from coindex.errors import CoindexError, InvalidValue


class Mismatch(CoindexError):
    """Key and response are not over the same text."""


def align(
    key: Iterable[Document],
    response: Iterable[Document],
    *,
    zeros: str = "keep",
    missing: str = "error",
    name: str = "response",
    notes: list[str] | None = None,
) -> Iterator[tuple[Document, Document]]:
    """Pairs of documents in the order of the key.

    With `missing="empty"` a document that the response lacks counts as one
    without entities, and one that only the response has is left out. Documents
    must have the same number of tokens; where their words differ, `notes` says so.
    """
    keys, responses = _by_key(key, "key"), _by_key(response, name)
    if len(keys) == len(responses) == 1 and keys.keys() != responses.keys():
        responses = dict(zip(keys, responses.values(), strict=True))
    if missing == "error":
        _same_documents(keys, responses, name)
    for place, document in keys.items():
        other = responses.get(place, replace(document, entities=()))
        if zeros == "drop":
            document, other = without_zeros(document), without_zeros(other)
        odd = _same_tokens(document, other, name)
        if odd and notes is not None:
            notes.append(odd)
        yield document, other


def _by_key(documents: Iterable[Document], side: str) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for document in documents:
        if document.key in found:
            raise Mismatch(f"{side}: expected each document once, found {document.key!r} again")
        found[document.key] = document
    if not found:
        raise Mismatch(f"{side}: expected documents, found none")
    return found


def _same_documents(keys: dict[str, Document], responses: dict[str, Document], name: str) -> None:
    for absent, side in ((keys.keys() - responses.keys(), name), (responses.keys() - keys, "key")):
        if absent:
            shown = ", ".join(sorted(absent)[:5]) + (", ..." if len(absent) > 5 else "")
            raise Mismatch(
                f"{side}: expected the same documents on both sides, found {len(absent)} missing:"
                f" {shown} (--missing empty scores them as documents without entities)"
            )


def _same_tokens(key: Document, response: Document, name: str) -> str | None:
    """A word on the first token that differs; an error if there are more or fewer tokens."""
    if key.tokens == response.tokens:
        return None
    if len(key) == len(response) and {"_"} in (set(key.tokens), set(response.tokens)):
        return None  # a file without words
    differ = [
        i for i, (a, b) in enumerate(zip(key.tokens, response.tokens, strict=False)) if a != b
    ]
    at = differ[0] if differ else min(len(key), len(response))
    expected, found = (
        f"{document.tokens[at]!r}" if at < len(document) else f"the end after {at} tokens"
        for document in (key, response)
    )
    message = f"{name}: {key.key}: token {at}: expected {expected}, found {found}"
    if len(key) != len(response):
        sizes = f"{len(response)} tokens, not the {len(key)} of the key"
        raise Mismatch(f"{message} ({sizes})")
    return f"{message} ({len(differ)} words differ; scored by their places)"


def with_trees(documents: Iterable[Document], text: str, source: str) -> Iterator[Document]:
    """Documents with trees from Penn brackets, a tree a sentence, in the same order."""
    trees = _trees(text, source)
    for document in documents:
        tags: list[str] = []
        bits: list[str] = []
        for number, span in enumerate(document.sentence_spans(), 1):
            words, found_tags, found_bits = next(trees, ([], [], []))
            if len(words) != len(span):
                expected = " ".join(document.tokens[span.start : span.end])
                raise Mismatch(
                    f"{source}: {document.key}: sentence {number}: expected a tree of {len(span)}"
                    f" words for {expected[:60]!r}, found {len(words)}: {' '.join(words)[:60]!r}"
                )
            tags += found_tags
            bits += found_bits
        yield replace(document, parse=tuple(bits), pos=tuple(tags))


def _trees(text: str, source: str) -> Iterator[tuple[list[str], list[str], list[str]]]:
    try:
        yield from read_penn(text)
    except InvalidValue as error:
        raise Mismatch(f"{source}: {error}") from error

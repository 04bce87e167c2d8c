"""Key and response side by side: the same documents, over the same tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from coindex.core.document import Document
from coindex.core.edit import without_zeros
from coindex.errors import CoindexError


class Mismatch(CoindexError):
    """Key and response are not over the same text."""


@dataclass(frozen=True)
class Alignment:
    """Documents side by side, and what had to be said about them.

    absent  how many documents the response lacked, how many the key; they were
            taken as documents without entities
    notes   where words differ
    """

    pairs: tuple[tuple[Document, Document], ...]
    absent: tuple[int, int] = (0, 0)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[Document, Document]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


def align(
    key: Iterable[Document],
    response: Iterable[Document],
    *,
    zeros: str = "keep",
    missing: str = "error",
    name: str = "response",
) -> Alignment:
    """Pairs of documents in the order of the key.

    With `missing="empty"` a document that one side lacks counts as one without
    entities: what it holds on the other side is missed, or spurious. Documents
    must have the same number of tokens; where their words differ, a note says so.
    """
    keys, responses = _by_key(key, "key"), _by_key(response, name)
    if len(keys) == len(responses) == 1 and keys.keys() != responses.keys():
        responses = dict(zip(keys, responses.values(), strict=True))
    if missing == "error":
        _same_documents(keys, responses, name)
    pairs, notes = [], []
    for place in dict.fromkeys([*keys, *responses]):
        some = keys.get(place) or responses[place]
        one = keys.get(place, replace(some, entities=()))
        other = responses.get(place, replace(some, entities=()))
        if zeros == "drop":
            one, other = without_zeros(one), without_zeros(other)
        odd = _same_tokens(one, other, name)
        notes += [odd] if odd else []
        pairs.append((one, other))
    absent = len(keys.keys() - responses.keys()), len(responses.keys() - keys.keys())
    return Alignment(tuple(pairs), absent, tuple(notes))


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
                f" {shown} (--missing empty takes them as documents without entities)"
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
        hint = "; --zeros drop leaves empty tokens out" if key.zeros or response.zeros else ""
        raise Mismatch(f"{message} ({sizes}{hint})")
    words = "word differs" if len(differ) == 1 else "words differ"
    return f"{message} ({len(differ)} {words}; scored by place)"

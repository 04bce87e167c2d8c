"""Key and response aligned: the same documents over the same tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from coindex.errors import CoindexError
from coindex.scoring.zeros import with_common_zeros
from coindex.types.document import Document


class Mismatch(CoindexError):
    """Key and response are not annotations of the same text."""


@dataclass(frozen=True)
class Alignment:
    """Pairs of key and response documents.

    absent  the number of documents missing from the response, and from the key; they are
            replaced by documents without entities
    notes   documents in which words differ
    ignored the number of documents that only the response has, left out on request
    """

    pairs: tuple[tuple[Document, Document], ...]
    absent: tuple[int, int] = (0, 0)
    notes: tuple[str, ...] = ()
    ignored: int = 0

    def __iter__(self) -> Iterator[tuple[Document, Document]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


def align(
    key: Iterable[Document],
    response: Iterable[Document],
    *,
    missing: str = "error",
    extra: str = "error",
    name: str = "response",
) -> Alignment:
    """Pairs of documents in the order of the key.

    With `missing="empty"` a document missing from one side counts as one without entities.
    With `extra="ignore"` documents that only the response has are left out, and counted.
    Documents must have the same number of words; if these differ, a note says so. Zeros may
    differ: each document gets those of the other.
    """
    keys, responses = _by_key(key, "key"), _by_key(response, name)
    if len(keys) == len(responses) == 1 and keys.keys() != responses.keys():
        responses = dict(zip(keys, responses.values(), strict=True))
    given = len(responses)
    if extra == "ignore":
        responses = {id: each for id, each in responses.items() if id in keys}
    if missing == "error":
        _check_same_documents(keys, responses, name)
    pairs, notes = [], []
    for id in dict.fromkeys([*keys, *responses]):
        empty = replace(keys.get(id) or responses[id], entities=())
        one, other = keys.get(id, empty), responses.get(id, empty)
        if note := _compare_words(one, other, name):
            notes.append(note)
        pairs.append(with_common_zeros(one, other))
    absent = len(keys.keys() - responses.keys()), len(responses.keys() - keys.keys())
    return Alignment(tuple(pairs), absent, tuple(notes), given - len(responses))


def _by_key(documents: Iterable[Document], side: str) -> dict[str, Document]:
    by_key: dict[str, Document] = {}
    for document in documents:
        if document.key in by_key:
            raise Mismatch(f"{side}: expected each document once, found {document.key!r} again")
        by_key[document.key] = document
    if not by_key:
        raise Mismatch(f"{side}: expected documents, found none")
    return by_key


def _check_same_documents(
    keys: dict[str, Document], responses: dict[str, Document], name: str
) -> None:
    for absent, side in ((keys.keys() - responses.keys(), name), (responses.keys() - keys, "key")):
        if absent:
            shown = ", ".join(sorted(absent)[:5]) + (", ..." if len(absent) > 5 else "")
            hint = ", --extra-documents ignore leaves them out" if side == "key" else ""
            raise Mismatch(
                f"{side}: expected the same documents on both sides, found {len(absent)} missing:"
                f" {shown} (--missing empty takes them as documents without entities{hint})"
            )


def _compare_words(key: Document, response: Document, name: str) -> str | None:
    """A note on the first word that differs; an error if the numbers of words differ."""
    if key.tokens == response.tokens and key.zeros == response.zeros:
        return None
    expected, actual = _words(key), _words(response)
    if len(expected) == len(actual) and {"_"} in (set(expected), set(actual)):
        return None  # a file without words
    differ = [i for i, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b]
    if not differ and len(expected) == len(actual):
        return None
    at = differ[0] if differ else min(len(expected), len(actual))
    wanted, found = (
        f"{words[at]!r}" if at < len(words) else f"the end after {at} tokens"
        for words in (expected, actual)
    )
    message = f"{name}: {key.key}: token {at}: expected {wanted}, found {found}"
    if len(expected) != len(actual):
        raise Mismatch(f"{message} ({len(actual)} tokens, not the {len(expected)} of the key)")
    words = "word differs" if len(differ) == 1 else "words differ"
    return f"{message} ({len(differ)} {words}; scored by position)"


def _words(document: Document) -> tuple[str, ...]:
    """The tokens that are not zeros."""
    if not document.zeros:
        return document.tokens
    zeros = frozenset(document.zeros)
    return tuple(token for at, token in enumerate(document.tokens) if at not in zeros)

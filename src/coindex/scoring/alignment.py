"""Key and response aligned: the same documents over the same tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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
    Documents are paired as `named_as_in` says. They must have the same number of words; if these
    differ, a note says so. Zeros may differ: each document gets those of the other.
    """
    keys = _by_key(key, "key")
    responses = _by_key(named_as_in(list(keys.values()), list(response)), name)
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


def named_as_in(key: Sequence[Document], response: Sequence[Document]) -> list[Document]:
    """The response, with the ids of the key for documents that only lack a part, or spell it out.

    Most formats have no parts, and in JSON the part is often the end of the id: `a` and `a_0` are
    `a part 0` if no other document of either side can be meant.
    """
    pairs: list[tuple[int, int]] = []
    known, given = ({each.key for each in side} for side in (key, response))
    names: dict[str, list[int]] = {}
    for at, document in enumerate(key):
        for name in _names(document) if document.key not in given else ():
            names.setdefault(name, []).append(at)
    for at, document in enumerate(response):
        for name in _names(document) if document.key not in known else ():
            found = names.get(name, ())
            pairs += ((one, at) for one in found if None in (key[one].part, document.part))
    pairs = list(dict.fromkeys(pairs))
    counts = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    sure = {other: key[one] for one, other in pairs if counts[0][one] == counts[1][other] == 1}
    return [
        replace(document, id=sure[at].id, part=sure[at].part) if at in sure else document
        for at, document in enumerate(response)
    ]


def _names(document: Document) -> tuple[str, ...]:
    """What other formats may call a document."""
    part = document.part
    return (document.id,) if part is None else (document.id, f"{document.id}_{part}")


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

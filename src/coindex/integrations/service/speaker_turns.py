"""Who speaks, as a request states it: a list of turns, instead of `auto` or `none`.

The turns are those of a file of `coindex resolve --speakers`, and so is the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from coindex.annotate.errors import ApiError
from coindex.annotate.web.schema import object_schema, one_of, string_schema
from coindex.errors import CoindexError
from coindex.text.speakers import Turn
from coindex.transform.edit import retokenize, without_markup
from coindex.transform.speakers import SpeakerFile, checked_turns
from coindex.types.document import Document
from coindex.types.span import Chars

NAME = "body.speakers"


def speakers_schema() -> dict[str, Any]:
    """The schema of `speakers`: the first alternative is a word, the second a list."""
    offset = {"type": "integer", "minimum": 0}
    turn = object_schema(
        "start end speaker",
        start={**offset, "description": "the first character, counted in code points from 0"},
        end={**offset, "description": "the character after the last one"},
        speaker={**string_schema(500), "description": "who speaks: `I` is this person"},
        addressee={**string_schema(500), "description": "who is spoken to: `you`"},
        id={**string_schema(500, 1), "description": "of the document; needed if there are several"},
    )
    turns = {"type": "array", "items": turn, "maxItems": 100_000}
    return {
        "anyOf": [one_of("auto", "none"), turns],
        "description": "who speaks: recognised in the texts, nobody, or a list of turns",
    }


def with_given_turns(
    documents: Sequence[Document], turns: Sequence[Mapping[str, Any]], markup: str
) -> tuple[Document, ...]:
    """The documents with the speakers of the turns, and with tokens; errors say which turn."""
    try:
        given = checked_turns(NAME, tuple(map(_row, range(1, len(turns) + 1), turns)))
        _check_ids(given, documents)
        return tuple(given.apply(_tokenized(document, markup)) for document in documents)
    except ApiError:
        raise
    except CoindexError as error:
        raise ApiError(422, "invalid", str(error).replace(f"{NAME}:", f"{NAME}, turn ")) from None


def _row(number: int, turn: Mapping[str, Any]) -> tuple[int, str, Turn]:
    start, end = turn["start"], turn["end"]
    if start >= end:
        message = f"{NAME}, turn {number}: expected start < end, found {start} and {end}"
        raise ApiError(422, "invalid", message)
    chars = Chars(start, end)
    return number, turn.get("id", ""), Turn(chars, turn["speaker"], turn.get("addressee", ""))


def _check_ids(given: SpeakerFile, documents: Sequence[Document]) -> None:
    known = {document.id for document in documents}
    for number, id, _ in given.rows:
        if not id and len(documents) > 1:
            message = f"expected the id of one of the {len(documents)} documents, found none"
        elif id and id not in known:
            message = f"expected the id of a document, found {id!r}"
        else:
            continue
        raise ApiError(422, "invalid", f"{NAME}, turn {number}: {message}")


def _tokenized(document: Document, markup: str) -> Document:
    return document if document.tokens else without_markup(retokenize(document, ()), markup)

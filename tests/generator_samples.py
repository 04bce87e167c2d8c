"""Small documents that generators can change."""

from __future__ import annotations

from coindex import Document, Entity, Mention
from coindex.types.tree import read_penn


def marked(id: str, lines: list[str], **fields: object) -> Document:
    """A document of lines in which `[1 Ann Lee]` is a mention of the entity 1."""
    rows: list[list[str]] = []
    mentions: dict[str, list[Mention]] = {}
    at = 0
    for line in lines:
        row: list[str] = []
        open_: list[tuple[str, int]] = []
        for piece in line.split():
            if piece.startswith("[") and piece != "[":
                open_.append((piece[1:], at))
                continue
            closed = len(piece) - len(piece.rstrip("]")) if piece != "]" else 0
            row.append(piece.rstrip("]") if closed else piece)
            at += 1
            for _ in range(closed):
                name, start = open_.pop()
                mentions.setdefault(name, []).append(Mention.at(start, at))
        rows.append(row)
    entities = [Entity(tuple(found), name) for name, found in mentions.items()]
    return Document.of(id, rows, entities, **fields)


def parsed(document: Document, trees: str, lemmas: str) -> Document:
    """The document with Penn trees and lemmas."""
    from dataclasses import replace

    every = list(read_penn(trees))
    pos = tuple(tag for _, tags, _ in every for tag in tags)
    parse = tuple(part for _, _, parts in every for part in parts)
    assert tuple(word for words, _, _ in every for word in words) == document.tokens
    return replace(document, pos=pos, parse=parse, lemma=tuple(lemmas.split()))


STORY = marked(
    "story",
    [
        "[1 Claire Warwick] met [2 John Smith] and [3 [2 his] wife] .",
        "[1 Warwick] said [1 she] knew [2 him] .",
        "[2 John] smiled , and [2 he] was glad .",
    ],
)
COMPANY = marked(
    "company",
    [
        "[1 Nordwind] , a software company in [2 Oslo] , grew .",
        "[1 Nordwind] sold [1 its] shop .",
        "[3 Ruth Cole] , a lawyer , praised [1 Nordwind] .",
    ],
)
TALK = marked(
    "talk",
    [
        "[1 I] like [3 it] , [2 Beth] .", "So do [2 I] .", "Really ?",
        "[2 I] made [3 it] for [1 you] , [1 Alan] .",
    ],
    speakers=("Alan",) * 6 + ("Beth",) * 4 + ("Alan",) * 2 + ("Beth",) * 8,
)  # fmt: skip
MAIL = marked(
    "mail",
    [
        "Date : Fri , 7 Dec 2001", "From : [1 heather.dunton@enron.com]",
        "To : [2 phillip.allen@enron.com]", "Subject : RE : [3 West Position]",
        "X - From : [1 Dunton , Heather]", "X - To : [2 Allen , Phillip]", "X - cc :",
        "Please let [1 me] know if [2 you] need [3 it] .", "Original Message",
        "From : [2 Allen , Phillip]", "Sent : Friday , December 07 , 2001 5:14 AM",
        "To : [1 Dunton , Heather]", "Subject : RE : [3 West Position]", "[1 Heather] ,",
        "Did [1 you] attach [3 the file] to this email ?",
    ],
)  # fmt: skip
CATAPHORA = parsed(
    marked(
        "cataphora",
        [
            "It rained .",
            "When [1 Priya Nair] left , [1 she] took [1 her] keys .",
            "[1 Priya] smiled .",
        ],
    ),
    """(S (NP (PRP It)) (VP (VBD rained)) (. .))
    (S (SBAR (WHADVP (WRB When)) (S (NP (NNP Priya) (NNP Nair)) (VP (VBD left)))) (, ,)
       (NP (PRP she)) (VP (VBD took) (NP (PRP$ her) (NNS keys))) (. .))
    (S (NP (NNP Priya)) (VP (VBD smiled)) (. .))""",
    "it rain . when Priya Nair leave , she take she key . Priya smile .",
)
AGREEMENT = parsed(
    marked(
        "agreement",
        [
            "[1 Sam] said [1 he] was late .",
            "[1 He] sits and reads , and [1 he] blames [1 himself] .",
        ],
    ),
    """(S (NP (NNP Sam)) (VP (VBD said) (SBAR (S (NP (PRP he)) (VP (VBD was) (ADJP (JJ late))))))
       (. .))
    (S (S (NP (PRP He)) (VP (VP (VBZ sits)) (CC and) (VP (VBZ reads)))) (, ,) (CC and)
       (S (NP (PRP he)) (VP (VBZ blames) (NP (PRP himself)))) (. .))""",
    "Sam say he be late . he sit and read , and he blame himself .",
)
EVERY = (STORY, COMPANY, TALK, MAIL, CATAPHORA, AGREEMENT)

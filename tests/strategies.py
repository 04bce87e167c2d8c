"""Random documents: nested, crossing, discontinuous, plural, emoji, zeros, any white space."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

from coindex import Document, Entity, Mention, Span

SIGNS = [
    "👩🏽‍🚀",
    "🇫🇷",
    "e\u0301",
    "ſ",
    "ﷺ",
    "-LRB-",
    "(",
    ")",
    "[",
    "]",
    "_",
    "-",
    "#",
    "|",
    "*",
    "''",
    "<b>",
]
words = st.sampled_from(SIGNS) | st.text(
    st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=5
)
names = st.text("abcXYZ019_", min_size=1, max_size=4)
odd_signs = st.text(
    st.one_of(
        st.sampled_from(
            "Ann Bob she He him. \n\t\r\x00\x0b\u200b\u0301\ufeff😀👩‍🚀é漢字العر'’“”…-"
        ),
        st.characters(),
    ),
    max_size=120,
)
_some = st.sampled_from(
    ["Ann Lee ", "she", " told Bob", " that he", " lost her keys", ". ", " the dog's ", "It", ", "]
)
odd_texts = odd_signs | st.lists(_some | odd_signs.map(lambda text: text[:6]), max_size=20).map(
    "".join
)
"""Texts nobody would write, and sentences with such signs in them."""
_marks = st.sampled_from(
    ["<b>", "</b>", "<p>", "</p>", "<br>", "<a href='x'>", "</a>", "<script>", "</script>", "<!--", "-->", "&amp;", "&lt;",
     "&nosuch;", "<", ">", "*", "**", "_", "`", "```\n", "\n# ", "\n- ", "\n> ", "\n1. ", "[", "](http://x.y)", "![", "]", "|",
     "\n|---|---|\n", "~~", "\\", "\n\n", "\n", "Ann: ", "\n[12:03] <bo> ", "\nANN\n", "*grins* ", "@ann ", "#fun ", ":) ",
     "\nOn Monday Ann wrote:\n> ", "From: Ann <ann@x.org>\n", "<ann> "]
)  # fmt: skip
marked_up_texts = st.lists(_some | _marks | odd_signs.map(lambda text: text[:3]), max_size=30).map(
    "".join
)
"""Sentences with marks of HTML and Markdown, whole or broken, and of chats and mails."""
gaps = st.sampled_from([" ", " ", " ", "", "  ", "\n", "\r\n", "\t", "\u00a0", "\n\n"])


@st.composite
def mentions(draw: st.DrawFn, count: int) -> Mention:
    """A mention of one to three spans."""
    borders = draw(st.sets(st.integers(0, count), min_size=2, max_size=6).map(sorted))
    spans = [Span(a, b) for a, b in pairwise(borders)][::2][: draw(st.sampled_from([1, 1, 2, 3]))]
    tokens = [token for span in spans for token in range(span.start, span.end)]
    return Mention(
        tuple(spans),
        head=draw(st.none() | st.sampled_from(tokens)),
        kind=draw(st.none() | names),
    )


@st.composite
def entity_sets(draw: st.DrawFn, count: int) -> list[Entity]:
    """Entities over a document of so many tokens; spans may be shared."""
    ids = draw(st.lists(names, max_size=5, unique=True))
    entities = []
    for id in ids:
        found = draw(st.lists(mentions(count), min_size=1, max_size=4))
        unique = {mention.spans: mention for mention in found}
        entities.append(Entity(tuple(unique.values()), id))
    return entities


def _column(draw: st.DrawFn, count: int, values: list[str]) -> tuple[str, ...] | None:
    column = st.lists(st.sampled_from(values), min_size=count, max_size=count).map(tuple)
    return draw(st.none() | column)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document with anything in it that a document may hold."""
    tokens = draw(st.lists(words, min_size=1, max_size=14))
    count = len(tokens)
    zeros = sorted(draw(st.sets(st.integers(0, count - 1), max_size=2))) if count > 3 else []
    text = ""
    starts: list[int] = []
    ends: list[int] = []
    for index, token in enumerate(tokens):  # a zero stands where the word before it ends
        if index not in zeros:
            text += draw(gaps)
        starts.append(ends[-1] if index in zeros and ends else len(text))
        text += "" if index in zeros else token
        ends.append(ends[-1] if index in zeros and ends else len(text))
    text += draw(gaps)
    firsts = sorted(draw(st.sets(st.integers(0, count - 1), max_size=3)) | {0})
    speakers = None
    if draw(st.booleans()):
        spoken = draw(st.lists(st.sampled_from(["", "Ann", "Bo"]), min_size=4, max_size=4))
        speakers = tuple(spoken[sum(first <= i for first in firsts) - 1] for i in range(count))
    heads = draw(st.none() | st.just(tuple(-1 for _ in tokens)))
    return Document(
        draw(names),
        text,
        tuple(tokens),
        tuple(starts),
        tuple(ends),
        tuple(firsts),
        tuple(draw(entity_sets(count))) if count > 1 else (),
        draw(st.none() | st.integers(0, 12)),
        speakers=speakers if speakers and any(speakers) else None,
        pos=_column(draw, count, ["NN", "VB", "."]),
        lemma=_column(draw, count, ["be", "dog"]),
        parse=_column(draw, count, ["(NP*)", "(S*", "*))"]),
        heads=heads,
        zeros=tuple(zeros),
        layers=draw(st.sampled_from([(), (("own", ("x",) * count),)])),
        meta=draw(st.sampled_from([(), (("source", "a page"),)])),
    )

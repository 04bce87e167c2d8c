"""A project's guidelines: Markdown as a tree of elements, which the pages build themselves.

Pages never make elements from markup, so that nothing a manager writes can run in a browser.
The Markdown is parsed here (CommonMark with tables, HTML off) and sent as nested lists: a
text, or `[tag, attributes, children]` with a tag of `TAGS`. Links lead to web pages and mail
addresses only; an image is a link to it, as pages load nothing from elsewhere.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

Node = Any
"""A text, or a list of a tag, its attributes and its children."""

TAGS = {
    "paragraph": "p", "blockquote": "blockquote", "bullet_list": "ul", "ordered_list": "ol",
    "list_item": "li", "strong": "strong", "em": "em", "s": "s", "hr": "hr", "hardbreak": "br",
    "table": "table", "thead": "thead", "tbody": "tbody", "tr": "tr", "th": "th", "td": "td",
}  # fmt: skip
SCHEMES = ("http", "https", "mailto")
FIRST_HEADING = 3
"""The level of a first heading: the page and its panel have those above."""


@lru_cache(maxsize=64)
def render_guidelines(text: str) -> list[Node]:
    """Return the elements of a Markdown text."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return _children(SyntaxTreeNode(parser.parse(text)))


def _children(node: SyntaxTreeNode) -> list[Node]:
    nodes: list[Node] = []
    for child in node.children:
        for each in _nodes(child):
            if isinstance(each, str) and nodes and isinstance(nodes[-1], str):
                nodes[-1] += each
            elif each != "":
                nodes.append(each)
    return nodes


def _nodes(node: SyntaxTreeNode) -> list[Node]:
    """Return the elements and texts of one node."""
    kind = node.type
    if kind in ("text", "html_inline", "html_block"):
        return [node.content]
    if kind == "softbreak":
        return ["\n"]
    if kind in ("code_block", "fence"):
        return [["pre", {}, [["code", {}, [node.content]]]]]
    if kind == "code_inline":
        return [["code", {}, [node.content]]]
    if kind == "image":
        return _link(str(node.attrs.get("src", "")), [node.content or "image"])
    if kind == "link":
        return _link(str(node.attrs.get("href", "")), _children(node))
    if kind == "heading":
        level = min(6, int(node.tag[1:]) + FIRST_HEADING - 1)
        return [[f"h{level}", {}, _children(node)]]
    if kind == "paragraph" and node.hidden:  # in a list without blank lines
        return _children(node)
    if kind not in TAGS:
        return _children(node)
    start = node.attrs.get("start") if kind == "ordered_list" else None
    return [[TAGS[kind], {"start": str(start)} if start is not None else {}, _children(node)]]


def _link(address: str, inside: list[Node]) -> list[Node]:
    """Return a link, or only its text where the address is none that a page may lead to."""
    if urlsplit(address).scheme.lower() not in SCHEMES:
        return inside
    return [["a", {"href": address}, inside]]

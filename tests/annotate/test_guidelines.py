"""Guidelines: Markdown to a tree of elements, with nothing in it that could run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate_web import World
from coindex.annotate.store.database import Database
from coindex.annotate.web.guidelines import TAGS, render_guidelines

MADE = {*TAGS.values(), "a", "pre", "code", "h3", "h4", "h5", "h6"}


def elements(nodes: list[Any]) -> list[tuple[str, dict[str, str]]]:
    found = []
    for node in nodes:
        if not isinstance(node, str):
            found += [(node[0], node[1]), *elements(node[2])]
    return found


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("# A *b*", [["h3", {}, ["A ", ["em", {}, ["b"]]]]]),
        ("a\n\nb", [["p", {}, ["a"]], ["p", {}, ["b"]]]),
        ("- a\n- **b**", [["ul", {}, [["li", {}, ["a"]], ["li", {}, [["strong", {}, ["b"]]]]]]]),
        ("3. a", [["ol", {"start": "3"}, [["li", {}, ["a"]]]]]),
        ("`a < b`", [["p", {}, [["code", {}, ["a < b"]]]]]),
        ("<b>x</b>", [["p", {}, ["<b>x</b>"]]]),
        ("[x](https://a.b/)", [["p", {}, [["a", {"href": "https://a.b/"}, ["x"]]]]]),
        ("![x](https://a.b/c.png)", [["p", {}, [["a", {"href": "https://a.b/c.png"}, ["x"]]]]]),
        ("[x](data:text/html,y)", [["p", {}, ["[x](data:text/html,y)"]]]),
        ("[x](ftp://a.b/)", [["p", {}, ["x"]]]),
        ("", []),
    ],
)
def test_what_is_made_of_markdown(text: str, nodes: list[Any]) -> None:
    assert render_guidelines(text) == nodes


@given(st.text(alphabet="[]()<>#*_`|-!:\\\n\t ab1&;/\"'javscriptdt", max_size=200))
def test_only_elements_and_addresses_of_the_list(text: str) -> None:
    for tag, attributes in elements(render_guidelines(text)):
        assert tag in MADE
        assert set(attributes) <= {"href", "start"}
        assert attributes.get("href", "http:").split(":")[0].lower() in ("http", "https", "mailto")


def test_the_api_has_them(light: Database) -> None:
    world = World(light)
    world.fill(1)
    project = f"/api/projects/{world.project}"
    world["manager"].ok("PATCH", project, {"settings": {"guide": "Mark *all*."}})
    nodes = [["p", {}, ["Mark ", ["em", {}, ["all"]], "."]]]
    assert world["annotator"].get(project)["project"]["guidelines"] == nodes
    sheet = world["annotator"].post(f"{project}/next")["sheet"]
    assert world["annotator"].get(f"/api/sheets/{sheet}")["project"]["guidelines"] == nodes

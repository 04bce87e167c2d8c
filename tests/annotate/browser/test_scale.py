"""A document of 10,000 words with 3,000 mentions in 300 groups.

How long it takes is measured by the page and printed (`pytest -s`, and against the limits
`python perf/annotate.py --only browser`); what must hold here is that the page measures, and
that a key touches only a small part of it.
"""

from __future__ import annotations

from typing import Any

import pytest

from annotate_scale import LARGE, OPENED, worked
from coindex import formats

pytestmark = pytest.mark.browser

WATCH = """() => {
    globalThis.seen = [];
    let nodes = 0;
    new MutationObserver(all => { for (const one of all) nodes += one.addedNodes.length; })
        .observe(document.body, { subtree: true, childList: true });
    const { editor } = coindex, key = editor.key.bind(editor);
    editor.key = event => {
        nodes = 0;
        const meant = key(event);
        requestAnimationFrame(() => setTimeout(() => seen.push(nodes)));
        return meant;
    };
}"""


def high(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def test_a_large_document_opens_and_answers(annotator: Any) -> None:
    text = "".join(formats.write_lines([LARGE.document()], "document-jsonl")).encode()
    one, sheet = annotator("Ann", text, "document-jsonl")
    for batch in LARGE.batches():
        answer = one.call("POST", f"/api/sheets/{sheet}/events", batch)
        assert {row["status"] for row in answer["results"]} == {"stored"}
    opened = []
    for _ in range(3):
        page = one.sheet(sheet)
        opened.append(page.evaluate(OPENED))
    assert min(opened) > 0
    state = page.evaluate("[coindex.editor.state.mentions.size, coindex.editor.state.groups.size, coindex.editor.text.size]")  # fmt: skip
    assert state == [LARGE.mentions, LARGE.groups, LARGE.words]
    assert 20 < page.locator(".b").count() < LARGE.mentions / 4, "only what is near the viewport"
    page.evaluate(WATCH)
    busy = worked(page)
    spent: list[float] = []
    before = [0.0]

    def each(key: str, begins: bool) -> None:
        if begins:
            before[0] = busy()
        else:
            spent.append(busy() - before[0])

    LARGE.press(page, 200, 60, each)
    nodes = page.evaluate("seen")
    told = page.evaluate("coindex.timing.summary()")
    page.wait_for_selector('#save[data-status="saved"]')
    print(f"\nopened in {', '.join(f'{ms:.0f}' for ms in opened)} ms (limit {told['limits']['opened']} ms)")  # fmt: skip
    print(f"{told['keys']} keys, to the frame that shows it: median {told['median']:.0f} ms, 95 % {told['p95']:.0f} ms (limit {told['limits']['key']} ms), longest {told['longest']:.0f} ms")  # fmt: skip
    print(f"work of the main thread for a key, drawing included: median {high(spent, 0.5):.0f} ms, 95 % {high(spent, 0.95):.0f} ms")  # fmt: skip
    print(f"nodes made for a key: 95 % {high(nodes, 0.95):.0f}, most {max(nodes)}")
    assert told["limits"] == {"opened": LARGE.opens_within, "key": 100}
    assert 150 < told["keys"] <= 200
    assert 0 < told["median"] <= told["p95"] <= told["longest"]
    assert max(nodes) < 3000, "a key draws its sentence and its groups again, not the page"

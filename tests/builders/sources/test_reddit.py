"""The Reddit source: what is deleted, by bots, quoted, code; markdown off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import source_samples as samples
from coindex.builders.sources import Page, RejectedInput
from coindex.builders.sources.builtin.reddit import plain_text


def read(folder: Path, *rows: dict[str, Any]) -> list[Page | RejectedInput]:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return samples.everything(samples.write(folder / "RC.jsonl", text), "reddit")


def comment(**more: Any) -> dict[str, Any]:
    return {"id": "c1", "author": "ada", "body": "Ada met Bea.", "subreddit": "mills", **more}


def test_a_comment(tmp_path: Path) -> None:
    (page,) = read(tmp_path, comment(link_id="t3_abc", created_utc=1500000000))
    assert isinstance(page, Page)
    assert (page.id, page.text, page.title) == ("c1", "Ada met Bea.", "")
    assert page.url == "https://www.reddit.com/comments/abc/_/c1/"
    assert dict(page.meta) == {
        "kind": "comment", "subreddit": "mills", "created_utc": "1500000000", "link_id": "t3_abc",
    }  # fmt: skip


def test_a_submission(tmp_path: Path) -> None:
    row = {
        "id": "s1", "author": "ada", "title": "Ada &amp; Bea", "selftext": "They met.",
        "subreddit": "mills", "permalink": "/r/mills/comments/s1/ada/",
    }  # fmt: skip
    (page,) = read(tmp_path, row)
    assert isinstance(page, Page)
    assert (page.title, page.text) == ("Ada & Bea", "They met.")
    assert page.url == "https://www.reddit.com/r/mills/comments/s1/ada/"
    assert dict(page.meta)["kind"] == "submission"


def test_what_is_skipped(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        comment(body="[deleted]"),
        comment(body="[removed]"),
        comment(author="AutoModerator"),
        comment(author="some_bot"),
        comment(author="Talbot"),
        comment(body="&gt; quoted only"),
        {"id": "s1", "selftext": "", "title": "a link", "subreddit": "x"},
        comment(author="[deleted]"),
    )
    assert [item.reason if isinstance(item, RejectedInput) else "page" for item in found] == [
        "deleted", "deleted", "bot", "bot", "page", "no text", "no text", "page",
    ]  # fmt: skip
    assert all(item.skipped for item in found if isinstance(item, RejectedInput))


def test_what_is_broken(tmp_path: Path) -> None:
    good = json.dumps(comment()).encode()
    rows = [good, b'{"id": "c2", "bo', b"\xff\xfe{}", b"[1, 2]", b'{"id": 1}', b"", good]
    rows.append(json.dumps(comment(body="\ud800")).encode())
    path = samples.write(tmp_path / "RC", b"\n".join(rows))
    found = samples.everything(path, "reddit")
    assert [item.reason if isinstance(item, RejectedInput) else "page" for item in found] == [
        "page", "broken JSON", "invalid UTF-8", "broken JSON",
        "neither a comment nor a submission", "page", "broken JSON",
    ]  # fmt: skip
    assert not any(item.skipped for item in found if isinstance(item, RejectedInput))
    assert found[1].position == f"byte {len(good) + 1}"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("&gt; Ada said\nthis\n\nBea left.", "Bea left."),
        ("Bea left.\n\n> Ada said", "Bea left."),
        (">!Ada died!< in it.", "Ada died in it."),
        ("Bea wrote:\n\n    x = 1\n    y = 2\n\nAda ran it.", "Bea wrote:\nAda ran it."),
        ("Bea wrote:\n```\nx = 1\n```\nAda ran it.", "Bea wrote: Ada ran it."),
        ("Ada ran `make`.", "Ada ran make."),
        ("See [Ada's page](http://x.org/a_(b)) now.", "See Ada's page now."),
        ("See https://x.org/a?b=c now.", "See now."),
        ("**Ada** met *Bea* and ***Carl*** ~~once~~.", "Ada met Bea and Carl once."),
        ("_Ada_ met snake_case_name.", "Ada met snake_case_name."),
        ("# Title\nAda met Bea.\n\n---\n\nShe left.", "Title Ada met Bea.\nShe left."),
        ("* Ada met Bea.\n* She left.", "Ada met Bea.\nShe left."),
        ("1. Ada met Bea.\n2) She left.", "Ada met Bea.\nShe left."),
        ("|a|b|\n|:-|:-|\n|1|2|\n\nAda left.", "Ada left."),
        ("Ada^^2 met\\_Bea &amp;amp; Carl.&amp;#x200B;", "Ada2 met_Bea & Carl."),
        ("```\nnever closed", ""),
    ],
)
def test_markdown(body: str, text: str) -> None:
    assert plain_text(body) == text


@given(st.text(alphabet="ab *_~`>[]()#|^\\\n&;!-1.", max_size=80))
def test_any_markdown(body: str) -> None:
    assert "\n\n" not in plain_text(body)


def test_a_long_window(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    settings = zstandard.ZstdCompressionParameters.from_level(3, window_log=30)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    path = tmp_path / "RC_2015-01.zst"
    path.write_bytes(packer.compress(samples.reddit(20).encode()) + packer.flush())
    assert len(samples.everything(path, "reddit")) == 20

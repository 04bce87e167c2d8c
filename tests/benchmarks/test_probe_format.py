"""The format of probe texts: what is read, and how mistakes are reported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.benchmarks.probe_format import (
    HALVES,
    Probe,
    ProbeFile,
    probe_files,
    read_marked_text,
    read_probe_file,
)
from coindex.errors import FormatError
from coindex.types.source import Source
from coindex.types.span import Chars

SAMPLE = """# Turns of a chat.

== chat-01 dev
⟦1?:Ann⟧: did ⟦2:you⟧ see ⟦3:⟦1:my⟧ keys⟧?

  ⟦2?:Bob⟧: No, ⟦2:I⟧ did not.

== chat-02 test
Rain.
"""


def read(text: str, group: str | None = "chat") -> ProbeFile:
    return read_probe_file(text.split("\n"), Source("chat.txt"), group)


def test_a_file() -> None:
    found = read(SAMPLE)
    assert found.about == "Turns of a chat."
    first, second = found.probes
    assert (first.id, first.group, first.half) == ("chat-01", "chat", "dev")
    assert first.text == "Ann: did you see my keys?\n\n  Bob: No, I did not."
    told = [(each.chars.of(first.text), each.entity, each.required) for each in first.mentions]
    assert told == [
        ("Ann", "1", False), ("you", "2", True), ("my keys", "3", True), ("my", "1", True),
        ("Bob", "2", False), ("I", "2", True),
    ]  # fmt: skip
    assert list(first.clusters) == ["2"], "an entity needs two required mentions"
    assert list(first.entities) == ["1", "2", "3"]
    assert second == Probe("chat-02", "chat", "test", "Rain.", ())


def test_nested_marks_have_the_offsets_of_the_bare_text() -> None:
    text, mentions = read_marked_text("⟦a:⟦b:Ann⟧ and ⟦c?:Bo⟧⟧ left", Source("x"))
    assert text == "Ann and Bo left"
    assert [(m.entity, m.chars) for m in mentions] == [
        ("a", Chars(0, 10)), ("b", Chars(0, 3)), ("c", Chars(8, 10)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "chat.txt:1: expected a line '# what this class tests', found ''"),
        ("Turns.\n", "chat.txt:1: expected a line '# what this class tests', found 'Turns.'"),
        ("# Turns.\n", "chat.txt: expected probes such as '== chat-01 dev', found none"),
        ("# T.\n== chat-1 dev\nx", "chat.txt:2: expected a header such as '== chat-01 dev', found"),
        ("# T.\n\n== chat-01 train\nx", "chat.txt:3: expected the half dev or test, found 'train'"),
        ("# T.\n== mail-01 dev\nx", "chat.txt:2: expected the class chat, found mail"),
        ("# T.\n== chat-01 dev\n\n\n", "chat.txt:2: expected a text of chat-01, found none"),
        (
            "# T.\n== chat-01 dev\nx\n== chat-01 test\nx",
            "chat.txt:4: expected a new id, found chat-01 again",
        ),
        ("# T.\n== chat-01 dev\na\n⟦1:b c", "chat.txt:4: expected ⟧ after ⟦1:, found the end"),
        ("# T.\n== chat-01 dev\n\na\nb⟧ c", "chat.txt:5: expected ⟦ before ⟧, found none"),
        ("# T.\n== chat-01 dev\n⟦Ann⟧", "chat.txt:3: expected a mark such as ⟦1:words⟧, found"),
        ("# T.\n== chat-01 dev\n⟦1:Ann ⟧x", "expected a mark around words without white space"),
        ("# T.\n== chat-01 dev\n⟦1:⟧x", "expected a mark around words without white space"),
        ("# T.\n== chat-01 dev\n⟦1:⟦1:x⟧⟧", "expected a mention once, found entity 1 twice"),
    ],
)
def test_mistakes_name_their_line(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in str(caught.value)


PARTS = st.recursive(
    st.text("ab c\n", min_size=1, max_size=4).map(lambda words: (words, words)),
    lambda inner: st.tuples(st.sampled_from("12"), st.sampled_from(["", "?"]), inner).map(
        lambda each: (f"⟦{each[0]}{each[1]}:x{each[2][0]}y⟧", f"x{each[2][1]}y")
    ),
    max_leaves=3,
)


@given(st.lists(PARTS, max_size=5))
def test_the_text_is_what_is_left_without_the_marks(parts: list[tuple[str, str]]) -> None:
    text, mentions = read_marked_text("".join(marked for marked, _ in parts), Source("x"))
    assert text == "".join(bare for _, bare in parts)
    for mention in mentions:
        words = mention.chars.of(text)
        assert words[0] == "x"
        assert words[-1] == "y"


FILES = probe_files()


def test_there_are_as_many_as_the_issue_asks_for() -> None:
    assert len(FILES) >= 45
    assert sum(len(file.probes) for file in FILES.values()) >= 400


@pytest.mark.parametrize("name", FILES)
def test_the_halves_of_a_class_have_the_same_size(name: str) -> None:
    file = FILES[name]
    halves = [probe.half for probe in file.probes]
    assert halves.count("dev") == halves.count("test") > 0
    assert set(halves) == set(HALVES)
    numbers = [int(probe.id.rpartition("-")[2]) for probe in file.probes]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert file.about.endswith(".")


@pytest.mark.parametrize("name", FILES)
def test_a_text_is_short(name: str) -> None:
    for probe in FILES[name].probes:
        assert "⟦" not in probe.text
        assert 5 <= len(probe.text.split()) <= 160, probe.id


def test_no_text_is_there_twice() -> None:
    texts = [probe.text for file in FILES.values() for probe in file.probes]
    assert len(set(texts)) == len(texts)

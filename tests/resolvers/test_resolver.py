"""`coindex.load()` in programs: threads, asyncio, other processes, streams, and what it refuses."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import pytest
import threadpoolctl

import coindex
from coindex.errors import InvalidValue
from coindex.models.common import subwords
from coindex.models.common.inference import map_in_order, one_thread
from coindex.models.coref.infer.encoder import SMALLEST, WINDOW
from coindex.resolvers import model_reference
from coindex.resolvers.resolver import Resolver
from coindex.types.document import Document
from coindex.types.progress import OnProgress, Progress, ignore_progress

NAMES = ("Ann", "Ben", "Clara", "Dov", "Elif", "Finn", "Grace", "Hugo")
CHAT = "Ann: I lost my keys.\nBen: You left them here."


def story(number: int) -> str:
    """A text like no other: its people, words and length depend on the number."""
    first, second = NAMES[number % 8], NAMES[(number // 8 + number + 1) % 8]
    lines = [
        f"{first} Kolb{number} met {second} in town{number}. She told him that he was late.",
        f"{second} thanked {first}, and they took their bags to the hotel{number}.",
        f"The hotel{number} had lost its keys; its owner said that he had never seen them.",
    ]
    return " ".join(lines[: 1 + number % 3] * (1 + number % 4))


@dataclass
class Waiting:
    """A resolver that goes on when it is told to."""

    go_on: threading.Event = field(default_factory=threading.Event)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    stopped: threading.Event = field(default_factory=threading.Event)
    signature: str = "waiting"

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        for document in documents:
            self.begun.release()
            try:
                while not self.go_on.wait(0.005):
                    on_progress(Progress("waiting", 0))
            except InvalidValue:
                self.stopped.set()
                raise
            yield document


@pytest.fixture(scope="module")
def resolver() -> Resolver:
    return coindex.load(threads=1)


# --- threads


@pytest.mark.parametrize("threads", [1, 2])
def test_eight_threads_get_the_answers_of_one(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [story(number) for number in range(24)]
    shared = coindex.load(threads=threads)
    alone = [shared.resolve(text) for text in texts]
    assert sum(len(document.entities) for document in alone) > 50
    monkeypatch.setattr(subwords, "_MAX_CACHED", 20)  # begun anew all the time
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(2):
                assert list(pool.map(shared.resolve, texts)) == alone
    finally:
        sys.setswitchinterval(interval)


def test_threads_can_read_streams_of_their_own(resolver: Resolver) -> None:
    texts = [[story(3 * line + at) for at in range(3)] for line in range(8)]
    expected = [resolver.resolve(line) for line in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda line: list(resolver.resolve_all(line)), texts)) == expected


def test_blas_is_on_one_thread_while_anybody_needs_it() -> None:
    def count() -> set[int]:
        return {
            each["num_threads"]
            for each in threadpoolctl.threadpool_info()
            if each["user_api"] == "blas"
        }

    def use(number: int) -> set[int]:
        with one_thread():
            entered.wait()
            if number:
                first_left.wait(60)
            return count()

    before = count()
    if before == {1}:
        pytest.skip("BLAS has one thread here")
    entered, first_left = threading.Barrier(2), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(use, 0), pool.submit(use, 1)
        assert first.result() == {1}
        first_left.set()
        assert second.result() == {1}, "the first one has left, the second one is still at work"
        assert count() == before, "restored by another thread than the one that set it"
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            assert count() == {1}, "others can set it now"
    assert count() == before


# --- streams


@pytest.mark.parametrize(("threads", "batch"), [(1, None), (2, None), (2, 7)])
@pytest.mark.parametrize("texts", [("",), ("Ann lost her keys.",), ("", "Ann lost her keys.", "")])
def test_streams_are_lazy_ordered_and_bounded(
    threads: int, batch: int | None, texts: tuple[str, ...]
) -> None:
    taken = 0

    def endless() -> Iterator[Document]:
        nonlocal taken
        for text in repeat(texts):
            for each in text:
                taken += 1
                yield Document(str(taken), each)

    results = coindex.load(threads=threads, batch=batch).resolve_all(endless())
    assert taken == 0
    for number, document in enumerate(islice(results, 50), 1):
        assert document.id == str(number)
        # full windows, or as many more short ones as cost the same
        assert taken - number <= (batch or 2 * threads) * WINDOW // SMALLEST + 1
        assert bool(document.entities) == bool(document.text)


@pytest.mark.parametrize("threads", [1, 2])
def test_results_before_a_wrong_text_are_not_lost(threads: int) -> None:
    shared = coindex.load(threads=threads)
    results = shared.resolve_all(["Ann lost her keys.", "", 3, "Ann"])  # type: ignore[list-item]
    assert [next(results).text, next(results).text] == ["Ann lost her keys.", ""]
    with pytest.raises(InvalidValue, match="expected text 3 to be a str or a document, found the"):
        next(results)


def test_what_is_no_longer_wanted_is_not_computed() -> None:
    computed: list[int] = []
    go_on = threading.Event()

    def slowly(number: int) -> int:
        go_on.wait(10)
        computed.append(number)
        return number

    results = map_in_order(slowly, range(100), 2, 50)
    threading.Timer(0.05, go_on.set).start()
    assert next(results) == 0
    taken = len(computed)
    results.close()  # type: ignore[attr-defined]
    assert len(computed) <= max(taken + 2, 51)
    with pytest.raises(ZeroDivisionError):
        list(map_in_order(lambda number: 1 // number, [1, 0], 2, 5))


def test_stream_is_resolve_all(resolver: Resolver) -> None:
    texts = [story(1), story(2)]
    assert list(resolver.stream(texts)) == list(resolver.resolve_all(texts))


# --- asyncio


def test_asyncio_gives_the_same_answers(resolver: Resolver) -> None:
    texts = [story(number) for number in range(12)]

    async def every() -> list[Document]:
        return await asyncio.gather(*(resolver.aresolve(text) for text in texts))

    assert asyncio.run(every()) == [resolver.resolve(text) for text in texts]
    assert asyncio.run(every())[3].text == texts[3], "in a second event loop"


def test_the_event_loop_is_not_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    waiting = Waiting()

    async def together() -> list[Document]:
        with Resolver(waiting) as resolver:
            tasks = [asyncio.create_task(resolver.aresolve(str(at))) for at in range(5)]
            for _ in range(3):  # three at once, while the loop goes on
                while not waiting.begun.acquire(blocking=False):
                    await asyncio.sleep(0.001)
            waiting.go_on.set()
            return await asyncio.gather(*tasks)

    documents = asyncio.run(asyncio.wait_for(together(), 60))
    assert [document.text for document in documents] == ["0", "1", "2", "3", "4"]


def test_a_cancelled_call_stops() -> None:
    waiting = Waiting()

    async def cancelled() -> None:
        resolver = Resolver(waiting)
        task = asyncio.create_task(resolver.aresolve("Ann"))
        while not waiting.begun.acquire(blocking=False):
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(resolver.aresolve("Ben"), 0.05)
        assert await asyncio.to_thread(waiting.stopped.wait, 60)
        waiting.go_on.set()
        assert (await resolver.aresolve("Clara")).text == "Clara"

    asyncio.run(cancelled())


def test_a_cancelled_call_stops_before_the_end_of_a_long_text(resolver: Resolver) -> None:
    windows: list[int] = []
    ended = threading.Event()

    @dataclass(frozen=True)
    class Counting:
        signature: str = "counting"

        def resolve(
            self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
        ) -> Iterator[Document]:
            def count(progress: Progress) -> None:
                windows.append(progress.done)
                on_progress(progress)

            try:
                yield from resolver.clusterer.resolve(documents, count)
            finally:
                ended.set()

    long = "Ann told Ben that she had lost her keys. " * 3000

    async def cancelled() -> None:
        task = asyncio.create_task(Resolver(Counting()).aresolve(long))
        while not windows:
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cancelled())
    assert ended.wait(60)
    assert windows[-1] < 15_000, "half of its words"


# --- closing


def test_a_closed_resolver_says_so() -> None:
    with coindex.load(threads=1) as resolver:
        begun = resolver.resolve_all([story(1), story(2)])
        assert next(begun).entities
        asyncio.run(resolver.aresolve("Ann lost her keys."))
    resolver.close()
    message = "the resolver is closed: load another one with coindex.load"
    for call in (
        lambda: resolver.resolve("Ann"),
        lambda: resolver.resolve(["Ann"]),
        lambda: resolver.resolve_all(["Ann"]),
        lambda: next(begun),
        lambda: asyncio.run(resolver.aresolve("Ann")),
        lambda: resolver.signature,
        lambda: pickle.dumps(resolver),
        resolver.__enter__,
    ):
        with pytest.raises(InvalidValue, match=message):
            call()
    assert repr(resolver) == "<Resolver closed>"


def test_a_call_that_has_begun_ends_as_usual() -> None:
    waiting = Waiting()
    resolver = Resolver(waiting)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(resolver.resolve, "Ann")
        assert waiting.begun.acquire(timeout=60)
        resolver.close()
        waiting.go_on.set()
        assert call.result().text == "Ann"


# --- other processes


@pytest.mark.parametrize("speakers", ["auto", "none", "file"])
def test_copies_are_references(speakers: str, tmp_path: Path) -> None:
    file = tmp_path / "turns.tsv"
    file.write_text(f"0\t{CHAT.index(chr(10))}\tZoe\n", encoding="utf-8")
    chosen = str(file) if speakers == "file" else speakers
    resolver = coindex.load(threads=1, speakers=chosen, markup="none", singletons=True)
    data = pickle.dumps(resolver)
    assert len(data) < 2000
    file.unlink()
    one, two = pickle.loads(data), pickle.loads(data)
    assert one.clusterer is two.clusterer
    assert (one.signature, one.markup) == (resolver.signature, "none")
    expected = resolver.resolve(CHAT)
    assert one.resolve(CHAT) == expected
    found = set(expected.speakers or ())
    assert found == {"auto": {"Ann", "Ben", ""}, "none": set(), "file": {"Zoe", ""}}[speakers]
    assert pickle.loads(pickle.dumps(one)).clusterer is one.clusterer


def test_another_process_loads_the_model_once(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(exported.parent)
    resolver = coindex.load(exported.name, scheme="every", threads=1)
    text = "Ann met Bob . She liked him ."
    (tmp_path / "resolvers").write_bytes(pickle.dumps([pickle.dumps(resolver)] * 20))
    code = (
        "import pickle, sys\n"
        "from coindex import resolvers\n"
        "calls, load = [], resolvers.load\n"
        "resolvers.load = lambda *given: calls.append(given) or load(*given)\n"
        "copies = [pickle.loads(each) for each in pickle.load(open('resolvers', 'rb'))]\n"
        f"results = [copy.resolve({text!r}) for copy in copies]\n"
        "assert len(calls) == 1, calls\n"
        "sys.stdout.buffer.write(pickle.dumps(results))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert pickle.loads(done.stdout) == [resolver.resolve(text)] * 20


def test_threads_that_unpickle_at_once_load_one_model() -> None:
    data = pickle.dumps(coindex.load(threads=1, rules="none"))
    with ThreadPoolExecutor(8) as pool:
        copies = list(pool.map(pickle.loads, [data] * 16))
    assert len({id(copy.clusterer) for copy in copies}) == 1


def test_another_model_in_the_place_of_the_pickled_one_is_an_error(
    exported: Path, tmp_path: Path
) -> None:
    import shutil

    folder = tmp_path / "model"
    shutil.copytree(exported, folder)
    data = pickle.dumps(coindex.load(folder))
    facts = (folder / "model.json").read_text(encoding="utf-8")
    (folder / "model.json").write_text(facts + "\n", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r"model: expected model:.*, which was pickled, found"):
        pickle.loads(data)


def test_few_models_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def load(plugin: str, settings: coindex.resolvers.ResolverSettings) -> Waiting:
        made.append(str(settings.model))
        return Waiting()

    monkeypatch.setattr(model_reference, "load_clusterer", load)
    monkeypatch.setattr(model_reference, "_MODELS", type(model_reference._MODELS)())
    settings = coindex.resolvers.ResolverSettings()
    references = [
        model_reference.ModelReference("x", replace(settings, model=str(at)), "waiting")
        for at in range(6)
    ]
    for at in (0, 1, 2, 3, 0, 4, 0, 1):
        references[at].load()
    assert made == ["0", "1", "2", "3", "4", "1"]


def test_a_resolver_around_a_clusterer_is_pickled_with_it() -> None:
    copy = pickle.loads(pickle.dumps(Resolver(_Plain(), markup="html")))
    assert (copy.signature, copy.markup) == ("plain", "html")


@dataclass(frozen=True)
class _Plain:
    signature: str = "plain"

    def resolve(
        self, documents: Iterable[Document], on_progress: OnProgress = ignore_progress
    ) -> Iterator[Document]:
        return iter(())


def test_a_clusterer_without_an_answer_is_an_error() -> None:
    with pytest.raises(InvalidValue, match="plain: expected one resolved document, found none"):
        Resolver(_Plain()).resolve("Ann")
    with pytest.raises(InvalidValue, match="plain: expected one resolved document, found none"):
        asyncio.run(Resolver(_Plain()).aresolve("Ann"))


# --- what is no text


WRONG = {
    "None": (None, "found None"),
    "int": (3, "found the type int"),
    "float": (float("nan"), "found the type float"),
    "bytes": (b"Ann", "found the type bytes: decode it to a str first"),
    "dict": ({"text": "Ann"}, "found the type dict"),
    "set": ({"Ann"}, "found the type set"),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_call_says_what_was_wrong(name: str, resolver: Resolver) -> None:
    value, message = WRONG[name]
    for call in (
        lambda: resolver.resolve(value),  # type: ignore[arg-type]
        lambda: resolver.resolve_all(value),  # type: ignore[arg-type]
        lambda: asyncio.run(resolver.aresolve(value)),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidValue, match=rf"^expected .*{message}$"):
            call()
    for call in (
        lambda: resolver.resolve(["Ann", value]),  # type: ignore[list-item]
        lambda: list(resolver.resolve_all(["Ann", value])),  # type: ignore[list-item]
    ):
        with pytest.raises(
            InvalidValue, match=rf"^expected text 2 to be a str or a document, {message}$"
        ):
            call()


def test_one_text_is_not_several(resolver: Resolver) -> None:
    with pytest.raises(InvalidValue, match="several texts or documents, found the type str: use"):
        resolver.resolve_all("Ann")
    with pytest.raises(InvalidValue, match="a text or a document, found the type list"):
        asyncio.run(resolver.aresolve(["Ann"]))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["singletons", "events", "explain"])
def test_switches_are_true_or_false(name: str) -> None:
    options: Any = {name: "no"}
    with pytest.raises(InvalidValue, match=f"expected {name} to be True or False, found 'no'"):
        coindex.load(**options)

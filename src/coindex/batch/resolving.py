"""Texts to resolved documents, in one stream; a text that fails does not stop the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

from coindex.batch.file_kinds import file_markup
from coindex.batch.forms import LINES, content
from coindex.batch.items import InputText, Item, Outcome, Record, Skipped
from coindex.batch.reading import reason_of
from coindex.resolvers.resolver import MarkedText, Resolver, load
from coindex.transform.edit import retokenize, without_markup
from coindex.types.document import Document
from coindex.types.progress import OnProgress, ignore_progress


@dataclass(frozen=True, slots=True)
class ResolverChoice:
    """The arguments of `coindex.load`, to load the same resolver in other processes."""

    model: str | None = None
    singletons: bool = False
    scheme: str | None = None
    threads: int | None = None
    batch: int | None = None
    speakers: str = "auto"
    markup: str = "auto"
    rules: str = "all"
    events: bool = False
    explain: bool = False
    device: str = "cpu"

    def load(self) -> Resolver:
        """The resolver."""
        return load(**asdict(self))


@dataclass(frozen=True, slots=True)
class ResolveJob:
    """What is done with each text.

    form   of `coindex.batch.forms`, or the name of a format
    skip   whether a text that cannot be resolved is skipped, instead of an error
    """

    resolver: ResolverChoice
    form: str = "jsonl"
    min_confidence: float | None = None
    skip: bool = True


@lru_cache(maxsize=1)
def worker_resolver(choice: ResolverChoice) -> Resolver:
    """The resolver of a worker process, loaded once."""
    return choice.load()


def resolve_chunk(job: ResolveJob, items: Iterable[Item]) -> list[Outcome]:
    """The outcomes of some texts, without their documents; this is what workers do."""
    resolver = worker_resolver(job.resolver)
    outcomes = resolve_items(job, resolver, items)
    return [replace(each, document=None) if isinstance(each, Record) else each for each in outcomes]


def resolve_items(
    job: ResolveJob,
    resolver: Resolver,
    items: Iterable[Item],
    on_progress: OnProgress = ignore_progress,
    *,
    stored: bool = True,
) -> Iterator[Outcome]:
    """One outcome for each item, in their order.

    stored   whether documents are needed as text, for parts or other processes
    """
    render = _renderer(job, stored)
    for item, document in _resolved(job, resolver, iter(items), on_progress):
        if isinstance(item, Skipped) or isinstance(document, Skipped):
            yield item if isinstance(item, Skipped) else document  # type: ignore[misc]
            continue
        try:
            yield render(item, document)
        except Exception as error:
            if not job.skip:
                raise
            yield Skipped(item.source, reason_of(error), item.position)


def _renderer(job: ResolveJob, stored: bool) -> Callable[[InputText, Document], Record]:
    def render(item: InputText, document: Document) -> Record:
        text = ""
        if stored or job.form in LINES:
            text = content(document, job.form, job.min_confidence, item.fields)
        return Record(item.target, text, len(document), item.position, document)

    return render


def _resolved(
    job: ResolveJob, resolver: Resolver, items: Iterator[Item], on_progress: OnProgress
) -> Iterator[tuple[Item, Document | Skipped]]:
    """Each item with its document, or with the reason why it has none.

    After an error, the texts that the resolver had taken are resolved one by one, which shows the
    one that fails; then the stream continues.
    """
    source = _Source(items)
    words = 0
    while True:
        base = words
        try:
            for document in resolver.stream(
                source.documents(job.resolver.markup),
                lambda step: on_progress(replace(step, done=base + step.done)),  # noqa: B023
            ):
                yield from source.skipped()
                words += len(document)
                yield source.taken.popleft(), document
            yield from source.skipped()
        except Exception:
            if not job.skip or source.error is not None or not source.taken:
                raise
        else:
            if source.error is not None:  # all texts before the error are resolved
                raise source.error
            return
        while source.taken:
            item = source.taken.popleft()
            yield item, item if isinstance(item, Skipped) else _alone(job, resolver, item)


class _Source:
    """The items that a resolver takes, and those of them that have no outcome yet."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self.taken: deque[Item] = deque()
        self.error: Exception | None = None  # of reading, which ends the collection

    def documents(self, markup: str) -> Iterator[Document | MarkedText]:
        """The documents of the items that are not skipped."""
        while True:
            try:
                item = next(self._items)
            except StopIteration:
                return
            except Exception as error:
                self.error = error
                return
            self.taken.append(item)
            if isinstance(item, InputText):
                yield prepared(item, markup)

    def skipped(self) -> Iterator[tuple[Item, Skipped]]:
        """The skipped items before the next text."""
        while self.taken and isinstance(self.taken[0], Skipped):
            item = self.taken.popleft()
            yield item, item  # type: ignore[misc]


def _alone(job: ResolveJob, resolver: Resolver, item: InputText) -> Document | Skipped:
    try:
        return resolver.resolve(prepared(item, job.resolver.markup))
    except Exception as error:
        return Skipped(item.source, reason_of(error), item.position)


def prepared(item: InputText, markup: str) -> Document | MarkedText:
    """The document as the resolver takes it; with its speaker and its markup, if they are known."""
    document = item.document
    if document.tokens:
        return document
    known = file_markup(item.target) if markup == "auto" else markup
    if not item.speaker:
        return document if known == markup else MarkedText(document, known)
    tokenized = without_markup(retokenize(document, ()), known)
    return replace(tokenized, speakers=(item.speaker,) * len(tokenized))

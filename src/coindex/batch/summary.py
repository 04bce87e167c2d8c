"""How far a run is, and what came out of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from coindex.batch.items import Item, Outcome, Record
from coindex.types.progress import OnProgress, Progress, ignore_progress

_BYTES_A_WORD = 5.5


@dataclass(slots=True)
class RunProgress:
    """Counts texts and words while they are resolved, and tells how far the input is read.

    size      of the input in bytes; 0 if unknown
    resumed   how many items were done by the run that was interrupted
    """

    size: int = 0
    on_progress: OnProgress = ignore_progress
    texts: int = 0
    words: int = 0
    skipped: int = 0
    resumed: int = 0
    _old_words: int = 0
    _position: int = 0
    _started: float = field(default_factory=time.monotonic)

    def add(self, outcome: Outcome) -> Outcome:
        """Count an outcome."""
        if isinstance(outcome, Record):
            self.texts += 1
            self.words += outcome.words
        else:
            self.skipped += 1
        self._position = max(self._position, outcome.position)
        self._report(self.words)
        return outcome

    def add_stored(self, outcomes: Iterable[Outcome], items: Sequence[Item]) -> None:
        """Count the outcomes of a chunk that was done before."""
        for outcome in outcomes:
            self.resumed += 1
            if isinstance(outcome, Record):
                self.texts += 1
                self.words += outcome.words
                self._old_words += outcome.words
            else:
                self.skipped += 1
        self._position = max(self._position, *(item.position for item in items))

    def on_words(self, step: Progress) -> None:
        """Called while a text is resolved, with the number of words that are done."""
        self._report(max(self.words, step.done + self._old_words))

    @property
    def seconds(self) -> float:
        """How long the run has taken so far."""
        return time.monotonic() - self._started

    @property
    def rate(self) -> float:
        """Words a second, without those of an interrupted run."""
        return (self.words - self._old_words) / max(self.seconds, 1e-3)

    def _report(self, words: int) -> None:
        done = min(self._position + int((words - self.words) * _BYTES_A_WORD), self.size)
        rate = (words - self._old_words) / max(self.seconds, 1e-3)
        note = f"{self._texts()}, {words:,} words, {rate:,.0f} words/s"
        if self.skipped:
            note += f", {self.skipped:,} skipped"
        self.on_progress(Progress("resolving", done, self.size or None, "input", note))

    def _texts(self) -> str:
        return "1 text" if self.texts == 1 else f"{self.texts:,} texts"

    def line(self) -> str:
        """The result of the run, for people."""
        line = f"{self._texts()}, {self.words:,} words in {self.seconds:,.1f} s"
        line += f" ({self.rate:,.0f} words/s)"
        if self.resumed:
            line += f"; {self.resumed:,} of them were done before"
        return line + f"; {self.skipped:,} skipped"

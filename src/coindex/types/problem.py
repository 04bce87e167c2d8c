"""`Problem`: a passage, one pronoun, and the candidates for its antecedent.

GAP, KnowRef, WikiCREM, DPR, WSC, PDP, WNLI, WinoBias, Winogender, WinoGrande.
"""

from __future__ import annotations

from dataclasses import dataclass

from coindex.errors import InvalidValue
from coindex.types.mention import Pairs
from coindex.types.span import Chars


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible antecedent of the pronoun; `chars` is None if it is not in the text."""

    text: str
    chars: Chars | None = None

    def __post_init__(self) -> None:
        if not self.text:
            raise InvalidValue("a candidate needs a text, found an empty one")


@dataclass(frozen=True, slots=True)
class Problem:
    """One pronoun to resolve.

    target      the offsets of the pronoun, or of the blank in its place
    candidates  in the order of the corpus
    answer      indices of the right candidates: one, several, `()` for none of
                them, None if the answer is not known
    group       what results are grouped by: a gender, a stereotype
    source      the page or document that the passage was taken from
    meta        other metadata of the corpus, by name
    """

    id: str
    text: str
    target: Chars
    candidates: tuple[Candidate, ...]
    answer: tuple[int, ...] | None = None
    group: str | None = None
    source: str | None = None
    meta: Pairs = ()

    def __post_init__(self) -> None:
        if not self.target or self.target.end > len(self.text):
            raise InvalidValue(
                f"{self.id}: the pronoun needs a place within the text's"
                f" {len(self.text)} characters, found {self.target.start}-{self.target.end}"
            )
        if not self.candidates:
            raise InvalidValue(f"{self.id}: a problem needs a candidate, found none")
        for candidate in self.candidates:
            if candidate.chars is not None and candidate.chars.end > len(self.text):
                raise InvalidValue(
                    f"{self.id}: {candidate.text!r} ends at {candidate.chars.end}"
                    f" of {len(self.text)} characters"
                )
        self._check_answer()

    def _check_answer(self) -> None:
        answer = self.answer
        if answer is None:
            return
        if any(not 0 <= index < len(self.candidates) for index in answer):
            raise InvalidValue(
                f"{self.id}: the answer {answer} is outside the {len(self.candidates)} candidates"
            )
        if list(answer) != sorted(set(answer)):
            raise InvalidValue(f"{self.id}: an answer's indices must rise, found {answer}")

    @property
    def pronoun(self) -> str:
        """The pronoun as written in the text."""
        return self.target.of(self.text)

    def _repr_html_(self) -> str:
        """What a notebook shows: see `coindex.to_html`."""
        import coindex

        return coindex.to_html(self)

    def meta_value(self, name: str) -> str | None:
        """A value of `meta` by its name, or None."""
        return dict(self.meta).get(name)

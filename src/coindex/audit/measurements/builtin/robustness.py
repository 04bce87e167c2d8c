"""Small changes of texts: the share of answers that stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from coindex.audit.comparison import Answers, answers
from coindex.audit.exchange import SHOWN, text_signature
from coindex.audit.fillings import at_distance, in_passive, other_names
from coindex.audit.intervals import share
from coindex.audit.measurements.protocol import (
    AuditContext,
    AuditFigure,
    Example,
    Measured,
    NotMeasured,
)
from coindex.audit.templates import Passage
from coindex.audit.variants import (
    BASE,
    base_id,
    in_capitals,
    in_lower_case,
    labelled,
    passages,
    with_typos,
    without_punctuation,
)

TITLE = "Small changes of texts: the share of answers that stay"
GROUP = "robustness"
BENCHMARKS: tuple[str, ...] = ()
FIGURES = (
    "typos",
    "lower case",
    "capitals",
    "no punctuation",
    "other names",
    "distance",
    "passive",
)
ABOUT = """
The bundled texts with a change that does not alter who is meant: letters exchanged in one word of
twelve (in no mention), all in lower case, all in capitals, without punctuation, with other names
of the same origin and gender, with two sentences inserted before the pronouns, and with a clause
in the passive. An answer stays if a mention is joined with the same entities, right or wrong: look at
accuracy elsewhere.
"""

LIMIT = 10.0
"""The share of answers that may change, in percent."""

_WORDS = {
    "typos": "a typo in one word of twelve",
    "lower case": "the text in lower case",
    "capitals": "the text in capitals",
    "no punctuation": "the punctuation left out",
    "other names": "other names",
    "distance": "two sentences inserted",
    "passive": "a clause in the passive",
}


def measure(context: AuditContext) -> Measured:
    """The share of answers that stay, for each change."""
    base = passages(BASE)
    before = _answers(context, base, "robustness")
    figures, examples = [], []
    for name, make in _changes(base).items():
        texts = [labelled(text, name.replace(" ", "-")) for text in make()]
        after = _answers(context, texts, f"robustness, {name}")
        both = [each for each in after if before.get(each) is not None and after[each] is not None]
        rows = [_stays(before[each] or {}, after[each] or {}) for each in both]
        found = share(rows, context.draws)
        value = "None" if found.value is None else f"{found.value:.1f} %"
        meaning = f"{value} of the answers stay with {_WORDS[name]}."
        figures.append(
            AuditFigure(
                name,
                found.value,
                found.interval,
                found.of,
                "percent",
                meaning,
                LIMIT,
                100.0,
                "lower",
            )
        )
        unlike = {each for each, (stay, of) in zip(both, rows, strict=True) if stay < of}
        changed = [text for text in texts if base_id(text) in unlike]
        examples += [_example(name, text, base, before, after) for text in changed[:SHOWN]]
    if all(figure.value is None for figure in figures):
        raise NotMeasured("no text has clusters")
    items = len(base) * (1 + len(FIGURES))
    return Measured(
        tuple(figures), text_signature(context, "robustness", items), examples=tuple(examples)
    )


def _changes(base: Sequence[Passage]) -> Mapping[str, Callable[[], Sequence[Passage]]]:
    return {
        "typos": lambda: [with_typos(text) for text in base],
        "lower case": lambda: [in_lower_case(text) for text in base],
        "capitals": lambda: [in_capitals(text) for text in base],
        "no punctuation": lambda: [without_punctuation(text) for text in base],
        "other names": lambda: passages(BASE, other_names, lambda each: bool(each.named)),
        "distance": lambda: passages(BASE, at_distance, lambda each: "{+}" in each.text),
        "passive": lambda: passages(BASE, in_passive, lambda each: each.has_passive),
    }


def _answers(
    context: AuditContext, texts: Sequence[Passage], task: str
) -> dict[str, Answers | None]:
    resolved = context.resolve(texts, task)
    return {
        base_id(text): None if document is None else answers(text, document)
        for text, document in zip(texts, resolved, strict=True)
    }


def _stays(before: Answers, after: Answers) -> tuple[float, float]:
    keys = before.keys() & after.keys()
    return float(sum(before[key] == after[key] for key in keys)), float(len(keys))


def _example(
    name: str, text: Passage, base: Sequence[Passage],
    before: Mapping[str, Answers | None], after: Mapping[str, Answers | None],
) -> Example:  # fmt: skip
    """A text whose answers changed, with the first of them."""
    id = base_id(text)
    old = next(each for each in base if base_id(each) == id)
    one, two = before[id] or {}, after[id] or {}
    key = next(key for key in one if one[key] != two.get(key, one[key]))
    asked = next(question for question in old.questions if question.key == key)
    words = asked.mention.chars.of(old.text)
    change = f"{words}: {_entities(old, one[key])}, then {_entities(old, two[key])}"
    return Example(name, old.text, text.text, change)


def _entities(passage: Passage, entities: frozenset[str]) -> str:
    """Entities by their first mentions."""
    first = {each.entity: each.chars.of(passage.text) for each in reversed(passage.mentions)}
    return " and ".join(f"“{first[each]}”" for each in sorted(entities)) or "nobody"

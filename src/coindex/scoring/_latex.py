"""Tables to paste into a paper; they need the package booktabs, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from coindex.scoring._cells import (
    FIGURE_SPACE,
    MARKED,
    clean,
    dashed,
    notes_below,
    numeric,
    shown,
    signature_note,
)
from coindex.scoring.grid import Grid

_SPECIAL = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "²": "$^2$",
    "³": "$^3$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "\ufffd": "?",
    FIGURE_SPACE: r"\phantom{0}",
}
_ESCAPES = str.maketrans(_SPECIAL)
_WHOLE = {"CEAFm": "CEAF$_m$", "CEAFe": "CEAF$_e$", "F1": "F$_1$"}


def latex(grids: Sequence[Grid]) -> str:
    """All tables, each with its title as caption and its notes below."""
    return "% needs \\usepackage{booktabs}\n" + "\n".join(map(_one, grids))


def escape(text: str) -> str:
    """Text that means only itself."""
    return clean(text).translate(_ESCAPES)


def _one(grid: Grid) -> str:
    right = numeric(grid)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(grid.title)}}}",
        rf"\begin{{tabular}}{{{''.join('r' if each else 'l' for each in right)}}}",
        r"\toprule",
        _line([_WHOLE.get(name, escape(name)) for name in grid.columns]),
        r"\midrule",
    ]
    for at, row in enumerate(grid.rows):
        cells = [_cell(shown(cell), right[n]) for n, cell in enumerate(row)]
        lines.append(
            _line([_bold(c) if c and (at, n) in grid.marked else c for n, c in enumerate(cells)])
        )
    lines += [r"\bottomrule", r"\end{tabular}", *_notes(notes_below(grid)), r"\end{table}"]
    return "".join(f"{line}\n" for line in lines)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _bold(cell: str) -> str:
    return rf"\textbf{{{cell}}}"


def _cell(text: str, is_number: bool) -> str:
    """A cell; in numbers a hyphen is a minus or a dash between two."""
    if not is_number:
        return _WHOLE.get(text, escape(text))
    return dashed(escape(text), "--", "$-$")


def _notes(notes: Sequence[str]) -> list[str]:
    if not notes:
        return []
    lines = [rf"{_note(note)}\par" for note in notes]
    return [
        r"\par\medskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        *lines,
        r"\end{minipage}",
    ]


def _note(note: str) -> str:
    if signed := signature_note(note):
        signature = r"\textbar\allowbreak{}".join(map(escape, signed[1].split("|")))
        return rf"{escape(signed[0])}: \texttt{{{signature}}}"
    if note.startswith(MARKED):
        return rf"\textbf{{Bold}}: {escape(note.removeprefix(MARKED))}"
    return escape(note)

"""LaTeX tables to paste into a paper; they need only the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

from coindex.report.table import FIGURE_SPACE, Note, Table, format_cell, printable, typeset_number

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
_BOLD = r"\textbf{Bold}:"
_WHOLE = {"CEAFm": "CEAF$_m$", "CEAFe": "CEAF$_e$", "F1": "F$_1$"}


def render(tables: Sequence[Table]) -> str:
    """All tables, each with its title as caption and its notes below."""
    return "% needs \\usepackage{booktabs}\n" + "\n".join(map(_table, tables))


def escape(text: str) -> str:
    """Text without characters that LaTeX would interpret."""
    return printable(text).translate(_ESCAPES)


def _table(table: Table) -> str:
    right = table.numeric_columns()
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.title)}}}",
        rf"\begin{{tabular}}{{{''.join('r' if each else 'l' for each in right)}}}",
        r"\toprule",
        _line([_WHOLE.get(name, escape(name)) for name in table.columns]),
        r"\midrule",
    ]
    for at, row in enumerate(table.rows):
        cells = [_cell(format_cell(cell), right[n]) for n, cell in enumerate(row)]
        lines.append(
            _line(
                [
                    rf"\textbf{{{c}}}" if c and (at, n) in table.marked else c
                    for n, c in enumerate(cells)
                ]
            )
        )
    lines += [r"\bottomrule", r"\end{tabular}", *_notes(table.notes_below), r"\end{table}"]
    return "".join(f"{line}\n" for line in lines)


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(text: str, is_number: bool) -> str:
    """A cell; a hyphen in numbers is a minus sign, or a dash between two numbers."""
    if not is_number:
        return _WHOLE.get(text, escape(text))
    return typeset_number(escape(text), "--", "$-$")


def _notes(notes: Sequence[Note]) -> list[str]:
    if not notes:
        return []
    lines = [rf"{note.render(_BOLD, escape, _code)}\par" for note in notes]
    return [
        r"\par\medskip",
        r"\begin{minipage}{\linewidth}\footnotesize\raggedright",
        *lines,
        r"\end{minipage}",
    ]


def _code(text: str) -> str:
    parts = r"\textbar\allowbreak{}".join(map(escape, text.split("|")))
    return rf"\texttt{{{parts}}}"

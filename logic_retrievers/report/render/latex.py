# ruff: noqa: RUF001  (Greek letters and dashes are what this file is about)
"""The report as LaTeX: tables with booktabs, figures as pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.pages.visible import visible
from logic_retrievers.report.artefacts import Figure, Row, Section, Table
from logic_retrievers.report.render.marks import Mark, mark
from logic_retrievers.report.render.notes import footnotes, tag
from logic_retrievers.report.render.values import interval, is_number, mean

SIGNS = {
    Mark.BETTER: r"\blacktriangle",
    Mark.WORSE: r"\blacktriangledown",
    Mark.HIGHER: r"\uparrow",
    Mark.LOWER: r"\downarrow",
    Mark.ALIKE: r"\approx",
}
KEY = (
    r"$\blacktriangle$/$\blacktriangledown$ better/worse than the baseline "
    r"($\uparrow$/$\downarrow$ higher/lower), corrected $p < .05$; $\approx$ not told apart."
)
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "[": "{[}", "]": "{]}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''",
    "–": "--", "—": "---", "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$",
    "≥": r"$\geq$", "≈": r"$\approx$", "≠": r"$\neq$", "∞": r"$\infty$", "√": r"$\surd$",
    "→": r"$\to$", "←": r"$\gets$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "·": r"$\cdot$",
    "…": r"\ldots{}", "∧": r"$\wedge$", "∨": r"$\vee$", "¬": r"$\neg$", "∖": r"$\setminus$",
    "α": r"$\alpha$", "β": r"$\beta$", "γ": r"$\gamma$", "δ": r"$\delta$", "Δ": r"$\Delta$",
    "κ": r"$\kappa$", "λ": r"$\lambda$", "μ": r"$\mu$", "ρ": r"$\rho$", "σ": r"$\sigma$",
    "τ": r"$\tau$", "“": "``", "”": "''", "‘": "`", "’": "'",
}  # fmt: skip
"""What pdflatex has no sign for, or takes for an order."""
FOUND = re.compile("|".join(map(re.escape, SPECIAL)))

DOCUMENT = r"""\documentclass[a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=2cm]{geometry}
\usepackage{amssymb,booktabs,graphicx}
\begin{document}
\title{Reproduction report}
\date{}
\maketitle
%s
\end{document}
"""


def latex_document(sections: Sequence[Section]) -> str:
    """Every section with its tables and figures."""
    blocks = [KEY]
    for section in sections:
        blocks += [rf"\section{{{escaped(section.title)}}}", *map(prose, section.text)]
        for one in section.artefacts:
            blocks.append(_figure(one) if isinstance(one, Figure) else latex_table(one).rstrip())
    return DOCUMENT.replace("%s", "\n\n".join(blocks))


def latex_table(table: Table) -> str:
    """A table that is shrunk to the width of the text where it is wider."""
    numbers = [
        any(is_number(row.cells[at]) for row in table.rows) for at in range(len(table.columns))
    ]
    notes = footnotes(table)
    lines = [
        r"\begin{table}[htbp]",
        r"\centering\footnotesize",
        rf"\caption{{{escaped(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numbers)}}}",
        r"\toprule",
        rf"{' & '.join(map(escaped, table.columns))} \\",
        r"\midrule",
        *(_line(table, row, notes) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    told = [prose(note) for note in table.notes]
    told += [rf"\textsuperscript{{{at}}} {prose(note)}" for note, at in notes.items()]
    lines += [rf"\par\smallskip{{\raggedright\scriptsize {line}\par}}" for line in told]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def escaped(text: str) -> str:
    """Text that LaTeX takes for nothing but text, on one line."""
    return FOUND.sub(lambda found: SPECIAL[found[0]], " ".join(visible(text).split()))


def prose(text: str) -> str:
    """Escaped text, whose words between backticks are set as code."""
    parts = re.split(r"`([^`]+)`", " ".join(text.split()))
    shown = (
        rf"\texttt{{{escaped(one)}}}" if at % 2 else _inner(one) for at, one in enumerate(parts)
    )
    return "".join(shown)


def _inner(text: str) -> str:
    left, right = " " * text.startswith(" "), " " * (text.endswith(" ") and bool(text.strip()))
    return f"{left}{escaped(text)}{right}"


def _line(table: Table, row: Row, notes: dict[str, str]) -> str:
    cells = []
    for place, cell in enumerate(row.cells):
        text, between = escaped(mean(cell)), escaped(interval(cell))
        found = mark(table, row, place)
        text += rf"\,${SIGNS[found]}$" if found else ""
        text += rf" {{\scriptsize({between})}}" if between else ""
        cells.append(text)
    told = tag(row, table)
    cells[0] += rf" \emph{{({told})}}" if told else ""
    cells[0] += rf"\textsuperscript{{{notes[row.note]}}}" if row.note else ""
    if row.origin != "measured":
        cells = [rf"\textit{{{cell}}}" for cell in cells]
    return rf"{' & '.join(cells)} \\"


def _figure(figure: Figure) -> str:
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{figures/{figure.name}.png}}",
            rf"\caption{{{escaped(figure.title)}. {prose(figure.caption)}}}",
            rf"\label{{fig:{figure.name}}}",
            r"\end{figure}",
        ]
    )

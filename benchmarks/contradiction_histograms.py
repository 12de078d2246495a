"""Hoyer sparsity of random, agreeing and contradicting pairs, before and after training.

python -m benchmarks.contradiction_histograms [--plot docs/img/hoyer.png]

Pairs of ConflictQA's test part: passages of different questions, of one side, of opposite sides.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.contradiction_retrieval import vectors
from benchmarks.report import publish
from logic_retrievers.evaluation.plots import sparsity_figure
from logic_retrievers.report.contradiction_pools import conflictqa_parts, pairs_by_kind
from logic_retrievers.report.studies.sparsecl_published import MEDIANS
from logic_retrievers.scoring import sparsity


def main() -> None:
    """Measure, publish and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, default=Path("docs/img/hoyer.png"))
    options = parser.parse_args()
    kinds = {k: some.pairs for k, some in pairs_by_kind(conflictqa_parts()["test"]).items()}
    texts = list(dict.fromkeys(t for some in kinds.values() for pair in some for t in pair))
    place = {text: row for row, text in enumerate(texts)}
    panels = {
        title: {
            kind: _sparsities(vectors(name, texts), [(place[a], place[b]) for a, b in some])
            for kind, some in kinds.items()
        }
        for title, name in (("before training", "topical"), ("after training", "contradiction"))
    }
    publish(
        "Hoyer sparsity",
        [
            {
                "": title,
                "pairs": kind,
                "how many": len(values),
                "median": round(float(np.median(values)), 3),
                "middle half": " to ".join(f"{q:.3f}" for q in np.quantile(values, [0.25, 0.75])),
                "paper's median": MEDIANS[title][kind],
            }
            for title, of_kind in panels.items()
            for kind, values in of_kind.items()
        ],
    )
    options.plot.parent.mkdir(parents=True, exist_ok=True)
    sparsity_figure(panels).savefig(options.plot, dpi=110)


def _sparsities(
    rows: npt.NDArray[np.float32], some: Sequence[tuple[int, int]]
) -> npt.NDArray[np.float32]:
    found = np.array([sparsity(rows[a], rows[b : b + 1])[0] for a, b in some], dtype=np.float32)
    return found[~np.isnan(found)]


if __name__ == "__main__":
    main()

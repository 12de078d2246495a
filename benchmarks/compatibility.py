"""A trained encoder alone and in every policy, on development parts.

python -m benchmarks.compatibility RUN ... [--test] [--only NAME ...]

RUN is a folder that `logic-export train` made. The development parts are the default;
--test reads the test parts, for a final recipe.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from benchmarks.common.dataset_search import evaluate_policy, index_dataset
from benchmarks.common.output import cached_encoder, publish, with_interval
from logic_retrievers import (
    AutoPolicy,
    CoderUnionPolicy,
    CombinedEncoder,
    ExclusionSettings,
    OnnxEncoder,
    SentenceTransformerEncoder,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.errors import LongTextWarning, UntrainedVectorWarning
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.ranking.query_input import AnyPolicy

DEVELOPMENT = (
    ("nevir", "dev"),
    ("excluir", "train"),
    ("excluir", "dev"),
    ("boolquestions_not", "dev"),
)
TEST = (
    ("nevir", "test"),
    ("excluir", "test"),
    ("boolquestions_not", "test"),
    ("negconstraint", "test"),
    ("coder_antonym", "test"),
)
METRICS = ("paired_accuracy", "R@1", "R@5", "V@2", "V@5", "FVR")
POLICIES: dict[str, AnyPolicy] = {
    "topical": "topical",
    "compatibility": "compatibility",
    "sequential": "sequential",
    "sequential, not back-filled": SequentialPolicy(backfill=False),
    "CoDeR's union": "coder-union",
    "CoDeR's union, not back-filled": CoderUnionPolicy(backfill=False),
    **{f"union of cosines, {alpha}": UnionPolicy(alpha) for alpha in (0.3, 0.5, 0.7)},
    **{
        f"auto, {weight}": AutoPolicy(settings=ExclusionSettings(compatibility_weight=weight))
        for weight in (0.0, 0.3, 0.5)
    },
}


def main() -> None:
    """Measure and publish."""
    warnings.simplefilter("ignore", LongTextWarning)
    warnings.simplefilter("ignore", UntrainedVectorWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--only", nargs="+", help="some of the data sets")
    options = parser.parse_args()
    parts = [
        (name, split)
        for name, split in (TEST if options.test else DEVELOPMENT)
        if not options.only or name in options.only
    ]
    publish(
        "compatibility-test" if options.test else "compatibility",
        [row for folder in options.runs for part in parts for row in rows(folder, *part)],
    )


def rows(folder: Path, name: str, split: str) -> list[dict[str, object]]:
    """Every policy over one part, with the run's encoder as the compatibility vector."""
    dataset = load_dataset(name, split)
    trained = SentenceTransformerEncoder(folder / "model", "compatibility", device="cpu")
    both = CombinedEncoder([(OnnxEncoder(), {"topical": "topical"}), trained])
    table: list[dict[str, object]] = []
    with index_dataset(dataset, cached_encoder(both)) as index:
        for label, policy in POLICIES.items():
            estimates = evaluate_policy(dataset, index, policy).estimates
            figures = {metric: with_interval(estimates.get(metric)) for metric in METRICS}
            table.append({"run": folder.name, "part": dataset.name, "policy": label, **figures})
    return table


if __name__ == "__main__":
    main()

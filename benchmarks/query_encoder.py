"""Query encoders trained in tiers (LORE), beside InfoNCE on the same data and the base.

python -m benchmarks.query_encoder METHOD=RUN[,RUN...] [METHOD=RUN[,RUN...] ...]

Runs of one method differ in their seed; a question's figure is their mean. The first method is
the baseline. Ranking is inside each question's own candidates, as in the paper;
documents are encoded by the base, except for runs that trained the document side too
(``model.frozen_documents = false``). Trained on HotpotQA's questions
(``export/recipes/query-encoder-minilm.toml``); MS MARCO's are a transfer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from logic_export.bundles.heads import find_head
from logic_export.data.tiers.examples import TieredExample
from logic_export.dense_retrieval import Encode
from logic_export.recipe import ModelSettings
from logic_export.training.batches import unique_passages
from logic_export.training.development import DISTRACTORS, POSITIVES, tier_recalls
from logic_export.training.encoding import TextRoles, load_trainable

from benchmarks.common.output import publish, with_interval
from benchmarks.reproduction.studies.tiers.recalls import (
    DISTRACTORS_DISTURBED,
    DISTRACTORS_RAW,
    DISTURBED,
    RAW,
    RIGHT_DISTURBED,
    RIGHT_RAW,
    SETS,
    both_forms,
)
from logic_retrievers.evaluation import Estimate
from logic_retrievers.evaluation.statistics import bootstrap

BASE = "all-minilm-l6-v2"
UNSEEN = ("parallel", "hypothetical")

Values = npt.NDArray[np.float64]
Examples = Mapping[str, Sequence[TieredExample]]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="+", metavar="METHOD=RUN[,RUN...]")
    options = parser.parse_args()
    methods = {"base": [BASE]}
    for method in options.methods:
        name, _, runs = method.partition("=")
        methods[name] = runs.split(",")
    first = list(methods)[1]
    for title, folders in SETS.items():
        questions = both_forms(folders)
        examples = {RIGHT_RAW: questions[RAW], RIGHT_DISTURBED: questions[DISTURBED]}
        passages = unique_passages(examples[RIGHT_DISTURBED])
        documents = dict(zip(passages, encodings(BASE)[1](passages), strict=True))
        recalls = {
            name: np.mean([run_recalls(run, examples, documents) for run in runs], axis=0)
            for name, runs in methods.items()
        }
        parts = {
            "unseen relations": np.array(
                [example.relation in UNSEEN for example in examples[RIGHT_DISTURBED]]
            ),
            "not near before": recalls["base"][1] == 0,
        }
        publish(
            f"query encoders, {title}",
            [
                {"encoder": name, "runs": len(methods[name]), **format_figures(values, parts)}
                for name, values in recalls.items()
            ],
            questions=len(examples[RIGHT_DISTURBED]),
            **{name: int(part.sum()) for name, part in parts.items()},
        )
        publish(
            f"query encoders, {title}, gains over {first}",
            [
                {"encoder": name, **format_figures(values - recalls[first], parts)}
                for name, values in recalls.items()
                if name != first
            ],
        )


def run_recalls(
    run: str, forms: Examples, documents: Mapping[str, npt.NDArray[np.float32]]
) -> Values:
    """Recalls of right passages and distractors, undisturbed then disturbed: (4, questions)."""
    head = find_head("topical", run)
    encode, own = encodings(head.model)
    if head.training and not head.queries_only:
        documents = dict(zip(documents, own(list(documents)), strict=True))
    recalls = {
        name: tier_recalls(examples, encode([example.query for example in examples]), documents)
        for name, examples in forms.items()
    }
    return np.stack([recalls[name][tier] for name in forms for tier in (POSITIVES, DISTRACTORS)])


def encodings(model: str) -> tuple[Encode, Encode]:
    """Encoding functions of queries and documents, truncated as in the recipe."""
    settings = ModelSettings(base=model, query_tokens=128, document_tokens=256)
    return TextRoles.of(settings).encodings(load_trainable(settings))


def format_figures(values: Values, parts: Mapping[str, npt.NDArray[np.bool_]]) -> dict[str, str]:
    """Figures over all questions, and over parts of them.

    Args:
        values: of :func:`run_recalls`.
        parts: questions with relations unseen in training, and questions whose distractors are not
            among the base's first three for the undisturbed question.
    """
    columns = dict(
        zip(
            (RIGHT_RAW, DISTRACTORS_RAW, RIGHT_DISTURBED, DISTRACTORS_DISTURBED),
            values,
            strict=True,
        )
    )
    for name, part in parts.items():
        columns[f"{DISTRACTORS_DISTURBED}, {name}"] = values[3][part]
    return {name: with_interval(_mean(column)) for name, column in columns.items()}


def _mean(values: Values) -> Estimate:
    return bootstrap(values)[0]


if __name__ == "__main__":
    main()

"""Query encoders trained in tiers (LORE), beside InfoNCE on the same data and the base.

python -m benchmarks.query_encoder METHOD=RUN[,RUN...] [METHOD=RUN[,RUN...] ...]

Runs of one method differ in their seed: a question's figure is their mean. The first method is what
the others are compared with. Ranking is inside each question's own candidates, as in the paper;
documents are encoded by the base, once. Trained on HotpotQA's questions
(``export/recipes/query-encoder-minilm.toml``); MS MARCO's are a transfer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from logic_export.data.tiers.examples import TieredExample, read_tiers
from logic_export.recipe import Model
from logic_export.retrieval import Encode
from logic_export.tier_commands import disturbed_queries
from logic_export.training.folder import MODEL
from logic_export.training.model import prepared
from logic_export.training.roles import Roles
from logic_export.training.tiers.development import DISTRACTORS, POSITIVES, recalls
from logic_export.training.tiers.rows import passages_of

from benchmarks.report import OUT, publish, with_interval
from logic_retrievers.evaluation import Estimate
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.statistics import bootstrap

BASE = "all-minilm-l6-v2"
SETS = {
    "HotpotQA": ("disturbed", ("hotpotqa_train1000_pairs", "hotpotqa_train100")),
    "MS MARCO": ("disturbed_msmarco", ("msmarco_small",)),
}
UNSEEN = ("parallel", "hypothetical")
RAW, MOVED, DRAWN = "P, undisturbed", "P, disturbed", "N1, disturbed"

Values = npt.NDArray[np.float64]
Asked = Mapping[str, Sequence[TieredExample]]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="+", metavar="METHOD=RUN[,RUN...]")
    options = parser.parse_args()
    methods = {"base": [BASE]}
    for method in options.methods:
        name, _, runs = method.partition("=")
        methods[name] = [str(Path(run) / MODEL) for run in runs.split(",")]
    first = list(methods)[1]
    for title, (folder, data) in SETS.items():
        asked = test_questions(OUT / folder, data)
        passages = passages_of(asked[MOVED])
        documents = dict(zip(passages, encodings(BASE)[1](passages), strict=True))
        measured = {
            name: np.mean([of_model(model, asked, documents) for model in models], axis=0)
            for name, models in methods.items()
        }
        unseen = np.array([one.relation in UNSEEN for one in asked[MOVED]])
        publish(
            f"query encoders, {title}",
            [
                {"encoder": name, "runs": len(methods[name]), **shown(values, unseen)}
                for name, values in measured.items()
            ],
            questions=len(unseen),
            unseen_relations=int(unseen.sum()),
        )
        publish(
            f"query encoders, {title}, gains over {first}",
            [
                {"encoder": name, **shown(values - measured[first], unseen)}
                for name, values in measured.items()
                if name != first
            ],
        )


def test_questions(folder: Path, data: Sequence[str]) -> Asked:
    """The test questions of a folder, as they were asked and disturbed; built if need be."""
    if not folder.exists():
        disturbed_queries([data_folder() / name for name in data], folder)
    return {
        RAW: read_tiers(folder / "test_undisturbed.jsonl.gz"),
        MOVED: read_tiers(folder / "test.jsonl.gz"),
    }


def of_model(model: str, asked: Asked, documents: Mapping[str, npt.NDArray[np.float32]]) -> Values:
    """Right passages undisturbed and disturbed, distractors disturbed: shape (3, questions)."""
    encode = encodings(model)[0]
    found = {
        name: recalls(examples, encode([one.query for one in examples]), documents)
        for name, examples in asked.items()
    }
    return np.stack([found[RAW][POSITIVES], found[MOVED][POSITIVES], found[MOVED][DISTRACTORS]])


def encodings(model: str) -> tuple[Encode, Encode]:
    """How a model encodes queries and documents, cut as the recipe cuts them."""
    settings = Model(base=model, query_tokens=128, document_tokens=256)
    return Roles.of(settings).encodings(prepared(settings))


def shown(values: Values, unseen: npt.NDArray[np.bool_]) -> dict[str, str]:
    """The figures over all questions, and of the relations that no training saw."""
    raw, moved, drawn = values
    return {
        RAW: with_interval(_mean(raw)),
        MOVED: with_interval(_mean(moved)),
        DRAWN: with_interval(_mean(drawn)),
        f"{MOVED}, unseen relations": with_interval(_mean(moved[unseen])),
        f"{DRAWN}, unseen relations": with_interval(_mean(drawn[unseen])),
    }


def _mean(values: Values) -> Estimate:
    return bootstrap(values)[0]


if __name__ == "__main__":
    main()

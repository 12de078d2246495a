"""Query encoders trained in tiers (LORE), beside InfoNCE on the same data and the base.

python -m benchmarks.query_encoder METHOD=RUN[,RUN...] [METHOD=RUN[,RUN...] ...]

Runs of one method differ in their seed: a question's figure is their mean. The first method is what
the others are compared with. Ranking is inside each question's own candidates, as in the paper;
documents are encoded by the base, once, but for runs that trained them too
(``model.frozen_documents = false``), whose own they are. Trained on HotpotQA's questions
(``export/recipes/query-encoder-minilm.toml``); MS MARCO's are a transfer.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from logic_export.data.tiers.examples import TieredExample
from logic_export.heads import find_head
from logic_export.recipe import Model
from logic_export.retrieval import Encode
from logic_export.studies.tiers.questions import DISTURBED, SETS, both_forms
from logic_export.studies.tiers.questions import RAW as UNDISTURBED
from logic_export.training.model import prepared
from logic_export.training.roles import Roles
from logic_export.training.tiers.development import DISTRACTORS, POSITIVES, recalls
from logic_export.training.tiers.rows import passages_of

from benchmarks.report import publish, with_interval
from logic_retrievers.evaluation import Estimate
from logic_retrievers.evaluation.statistics import bootstrap

BASE = "all-minilm-l6-v2"
UNSEEN = ("parallel", "hypothetical")
RAW, MOVED, DRAWN = "P, undisturbed", "P, disturbed", "N1, disturbed"
BEFORE = "N1, undisturbed"

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
        methods[name] = runs.split(",")
    first = list(methods)[1]
    for title, folders in SETS.items():
        questions = both_forms(folders)
        asked = {RAW: questions[UNDISTURBED], MOVED: questions[DISTURBED]}
        passages = passages_of(asked[MOVED])
        documents = dict(zip(passages, encodings(BASE)[1](passages), strict=True))
        measured = {
            name: np.mean([of_run(run, asked, documents) for run in runs], axis=0)
            for name, runs in methods.items()
        }
        parts = {
            "unseen relations": np.array([one.relation in UNSEEN for one in asked[MOVED]]),
            "not near before": measured["base"][1] == 0,
        }
        publish(
            f"query encoders, {title}",
            [
                {"encoder": name, "runs": len(methods[name]), **shown(values, parts)}
                for name, values in measured.items()
            ],
            questions=len(asked[MOVED]),
            **{name: int(part.sum()) for name, part in parts.items()},
        )
        publish(
            f"query encoders, {title}, gains over {first}",
            [
                {"encoder": name, **shown(values - measured[first], parts)}
                for name, values in measured.items()
                if name != first
            ],
        )


def of_run(run: str, asked: Asked, documents: Mapping[str, npt.NDArray[np.float32]]) -> Values:
    """Right passages and distractors, undisturbed, then disturbed: shape (4, questions)."""
    head = find_head("topical", run)
    encode, own = encodings(head.model)
    if head.training and not head.queries_only:
        documents = dict(zip(documents, own(list(documents)), strict=True))
    found = {
        name: recalls(examples, encode([one.query for one in examples]), documents)
        for name, examples in asked.items()
    }
    return np.stack([found[name][tier] for name in asked for tier in (POSITIVES, DISTRACTORS)])


def encodings(model: str) -> tuple[Encode, Encode]:
    """How a model encodes queries and documents, cut as the recipe cuts them."""
    settings = Model(base=model, query_tokens=128, document_tokens=256)
    return Roles.of(settings).encodings(prepared(settings))


def shown(values: Values, parts: Mapping[str, npt.NDArray[np.bool_]]) -> dict[str, str]:
    """The figures over all questions, and of parts of them.

    Args:
        values: as of :func:`of_run`.
        parts: those under relations that no training saw, and those whose distractors do not stand
            among the base's first three for the question as it was asked.
    """
    found = dict(zip((RAW, BEFORE, MOVED, DRAWN), values, strict=True))
    for name, part in parts.items():
        found[f"{DRAWN}, {name}"] = values[3][part]
    return {name: with_interval(_mean(one)) for name, one in found.items()}


def _mean(values: Values) -> Estimate:
    return bootstrap(values)[0]


if __name__ == "__main__":
    main()

"""What query encoders find among each question's own candidates, before and after."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from logic_export.data.tiers.examples import TieredExample
from logic_export.studies.tiers.questions import DISTURBED, RAW
from logic_export.training.tiers.development import DISTRACTORS, POSITIVES, ranks, recalls
from logic_export.training.tiers.rows import passages_of
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.report.cells import Values
from logic_retrievers.report.workbench import Workbench

TOPICAL = "topical"
BASE, INFONCE, LORE = "base", "InfoNCE", "LORE"
ROLES = {INFONCE: "infonce", LORE: "lore"}
"""Query encoder -> the role of its model."""
RAW_RIGHT, RIGHT, DRAWN = "P, undisturbed", "P, disturbed", "N1, disturbed"
NEAR = "N1, undisturbed"
MEASURES = {
    RAW_RIGHT: (RAW, POSITIVES),
    RIGHT: (DISTURBED, POSITIVES),
    NEAR: (RAW, DISTRACTORS),
    DRAWN: (DISTURBED, DISTRACTORS),
}
"""Measure -> form of the question, and tier whose recall at 3 it is."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one query encoder finds in one set.

    Args:
        recalls: measure -> question -> recall at 3.
        shifts: tier -> by how many places the best of its passages rises with the disturbance, one
            a question that has such a passage.
    """

    recalls: Mapping[str, Values]
    shifts: Mapping[str, tuple[int, ...]]


def query_encoders(bench: Workbench) -> dict[str, Encoder]:
    """Those that are there."""
    trained = {name: bench.trained(role) for name, role in ROLES.items()}
    return {BASE: bench.encoder} | {name: one for name, one in trained.items() if one is not None}


def measured(
    asked: Mapping[str, Sequence[TieredExample]],
    encoders: Mapping[str, Encoder],
    documents: Encoder,
) -> dict[str, Found]:
    """Query encoder -> what it finds.

    Args:
        asked: the questions in both forms, as :func:`both_forms` gives them.
        encoders: by name.
        documents: whose passages all of them search: the base's, as in training.
    """
    texts = passages_of(asked[DISTURBED])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # they are cut for every encoder alike
        vectors = documents.encode_documents(texts, [TOPICAL])[TOPICAL]
    passages = dict(zip(texts, vectors, strict=True))
    return {name: _found(asked, encoder, passages) for name, encoder in encoders.items()}


def _found(
    asked: Mapping[str, Sequence[TieredExample]],
    encoder: Encoder,
    passages: Mapping[str, npt.NDArray[np.float32]],
) -> Found:
    queries = {
        form: encoder.encode_queries([one.query for one in examples], [TOPICAL])[TOPICAL]
        for form, examples in asked.items()
    }
    tiers = {form: recalls(examples, queries[form], passages) for form, examples in asked.items()}
    best = {
        form: [
            ranks(one, query, passages) for one, query in zip(examples, queries[form], strict=True)
        ]
        for form, examples in asked.items()
    }
    return Found(
        {
            measure: {str(place): float(v) for place, v in enumerate(tiers[form][tier])}
            for measure, (form, tier) in MEASURES.items()
        },
        {
            tier: tuple(
                int(before[tier].min() - after[tier].min())
                for before, after in zip(best[RAW], best[DISTURBED], strict=True)
                if before[tier].size
            )
            for tier in (POSITIVES, DISTRACTORS)
        },
    )

"""Recalls of query encoders among each question's candidates, undisturbed and disturbed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from logic_export.data.tiers.distractor_queries import build_parts, original_question, read_parts
from logic_export.data.tiers.examples import TieredExample
from logic_export.training.batches import unique_passages
from logic_export.training.development import DISTRACTORS, POSITIVES, tier_ranks, tier_recalls

from benchmarks.reproduction.table_cells import Values
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import data_folder

SETS: Mapping[str, Sequence[str]] = {
    "HotpotQA": ("hotpotqa_train1000_pairs", "hotpotqa_train100"),
    "MS MARCO": ("msmarco_small",),
}
"""Set -> its folders, which share passages."""
RAW, DISTURBED = "undisturbed", "disturbed"

TOPICAL = "topical"
BASE, INFONCE, LORE = "base", "InfoNCE", "LORE"
ROLES = {INFONCE: "infonce", LORE: "lore"}
"""Query encoder -> the role of its model."""
RIGHT_RAW, RIGHT_DISTURBED = "P, undisturbed", "P, disturbed"
DISTRACTORS_RAW, DISTRACTORS_DISTURBED = "N1, undisturbed", "N1, disturbed"
MEASURES = {
    RIGHT_RAW: (RAW, POSITIVES),
    RIGHT_DISTURBED: (DISTURBED, POSITIVES),
    DISTRACTORS_RAW: (RAW, DISTRACTORS),
    DISTRACTORS_DISTURBED: (DISTURBED, DISTRACTORS),
}
"""Measure -> form of the question, and tier whose recall at 3 it is."""


@dataclass(frozen=True, slots=True)
class EncoderRecalls:
    """Recalls and shifts of a query encoder on one set.

    Args:
        recalls: measure -> question -> recall at 3.
        shifts: tier -> rise in rank of its best passage by the disturbance, one value per question
            with a passage in the tier.
    """

    recalls: Mapping[str, Values]
    shifts: Mapping[str, tuple[int, ...]]


def query_encoders(bench: Workbench) -> dict[str, Encoder]:
    """Name -> available query encoder."""
    trained = {name: bench.trained(role) for name, role in ROLES.items()}
    return {BASE: bench.encoder} | {
        name: encoder for name, encoder in trained.items() if encoder is not None
    }


def measure_encoders(
    examples: Mapping[str, Sequence[TieredExample]],
    encoders: Mapping[str, Encoder],
    documents: Encoder,
) -> dict[str, EncoderRecalls]:
    """Query encoder -> its recalls and shifts.

    Args:
        examples: the questions in both forms, of :func:`both_forms`.
        encoders: by name.
        documents: the encoder of the passages for all of them: the base, as in training.
    """
    texts = unique_passages(examples[DISTURBED])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # they are cut for every encoder alike
        vectors = documents.encode_documents(texts, [TOPICAL])[TOPICAL]
    passages = dict(zip(texts, vectors, strict=True))
    return {
        name: _measure_encoder(examples, encoder, passages) for name, encoder in encoders.items()
    }


def _measure_encoder(
    forms: Mapping[str, Sequence[TieredExample]],
    encoder: Encoder,
    passages: Mapping[str, npt.NDArray[np.float32]],
) -> EncoderRecalls:
    queries = {
        form: encoder.encode_queries([example.query for example in examples], [TOPICAL])[TOPICAL]
        for form, examples in forms.items()
    }
    tiers = {
        form: tier_recalls(examples, queries[form], passages) for form, examples in forms.items()
    }
    best = {
        form: [
            tier_ranks(example, query, passages)
            for example, query in zip(examples, queries[form], strict=True)
        ]
        for form, examples in forms.items()
    }
    return EncoderRecalls(
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


def both_forms(folders: Sequence[str]) -> dict[str, list[TieredExample]]:
    """Both forms of each test question, with equal candidates and tiers row by row.

    They equal the output of ``logic-export data distractor-queries`` for these folders.

    Raises:
        ReadError: a folder is missing.
    """
    part = "test"
    questions = read_parts([data_folder() / name for name in folders])[part]
    rewritten = build_parts({part: questions}, copies={})[part].examples
    return {RAW: [original_question(example) for example in rewritten], DISTURBED: list(rewritten)}

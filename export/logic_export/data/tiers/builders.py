"""The builders of tiered examples that a recipe names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from logic_export.data.tiers.distractor_queries import (
    add_distractors,
    original_question,
    read_parts,
)
from logic_export.data.tiers.examples import TieredExample, examples_from_triplets, read_tiers
from logic_export.data.tiers.labelled_questions import SHARES
from logic_export.data.triplet_builders import build_triplets, find_data_file
from logic_export.data.triplets import unique_triplets
from logic_retrievers.errors import ConfigurationError


def tiers(path: Path) -> list[TieredExample]:
    """Read a file of your own, or one that ``logic-export data distractor-queries`` wrote."""
    return read_tiers(find_data_file(path))


def distractor_queries(
    folders: Sequence[str],
    split: str = "train",
    copies: int = 6,
    distractors: int = 2,
    candidates: int = 10,
    *,
    plain: bool = False,
    shares: Mapping[str, float] = SHARES,
    seed: int = 0,
) -> list[TieredExample]:
    """Make the queries that ``logic-export data distractor-queries`` writes.

    The split does not depend on the seed. ``plain`` gives the original questions with the same
    candidates.
    """
    parts = read_parts(folders, shares)
    if split not in parts:
        raise ConfigurationError(f"no part {split!r}; there are {', '.join(parts)}")
    examples = add_distractors(
        parts[split],
        split,
        copies=copies,
        distractors=distractors,
        candidates=candidates,
        seed=seed,
    ).examples
    return [original_question(example) for example in examples] if plain else list(examples)


def triplets(
    builder: str, options: dict[str, Any] | None = None, others: int = 8, *, seed: int = 0
) -> list[TieredExample]:
    """Turn a builder's triplets into examples, with violating passages as distractors.

    ``others`` random passages of other queries become negatives.
    """
    return examples_from_triplets(
        unique_triplets(build_triplets(builder, options or {}, seed)), others, seed=seed
    )


TIER_BUILDERS: Mapping[str, Callable[..., list[TieredExample]]] = {
    builder.__name__: builder for builder in (tiers, distractor_queries, triplets)
}

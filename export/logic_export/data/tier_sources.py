"""The builders of candidates in tiers that a recipe names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from logic_export.data.sources import build, place
from logic_export.data.tiers.building import read_parts
from logic_export.data.tiers.constraints import from_triplets
from logic_export.data.tiers.disturbing import disturb, undisturbed
from logic_export.data.tiers.examples import TieredExample, read_tiers
from logic_export.data.tiers.splitting import SHARES
from logic_export.data.triplets import unique
from logic_retrievers.errors import ConfigurationError

TierBuilder: TypeAlias = Callable[..., list[TieredExample]]


def tiers(path: Path, *, seed: int = 0) -> list[TieredExample]:  # noqa: ARG001 - builders share a form
    """A team's own file, or one of the command ``disturbed-queries``: see ``read_tiers``."""
    return read_tiers(place(path))


def disturbed(
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
    """Questions of the folders, disturbed by templates, as the command ``disturbed-queries`` does.

    The split does not depend on the seed. ``plain`` gives the same candidates under the questions
    as they were asked.
    """
    parts = read_parts(folders, shares)
    if split not in parts:
        raise ConfigurationError(f"no part {split!r}; there are {', '.join(parts)}")
    made = disturb(
        parts[split],
        split,
        copies=copies,
        distractors=distractors,
        candidates=candidates,
        seed=seed,
    ).examples
    return [undisturbed(one) for one in made] if plain else list(made)


def triplets(
    builder: str,
    options: dict[str, Any] | None = None,
    others: int = 8,
    *,
    seed: int = 0,
) -> list[TieredExample]:
    """What a builder of triplets makes: a passage that a query rules out is a distractor.

    ``others`` passages of other queries, drawn at random, are a query's negatives.
    """
    return from_triplets(unique(build(builder, options or {}, seed)), others, seed=seed)


TIER_BUILDERS: Mapping[str, TierBuilder] = {
    "tiers": tiers,
    "disturbed": disturbed,
    "triplets": triplets,
}

"""The builders of candidates in tiers that a recipe names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeAlias

from logic_export.data.sources import place
from logic_export.data.tiers.building import read_parts
from logic_export.data.tiers.disturbing import disturb, undisturbed
from logic_export.data.tiers.examples import TieredExample, read_tiers
from logic_export.data.tiers.splitting import SHARES
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset

TierBuilder: TypeAlias = Callable[..., list[TieredExample]]


def tiers(path: Path, *, seed: int = 0) -> list[TieredExample]:  # noqa: ARG001 - builders share a form
    """A team's own file, or one of the command ``disturbed-queries``: see ``read_tiers``."""
    return read_tiers(place(path))


def disturbed(
    folders: Sequence[str],
    split: str = "train",
    copies: int = 3,
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


def exclusion_tiers(
    folder: str, split: str = "train", others: int = 8, *, seed: int = 0
) -> list[TieredExample]:
    """A folder with labelled exclusion queries (NevIR, ExcluIR).

    Passages that violate are distractors; neutral ones are negatives, and so are ``others``
    documents of the set, drawn at random.
    """
    data = load_dataset(folder, split)
    names = sorted(data.documents)
    found = []
    for query in data.queries:
        ruled_out = sorted(query.violating - query.satisfying)
        neutral = sorted(query.neutral - query.satisfying - query.violating)
        known = {*query.satisfying, *ruled_out, *neutral, *query.exclude}
        drawn = Random(f"{seed}:{query.id}").sample(names, min(len(names), others + len(known)))
        negatives = neutral + [name for name in drawn if name not in known][:others]
        right, near, far = (
            tuple(data.documents[name] for name in tier)
            for tier in (sorted(query.satisfying), ruled_out, negatives)
        )
        found.append(TieredExample(query.text, right, near, far, data.name))
    return found


TIER_BUILDERS: Mapping[str, TierBuilder] = {
    "tiers": tiers,
    "disturbed": disturbed,
    "exclusion_tiers": exclusion_tiers,
}

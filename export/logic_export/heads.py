"""What a named vector of a bundle is made from: a model as it is, or what a run trained."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from logic_export.models import find_model
from logic_export.training.folder import CARD, MODEL, RECIPE
from logic_retrievers.encoders.manifest import Calibration, TrainingData
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class HeadSource:
    """One named vector of a bundle to be.

    Args:
        name: of the vector.
        model: a folder or hub name that sentence-transformers loads.
        trained: whether that model was trained for what the name says.
        exclusion: constants of the exclusion policy.
        contradiction: constants of the contradiction score.
        training: the sets that it was trained on, beyond its base's.
        ships: whether their licences let the vector be handed on.
        origin: where it comes from, as a bundle says it: no path of this machine.
        queries_only: whether its documents are its base's; no head then, but a query encoder.
    """

    name: str
    model: str
    trained: bool = True
    exclusion: Calibration | None = None
    contradiction: Calibration | None = None
    training: tuple[TrainingData, ...] = ()
    ships: bool = True
    origin: str = ""
    queries_only: bool = False


def find_head(name: str, source: str) -> HeadSource:
    """A head from a finished run's folder, with the sets of its card, or from any model.

    Raises:
        ConfigurationError: a run that is not finished, or whose card cannot be read.
    """
    run = Path(source)
    if not any((run / mark).exists() for mark in (CARD, RECIPE)):
        return HeadSource(name, find_model(source), origin=run.name if run.is_dir() else source)
    try:
        card = json.loads((run / CARD).read_text("utf-8"))
        sets = tuple(
            TrainingData(name=one["name"], licence=one["licence"], rows=one["rows"])
            for one in card["sets"]
        )
        origin = f"{card['name']} from {card['recipe']['model']['base']}"
        if not (run / MODEL).is_dir():  # the name of a folder that is missing goes to a hub
            raise FileNotFoundError(f"it has no folder {MODEL!r}")
        return HeadSource(
            name,
            str(run / MODEL),
            training=sets,
            ships=bool(card["ships"]),
            origin=origin,
            queries_only=bool(card.get("queries_only")),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{run} holds no finished run: {error}") from error


def check_documents(heads: Sequence[HeadSource]) -> None:
    """Refuses what was trained for queries alone: it would encode documents as nobody measured.

    Raises:
        ConfigurationError: one of the heads is a query encoder.
    """
    for head in heads:
        if head.queries_only:
            raise ConfigurationError(
                f"{head.model} encodes queries only, for its base's documents (the recipe's "
                "model.frozen_documents). Run: logic-retrievers export-query-encoder"
            )


def notice_of(heads: Sequence[HeadSource], *, added: bool = False) -> str:
    """What each head was made from and trained on, for a bundle's NOTICE.

    Args:
        heads: all of a new bundle, or those that were added to one.
        added: which of the two.
    """
    lines = ["Added since:" if added else "What this bundle was made from.", ""]
    for head in heads:
        lines.append(f"{head.name}: {head.origin}{', trained on' if head.training else ''}")
        lines += [f"    {one.name}: {one.rows} rows, {one.licence}" for one in head.training]
        if not head.ships:
            lines.append("    Not to be handed on: the licence of one of these does not allow it.")
    return "\n".join([*lines, ""])

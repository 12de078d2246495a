"""The sources of a bundle's heads (named vectors): finished runs, or any other models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from logic_export.models import find_model
from logic_export.training.run_folder import CARD, MODEL, RECIPE, read_card
from logic_retrievers.encoders.manifest import Calibration, TrainingData
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class HeadSource:
    """Source of one head of a bundle."""

    name: str  # name of the vector
    model: str  # a folder or hub name that sentence-transformers loads
    trained: bool = True  # whether trained for the purpose that the head's name states
    exclusion: Calibration | None = None  # constants of ``ConstraintPolicy``
    contradiction: Calibration | None = None  # constants of the contradiction score
    training: tuple[TrainingData, ...] = ()  # data sets beyond those of the model's base
    ships: bool = True  # whether the licences of these data sets permit handing the model on
    origin: str = ""  # where the model comes from, as the bundle records it; never a local path
    # whether trained for the base's document vectors; the model is then a query encoder, not a head
    queries_only: bool = False


def find_head(name: str, source: str) -> HeadSource:
    """Make a head from a finished run's folder (with its card's data sets), or any other model.

    Raises:
        ConfigurationError: the run is not finished, or its card cannot be read.
    """
    run = Path(source)
    if not any((run / file).exists() for file in (CARD, RECIPE)):
        return HeadSource(name, find_model(source), origin=run.name if run.is_dir() else source)
    card = read_card(run)
    model = card.recipe and card.recipe.get("model")
    if not model:
        raise ConfigurationError(f"{run} holds no finished run of an encoder")
    return HeadSource(
        name,
        str(run / MODEL),
        training=card.training,
        ships=card.ships,
        origin=f"{card.name} from {model['base']}",
        queries_only=card.queries_only,
    )


def refuse_query_encoders(heads: Sequence[HeadSource]) -> None:
    """Raise :class:`ConfigurationError` for a model that was never measured on documents."""
    for head in heads:
        if head.queries_only:
            raise ConfigurationError(
                f"{head.model} encodes queries only, for its base's documents (the recipe's "
                "model.frozen_documents). Run: logic-export export-query-encoder"
            )


def build_notice(heads: Sequence[HeadSource], *, added: bool = False) -> str:
    """Write a NOTICE with origin and training data of all heads, or of those that were added."""
    lines = ["Added since:" if added else "What this bundle was made from.", ""]
    for head in heads:
        lines.append(f"{head.name}: {head.origin}{', trained on' if head.training else ''}")
        lines += [
            f"    {dataset.name}: {dataset.rows} rows, {dataset.licence}"
            for dataset in head.training
        ]
        if not head.ships:
            lines.append("    Not to be handed on: the licence of one of these does not allow it.")
    return "\n".join([*lines, ""])

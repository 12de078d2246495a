"""What a cluster guarantees of reads and writes: arguments of a client's methods."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from qdrant_client import models

from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.server_requests import is_number

CONSISTENCIES = ("majority", "quorum", "all")
ORDERINGS = ("weak", "medium", "strong")
_READS = ("query_batch_points", "retrieve", "scroll")
_WRITES = ("upsert", "update_vectors", "delete_vectors", "delete", "set_payload", "delete_payload")


def guaranteed(consistency: int | str | None, ordering: str | None) -> dict[str, dict[str, Any]]:
    """Method of a client -> the arguments that say what is guaranteed.

    The settings are those of :class:`ConnectionSettings`. Counts have no consistency.

    Raises:
        ConfigurationError: another value.
    """
    arguments: dict[str, dict[str, Any]] = {}
    if consistency is not None:
        is_count = is_number(consistency, Integral) and consistency > 0  # type: ignore[operator]
        if not is_count and consistency not in CONSISTENCIES:
            raise ConfigurationError(
                f"consistency= is a number of copies or one of {CONSISTENCIES}, not"
                f" {shown(consistency)}."
            )
        agreeing = consistency if is_count else models.ReadConsistencyType(consistency)
        arguments |= {method: {"consistency": agreeing} for method in _READS}
    if ordering is not None:
        if ordering not in ORDERINGS:
            raise ConfigurationError(f"ordering= is one of {ORDERINGS}, not {shown(ordering)}.")
        arguments |= {method: {"ordering": models.WriteOrdering(ordering)} for method in _WRITES}
    return arguments

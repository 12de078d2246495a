"""What a cluster guarantees of reads and writes, in the calls of a client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.index.batch_search import batch_search
from logic_retrievers.server_requests import is_number

CONSISTENCIES = ("majority", "quorum", "all")
ORDERINGS = ("weak", "medium", "strong")
_READS = frozenset({"query_batch_points", "retrieve", "scroll"})
_WRITES = frozenset(
    {"upsert", "update_vectors", "delete_vectors", "delete", "set_payload", "delete_payload"}
)


@dataclass(frozen=True, slots=True)
class Guarantees:
    """Read consistency and write ordering of Qdrant; None: the server's own defaults.

    Args:
        consistency: copies of a shard that must agree on an answer: a number, or one of
            ``CONSISTENCIES``. Counts have none.
        ordering: one of ``ORDERINGS``.

    Raises:
        ConfigurationError: another value.
    """

    consistency: int | str | None = None
    ordering: str | None = None

    def __post_init__(self) -> None:
        wanted = self.consistency
        is_count = is_number(wanted, Integral) and wanted > 0  # type: ignore[operator]
        if wanted is not None and wanted not in CONSISTENCIES and not is_count:
            raise ConfigurationError(
                f"consistency= is a number of copies or one of {CONSISTENCIES}, not"
                f" {shown(wanted)}."
            )
        if self.ordering is not None and self.ordering not in ORDERINGS:
            raise ConfigurationError(
                f"ordering= is one of {ORDERINGS}, not {shown(self.ordering)}."
            )

    def call(self, client: Any, call: ClientCall) -> Callable[[], Any]:
        """The call of a client, with what is guaranteed of it."""
        wanted: dict[str, Any] = {}
        if self.consistency is not None and call.method in _READS:
            count = isinstance(self.consistency, Integral)
            wanted["consistency"] = (
                self.consistency if count else models.ReadConsistencyType(self.consistency)
            )
        if self.ordering is not None and call.method in _WRITES:
            wanted["ordering"] = models.WriteOrdering(self.ordering)
        is_search = call.method == "query_batch_points"
        method = batch_search(client) if is_search else getattr(client, call.method)
        return partial(method, **call.arguments, **wanted)


NO_GUARANTEES = Guarantees()

"""Strict mode: what a server allows in one request, and how it refuses a larger one."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, fields
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import StrictModeWarning, warn

# A server's words for a request that costs more than its rate limit ever grants.
NEVER_GRANTED = "larger than rate limiter capacity"

_EXACT = models.SearchParams(exact=True)
_UNQUANTIZED = models.SearchParams(quantization=models.QuantizationSearchParams(ignore=True))
_EXCEEDED = r"Limit exceeded (?P<needed>\d+) > (?P<allowed>\d+) for "
_REACHED = r"limit reached \((?P<needed>\d+) > (?P<allowed>\d+)\)"
# setting -> pattern of a server's message that a request exceeds it
_REFUSALS = {
    "max_query_limit": f'{_EXCEEDED}"limit"',
    "search_max_batchsize": f'{_EXCEEDED}"search batch size"',
    "upsert_max_batchsize": f'{_EXCEEDED}"(?:upsert|update) limit"',
    "max_timeout": f'{_EXCEEDED}"timeout"',
    "filter_max_conditions": f"Filter condition {_REACHED}",
    "condition_max_size": f"Condition size {_REACHED}",
}
# method -> name of the argument whose items may be sent in several calls
_DIVISIBLE = {
    "query_batch_points": "requests",
    "retrieve": "ids",
    "delete": "points_selector",
    **dict.fromkeys(("upsert", "update_vectors", "set_payload", "delete_payload"), "points"),
}


@dataclass(frozen=True, slots=True)
class StrictLimits:
    """The limits of a collection, by Qdrant's names; None means that there is no limit."""

    max_query_limit: int | None = None  # results of a search, points of a page
    search_max_batchsize: int | None = None  # searches of a batch
    upsert_max_batchsize: int | None = None  # points of a write
    condition_max_size: int | None = None  # ids or values of a condition
    search_allow_exact: bool | None = None  # searches and counts may be exact
    search_max_hnsw_ef: int | None = None
    search_max_oversampling: float | None = None
    # Filters may name keys without a payload index.
    unindexed_filtering_retrieve: bool | None = None

    @classmethod
    def read(cls, strict: models.StrictModeConfigOutput | None) -> StrictLimits:
        """Take the limits from a collection's configuration."""
        if strict is None or not strict.enabled:
            return cls()
        return cls(**{field.name: getattr(strict, field.name) for field in fields(cls)})

    def results(self, wanted: int) -> int:
        """Reduce a number of results to the limit of one search or page."""
        return min(wanted, self.max_query_limit or wanted)

    def candidates(self, wanted: int, collection: str) -> int:
        """Reduce a number of results like :meth:`results`, and warn if it was larger."""
        allowed = self.results(wanted)
        if allowed < wanted:
            warn(
                StrictModeWarning,
                f"Strict mode of collection {collection!r} allows {allowed} results of a search."
                f" A search for {wanted} candidates looks at {allowed} and finds less."
                f" Raise its max_query_limit to {wanted}.",
            )
        return allowed

    def search_params(self, wanted: models.SearchParams, collection: str) -> models.SearchParams:
        """Reduce a user's search parameters to the limits, with a warning that names them."""
        reduced: dict[str, Any] = {}
        ef, most_ef = wanted.hnsw_ef, self.search_max_hnsw_ef
        if wanted.exact and self.search_allow_exact is False:
            reduced["exact"] = False
        if ef is not None and most_ef is not None and ef > most_ef:
            reduced["hnsw_ef"] = most_ef
        int8, most = wanted.quantization, self.search_max_oversampling
        if int8 and int8.oversampling and most is not None and int8.oversampling > most:
            reduced["quantization"] = int8.model_copy(update={"oversampling": most})
        if reduced:
            warn(
                StrictModeWarning,
                f"Strict mode of collection {collection!r} does not allow these search parameters:"
                f" {', '.join(reduced)}. The search goes as far as it may. Change"
                " search_allow_exact, search_max_hnsw_ef or search_max_oversampling.",
            )
        return wanted.model_copy(update=reduced)

    def ids(self, wanted: int) -> int:
        """Reduce a number of ids or values to the limit of one condition."""
        return min(wanted, self.condition_max_size or wanted)

    def filterable(self, keys: tuple[str, ...], indexed: Container[str]) -> tuple[str, ...]:
        """Keep the payload keys that a filter may name."""
        if self.unindexed_filtering_retrieve is False:
            return tuple(key for key in keys if key in indexed)
        return keys

    @property
    def scoring_params(self) -> models.SearchParams:
        """Search parameters for exact scores, or unquantised ones if exact search is forbidden."""
        return _UNQUANTIZED if self.search_allow_exact is False else _EXACT


def refusal(detail: str, collection: str | None, place: str) -> str | None:
    """Explain a refusal by strict mode, and name the setting to raise; None for other refusals."""
    if NEVER_GRANTED in detail:
        return (
            f"Collection {collection!r} at {place} never grants this request: one request costs a"
            " token for each search, condition of a filter and point, which is more than its rate"
            f" limit ({detail}). Raise read_rate_limit or write_rate_limit of its strict mode."
        )
    for setting, words in _REFUSALS.items():
        if found := re.search(words, detail):
            return (
                f"Strict mode of collection {collection!r} at {place} allows {found['allowed']},"
                f" and this request needs {found['needed']} ({detail}). Raise its {setting} to"
                f" {found['needed']}, or ask for less."
            )
    return None


def halves(call: ClientCall) -> list[ClientCall]:
    """Split a call that its rate limit never grants into two; [] if it cannot be split."""
    argument = _DIVISIBLE.get(call.method, "")
    items = call.arguments.get(argument)
    if not isinstance(items, list) or len(items) < 2:
        return []
    warn(
        StrictModeWarning,
        f"The rate limit of collection {call.arguments['collection_name']!r} is smaller than one"
        " request. The request is sent in parts that wait for each other. Raise read_rate_limit"
        " or write_rate_limit of its strict mode.",
    )
    middle = len(items) // 2
    return [
        ClientCall(call.method, {**call.arguments, argument: part})
        for part in (items[:middle], items[middle:])
    ]


def joined(first: Any, second: Any) -> Any:
    """Join the results of two halves: both lists of a read, or the second result of a write."""
    return [*first, *second] if isinstance(first, list) else second

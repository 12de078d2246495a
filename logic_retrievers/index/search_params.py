"""Search parameters that a user sets for the search of candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import ValidationError
from qdrant_client import models

from logic_retrievers.checks import check_count, check_number
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.index.client_calls import RESCORED

SearchParams: TypeAlias = models.SearchParams | Mapping[str, Any] | None

# Qdrant also has ``idf``, by which the two phases would give different scores.
FIELDS = ("acorn", "exact", "hnsw_ef", "indexed_only", "quantization")


def check_params(params: SearchParams) -> models.SearchParams | None:
    """Return the parameters as Qdrant's model; None if nothing is set.

    Raises:
        ConfigurationError: a field is unknown, or its value is not allowed.
    """
    if params is None:
        return None
    if not isinstance(params, models.SearchParams | Mapping):
        raise ConfigurationError(
            f"params is a dict or a qdrant_client.models.SearchParams, not {shown(params)}"
        )
    given = dict(_given(params) if isinstance(params, models.SearchParams) else params)
    if unknown := given.keys() - set(FIELDS):
        raise ConfigurationError(
            f"params has no field {shown(next(iter(unknown)))}; there is {', '.join(FIELDS)}"
        )
    try:
        if isinstance(acorn := given.get("acorn"), Mapping):
            given["acorn"] = models.AcornSearchParams.model_validate(dict(acorn), strict=True)
        if isinstance(int8 := given.get("quantization"), Mapping):
            given["quantization"] = models.QuantizationSearchParams.model_validate(
                dict(int8), strict=True
            )
        checked = models.SearchParams.model_validate(given, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"params: {where!r}: {first['msg']}.") from None
    if checked.hnsw_ef is not None:
        check_count("params: hnsw_ef", checked.hnsw_ef)
    if checked.quantization and checked.quantization.oversampling is not None:
        check_number("params: oversampling", checked.quantization.oversampling, 1, 1_000)
    if checked.acorn and checked.acorn.max_selectivity is not None:
        check_number("params: max_selectivity", checked.acorn.max_selectivity, 0, 1)
    return checked


def over_defaults(params: models.SearchParams | None) -> models.SearchParams:
    """Replace the package's own parameters of the candidate search by those that are set."""
    if params is None:
        return RESCORED
    given = _given(params)
    if params.quantization is not None:
        default = RESCORED.quantization or models.QuantizationSearchParams()
        own = _given(params.quantization)
        given["quantization"] = default.model_copy(update=own)
    return RESCORED.model_copy(update=given)


def gives_exact_scores(params: models.SearchParams) -> bool:
    """Tell whether the scores of a search are those of the original vectors."""
    int8 = params.quantization
    return bool(int8 is None or int8.ignore or int8.rescore)


def _given(model: models.SearchParams | models.QuantizationSearchParams) -> dict[str, Any]:
    """Return the fields that have a value of the user's."""
    given = {name: getattr(model, name) for name in model.model_fields_set}
    return {name: value for name, value in given.items() if value is not None}

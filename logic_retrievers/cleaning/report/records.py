"""A decision with all that belongs to it, as a plain dictionary: a line of the JSON lines."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.pages.visible import escaped
from logic_retrievers.types import Passage


def json_lines(cleaned: Cleaned) -> str:
    """One decision a line, with both texts and their metadata as they are."""
    return "".join(
        escaped(json.dumps(record(decision, cleaned), ensure_ascii=False, allow_nan=False)) + "\n"
        for decision in cleaned.decisions
    )


def record(decision: Decision, cleaned: Cleaned) -> dict[str, Any]:
    """A decision with its finding and the two passages.

    Args:
        decision: one of the cleaning's.
        cleaned: the cleaning.
    """
    finding = decision.finding
    return {
        **{key: plain(value) for key, value in finding.to_dict().items()},
        "one": _passage(cleaned.passages[finding.one]),
        "other": _passage(cleaned.passages[finding.other]),
        "action": decision.action,
        "decision": decision.reason,
        "quarantined": list(decision.quarantined),
        "trusted": list(decision.trusted),
        "dry_run": cleaned.dry_run,
    }


def plain(value: Any) -> Any:
    """The value as JSON has it. Metadata is anybody's: what JSON does not know becomes a string."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    return str(value)


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "text": passage.text,
        "source": passage.source,
        "metadata": plain(passage.metadata),
    }

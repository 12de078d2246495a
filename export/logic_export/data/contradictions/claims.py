"""Sides from claims that are checked against documents (SciFact)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from logic_export.data.negation import negate
from logic_retrievers.evaluation.sentences import around
from logic_retrievers.evaluation.sides import Sides, unique_sides


def claim_sides(claims: Iterable[Mapping[str, Any]], documents: Mapping[str, str]) -> list[Sides]:
    """What a document says with the claims it supports, against the claims it contradicts.

    Claims over the same sentences form one group. Where none is contradicted, the supported ones
    are denied by rule (:func:`logic_export.data.negation.negate`); where that is not safe the group
    is left out.

    Args:
        claims: rows with ``text`` and ``evidence``: document id -> ``label`` (SUPPORT, CONTRADICT)
            and ``rationales``, lists of sentence numbers.
        documents: id -> text.
    """
    found: dict[tuple[str, tuple[int, ...]], dict[str, dict[str, None]]] = defaultdict(dict)
    for claim in claims:
        for identifier, evidence in claim["evidence"].items():
            if identifier in documents:
                numbers = tuple(sorted({n for some in evidence["rationales"] for n in some}))
                texts = found[identifier, numbers].setdefault(evidence["label"], {})
                texts[claim["text"].strip()] = None
    made = []
    for (identifier, numbers), by_label in found.items():
        evidence = around(documents[identifier], numbers)
        supported, denied = (tuple(by_label.get(one, ())) for one in ("SUPPORT", "CONTRADICT"))
        denied = denied or tuple(n for one in supported if (n := negate(one)) is not None)
        left = tuple(t for t in dict.fromkeys((evidence, *supported)) if t and t not in denied)
        if left and denied:
            made.append(Sides(left, denied, "claims"))
    return unique_sides(made)

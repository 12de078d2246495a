"""Contradiction groups from labelled data: SciFact's claims, negation pairs, NLI pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from logic_export.data.contradictions.groups import ContradictionGroup, unique_groups
from logic_export.data.negation import negate
from logic_export.data.sentences import sentence_window


def claim_groups(
    claims: Iterable[Mapping[str, Any]], documents: Mapping[str, str]
) -> list[ContradictionGroup]:
    """A document's evidence and the claims it supports, against the claims it contradicts.

    Claims over the same sentences form one group. Where the evidence contradicts none, the
    supported ones are negated by rule, and left out where that is not safe.

    Args:
        claims: rows with ``text`` and ``evidence``: document id -> ``label`` (SUPPORT, CONTRADICT)
            and ``rationales``, lists of sentence numbers.
        documents: id -> text.
    """
    claims_by_evidence: dict[tuple[str, tuple[int, ...]], dict[str, dict[str, None]]] = defaultdict(
        dict
    )
    for claim in claims:
        for document_id, evidence in claim["evidence"].items():
            if document_id in documents:
                numbers = tuple(
                    sorted({n for rationale in evidence["rationales"] for n in rationale})
                )
                texts = claims_by_evidence[document_id, numbers].setdefault(evidence["label"], {})
                texts[claim["text"].strip()] = None
    groups = []
    for (document_id, numbers), by_label in claims_by_evidence.items():
        evidence = sentence_window(documents[document_id], numbers)
        supported, contradicting = (
            tuple(by_label.get(claim_text, ())) for claim_text in ("SUPPORT", "CONTRADICT")
        )
        contradicting = contradicting or tuple(
            n for claim_text in supported if (n := negate(claim_text)) is not None
        )
        left = tuple(
            t for t in dict.fromkeys((evidence, *supported)) if t and t not in contradicting
        )
        if left and contradicting:
            groups.append(ContradictionGroup(left, contradicting, "claims"))
    return unique_groups(groups)


def negation_groups(pairs: Iterable[tuple[str, str]]) -> list[ContradictionGroup]:
    """Groups from (statement, negation) pairs; statements that share a negation are paraphrases."""
    statements_of: dict[str, dict[str, None]] = defaultdict(dict)
    for statement, negation in pairs:
        if statement != negation:
            statements_of[negation][statement] = None
    return unique_groups(
        ContradictionGroup(tuple(statements), (negation,), "negations")
        for negation, statements in statements_of.items()
    )


def nli_groups(rows: Iterable[tuple[str, str, str]]) -> list[ContradictionGroup]:
    """Groups from pairs (text, text, label), with ``entailment`` and ``contradiction`` as labels.

    A text that entails another joins its side as a hard negative: it contradicts whatever the other
    contradicts. A text that is entailed says less and may not.
    """
    entailing: dict[str, dict[str, None]] = defaultdict(dict)
    contradictions: dict[tuple[str, str], None] = {}
    for text, other, label in rows:
        kind = label.strip().casefold()
        if text == other:
            continue
        if kind == "entailment":
            entailing[other][text] = None
        elif kind == "contradiction":
            contradictions[text, other] = None
    groups = []
    for text, other in contradictions:
        left = tuple(t for t in (text, *entailing[text]) if t != other)
        right = tuple(t for t in (other, *entailing[other]) if t not in left)
        groups.append(ContradictionGroup(left, right, "pairs"))
    return unique_groups(groups)

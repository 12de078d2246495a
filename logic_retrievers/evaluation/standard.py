"""The standard retrieval metrics, computed by ir-measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logic_retrievers.errors import MissingExtraError

_NAMES = {"P": "P", "nDCG": "nDCG", "MRR": "RR", "MAP": "AP"}  # ours -> theirs
_CUTS = (("P", 1), ("nDCG", 5), ("nDCG", 10), ("MRR", 10), ("MAP", 10))


def standard_metrics(
    grades: Mapping[str, Mapping[str, int]], ranked: Mapping[str, Sequence[str]], depth: int = 100
) -> dict[str, dict[str, float]]:
    """P@1, nDCG@5, nDCG@10, MRR@10 and MAP@10 of each query; linear gains, as trec_eval has them.

    Args:
        grades: query -> relevant document -> grade, 1 or more.
        ranked: query -> document ids, best first. An empty list scores 0.
        depth: cut-offs beyond it are left out.

    Returns:
        metric -> query -> value, for every query of ``grades``.

    Raises:
        MissingExtraError: ir-measures is not installed.
    """
    try:
        import ir_measures
    except ModuleNotFoundError as error:
        raise MissingExtraError("ir-measures", "eval") from error
    qrels = [
        ir_measures.Qrel(query, document, grade)
        for query, documents in grades.items()
        for document, grade in documents.items()
    ]
    # trec_eval sorts by score and breaks ties by id: only strictly falling scores keep our order.
    run = [
        ir_measures.ScoredDoc(query, document, 1 / rank)
        for query in grades
        for rank, document in enumerate(ranked[query], start=1)
    ]
    measures = {
        ir_measures.parse_measure(f"{_NAMES[name]}@{k}"): f"{name}@{k}"
        for name, k in _CUTS
        if k <= depth
    }
    values: dict[str, dict[str, float]] = {
        name: dict.fromkeys(grades, 0.0) for name in measures.values()
    }
    if run:
        for metric in ir_measures.iter_calc(list(measures), qrels, run):
            values[measures[metric.measure]][metric.query_id] = float(metric.value)
    return values

"""Figures by label: the same queries, the same intervals, as if they were a set of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.common.dataset_search import query_templates
from logic_retrievers.errors import ConfigurationError, ExpressionError
from logic_retrievers.evaluation import (
    Dataset,
    Query,
    bootstrap,
    compare,
    estimates_by_label,
    evaluate,
)
from logic_retrievers.queries import Atom

EXPRESSIONS = {"a_and_b": Atom("a") & Atom("b"), "a_not_b": Atom("a") & ~Atom("b")}


def query(number: int, template: str, group: str | None = None) -> Query:
    extra = {"template": template, "expression": EXPRESSIONS[template].to_dict(), "group": group}
    return Query(f"q{number}", f"q{number}", {"r": 1}, frozenset("w"), extra=extra)


def dataset(*queries: Query) -> Dataset:
    return Dataset("toy", {name: name for name in "rwxyz"}, queries)


def ranked(ids: str) -> list[tuple[str, float]]:
    return [(name, 1.0 - place / 10) for place, name in enumerate(ids)]


SET = dataset(*(query(n, "a_and_b" if n % 2 else "a_not_b") for n in range(20)))
BEFORE = evaluate(SET, lambda texts, k: [ranked("xwryz")[:k]] * 20, depth=5)
AFTER = evaluate(
    SET, lambda texts, k: [ranked("xwryz" if int(t[1:]) % 2 else "rxwyz") for t in texts], depth=5
)


def test_only_negations_have_a_violation_rate() -> None:
    """An AND query with violating documents is no negation, and would dilute the rate."""
    assert set(BEFORE.per_query["violation_rate"]) == {f"q{n}" for n in range(0, 20, 2)}
    assert (BEFORE.metrics["violation_rate"], AFTER.metrics["violation_rate"]) == (1, 0)
    nothing = Query("q", "q", {"r": 1}, frozenset("w"), extra={"template": "not"})
    assert evaluate(dataset(nothing), lambda texts, k: [ranked("wr")]).metrics["violation_rate"]
    wrong = Query("q", "q", {"r": 1}, frozenset("w"), extra={"expression": {"op": "nor"}})
    with pytest.raises(ExpressionError, match="nor"):
        evaluate(dataset(wrong), lambda texts, k: [ranked("wr")])


def test_deep_recalls() -> None:
    """LogiCoL reports R@5, R@20, R@100 and R@1000."""
    deep = evaluate(SET, lambda texts, k: [ranked("xwryz")] * 20, depth=1000).metrics
    assert [deep[f"R@{k}"] for k in (1, 5, 20, 100, 1000)] == [0, 1, 1, 1, 1]


def test_each_label_for_itself() -> None:
    """A label's figures must not move with those of another."""
    found = estimates_by_label(AFTER.per_query, query_templates(SET.queries), AFTER.groups)
    assert list(found) == ["a_not_b", "a_and_b"]
    assert found["a_not_b"]["R@1"].mean == 1
    assert found["a_and_b"]["R@1"].mean == 0
    assert "violation_rate" not in found["a_and_b"]
    alone = dataset(*(q for q in SET.queries if q.template == "a_and_b"))
    whole = evaluate(alone, lambda texts, k: [ranked("xwryz")] * 10, depth=5)
    assert found["a_and_b"] == whole.estimates


def test_a_comparison_by_label_is_paired() -> None:
    labels = {**query_templates(SET.queries), "q1": "odd"}
    gain = {
        label: compare(BEFORE, {"after": AFTER}, queries=[q for q in labels if labels[q] == label])
        for label in ("a_not_b", "a_and_b", "odd")
    }
    assert gain["a_not_b"]["after"]["R@1"].difference == (1, 1, 1)
    assert gain["a_and_b"]["after"]["R@1"].difference == (0, 0, 0)
    assert gain["odd"]["after"]["V@5"].difference == (0, 0, 0)
    assert "violation_rate" not in gain["a_and_b"]["after"]
    everything = compare(BEFORE, {"after": AFTER}, queries=labels)
    assert everything == compare(BEFORE, {"after": AFTER})
    with pytest.raises(ConfigurationError, match="different queries"):
        compare(BEFORE, {"other": evaluate(dataset(query(1, "a_and_b")), lambda t, k: [[]])})


def test_variants_are_drawn_together() -> None:
    """The variants of one group share their atoms: ten of them are no ten witnesses."""
    grouped = dataset(*(query(n, "a_not_b", f"g{n % 2}") for n in range(10)))
    result = evaluate(
        grouped, lambda texts, k: [ranked("rw" if int(t[1:]) % 2 else "wr") for t in texts]
    )
    assert len(set(result.groups.values())) == 2
    assert result.intervals["P@1"] == (0, 1)
    found = estimates_by_label(result.per_query, query_templates(grouped.queries), result.groups)
    assert found["a_not_b"]["P@1"] == result.estimates["P@1"]
    alone = estimates_by_label(result.per_query, query_templates(grouped.queries))
    assert alone["a_not_b"]["P@1"].low > 0


values = st.lists(st.tuples(st.sampled_from("xyz"), st.floats(0, 1)), min_size=1, max_size=12)


@given(values)
def test_estimates_against_the_bootstrap(rows: list[tuple[str, float]]) -> None:
    """Any measure with names of its own can be cut up, coherence of groups for one."""
    measure = {f"{n}": value for n, (_, value) in enumerate(rows)}
    labels = {f"{n}": label for n, (label, _) in enumerate(rows)} | {"absent": "w"}
    found = estimates_by_label({"coherence": measure}, labels)
    assert set(found) == {label for label, _ in rows}
    for label, of in found.items():
        own = [value for at, value in rows if at == label]
        assert of == {"coherence": bootstrap(own)[0]}

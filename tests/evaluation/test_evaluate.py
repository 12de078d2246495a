"""From a search function to metrics, metrics by label, and comparisons."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from logic_retrievers.cli.app import app
from logic_retrievers.errors import ConfigurationError, ExpressionError, MissingExtraError
from logic_retrievers.evaluation import Dataset, Query, compare, estimates_by_label, evaluate
from logic_retrievers.queries import Atom

Lists = dict[str, list[tuple[str, float]]]


def answering(lists: Lists) -> Callable[[Sequence[str], int], list[list[tuple[str, float]]]]:
    """A search that returns each text's list, cut to k."""
    return lambda texts, k: [lists[text][:k] for text in texts]


def ranked(ids: str) -> list[tuple[str, float]]:
    return [(name, 1.0 - place / 100) for place, name in enumerate(ids)]


def dataset(*queries: Query) -> Dataset:
    return Dataset("toy", {name: f"text {name}" for name in "abcdefghijklmnop"}, queries)


def constraint(name: str, own: str, other: str, **extra: object) -> Query:
    return Query(name, name, {own: 1}, frozenset(other), extra=extra)


PAIRS = dataset(
    constraint("p1", "a", "b", pair_id="p"),
    constraint("p2", "b", "a", pair_id="p"),
    constraint("q1", "c", "d", pair_id="q"),
    constraint("q2", "d", "c", pair_id="q"),
)
ANSWERS = {
    "p1": ranked("abcdefghijklmnop"),
    "p2": ranked("bacdefghijklmnop"),
    "q1": ranked("cdabefghijklmnop"),
    "q2": ranked("abcdefghijklmnop"),
}


def test_figures_of_a_worked_case(tmp_path: Path) -> None:
    """From lists to means, worked by hand."""
    result = evaluate(PAIRS, answering(ANSWERS), depth=16, policy="topical")
    assert result.per_query["paired_accuracy"] == {"p1": 1, "p2": 1, "q1": 0, "q2": 0}
    half = evaluate(dataset(PAIRS.queries[0]), answering(ANSWERS)).metrics
    assert "paired_accuracy" not in half
    assert (result.queries, result.documents, result.short_lists) == (4, 16, 0)
    assert result.metrics == pytest.approx(
        {
            "P@1": 0.75,
            "nDCG@5": (3 + 1 / 2.321928094887362) / 4,
            "nDCG@10": (3 + 1 / 2.321928094887362) / 4,
            "MRR@10": (3 + 1 / 4) / 4,
            "MAP@10": (3 + 1 / 4) / 4,
            **{"R@1": 0.75, "R@5": 1, "R@10": 1},
            **{"V@1": 0, "V@2": 0.75, "V@5": 1, "V@10": 1},
            "FVR": (2 + 2 + 2 + 3) / 4,
            "NegRecall@10": 1,
            "paired_accuracy": 0.5,
        }
    )
    assert result.per_query["FVR"] == {"p1": 2, "p2": 2, "q1": 2, "q2": 3}
    assert result.intervals["paired_accuracy"] == (0, 1)
    assert len(set(result.groups.values())) == 2  # the bootstrap draws pairs, not queries
    read = json.loads(json.dumps(result.to_json()))  # scripts read these keys
    assert read == result.to_json()
    assert (read["dataset"], read["policy"], read["queries"]) == ("toy", "topical", 4)
    assert read["metrics"]["V@2"] == 0.75
    assert read["intervals"]["V@2"][0] <= 0.75 <= read["intervals"]["V@2"][1]
    result.write_per_query(tmp_path / "figures.csv")
    header, first, *_ = (tmp_path / "figures.csv").read_text("utf-8").splitlines()
    assert dict(zip(header.split(","), first.split(","), strict=True))["FVR"] == "2.0"


def test_rankings_that_are_read_once_are_measured() -> None:
    """A check consumed them, and every metric was 0."""
    search = answering(ANSWERS)
    found = evaluate(PAIRS, lambda texts, k: map(iter, search(texts, k)), depth=16)  # type: ignore[arg-type,return-value]
    assert found.per_query == evaluate(PAIRS, search, depth=16).per_query
    metrics = ("R@1", "R@5")
    compared = compare(found, {"a": replace(found), "b": replace(found)}, iter(metrics))  # type: ignore[arg-type]
    assert [tuple(one) for one in compared.values()] == [metrics, metrics]


def test_metrics_follow_labels_and_depth() -> None:
    """V@k without violating labels is always 0; R@100 of ten documents is R@10."""
    plain = dataset(Query("q", "q", {"a": 2}))
    shallow = evaluate(plain, answering({"q": ranked("ab")}), depth=2).metrics
    assert set(shallow) == {"P@1", "R@1"}
    deep = evaluate(plain, answering({"q": ranked("ba")}), depth=1000).metrics
    recalls = {f"R@{k}": float(k > 1) for k in (1, 5, 10, 20, 100, 1000)}
    assert deep.items() >= recalls.items()
    assert deep.keys() - recalls == {"P@1", "nDCG@5", "nDCG@10", "MRR@10", "MAP@10"}
    graded = dataset(Query("q", "q", {"a": 1}, frozenset("b"), frozenset("c")))
    metrics = evaluate(graded, answering({"q": ranked("cab")}), depth=10).metrics
    assert metrics["constraint_nDCG@10"] == pytest.approx(
        (1 + 2 / 1.584962500721156) / (2 + 1 / 1.584962500721156)
    )
    mixed = dataset(constraint("p1", "a", "b"), Query("q", "q", {"a": 1}))
    metrics = evaluate(mixed, answering({"p1": ranked("ba"), "q": ranked("ab")}), depth=10).metrics
    assert metrics["V@1"] == 1  # the query without violating documents does not lower the mean
    assert metrics["R@1"] == 0.5


def test_short_lists_are_counted() -> None:
    """A cut list lowers V@k undeservedly, so the report must show the cut."""
    cut = {**ANSWERS, "p1": ranked("a"), "q2": []}
    result = evaluate(PAIRS, answering(cut), depth=16)
    assert result.short_lists == 2
    assert (result.per_query["MRR@10"]["q2"], result.per_query["FVR"]["q2"]) == (0, 11)
    assert evaluate(PAIRS, answering(ANSWERS), depth=100).short_lists == 0


def test_a_query_does_not_find_itself() -> None:
    """The query's own document leaves the list, which keeps its depth."""
    query = Query("a", "a", {"c": 1}, exclude=frozenset("a"))
    result = evaluate(dataset(query), answering({"a": ranked("abcdefghijk")}), depth=2)
    assert (result.run, result.short_lists) == ({"a": ("b", "c")}, 0)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        (lambda texts, k: [], "0 lists for 4 queries"),
        (lambda texts, k: [[("zz", 1.0)]] * 4, "'zz'.*no such document"),
        (lambda texts, k: [[("a", 1.0), ("a", 0.5)]] * 4, "twice"),
    ],
)
def test_a_search_that_answers_nonsense_is_refused(
    search: Callable[[Sequence[str], int], list[list[tuple[str, float]]]], message: str
) -> None:
    """Unknown ids would silently count as misses, and double ones as extra recall."""
    with pytest.raises(ConfigurationError, match=message):
        evaluate(PAIRS, search, depth=16)
    with pytest.raises(ConfigurationError, match="depth"):
        evaluate(PAIRS, search, depth=0)


def test_a_missing_extra_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error must not come after an hour of encoding and searching."""
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'logic-retrievers\[eval\]'"):
        evaluate(PAIRS, lambda texts, k: pytest.fail("searched"))
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}', "utf-8")
    row = '{"_id": "q", "text": "x", "satisfying": ["a"]}'
    (tmp_path / "queries.jsonl").write_text(row, "utf-8")
    encode = lambda *_, **__: pytest.fail("encoded")  # noqa: E731
    monkeypatch.setattr("logic_retrievers.index.PassageIndex.add", encode)
    done = CliRunner().invoke(app, ["evaluate", str(tmp_path)], env={"COLUMNS": "1000"})
    assert done.exit_code == 1
    assert "pip install 'logic-retrievers[eval]'" in done.output


# --- several results


def test_a_comparison_is_paired() -> None:
    """Runs that differ on few queries, always one way, do differ; unpaired tests miss it."""
    data = dataset(*(constraint(f"q{i}", "a", "b") for i in range(40)))
    base = {f"q{i}": ranked("ab" if i % 2 else "ba") for i in range(40)}
    better = base | {f"q{i}": ranked("ab") for i in range(0, 16, 2)}
    a, b, again = (evaluate(data, answering(lists), depth=10) for lists in (base, better, base))
    gain = compare(a, {"b": b})["b"]["V@1"]
    assert gain.difference.mean == pytest.approx(-0.2)
    assert gain.difference.high < 0
    assert gain.p == gain.p_corrected < 0.01
    assert a.intervals["V@1"][0] < b.metrics["V@1"] + 0.1
    both = compare(a, {"a": a, "b": b, "again": again}, ["V@1", "violation_rate"])
    assert both.keys() == {"b", "again"}
    assert both["again"] == {"V@1": ((0, 0, 0), 1, 1)}
    assert both["b"]["V@1"].p_corrected == 2 * gain.p  # Holm
    with pytest.raises(ConfigurationError, match="different queries"):
        compare(a, {"other": evaluate(PAIRS, answering(ANSWERS))})


EXPRESSIONS = {"a_and_b": Atom("a") & Atom("b"), "a_not_b": Atom("a") & ~Atom("b")}


def templated(number: int, template: str, group: str | None = None) -> Query:
    expression = EXPRESSIONS[template].to_dict()
    return constraint(f"q{number}", "a", "b", template=template, expression=expression, group=group)


def by_parity(even: str, odd: str) -> Callable[..., list[list[tuple[str, float]]]]:
    return lambda texts, k: [ranked(odd if int(text[1:]) % 2 else even) for text in texts]


SET = dataset(*(templated(n, "a_and_b" if n % 2 else "a_not_b") for n in range(20)))
LABELS = {query.id: query.template or "" for query in SET.queries}
BEFORE = evaluate(SET, by_parity("cbade", "cbade"), depth=5)
AFTER = evaluate(SET, by_parity("acbde", "cbade"), depth=5)


def test_only_negations_have_a_violation_rate() -> None:
    """An AND query with violating documents is not a negation and would dilute the rate."""
    assert set(BEFORE.per_query["violation_rate"]) == {f"q{n}" for n in range(0, 20, 2)}
    assert (BEFORE.metrics["violation_rate"], AFTER.metrics["violation_rate"]) == (1, 0)
    search = answering({"q": ranked("ba")})
    negated = dataset(constraint("q", "a", "b", template="not"))
    assert evaluate(negated, search).metrics["violation_rate"] == 1
    with pytest.raises(ExpressionError, match="nor"):
        evaluate(dataset(constraint("q", "a", "b", expression={"op": "nor"})), search)


def test_each_label_for_itself() -> None:
    """A label's metrics must not depend on a different label's."""
    found = estimates_by_label(AFTER.per_query, LABELS | {"unasked": "other"})
    assert list(found) == ["a_not_b", "a_and_b"]
    assert (found["a_not_b"]["R@1"].mean, found["a_and_b"]["R@1"].mean) == (1, 0)
    assert "violation_rate" not in found["a_and_b"]
    alone = dataset(*(query for query in SET.queries if query.template == "a_and_b"))
    assert found["a_and_b"] == evaluate(alone, by_parity("", "cbade"), depth=5).estimates


def test_a_comparison_by_label_is_paired() -> None:
    gain = {
        label: compare(BEFORE, {"after": AFTER}, queries=[q for q in LABELS if LABELS[q] == label])
        for label in EXPRESSIONS
    }
    assert gain["a_not_b"]["after"]["R@1"].difference == (1, 1, 1)
    assert gain["a_and_b"]["after"]["R@1"].difference == (0, 0, 0)
    assert "violation_rate" not in gain["a_and_b"]["after"]
    everything = compare(BEFORE, {"after": AFTER}, queries=LABELS)
    assert everything == compare(BEFORE, {"after": AFTER})


def test_variants_are_drawn_together() -> None:
    """A group's variants share their atoms: ten of them are not ten observations."""
    grouped = dataset(*(templated(n, "a_not_b", f"g{n % 2}") for n in range(10)))
    result = evaluate(grouped, by_parity("ba", "ab"))
    assert len(set(result.groups.values())) == 2
    assert result.intervals["P@1"] == (0, 1)
    labels = dict.fromkeys(result.run, "all")
    found = estimates_by_label(result.per_query, labels, result.groups)
    assert found["all"]["P@1"] == result.estimates["P@1"]
    assert estimates_by_label(result.per_query, labels)["all"]["P@1"].low > 0

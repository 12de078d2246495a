"""From a search function to figures and a comparison."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from logic_retrievers.errors import ConfigurationError, StorageError
from logic_retrievers.evaluation import Dataset, Query, compare, evaluate
from logic_retrievers.files import write_text

Lists = dict[str, list[tuple[str, float]]]


def answering(lists: Lists) -> Callable[[Sequence[str], int], list[list[tuple[str, float]]]]:
    """A search that gives each text its list, at most k long."""
    return lambda texts, k: [lists[text][:k] for text in texts]


def ranked(ids: str) -> list[tuple[str, float]]:
    return [(name, 1.0 - place / 100) for place, name in enumerate(ids)]


def dataset(*queries: Query, documents: str = "abcdefghijklmnop") -> Dataset:
    return Dataset("toy", {name: f"text {name}" for name in documents}, queries)


def constraint(name: str, own: str, other: str, pair: str | None = None) -> Query:
    extra = {} if pair is None else {"pair_id": pair}
    return Query(name, name, {own: 1}, frozenset(other), extra=extra)


PAIRS = dataset(
    constraint("p1", "a", "b", "p"),
    constraint("p2", "b", "a", "p"),
    constraint("q1", "c", "d", "q"),
    constraint("q2", "d", "c", "q"),
)
ANSWERS = {
    "p1": ranked("abcdefghijklmnop"),
    "p2": ranked("bacdefghijklmnop"),
    "q1": ranked("cdabefghijklmnop"),
    "q2": ranked("abcdefghijklmnop"),
}


def test_figures_of_a_worked_case() -> None:
    """The whole way from lists to means, worked by hand."""
    result = evaluate(PAIRS, answering(ANSWERS), depth=16, policy="topical")
    assert (result.queries, result.documents, result.short_lists) == (4, 16, 0)
    expected = {
        "paired_accuracy": 0.5,
        "R@1": 0.75,
        "R@5": 1,
        "R@10": 1,
        "V@1": 0,
        "V@2": 0.75,
        "V@5": 1,
        "V@10": 1,
        "NegRecall@10": 1,
        "FVR": (2 + 2 + 2 + 3) / 4,
        "P@1": 0.75,
        "MRR@10": (3 + 1 / 4) / 4,
        "MAP@10": (3 + 1 / 4) / 4,
        "nDCG@5": (3 + 1 / 2.321928094887362) / 4,
        "nDCG@10": (3 + 1 / 2.321928094887362) / 4,
    }
    assert result.metrics == pytest.approx(expected)
    assert result.per_query["FVR"] == {"p1": 2, "p2": 2, "q1": 2, "q2": 3}
    assert result.intervals["paired_accuracy"] == (0, 1)
    assert len(set(result.groups.values())) == 2  # pairs are drawn, not queries


def test_rankings_that_are_read_once_are_measured() -> None:
    """They were checked to their end, and every figure was 0."""
    search = answering(ANSWERS)
    found = evaluate(PAIRS, lambda texts, k: map(iter, search(texts, k)), depth=16)  # type: ignore[arg-type,return-value]
    assert found.per_query == evaluate(PAIRS, search, depth=16).per_query
    metrics = ("R@1", "R@5")
    compared = compare(found, {"a": replace(found), "b": replace(found)}, iter(metrics))  # type: ignore[arg-type]
    assert [tuple(one) for one in compared.values()] == [metrics, metrics]


def test_metrics_follow_labels_and_depth() -> None:
    """V@k without violating labels is 0 for any system; R@100 of ten documents is R@10."""
    plain = dataset(Query("q", "q", {"a": 2}))
    shallow = evaluate(plain, answering({"q": ranked("ab")}), depth=2).metrics
    assert set(shallow) == {"P@1", "R@1"}
    deep = evaluate(plain, answering({"q": ranked("ab")}), depth=100).metrics
    assert set(deep) == {
        *("P@1", "nDCG@5", "nDCG@10", "MRR@10", "MAP@10", "R@1", "R@5", "R@10", "R@20", "R@100")
    }
    graded = dataset(Query("q", "q", {"a": 1}, frozenset("b"), frozenset("c")))
    metrics = evaluate(graded, answering({"q": ranked("cab")}), depth=10).metrics
    assert metrics["constraint_nDCG@10"] == pytest.approx(
        (1 + 2 / 1.584962500721156) / (2 + 1 / 1.584962500721156)
    )


def test_a_metric_ignores_queries_that_it_does_not_apply_to() -> None:
    """A query without violating documents would pull V@k down for nothing."""
    mixed = dataset(constraint("p1", "a", "b"), Query("q", "q", {"a": 1}))
    result = evaluate(mixed, answering({"p1": ranked("ba"), "q": ranked("ab")}), depth=10)
    assert result.metrics["V@1"] == 1
    assert result.metrics["R@1"] == 0.5


def test_short_lists_are_counted() -> None:
    """A cut list lowers V@k for nothing; the report must show that it was cut."""
    cut = {**ANSWERS, "p1": ranked("a"), "q2": []}
    result = evaluate(PAIRS, answering(cut), depth=16)
    assert result.short_lists == 2
    assert result.per_query["MRR@10"]["q2"] == 0
    assert result.per_query["FVR"]["q2"] == 11
    assert evaluate(PAIRS, answering(ANSWERS), depth=100).short_lists == 0


def test_a_query_does_not_find_itself() -> None:
    """The document that is the query leaves the list, and the list keeps its depth."""
    query = Query("a", "a", {"c": 1}, exclude=frozenset("a"))
    result = evaluate(dataset(query), answering({"a": ranked("abcdefghijk")}), depth=2)
    assert result.run == {"a": ("b", "c")}
    assert result.short_lists == 0


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
    """Foreign ids count as misses and double ones as extra recall, in silence."""
    with pytest.raises(ConfigurationError, match=message):
        evaluate(PAIRS, search, depth=16)
    with pytest.raises(ConfigurationError, match="depth"):
        evaluate(PAIRS, answering(ANSWERS), depth=0)


def test_json_form() -> None:
    """Scripts read these keys."""
    result = evaluate(PAIRS, answering(ANSWERS), depth=16, policy="union")
    read = json.loads(json.dumps(result.to_json()))
    assert read == result.to_json()
    assert {name: read[name] for name in ("dataset", "policy", "queries", "documents")} == {
        "dataset": "toy",
        "policy": "union",
        "queries": 4,
        "documents": 16,
    }
    assert read["metrics"]["V@2"] == 0.75
    low, high = read["intervals"]["V@2"]
    assert low <= 0.75 <= high


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """A failed write must leave the old file and no half of the new one."""
    result = evaluate(PAIRS, answering(ANSWERS), depth=16)
    with pytest.raises(StorageError, match="cannot write"):
        result.write_per_query(tmp_path / "no such folder" / "figures.csv")
    old = tmp_path / "run"
    old.write_text("old")
    with files_of_at_most(50_000), pytest.raises(StorageError, match="nothing was changed"):
        write_text(old, "x" * 100_000)
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    (tmp_path / "still open").hardlink_to(old)
    write_text(old, "new")
    assert (tmp_path / "still open").read_text() == "old"


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Until the end of the block, no write brings a file over this many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_half_a_character_is_escaped(tmp_path: Path) -> None:
    """A lone surrogate in one answer must not cost the user the whole file."""
    write_text(tmp_path / "run", "a\ud800é")
    assert (tmp_path / "run").read_text("utf-8") == "a\\ud800é"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk() -> None:
    """The user must read that the device is full, not a bare OSError; and a device stays one."""
    with pytest.raises(StorageError, match="No space left"):
        write_text("/dev/full", "x")
    assert not Path("/dev/full").is_file()


def test_comparison_is_paired() -> None:
    """Runs that differ on few queries, always one way, differ surely; unpaired figures hide it."""
    queries = [constraint(f"q{i}", "a", "b") for i in range(40)]
    base = {f"q{i}": ranked("ab" if i % 2 else "ba") for i in range(40)}
    better = base | {f"q{i}": ranked("ab") for i in range(0, 16, 2)}
    data = dataset(*queries)
    a, b = (evaluate(data, answering(lists), depth=10) for lists in (base, better))
    gain = compare(a, {"b": b})["b"]["V@1"]
    assert gain.difference.mean == pytest.approx(-0.2)
    assert gain.difference.high < 0
    assert gain.p == gain.p_corrected < 0.01
    assert a.intervals["V@1"][0] < b.metrics["V@1"] + 0.1
    assert compare(a, {"a": a}) == {}
    again = evaluate(data, answering(base), depth=10)
    assert compare(a, {"again": again})["again"]["FVR"] == ((0, 0, 0), 1, 1)
    with pytest.raises(ConfigurationError, match="different queries"):
        compare(a, {"other": evaluate(PAIRS, answering(ANSWERS))})

"""How well comparisons with declared fields are read from queries, and what they do for a search.

python -m benchmarks.product.field_values [--part dev]

``tests/queries/values`` holds four tables and their queries by authors who had not seen the reader,
and ordinary queries with numbers that say nothing of a declared field (see the README there). Read
the test parts only when a version is finished; nothing may be chosen on them.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.common.output import cached_encoder, publish
from logic_retrievers import AutoPolicy, Engine, Passage, PassageIndex
from logic_retrievers.errors import EmptyFilterWarning
from logic_retrievers.fields import Condition, FieldReader, check_fields

VALUES = Path(__file__).parents[2] / "tests" / "queries" / "values"
TABLES = (
    *("shops", "shops-2", "flats", "flats-2", "flats-3"),
    *("jobs", "jobs-2", "papers", "papers-2"),
)
NOW = date(2026, 5, 20)
K = 10
_REPEATS = 20


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def reader_of(table: str) -> FieldReader:
    """Make the reader of a table's declared fields."""
    return FieldReader(check_fields(fields_of(table)))


def fields_of(table: str) -> dict[str, Any]:
    """Read the declarations of a table."""
    declared: dict[str, Any] = json.loads((VALUES / "fields.json").read_text("utf-8"))[
        table.partition("-")[0]
    ]
    return declared


def is_right(condition: Condition, reading: Mapping[str, Any]) -> bool:
    """Whether a condition says what an author read."""
    if condition.field != reading["field"]:
        return False
    low, high = _bounds(condition)
    value, operator = reading["value"], reading["op"]
    if operator == "~":
        ends = value if isinstance(value, list) else [value, value]
        return condition.preferred and _near(low, _day(ends[0])) and _near(high, _day(ends[1]))
    if condition.preferred:
        return False
    wanted = _wanted(condition, operator, value)
    return _near(low, wanted[0]) and _near(high, wanted[1])


def _bounds(condition: Condition) -> tuple[Any, Any]:
    """Return the bounds; of years and days as inclusive ones, of other numbers with strictness."""
    low, high = condition.low, condition.high
    if isinstance(low if high is None else high, date):
        one: Any = timedelta(days=1)
    elif condition.of_years:
        one = 1
    else:
        return (low, condition.low_strict), (high, condition.high_strict)
    if low is not None and condition.low_strict:
        low = low + one
    if high is not None and condition.high_strict:
        high = high - one
    return (low, False), (high, False)


def _wanted(condition: Condition, operator: str, value: Any) -> tuple[Any, Any]:
    low, high = value if operator == "between" else (value, value)
    bounds: dict[str, Any] = {
        "low": None if operator in ("<", "<=") else _day(low)[0],
        "high": None if operator in (">", ">=") else _day(high)[0],
        "low_strict": operator == ">",
        "high_strict": operator == "<",
    }
    return _bounds(Condition(condition.field, **bounds, of_years=condition.of_years))


def _day(value: Any) -> tuple[Any, bool]:
    return (date.fromisoformat(value) if isinstance(value, str) else value), False


def _near(one: tuple[Any, bool], other: tuple[Any, bool]) -> bool:
    if one[0] is None or other[0] is None or isinstance(one[0], date):
        return bool(one[0] == other[0])
    near = abs(one[0] - other[0]) <= 0.005 * max(1.0, abs(other[0]))
    return bool(near) and one[1] == other[1]


def judge_readings(table: str, part: str) -> Iterator[dict[str, Any]]:
    """Compare the readings of a table's queries with the author's."""
    reader = reader_of(table)
    for row in rows_of(VALUES / table / "queries.jsonl"):
        if row["part"] != part:
            continue
        left = list(reader.read(row["query"], NOW).conditions)
        right = 0
        for reading in row["readings"]:
            found = next((each for each in left if is_right(each, reading)), None)
            if found is not None:
                left.remove(found)
                right += 1
        yield {**row, "right": right, "wrong": left}


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    part = parser.parse_args().part
    publish(f"readings of values, {part}", [_readings(table, part) for table in TABLES])
    publish(f"ordinary queries with numbers, {part}", _ordinary(part))
    searches = [row for table in TABLES for row in _searches(table, part)]
    publish(f"searches with values, {part}", searches)


def _readings(table: str, part: str) -> dict[str, object]:
    judged = list(judge_readings(table, part))
    readings = sum(len(row["readings"]) for row in judged)
    reader, texts = reader_of(table), [row["query"] for row in judged]
    started = time.perf_counter()
    for text in texts * _REPEATS:
        reader.read(text, NOW)
    seconds = (time.perf_counter() - started) / (len(texts) * _REPEATS)
    return {
        "table": table,
        "queries": len(judged),
        "readings": readings,
        "read right": sum(row["right"] for row in judged) / readings,
        "read wrong or invented": sum(len(row["wrong"]) for row in judged),
        "queries all right": sum(
            row["right"] == len(row["readings"]) and not row["wrong"] for row in judged
        )
        / len(judged),
        "ms a query": 1000 * seconds,
    }


def _ordinary(part: str) -> list[dict[str, object]]:
    rows = [row for row in rows_of(VALUES / "ordinary.jsonl") if row["part"] == part]
    rows.sort(key=lambda row: TABLES.index(row["table"]))
    published: list[dict[str, object]] = []
    for table, group in groupby(rows, key=lambda row: row["table"]):
        reader, queries = reader_of(table), [row["query"] for row in group]
        invented = [text for text in queries if reader.read(text, NOW).conditions]
        published.append({"table": table, "queries": len(queries), "invented": len(invented)})
    return published


def _searches(table: str, part: str) -> list[dict[str, object]]:
    corpus = rows_of(VALUES / table / "corpus.jsonl")
    queries = [row for row in rows_of(VALUES / table / "queries.jsonl") if row["part"] == part]
    with PassageIndex.open("values", cached_encoder()) as index:
        index.add(Passage(row["id"], row["text"], row["metadata"]) for row in corpus)
        systems: Mapping[str, Any] = {
            "plain search": "topical",
            "hybrid": "hybrid",
            "auto": "auto",
            "auto, fields": AutoPolicy(fields=fields_of(table)),
        }
        return [
            _search(table, name, Engine(index, each), queries) for name, each in systems.items()
        ]


def _search(
    table: str, name: str, engine: Engine, queries: Sequence[Mapping[str, Any]]
) -> dict[str, object]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = engine.search_many([row["query"] for row in queries], K, now=NOW)
    relevant = [set(row["satisfying"]) for row in queries]
    ids = [[hit.passage.id for hit in hits] for hits in found]
    first = [bool(each) and each[0] in wanted for each, wanted in zip(ids, relevant, strict=True)]
    return {
        "table": table,
        "system": name,
        "queries": len(queries),
        "right first": sum(first) / len(first),
        "MRR": sum(map(_reciprocal_rank, ids, relevant)) / len(ids),
        "emptied": sum(issubclass(each.category, EmptyFilterWarning) for each in warned),
    }


def _reciprocal_rank(ids: Sequence[str], relevant: Collection[str]) -> float:
    return next((1 / rank for rank, each in enumerate(ids, 1) if each in relevant), 0.0)


if __name__ == "__main__":
    main()

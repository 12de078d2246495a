"""Tables of systems: who is compared with whom, and what stands beside them."""

from __future__ import annotations

from dataclasses import replace

from inn_queries import inns, result_of

from benchmarks.reproduction.artefacts import Measurement
from benchmarks.reproduction.comparison_tables import Published, comparison_table


def test_a_row_of_every_kind() -> None:
    dataset = inns()
    plain = result_of(dataset, q1=["loud", "quiet"], q2=["pool", "stable"])
    better = result_of(dataset, q1=["quiet", "loud"], q2=["stable", "pool"])
    table = comparison_table(
        "inns",
        "Inns",
        {"plain": plain, "better": replace(better, short_lists=2)},
        ["R@1", "paired_accuracy"],
        baseline="plain",
        published=[Published("theirs", {"R@1": 0.7}, "Someone 2020, table 1")],
        absent={"CoDeR-Seq": "coder"},
        notes=["a note"],
    )
    assert table.columns == ("system", "R@1", "paired_accuracy")
    assert [row.origin for row in table.rows] == ["measured", "measured", "absent", "published"]
    first, second, missing, published = table.rows
    assert isinstance(first.cells[1], Measurement)
    assert isinstance(second.cells[1], Measurement)
    assert (first.cells[1].value, first.cells[1].p) == (0, None)
    assert (second.cells[1].value, second.cells[1].p) == (1, 1 / 10_001)
    assert second.cells[2] is None
    assert missing.cells == ("CoDeR-Seq", None, None)
    assert "coder-comparison" in missing.note
    assert published.cells == ("theirs", 0.7, None)
    assert table.notes[0] == "a note"
    assert "better (2 queries)" in table.notes[1]

"""ConflictQA's folder, paraphrases by rule, and the alpha of the other half."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from logic_export.contradiction_retrieval import ScoredCandidates, crossed_ndcg, find_alpha, ndcg
from logic_export.data.contradictions.conflictqa import (
    SIDE_FIELDS,
    groups_of_questions,
    load_conflictqa,
)
from logic_export.data.sentences import sentence_window

from logic_retrievers.errors import ReadError


def row(question: str, left: str, right: str) -> dict[str, str]:
    values = [left, f"{left} 1", f"{left} 2", right, f"{right} 1", f"{right} 2"]
    names = [name for side in SIDE_FIELDS for name in side]
    return {"question": question, **dict(zip(names, values, strict=True))}


def written(folder: Path, rows: list[dict[str, str]]) -> None:
    place = folder / "conflictqa_strategyqa"
    place.mkdir()
    (place / "test.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))


def test_a_part_is_read_by_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sides of another question would stand as contradictions of this one."""
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    written(tmp_path, [row("q", "yes", "no"), row("r", "up", "down"), row("q", "no", "yes")])
    found = load_conflictqa("test")
    assert list(found) == ["q", "r"]
    (group,) = found["q"]
    assert set(group.left) == {"yes 1", "yes 2"}
    assert set(group.right) == {"no 1", "no 2"}
    assert len(groups_of_questions(found)) == 2
    with pytest.raises(ReadError):
        load_conflictqa("dev")


def test_no_half_chooses_the_alpha_that_it_is_measured_with() -> None:
    """Chosen on itself, each half would look better than a new collection will."""
    sparse_is_right = ScoredCandidates(
        np.array([False, True]), np.array([0.9, 0.5]), np.array([0.1, 0.9]), 1
    )
    cosine_is_right = ScoredCandidates(
        np.array([True, False]), np.array([0.9, 0.5]), np.array([0.1, 0.9]), 1
    )
    found = [sparse_is_right, cosine_is_right] * 4
    values, alphas = crossed_ndcg(found)
    assert alphas == (find_alpha(found[1::2]), find_alpha(found[::2]))
    assert alphas[0] < alphas[1]
    assert values[::2].tolist() == ndcg(found[::2], alphas[0]).tolist()
    assert values.max() < 1


def test_what_bears_on_a_claim_comes_with_its_neighbours() -> None:
    text = "One is first. Two follows. Three is here. Four ends."
    assert sentence_window(text, {0}) == "One is first. Two follows."
    assert sentence_window(text, [3, 0], neighbours=0) == "One is first. Four ends."

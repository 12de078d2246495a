"""Mined negatives: the nearest passages, less those that may be answers after all."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from logic_export.data.hard_negatives import mine_hard_negatives
from logic_export.data.triplets import Triplet

from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    MissingExtraError,
)

faiss = pytest.importorskip("faiss", reason="the extra faiss")


class TableEncoder:
    """Texts whose vectors are known: by table, or at the angle that the text starts with."""

    def __init__(self, table: Mapping[str, np.ndarray] | None = None) -> None:
        self._table = table
        self.specs = {"topical": VectorSpec("topical", 2, 512, "table")}
        self.encoded: list[str] = []

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        return {"topical": np.stack([self._vector(text) for text in texts])}

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        self.encoded.extend(texts)
        return self.encode_queries(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return []

    def _vector(self, text: str) -> np.ndarray:
        if self._table is not None:
            return self._table[text]
        angle = math.radians(float(text.split()[0]))
        return np.array([math.cos(angle), math.sin(angle)], np.float32)


ASKED = [("0 asked", "30 the answer")]


def mined(passages: Sequence[str], queries=ASKED, **settings) -> list[str | None]:
    return [
        row.violating for row in mine_hard_negatives(queries, passages, TableEncoder(), **settings)
    ]


def test_the_nearest_other_passage_violates():
    """A far passage teaches nothing: any encoder tells it from the answer already."""
    assert mine_hard_negatives(ASKED, ["90 far", "60 near", "30 the answer"], TableEncoder()) == [
        Triplet("0 asked", "30 the answer", "60 near", "mined")
    ]


def test_copies_of_the_answer_are_no_negatives():
    """The answer under another layout, or nearly itself, would be pushed away from its query."""
    assert mined(["30  the\nanswer ", "35 nearly the answer", "60 near"]) == ["60 near"]
    # as far as any threshold can see, the first is no copy; its words say that it is
    assert mined(["30  the\nanswer ", "35 nearly"], copy=2.0) == ["35 nearly"]


def test_what_scores_well_above_the_answer_is_left_out_as_unlabelled():
    """Cosines to the query: answer .87, passages .98 and .91; the margin allows up to .92."""
    assert mined(["-10 another answer", "-24 trap"]) == ["-24 trap"]
    assert mined(["-10 another answer", "-24 trap"], margin=0.2) == ["-10 another answer"]
    assert mined(["-24 trap", "-50 below"], margin=-0.1) == ["-50 below"]


def test_no_answer_of_a_query_is_mined_for_another_answer_of_it():
    """With two labelled answers each would be the other one's hardest negative."""
    queries = [("0 asked", "30 one"), ("0 asked", "-31 two")]
    assert mined(["30 one", "-31 two", "-33 like two", "70 none"], queries) == ["70 none"] * 2


def test_skip_and_per_query_count_what_remains():
    passages = ["60 a", "30 the answer", "70 b", "80 c", "90 d"]
    assert mined(passages, per_query=2) == ["60 a", "70 b"]
    assert mined(passages, per_query=2, skip=1) == ["70 b", "80 c"]
    assert mined(passages, per_query=9, skip=3) == ["90 d"]
    assert mined(passages, skip=4) == []


def test_most_bounds_how_far_the_search_goes():
    """Beyond the first ``most`` a passage is no longer hard, however few were found."""
    passages = ["30 the answer", "31 copy", "32 copy", "60 near"]
    assert mined(passages, most=3) == []
    assert mined(passages, most=4) == ["60 near"]


def test_copies_among_the_passages_are_mined_and_encoded_once():
    """A passage that a corpus repeats would be every negative of its query."""
    encoder = TableEncoder()
    rows = mine_hard_negatives(ASKED, ["60 a b", "60 a  b", "70 c", "60 a b"], encoder, per_query=3)
    assert [row.violating for row in rows] == ["60 a b", "70 c"]
    assert sorted(encoder.encoded) == ["30 the answer", "60 a b", "70 c"]


def test_equal_scores_keep_the_order_of_the_passages():
    assert mined(["60 b", "60 a", "60 c"], per_query=3) == ["60 b", "60 a", "60 c"]


def brute_force(queries, passages, table, per_query, skip, margin, copy, most):
    """The docstring, word for word, one pair at a time."""
    pairs = []
    for query, satisfying in queries:
        known = {answer for other, answer in queries if other == query}
        score = {text: float(table[text] @ table[query]) for text in [*passages, satisfying]}
        ranked = sorted(passages, key=lambda text: -score[text])
        if most < len(ranked):  # which one of two equals is looked at is left open
            assume(score[ranked[most - 1]] != score[ranked[most]])
        remaining = [
            text
            for text in ranked[:most]
            if text not in known
            and score[text] <= score[satisfying] + margin
            and all(float(table[text] @ table[answer]) <= copy for answer in known)
        ]
        pairs += [(query, satisfying, text) for text in remaining[skip:][:per_query]]
    return pairs


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.sampled_from([1, 64]),
    passages=st.integers(1, 30),
    labelled=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40)), min_size=1, max_size=25),
    per_query=st.integers(1, 4),
    skip=st.integers(0, 3),
    margin=st.sampled_from([-0.03125, 0.0, 0.03125, math.inf]),
    copy=st.sampled_from([0.0, 0.03125, 2.0]),
    most=st.integers(1, 40),
)
def test_the_same_as_by_brute_force(
    seed, steps, passages, labelled, per_query, skip, margin, copy, most
):
    """FAISS, batches and masks may not change what the rule says.

    Coordinates are small multiples of a power of two: every product and sum is exact, so that no
    rounding decides. With ``steps`` = 1 most scores are equal.
    """
    rng = np.random.default_rng(seed)
    texts = [f"p{n}" for n in range(41)]
    table = {
        text: (rng.integers(-steps, steps + 1, 8) / steps / 8).astype(np.float32)
        for text in ["q0", "q1", "q2", "q3", *texts]
    }
    queries = [(f"q{query}", texts[answer]) for query, answer in labelled]
    rule = (per_query, skip, margin, copy, most)
    expected = brute_force(queries, texts[:passages], table, *rule)
    names = ("per_query", "skip", "margin", "copy", "most")
    rows = mine_hard_negatives(
        queries, texts[:passages], TableEncoder(table), **dict(zip(names, rule, strict=True))
    )
    assert [(row.query, row.satisfying, row.violating) for row in rows] == expected


def test_without_faiss_the_pip_command_is_named(monkeypatch: pytest.MonkeyPatch):
    """An ImportError from inside says nothing of the extra, and comes after all was encoded."""
    monkeypatch.setitem(sys.modules, "faiss", None)
    encoder = TableEncoder()
    with pytest.raises(MissingExtraError, match=r"pip install 'logic-retrievers\[faiss\]'"):
        mine_hard_negatives(ASKED, ["60 near"], encoder)
    assert not encoder.encoded


def test_no_gpu_is_an_error_and_no_slow_surprise(monkeypatch: pytest.MonkeyPatch):
    """The build for CPUs has the function as well, and fails in it with a NameError."""
    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 0)
    encoder = TableEncoder()
    with pytest.raises(ConfigurationError, match="gpu=True needs a GPU"):
        mine_hard_negatives(ASKED, ["60 near"], encoder, gpu=True)
    assert not encoder.encoded


def test_a_gpu_is_used_where_there_is_one(monkeypatch: pytest.MonkeyPatch):
    moved = []
    monkeypatch.setattr(faiss, "get_num_gpus", lambda: 1)
    monkeypatch.setattr(faiss, "StandardGpuResources", object, raising=False)
    monkeypatch.setattr(faiss, "index_cpu_to_all_gpus", lambda index: moved.append(index) or index)
    assert mined(["60 near"], gpu=True) == ["60 near"]
    assert len(moved) == 1
    with pytest.raises(ConfigurationError, match="2048"):
        mined(["60 near"], gpu=True, most=2049)


@pytest.mark.parametrize(
    "wrong",
    [
        {"per_query": 0},
        {"skip": -1},
        {"most": 0},
        {"margin": math.nan},
        {"copy": math.nan},
        {"vector": "compatibility"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_settings_that_cannot_work_are_met_before_encoding(wrong):
    """A comparison with NaN is always false: nothing would be left out, or everything."""
    encoder = TableEncoder()
    with pytest.raises(ConfigurationError):
        mine_hard_negatives(ASKED, ["60 near"], encoder, **wrong)
    assert not encoder.encoded


def test_empty_input():
    """An empty passage has a vector all the same, and could be mined."""
    assert mine_hard_negatives([], ["60 near"], TableEncoder()) == []
    with pytest.raises(InputError, match="no passages"):
        mine_hard_negatives(ASKED, [], TableEncoder())
    with pytest.raises(EmptyTextError):
        mine_hard_negatives(ASKED, ["60 near", " "], TableEncoder())

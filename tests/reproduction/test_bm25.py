"""BM25 over a made data set."""

from __future__ import annotations

from benchmarks.common.dataset_search import bm25_search
from logic_retrievers.evaluation import Dataset


def test_words_in_common_count_and_no_more_is_asked_for_than_there_is() -> None:
    documents = {
        "cat": "cats sleep on sofas",
        "dog": "dogs sleep in kennels",
        "fish": "fishes swim",
    }
    search = bm25_search(Dataset("made", documents, ()))
    first, second = search(["where do dogs sleep", "fishes"], 10)
    assert [name for name, _ in first][:2] == ["dog", "cat"]
    assert len(first) == 3
    assert second[0][0] == "fish"
    assert second[0][1] > second[1][1]

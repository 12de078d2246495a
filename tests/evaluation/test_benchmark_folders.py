"""The real benchmark folders read as their README says."""

from __future__ import annotations

import pytest

from logic_retrievers.errors import LogicRetrieversError, ReadError
from logic_retrievers.evaluation import Dataset, data_folder, load_dataset
from logic_retrievers.evaluation.datasets import find_dataset_files, read_corpus

# name, split, queries, rows of the corpus, documents after merging
SETS = [
    ("nevir", "test", 544, 544, 409),
    ("excluir", "test", 205, 410, 410),
    ("boolquestions_not", "test", 107, 214, 214),
    ("coder_antonym", "test", 90, 210, 210),
    ("negconstraint", "test", 98, 3946, 3907),
    ("scifact", "test", 300, 5183, 5183),
    ("cranfield", "test", 225, 1400, 1398),
    ("arguana_dev", "dev", 459, 920, 920),
    ("limit_small", "test", 1000, 46, 46),
]

pytestmark = pytest.mark.data


@pytest.fixture(autouse=True)
def _data_is_there() -> None:
    try:
        data_folder()
    except ReadError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "split", "queries", "rows", "documents"), SETS)
def test_counts(name: str, split: str, queries: int, rows: int, documents: int) -> None:
    """A reader that loses rows reports figures for another benchmark."""
    dataset = load_dataset(name, split)
    assert len(dataset.queries) == queries
    assert len(dataset.documents) == documents
    corpus = read_corpus(find_dataset_files(name, split).corpus)
    assert len(dataset.documents) + len(corpus.aliases) + len(corpus.empty) == rows
    assert len(set(dataset.documents.values())) == documents
    assert all(query.grades for query in dataset.queries)


@pytest.mark.parametrize("name", ["nevir", "excluir", "boolquestions_not", "coder_antonym"])
def test_the_corpus_is_the_pool_of_the_queries(name: str) -> None:
    """With other documents in the pool no V@k compares with the published ones."""
    dataset = load_dataset(name)
    labelled = {d for q in dataset.queries for d in q.satisfying | q.violating | q.neutral}
    assert labelled == set(dataset.documents)
    assert all(query.violating for query in dataset.queries)


def test_nevir_comes_in_pairs() -> None:
    """Paired accuracy over anything but whole pairs is another measure."""
    queries = load_dataset("nevir/test").queries
    pairs = [query.pair for query in queries]
    assert {pairs.count(pair) for pair in pairs} == {2}


def test_arguana_queries_exclude_themselves() -> None:
    """A query that finds itself first pushes every counter-argument down a rank."""
    assert all(query.exclude == {query.id} for query in load_dataset("arguana_dev", "dev").queries)


@pytest.mark.parametrize("name", ["cranfield", "scifact", "negconstraint", "limit_small"])
def test_equal_numbering_excludes_nothing(name: str) -> None:
    """Queries and documents are both numbered there; excluding by id would drop right answers."""
    dataset: Dataset = load_dataset(name)
    assert not any(query.exclude for query in dataset.queries)


def test_cranfield_leaves_out_what_cannot_be_found() -> None:
    """A relevant document without text would cap the recall of its query below 1."""
    dataset = load_dataset("cranfield")
    assert read_corpus(find_dataset_files("cranfield", "test").corpus).empty == ("471", "995")
    assert not any("995" in query.grades for query in dataset.queries)


def test_a_set_without_labels_says_so() -> None:
    """RAMDocs has no satisfying or violating lists; empty figures would look like a result."""
    with pytest.raises(ReadError, match="no labelled query"):
        load_dataset("ramdocs")


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\0b"], ids=["long", "deep", "null"])
def test_a_name_that_no_folder_can_have(name):
    """The operating system's own error ends the command in a traceback."""
    with pytest.raises(LogicRetrieversError):
        load_dataset(name)

"""What the engine itself finds for the queries of a data set, over an embedded index."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from logic_retrievers.answering import AnyPolicy, Query
from logic_retrievers.encoders import Encoder
from logic_retrievers.engine import Engine
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Dataset, Search
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

VECTORS = ("topical", "compatibility")
"""Those that policies read, beside the words."""


@contextmanager
def indexed(dataset: Dataset, encoder: Encoder, *, lexical: bool = False) -> Iterator[PassageIndex]:
    """The documents of a data set in an embedded index.

    Args:
        dataset: what to store.
        encoder: makes the vectors; give one that keeps them.
        lexical: whether to store the sparse vector of the words too.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # they are cut for every system alike
        with PassageIndex.open("report", encoder, vectors=VECTORS, lexical=lexical) as index:
            index.add(Passage(name, text) for name, text in dataset.documents.items())
            yield index


def engine_search(index: PassageIndex, policy: AnyPolicy, queries: Sequence[Query]) -> Search:
    """What ``evaluate`` asks: the engine's hits for these queries, whatever texts it is given.

    Args:
        index: of the data set's documents.
        policy: a name or an instance.
        queries: texts or expressions, in the order of the data set's queries.
    """
    engine = Engine(index, policy)

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        del texts
        found = engine.search_many(queries, k)
        return [[(hit.passage.id, hit.score) for hit in hits] for hits in found]

    return search

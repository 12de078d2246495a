"""Search over a data set: the engine under any policy, and BM25."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import LongTextWarning, MissingExtraError
from logic_retrievers.evaluation import Dataset, EvaluationResult, Query, Search, evaluate
from logic_retrievers.evaluation.metrics import Ranking
from logic_retrievers.policies import Policy, PolicyRouter
from logic_retrievers.queries import Expression, ParsedQuery

AnyPolicy: TypeAlias = str | Policy | PolicyRouter
SearchQuery: TypeAlias = str | ParsedQuery | Expression

# Length of the evaluated lists.
DEPTH = 100
# Dense vectors that policies read.
VECTORS = ("topical", "compatibility")


@contextmanager
def index_dataset(
    dataset: Dataset, encoder: Encoder, *, lexical: bool = False
) -> Iterator[PassageIndex]:
    """Store the documents of a data set in an embedded index.

    Args:
        dataset: data set with the documents.
        encoder: encoder of the documents, preferably cached.
        lexical: whether to store the lexical vector too.
    """
    with warnings.catch_warnings():
        # Long documents are cut alike for every system.
        warnings.simplefilter("ignore", LongTextWarning)
        with PassageIndex.open("report", encoder, vectors=VECTORS, lexical=lexical) as index:
            index.add(Passage(name, text) for name, text in dataset.documents.items())
            yield index


def engine_search(
    index: PassageIndex,
    policy: AnyPolicy,
    queries: Sequence[SearchQuery],
    judge: Literal["auto"] | None = "auto",
) -> Search:
    """Make a search function for ``evaluate`` that searches for ``queries`` only.

    Args:
        index: holds the data set's documents.
        policy: a name or an instance.
        queries: texts or expressions, in the order of the data set's queries.
        judge: the engine's judge.
    """
    engine = Engine(index, policy, judge=judge)

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        del texts
        hit_lists = engine.search_many(queries, k)
        return [[(hit.passage.id, hit.score) for hit in hits] for hits in hit_lists]

    return search


def evaluate_policy(
    dataset: Dataset,
    index: PassageIndex,
    policy: AnyPolicy,
    *,
    label: str = "",
    depth: int = DEPTH,
    seed: int = 0,
) -> EvaluationResult:
    """Measure all metrics for the engine's lists under a policy, without a judge."""
    search = engine_search(index, policy, [query.text for query in dataset.queries], judge=None)
    return evaluate(dataset, search, depth, policy=label, seed=seed)


def bm25_search(dataset: Dataset) -> Search:
    """Make a search function for ``evaluate`` from the ``bm25s`` library with its defaults."""
    try:
        import bm25s
    except ModuleNotFoundError as error:
        raise MissingExtraError("bm25s", "dev") from error
    ids = list(dataset.documents)
    retriever = bm25s.BM25()
    retriever.index(
        bm25s.tokenize(list(dataset.documents.values()), show_progress=False), show_progress=False
    )

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        tokens = bm25s.tokenize(list(texts), show_progress=False)
        matches, scores = retriever.retrieve(tokens, k=min(k, len(ids)), show_progress=False)
        return [
            [(ids[place], float(score)) for place, score in zip(*row, strict=True)]
            for row in zip(matches, scores, strict=True)
        ]

    return search


def query_templates(queries: Iterable[Query]) -> dict[str, str]:
    """Map query ids to templates, for queries with a template."""
    return {query.id: query.template for query in queries if query.template is not None}

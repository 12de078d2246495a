"""Plain search through the engine against brute force, and against the original model.

python -m benchmarks.exactness [--sets scifact cranfield]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from logic_export.models import find_model

from benchmarks.common.dataset_search import index_dataset
from benchmarks.common.output import cached_encoder, publish
from logic_retrievers import Engine
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Dataset, evaluate, load_dataset
from logic_retrievers.evaluation.metrics import Ranking

DEPTH = 100


def main() -> None:
    """Measure and publish."""
    warnings.simplefilter("ignore", LongTextWarning)  # published figures cut long documents too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["scifact", "cranfield"])
    publish("exactness", [compare(load_dataset(name)) for name in parser.parse_args().sets])


def compare(dataset: Dataset) -> dict[str, object]:
    """One data set: the engine, brute force over the same vectors, and the original model."""
    encoder = cached_encoder()
    with index_dataset(dataset, encoder) as index:
        engine = Engine(index, "topical")
        rankings: list[Ranking] = []

        def through_engine(texts: Sequence[str], k: int) -> list[Ranking]:
            rankings.extend(
                [(hit.passage.id, hit.score) for hit in hits]
                for hits in engine.search_many(texts, k)
            )
            return rankings

        engine_result = evaluate(dataset, through_engine, DEPTH)
    texts = [query.text for query in dataset.queries]
    vectors = encoder.encode_documents(list(dataset.documents.values()), ["topical"])["topical"]
    brute = rank(encoder.encode_queries(texts, ["topical"])["topical"], vectors, dataset)
    original = evaluate(dataset, lambda texts, _: sentence_transformers(dataset, texts), DEPTH)
    ndcg = "nDCG@10"
    return {
        "data set": dataset.name,
        "queries": len(texts),
        "documents": len(dataset.documents),
        "lists equal to brute force": sum(map(is_equal, rankings, brute)),
        "largest difference of a score": max(map(largest_difference, rankings, brute)),
        "nDCG@10": engine_result.metrics[ndcg],
        "original nDCG@10": original.metrics[ndcg],
        "difference": round(engine_result.metrics[ndcg] - original.metrics[ndcg], 5),
    }


def rank(queries: np.ndarray, documents: np.ndarray, dataset: Dataset) -> list[Ranking]:
    """Every query's nearest documents by the full matrix of cosines."""
    ids = list(dataset.documents)
    scores = queries.astype(np.float64) @ documents.astype(np.float64).T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    return [
        [(ids[j], float(row[j])) for j in best] for row, best in zip(scores, order, strict=True)
    ]


def is_equal(engine: Ranking, brute: Ranking) -> bool:
    """Equal lists, up to order among scores that agree to 1e-6."""
    last = brute[-1][1]

    def levels(ranking: Ranking) -> dict[str, float]:
        return {document: score for document, score in ranking if score > last + 2e-6}

    a, b = levels(engine), levels(brute)
    return a.keys() == b.keys() and len(engine) == len(brute)


def largest_difference(engine: Ranking, brute: Ranking) -> float:
    """Between the scores rank by rank."""
    return max(abs(a[1] - b[1]) for a, b in zip(engine, brute, strict=True))


def sentence_transformers(dataset: Dataset, texts: Sequence[str]) -> list[Ranking]:
    """The model that the bundle was made from, in PyTorch."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(find_model("all-minilm-l6-v2"), device="cpu")
    documents = model.encode(list(dataset.documents.values()), normalize_embeddings=True)
    return rank(model.encode(list(texts), normalize_embeddings=True), documents, dataset)


if __name__ == "__main__":
    main()

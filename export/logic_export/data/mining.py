"""Hard negatives: the passages that an encoder takes for what a query asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

import numpy as np
import numpy.typing as npt

from logic_export.data.triplets import Triplet
from logic_retrievers.encoders.base import Encoder, Vectors, check_names
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import ConfigurationError, InputError, MissingExtraError

MOST_ON_GPU = 2048
"""FAISS finds no more neighbours than that on a GPU."""


def mine(
    queries: Sequence[tuple[str, str]],
    passages: Sequence[str],
    encoder: Encoder,
    *,
    vector: str = "topical",
    per_query: int = 1,
    skip: int = 0,
    margin: float = 0.05,
    copy: float = 0.95,
    most: int = 100,
    gpu: bool = False,
) -> list[Triplet]:
    """The passages nearest to each query that are not what it asks for.

    Left out, for they would teach the encoder to push away what it should find:

    - copies of the satisfying passage, and of every other one that the same query has: the same
      words whatever the white space, or a cosine to it above ``copy``;
    - passages that score above the satisfying one by more than ``margin``. Labels are sparse: an
      encoder that puts a passage well above the labelled answer has more often found another
      answer that nobody labelled than made a mistake.

    Both are judged by the encoder, so a passage that differs from the satisfying one by a word such
    as "not" goes as a copy: raise ``copy`` above 1 where such passages are what is looked for.

    Args:
        queries: (query, satisfying passage); one query may come with several.
        passages: to search; copies among them count once.
        encoder: makes the vectors. The satisfying passages need not be among ``passages``.
        vector: the named vector to search with.
        per_query: triplets for each pair at most. A pair none of whose neighbours remains gives
            none.
        skip: how many of the remaining passages, from the nearest, are left out all the same.
        margin: of the score, see above; negative: the mined ones stand below the satisfying one.
        copy: highest cosine to a satisfying passage.
        most: how many of the nearest passages of a query are looked at. Which ones of equal score
            stand last among them is up to FAISS.
        gpu: search on all GPUs.

    Returns:
        In the order of ``queries``, nearest passage first (ties: in the order of ``passages``),
        with the source ``mined``.

    Raises:
        MissingExtraError: FAISS is not installed.
        ConfigurationError: numbers that cannot work, a vector that the encoder does not make, or no
            GPU for FAISS.
        InputError: an empty text, or no passages.
    """
    if per_query < 1 or skip < 0 or most < 1 or math.isnan(margin) or math.isnan(copy):
        raise ConfigurationError(
            "per_query and most must be 1 or more, skip 0 or more, margin and copy numbers."
        )
    check_names([vector], encoder.specs)
    faiss = _load_faiss(most if gpu else None)  # before the vectors, which take the time
    if not queries:
        return []
    asked = check_texts([query for query, _ in queries])
    wanted = check_texts([satisfying for _, satisfying in queries])
    pool = _without_copies(check_texts(passages))
    if not pool:
        raise InputError("There are no passages to mine from. Pass some.")

    texts = list(dict.fromkeys([*pool, *wanted]))  # the pool's rows come first
    row_of = {text: row for row, text in enumerate(texts)}
    vectors = encoder.encode_documents(texts, [vector])[vector]
    satisfying_rows: dict[str, list[int]] = {}
    for query, satisfying in zip(asked, wanted, strict=True):
        satisfying_rows.setdefault(query, []).append(row_of[satisfying])
    query_vectors = encoder.encode_queries(list(satisfying_rows), [vector])[vector]
    near = _nearest(faiss, query_vectors, vectors[: len(pool)], most, gpu)
    neighbours = dict(zip(satisfying_rows, zip(query_vectors, near, strict=True), strict=True))

    found = []
    for query, satisfying in zip(asked, wanted, strict=True):
        query_vector, rows = neighbours[query]
        known = satisfying_rows[query]
        copies = {_words(texts[row]) for row in known}
        rows = np.array([row for row in np.sort(rows) if _words(texts[row]) not in copies], int)
        chosen = choose(
            query_vector,
            vectors[row_of[satisfying]],
            vectors[known],
            vectors[rows],
            margin=margin,
            copy=copy,
        )
        found += [
            Triplet(query, satisfying, texts[row], "mined")
            for row in rows[chosen][skip : skip + per_query]
        ]
    return found


def choose(
    query: Vectors,
    satisfying: Vectors,
    known: Vectors,
    candidates: Vectors,
    *,
    margin: float,
    copy: float,
) -> npt.NDArray[np.intp]:
    """Which candidates may be negatives by their vectors, nearest first; ties in their order.

    ``query`` and ``satisfying`` have shape (dimension,); ``known``, every passage that satisfies
    the query, and ``candidates`` have shape (passages, dimension).
    """
    scores = candidates @ query
    likeness = (candidates @ known.T).max(axis=1)
    allowed = (scores <= satisfying @ query + margin) & (likeness <= copy)
    order = np.argsort(-scores, kind="stable")
    return np.compress(allowed[order], order)


def _nearest(
    faiss: ModuleType, queries: Vectors, passages: Vectors, most: int, gpu: bool
) -> npt.NDArray[np.int64]:
    """Rows of the passages nearest to each query by inner product, compared one by one."""
    index = faiss.IndexFlatIP(passages.shape[1])
    if gpu:
        index = faiss.index_cpu_to_all_gpus(index)
    index.add(np.ascontiguousarray(passages, dtype=np.float32))
    _, rows = index.search(
        np.ascontiguousarray(queries, dtype=np.float32), min(most, len(passages))
    )
    return np.asarray(rows, dtype=np.int64)


def _load_faiss(most_on_gpu: int | None) -> ModuleType:
    try:
        faiss = import_module("faiss")
    except ModuleNotFoundError as error:
        raise MissingExtraError("faiss", "faiss") from error
    if most_on_gpu is None:
        return faiss
    # the build for CPUs has index_cpu_to_all_gpus too, but nothing that it could call
    if not hasattr(faiss, "StandardGpuResources") or not faiss.get_num_gpus():
        raise ConfigurationError(
            "gpu=True needs a GPU and a build of FAISS for it; this one sees none. Leave gpu=True "
            "out: the result is the same."
        )
    if most_on_gpu > MOST_ON_GPU:
        raise ConfigurationError(f"On a GPU, most is {MOST_ON_GPU} or less.")
    return faiss


def _without_copies(texts: Sequence[str]) -> list[str]:
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(_words(text), text)
    return list(first.values())


def _words(text: str) -> str:
    return " ".join(text.split())

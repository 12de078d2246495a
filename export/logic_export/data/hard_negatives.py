"""Hard negatives: passages that an encoder ranks high for a query but that do not answer it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

import numpy as np
import numpy.typing as npt

from logic_export.data.triplets import Triplet
from logic_retrievers.encoders.base import Encoder, Vectors, check_names, clean_texts
from logic_retrievers.errors import ConfigurationError, InputError, MissingExtraError

MAX_NEIGHBOURS_ON_GPU = 2048
"""Most neighbours that FAISS returns on a GPU."""


def mine_hard_negatives(
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
    """The passages nearest to each query that do not answer it.

    Left out, since training on them would push away right answers:

    - near-duplicates of any satisfying passage of the query: equal up to white space, or with a
    cosine
      above ``copy``;
    - passages that score above the satisfying one by more than ``margin``. Labels are sparse: a
      passage ranked well above the labelled answer is more often an unlabelled answer than a
      mistake.

    The encoder decides both, so a passage that differs from the satisfying one by a word such as
    "not" counts as a duplicate: raise ``copy`` above 1 to mine such passages.

    Args:
        queries: (query, satisfying passage); a query may occur with several.
        passages: to search; duplicates count once.
        encoder: makes the vectors. The satisfying passages need not be among ``passages``.
        vector: the named vector to search with.
        per_query: most triplets per pair. A pair without remaining neighbours gives none.
        skip: number of the nearest remaining passages to skip.
        margin: of the score, see above; negative: mined passages score below the satisfying one.
        copy: highest cosine to a satisfying passage.
        most: number of nearest passages considered per query; FAISS breaks ties at the end.
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
    query_texts = clean_texts([query for query, _ in queries])
    satisfying_texts = clean_texts([satisfying for _, satisfying in queries])
    pool = _drop_duplicates(clean_texts(passages))
    if not pool:
        raise InputError("There are no passages to mine from. Pass some.")

    texts = list(dict.fromkeys([*pool, *satisfying_texts]))  # the pool's rows come first
    row_of = {text: row for row, text in enumerate(texts)}
    vectors = encoder.encode_documents(texts, [vector])[vector]
    satisfying_rows: dict[str, list[int]] = {}
    for query, satisfying in zip(query_texts, satisfying_texts, strict=True):
        satisfying_rows.setdefault(query, []).append(row_of[satisfying])
    query_vectors = encoder.encode_queries(list(satisfying_rows), [vector])[vector]
    nearest_rows = _nearest(faiss, query_vectors, vectors[: len(pool)], most, gpu)
    neighbours = dict(
        zip(satisfying_rows, zip(query_vectors, nearest_rows, strict=True), strict=True)
    )

    triplets = []
    for query, satisfying in zip(query_texts, satisfying_texts, strict=True):
        query_vector, rows = neighbours[query]
        satisfying_of_query = satisfying_rows[query]
        duplicates = {_normalise_whitespace(texts[row]) for row in satisfying_of_query}
        rows = np.array(
            [row for row in np.sort(rows) if _normalise_whitespace(texts[row]) not in duplicates],
            int,
        )
        selected = select_negatives(
            query_vector,
            vectors[row_of[satisfying]],
            vectors[satisfying_of_query],
            vectors[rows],
            margin=margin,
            copy=copy,
        )
        triplets += [
            Triplet(query, satisfying, texts[row], "mined")
            for row in rows[selected][skip : skip + per_query]
        ]
    return triplets


def select_negatives(
    query: Vectors,
    satisfying: Vectors,
    all_satisfying: Vectors,
    candidates: Vectors,
    *,
    margin: float,
    copy: float,
) -> npt.NDArray[np.intp]:
    """Rows of the candidates that may be negatives, nearest first; ties in their order.

    ``query`` and ``satisfying`` have shape (dimension,); ``all_satisfying`` (every passage that
    satisfies the query) and ``candidates`` have shape (passages, dimension).
    """
    scores = candidates @ query
    similarity = (candidates @ all_satisfying.T).max(axis=1)
    allowed = (scores <= satisfying @ query + margin) & (similarity <= copy)
    order = np.argsort(-scores, kind="stable")
    return np.compress(allowed[order], order)


def _nearest(
    faiss: ModuleType, queries: Vectors, passages: Vectors, most: int, gpu: bool
) -> npt.NDArray[np.int64]:
    """Rows of the passages nearest to each query by inner product, exact."""
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
    if most_on_gpu > MAX_NEIGHBOURS_ON_GPU:
        raise ConfigurationError(f"On a GPU, most is {MAX_NEIGHBOURS_ON_GPU} or less.")
    return faiss


def _drop_duplicates(texts: Sequence[str]) -> list[str]:
    first: dict[str, str] = {}
    for text in texts:
        first.setdefault(_normalise_whitespace(text), text)
    return list(first.values())


def _normalise_whitespace(text: str) -> str:
    return " ".join(text.split())

"""Set queries over films: the data set, its pool, and the systems that search it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeAlias

import numpy as np
from logic_export.data.sets.films import load_films_table
from logic_export.data.sets.generation import generate_queries, write_set_queries

from benchmarks.common import boolean_baselines
from benchmarks.common.exact_collection import ChoosePolicy, ExactCollection
from benchmarks.report.workbench import Workbench
from logic_retrievers import Atom, BooleanPolicy
from logic_retrievers.encoders import CombinedEncoder
from logic_retrievers.errors import StorageError
from logic_retrievers.evaluation import Dataset, Query, data_folder, load_dataset
from logic_retrievers.evaluation.metrics import Ranking
from logic_retrievers.policies import CompatibilityPolicy, Policy, PolicyRouter, TopicalPolicy
from logic_retrievers.queries import Expression, ParsedQuery

FILMS = "wikipedia_movies"
# Queries per part, without variants; sampled together, because parts must not share atoms.
COUNTS = {"train": 3500, "dev": 350, "test": 2100}

DENSE = ("topical", "compatibility")
HYBRID = (*DENSE, "lexical")
# Ranks the k best films for a query.
Rank: TypeAlias = Callable[[Query, int], Ranking]

BASE = "base encoder"
CONTRASTIVE, LOGICOL = "supervised contrastive", "LogiCoL"
# Encoder -> role of its model.
ROLES = {CONTRASTIVE: "set-contrastive", LOGICOL: "logicol"}
BM25 = "BM25"
ENSEMBLE, SETS = "decompose-then-ensemble", "set operations"
WHOLE_DENSE, WHOLE = "whole query, both vectors", "whole query, hybrid"
OURS, OURS_HYBRID = "ours", "ours, hybrid"
OURS_IN_WORDS = "ours, hybrid, in words"
OVER_LOGICOL = "ours, over LogiCoL"


@dataclass(frozen=True, slots=True)
class FilmPool:
    """Queries over one pool of films.

    Args:
        test_set: test queries, evenly over the templates.
        all_queries: test queries and variants (the same atoms under different operators).
    """

    test_set: Dataset
    all_queries: Dataset


def film_sets(folder: Path) -> Path:
    """Build the set queries over films in ``folder`` unless it exists; return ``folder``."""
    if folder.exists():
        return folder
    table = load_films_table(data_folder() / FILMS)
    parts = generate_queries(table, COUNTS, seed=0, variants=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Build elsewhere first: half of a data set must not pass for a whole one.
        with TemporaryDirectory(dir=folder.parent) as new_folder:
            write_set_queries(Path(new_folder) / "sets", table.items, parts)
            (Path(new_folder) / "sets").replace(folder)
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    return folder


def film_pool(folder: Path, queries: int, documents: int, seed: int = 0) -> FilmPool:
    """Load ``queries`` test queries and variants, over ``documents`` films or more if possible.

    The pool holds the films labelled for these queries, and random others.
    """
    test_set, variants = (load_dataset(folder, part) for part in ("test", "test_variants"))
    chosen = spread_evenly(test_set.queries, queries)
    groups = {query.group for query in chosen}
    same = tuple(query for query in variants.queries if query.group in groups)
    labelled = {name for q in (*chosen, *same) for name in (*q.grades, *q.violating, *q.neutral)}
    others = [name for name in test_set.documents if name not in labelled]
    more = min(len(others), max(0, documents - len(labelled)))
    names = labelled.union(Random(seed).sample(others, more))
    pool = {name: text for name, text in test_set.documents.items() if name in names}
    first = replace(test_set, queries=chosen, documents=pool)
    return FilmPool(first, replace(first, queries=(*chosen, *same)))


def spread_evenly(queries: tuple[Query, ...], count: int) -> tuple[Query, ...]:
    """Pick ``count`` queries at equal distances, or all if there are fewer."""
    places = np.arange(count) * len(queries) // count if count < len(queries) else None
    return queries if places is None else tuple(queries[place] for place in places)


def gold(query: Query) -> Expression:
    """Return the gold expression of a query."""
    assert query.expression is not None
    return query.expression


def single_vector(vector: str) -> ChoosePolicy:
    """Search one vector for the whole query."""
    policy = TopicalPolicy() if vector == "topical" else CompatibilityPolicy()
    return lambda _: policy


def gold_expression(
    router: PolicyRouter | None = None, vectors: Sequence[str] = DENSE
) -> ChoosePolicy:
    """Route the gold expression by a policy router, by default the package's."""
    chosen = router or BooleanPolicy()
    return lambda query: chosen.route(ParsedQuery.stating(gold(query)), vectors)


def parsed_query(vectors: Sequence[str]) -> ChoosePolicy:
    """Route the parsed expression, or the whole query if there is none."""
    policy = BooleanPolicy()

    def choose(query: Query) -> Policy:
        parsed = policy.parser.parse(query.text).with_expression()
        if parsed.expression is None:
            parsed = ParsedQuery.stating(Atom(query.text))
        return policy.route(parsed, vectors)

    return choose


def whole_query(vectors: Sequence[str]) -> ChoosePolicy:
    """Route the whole query as one atom, with the same vectors and weights."""
    return lambda query: BooleanPolicy().route(ParsedQuery.stating(Atom(query.text)), vectors)


# Systems over the shipped vectors.
RULES: dict[str, ChoosePolicy] = {
    "shipped compatibility vector": single_vector("compatibility"),
    WHOLE_DENSE: whole_query(DENSE),
    WHOLE: whole_query(HYBRID),
    ENSEMBLE: gold_expression(boolean_baselines.ENSEMBLE),
    SETS: gold_expression(boolean_baselines.SETS),
    OURS: gold_expression(),
    OURS_HYBRID: gold_expression(vectors=HYBRID),
    OURS_IN_WORDS: parsed_query(HYBRID),
}


def corpora(bench: Workbench, documents: Mapping[str, str]) -> dict[str, ExactCollection]:
    """Map encoders to pools of their vectors; trained encoders make ``compatibility``."""
    collections = {BASE: ExactCollection(documents, bench.encoder)}
    for name, role in ROLES.items():
        trained = bench.trained(role)
        if trained is not None:
            bench.log(f"films in the vectors of {name}")
            parts = [
                (bench.encoder, {"topical": "topical"}),
                (trained, {"topical": "compatibility"}),
            ]
            collections[name] = ExactCollection(documents, CombinedEncoder(parts))
    return collections


def vector_of(encoder: str) -> str:
    """Name the vector that an encoder makes in its pool."""
    return "topical" if encoder == BASE else "compatibility"


def rankings(corpora: Mapping[str, ExactCollection]) -> dict[str, Rank]:
    """Return system -> ranking function."""
    chosen: dict[str, tuple[ExactCollection, ChoosePolicy]] = {
        name: (corpus, single_vector(vector_of(name))) for name, corpus in corpora.items()
    }
    chosen |= {name: (corpora[BASE], choose) for name, choose in RULES.items()}
    if LOGICOL in corpora:
        chosen[OVER_LOGICOL] = corpora[LOGICOL], gold_expression()
    return {name: partial(_rank, *how) for name, how in chosen.items()}


def _rank(corpus: ExactCollection, choose: ChoosePolicy, query: Query, k: int) -> Ranking:
    return corpus.search(choose(query), query.text, k)

"""Systems for set queries: a vector and the whole query, or an expression and a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from benchmarks.common import boolean_baselines
from benchmarks.common.exact_collection import ChoosePolicy, ExactCollection
from benchmarks.reproduction.studies.sets.pool import gold
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers import Atom, BooleanPolicy
from logic_retrievers.encoders import CombinedEncoder, Encoder
from logic_retrievers.evaluation import Query
from logic_retrievers.evaluation.metrics import Ranking
from logic_retrievers.policies import CompatibilityPolicy, Policy, PolicyRouter, TopicalPolicy
from logic_retrievers.queries import ParsedQuery

TRAINED = ("topical", "compatibility")
HYBRID = (*TRAINED, "lexical")
Rank: TypeAlias = Callable[[Query, int], Ranking]
"""Ranks the k best films for a query."""

BASE = "base encoder"
CONTRASTIVE, LOGICOL = "supervised contrastive", "LogiCoL"
ROLES = {CONTRASTIVE: "set-contrastive", LOGICOL: "logicol"}
"""Encoder -> the role of its model."""
BM25 = "BM25"
ENSEMBLE, SETS = "decompose-then-ensemble", "set operations"
WHOLE_DENSE, WHOLE = "whole query, both vectors", "whole query, hybrid"
OURS, OURS_HYBRID = "ours", "ours, hybrid"
OURS_IN_WORDS = "ours, hybrid, in words"
OVER_LOGICOL = "ours, over LogiCoL"


def single_vector(vector: str) -> ChoosePolicy:
    """Searches for the whole query on one vector."""
    policy = TopicalPolicy() if vector == "topical" else CompatibilityPolicy()
    return lambda _: policy


def gold_expression(
    router: PolicyRouter | None = None, vectors: Sequence[str] = TRAINED
) -> ChoosePolicy:
    """Searches for the gold expression under a policy router, by default the package's."""
    chosen = router or BooleanPolicy()
    return lambda query: chosen.route(ParsedQuery.stating(gold(query)), vectors)


def parsed_query(vectors: Sequence[str]) -> ChoosePolicy:
    """Searches for the parsed expression; for the whole query if there is none."""
    policy = BooleanPolicy()

    def choose(query: Query) -> Policy:
        parsed = policy.parser.parse(query.text)
        if parsed.expression is None:
            parsed = ParsedQuery.stating(Atom(query.text))
        return policy.route(parsed, vectors)

    return choose


def whole_query(vectors: Sequence[str]) -> ChoosePolicy:
    """Searches for the whole query as one atom, with the same vectors and weights."""
    return lambda query: BooleanPolicy().route(ParsedQuery.stating(Atom(query.text)), vectors)


RULES: dict[str, ChoosePolicy] = {
    "shipped compatibility vector": single_vector("compatibility"),
    WHOLE_DENSE: whole_query(TRAINED),
    WHOLE: whole_query(HYBRID),
    ENSEMBLE: gold_expression(boolean_baselines.ENSEMBLE),
    SETS: gold_expression(boolean_baselines.SETS),
    OURS: gold_expression(),
    OURS_HYBRID: gold_expression(vectors=HYBRID),
    OURS_IN_WORDS: parsed_query(HYBRID),
}
"""Systems over the shipped vectors."""


def corpora(bench: Workbench, documents: Mapping[str, str]) -> dict[str, ExactCollection]:
    """Encoder -> the pool with its vectors; those of a trained encoder are ``compatibility``."""
    collections = {BASE: ExactCollection(documents, bench.encoder)}
    for name, role in ROLES.items():
        trained = bench.trained(role)
        if trained is not None:
            bench.log(f"films in the vectors of {name}")
            collections[name] = ExactCollection(documents, join_encoders(bench.encoder, trained))
    return collections


def join_encoders(shipped: Encoder, trained: Encoder) -> CombinedEncoder:
    """The shipped topical vector, and a trained one as ``compatibility``."""
    return CombinedEncoder(
        [(shipped, {"topical": "topical"}), (trained, {"topical": "compatibility"})]
    )


def vector_of(encoder: str) -> str:
    """Name of the vector of an encoder in its pool."""
    return "topical" if encoder == BASE else "compatibility"


def rankings(corpora: Mapping[str, ExactCollection]) -> dict[str, Rank]:
    """System -> its ranking function."""
    chosen: dict[str, tuple[ExactCollection, ChoosePolicy]] = {
        name: (corpus, single_vector(vector_of(name))) for name, corpus in corpora.items()
    }
    chosen |= {name: (corpora[BASE], choose) for name, choose in RULES.items()}
    if LOGICOL in corpora:
        chosen[OVER_LOGICOL] = corpora[LOGICOL], gold_expression()
    return {name: partial(_rank, *how) for name, how in chosen.items()}


def _rank(corpus: ExactCollection, choose: ChoosePolicy, query: Query, k: int) -> Ranking:
    return corpus.search(choose(query), query.text, k)

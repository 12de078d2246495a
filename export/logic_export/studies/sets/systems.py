"""What answers set queries: a vector and the whole query, or an expression and a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from logic_export.studies.sets.pool import gold
from logic_retrievers import Atom, BooleanPolicy, BooleanSettings
from logic_retrievers.encoders import CombinedEncoder, Encoder
from logic_retrievers.evaluation import Query
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.policies import CompatibilityPolicy, Policy, TopicalPolicy
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.report.exhaustive import Choose, Exhaustive
from logic_retrievers.report.workbench import Workbench

TRAINED = ("topical", "compatibility")
HYBRID = (*TRAINED, "lexical")
Rank: TypeAlias = Callable[[Query, int], Ranking]
"""A query's list of so many."""

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


def alone(vector: str) -> Choose:
    """The whole query, on one vector."""
    policy = TopicalPolicy() if vector == "topical" else CompatibilityPolicy()
    return lambda _: policy


def stated(settings: BooleanSettings | None = None, vectors: Sequence[str] = TRAINED) -> Choose:
    """The gold expression, combined so."""
    policy = BooleanPolicy(settings=settings or BooleanSettings())
    return lambda query: policy.choose(ParsedQuery.stating(gold(query)), vectors)


def in_words(vectors: Sequence[str]) -> Choose:
    """What the parser reads; the whole query, on the same vectors, where it reads nothing."""
    policy = BooleanPolicy()

    def choose(query: Query) -> Policy:
        parsed = policy.parser.parse(query.text)
        if parsed.expression is None:
            parsed = ParsedQuery.stating(Atom(query.text))
        return policy.choose(parsed, vectors)

    return choose


def whole(vectors: Sequence[str]) -> Choose:
    """The whole query as one atom: the same vectors and weights, and no logic."""
    return lambda query: BooleanPolicy().choose(ParsedQuery.stating(Atom(query.text)), vectors)


RULES: dict[str, Choose] = {
    "shipped compatibility vector": alone("compatibility"),
    WHOLE_DENSE: whole(TRAINED),
    WHOLE: whole(HYBRID),
    ENSEMBLE: stated(BooleanSettings(combination="ensemble")),
    SETS: stated(BooleanSettings(combination="sets")),
    OURS: stated(),
    OURS_HYBRID: stated(vectors=HYBRID),
    OURS_IN_WORDS: in_words(HYBRID),
}
"""What runs over the shipped vectors."""


def corpora(bench: Workbench, documents: Mapping[str, str]) -> dict[str, Exhaustive]:
    """Encoder -> the pool with its vectors; a trained one's are ``compatibility``."""
    found = {BASE: Exhaustive(documents, bench.encoder)}
    for name, role in ROLES.items():
        trained = bench.trained(role)
        if trained is not None:
            bench.say(f"films in the vectors of {name}")
            found[name] = Exhaustive(documents, beside(bench.encoder, trained))
    return found


def beside(shipped: Encoder, trained: Encoder) -> CombinedEncoder:
    """The shipped topical vector, and a trained one as ``compatibility``."""
    return CombinedEncoder(
        [(shipped, {"topical": "topical"}), (trained, {"topical": "compatibility"})]
    )


def vector_of(encoder: str) -> str:
    """The vector under which the pool of an encoder holds it."""
    return "topical" if encoder == BASE else "compatibility"


def rankings(corpora: Mapping[str, Exhaustive]) -> dict[str, Rank]:
    """System -> how it ranks the films for a query."""
    chosen: dict[str, tuple[Exhaustive, Choose]] = {
        name: (corpus, alone(vector_of(name))) for name, corpus in corpora.items()
    }
    chosen |= {name: (corpora[BASE], choose) for name, choose in RULES.items()}
    if LOGICOL in corpora:
        chosen[OVER_LOGICOL] = corpora[LOGICOL], stated()
    return {name: partial(_ranked, *how) for name, how in chosen.items()}


def _ranked(corpus: Exhaustive, choose: Choose, query: Query, k: int) -> Ranking:
    return corpus.search(choose(query), query.text, k)

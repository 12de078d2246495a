"""Rank candidates for a query that may have a constraint; a judge reads the first ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging.judge import Question
from logic_retrievers.language import ENGLISH, detect_language
from logic_retrievers.overrides import NonNegative, Overrides, Share
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    LEXICAL,
    MOST_JUDGED,
    TOPICAL,
    FieldFilters,
    FilteringPolicy,
    JudgeRequest,
    Ranked,
    hybrid_scores,
)
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.queries.parsed_query import restate
from logic_retrievers.scoring import mixed_cosines, ranking
from logic_retrievers.scoring.fusion import Scores
from logic_retrievers.text import comparable
from logic_retrievers.types import CandidatePool, VectorQuery

# passages nearest to the query; their mean score for an excluded text is the usual one
_NEAREST = 5
# smaller deductions are not reported
_FELT = 0.005


class ConstraintSettings(Overrides):
    """Constants of :class:`ConstraintPolicy`.

    An unset field takes the value of the encoder's bundle, or else the default below.

    Args:
        compatibility_weight: weight of the compatibility cosine in q and x, in [0, 1], if a trained
            compatibility vector exists.
        penalty: factor of ``max(0, x - u)``: how much nearer to an excluded text a passage is than
            passages on the topic usually are.
    """

    compatibility_weight: Share = 0.5
    penalty: NonNegative = 0.4


@dataclass(frozen=True)
class ConstraintPolicy(FilteringPolicy):
    """Ranks one query that may have a constraint; made by :class:`AutoPolicy` or by hand.

    t is a passage's score without the constraint: the topical cosine to the query, or the score of
    :class:`HybridPolicy`. q is the passage's cosine to the query, x its cosine to an excluded text;
    both are means of the topical and the compatibility cosine. u is the mean of x over the five
    other passages with the highest q. g is the probability of a constraint::

        score = (1 - g) * t + g * (q - penalty * max(0, x - u))

    Only the largest penalty over all excluded texts counts. A passage without a compatibility
    vector is scored by its topical one alone. The compatibility vector and the judge read the query
    with its excluded texts repeated: "nut-free cake, without nut". The judge reads the first
    candidates and adds to their scores (:class:`~logic_retrievers.judging.JudgeSettings`).

    Args:
        query: a query whose ``constraint`` is not 0.
        settings: overrides the constants.
        limit: candidates per search; k if larger.
        use_compatibility: whether to use the compatibility vector too; it should be trained.
        use_words: whether to use the lexical vector too.
        field_filters: excluded text -> the pairs (field, value) of a filter that replaces its
            penalty.
        bundle_constants: constants from the encoder's bundle.

    Raises:
        ConfigurationError: the query has no constraint, or a constant is out of its range.
    """

    query: ParsedQuery
    settings: ConstraintSettings | None = None
    limit: int = MOST_JUDGED
    use_compatibility: bool = False
    use_words: bool = False
    field_filters: FieldFilters = field(default_factory=dict)
    bundle_constants: Mapping[str, float] = field(default_factory=dict)
    name: ClassVar[str] = "constraint"

    def __post_init__(self) -> None:
        check_type("query", self.query, ParsedQuery)
        check_type("bundle_constants", self.bundle_constants, Mapping)
        check_count("limit", self.limit)
        check_type("settings", self.settings, ConstraintSettings, type(None))
        self.check_field_filters()
        if not self.query.constraint:
            raise ConfigurationError("this query has no constraint; search with policy 'auto'")
        _ = self.constants  # fails now and not in the middle of a search

    @cached_property
    def constants(self) -> ConstraintSettings:
        known = ConstraintSettings.model_fields.keys()
        # an old bundle may hold constants that the formula no longer has
        shipped = {name: value for name, value in self.bundle_constants.items() if name in known}
        return (self.settings or ConstraintSettings()).over(shipped)

    def judge_request(self, query: str) -> JudgeRequest | None:
        if self.query.excluded and not self._scored_texts:  # filters handle all excluded texts
            return None
        return JudgeRequest(self.question(query), self.query.constraint)

    def question(self, query: str) -> Question:  # noqa: ARG002
        return Question(self._question, self.query.text, self.query.wanted, self._scored_texts)

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        limit = max(self.limit, k)
        queries = [VectorQuery(TOPICAL, TOPICAL, query, limit)]
        if self.use_words:
            queries.append(VectorQuery(LEXICAL, LEXICAL, query, limit))
        queries += [VectorQuery(_excluded(t), TOPICAL, t, 0) for t in self._scored_texts]
        if self._mixes:
            queries.append(VectorQuery(COMPATIBILITY, COMPATIBILITY, self._question, limit))
            queries += [
                VectorQuery(_compatible(_excluded(t)), COMPATIBILITY, t, 0)
                for t in self._scored_texts
            ]
        return tuple(queries)

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        if not pool.ids:
            return []
        topical = np.nan_to_num(pool.scores[TOPICAL], nan=-1.0)
        plain, gate = hybrid_scores(pool)[0] if self.use_words else topical, self.query.constraint
        mixed = self._mixed(pool, TOPICAL, COMPATIBILITY)
        excess = self._excess(pool, mixed)
        violation = excess.max(axis=0, initial=0.0)
        penalty = gate * self.constants.penalty * violation
        scores = (1 - gate) * plain + gate * mixed - penalty
        filtered = [
            f"a filter keeps out {name} {v}" for name, vs in self.must_not.items() for v in vs
        ]
        described = self.query.to_dict()
        ranked = []
        for i in ranking(scores)[:k]:
            losses = gate * self.constants.penalty * excess[:, i]
            texts = [t for t, x in zip(self._scored_texts, losses, strict=True) if x >= _FELT]
            details = {
                "query": {**described},
                "violation": round(float(violation[i]), 6),
                "penalty": round(float(penalty[i]), 6),
                "excluded": texts,
                **({"must_not": dict(self.must_not)} if self.field_filters else {}),
            }
            reason = "; ".join([self._reason(texts, float(mixed[i])), *filtered])
            deduction = float(penalty[i])
            ranked.append(Ranked(int(i), float(scores[i]), True, reason, details, deduction))
        return ranked

    def _excess(self, pool: CandidatePool, mixed: Scores) -> Scores:
        """Return how much nearer than usual each passage is to each text: (texts, pool size)."""
        nearest = ranking(mixed)[: _NEAREST + 1]
        rows = [np.zeros((0, len(pool.ids)))]
        for text in self._scored_texts:
            scores = self._mixed(pool, _excluded(text), _compatible(_excluded(text)))
            usual = np.full(len(scores), scores[nearest[:_NEAREST]].mean())
            if len(nearest) > 1:  # a passage is compared with the others
                others = scores[nearest].sum() - scores[nearest]
                usual[nearest] = others / (len(nearest) - 1)
            rows.append(np.maximum(0, scores - usual)[None])
        return np.concatenate(rows)

    def _mixed(self, pool: CandidatePool, topical: str, compatibility: str) -> Scores:
        if not self._mixes:
            return np.nan_to_num(pool.scores[topical], nan=-1.0)
        share = self.constants.compatibility_weight
        return mixed_cosines(pool.scores[topical], pool.scores[compatibility], share)

    def _reason(self, texts: Sequence[str], mixed: float) -> str:
        if texts:
            return f"moved down: near to {', '.join(texts)}, which the query rules out"
        if self._scored_texts:
            return "nothing ruled out stands out in it"
        cosine = "mean of both cosines" if self._mixes else "topical cosine"
        return f"{cosine} {mixed:.3f}"

    @cached_property
    def _question(self) -> str:
        text, texts = self.query.text, self._scored_texts
        if detect_language(text) in ENGLISH:
            return restate(text, texts)
        # adding "without" makes a short query in a different language look English
        added = [each for each in texts if comparable(each) not in comparable(text)]
        return " -".join([text, *added])

    @property
    def _mixes(self) -> bool:
        return self.use_compatibility and self.constants.compatibility_weight > 0

    @cached_property
    def _scored_texts(self) -> tuple[str, ...]:
        """Excluded texts without a filter, each once, because names of queries must be unique."""
        texts = dict.fromkeys(self.query.excluded)
        return tuple(text for text in texts if text not in self.field_filters)


def _excluded(text: str) -> str:
    return f"excluded: {text}"


def _compatible(name: str) -> str:
    """Name the query that scores the same text by the compatibility vector."""
    return f"{COMPATIBILITY}, {name}"  # a prefix, because an excluded text may end in anything

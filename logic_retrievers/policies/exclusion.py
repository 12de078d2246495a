"""Rank by the wanted text, and move down passages that are about an excluded text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.overrides import NonNegative, Overrides, Share
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    LEXICAL,
    TOPICAL,
    FilteringPolicy,
    JudgeRequest,
    Ranked,
)
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.queries.language import content_words
from logic_retrievers.scoring import mixed_cosines, ranking
from logic_retrievers.scoring.fusion import Scores
from logic_retrievers.types import CandidatePool, VectorQuery

WANTED = "wanted"

# below this violation a passage is said to be moved down "a little"
_CLEAR_VIOLATION = 0.3
# the usual excluded score is the mean over so many passages nearest to the wanted text
_NEAREST = 5
# excluded score minus wanted score, at which a passage is fully about the excluded text
_MARGIN = 0.1
# the pool's best excluded score counts as at least this, so that nothing stands out in a pool in
# which no passage is about the excluded text
_FLOOR = 0.4
# the pool's best lexical score counts as at least this for each content word of a text, because in
# a small corpus one common word must not count as the whole text
_WORD_SCORE = 2.5
_EPSILON = 1e-9
# a property moves the first hit of plain search down to this rank at most, because cosines alone
# cannot tell a passage that waives the property from one that demands it
_LOWEST_RANK = 3


class ExclusionSettings(Overrides):
    """Constants of the exclusion policy.

    A field that is not set has the value of the encoder's bundle, or else the default below.

    Args:
        penalty: largest loss of a passage, in units of a cosine.
        standout_share: violation of a passage that is about the excluded text and has the pool's
            best score for it, in [0, 1].
        mention_share: share of that violation for a passage that is still about the wanted text, in
            [0, 1].
        whole_query_weight: share of the whole query in the score, in [0, 1]; the wanted text has
            the rest.
        standout_threshold: share of the pool's best score for the excluded text from which a
            passage stands out, in [0, 1).
        compatibility_weight: share of the compatibility cosine in every cosine, in [0, 1], if there
            is a trained compatibility vector.
        lexical_weight: share of the words in every score, in [0, 1], if there is a ``lexical``
            vector. The lexical score is divided by the pool's best one, or by 2.5 for each content
            word if that is more.
    """

    penalty: NonNegative = 0.75
    standout_share: Share = 0.8
    mention_share: Share = 0.2
    whole_query_weight: Share = 0.5
    standout_threshold: Annotated[float, Field(ge=0, lt=1)] = 0.7
    compatibility_weight: Share = 0.5
    lexical_weight: Share = 0.2


@dataclass(frozen=True)
class ExclusionPolicy(FilteringPolicy):
    """One query that excludes something, made by :class:`AutoPolicy` or by hand.

    q, w and x are the cosines of a passage to the whole query, the wanted text and an excluded
    text. Each is a weighted mean of the topical cosine, the compatibility cosine (with
    ``use_compatibility``) and the share of words (with ``use_lexical``). Q, W and X are their
    maxima over the pool; X is at least 0.4. The usual score u is the mean of x over the five
    passages nearest to the wanted text::

        confidence = min(1, W / Q) ** 2
        base       = confidence * ((1 - whole_query_weight) * w + whole_query_weight * q)
                     + (1 - confidence) * q
        standout   = clip((x / X - standout_threshold) / (1 - standout_threshold), 0, 1)
        about      = mention_share + (1 - mention_share) * clip((x - w) / 0.1, 0, 1)
        violation  = confidence * clip(standout_share * standout * about + max(0, x - u), 0, 1)
        score      = base - penalty * violation

    The largest violation of all excluded texts counts. A passage loses score for being more
    about the excluded text than passages of the wanted kind usually are, and for standing out in
    the pool. A satisfying passage may name the excluded text, so most of the second loss is for
    passages that are about it rather than about the wanted text.
    If the excluded text is a property of the wanted thing ("a loan without a guarantor"), the right
    passage usually mentions it. Then ``mention_share`` is 0 and u is at least w: only passages
    about the property lose, and the first hit of plain search stays among the first three.
    If the wanted text finds less than the whole query, the excluded texts count less. A passage
    without a compatibility vector is scored by its topical one alone. ``ranking/order.py`` gives
    penalties back for denials and asks the judge; ``ranking/excluded_words.py`` leaves passages out
    for ``hard=True``.

    Args:
        query: a query with ``kind="exclusion"``.
        settings: overrides the constants.
        limit: candidates of each search, for the wanted text and for the whole query (at least k).
        use_compatibility: use the compatibility vector too; it should be trained. A
            ``compatibility_weight`` of 0 saves its encoding.
        field_filters: excluded text -> (field, value) of a filter that replaces its penalty.
        use_lexical: use the ``lexical`` vector too, and search by it.
        bundle_constants: constants from the encoder's bundle.

    Raises:
        ConfigurationError: the query excludes nothing, a setting is out of its range, or a constant
            of the bundle is unknown.
    """

    query: ParsedQuery
    settings: ExclusionSettings | None = None
    limit: int = 100
    use_compatibility: bool = False
    field_filters: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    use_lexical: bool = False
    bundle_constants: Mapping[str, float] = field(default_factory=dict)
    name: ClassVar[str] = "exclusion"

    def __post_init__(self) -> None:
        check_count("limit", self.limit)
        check_type("settings", self.settings, ExclusionSettings, type(None))
        self.check_field_filters()
        if self.query.kind != "exclusion":
            raise ConfigurationError("this query rules nothing out; search with policy 'auto'")
        _ = self.constants  # fails now and not in the middle of a search

    @cached_property
    def constants(self) -> ExclusionSettings:
        return (self.settings or ExclusionSettings()).over(self.bundle_constants)

    def judge_request(self, query: str) -> JudgeRequest | None:
        # excluded texts that the query does not name are added
        if not self._scored_texts:
            return None
        named = [
            text
            for text in self._scored_texts
            if not re.search(rf"(?<!\w){re.escape(text)}(?!\w)", query, re.IGNORECASE)
        ]
        text = f"{query}, except {', '.join(named)}" if named else query
        # a caller's own texts leave nothing to find out
        gate = 1.0 if named or self.query.rule == "caller" else None
        return JudgeRequest(text, gate, has_constraint=True)

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        limit = max(self.limit, k)
        topical = [
            VectorQuery(TOPICAL, TOPICAL, query, limit),
            VectorQuery(WANTED, TOPICAL, self.query.wanted, limit),
            *(VectorQuery(_excluded(text), TOPICAL, text, 0) for text in self._scored_texts),
        ]
        queries = [*topical]
        if self.use_compatibility and self.constants.compatibility_weight > 0:
            queries += [
                VectorQuery(_beside(q.name, COMPATIBILITY), COMPATIBILITY, q.text, 0)
                for q in topical
            ]
        if self._mixes_words:
            queries += [
                VectorQuery(_beside(q.name, LEXICAL), LEXICAL, q.text, q.limit) for q in topical
            ]
        return tuple(queries)

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        if not pool.ids:
            return []
        scores, violation, is_violated = self._scores(pool)
        base = scores + self.constants.penalty * violation
        order = ranking(scores)
        if self.query.reading == "property":
            order, scores = self._bounded_fall(pool, order, scores, base)
        filtered = [f"a filter keeps out {key} {v}" for key, v in self.field_filters.values()]
        described, scored_texts = self.query.to_dict(), self._scored_texts
        ranked = []
        for i in order[:k]:
            texts = [text for text, row in zip(scored_texts, is_violated, strict=True) if row[i]]
            details = {
                "query": {**described},
                "violation": round(float(violation[i]), 6),
                "penalty": round(float(base[i] - scores[i]), 6),
                "excluded": texts,
                **({"must_not": dict(self.must_not)} if self.field_filters else {}),
            }
            reason = "; ".join([_reason(texts, float(violation[i])), *filtered])
            ranked.append(Ranked(int(i), float(scores[i]), True, reason, details))
        return ranked

    def _bounded_fall(
        self, pool: CandidatePool, order: npt.NDArray[np.intp], scores: Scores, base: Scores
    ) -> tuple[npt.NDArray[np.intp], Scores]:
        """Keep the first hit of plain search among the first three; return order and scores."""
        first = ranking(np.nan_to_num(pool.scores[TOPICAL], nan=-1.0))[0]
        if first in order[:_LOWEST_RANK]:
            return order, scores
        others = order[order != first]
        raised = scores.copy()
        raised[first] = min(base[first], scores[others[_LOWEST_RANK - 2]])
        place = max(_LOWEST_RANK - 1, int((scores[others] > raised[first]).sum()))
        return np.insert(others, place, first), raised

    def _scores(self, pool: CandidatePool) -> tuple[Scores, Scores, npt.NDArray[np.bool_]]:
        """Return scores, violations, and which texts move a passage down, (texts, pool size)."""
        c = self.constants
        whole = self._similarity(pool, TOPICAL, self.query.text)
        wanted = self._similarity(pool, WANTED, self.query.wanted)
        # trust the wanted text only as far as it finds as much as the whole query
        coverage = float(wanted.max()) / max(float(whole.max()), _EPSILON)
        confidence = float(np.clip(coverage, 0, 1)) ** 2
        base = confidence * ((1 - c.whole_query_weight) * wanted + c.whole_query_weight * whole)
        base = base + (1 - confidence) * whole
        if not self._scored_texts:
            return base, np.zeros_like(base), np.zeros((0, len(base)), dtype=bool)
        excluded = np.stack([self._similarity(pool, _excluded(t), t) for t in self._scored_texts])
        best = np.maximum(excluded.max(axis=1, keepdims=True), _FLOOR)
        threshold = c.standout_threshold
        standout = np.clip((excluded / best - threshold) / (1 - threshold), 0, 1)
        mention = 0.0 if self.query.reading == "property" else c.mention_share
        about = mention + (1 - mention) * np.clip((excluded - wanted) / _MARGIN, 0, 1)
        usual = excluded[:, ranking(wanted)[:_NEAREST]].mean(axis=1, keepdims=True)
        if self.query.reading == "property":
            usual = np.maximum(usual, wanted)
        excess = np.maximum(0, excluded - usual)
        violations = confidence * np.clip(c.standout_share * standout * about + excess, 0, 1)
        violation = violations.max(axis=0)
        return base - c.penalty * violation, violation, violations > 0

    def _similarity(self, pool: CandidatePool, name: str, text: str) -> Scores:
        """Return the similarity of every passage to a text, words included, (pool size,)."""
        cosines = np.nan_to_num(pool.scores[name], nan=-1.0)
        share = self.constants.compatibility_weight if self.use_compatibility else 0.0
        if share > 0:
            compatibility = pool.scores[_beside(name, COMPATIBILITY)]
            cosines = mixed_cosines(pool.scores[name], compatibility, share)
        if not self._mixes_words:
            return cosines
        words = np.nan_to_num(pool.scores[_beside(name, LEXICAL)])  # no score: no word in common
        least = _WORD_SCORE * len(content_words(text))
        word_share = words / max(float(words.max()), least, _EPSILON)
        weight = self.constants.lexical_weight
        return (1 - weight) * cosines + weight * word_share

    @cached_property
    def _mixes_words(self) -> bool:
        # right passages name a property as often as wrong ones do: "no deposit is taken"
        thing = self.query.reading != "property"
        return self.use_lexical and thing and self.constants.lexical_weight > 0

    @cached_property
    def _scored_texts(self) -> tuple[str, ...]:
        """Excluded texts without a filter, each once, because names of queries must be unique."""
        texts = dict.fromkeys(self.query.excluded)
        return tuple(text for text in texts if text not in self.field_filters)


def _reason(excluded: Sequence[str], violation: float) -> str:
    if not excluded:
        return "nothing ruled out stands out in it"
    degree = "moved down" if violation >= _CLEAR_VIOLATION else "moved down a little"
    return f"{degree}: near to {', '.join(excluded)}, which the query rules out"


def _excluded(text: str) -> str:
    return f"excluded: {text}"


def _beside(name: str, vector: str) -> str:
    """Name the query that scores the same text by another vector."""
    return COMPATIBILITY if (name, vector) == (TOPICAL, COMPATIBILITY) else f"{name} ({vector})"

"""Exclusion: rank by what is wanted, and move down what stands out towards what is ruled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    LEXICAL,
    TOPICAL,
    Policy,
    Ranked,
    check_depth,
    check_share,
    kept_first,
    values_by_field,
)
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.scoring import mixed_cosines, ranking
from logic_retrievers.types import Leaf, Pool

_Scores: TypeAlias = npt.NDArray[np.float64]

TARGET = "target"
Mode: TypeAlias = Literal["soft", "hard"]

_VIOLATES = 0.5
_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class ExclusionSettings:
    """Constants of :class:`ExclusionPolicy`, in units of a cosine; they depend on the encoder.

    Args:
        penalty: the most that a passage can lose: the cap on its fall.
        mention: share of the penalty for a passage that stands out towards the trap but speaks of
            the target all the same, in [0, 1].
        whole_weight: share of the whole query in the score, in [0, 1]; the rest is the target's.
        standout: share of the pool's best trap score from which a passage stands out, in [0, 1).
        floor: that best score counts as this at least: where nothing in the pool is about the trap,
            nothing stands out.
        margin: a passage counts as speaking of the trap from ``trap > target - margin`` on,
        width: and fully so ``width`` above that.
        coverage_low, coverage_high: best target score of the pool over the best whole-query score.
            Below the first the target alone finds nothing, so the exclusion is left unheard; from
            the second on it is heard in full.
        compatibility_weight: share of the compatibility cosine in every cosine, in [0, 1], where
            there is a trained compatibility vector.
        lexical_weight: share of the words beside these, in [0, 1], where there is a ``lexical``
            vector: the lexical score over the best one of the pool, for each text.

    Raises:
        ConfigurationError: a value out of its range.
    """

    penalty: float = 0.75
    mention: float = 0.2
    whole_weight: float = 0.6
    standout: float = 0.7
    floor: float = 0.5
    margin: float = 0.1
    width: float = 0.2
    coverage_low: float = 0.6
    coverage_high: float = 0.9
    compatibility_weight: float = 0.3
    lexical_weight: float = 0.3

    def __post_init__(self) -> None:
        check_share("whole_weight", self.whole_weight)
        check_share("compatibility_weight", self.compatibility_weight)
        check_share("lexical_weight", self.lexical_weight)
        check_share("mention", self.mention)
        if self.penalty < 0 or min(self.width, self.floor) <= 0 or not 0 <= self.standout < 1:
            raise ConfigurationError(
                "penalty must be at least 0, width and floor more than 0, standout at least 0 and "
                f"under 1; not {self.penalty}, {self.width}, {self.floor}, {self.standout}"
            )
        if not self.coverage_low < self.coverage_high:
            raise ConfigurationError("coverage_low must be less than coverage_high")

    @classmethod
    def from_constants(cls, constants: Mapping[str, float]) -> ExclusionSettings:
        """Settings from a bundle's manifest.

        Raises:
            ConfigurationError: a name that is no setting.
        """
        known = {setting.name for setting in fields(cls)}
        if unknown := sorted(set(constants) - known):
            raise ConfigurationError(
                f"the bundle has constants for exclusion that this version does not know: "
                f"{', '.join(unknown)}; update logic-retrievers"
            )
        return cls(**constants)


@dataclass(frozen=True)
class ExclusionPolicy(Policy):
    """One query with traps, made by :class:`AutoPolicy` or by hand.

    With the cosines of a passage to the whole query (q), the target (t) and the nearest trap (x),
    each the mean of the topical and, with ``compatible``, the compatibility cosine, weighted by
    ``compatibility_weight``, and with ``lexical`` the words' share beside them; their maxima over
    the pool (Q, T, X), and X no less than ``floor``::

        heard     = clip((T / Q - coverage_low) / (coverage_high - coverage_low), 0, 1)
        wanted    = heard * ((1 - whole_weight) * t + whole_weight * q) + (1 - heard) * q
        stands    = clip((x / X - standout) / (1 - standout), 0, 1)
        speaks    = clip((x - t + margin) / width, 0, 1)
        violation = heard * stands * (mention + (1 - mention) * speaks)
        score     = wanted - penalty * violation

    A satisfying passage may well name what is ruled out; so the full penalty is for passages that
    both stand out in the pool towards the trap and speak of the trap rather than of the target. A
    passage without a compatibility vector is judged by its topical one alone.

    Args:
        query: with ``kind="exclusion"``.
        settings: constants.
        mode: ``soft`` moves violating passages down by their violation; ``hard`` puts those with a
            violation of a half or more behind all others.
        depth: candidates of each search, for the target and for the whole query (at least k).
        cut: with ``hard``, leave them out.
        compatible: use the compatibility vector too; it should be trained. With a
            ``compatibility_weight`` of 0 it is not searched for either, which halves the encoding.
        filtered: traps that a filter keeps out, by the field and its value: they cost no score.
        lexical: use the ``lexical`` vector too, and search by it.

    Raises:
        ConfigurationError: the query rules nothing out, or a setting is out of its range.
    """

    query: ParsedQuery
    settings: ExclusionSettings = ExclusionSettings()
    mode: Mode = "soft"
    depth: int = 100
    cut: bool = False
    compatible: bool = False
    filtered: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    lexical: bool = False
    name: ClassVar[str] = "exclusion"

    def __post_init__(self) -> None:
        check_depth(self.depth)
        check_mode(self.mode, cut=self.cut)
        if self.query.kind != "exclusion":
            raise ConfigurationError("this query rules nothing out; search with policy 'auto'")

    @property
    def must_not(self) -> Mapping[str, list[Any]]:
        """Metadata values that no hit may have."""
        return values_by_field(self.filtered.values())

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """Searches for the whole query and for the target; the traps only score."""
        depth = max(self.depth, k)
        leaves = [
            Leaf(TOPICAL, TOPICAL, query, depth),
            Leaf(TARGET, TOPICAL, self.query.target, depth),
            *(Leaf(_leaf(trap), TOPICAL, trap, 0) for trap in self._scored_traps),
        ]
        beside = []
        if self._mixes:
            beside += [Leaf(_beside(one.name), COMPATIBILITY, one.text, 0) for one in leaves]
        if self._reads_words:
            beside += [Leaf(_words(one.name), LEXICAL, one.text, one.depth) for one in leaves]
        return (*leaves, *beside)

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        """By score; in hard mode violating passages behind the others."""
        if not pool.ids:
            return []
        scores, violation, spoken = self._scores(pool)
        order, kept = ranking(scores), violation < _VIOLATES
        if self.mode == "hard":
            order = kept_first(order, kept, cut=self.cut)
        named = [[t for t, s in zip(self._scored_traps, of, strict=True) if s] for of in spoken.T]
        return [
            Ranked(
                int(i),
                float(scores[i]),
                self.mode == "soft" or bool(kept[i]),
                _reason(named[i], float(violation[i])),
                {
                    "query": self.query.to_dict(),
                    "violation": round(float(violation[i]), 6),
                    "penalty": round(self.settings.penalty * float(violation[i]), 6),
                    "traps": named[i],
                    **({"must_not": dict(self.must_not)} if self.filtered else {}),
                },
            )
            for i in order[:k]
        ]

    def _scores(self, pool: Pool) -> tuple[_Scores, _Scores, npt.NDArray[np.bool_]]:
        """Scores, violations, and which traps move a passage down, shape (traps, pool size)."""
        s = self.settings
        whole, target = (self._similarity(pool, name) for name in (TOPICAL, TARGET))
        found = float(target.max()) / max(float(whole.max()), _LEAST)
        heard = np.clip((found - s.coverage_low) / (s.coverage_high - s.coverage_low), 0, 1)
        wanted = heard * ((1 - s.whole_weight) * target + s.whole_weight * whole)
        wanted = wanted + (1 - heard) * whole
        violation = np.zeros_like(wanted)
        spoken = np.zeros((len(self._scored_traps), len(wanted)), dtype=bool)
        if self._scored_traps:
            traps = np.stack([self._similarity(pool, _leaf(trap)) for trap in self._scored_traps])
            best = np.maximum(traps.max(axis=1, keepdims=True), s.floor)
            stands = np.clip((traps / best - s.standout) / (1 - s.standout), 0, 1)
            speaks = np.clip((traps.max(axis=0) - target + s.margin) / s.width, 0, 1)
            violation = heard * stands.max(axis=0) * (s.mention + (1 - s.mention) * speaks)
            spoken = (stands > 0) & (violation > 0)
        return wanted - s.penalty * violation, violation, spoken

    def _similarity(self, pool: Pool, name: str) -> _Scores:
        """Of every passage to one of the texts, words included, shape (pool size,)."""
        cosines = self._cosines(pool, name)
        if not self._reads_words:
            return cosines
        words = np.nan_to_num(pool.scores[_words(name)])  # no score: no word in common
        weight = self.settings.lexical_weight
        return (1 - weight) * cosines + weight * words / max(float(words.max()), _LEAST)

    def _cosines(self, pool: Pool, name: str) -> _Scores:
        """Of every passage to one of the texts, shape (pool size,)."""
        topical = pool.scores[name]
        if not self._mixes:
            return np.nan_to_num(topical, nan=-1.0)
        beside = pool.scores[_beside(name)]
        return mixed_cosines(topical, beside, self.settings.compatibility_weight)

    @property
    def _mixes(self) -> bool:
        return self.compatible and self.settings.compatibility_weight > 0

    @property
    def _reads_words(self) -> bool:
        return self.lexical and self.settings.lexical_weight > 0

    @property
    def _scored_traps(self) -> tuple[str, ...]:
        traps = dict.fromkeys(self.query.traps)  # two leaves of one name would be refused
        return tuple(trap for trap in traps if trap not in self.filtered)


def _reason(traps: Sequence[str], violation: float) -> str:
    if not traps:
        return "nothing ruled out stands out in it"
    degree = "moved down" if violation >= _VIOLATES else "moved down a little"
    return f"{degree}: speaks of {', '.join(traps)}, which the query rules out"


def check_mode(mode: str, *, cut: bool) -> None:
    """Refuses an unknown mode, and a cut without the mode that it needs."""
    if mode not in get_args(Mode):
        raise ConfigurationError(f"mode is one of {', '.join(get_args(Mode))}, not {mode!r}")
    if cut and mode != "hard":
        raise ConfigurationError("cut leaves out what mode='hard' finds; set that mode too")


def _leaf(trap: str) -> str:
    return f"trap: {trap}"


def _words(leaf: str) -> str:
    """The leaf that scores the same text by its words."""
    return f"{leaf} ({LEXICAL})"


def _beside(leaf: str) -> str:
    """The leaf that scores the same text by the compatibility vector."""
    return COMPATIBILITY if leaf == TOPICAL else f"{leaf} ({COMPATIBILITY})"

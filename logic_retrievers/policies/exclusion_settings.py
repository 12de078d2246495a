"""Settings of the exclusion policy: its constants, their ranges, and overrides of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logic_retrievers.settings import SHARE, CheckedConstants, Interval, PartialSettings, constant


@dataclass(frozen=True, slots=True)
class ExclusionConstants(CheckedConstants):
    """What :class:`ExclusionPolicy` calculates with; :class:`ExclusionSettings` explains each.

    The defaults stand in for what a bundle does not name.

    Raises:
        ConfigurationError: a value out of its range.
    """

    penalty: float = constant(Interval(low=0), 0.75)
    standout_share: float = constant(SHARE, 0.8)
    mention_share: float = constant(SHARE, 0.2)
    whole_query_weight: float = constant(SHARE, 0.5)
    standout_threshold: float = constant(Interval(0, 1, without_high=True), 0.7)
    compatibility_weight: float = constant(SHARE, 0.5)
    lexical_weight: float = constant(SHARE, 0.2)


@dataclass(frozen=True, slots=True)
class ExclusionSettings(PartialSettings):
    """Overrides of the exclusion policy's constants; None keeps the value of the encoder's bundle.

    Args:
        penalty: the most that the score of a passage can lose, in units of a cosine.
        standout_share: violation of a passage that stands out most in the pool towards the excluded
            text and is about it, in [0, 1].
        mention_share: what remains of that for a passage that is still about the wanted text, in
            [0, 1].
        whole_query_weight: share of the whole query in the score, in [0, 1]; the rest is the wanted
            text's.
        standout_threshold: share of the pool's best score for the excluded text from which a
            passage stands out, in [0, 1).
        compatibility_weight: share of the compatibility cosine in every cosine, in [0, 1], where
            there is a trained compatibility vector.
        lexical_weight: share of the words beside these, in [0, 1], where there is a ``lexical``
            vector: for each text the lexical score over the best one of the pool, or over 2.5 for
            each of its content words where that is more.

    Raises:
        ConfigurationError: a value out of its range.
    """

    constants_class: ClassVar = ExclusionConstants

    penalty: float | None = None
    standout_share: float | None = None
    mention_share: float | None = None
    whole_query_weight: float | None = None
    standout_threshold: float | None = None
    compatibility_weight: float | None = None
    lexical_weight: float | None = None

"""How much a judge's word counts in a ranking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.judge import BundledJudge, QueryJudge
from logic_retrievers.settings import (
    SHARE,
    CheckedConstants,
    Interval,
    PartialSettings,
    constant,
    merged,
)

Constraint: TypeAlias = Literal["thing", "property", "negated_fact"]
"""What a query demands, as a judge's weights know it."""


@dataclass(frozen=True, slots=True)
class JudgeConstants(CheckedConstants):
    """The weights of a judge; :class:`JudgeSettings` explains each.

    The defaults stand in for what a bundle does not name, and are those of a judge of your own.

    Raises:
        ConfigurationError: a value out of its range.
    """

    candidates: int = constant(Interval(1, 1000), 20)
    thing_weight: float = constant(Interval(low=0), 0.2)
    property_weight: float = constant(Interval(low=0), 0.1)
    negated_fact_weight: float = constant(Interval(low=0), 0.2)
    thing_penalty_share: float = constant(SHARE, 0.5)
    property_penalty_share: float = constant(SHARE, 0.0)

    def __post_init__(self) -> None:
        CheckedConstants.__post_init__(self)
        _check_whole(self.candidates)
        object.__setattr__(self, "candidates", int(self.candidates))  # a manifest has 20.0

    def weight(self, constraint: Constraint) -> float:
        """What a margin of 1 adds to a score, for a constraint of this kind."""
        return float(getattr(self, f"{constraint}_weight"))

    def penalty_share(self, constraint: Constraint) -> float:
        """What remains of the policy's own penalty once a candidate is judged."""
        return float(getattr(self, f"{constraint}_penalty_share", 1.0))


@dataclass(frozen=True, slots=True)
class JudgeSettings(PartialSettings):
    """A judge with settings of your own; None keeps what the judge's bundle ships.

    Args:
        judge: reads (passage, query) pairs; the one of the default bundle where None.
        candidates: how many of a query's first candidates it reads.
        thing_weight, property_weight, negated_fact_weight: what is added to the score of a
            candidate whose margin (satisfies less violates) is 1, by what the query demands; it is
            the unit of a cosine.
        thing_penalty_share, property_penalty_share: what remains of the exclusion policy's own
            penalty for a candidate that is judged, in [0, 1].

    Raises:
        ConfigurationError: a value out of its range, or a judge that cannot be called.
    """

    constants_class: ClassVar = JudgeConstants

    judge: QueryJudge | None = field(default=None, repr=False)  # it may hold a key
    candidates: int | None = None
    thing_weight: float | None = None
    property_weight: float | None = None
    negated_fact_weight: float | None = None
    thing_penalty_share: float | None = None
    property_penalty_share: float | None = None

    def __post_init__(self) -> None:
        if self.judge is not None and not callable(self.judge):
            raise ConfigurationError("judge must be callable; see QueryJudge")
        PartialSettings.__post_init__(self)
        _check_whole(self.candidates)

    def overrides(self) -> dict[str, Any]:
        """The constants that are not None, by name."""
        values = PartialSettings.overrides(self)
        values.pop("judge", None)
        return values


def _check_whole(candidates: float | None) -> None:
    if candidates is not None and candidates != int(candidates):
        raise ConfigurationError(f"candidates must be a whole number, not {shown(candidates)}")


AnyJudge: TypeAlias = Literal["auto"] | QueryJudge | JudgeSettings | None
"""``auto``: the judge of the default bundle, if it has one. None: no judge."""


@dataclass(frozen=True, slots=True)
class WeightedJudge:
    """A judge ready to be asked, and its weights."""

    judge: QueryJudge
    constants: JudgeConstants


def check_any_judge(judge: Any) -> None:
    """Refuses what is no judge.

    Raises:
        ConfigurationError: neither ``"auto"`` nor None, a callable or settings.
    """
    known = (
        judge is None
        or (isinstance(judge, str) and judge == "auto")
        or isinstance(judge, JudgeSettings)
    )
    if not known and not callable(judge):
        raise ConfigurationError(
            f"judge is 'auto', None, a callable (see QueryJudge) or JudgeSettings, not"
            f" {shown(judge)}"
        )


def resolve_judge(judge: AnyJudge) -> Operation[WeightedJudge | None]:
    """The judge to ask; loads the default bundle's the first time it is needed.

    Raises:
        BundleError: the default bundle's judge cannot be loaded.
        ConfigurationError: settings for the default bundle's judge, which it has not.
    """
    if judge is None:
        return None
    settings = judge if isinstance(judge, JudgeSettings) else JudgeSettings()
    function = settings.judge if isinstance(judge, JudgeSettings | str) else judge
    if function is None:
        from logic_retrievers.judging.onnx import default_judge

        function = yield Compute(default_judge)
        if function is None and isinstance(judge, JudgeSettings):
            raise ConfigurationError(
                "these JudgeSettings name no judge, and the bundle that comes with the package has "
                "none; pass JudgeSettings(judge=...)"
            )
        if function is None:
            return None
    constants = function.constants if isinstance(function, BundledJudge) else None
    return WeightedJudge(function, merged(JudgeConstants, settings, constants))

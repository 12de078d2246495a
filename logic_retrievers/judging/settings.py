"""The weight of a judge in a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, InstanceOf

from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.judge import BundledJudge, QueryJudge
from logic_retrievers.overrides import NonNegative, Overrides


def _whole(number: Any) -> Any:
    """Convert a manifest's whole floats (20.0 candidates) and a user's NumPy integers."""
    is_whole = isinstance(number, float) and number.is_integer()
    is_numpy = isinstance(number, Integral) and not isinstance(number, bool)
    return int(number) if is_whole or is_numpy else number


class JudgeSettings(Overrides):
    """A judge and the weight of its verdicts.

    A candidate that the judge reads gains::

        gate * (satisfies_weight * P(satisfies) - violates_weight * P(violates))

    The gate is the probability that the query has a constraint
    (:class:`~logic_retrievers.judging.OnnxConstraint`). The policy ``judge`` uses no weight.

    An unset field takes the value of the judge's bundle, or else the default below.

    Args:
        judge: reads (passage, query) pairs; None means the default bundle's judge.
        candidates: number of first candidates that the judge reads; fewer if the searches find
            fewer. Each vector's search finds up to the policy's ``limit`` (100), or k if larger.
        satisfies_weight: gain of a passage that certainly satisfies the query, at a gate of 1, in
            units of a cosine.
        violates_weight: deduction for a passage that certainly violates the query, at a gate of 1,
            in units of a cosine.

    Raises:
        ConfigurationError: a value is out of its range, or the judge cannot be called.
    """

    judge: InstanceOf[QueryJudge] | None = Field(default=None, exclude=True)  # may hold a key
    candidates: Annotated[int, Field(ge=1, le=1000), BeforeValidator(_whole)] = 20
    satisfies_weight: NonNegative = 0.5
    violates_weight: NonNegative = 0.2


# "auto": the default bundle's judge, if any; None: no judge
AnyJudge: TypeAlias = Literal["auto"] | QueryJudge | JudgeSettings | None


@dataclass(frozen=True, slots=True)
class WeightedJudge:
    """A judge and its weights."""

    judge: QueryJudge
    constants: JudgeSettings


def check_any_judge(judge: Any) -> None:
    """Refuse anything but ``"auto"``, None, a callable or settings."""
    is_auto = isinstance(judge, str) and judge == "auto"
    if not (judge is None or is_auto or isinstance(judge, JudgeSettings) or callable(judge)):
        raise ConfigurationError(
            f"judge is 'auto', None, a callable (see QueryJudge) or JudgeSettings, not"
            f" {shown(judge)}"
        )


def resolve_judge(judge: AnyJudge) -> Operation[WeightedJudge | None]:
    """Return the judge to ask; load the default bundle's judge on first use."""
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
    return WeightedJudge(function, settings.over(constants))

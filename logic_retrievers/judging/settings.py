"""How a judge is asked, and its weight in a ranking."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, InstanceOf

from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import ConfigurationError, ReadError, shown
from logic_retrievers.files import write_text
from logic_retrievers.judging.judge import MAX_WORDS, Ask, QueryJudge
from logic_retrievers.judging.model_judge import ModelJudge, judge_from
from logic_retrievers.overrides import NonNegative, Overrides, Share


def _whole(number: Any) -> Any:
    """Convert a manifest's whole floats (20.0 candidates) and a user's NumPy integers."""
    is_whole = isinstance(number, float) and number.is_integer()
    is_numpy = isinstance(number, Integral) and not isinstance(number, bool)
    return int(number) if is_whole or is_numpy else number


class JudgeSettings(Overrides):
    """A judge, how it is asked, and the weight of its verdicts.

    A candidate that the judge reads gains::

        gate * (satisfies_weight * P(satisfies) - violates_weight * P(violates))

    The gate is the probability that the query has a constraint
    (:class:`~logic_retrievers.judging.OnnxConstraint`). The policy ``judge`` uses no weight.

    The scores of a judge that only knows relevance are first stretched to the range of the policy's
    scores for the candidates that it read, before deductions for excluded texts. So the weight does
    not depend on the scale of the scores. A candidate then gains::

        gate * relevance_weight * (stretched score - policy's score before deductions)

    An unset field takes the judge's own value, or else the default below.

    Args:
        judge: reads (passage, query) pairs; None means the default bundle's judge.
        candidates: number of first candidates that the judge reads; fewer if the searches find
            fewer. Each vector's search finds up to the policy's ``limit`` (100), or k if larger.
        satisfies_weight: gain of a passage that certainly satisfies the query, at a gate of 1, in
            units of a cosine.
        violates_weight: deduction for a passage that certainly violates the query, at a gate of 1,
            in units of a cosine.
        relevance_weight: share of the judge's order, at a gate of 1, if it gives scores. For
            a reranker the default is 1.
        ask: ``restated`` asks with the query and its excluded texts repeated, ``query`` with the
            user's words, ``parts`` with these and with each excluded text. The policy ``judge``
            does not read the parts of a query and asks with the user's words.
        max_words: words of a passage that the judge reads; of a longer passage, the sentences
            nearest to the query.
        drop_above: leave out a passage if the gate times its probability of violating is at least
            this; None leaves out none. Ignored for judges that give scores.

    Raises:
        ConfigurationError: a value is out of its range, or the judge cannot be called.
    """

    judge: InstanceOf[QueryJudge] | None = Field(default=None, exclude=True)  # may hold a key
    candidates: Annotated[int, Field(ge=1, le=1000), BeforeValidator(_whole)] = 20
    satisfies_weight: NonNegative = 0.5
    violates_weight: NonNegative = 0.2
    relevance_weight: Share = 0.25
    ask: Ask = "restated"
    max_words: Annotated[int, Field(ge=1, le=10_000), BeforeValidator(_whole)] = MAX_WORDS
    drop_above: Share | None = None

    def __repr_args__(self) -> Any:
        if isinstance(self.judge, ModelJudge):  # the repr of another object may hold a key
            yield "judge", self.judge
        yield from super().__repr_args__()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the settings that are set as JSON, with the judge's description.

        Raises:
            ConfigurationError: the judge cannot be described; see :meth:`ModelJudge.describe`.
            StorageError: the file cannot be written.
        """
        write_text(path, json.dumps(self.describe(), indent=2) + "\n")

    def describe(self) -> dict[str, Any]:
        """Return the settings that are set, in JSON types, with the judge's description.

        Raises:
            ConfigurationError: the judge cannot be described.
        """
        if self.judge is None:
            return self.overrides()
        if not isinstance(self.judge, ModelJudge):
            raise ConfigurationError(
                f"a file cannot hold the judge {shown(self.judge)}; save the settings without it"
            )
        return {"judge": self.judge.describe(), **self.overrides()}

    @classmethod
    def load(cls, path: str | os.PathLike[str], judge: QueryJudge | None = None) -> Self:
        """Read what :meth:`save` or ``logic-retrievers evaluate --fit`` wrote.

        Args:
            path: the file.
            judge: takes the place of the file's judge.

        Raises:
            ReadError: the file cannot be read.
            ConfigurationError: a setting is unknown or out of its range.
        """
        try:
            described = json.loads(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ReadError(f"no judge's settings: {error}", file=os.fspath(path)) from error
        if not isinstance(described, dict):
            raise ReadError("no judge's settings: not a JSON object", file=os.fspath(path))
        try:
            return cls.from_description({**described, **({"judge": judge} if judge else {})})
        except ConfigurationError as error:
            raise ConfigurationError(f"{os.fspath(path)}: {error}") from error

    @classmethod
    def from_description(cls, description: Any) -> Self:
        """Make settings from the result of :meth:`describe`; ``fit`` is a note and is skipped.

        Raises:
            ConfigurationError: a setting is unknown or out of its range.
        """
        settings = {name: value for name, value in description.items() if name != "fit"}
        if isinstance(settings.get("judge"), dict):
            settings["judge"] = judge_from(settings["judge"])
        return cls(**settings)


# "auto": the default bundle's judge, if any; None: no judge
AnyJudge: TypeAlias = Literal["auto"] | QueryJudge | JudgeSettings | None


@dataclass(frozen=True, slots=True)
class WeightedJudge:
    """A judge and its weights."""

    judge: QueryJudge
    constants: JudgeSettings


def check_any_judge(judge: Any, setting: str = "judge") -> None:
    """Refuse anything but ``"auto"``, None, a callable or settings."""
    if any(kind.__module__.startswith("sentence_transformers.") for kind in type(judge).__mro__):
        raise ConfigurationError(
            f"{setting} is a model of sentence-transformers: pass CrossEncoderJudge(model)"
        )
    is_auto = isinstance(judge, str) and judge == "auto"
    if not (judge is None or is_auto or isinstance(judge, JudgeSettings) or callable(judge)):
        raise ConfigurationError(
            f"{setting} is 'auto', None, a callable (see QueryJudge) or JudgeSettings, not"
            f" {shown(judge)}. A model's folder goes into CrossEncoderJudge, and a model of a"
            " framework into as_judge of its adapter"
        )


def resolve_judge(
    judge: AnyJudge, role: Literal["judge", "reranker"] = "judge"
) -> Operation[WeightedJudge | None]:
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
    constants = dict(function.constants) if isinstance(function, ModelJudge) else {}
    if role == "reranker":
        constants = {"relevance_weight": 1.0, **constants}
    return WeightedJudge(function, settings.over(constants))

"""Settings of several components: checked where they are given, and as a pipeline's file has them.

A function or an object of the user's own cannot stand in such a file. It is refused where the
pipeline is saved, so that no pipeline that was loaded does something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from logic_retrievers.adapters.descriptions import qualified_name
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.settings import AnyJudge, JudgeSettings
from logic_retrievers.policies import describe_policy, policy_from
from logic_retrievers.ranking.query_input import AnyPolicy


def refuse_to_save(setting: str, value: Any, instead: str) -> ConfigurationError:
    """The error for a setting that a pipeline's file cannot hold."""
    return ConfigurationError(
        f"{setting}={qualified_name(value)} cannot be saved in a pipeline's file. {instead}"
    )


def describe_any_policy(policy: AnyPolicy) -> Any:
    """A policy's name, or its name and settings where it is no default one.

    Raises:
        ConfigurationError: one that cannot be made of its description.
    """
    if isinstance(policy, str):
        return policy
    description = describe_policy(policy)
    if policy_from(description) != policy:
        raise refuse_to_save("policy", policy, "A setting of it is no plain value.")
    return description


def describe_any_judge(judge: AnyJudge) -> Any:
    """``auto``, None, or the weights of the shipped judge.

    Raises:
        ConfigurationError: a judge of the user's own.
    """
    if judge is None or isinstance(judge, str):
        return judge
    if isinstance(judge, JudgeSettings) and judge.judge is None:
        return judge.overrides()
    own = judge.judge if isinstance(judge, JudgeSettings) else judge
    raise refuse_to_save("judge", own, "Save it without, and set it on the loaded component.")


def any_judge_from(description: Any) -> Any:
    """The judge that :func:`describe_any_judge` described."""
    return JudgeSettings(**description) if isinstance(description, Mapping) else description


def with_settings(data: Mapping[str, Any], **made: Any) -> dict[str, Any]:
    """Serialised settings in which some values are replaced by what they describe.

    Args:
        data: of ``to_dict``; stays as it is.
        **made: setting -> function of the description. Settings that ``data`` lacks stay out.
    """
    settings = dict(data.get("init_parameters", {}))
    changed = {name: make(settings[name]) for name, make in made.items() if name in settings}
    return {**data, "init_parameters": {**settings, **changed}}


def open_encoder(bundle: str | None, encoder: Encoder | None) -> Encoder | None:
    """The encoder itself or that of a bundle's folder; None stands for the default."""
    return encoder if bundle is None else _encoder_of(bundle)


@cache
def _encoder_of(bundle: str) -> Encoder:
    """One object per process, as of the bundle that comes with the package."""
    from logic_retrievers.encoders import OnnxEncoder  # loads ONNX Runtime

    return OnnxEncoder(bundle)


def check_encoder(bundle: Any, encoder: Any) -> None:
    """Refuses two encoders, or what is none.

    Raises:
        ConfigurationError: the message says which.
    """
    if bundle is not None and encoder is not None:
        raise ConfigurationError("Pass either bundle= (a folder) or encoder=.")
    if bundle is not None and not isinstance(bundle, str):
        raise ConfigurationError(f"bundle= is the path of a folder, not {shown(bundle)}.")
    if encoder is not None and not isinstance(encoder, Encoder):
        raise ConfigurationError(f"encoder= is an Encoder, not {shown(encoder)}.")

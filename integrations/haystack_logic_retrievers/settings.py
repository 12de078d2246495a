"""Settings shared by several components, and their form in a pipeline's file.

A user's own function or object cannot be saved in a file. Trying to save one raises an error, so
that a loaded pipeline never differs from the saved one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from logic_retrievers.adapters.descriptions import qualified_name
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.judging.model_judge import ModelJudge, judge_from
from logic_retrievers.judging.settings import JudgeSettings
from logic_retrievers.policies import describe_policy, policy_from
from logic_retrievers.ranking.query_input import AnyPolicy


def refuse_to_save(setting: str, value: Any, instead: str) -> ConfigurationError:
    """Return the error for a setting that a pipeline's file cannot hold."""
    return ConfigurationError(
        f"{setting}={qualified_name(value)} cannot be saved in a pipeline's file. {instead}"
    )


def describe_any_policy(policy: AnyPolicy) -> Any:
    """Describe a policy by its name, or by its name and settings.

    Raises:
        ConfigurationError: a description cannot restore the policy.
    """
    if isinstance(policy, str):
        return policy
    description = describe_policy(policy)
    if policy_from(description) != policy:
        raise refuse_to_save("policy", policy, "A setting of it is no plain value.")
    return description


def describe_any_judge(judge: Any, setting: str = "judge") -> Any:
    """Describe a judge for a pipeline's file; ``auto`` and None are returned unchanged.

    Raises:
        ConfigurationError: the judge is a function, or a setting of it cannot be saved, such as a
            key.
    """
    if judge is None or isinstance(judge, str):
        return judge
    own = judge.judge if isinstance(judge, JudgeSettings) else judge
    if own is None or isinstance(own, ModelJudge):
        return judge.describe()
    raise refuse_to_save(setting, own, "Save it without, and set it on the loaded component.")


def any_judge_from(description: Any) -> Any:
    """Make a judge from the result of :func:`describe_any_judge`."""
    if not isinstance(description, Mapping):
        return description
    make = judge_from if "class" in description else JudgeSettings.from_description
    return make(description)


def with_settings(data: Mapping[str, Any], **made: Any) -> dict[str, Any]:
    """Replace descriptions in saved settings with the described objects.

    Args:
        data: result of ``to_dict``; not modified.
        **made: setting -> function that makes the object from its description.
    """
    settings = dict(data.get("init_parameters", {}))
    changed = {name: make(settings[name]) for name, make in made.items() if name in settings}
    return {**data, "init_parameters": {**settings, **changed}}


def open_encoder(bundle: str | None, encoder: Encoder | None) -> Encoder | None:
    """Return the given encoder, or that of a bundle's folder; None for the default encoder."""
    return encoder if bundle is None else _encoder_of(bundle)


@cache
def _encoder_of(bundle: str) -> Encoder:
    from logic_retrievers.encoders import OnnxEncoder  # imported here: it loads ONNX Runtime

    return OnnxEncoder(bundle)


def check_encoder(bundle: Any, encoder: Any) -> None:
    """Refuse a bundle together with an encoder, and objects that are neither.

    Raises:
        ConfigurationError: the message names the setting.
    """
    if bundle is not None and encoder is not None:
        raise ConfigurationError("Pass either bundle= (a folder) or encoder=.")
    if bundle is not None and not isinstance(bundle, str):
        raise ConfigurationError(f"bundle= is the path of a folder, not {shown(bundle)}.")
    if encoder is not None and not isinstance(encoder, Encoder):
        raise ConfigurationError(f"encoder= is an Encoder, not {shown(encoder)}.")
